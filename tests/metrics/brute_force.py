"""Decision costs by their definitions, one threshold and one point at a time."""

from __future__ import annotations

import math
from itertools import combinations, pairwise

import numpy as np


def rates(y, scores, weight, threshold):
    """The weighted fractions of misses and false alarms of deciding "positive above"."""
    total = {1: 0.0, 0: 0.0}
    wrong = {1: 0.0, 0: 0.0}
    for label, score, w in zip(y, scores, weight, strict=True):
        total[label] += w
        if (score > threshold) != (label == 1):
            wrong[label] += w
    return wrong[1] / total[1], wrong[0] / total[0]


def all_rates(y, scores, weight):
    """Those of every decision that a threshold can make, from the lowest."""
    return [rates(y, scores, weight, t) for t in [-math.inf, *sorted(set(scores))]]


def cost(pair, prior, cost_fn, cost_fp, normalize=True):
    misses, false_alarms = pair
    value = prior * cost_fn * misses + (1 - prior) * cost_fp * false_alarms
    return value / min(prior * cost_fn, (1 - prior) * cost_fp) if normalize else value


def min_dcf(y, scores, weight, prior, cost_fn, cost_fp):
    return min(cost(pair, prior, cost_fn, cost_fp) for pair in all_rates(y, scores, weight))


def hull_eer(y, scores, weight):
    """The least equal error rate of a coin that chooses between two thresholds."""
    found = []
    points = all_rates(y, scores, weight)
    for (m1, f1), (m2, f2) in combinations(points, 2):
        d1, d2 = m1 - f1, m2 - f2
        if d1 <= 0 <= d2 and d1 < d2:
            found.append((m1 * d2 - m2 * d1) / (d2 - d1))
    return min(found)


def interpolated_eer(y, scores, weight):
    points = all_rates(y, scores, weight)
    for (m1, f1), (m2, f2) in pairwise(points):
        d1, d2 = m1 - f1, m2 - f2
        if d1 <= 0 <= d2:
            return (m1 * d2 - m2 * d1) / (d2 - d1)
    raise AssertionError("the rates cross somewhere")


def cllr(y, scores, weight):
    sums = {1: 0.0, 0: 0.0}
    total = {1: 0.0, 0: 0.0}
    for label, score, w in zip(y, scores, weight, strict=True):
        sums[label] += w * math.log2(1 + math.exp(-score if label == 1 else score))
        total[label] += w
    return (sums[1] / total[1] + sums[0] / total[0]) / 2


def calibrated(y, scores, weight):
    """Log-likelihood ratios by the max-min formula of isotonic regression, without pooling."""
    y, weight = np.asarray(y), np.asarray(weight, dtype=float)
    balanced = np.where(y == 1, weight / weight[y == 1].sum(), weight / weight[y == 0].sum())
    levels = sorted(set(scores))
    members = [np.asarray(scores) == level for level in levels]
    positive = [balanced[m & (y == 1)].sum() for m in members]
    total = [balanced[m].sum() for m in members]

    def mean(j, k):
        return sum(positive[j : k + 1]) / sum(total[j : k + 1])

    n = len(levels)
    fitted = {
        level: max(min(mean(j, k) for k in range(i, n)) for j in range(i + 1))
        for i, level in enumerate(levels)
    }
    chance = np.array([fitted[s] for s in scores])
    with np.errstate(divide="ignore"):
        return np.log(chance) - np.log1p(-chance)


def min_cllr(y, scores, weight):
    return cllr_of_ratios(y, calibrated(y, scores, weight), weight)


def cllr_of_ratios(y, ratios, weight):
    """Cllr where infinite ratios, if right, cost nothing."""
    y, weight = np.asarray(y), np.asarray(weight, dtype=float)
    bits = np.logaddexp(0.0, np.where(y == 1, -ratios, ratios)) / np.log(2)
    return sum(np.average(bits[y == c], weights=weight[y == c]) for c in (0, 1)) / 2
