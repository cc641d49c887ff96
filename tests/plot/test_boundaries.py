import numpy as np
import pytest
from matplotlib import pyplot as plt
from scipy.sparse import csr_array

from maxmargin import InvalidInputError, certify, plot, solve
from maxmargin.kernels import (
    RBF,
    Chi2,
    Function,
    Laplacian,
    Linear,
    Polynomial,
    Precomputed,
    Sigmoid,
)
from maxmargin.problems import (
    EpsilonTube,
    HardMargin,
    NuMargin,
    NuTube,
    OneClass,
    Regularised,
    SoftMargin,
    Sphere,
)

from .artists import levels, places, slack_segments

KERNELS = [
    Linear(),
    Polynomial(degree=2),
    RBF(0.5),
    Sigmoid(0.1, -1.0),
    Laplacian(0.5),
    Function(lambda A, B: (A @ B.T + 1) ** 2),
    RBF(1.0) + 0.5 * Linear(),
    RBF(0.3) * Laplacian(0.3),
]


def marked(ax, label):
    return len(places(ax, label))


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: type(kernel).__name__)
def test_the_boundary_is_the_zero_line_and_the_band_ends_at_the_level(ax, overlapping, kernel):
    solution = solve(SoftMargin(*overlapping, C=1, kernel=kernel), "smo")
    assert plot.boundary(solution, ax, resolution=40) is ax
    assert 0.0 in levels(ax)
    assert set(levels(ax)) <= {-1.0, 0.0, 1.0}


def test_the_band_of_the_nu_form_ends_at_rho(ax, overlapping):
    solution = solve(NuMargin(*overlapping, nu=0.5))
    plot.boundary(solution, ax)
    assert levels(ax) == pytest.approx([-solution.level, 0.0, solution.level])


@pytest.mark.parametrize("C", [0.05, 1.0, 100.0])
@pytest.mark.parametrize("kernel", [Linear(), RBF(0.5)], ids=repr)
def test_rings_and_boxes_count_what_the_certificate_counts(ax, overlapping, C, kernel):
    problem = SoftMargin(*overlapping, C=C, kernel=kernel)
    solution = solve(problem)
    certificate = certify(problem, solution)
    plot.boundary(solution, ax, resolution=40)
    assert marked(ax, "free support vector") == certificate.n_free
    assert marked(ax, "bounded support vector") == certificate.n_bounded


def test_every_point_is_drawn_once_by_label(ax, overlapping):
    plot.boundary(solve(SoftMargin(*overlapping)), ax)
    assert (marked(ax, "y = +1"), marked(ax, "y = -1")) == (20, 20)


@pytest.mark.parametrize("bias", [Regularised(1), Regularised(0)], ids=repr)
def test_a_linear_slack_is_as_long_as_slack_over_the_norm_of_w(ax, overlapping, bias):
    solution = solve(SoftMargin(*overlapping, C=1, bias=bias))
    plot.boundary(solution, ax)
    segments = slack_segments(ax)
    lengths = np.linalg.norm(segments[:, 1] - segments[:, 0], axis=1)
    slack = solution.slack[solution.slack > 1e-4]
    np.testing.assert_allclose(
        np.sort(lengths), np.sort(slack) / np.linalg.norm(solution.w), atol=1e-6
    )
    np.testing.assert_allclose(np.abs(solution.decision(segments[:, 1])), 1, atol=1e-8)


def test_a_curved_slack_ends_on_its_margin_line(ax, overlapping):
    solution = solve(SoftMargin(*overlapping, C=1, kernel=RBF(0.3)))
    plot.boundary(solution, ax)
    ends = slack_segments(ax)[:, 1]
    assert len(ends) == np.count_nonzero(solution.slack > 1e-4)
    np.testing.assert_allclose(np.abs(solution.decision(ends)), 1, atol=0.01)


def test_a_hard_margin_has_no_slack_and_no_bounded_vectors(ax):
    solution = solve(HardMargin([[0, 0], [1, 0], [3, 1], [4, 3]], [-1, -1, 1, 1]))
    plot.boundary(solution, ax)
    assert len(slack_segments(ax)) == 0
    assert marked(ax, "support vector") == np.count_nonzero(solution.dual > 1e-9)


@pytest.mark.parametrize("make", [OneClass, Sphere.from_nu])
@pytest.mark.parametrize("kernel", [Linear(), RBF(0.5)], ids=repr)
def test_one_class_has_a_boundary_and_its_inside(ax, overlapping, make, kernel):
    solution = solve(make(overlapping[0] + 5, nu=0.2, kernel=kernel))
    plot.boundary(solution, ax)
    assert levels(ax) == [0.0]
    assert marked(ax, "point") == 40


@pytest.mark.parametrize(
    "make",
    [
        lambda X, y: EpsilonTube(X, y, epsilon=0.2, kernel=RBF(1.0)),
        lambda X, y: NuTube(X, y, nu=0.4, kernel=RBF(1.0)),
    ],
    ids=["EpsilonTube", "NuTube"],
)
def test_regression_draws_its_tube_and_vertical_slacks(ax, make):
    x = np.linspace(0, 6, 30)
    y = np.sin(x) + 0.4 * np.cos(17 * x)
    problem = make(x[:, None], y)
    solution = solve(problem)
    plot.boundary(solution, ax)
    curve = next(line for line in ax.lines if line.get_label() == "f(x)")
    np.testing.assert_allclose(
        curve.get_ydata(), solution.decision(np.asarray(curve.get_xdata())[:, None])
    )
    segments = slack_segments(ax)
    lengths = np.sort(np.abs(segments[:, 1, 1] - segments[:, 0, 1]))
    np.testing.assert_allclose(segments[:, 0, 0], segments[:, 1, 0])
    np.testing.assert_allclose(lengths, np.sort(solution.slack[solution.slack > 1e-4]))
    assert marked(ax, "bounded support vector") == certify(problem, solution).n_bounded


def test_sparse_and_single_precision_points_are_drawn_alike(ax, overlapping):
    X, y = overlapping
    for points in (csr_array(X), X.astype(np.float32)):
        plot.boundary(solve(SoftMargin(points, y, kernel=RBF(0.5)), "smo"), ax, resolution=30)
        assert levels(ax) == [-1.0, 0.0, 1.0]
        ax.clear()


def test_a_kernel_on_the_positive_quadrant_is_drawn_there(ax, overlapping):
    X, y = np.abs(overlapping[0]), overlapping[1]
    plot.boundary(solve(SoftMargin(X, y, kernel=Chi2(1.0)), "smo"), ax, resolution=30)
    assert ax.get_xlim()[0] >= 0


def test_axes_that_are_given_open_no_figure(ax, overlapping):
    before = plt.get_fignums()
    plot.boundary(solve(SoftMargin(*overlapping)), ax)
    assert plt.get_fignums() == before


def test_without_axes_a_figure_is_made(overlapping):
    plt.switch_backend("agg")
    made = plot.boundary(solve(SoftMargin(*overlapping)))
    assert made.figure.number in plt.get_fignums()
    assert made.get_legend() is not None
    plt.close(made.figure)


def test_three_features_get_a_sentence_and_leave_no_figure(overlapping):
    X, y = overlapping
    solution = solve(SoftMargin(np.column_stack([X, X[:, 0]]), y))
    before = plt.get_fignums()
    with pytest.raises(InvalidInputError, match=r"needs points with 2 features; X has 3"):
        plot.boundary(solution)
    assert plt.get_fignums() == before


def test_a_precomputed_kernel_gets_a_sentence(ax, overlapping):
    X, y = overlapping
    solution = solve(SoftMargin(X @ X.T, y, kernel=Precomputed()), "smo")
    with pytest.raises(InvalidInputError, match="knows similarities, not points"):
        plot.boundary(solution, ax)


def test_regression_on_two_features_gets_a_sentence(ax, overlapping):
    with pytest.raises(InvalidInputError, match="needs points with 1 feature; X has 2"):
        plot.boundary(solve(EpsilonTube(*overlapping)), ax)


def test_objects_get_a_sentence(ax):
    same = Function(lambda A, B: np.array([[float(a == b) for b in B] for a in A]))
    solution = solve(SoftMargin(["a", "b"], [1, -1], kernel=same), "smo")
    with pytest.raises(InvalidInputError, match="not rows of numbers"):
        plot.boundary(solution, ax)


@pytest.mark.parametrize("wrong", [{"resolution": 1}, {"padding": -0.1}, {"padding": np.nan}])
def test_wrong_options_are_named(ax, overlapping, wrong):
    with pytest.raises(InvalidInputError, match=next(iter(wrong))):
        plot.boundary(solve(SoftMargin(*overlapping)), ax, **wrong)
