"""Problems as plain data: parametrisations, duals, primal values and what a solution means."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxmargin import Solution, certify, solve
from maxmargin.kernels import RBF, Linear
from maxmargin.problems import (
    BoxQP,
    EpsilonTube,
    Free,
    HardMargin,
    NuMargin,
    NuTube,
    OneClass,
    Regularised,
    SoftMargin,
    Sphere,
)
from maxmargin.problems import (
    Case as Position,
)
from zoo import BIASES, CASES, KERNELS, Case, build, numbers, points

PROBLEMS = {str(case): build(case) for case in CASES if case.kernel in ("linear", "rbf")}
each_problem = pytest.mark.parametrize("name", PROBLEMS)
seeds = st.integers(0, 10**6)


class TestLambda:
    """The other parametrisations in use, each convertible to C exactly."""

    @pytest.mark.parametrize(("form", "share"), [("half", 0.5), ("full", 1.0)])
    @pytest.mark.parametrize("weighted", [False, True])
    def test_the_minimiser_is_that_of_the_lambda_objective(
        self, form: str, share: float, weighted: bool
    ) -> None:
        X, y = points("SoftMargin")
        weight = np.linspace(0.5, 2, len(y)) if weighted else np.ones(len(y))
        lam = 0.07
        others = {"sample_weight": weight} if weighted else {}
        problem = SoftMargin.from_lambda(X, y, lam, form=form, **others)
        solution = solve(problem)

        def objective(w: np.ndarray, b: float) -> float:
            loss = np.maximum(0, 1 - y * (X @ w + b))
            return share * lam * w @ w + weight @ loss / weight.sum()

        best = objective(solution.w, solution.b)
        assert best * problem.C * weight.sum() == pytest.approx(
            certify(problem, solution).primal, rel=1e-7
        )
        rng = np.random.default_rng(0)
        for _ in range(50):
            near = solution.w + 0.05 * rng.normal(size=3)
            assert objective(near, solution.b + 0.05 * rng.normal()) >= best - 1e-9

    def test_lambda_and_cost_are_inverse(self) -> None:
        X, y = points("SoftMargin")
        n = len(y)
        assert pytest.approx(1 / (0.1 * n)) == SoftMargin.from_lambda(X, y, 0.1).C
        assert pytest.approx(1 / (0.2 * n)) == SoftMargin.from_lambda(X, y, 0.1, form="full").C
        assert pytest.approx(1 / (0.1 * n)) == EpsilonTube.from_lambda(X, y, 0.1).C

    def test_other_arguments_are_handed_on(self) -> None:
        X, y = points("SoftMargin")
        problem = SoftMargin.from_lambda(X, y, 1, kernel=RBF(2.0), loss="squared_hinge")
        assert problem.kernel == RBF(2.0)
        assert problem.loss == "squared_hinge"
        assert EpsilonTube.from_lambda(X, y, 1, epsilon=0.7).epsilon == 0.7

    def test_nu_of_a_sphere(self) -> None:
        X, _ = points("Sphere")
        assert pytest.approx(1 / 12) == Sphere.from_nu(X, 0.5).C
        assert pytest.approx(1 / 48) == Sphere.from_nu(X, 1.0, sample_weight=np.full(24, 2.0)).C


class TestDualProgram:
    @pytest.mark.parametrize("case", CASES, ids=str)
    def test_the_dual_is_the_textbooks(self, case: Case) -> None:
        """The negative value of the program equals each dual written out from its formula."""
        problem, data = build(case), numbers(case)
        qp = problem.dual()
        K = KERNELS[case.kernel][1](data.X, data.X)
        if case.bias == "regularised":
            K = K + BIASES["regularised"].scale ** 2
        rng = np.random.default_rng(1)
        a = rng.uniform(0, 0.1, qp.n_variables) * (np.minimum(qp.cost, 1) > 0)
        if case.kind in ("EpsilonTube", "NuTube"):
            above, below = a[:24], a[24:]
            c = above - below
            expected = data.y @ c - 0.5 * c @ K @ c
            if case.kind == "EpsilonTube":
                expected -= data.epsilon * (above + below).sum()
        elif case.kind == "Sphere":
            expected = a @ np.diag(K) - a @ K @ a
        elif case.kind in ("OneClass", "NuMargin"):
            s = a if data.y is None else a * data.y
            expected = -0.5 * s @ K @ s
        else:
            s = a * data.y
            expected = a.sum() - 0.5 * s @ K @ s
            if case.kind == "SoftMargin2":
                used = data.weight > 0
                expected -= (a[used] ** 2 / (4 * data.C * data.weight[used])).sum()
        assert -qp.value(qp.sign * a) == pytest.approx(expected, rel=1e-10)

    @each_problem
    def test_the_gradient_is_the_derivative_of_the_value(self, name: str) -> None:
        qp = PROBLEMS[name].dual()
        rng = np.random.default_rng(0)
        b, direction = rng.normal(size=(2, qp.n_variables))
        step = 1e-4
        slope = (qp.value(b + step * direction) - qp.value(b - step * direction)) / (2 * step)
        assert slope == pytest.approx(qp.gradient(b) @ direction, rel=1e-6, abs=1e-6)

    @each_problem
    def test_rows_diagonal_and_matrix_agree(self, name: str) -> None:
        qp = PROBLEMS[name].dual()
        H = qp.hessian()
        np.testing.assert_allclose(qp.diagonal, np.diag(H), rtol=1e-12)
        chosen = np.array([0, 7, qp.n_variables - 1])
        np.testing.assert_allclose(qp.hessian_rows(chosen), H[chosen], rtol=1e-12)
        b = np.random.default_rng(0).normal(size=qp.n_variables)
        np.testing.assert_allclose(qp.gradient(b), H @ b + qp.linear, rtol=1e-9, atol=1e-9)

    @each_problem
    def test_the_rows_of_the_sums_do_not_overlap(self, name: str) -> None:
        qp = PROBLEMS[name].dual()
        assert set(np.unique(qp.equality)) <= {-1.0, 0.0, 1.0}
        assert np.all(np.abs(qp.equality).sum(axis=0) <= 1)
        assert qp.total.shape == (len(qp.equality),)

    @each_problem
    @given(seed=seeds, size=st.floats(-2, 2))
    def test_projection_is_feasible_and_nearest(self, name: str, seed: int, size: float) -> None:
        qp = PROBLEMS[name].dual()
        rng = np.random.default_rng(seed)
        point = 10**size * rng.normal(size=qp.n_variables)
        nearest = qp.project(point)
        assert qp.infeasibility(nearest) <= 1e-9
        other = qp.project(10**size * rng.normal(size=qp.n_variables))
        # Optimality of a projection: the segment to any feasible point leaves the sphere.
        tolerance = 1e-7 * max(1.0, float(np.abs(point).max())) ** 2 * qp.n_variables
        assert (point - nearest) @ (other - nearest) <= tolerance
        np.testing.assert_allclose(qp.project(nearest), nearest, atol=1e-8)

    @pytest.mark.parametrize(
        "name", [k for k in PROBLEMS if not k.startswith(("HardMargin", "SoftMargin2"))]
    )
    @given(seed=seeds)
    def test_the_vertex_minimises_a_linear_function_over_the_feasible_set(
        self, name: str, seed: int
    ) -> None:
        qp = PROBLEMS[name].dual()
        rng = np.random.default_rng(seed)
        slope = rng.normal(size=qp.n_variables)
        vertex, offsets = qp.vertex(slope)
        assert qp.infeasibility(vertex) <= 1e-9
        for _ in range(5):
            other = qp.project(3 * rng.normal(size=qp.n_variables))
            assert slope @ vertex <= slope @ other + 1e-9
        # Its offsets are the multipliers of the linear program: no duality gap.
        reduced = slope - qp.equality.T @ offsets
        dual = offsets @ qp.total + np.minimum(qp.lower * reduced, qp.upper * reduced).sum()
        assert dual == pytest.approx(slope @ vertex, abs=1e-9)

    def test_cases_of_a_multiplier(self) -> None:
        qp = SoftMargin([[0.0], [1.0], [2.0]], [1, -1, 1], C=2.0).dual()
        assert isinstance(qp, BoxQP)
        found = qp.case(np.array([0.0, 1.0, 2.0]))
        assert list(found) == [Position.ZERO, Position.FREE, Position.BOUNDED]

    def test_the_bias_is_the_mean_over_free_support_vectors(self) -> None:
        problem = SoftMargin([[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1], C=1)
        qp = problem.dual()
        signed = qp.sign * np.array([5 / 9, 1, 1, 5 / 9])
        assert qp.offsets(signed, qp.gradient(signed)) == pytest.approx([1.0])

    def test_without_free_support_vectors_the_bias_is_the_midpoint(self) -> None:
        # x = 0 and x = 1 at their cost: w = 1/2, and 1/2 <= -b <= ... every b in an interval.
        problem = SoftMargin([[0.0], [1.0]], [-1, 1], C=0.5)
        solution = solve(problem, solver="smo")
        np.testing.assert_allclose(solution.dual, [0.5, 0.5])
        # Both may have slack: -b >= -1 + ... ; the interval is [-1, 1/2] and its midpoint -1/4.
        assert solution.b == pytest.approx(-0.25)
        assert certify(problem, solution).holds(1e-6)


class TestSolution:
    @pytest.mark.parametrize("case", CASES, ids=str)
    def test_the_decision_at_the_training_points_is_that_of_the_problem(self, case: Case) -> None:
        problem, data = build(case), numbers(case)
        rng = np.random.default_rng(0)
        qp = problem.dual()
        solution = Solution(
            problem, rng.uniform(0, 1, qp.n_variables), rng.normal(size=len(qp.total))
        )
        X = problem.X if case.kernel == "precomputed" else data.X
        np.testing.assert_allclose(
            solution.decision(X),
            solution.training_decision,
            rtol=1e-9,
            atol=1e-9,
        )

    @pytest.mark.parametrize("case", [c for c in CASES if c.kernel == "rbf"], ids=str)
    def test_slack_is_what_the_constraint_lacks(self, case: Case) -> None:
        problem, data = build(case), numbers(case)
        solution = solve(problem)
        f = solution.decision(data.X)
        if case.kind in ("EpsilonTube", "NuTube"):
            expected = np.maximum(0, np.abs(data.y - f) - solution.level)
        elif case.kind in ("OneClass", "Sphere"):
            expected = np.maximum(0, -f)
        else:
            expected = np.maximum(0, solution.level - data.y * f)
        np.testing.assert_allclose(solution.slack, expected, atol=1e-7)

    def test_w_is_the_sum_of_multipliers_labels_and_points(self) -> None:
        X, y = points("SoftMargin")
        solution = solve(SoftMargin(X, y))
        np.testing.assert_allclose(solution.w, (solution.dual * y) @ X)
        np.testing.assert_allclose(solution.coefficients, solution.dual * y)
        np.testing.assert_allclose(solution.decision(X), X @ solution.w + solution.b, atol=1e-10)

    def test_the_centre_of_a_sphere_is_its_w(self) -> None:
        X, _ = points("Sphere")
        solution = solve(Sphere(X, C=0.2))
        distances = ((X - solution.w) ** 2).sum(axis=1)
        np.testing.assert_allclose(solution.decision(X), solution.level - distances, atol=1e-9)

    def test_levels(self) -> None:
        X, y = points("NuMargin")
        assert solve(SoftMargin(X, y)).level == 1.0
        assert solve(EpsilonTube(X, y, epsilon=0.3)).level == 0.3
        assert solve(NuMargin(X, y, nu=0.4)).level > 0
        assert solve(NuTube(X, X[:, 1], nu=0.4, kernel=RBF(0.1))).level >= 0

    def test_its_repr_says_who_and_how(self) -> None:
        X, y = points("SoftMargin")
        text = repr(solve(SoftMargin(X, y), solver="smo"))
        assert text.startswith("<Solution by smo: ")
        assert "of 24 points" in text
        assert "Converged after" in text

    def test_one_made_by_hand_says_so(self) -> None:
        problem = OneClass([[1.0]], nu=1)
        assert "Made by hand" in repr(Solution(problem, np.ones(1), np.zeros(1)))


class TestData:
    def test_a_problem_cannot_be_changed(self) -> None:
        problem = SoftMargin(*points("SoftMargin"))
        with pytest.raises(AttributeError, match="does not change"):
            problem.C = 3.0

    @pytest.mark.parametrize(
        ("problem", "text"),
        [
            (
                lambda X, y: SoftMargin(X, y, C=10, kernel=RBF(1.0)),
                "SoftMargin(24 points, C=10.0, loss='hinge', kernel=RBF(gamma=1.0), bias=Free())",
            ),
            (
                lambda X, y: HardMargin(X, y, bias=Regularised(2)),
                "HardMargin(24 points, kernel=Linear(), bias=Regularised(scale=2.0))",
            ),
            (lambda X, y: NuTube(X, y), "NuTube(24 points, C=1.0, nu=0.5, kernel=Linear(), "),
        ],
    )
    def test_its_repr_names_the_parameters_but_not_the_data(
        self, problem: object, text: str
    ) -> None:
        assert repr(problem(*points("SoftMargin"))).startswith(text)  # type: ignore[operator]

    def test_gamma_is_a_number_once_the_data_is_known(self) -> None:
        X, y = points("SoftMargin")
        assert SoftMargin(X, y, kernel=RBF("auto")).kernel == RBF(1 / 3)

    def test_biases_are_values(self) -> None:
        assert Free() == Free()
        assert Regularised(1) == Regularised(1.0) != Regularised(2)
        assert Regularised() == Regularised(1)

    def test_defaults(self) -> None:
        X, y = points("SoftMargin")
        problem = SoftMargin(X, y)
        assert (problem.C, problem.loss, problem.kernel, problem.bias) == (
            1.0,
            "hinge",
            Linear(),
            Free(),
        )
        np.testing.assert_array_equal(problem.sample_weight, np.ones(24))

    def test_parameters_are_named(self) -> None:
        X, y = points("SoftMargin")
        with pytest.raises(TypeError):
            SoftMargin(X, y, 10)  # type: ignore[misc]
