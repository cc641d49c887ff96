import numpy as np
import pytest
from matplotlib.collections import PathCollection

from maxmargin import certify, plot, solve
from maxmargin.kernels import RBF
from maxmargin.problems import EpsilonTube, HardMargin, NuMargin, OneClass, SoftMargin


def drawn(ax):
    offsets = [c.get_offsets() for c in ax.collections if isinstance(c, PathCollection)]
    return np.concatenate(offsets)


def distance_to_path(ax):
    """Largest distance of a point from the path."""
    path = np.column_stack(ax.lines[0].get_data())
    starts, steps = path[:-1], np.diff(path, axis=0)
    furthest = 0.0
    for point in drawn(ax):
        share = ((point - starts) * steps).sum(axis=1) / (steps**2).sum(axis=1)
        feet = starts + np.clip(share, 0, 1)[:, None] * steps
        furthest = max(furthest, np.linalg.norm(feet - point, axis=1).min())
    return furthest


def problems(X, y):
    weight = np.linspace(0.5, 2, len(y))
    return {
        "soft": SoftMargin(X, y, C=2),
        "gaussian": SoftMargin(X, y, C=2, kernel=RBF(0.5)),
        "weighted": SoftMargin(X, y, C=2, sample_weight=weight),
        "squared": SoftMargin(X, y, C=2, loss="squared_hinge"),
        "squared, weighted": SoftMargin(X, y, loss="squared_hinge", sample_weight=weight),
        "nu": NuMargin(X, y, nu=0.5),
        "hard": HardMargin(X + 4 * y[:, None], y),
        "one class": OneClass(X, nu=0.2, kernel=RBF(0.5)),
        "tube": EpsilonTube(X, X[:, 0] ** 2, C=2, epsilon=0.3),
    }


@pytest.mark.parametrize("name", problems(np.eye(2), np.array([1.0, -1.0])))
def test_an_optimal_solution_lies_on_the_path(ax, overlapping, name):
    problem = problems(*overlapping)[name]
    certificate = certify(problem, solve(problem))
    assert certificate.holds(1e-6)
    assert plot.kkt(certificate, ax) is ax
    assert len(drawn(ax)) == problem.dual().n_variables
    assert distance_to_path(ax) < 1e-4


def test_a_wrong_solution_does_not(ax, overlapping):
    problem, other = SoftMargin(*overlapping, C=2), SoftMargin(*overlapping, C=0.1)
    plot.kkt(certify(problem, solve(other)), ax)
    assert distance_to_path(ax) > 0.05


def test_the_horizontal_axis_is_the_functional_margin(ax, overlapping):
    X, y = overlapping
    solution = solve(SoftMargin(X, y, C=2))
    plot.kkt(certify(solution.problem, solution), ax)
    np.testing.assert_allclose(
        np.sort(drawn(ax)[:, 0]), np.sort(y * solution.decision(X)), atol=1e-9
    )


def test_the_legend_counts_the_cases(ax, overlapping):
    certificate = certify(p := SoftMargin(*overlapping, C=2), solve(p))
    plot.kkt(certificate, ax)
    texts = " ".join(text.get_text() for text in ax.get_legend().get_texts())
    assert f"0 < a < limit ({certificate.n_free})" in texts
    assert f"bounded: a at its limit ({certificate.n_bounded})" in texts


def test_points_of_no_weight_are_left_out(ax, overlapping):
    X, y = overlapping
    problem = SoftMargin(X, y, sample_weight=np.r_[0.0, np.ones(39)])
    plot.kkt(certify(problem, solve(problem)), ax)
    assert len(drawn(ax)) == 39
