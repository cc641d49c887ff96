"""Ties of every kind: the path is certified all the same."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxmargin import svm_path
from maxmargin.kernels import RBF, Linear, Polynomial
from maxmargin.problems import Free, Regularised, SoftMargin

KERNELS = [Linear(), RBF(0.5), Polynomial(gamma=1.0, coef0=1.0, degree=2)]
BIASES = [Free(), Regularised(1)]


def on_a_grid(rng):
    """Few different points, many times each, with labels that contradict each other."""
    X = rng.integers(0, 4, size=(70, 2)).astype(float)
    return X, np.where(X.sum(axis=1) + rng.normal(size=70) > 3, 1.0, -1.0)


def square(rng):
    """The four corners of exclusive or, five times each: all events come at once."""
    X = np.tile([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]], (5, 1))
    return X, np.tile([1.0, 1.0, -1.0, -1.0], 5)


def mirrored(rng):
    """Each point with its mirror image of the other label."""
    X = rng.normal(size=(25, 2)) + 0.5
    return np.vstack([X, -X]), np.repeat([1.0, -1.0], 25)


def contradicting(rng):
    """Every point with both labels."""
    X = rng.normal(size=(20, 2))
    return np.vstack([X, X, X]), np.repeat([1.0, -1.0, 1.0], 20)


def swallowed(rng):
    """A small class in the middle of a large one: the linear machine is constant."""
    angle = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    ring = np.column_stack([np.cos(angle), np.sin(angle)])
    return np.vstack([ring, 0.1 * rng.normal(size=(6, 2))]), np.repeat([1.0, -1.0], [40, 6])


def on_a_line(rng):
    """Equal steps on a line in three dimensions."""
    place = np.arange(24.0)
    y = np.where((place % 5 < 2) == (place > 11), 1.0, -1.0)
    return np.outer(place / 10, [1.0, 2.0, -1.0]), y


def all_alike(rng):
    """One point only."""
    return np.ones((7, 2)), np.array([1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0])


SHAPES = [on_a_grid, square, mirrored, contradicting, swallowed, on_a_line, all_alike]


def assert_certified(path, tol, C_max):
    assert path.breakpoints[-1] == C_max, path.status
    inner = path.breakpoints[path.breakpoints > 0]
    middles = 0.5 * (inner[1:] + inner[:-1])
    for C in np.unique(np.concatenate([[0.5 * inner[0]], inner, middles])):
        certificate = path.certificate(C)
        assert certificate.holds(tol), f"C = {C}: {certificate.summary()}"


@pytest.mark.parametrize("bias", BIASES, ids=str)
@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize("shape", SHAPES)
def test_ties_do_no_harm(shape, kernel, bias, rng):
    X, y = shape(rng)
    path = svm_path(SoftMargin(X, y, C=100, kernel=kernel, bias=bias))
    assert_certified(path, 1e-8, 100)


@given(
    seed=st.integers(0, 10_000),
    n=st.integers(4, 24),
    steps=st.sampled_from([2, 5, 1000]),
    kernel=st.sampled_from(KERNELS),
    bias=st.sampled_from(BIASES),
    weighted=st.booleans(),
)
def test_rounded_points_are_certified_everywhere(seed, n, steps, kernel, bias, weighted):
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(n, 2)) * steps) / steps
    y = np.where(rng.random(n) < 0.5, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    weight = np.round(rng.uniform(0.5, 2.0, n), 1) if weighted else None
    path = svm_path(SoftMargin(X, y, C=20, kernel=kernel, bias=bias, sample_weight=weight))
    assert_certified(path, 1e-8, 20)
