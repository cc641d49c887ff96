"""What may follow from a call of fit: a model whose certificate is true, or an error of ours."""

from __future__ import annotations

import warnings
from pathlib import Path
from time import perf_counter
from traceback import walk_tb
from typing import Any

import numpy as np
import sklearn
from hypothesis import currently_in_test_context, note
from scipy import sparse

import maxmargin

from .odd_fits import Fit

__all__ = ["judge"]

#: Time for one call with at most a few dozen rows, on a busy machine.
SECONDS = 20.0
#: Rounding in sums of a few dozen terms, as a fraction of the largest.
ROUNDING = 1e-9

_SKLEARN = str(Path(sklearn.__file__).parent)
_HERE = str(Path(__file__).parent)
_OURS = str(Path(maxmargin.__file__).parent)


def _is_proper(error: Exception) -> bool:
    """Return whether an error is ours, or comes from scikit-learn's checks that we call."""
    if isinstance(error, maxmargin.MaxMarginError):
        return True
    files = [frame.f_code.co_filename for frame, _ in walk_tb(error.__traceback__)]
    frames = [file for file in files if not file.startswith(_HERE)]
    last = max((k for k, file in enumerate(frames) if file.startswith(_OURS)), default=-1)
    by_sklearn = any(file.startswith(_SKLEARN) for file in frames[last + 1 : last + 2])
    return isinstance(error, ValueError | TypeError) and by_sklearn


def judge(fit: Fit) -> str:
    """Call fit and check what follows: return "fitted" or "refused"."""
    if currently_in_test_context():
        note(repr(fit))
    started = perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            fitted = fit.run()
        except Exception as error:
            if _is_proper(error):
                return "refused"
            raise
        finally:
            assert perf_counter() - started < SECONDS, "The fit took too long."
        _check_values(fitted, fit)
        for machine in _machines(fitted):
            _check_certificate(machine.certificate, _scale(machine.problem))
            _check_multipliers(machine)
    assert perf_counter() - started < SECONDS, "The certificate took too long."
    return "fitted"


def _machines(fitted: Any) -> Any:
    """Return the machines of a fit; those of a search or of calibration are their estimator's."""
    inner = getattr(fitted, "best_estimator_", getattr(fitted, "estimator_", fitted))
    return inner.machines_


def _check_values(fitted: Any, fit: Fit) -> None:
    predicted = np.asarray(fitted.predict(fit.X))
    n = fit.X.shape[0] if sparse.issparse(fit.X) else len(fit.X)
    assert predicted.shape == (n,)
    if predicted.dtype.kind == "f":
        assert np.isfinite(predicted).all()
    if hasattr(fitted, "classes_"):
        assert set(predicted.tolist()) <= set(fitted.classes_.tolist())
    if hasattr(fitted, "decision_function"):
        assert np.isfinite(fitted.decision_function(fit.X)).all()
    if hasattr(fitted, "predict_proba"):
        probabilities = fitted.predict_proba(fit.X)
        assert (probabilities >= 0).all()
        assert np.allclose(probabilities.sum(axis=1), 1)


def _scale(problem: Any) -> float:
    """Return the size of the largest sum in the objective, which rounding is relative to."""
    if problem is None or not callable(getattr(problem, "dual", None)):
        return 1.0
    qp = problem.dual()
    bounded = qp.cost[np.isfinite(qp.cost)].sum()
    return max(1.0, float(np.abs(qp.linear).max(initial=0.0) * max(1.0, bounded)))


def _check_certificate(certificate: Any, scale: float) -> None:
    """Check that the numbers agree with each other and claim nothing impossible."""
    numbers = (certificate.primal, certificate.dual, certificate.gap, certificate.relative_gap)
    assert not np.isnan([*numbers, certificate.kkt_violation, certificate.feasibility]).any()
    assert certificate.kkt_violation >= 0
    assert certificate.feasibility >= 0
    size = max(scale, abs(certificate.primal), abs(certificate.dual))
    # Weak duality; a certificate that violates it must not claim to hold.
    if certificate.holds(0.1) and np.isfinite(size):
        assert certificate.primal >= certificate.dual - ROUNDING * size
    assert isinstance(certificate.claim, str)


def _check_multipliers(machine: Any) -> None:
    """Check the bounds of the multipliers, where the problem has a dual with bounds."""
    problem, solution = machine.problem, machine.solution
    if solution is None or not hasattr(problem, "dual") or not callable(problem.dual):
        return
    cost = problem.dual().cost
    assert np.isfinite(solution.dual).all()
    assert (solution.dual >= 0).all()
    assert (solution.dual <= cost * (1 + ROUNDING)).all()
