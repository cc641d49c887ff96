from types import SimpleNamespace

import pytest

from maxmargin import pages


@pytest.fixture
def seen(monkeypatch):
    """What the report is made of, without making it."""
    found = {}

    def report(subject, X, y, *, title, feature_names, prior, cost_fn, cost_fp, command):
        found.update(locals())
        return SimpleNamespace(save=lambda path: found.update(path=path))

    monkeypatch.setattr(pages, "report", report)
    return found


def test_the_report_is_told_everything(run, folder, model, points, seen):
    options = ["--title", "Cancer", "--prior", 0.01, "--cost-fn", 20]
    found = run("report", model, folder / "cancer.csv", *options)
    page = str(model.with_suffix(".html"))
    assert found.stdout == f"Report {page}\n"
    assert seen["path"] == page
    assert (seen["title"], seen["prior"], seen["cost_fn"], seen["cost_fp"]) == (
        "Cancer",
        0.01,
        20,
        1,
    )
    assert seen["X"].equals(points[0])
    assert seen["y"].tolist() == points[1].tolist()
    assert (
        seen["command"]
        == f"maxmargin report {model} {folder}/cancer.csv --title Cancer --prior 0.01 --cost-fn 20"
    )


def test_the_page_itself(run, folder, model, tmp_path):
    pytest.importorskip("jinja2")
    pytest.importorskip("matplotlib")
    run("report", model, folder / "cancer.csv", "-o", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert page.lower().startswith("<!doctype html>")
    assert "maxmargin report" in page
