"""Equal error rates against their definitions."""

import numpy as np
import pytest
from scipy.optimize import linprog

from maxmargin.metrics import eer, min_dcf

from . import brute_force


def test_on_the_hull_it_is_the_best_that_a_coin_between_two_thresholds_reaches(sample):
    y, scores, weight = sample
    found = eer(y, scores, sample_weight=weight)
    assert found == pytest.approx(brute_force.hull_eer(y, scores, weight), abs=1e-13)
    assert 0.0 <= found <= 0.5


def test_interpolated_it_is_where_the_rates_cross(sample):
    y, scores, weight = sample
    found = eer(y, scores, method="interpolated", sample_weight=weight)
    assert found == pytest.approx(brute_force.interpolated_eer(y, scores, weight), abs=1e-13)
    assert found >= eer(y, scores, sample_weight=weight) - 1e-13


def test_on_the_hull_it_is_the_largest_bayes_error_over_the_priors(sample):
    y, scores, weight = sample
    misses, false_alarms = np.array(brute_force.all_rates(y, scores, weight)).T
    # max t over (prior, t) with t <= prior * misses + (1 - prior) * false_alarms everywhere
    slopes = np.column_stack([false_alarms - misses, np.ones(len(misses))])
    found = linprog([0, -1], slopes, false_alarms, bounds=[(0, 1), (None, None)])
    assert eer(y, scores, sample_weight=weight) == pytest.approx(-found.fun, abs=1e-9)
    worst = np.clip(found.x[0], 1e-9, 1 - 1e-9)
    cost = min_dcf(y, scores, worst, normalize=False, sample_weight=weight)
    assert cost == pytest.approx(-found.fun, abs=1e-8)


def test_scores_that_are_always_wrong_are_worth_a_coin_on_the_hull():
    y, scores = [1, 1, 0, 0], [-2.0, -1.0, 1.0, 2.0]
    assert eer(y, scores) == 0.5
    assert eer(y, scores, method="interpolated") == 1.0
    assert eer(y, -np.array(scores)) == eer(y, -np.array(scores), method="interpolated") == 0.0


def test_equal_scores_are_one_threshold():
    assert eer([0, 1, 0, 1], [1.0] * 4) == 0.5
    assert eer([0, 1, 0, 1], [1.0] * 4, method="interpolated") == 0.5
    assert eer([0, 1], [0.0, -0.0]) == 0.5
