import sys

import pytest

import maxmargin

from .conftest import files


def test_every_exact_solver_is_certified(run, tmp_path):
    pytest.importorskip("matplotlib")
    found = run.json("demo", tmp_path / "pictures")
    by_name = {row["solver"]: row for row in found["solvers"]}
    for name in ("dual-qp", "decomposition", "smo"):
        assert by_name[name]["certified"] == "yes"
        assert by_name[name]["dual"] == pytest.approx(by_name["dual-qp"]["dual"], rel=1e-5)
    assert found["stopped_early"]["relative_gap"] > 1e-3
    assert files(tmp_path / "pictures") == ["boundary.png", "conditions.png"]


def test_without_matplotlib_there_are_no_pictures(run, tmp_path, monkeypatch):
    for name in [name for name in sys.modules if name.startswith("maxmargin.plot")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delattr(maxmargin, "plot", raising=False)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    found = run("demo", tmp_path / "pictures")
    assert "No pictures: maxmargin.plot needs matplotlib" in found.stderr
    assert "support vectors of 60" in found.stdout
    assert files(tmp_path) == []
