"""Model files of every version of the format load, and predict what they did."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from make_model_files import FOLDER, models, points

import maxmargin
from maxmargin.persist.format.container import VERSION

FILES = sorted(FOLDER.glob("*.safetensors"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_of_any_version_predicts_what_it_did(path: Path) -> None:
    model = maxmargin.load(path)
    expected = json.loads(path.with_suffix(".json").read_text())
    given = points(path.stem.split("-", 1)[1])
    if "decision_function" in expected:
        for method in expected.keys() - {"predict"}:
            found = getattr(model, method)(given)
            np.testing.assert_allclose(found, expected[method], rtol=1e-9, atol=1e-9)
        assert model.predict(given).tolist() == expected["predict"]
    else:
        np.testing.assert_allclose(model.predict(given), expected["predict"], rtol=1e-6)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_proof_of_any_version_still_holds(path: Path) -> None:
    machine = machine_of(maxmargin.load(path))
    if "online" not in path.stem:
        assert machine.certificate_.kkt_violation < 1e-2


def machine_of(model: Any) -> Any:
    """Return what a pipeline, a search or a calibrated model ends in."""
    if hasattr(model, "steps"):
        return machine_of(model[-1])
    for name in ("best_estimator_", "estimator_"):
        if hasattr(model, name):
            return machine_of(getattr(model, name))
    return model


def test_the_table_of_a_search_is_there() -> None:
    search = maxmargin.load(FOLDER / "v1-search.safetensors")
    table = search.cv_results_
    assert len(table["params"]) == 5
    assert table["param_svc__gamma"].mask.tolist() == [False] * 4 + [True]
    means = np.mean([table[f"split{k}_test_dcf"] for k in range(3)], axis=0)
    np.testing.assert_allclose(table["mean_test_dcf"], means, rtol=1e-12)
    assert search.best_score_ == table["mean_test_dcf"][search.best_index_] == means.max()


def test_this_version_has_its_files() -> None:
    stems = {path.stem for path in FILES}
    assert {f"v{VERSION}-{name}" for name in models()} <= stems


def test_they_are_small() -> None:
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < 200_000
