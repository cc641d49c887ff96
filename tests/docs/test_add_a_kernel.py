"""The kernel of docs/howto/add-a-kernel.md: these lines are the page's code."""

# [imports]
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from maxmargin import InvalidInputError, certify, solve
from maxmargin.kernels import Kernel, Linear, is_positive_semidefinite
from maxmargin.kernels.base import positive
from maxmargin.kernels.data import as_vectors, count
from maxmargin.problems import OneClass, SoftMargin
from maxmargin.typing import Floats

# [/imports]


# [kernel]
@dataclass(frozen=True)
class Cauchy(Kernel):
    """The Cauchy kernel k(x, z) = 1 / (1 + gamma |x - z|^2).

    Parameters
    ----------
    gamma : float
        Inverse squared width.
    """

    gamma: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "gamma", positive(self.gamma, "gamma"))

    def block(self, A: Any, B: Any) -> Floats:
        """Return the matrix of kernel values."""
        return 1.0 / (1.0 + self.gamma * cdist(A, B, "sqeuclidean"))

    def diag(self, A: Any) -> Floats:
        """Return ones."""
        return np.ones(count(A))

    @property
    def positive_semidefinite(self) -> bool:
        """True for every gamma > 0: a mixture of Gaussian kernels."""
        return True

    def validate(self, X: Any, name: str = "X") -> Any:
        """Accept dense rows only."""
        rows = as_vectors(X, name)
        if not isinstance(rows, np.ndarray):
            raise InvalidInputError(f"{name} is sparse, and the Cauchy kernel takes dense rows.")
        return rows


# [/kernel]


# [properties]
X = np.random.default_rng(0).normal(size=(40, 3))
y = np.where(X[:, 0] + X[:, 1] ** 2 > 0.5, 1.0, -1.0)


def test_block_is_the_formula():
    K = Cauchy(0.7).block(X[:2], X[:3])
    assert K[1, 2] == pytest.approx(1 / (1 + 0.7 * np.sum((X[1] - X[2]) ** 2)))


def test_diag_is_the_diagonal_of_block():
    np.testing.assert_allclose(Cauchy(0.7).diag(X), np.diag(Cauchy(0.7).block(X, X)))


@pytest.mark.parametrize("gamma", [1e-3, 1.0, 1e3])
def test_the_claim_of_positive_semidefiniteness_is_true_on_data(gamma):
    assert is_positive_semidefinite(Cauchy(gamma).block(X, X))


def test_it_is_a_value():
    assert Cauchy(2) == Cauchy(2.0)
    assert hash(Cauchy(2)) == hash(Cauchy(2.0))
    assert repr(Cauchy(2)) == "Cauchy(gamma=2.0)"
    assert Cauchy() + Linear() == Linear() + Cauchy()


def test_a_wrong_parameter_gets_a_sentence():
    with pytest.raises(InvalidInputError, match="gamma must be greater than zero"):
        Cauchy(0)


# [/properties]


def test_the_mixture_of_gaussians_is_the_formula():
    """1 / (1 + s) is the integral of exp(-u) exp(-u s) over u > 0."""
    nodes, weights = np.polynomial.laguerre.laggauss(60)
    squared = cdist(X[:5], X[:5], "sqeuclidean")
    mixture = sum(w * np.exp(-u * 0.1 * squared) for u, w in zip(nodes, weights, strict=True))
    np.testing.assert_allclose(Cauchy(0.1).block(X[:5], X[:5]), mixture, atol=1e-8)


def test_sparse_rows_get_a_sentence():
    from scipy.sparse import csr_array

    with pytest.raises(InvalidInputError, match="takes dense rows"):
        SoftMargin(csr_array(X), np.repeat([1, -1], 20), kernel=Cauchy())


# [use]
@pytest.mark.parametrize("solver", ["dual-qp", "decomposition", "smo"])
def test_every_problem_takes_it_and_the_certificate_holds(solver):
    for problem in (
        SoftMargin(X, y, C=10, kernel=Cauchy(0.5)),
        SoftMargin(X, y, C=10, kernel=2 * Cauchy(0.5) + Linear()),
        OneClass(X, nu=0.2, kernel=Cauchy(0.5)),
    ):
        assert certify(problem, solve(problem, solver=solver)).holds(1e-6)


# [/use]
