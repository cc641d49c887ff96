"""The known results of the fingerprint study, from its script."""

import fingerprint_study
import numpy as np
import pytest


@pytest.fixture(scope="module")
def result(data_directory):
    path = data_directory / fingerprint_study.DATA
    if not path.is_file():
        pytest.skip(f"no real data: {path} is absent")
    return fingerprint_study.run(path)


@pytest.mark.data
@pytest.mark.parametrize(
    ("family", "params", "dual", "digits", "minimum", "actual"),
    [
        ("linear", {"C": 0.1}, 98.5510, 4, 0.3582, 0.5162),
        ("polynomial", {"C": 10**-1.5}, 21.8376, 4, 0.2455, 0.4674),
        ("Gaussian", {"C": 10**1.5, "gamma": np.exp(-2.0)}, 12098.648, 3, 0.1755, 0.4216),
    ],
)
def test_the_known_results(result, family, params, dual, digits, minimum, actual):
    (row,) = (
        row
        for row in result.table
        if row.group == (family, "raw")
        and all(row.params[name] == pytest.approx(value) for name, value in params.items())
    )
    assert row.certified
    assert round(row.dual, digits) == dual
    assert round(row.min_dcf, 4) == minimum
    assert round(row.act_dcf, 4) == actual


@pytest.mark.data
def test_all_machines_are_ranked_and_certified(result):
    assert len(result.table) == 2 * 11 + 11 + 4 * 11
    assert all(row.certified for row in result.table)
    assert result.best.family == "Gaussian"


@pytest.mark.data
def test_calibration_closes_the_gap_on_rows_that_nothing_was_chosen_by(result):
    costs = result.best.evaluation
    assert costs.act_dcf - costs.min_dcf > 0.1
    assert costs.calibrated_act_dcf - costs.min_dcf < 0.02


@pytest.mark.data
def test_calibration_helps_every_machine(result):
    for row in result.table:
        assert row.calibrated_act_dcf < row.act_dcf
        assert row.evaluation.calibrated_act_dcf < row.evaluation.act_dcf


@pytest.mark.data
def test_the_report_tells_the_story(result, tmp_path):
    text = fingerprint_study.write(result, tmp_path).read_text(encoding="utf-8")
    for words in ("A published result, certified", "0.1735", "0.1755", "12098.648"):
        assert words in text


def test_without_the_data_a_sentence_says_so(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("MAXMARGIN_DATA", str(tmp_path))
    fingerprint_study.main(tmp_path)
    assert "set MAXMARGIN_DATA" in capsys.readouterr().out
    assert list(tmp_path.iterdir()) == []
