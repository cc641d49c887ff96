"""Support vector classification: `SVC` with a penalty of slack, `NuSVC` with a fraction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from numbers import Real
from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.utils._param_validation import Interval

from maxmargin.errors import InfeasibleProblemError
from maxmargin.estimators.classifier import KernelClassifier
from maxmargin.kernels import Kernel
from maxmargin.machines.classes import ClassMachines
from maxmargin.machines.training import Training
from maxmargin.problems import Bias, KernelProblem, NuMargin, Points
from maxmargin.solvers import Callback, Solution
from maxmargin.typing import Floats

__all__ = ["SVC", "NuSVC"]

# A nu that exceeds the largest feasible one by this share is feasible up to rounding.
_ROUNDING = 1e-12

# The largest ratio of nu to its largest feasible value that moves the boundary; a larger one counts
# as this.
_MOST_BEYOND = 1e4


class SVC(KernelClassifier):
    """Support vector classification, with scikit-learn's interface and a certificate.

    For each pair of classes it minimises 1/2 |w|^2 + C sum_i s_i slack_i subject to
    y_i f(x_i) >= 1 - slack_i.

    Parameters
    ----------
    C : float
        Penalty of slack.
    kernel : str, Kernel or callable
        "rbf" (default), "linear", "poly", "sigmoid", "laplacian", "chi2", "precomputed", one of
        `maxmargin.kernels`, or a function k(A, B) that returns the matrix of similarities.
    degree, gamma, coef0
        Parameters of the named kernels. The variance in ``gamma="scale"`` is weighted by
        `sample_weight`; ``gamma="median"`` ("rbf" and "laplacian") is the median heuristic.
    shrinking : bool
        Has no effect; here for scikit-learn's sake.
    probability : bool
        Deprecated as in scikit-learn: fit sigmoids for `predict_proba`.
    tol : float
        How far the optimality conditions may be from holding.
    cache_size : float, optional
        Memory for the Gram matrix in MB. By default the whole matrix is kept if it fits in a
        quarter of the available memory.
    class_weight : dict or "balanced", optional
        Multiplies C class by class.
    verbose : bool
        Show a progress bar.
    max_iter : int
        At most this many steps per pair; -1 for no limit.
    decision_function_shape : {"ovr", "ovo"}
        One decision value per class or per pair of classes.
    break_ties : bool
        Whether equal votes are decided by the decision values.
    random_state : int, RandomState or None
        For the folds of `probability`.
    multi_class : {"ovo", "ovr"}
        One machine per pair of classes, or one per class against the rest.
    n_jobs : int, optional
        Threads; by default as many as there are CPUs.
    time_limit : float, optional
        At most this many seconds per fit; the best model so far is kept.
    max_gap : float, optional
        A fit whose relative duality gap is larger than this when it reaches `tol` goes on with a
        smaller tolerance. None for LIBSVM's rule alone.
    warm_start : bool
        Start a fit from the multipliers of the last one, scaled with C.
    bias : {"free", "regularised"}, Free or Regularised
        Whether the intercept is left free or penalised like the weights: "regularised" is
        `maxmargin.problems.Regularised(1)`; ``Regularised(scale)`` and ``Regularised(eps=...)``
        weigh the penalty, and ``Regularised(0)`` means no intercept.
    callback : callable, optional
        Called with each `maxmargin.solvers.Progress`; returning True ends the fit.
    trace : bool
        Whether to keep the records of the solver in `trace_`.

    Attributes
    ----------
    classes_, class_weight_, support_, support_vectors_, n_support_, dual_coef_, intercept_, \
coef_, fit_status_, n_iter_, shape_fit_
        As in scikit-learn.
    kernel_ : Kernel
        The kernel, with numbers for its parameters.
    machines_ : tuple of Machine
        Classes, problem, solution and certificate of each machine. They hold the training data,
        which a pickled or saved model does not.
    certificate_ : FitCertificate
        Primal and dual value, gap and violations of every machine, the worst first. Made when
        first asked for, from the training data.
    slack_ : ndarray of shape (n,) or (n, n_machines)
        How far each point is on the wrong side of its margin; zero where it takes no part.
    margin_ : float or ndarray of shape (n_machines,)
        Distance of the margin plane from the boundary, in feature space.
    fit_time_ : float
        Seconds.
    trace_ : Trace
        Records of the fit, with ``trace=True``.

    Examples
    --------
    >>> from maxmargin import SVC
    >>> X = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [3.0, 3.0], [4.0, 3.0], [3.0, 4.0]]
    >>> machine = SVC(kernel="linear").fit(X, ["near", "near", "near", "far", "far", "far"])
    >>> machine.predict([[2.5, 2.5]])
    array(['far'], dtype='<U4')
    >>> machine.certificate_.holds(1e-3), round(machine.margin_, 4)
    (True, 1.7678)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **KernelClassifier._parameter_constraints,
        "C": [Interval(Real, 0.0, None, closed="right")],
    }

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: str | Kernel | Callable[[Any, Any], Any] = "rbf",
        degree: int = 3,
        gamma: float | Literal["scale", "auto", "median"] = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        probability: bool | Literal["deprecated"] = "deprecated",
        tol: float = 1e-3,
        cache_size: float | None = None,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        verbose: bool = False,
        max_iter: int = -1,
        decision_function_shape: Literal["ovr", "ovo"] = "ovr",
        break_ties: bool = False,
        random_state: Any = None,
        multi_class: Literal["ovo", "ovr"] = "ovo",
        n_jobs: int | None = None,
        time_limit: float | None = None,
        max_gap: float | None = 1e-2,
        warm_start: bool = False,
        bias: Literal["free", "regularised"] | Bias = "free",
        callback: Callback | None = None,
        trace: bool = False,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.probability = probability
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.verbose = verbose
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state
        self.multi_class = multi_class
        self.n_jobs = n_jobs
        self.time_limit = time_limit
        self.max_gap = max_gap
        self.warm_start = warm_start
        self.bias = bias
        self.callback = callback
        self.trace = trace


class NuSVC(KernelClassifier):
    """Nu support vector classification, with scikit-learn's interface and a certificate.

    Class weights count here too. If they make nu infeasible for a pair of classes, the largest
    feasible nu is used and the boundary moves towards the lighter class.

    Parameters
    ----------
    nu : float
        In (0, 1]: bounds the fraction of margin errors from above and that of support vectors
        from below. At most twice the smaller class's share of the weight.
    kernel, degree, gamma, coef0, shrinking, probability, tol, cache_size, class_weight, verbose, \
max_iter, decision_function_shape, break_ties, random_state, multi_class, n_jobs, time_limit, \
warm_start, bias, callback, trace
        As in `SVC`.

    Attributes
    ----------
    classes_, class_weight_, support_, support_vectors_, n_support_, dual_coef_, intercept_, \
coef_, fit_status_, n_iter_, shape_fit_
        As in scikit-learn: coefficients and intercept are divided by rho.
    kernel_, machines_, certificate_, slack_, margin_, fit_time_, trace_
        As in `SVC`.

    Examples
    --------
    >>> from maxmargin import NuSVC
    >>> machine = NuSVC(nu=0.3, kernel="linear").fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    >>> machine.decision_function([[1.0], [2.0]]).round(4)
    array([-1.,  1.])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **KernelClassifier._parameter_constraints,
        "nu": [Interval(Real, 0.0, 1.0, closed="right")],
    }
    penalties = ("nu",)

    def __init__(
        self,
        *,
        nu: float = 0.5,
        kernel: str | Kernel | Callable[[Any, Any], Any] = "rbf",
        degree: int = 3,
        gamma: float | Literal["scale", "auto", "median"] = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        probability: bool | Literal["deprecated"] = "deprecated",
        tol: float = 1e-3,
        cache_size: float | None = None,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        verbose: bool = False,
        max_iter: int = -1,
        decision_function_shape: Literal["ovr", "ovo"] = "ovr",
        break_ties: bool = False,
        random_state: Any = None,
        multi_class: Literal["ovo", "ovr"] = "ovo",
        n_jobs: int | None = None,
        time_limit: float | None = None,
        max_gap: float | None = 1e-2,
        warm_start: bool = False,
        bias: Literal["free", "regularised"] | Bias = "free",
        callback: Callback | None = None,
        trace: bool = False,
    ) -> None:
        self.nu = nu
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.probability = probability
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.verbose = verbose
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state
        self.multi_class = multi_class
        self.n_jobs = n_jobs
        self.time_limit = time_limit
        self.max_gap = max_gap
        self.warm_start = warm_start
        self.bias = bias
        self.callback = callback
        self.trace = trace

    def _problem(self, points: Points, sign: Floats, weight: Floats) -> NuMargin:
        return NuMargin.posed(
            points, y=sign, nu=float(self.nu), bias=self._bias(), sample_weight=weight
        )

    def _refuse_one_class(self) -> None:
        raise InfeasibleProblemError(
            "The specified nu is infeasible: all samples with positive weights belong to the same "
            "class. Give another class a positive sample_weight and class_weight."
        )

    def _feasible(
        self,
        problems: Sequence[Any],
        training: Training,
        machines: ClassMachines,
        names: Sequence[str],
    ) -> list[KernelProblem]:
        """Return the problems with the nearest feasible nu.

        A nu that the points allow but the class weights do not gives way to the largest possible
        one; a nu that both refuse is an error, which names the machine.
        """
        found: list[KernelProblem] = []
        for problem, pair, name in zip(problems, machines.pairs, names, strict=True):
            largest = problem.largest_nu
            if problem.nu <= largest * (1 + _ROUNDING):
                found.append(problem)
                continue
            weight = training.weight if pair.rows is None else training.weight[pair.rows]
            allowed = NuMargin.posed(
                problem.points, y=problem.y, bias=problem.bias, sample_weight=weight
            ).largest_nu
            if problem.nu > allowed * (1 + _ROUNDING):
                place = f" This is {name}." if machines.n_machines > 1 else ""
                raise InfeasibleProblemError(
                    f"The specified nu is infeasible: nu = {self.nu:g}, but with these class "
                    f"weights it can be at most {allowed:.6g}, twice the smaller class's share. "
                    f"Lower nu or weight that class up.{place}"
                )
            found.append(problem.replace(nu=largest))
        return found

    def _settled(self, solution: Solution) -> Solution:
        """Return the solution with the offsets to use among those that are optimal.

        If class weights make nu infeasible, all points of the lighter class are at their bounds,
        and its margin plane may lie anywhere beyond its last point. The more nu exceeds the largest
        feasible value, the farther the plane moves, towards the machine that always predicts the
        heavier class.
        """
        problem = solution.problem
        assert isinstance(problem, NuMargin)
        if problem.nu >= self.nu or len(solution.offsets) < 2:
            return solution
        beyond = min(self.nu / problem.nu, _MOST_BEYOND)
        away = (beyond - 1.0) * (solution.offsets[0] - solution.offsets[1])
        weight = problem.sample_weight
        positive_is_lighter = weight[problem.y > 0].sum() < weight[problem.y < 0].sum()
        moves = np.array([away, 0.0]) if positive_is_lighter else np.array([0.0, -away])
        return replace(solution, offsets=solution.offsets + moves)
