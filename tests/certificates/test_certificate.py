"""Certificates: computed by hand on tiny problems, refused to perturbed ones, careful otherwise."""

from __future__ import annotations

from dataclasses import astuple
from io import StringIO

import numpy as np
import pytest
from rich.console import Console

from maxmargin import SVC, Solution, Stop, certify, solve
from maxmargin.certificates import KKTTable, measure_multipliers
from maxmargin.kernels import RBF, Function, Polynomial, Precomputed, Sigmoid
from maxmargin.problems import (
    EpsilonTube,
    HardMargin,
    NuMargin,
    OneClass,
    Regularised,
    SoftMargin,
    Sphere,
)
from maxmargin.solvers import Ending
from zoo import CASES, Case, build, numbers, points

#: Four points on a line whose labels alternate; the optimum of C = 1 is known by hand.
LINE, SIGNS = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([-1, 1, -1, 1])


@pytest.fixture
def line() -> SoftMargin:
    return SoftMargin(LINE, SIGNS, C=1)


def by_hand(problem: object, dual: list[float], offsets: list[float]) -> Solution:
    return Solution(problem, np.array(dual), np.array(offsets))


class TestMeasuresByHand:
    def test_zero_multipliers_of_a_soft_margin(self, line: SoftMargin) -> None:
        certificate = certify(line, by_hand(line, [0, 0, 0, 0], [0.0]))
        # w = b = 0: every slack is 1, so the primal is C n = 4 and the dual 0.
        assert certificate.primal == pytest.approx(4.0)
        assert certificate.dual == pytest.approx(0.0)
        assert certificate.gap == pytest.approx(4.0)
        assert certificate.relative_gap == pytest.approx(1.0)
        assert certificate.kkt_violation == pytest.approx(1.0)
        assert certificate.feasibility == 0.0
        assert (certificate.n_free, certificate.n_bounded) == (0, 0)

    def test_a_feasible_point_with_a_bias(self, line: SoftMargin) -> None:
        certificate = certify(line, by_hand(line, [0.5, 0, 0, 0.5], [-0.25]))
        # w = 0.5 (3 - 0) = 1.5, b = 0.25: f = (0.25, 1.75, 3.25, 4.75), slack (1.25, 0, 4.25, 0).
        assert certificate.primal == pytest.approx(0.5 * 1.5**2 + 1.25 + 4.25)
        assert certificate.dual == pytest.approx(1.0 - 0.5 * 1.5**2)
        assert (certificate.n_free, certificate.n_bounded) == (2, 0)

    def test_the_optimum(self, line: SoftMargin) -> None:
        # w = 2/3, b = -1: f = (-1, -1/3, 1/3, 1), slack (0, 4/3, 4/3, 0), value 2/9 + 8/3.
        certificate = certify(line, by_hand(line, [5 / 9, 1, 1, 5 / 9], [1.0]))
        assert certificate.primal == pytest.approx(26 / 9, rel=1e-14)
        assert certificate.dual == pytest.approx(26 / 9, rel=1e-14)
        assert certificate.holds(1e-12)
        assert (certificate.n_free, certificate.n_bounded) == (2, 2)
        assert certify(line, solve(line)).primal == pytest.approx(26 / 9, rel=1e-7)

    def test_multipliers_above_their_cost_are_infeasible(self, line: SoftMargin) -> None:
        certificate = certify(line, by_hand(line, [0, 3, 3, 0], [0.0]))
        assert certificate.feasibility == pytest.approx(2 / 3)
        # The dual value is that of the nearest feasible multipliers (0, 1, 1, 0): w = -1.
        assert certificate.dual == pytest.approx(2 - 0.5)

    def test_an_unbalanced_sum_is_infeasible(self, line: SoftMargin) -> None:
        certificate = certify(line, by_hand(line, [0.5, 0, 0, 0], [0.0]))
        assert certificate.feasibility == pytest.approx(1.0)  # 0.5 beside multipliers of 0.5
        assert not certificate.holds(0.1)

    def test_a_regularised_bias_is_part_of_the_norm(self) -> None:
        problem = SoftMargin(LINE, SIGNS, C=1, bias=Regularised(2.0))
        certificate = certify(problem, by_hand(problem, [0, 0.5, 0, 0], []))
        # w = 0.5, b = 4 x 0.5 = 2: 1/2 (w^2 + (b/2)^2) = 0.625, f = (2, 2.5, 3, 3.5).
        assert certificate.primal == pytest.approx(0.5 * (0.25 + 1.0) + 3.0 + 0 + 4.0 + 0)
        assert certificate.dual == pytest.approx(0.5 - 0.625)

    def test_squared_slacks(self) -> None:
        problem = SoftMargin(LINE, SIGNS, C=2, loss="squared_hinge")
        certificate = certify(problem, by_hand(problem, [0, 0, 0, 0], [0.0]))
        assert certificate.primal == pytest.approx(8.0)
        other = certify(problem, by_hand(problem, [1, 0, 0, 1], [0.0]))
        # w = 3: f = (0, 3, 6, 9), slack (1, 0, 7, 0); the dual loses a^2 / (4 C) a multiplier.
        assert other.primal == pytest.approx(4.5 + 2 * (1 + 49))
        assert other.dual == pytest.approx(2 - 4.5 - 2 / 8)

    def test_a_hard_margin_is_scaled_to_be_feasible(self) -> None:
        problem = HardMargin([[-1.0], [1.0]], [-1, 1])
        certificate = certify(problem, by_hand(problem, [0.25, 0.25], [0.0]))
        # w = 0.5 gives margins of 0.5; twice that is feasible, with 1/2 |w|^2 = 1/2.
        assert certificate.primal == pytest.approx(0.5)
        assert certificate.dual == pytest.approx(0.5 - 0.125)

    def test_a_plane_on_the_wrong_side_proves_nothing(self) -> None:
        problem = HardMargin([[-1.0], [1.0]], [-1, 1])
        certificate = certify(problem, by_hand(problem, [0, 0], [0.0]))
        assert certificate.primal == np.inf
        assert not certificate.holds(1e-6)
        assert "inf" in certificate.claim

    def test_the_tube(self) -> None:
        problem = EpsilonTube([[0.0], [1.0]], [0.0, 2.0], C=3, epsilon=0.5)
        certificate = certify(problem, by_hand(problem, [0, 1, 1, 0], [0.0]))
        # w = 1, b = 0: residuals (0, 1), beyond the tube (0, 0.5).
        assert certificate.primal == pytest.approx(0.5 + 3 * 0.5)
        assert certificate.dual == pytest.approx(2.0 - 0.5 * 2 - 0.5)

    def test_the_nu_margin(self) -> None:
        problem = NuMargin([[-1.0], [1.0]], [-1, 1], nu=1.0)
        certificate = certify(problem, by_hand(problem, [1, 1], [2.0, -2.0]))
        # w = 2, rho = 2, no slack: 1/2 4 - nu S rho = 2 - 4; dual = -1/2 4.
        assert certificate.primal == pytest.approx(-2.0)
        assert certificate.dual == pytest.approx(-2.0)
        assert certificate.holds(1e-12)

    def test_the_one_class_machine(self) -> None:
        problem = OneClass([[1.0], [3.0]], nu=0.5)
        certificate = certify(problem, by_hand(problem, [1, 0], [1.0]))
        # w = 1, rho = 1: both points beyond it; 1/2 - 1/2 x 2 x 1.
        assert certificate.primal == pytest.approx(-0.5)
        assert certificate.dual == pytest.approx(-0.5)
        assert certificate.holds(1e-12)

    def test_the_sphere(self) -> None:
        problem = Sphere([[0.0], [2.0]])
        solution = by_hand(problem, [0.5, 0.5], [0.0])
        # Centre 1; mu = |c|^2 - R^2 = 0 at R = 1.
        assert solution.level == pytest.approx(1.0)
        certificate = certify(problem, solution)
        assert certificate.primal == pytest.approx(1.0)
        assert certificate.dual == pytest.approx(1.0)
        assert certificate.holds(1e-12)

    def test_measures_take_the_gradient_of_the_caller(self, line: SoftMargin) -> None:
        qp = line.dual()
        signed = np.array([-0.5, 0, 0, 0.5])
        fresh = measure_multipliers(line, signed, np.zeros(1))
        assert measure_multipliers(line, signed, np.zeros(1), qp.gradient(signed)) == fresh


PLAIN_CASES = [case for case in CASES if case.kernel in ("linear", "rbf")]
CASES_WITH_SUMS = [case for case in PLAIN_CASES if len(build(case).dual().total)]


class TestRefusal:
    @pytest.mark.parametrize("case", PLAIN_CASES, ids=str)
    def test_perturbed_multipliers_are_refused(self, case: Case) -> None:
        problem = build(case)
        solution = solve(problem)
        rng = np.random.default_rng(0)
        size = 1e-2 * max(1e-2, float(solution.dual.max()))
        moved = solution.dual + size * rng.uniform(0.5, 1, len(solution.dual))
        assert not certify(problem, Solution(problem, moved, solution.offsets)).holds(1e-6)

    @pytest.mark.parametrize("case", CASES_WITH_SUMS, ids=str)
    def test_perturbed_offsets_are_refused(self, case: Case) -> None:
        problem = build(case)
        solution = solve(problem)
        moved = solution.offsets + 0.05 * max(1.0, float(np.abs(solution.offsets).max()))
        assert not certify(problem, Solution(problem, solution.dual, moved)).holds(1e-6)

    @pytest.mark.parametrize("case", PLAIN_CASES, ids=str)
    @pytest.mark.parametrize("solver", ["decomposition", "smo"])
    def test_a_run_cut_short_is_refused(self, case: Case, solver: str) -> None:
        problem = build(case)
        solution = solve(problem, solver=solver, stop=Stop(max_iter=2))
        assert not certify(problem, solution).holds(1e-6)


def test_a_solution_for_another_cost_is_refused(line: SoftMargin) -> None:
    other = SoftMargin(LINE, SIGNS, C=1.3)
    solution = solve(line)
    assert certify(line, solution).holds(1e-6)
    certificate = certify(other, solution)
    assert not certificate.holds(1e-6)
    assert certificate.gap >= certificate.primal - certify(other, solve(other)).primal - 1e-7


def test_the_certificate_does_not_read_the_solvers_claims(line: SoftMargin) -> None:
    liar = Solution(
        line,
        np.zeros(4),
        np.zeros(1),
        solver="liar",
        ending=Ending.CONVERGED,
        values=(1.0, 1.0),
        gradient=np.zeros(4),
    )
    assert "relative gap 0.00" in liar.status
    assert not certify(line, liar).holds(0.5)


def test_the_summary_and_the_claim_name_the_numbers(line: SoftMargin) -> None:
    certificate = certify(line, by_hand(line, [0, 0, 0, 0], [0.0]))
    summary = certificate.summary()
    for word in ("primal", "dual", "gap", "KKT violation", "infeasibility", "free", "bounded"):
        assert word in summary
    assert "lower by more than 4" in certificate.claim
    assert summary.endswith(certificate.claim)
    assert repr(certificate).startswith("<Certificate: primal 4, dual")


def rendered(thing: object) -> str:
    console = Console(width=200, record=True, file=StringIO())
    console.print(thing)
    return console.export_text()


def test_the_certificate_shows_in_a_terminal_and_a_notebook(line: SoftMargin) -> None:
    certificate = certify(line, solve(line))
    text = rendered(certificate)
    assert "2.8888" in text
    assert "relative gap" in text
    html = certificate._repr_html_()
    assert html.startswith("<table>")
    assert "relative gap" in html


class TestIndefiniteKernels:
    def sigmoid(self) -> SoftMargin:
        X, y = points("SoftMargin")
        return SoftMargin(X, y, C=5, kernel=Sigmoid(gamma=1.0, coef0=-1.0))

    def matrix(self) -> SoftMargin:
        rng = np.random.default_rng(2)
        K = rng.normal(size=(12, 12))
        return SoftMargin(K + K.T, np.tile([1, -1], 6), C=1, kernel=Precomputed())

    @pytest.mark.parametrize("solver", ["decomposition", "smo"])
    @pytest.mark.parametrize("name", ["sigmoid", "matrix"])
    def test_a_stationary_point_is_reached_and_nothing_more_is_claimed(
        self, name: str, solver: str
    ) -> None:
        problem = getattr(self, name)()
        solution = solve(problem, solver=solver, stop=Stop(kkt=1e-7))
        certificate = certify(problem, solution)
        assert certificate.kkt_violation <= 1e-6
        assert certificate.feasibility <= 1e-9
        assert not certificate.holds(1e-6)
        assert not certificate.holds(1e6)
        assert "indefinite" in certificate.claim
        assert "proves nothing about the global optimum" in certificate.claim.replace("\n", " ")
        assert certificate.convexity.smallest_eigenvalue < 0
        assert "indefinite" in certificate.summary()

    def test_the_automatic_choice_can_deal_with_it(self) -> None:
        solution = solve(self.sigmoid(), stop=Stop(kkt=1e-6))
        assert solution.solver == "decomposition"
        assert certify(self.sigmoid(), solution).kkt_violation <= 1e-6

    def test_a_convex_method_refuses_and_names_the_eigenvalue(self) -> None:
        with pytest.raises(ValueError, match=r"indefinite on this data \(smallest eigenvalue -"):
            solve(self.matrix(), solver="dual-qp")

    def test_a_saddle_point_is_called_one(self) -> None:
        # Two free multipliers whose pair direction has negative curvature.
        K = np.array([[0.0, 2.0], [2.0, 0.0]])
        problem = SoftMargin(K, [1, -1], C=1, kernel=Precomputed(), bias=Regularised(0))
        certificate = certify(problem, by_hand(problem, [0.5, 0.5], []))
        assert not certificate.convexity.locally_convex
        assert "not even a local minimum" in certificate.claim

    def test_a_positive_semidefinite_matrix_of_unknown_origin_is_proved(self) -> None:
        X, y = points("SoftMargin")
        for kernel, data in (
            (Precomputed(), X @ X.T),
            (Function(lambda A, B: A @ B.T), X),
            (Sigmoid(gamma=1e-3, coef0=1.0), X[:2]),
        ):
            labels = y if len(data) == len(y) else np.array([1, -1])
            problem = SoftMargin(data, labels, kernel=kernel)
            certificate = certify(problem, solve(problem))
            assert certificate.convexity.holds
            assert certificate.convexity.claim == ""

    def test_a_negative_constant_in_a_polynomial_is_not_trusted(self) -> None:
        X, y = points("SoftMargin")
        problem = SoftMargin(X, y, kernel=Polynomial(gamma=1, coef0=-1, degree=2))
        certificate = certify(problem, solve(problem, solver="smo", stop=Stop(kkt=1e-6)))
        assert not certificate.holds(1e-3)


class TestTable:
    def test_every_case_of_complementary_slackness_is_met(self, line: SoftMargin) -> None:
        table = certify(line, solve(line)).table()
        assert len(table) == 4
        cases = {row.case for row in table}
        assert cases == {"0 < a < C: on margin", "a = C: wrong side"}
        far = SoftMargin([*LINE.tolist(), [9.0]], [*SIGNS, 1], C=1)
        last = certify(far, solve(far)).table()[4]
        assert last.case == "a = 0: beyond margin"
        assert last.slack == 0.0
        assert last.constraint > 0

    @pytest.mark.parametrize("case", [c for c in CASES if c.kernel == "rbf"], ids=str)
    def test_the_case_says_where_the_point_is(self, case: Case) -> None:
        table = solve(build(case)).table()
        tube, one_class = (
            case.kind in ("EpsilonTube", "NuTube"),
            case.kind in ("OneClass", "Sphere"),
        )
        for row in table:
            _, _, place = row.case.partition(": ")
            if row.cost == 0:
                assert row.case == "C = 0: left out"
            elif row.slack > 1e-3:
                wrong = "outside tube" if tube else "outside" if one_class else "wrong side"
                right = "outside tube" if tube else "outside" if one_class else "inside margin"
                assert place == (wrong if row.margin < 0 else right)
            elif row.constraint > 1e-3:
                beyond = "inside tube" if tube else "inside" if one_class else "beyond margin"
                assert place == beyond

    def test_a_negative_functional_margin_is_the_wrong_side(self) -> None:
        X, y = points("SoftMargin")
        for loss in ("hinge", "squared_hinge"):
            model = SoftMargin(X, y, C=0.1, loss=loss)
            table = solve(model).table()
            wrong = [row.point for row in table if row.case.endswith("wrong side")]
            assert wrong == [row.point for row in table if row.margin < 0]
            assert wrong
            bound = "a = C" if loss == "hinge" else "a > 0"
            assert {table[k].case for k in wrong} == {f"{bound}: wrong side"}

    @pytest.mark.parametrize("case", [c for c in CASES if c.kernel == "rbf"], ids=str)
    def test_at_the_optimum_every_residual_vanishes(self, case: Case) -> None:
        problem = build(case)
        solution = solve(problem)
        table = certify(problem, solution).table()
        assert len(table) == problem.dual().n_variables
        f = solution.training_decision
        for row in table:
            assert row.decision == pytest.approx(f[row.point])
            if case.kind in ("HardMargin", "SoftMargin", "SoftMargin2", "NuMargin"):
                assert row.margin == pytest.approx(row.side * row.decision)
                assert row.constraint == pytest.approx(row.margin - solution.level, abs=1e-9)
            elif case.kind in ("OneClass", "Sphere"):
                assert row.margin == pytest.approx(row.decision, abs=1e-9)
            else:
                residual = row.side * (row.decision - numbers(case).y[row.point])
                assert row.margin == pytest.approx(residual + solution.level, abs=1e-9)
            scale = max(1.0, abs(row.multiplier)) * max(1.0, abs(row.constraint))
            assert row.primal_residual <= 1e-5 * scale
            assert row.dual_residual <= 1e-9 * scale
            assert row.complementarity <= 1e-4 * scale
            assert row.slack >= 0

    @pytest.mark.parametrize("case", [c for c in CASES if c.kernel == "rbf"], ids=str)
    def test_zeros_have_no_sign(self, case: Case) -> None:
        table = solve(build(case)).table()
        numbers = [value for row in table for value in astuple(row) if isinstance(value, float)]
        assert not np.signbit([value for value in numbers if value == 0]).any()

    def test_residuals_by_hand(self, line: SoftMargin) -> None:
        table = certify(line, by_hand(line, [0.5, 0, 0, 2.0], [-0.25])).table()
        # w = 6, b = 0.25: y f - 1 = (-1.25, 5.25, -13.25, 17.25).
        first, second, third, fourth = table
        assert first.decision == pytest.approx(0.25)
        assert first.margin == pytest.approx(-0.25)
        assert first.constraint == pytest.approx(-1.25)
        assert first.slack == pytest.approx(1.25)
        assert first.complementarity == pytest.approx(0.5 * 1.25)  # (C - a) slack
        assert second.complementarity == 0.0
        assert third.complementarity == pytest.approx(13.25)
        assert fourth.dual_residual == pytest.approx(1.0)
        assert fourth.complementarity == pytest.approx(2 * 17.25)
        assert [row.side for row in table] == [-1, 1, -1, 1]
        assert [row.cost for row in table] == [1.0] * 4

    def test_a_hard_margin_has_primal_residuals_instead_of_slacks(self) -> None:
        problem = HardMargin([[-1.0], [1.0]], [-1, 1])
        row = certify(problem, by_hand(problem, [0.25, 0.25], [0.0])).table()[0]
        assert row.slack == 0.0
        assert row.primal_residual == pytest.approx(0.5)
        assert row.cost == np.inf

    def test_a_tube_has_two_rows_a_point(self) -> None:
        problem = EpsilonTube([[0.0], [1.0]], [0.0, 2.0], C=3, epsilon=0.5)
        table = certify(problem, solve(problem)).table()
        assert [row.point for row in table] == [0, 1, 0, 1]
        assert [row.side for row in table] == [1, 1, -1, -1]

    def test_the_support_vectors_alone(self, line: SoftMargin) -> None:
        far = SoftMargin([*LINE.tolist(), [9.0]], [*SIGNS, 1], C=1)
        support = certify(far, solve(far)).table().support()
        assert isinstance(support, KKTTable)
        assert all(row.multiplier > 0 for row in support)
        assert len(support) == 4

    def test_it_shows_in_a_terminal(self, line: SoftMargin) -> None:
        text = rendered(certify(line, solve(line)).table())
        for heading in ("slack", "margin", "constraint", "case", "compl.", "f(x)"):
            assert heading in text
        assert "0 < a < C: on margin" in text

    def test_a_long_table_says_how_much_is_hidden(self) -> None:
        X = np.random.default_rng(0).normal(size=(70, 2))
        problem = OneClass(X, nu=0.5, kernel=RBF(1.0))
        table = certify(problem, solve(problem)).table()
        assert "10 more rows: to_frame() has them all." in rendered(table)
        assert table._repr_html_().count("<tr>") == 61

    def test_html_is_escaped(self, line: SoftMargin) -> None:
        html = certify(line, solve(line)).table()._repr_html_()
        assert "0 &lt; a &lt; C" in html
        assert "0 < a" not in html
        title = KKTTable((), "<script>")._repr_html_()
        assert "<script>" not in title
        assert "&lt;script&gt;" in title

    def test_it_becomes_a_frame(self, line: SoftMargin) -> None:
        pytest.importorskip("pandas")
        table = certify(line, solve(line)).table()
        frame = table.to_frame()
        assert list(frame.columns) == [
            "point",
            "side",
            "multiplier",
            "cost",
            "decision",
            "margin",
            "constraint",
            "slack",
            "case",
            "primal_residual",
            "dual_residual",
            "complementarity",
        ]
        np.testing.assert_array_equal(frame["multiplier"], [row.multiplier for row in table])


def test_the_violations_of_a_fit_are_the_largest_of_its_machines() -> None:
    X = np.random.default_rng(0).normal(size=(60, 2))
    fit = SVC(kernel="linear").fit(X, np.arange(60) % 3).certificate_
    assert abs(fit.relative_gap) == max(abs(machine.relative_gap) for machine in fit.machines)
    assert fit.kkt_violation == max(machine.kkt_violation for machine in fit.machines)
    assert fit.feasibility == max(machine.feasibility for machine in fit.machines)
    assert fit.measures.kkt_violation == fit.kkt_violation
