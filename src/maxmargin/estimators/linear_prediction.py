"""Prediction with weights, which may be made sparse."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.validation import check_is_fitted, validate_data

from maxmargin.typing import Floats

__all__ = ["WeightedPrediction"]


class WeightedPrediction:
    """An estimator with `coef_` and `intercept_`."""

    coef_: Any
    intercept_: Any

    def _scores(self, X: Any) -> Floats:
        """Return w'x + b of each machine."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", reset=False)
        weights = self.coef_ if self.coef_.ndim == 2 else self.coef_.reshape(1, -1)
        return np.asarray(safe_sparse_dot(X, weights.T, dense_output=True) + self.intercept_)

    def sparsify(self) -> Self:
        """Keep only the weights that are not zero, in a sparse matrix."""
        check_is_fitted(self)
        self.coef_ = sparse.csr_array(np.atleast_2d(self.coef_))
        return self

    def densify(self) -> Self:
        """Keep the weights in an array, as `fit` leaves them."""
        check_is_fitted(self)
        if sparse.issparse(self.coef_):
            self.coef_ = self.coef_.toarray()
        return self
