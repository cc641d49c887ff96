"""Separability witnesses, margins, the seven positions and the count of support vectors."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from maxmargin import Solution, separability, solve
from maxmargin.certificates import CommonPoint, Position, SeparatingPlane, analyse_support, margins
from maxmargin.kernels import RBF, Kernel, Laplacian, Linear, Polynomial, Precomputed
from maxmargin.problems import EpsilonTube, HardMargin, NuMargin, Regularised, SoftMargin
from zoo import draw, points

XOR = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
XOR_LABELS = np.array([1, 1, -1, -1])

seeds = st.integers(0, 10**6)


def check_plane(plane: SeparatingPlane, X: np.ndarray, y: np.ndarray, kernel: Kernel) -> None:
    K = kernel.block(X, X)
    norm = np.sqrt(plane.coefficients @ K @ plane.coefficients)
    values = y * (K @ plane.coefficients + plane.b)
    assert values.min() == pytest.approx(1.0, rel=1e-6)
    assert values.min() / norm == pytest.approx(plane.margin, rel=1e-6)


def check_point(point: CommonPoint, X: np.ndarray, y: np.ndarray, kernel: Kernel) -> None:
    for weights, label in ((point.positive, 1), (point.negative, -1)):
        assert np.all(weights >= 0)
        assert weights.sum() == pytest.approx(1.0, abs=1e-9)
        assert np.all(weights[y != label] == 0)
    difference = point.positive - point.negative
    K = kernel.block(X, X)
    size = np.sqrt(np.abs(np.diag(K)).max())
    assert np.sqrt(max(0.0, difference @ K @ difference)) <= 1e-6 * max(1.0, size)
    assert point.distance <= 1e-6 * max(1.0, size)


class TestSeparability:
    @given(seed=seeds, gap=st.floats(0.1, 4), kernel=st.sampled_from([Linear(), RBF(0.5)]))
    def test_either_witness_can_be_checked_by_anyone(
        self, seed: int, gap: float, kernel: Kernel
    ) -> None:
        rng = np.random.default_rng(seed)
        y = np.where(np.arange(14) % 2, 1, -1)
        X = rng.normal(size=(14, 2))
        X[:, 0] += gap * y
        witness = separability(X, y, kernel)
        (check_plane if witness else check_point)(witness, X, y, kernel)

    def test_linearly_separable_points_are_separated_with_the_largest_margin(self) -> None:
        X, y = points("HardMargin")
        witness = separability(X, y)
        assert isinstance(witness, SeparatingPlane)
        check_plane(witness, X, y, Linear())
        best = margins(solve(HardMargin(X, y))).margin
        assert witness.margin == pytest.approx(best, rel=1e-5)
        np.testing.assert_allclose(np.sign(X @ witness.w + witness.b), y)
        assert "separable with a margin of" in str(witness)

    def test_crossing_diagonals_share_their_middle(self) -> None:
        witness = separability(XOR, XOR_LABELS)
        assert isinstance(witness, CommonPoint)
        check_point(witness, XOR, XOR_LABELS, Linear())
        np.testing.assert_allclose(witness.point, [0.5, 0.5], atol=1e-6)
        assert "not separable" in str(witness)
        assert "0.5 x[0] + 0.5 x[1] (label +1)" in str(witness)

    @pytest.mark.parametrize(
        ("kernel", "separable"),
        [
            (Linear(), False),
            (Polynomial(1.0, 0.0, 2), True),
            (Polynomial(1.0, 1.0, 2), True),
            (RBF(1.0), True),
            (Laplacian(0.1), True),
            (Linear() + RBF(0.01), True),
        ],
        ids=repr,
    )
    def test_crossing_diagonals_in_kernel_space(self, kernel: Kernel, separable: bool) -> None:
        witness = separability(XOR, XOR_LABELS, kernel)
        assert bool(witness) == separable
        (check_plane if witness else check_point)(witness, XOR, XOR_LABELS, kernel)

    def test_a_common_point_in_kernel_space(self) -> None:
        X = np.array([[0.0], [1.0], [2.0], [1.0]])
        y = np.array([1, -1, 1, 1])
        witness = separability(X, y, RBF(1.0))
        assert isinstance(witness, CommonPoint)
        check_point(witness, X, y, RBF(1.0))
        assert witness.point is None

    def test_touching_hulls_are_not_strictly_separable(self) -> None:
        X = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 0.0], [2.0, 0.0]])
        witness = separability(X, [-1, -1, 1, 1])
        assert isinstance(witness, CommonPoint)
        np.testing.assert_allclose(witness.point, [1.0, 0.0], atol=1e-6)

    @pytest.mark.parametrize("gap", [1e-1, 1e-3, 1e-5])
    def test_a_narrow_gap_is_found(self, gap: float) -> None:
        X = np.array([[0.0], [1.0], [1.0 + gap], [2.0]])
        witness = separability(X, [-1, -1, 1, 1])
        assert witness
        assert witness.margin == pytest.approx(gap / 2, rel=1e-4)

    @pytest.mark.parametrize("size", [1e-8, 1e8])
    def test_the_unit_of_the_points_does_not_matter(self, size: float) -> None:
        X, y = points("HardMargin")
        assert separability(size * X, y).margin == pytest.approx(
            size * separability(X, y).margin, rel=1e-5
        )
        assert not separability(size * XOR, XOR_LABELS)

    def test_sparse_points_and_gram_matrices_have_witnesses_too(self) -> None:
        X, y = points("HardMargin")
        expected = separability(X, y).margin
        assert separability(sparse.csr_array(X), y).margin == pytest.approx(expected, rel=1e-6)
        assert separability(X @ X.T, y, Precomputed()).margin == pytest.approx(expected, rel=1e-5)

    def test_many_points_in_few_dimensions(self) -> None:
        rng = np.random.default_rng(0)
        X = rng.normal(size=(300, 3))
        y = np.where(np.arange(300) < 150, 1, -1)
        check_point(separability(X, y), X, y, Linear())
        X[:, 0] += 5 * y
        check_plane(separability(X, y), X, y, Linear())


class TestMargins:
    def seven(self) -> tuple[SoftMargin, Solution]:
        """One point a position, all of the label +1, and one of the other class."""
        X = np.array([[2.0], [1.0], [0.5], [0.0], [-0.5], [-1.0], [-2.0], [-3.0]])
        problem = SoftMargin(X, [1] * 7 + [-1], C=1.0)
        # w = 1 and b = 0: multipliers with sum a y x = 1.
        dual = np.array([0.0, 0.25, 0.0, 0.0, 0.0, 0.0, 0.0, 0.25])
        return problem, Solution(problem, dual, np.zeros(1))

    def test_all_seven_positions_are_reached(self) -> None:
        _, solution = self.seven()
        found = margins(solution)
        assert found.norm == pytest.approx(1.0)
        assert found.positions() == [
            Position.OUTSIDE,
            Position.ON_MARGIN,
            Position.INSIDE,
            Position.ON_BOUNDARY,
            Position.INSIDE_WRONG,
            Position.ON_OTHER_MARGIN,
            Position.OUTSIDE_WRONG,
            Position.OUTSIDE,
        ]
        counts = found.counts()
        assert set(counts) == set(Position)
        assert counts[Position.OUTSIDE] == 2
        assert all(counts[place] == 1 for place in Position if place != Position.OUTSIDE)
        assert found.training_errors == 4
        assert found.margin == pytest.approx(-2.0)
        assert found.band == pytest.approx(2.0)

    def test_a_plane_is_met_within_the_tolerance(self) -> None:
        problem, solution = self.seven()
        near = Solution(problem, solution.dual, np.array([1e-3]))
        assert Position.ON_MARGIN not in margins(near).positions()
        assert Position.ON_MARGIN in margins(near).positions(tolerance=1e-2)

    @given(seed=seeds, kernel=st.sampled_from([Linear(), RBF(0.5), Polynomial(1.0, 1.0, 2)]))
    def test_the_distance_is_the_decision_over_the_norm(self, seed: int, kernel: Kernel) -> None:
        data = draw("SoftMargin", seed)
        problem = SoftMargin(data.X, data.y, kernel=kernel)
        solution = solve(problem)
        found = margins(solution)
        K = kernel.block(data.X, data.X)
        norm = np.sqrt(solution.coefficients @ K @ solution.coefficients)
        assert found.norm == pytest.approx(norm, rel=1e-8)
        np.testing.assert_allclose(
            found.geometric, data.y * solution.decision(data.X) / norm, rtol=1e-7, atol=1e-9
        )

    def test_a_regularised_bias_does_not_count_in_the_norm(self) -> None:
        X, y = points("SoftMargin")
        problem = SoftMargin(X, y, bias=Regularised(3.0))
        solution = solve(problem)
        found = margins(solution)
        assert found.norm == pytest.approx(np.linalg.norm(solution.w))
        np.testing.assert_allclose(found.functional, y * (X @ solution.w + solution.b), atol=1e-9)

    def test_the_margin_planes_of_the_nu_form_lie_at_rho(self) -> None:
        X, y = points("NuMargin")
        problem = NuMargin(X, y, nu=0.4)
        solution = solve(problem)
        found = margins(solution)
        assert found.level == solution.level
        free = (solution.dual > 1e-5) & (solution.dual < 1 - 1e-5)
        np.testing.assert_allclose(found.functional[free], solution.level, atol=1e-4)

    def test_a_machine_without_weights_has_no_distances(self) -> None:
        problem = SoftMargin([[1.0], [1.0]], [1, -1])
        found = margins(Solution(problem, np.zeros(2), np.zeros(1)))
        assert np.isnan(found.geometric).all()
        assert found.band == np.inf


class TestSupport:
    def test_free_and_bounded_are_counted_by_class(self) -> None:
        X, y = points("SoftMargin")
        problem = SoftMargin(X, y, C=2.0)
        solution = solve(problem)
        analysis = analyse_support(solution)
        for label, part in analysis.sides.items():
            own = solution.dual[y == label]
            assert part.n_points == 12
            assert part.n_bounded == np.count_nonzero(own > 2 - 1e-6)
            assert part.n_support == np.count_nonzero(own > 1e-6)
            assert part.n_free + part.n_bounded == part.n_support
            assert part.ratio == part.n_support / 12
        assert analysis.total.n_support == len(solution.support)
        assert analysis.kernel == Linear()

    def test_free_support_vectors_lie_on_the_margin_and_bounded_ones_do_not(self) -> None:
        X, y = points("SoftMargin")
        problem = SoftMargin(X, y, C=2.0, kernel=RBF(0.5))
        solution = solve(problem)
        values = y * solution.decision(X)
        free = (solution.dual > 1e-6) & (solution.dual < 2 - 1e-6)
        np.testing.assert_allclose(values[free], 1.0, atol=1e-5)
        assert np.all(values[solution.dual >= 2 - 1e-6] <= 1 + 1e-5)
        assert np.all(values[solution.dual <= 1e-6] >= 1 - 1e-5)

    def test_a_tube_has_sides_above_and_below(self) -> None:
        X, y = points("EpsilonTube")
        problem = EpsilonTube(X, y, C=1.0, epsilon=0.3)
        solution = solve(problem)
        analysis = analyse_support(solution)
        residual = y - solution.decision(X)
        assert analysis.sides[1].n_bounded == np.count_nonzero(residual > 0.3 + 1e-5)
        assert analysis.sides[-1].n_bounded == np.count_nonzero(residual < -0.3 - 1e-5)
        assert "side +1" in str(analysis)
        assert analysis.total.n_points == len(y)


@pytest.mark.parametrize("d", [1, 2, 3, 7])
@pytest.mark.parametrize("seed", range(4))
def test_a_common_point_needs_at_most_one_point_more_than_dimensions(d, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(80, d))
    y = np.where(rng.random(80) < 0.5, -1, 1)
    witness = separability(X, y)
    assert not witness
    for weights, label in ((witness.positive, 1), (witness.negative, -1)):
        assert (weights >= 0).all()
        assert weights.sum() == pytest.approx(1.0)
        assert not weights[y != label].any()
        assert np.count_nonzero(weights) <= d + 1
    np.testing.assert_allclose(witness.positive @ X, witness.negative @ X, atol=1e-6)
    np.testing.assert_allclose(witness.positive @ X, witness.point, atol=1e-12)
    assert witness.distance <= 1e-6


def test_a_witness_writes_all_its_terms_or_says_how_many_more_there_are():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2))
    y = np.where(rng.random(80) < 0.5, -1, 1)
    witness = separability(X, y)
    n_terms = np.count_nonzero(witness.positive) + np.count_nonzero(witness.negative)
    assert str(witness).count("x[") == n_terms
    many = CommonPoint(np.full(40, 1 / 40), np.full(40, 1 / 40), 0.0, None)
    assert str(many).count("and 28 more") == 2
