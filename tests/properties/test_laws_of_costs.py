"""Laws of decision costs that hold for all scores."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxmargin.metrics import (
    act_dcf,
    bayes_error_curve,
    best_threshold,
    cllr,
    dcf,
    eer,
    min_cllr,
    min_dcf,
)

ORDER_ONLY = [min_dcf, eer, min_cllr]
EXACT = 1e-12


@st.composite
def points(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Labels with both classes, scores with or without many ties, whole weights."""
    n = draw(st.integers(2, 30))
    y = np.array([0, 1, *draw(st.lists(st.integers(0, 1), min_size=n - 2, max_size=n - 2))])
    one = draw(
        st.sampled_from([st.integers(-3, 3).map(float), st.floats(-20, 20, allow_subnormal=False)])
    )
    scores = np.array(draw(st.lists(one, min_size=n, max_size=n)))
    weight = np.array(draw(st.lists(st.integers(1, 4), min_size=n, max_size=n)))
    return y, scores, weight


costs = st.tuples(st.floats(0.01, 0.99), st.floats(0.1, 10), st.floats(0.1, 10))


@pytest.mark.parametrize("metric", ORDER_ONLY, ids=lambda metric: metric.__name__)
@given(sample=points())
def test_only_the_order_of_the_scores_counts(metric, sample) -> None:
    y, scores, weight = sample
    rank = np.unique(scores, return_inverse=True)[1]
    found = metric(y, scores, sample_weight=weight)
    # Any increasing map gives the same ranks.
    assert found == metric(y, rank, sample_weight=weight)
    assert found == metric(y, 3.0 * rank**3 - 1e3, sample_weight=weight)


@given(sample=points(), costs=costs)
def test_no_threshold_beats_the_minimum(sample, costs) -> None:
    y, scores, weight = sample
    minimum = min_dcf(y, scores, *costs, sample_weight=weight)
    assert 0.0 <= minimum <= 1.0
    assert minimum <= act_dcf(y, scores, *costs, sample_weight=weight) + EXACT
    for threshold in (*scores, 0.0, -np.inf, np.inf):
        actual = act_dcf(y, scores, *costs, threshold=threshold, sample_weight=weight)
        assert minimum <= actual + EXACT


@given(sample=points(), costs=costs)
def test_the_best_threshold_reaches_the_minimum(sample, costs) -> None:
    y, scores, weight = sample
    threshold = best_threshold(y, scores, *costs, sample_weight=weight)
    reached = act_dcf(y, scores, *costs, threshold=threshold, sample_weight=weight)
    assert reached == pytest.approx(min_dcf(y, scores, *costs, sample_weight=weight), abs=EXACT)


@given(sample=points())
def test_calibration_can_only_help(sample) -> None:
    y, scores, weight = sample
    minimum = min_cllr(y, scores, sample_weight=weight)
    assert -EXACT <= minimum <= 1.0 + EXACT
    assert minimum <= cllr(y, scores, sample_weight=weight) + EXACT
    curve = bayes_error_curve(y, scores, sample_weight=weight)
    assert (curve.min_dcf <= curve.act_dcf + EXACT).all()
    assert (curve.min_dcf <= 1.0 + EXACT).all()


@given(sample=points())
def test_an_equal_error_rate_is_at_most_a_half_on_the_hull(sample) -> None:
    y, scores, weight = sample
    on_hull = eer(y, scores, sample_weight=weight)
    interpolated = eer(y, scores, method="interpolated", sample_weight=weight)
    assert 0.0 <= on_hull <= 0.5 + EXACT
    assert on_hull <= interpolated + EXACT
    assert interpolated <= 1.0


@pytest.mark.parametrize("metric", [act_dcf, cllr, *ORDER_ONLY], ids=lambda m: m.__name__)
@given(sample=points())
def test_a_weight_is_a_number_of_repetitions(metric, sample) -> None:
    y, scores, weight = sample
    repeated = metric(np.repeat(y, weight), np.repeat(scores, weight))
    assert metric(y, scores, sample_weight=weight) == pytest.approx(repeated, rel=EXACT, abs=EXACT)
    # and its scale does not matter, nor do points of weight zero
    assert metric(y, scores, sample_weight=0.1 * weight) == pytest.approx(repeated, abs=1e-9)
    padded = metric([*y, 1], [*scores, -9.0], sample_weight=[*weight, 0])
    assert padded == pytest.approx(repeated, rel=EXACT, abs=EXACT)


@given(sample=points(), costs=costs)
def test_exchanging_the_classes_changes_nothing(sample, costs) -> None:
    y, scores, weight = sample
    prior, cost_fn, cost_fp = costs
    exchanged = (1 - prior, cost_fp, cost_fn)
    swapped = {"pos_label": 0, "sample_weight": weight}
    straight = min_dcf(y, scores, *costs, sample_weight=weight)
    assert min_dcf(y, -scores, *exchanged, **swapped) == pytest.approx(straight, rel=1e-9)
    decisions = (scores > 1).astype(int)
    straight = dcf(y, decisions, *costs, sample_weight=weight)
    assert dcf(y, decisions, *exchanged, **swapped) == pytest.approx(straight, rel=1e-9)
    for metric in (eer, cllr, min_cllr):
        straight = metric(y, scores, sample_weight=weight)
        assert metric(y, -scores, **swapped) == pytest.approx(straight, rel=1e-9, abs=EXACT)


@given(sample=points())
def test_the_sizes_of_the_classes_do_not_count(sample) -> None:
    y, scores, _ = sample
    weight = np.where(y == 1, 17.0, 1.0)
    for metric in (act_dcf, min_dcf, eer, cllr, min_cllr):
        weighted = metric(y, scores, sample_weight=weight)
        assert weighted == pytest.approx(metric(y, scores), rel=EXACT, abs=EXACT)
