"""Model files of every version of the format load, and predict what they did."""

import json
from pathlib import Path

import numpy as np
import pytest
from make_model_files import FOLDER, models, points
from scipy import sparse

import maxmargin
from maxmargin.persist.container import VERSION

FILES = sorted(FOLDER.glob("*.safetensors"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_of_any_version_predicts_what_it_did(path: Path) -> None:
    model = maxmargin.load(path)
    expected = json.loads(path.with_suffix(".json").read_text())
    new = points().astype(np.float32 if "nusvr" in path.stem else np.float64)
    given = sparse.csr_array(new) if "nusvc" in path.stem else new
    if "decision_function" in expected:
        found = model.decision_function(given)
        np.testing.assert_allclose(found, expected["decision_function"], rtol=1e-9, atol=1e-9)
        assert model.predict(given).tolist() == expected["predict"]
    else:
        np.testing.assert_allclose(model.predict(given), expected["predict"], rtol=1e-6)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_proof_of_any_version_still_holds(path: Path) -> None:
    model = maxmargin.load(path)
    machine = model[-1] if hasattr(model, "steps") else model
    if "online" not in path.stem:
        assert machine.certificate_.kkt_violation < 1e-2


def test_this_version_has_its_files() -> None:
    stems = {path.stem for path in FILES}
    assert {f"v{VERSION}-{name}" for name in models()} <= stems


def test_they_are_small() -> None:
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < 200_000
