import numpy as np
import pytest

from maxmargin.study.calibrate import logistic_map


@pytest.fixture
def scored(rng):
    positive = rng.random(400) < 0.3
    return rng.normal(size=400) + 1.5 * positive, positive


def test_the_scale_of_the_scores_does_not_matter(scored):
    scores, positive = scored
    ratios = logistic_map(scores, positive, 0.2)(scores)
    moved = 1e4 * scores - 3e5
    np.testing.assert_allclose(logistic_map(moved, positive, 0.2)(moved), ratios, rtol=1e-6)


def test_a_class_given_twice_changes_nothing(scored):
    scores, positive = scored
    twice = np.concatenate([scores, scores[positive]])
    labels = np.concatenate([positive, positive[positive]])
    once = logistic_map(scores, positive, 0.2)
    again = logistic_map(twice, labels, 0.2)
    assert (again.slope, again.offset) == pytest.approx((once.slope, once.offset), rel=1e-6)


def test_normal_scores_have_the_ratio_that_theory_gives():
    """Two normal classes of unit variance, two apart: the ratio is twice the score."""
    rng = np.random.default_rng(1)
    positive = np.arange(200_000) % 2 == 0
    scores = rng.normal(size=200_000) + np.where(positive, 1.0, -1.0)
    found = logistic_map(scores, positive, 0.1)
    assert found.slope == pytest.approx(2.0, abs=0.03)
    assert found.offset == pytest.approx(0.0, abs=0.03)


def test_separated_scores_stay_finite():
    scores = np.array([-2.0, -1.0, 1.0, 2.0])
    ratios = logistic_map(scores, scores > 0, 0.5)(scores)
    assert np.isfinite(ratios).all()
    assert ratios[1] < -5 < 5 < ratios[2]
