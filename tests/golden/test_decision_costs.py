"""Decision costs as another library has them (make_decision_costs.py says which and how)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from maxmargin.metrics import act_dcf, bayes_error_curve, cllr, eer, min_cllr, min_dcf

GOLDEN = json.loads(Path(__file__).with_name("decision_costs.json").read_text())
LOG_ODDS = np.array(GOLDEN["log_odds"])

pytestmark = pytest.mark.parametrize("row", GOLDEN["sets"], ids=lambda row: row["name"])


def points(row: dict[str, Any]) -> tuple[Any, ...]:
    return row["y"], row["scores"], {"sample_weight": row.get("weight")}


def test_cllr(row: dict[str, Any]) -> None:
    y, scores, weight = points(row)
    assert cllr(y, scores, **weight) == pytest.approx(row["cllr"], rel=1e-12)
    assert min_cllr(y, scores, **weight) == pytest.approx(row["min_cllr"], rel=1e-12, abs=1e-15)


def test_equal_error_rate(row: dict[str, Any]) -> None:
    """The reference searches the maximum of the Bayes error by sections: half the digits."""
    y, scores, weight = points(row)
    assert eer(y, scores, **weight) == pytest.approx(row["eer"], abs=1e-7)


def test_bayes_error_at_many_priors(row: dict[str, Any]) -> None:
    y, scores, weight = points(row)
    curve = bayes_error_curve(y, scores, LOG_ODDS, normalize=False, **weight)
    np.testing.assert_allclose(curve.act_dcf, row["actual"], rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(curve.min_dcf, row["minimum"], rtol=1e-12, atol=1e-15)


def test_costs_at_one_prior(row: dict[str, Any]) -> None:
    y, scores, weight = points(row)
    for log_odds, actual, minimum in zip(LOG_ODDS, row["actual"], row["minimum"], strict=True):
        prior = 1 / (1 + np.exp(-log_odds))
        trivial = min(prior, 1 - prior)
        found = act_dcf(y, scores, prior, **weight), min_dcf(y, scores, prior, **weight)
        assert found == pytest.approx((actual / trivial, minimum / trivial), rel=1e-12, abs=1e-14)
