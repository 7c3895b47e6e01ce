"""The executable contract catches kernels that break it."""

import numpy as np
import pytest

from widemargin import _core
from widemargin.kernels import Gaussian, Kernel, Laplacian, Precomputed
from widemargin.testing import check_kernel

X = np.random.default_rng(0).normal(size=(15, 3))


class Honest(Gaussian):
    """A kernel of one's own may start from another."""


class WrongSlope(Gaussian):
    def _contract_rows(self, X, Y, W):
        return 1.01 * super()._contract_rows(X, Y, W)


class WrongDiagonal(Gaussian):
    def diagonal(self, X):
        return np.full(len(X), 2.0)


class ForgetsParameters(Gaussian):
    def with_theta(self, theta):
        return type(self)()


class Indefinite(Kernel):
    def bind(self, X, Y=None):
        return Precomputed().bind(1 - Laplacian().gram(X, Y))


class Asymmetric(Kernel):
    def bind(self, X, Y=None):
        return Precomputed().bind(Laplacian().gram(X, Y) + 0.01 * np.asarray(X)[:, :1])


class DependsOnTheRest(Kernel):
    def bind(self, X, Y=None):
        return _core.scaled(1.0 / len(X), Gaussian().bind(X, Y))


def test_an_honest_kernel_passes():
    check_kernel(Honest(0.3), X)


@pytest.mark.parametrize(
    ("kernel", "complaint"),
    [
        (WrongSlope(0.3), "central differences"),
        (WrongDiagonal(0.3), "diagonal"),
        (ForgetsParameters(0.3), "with_theta"),
        (Indefinite(), "negative eigenvalue"),
        (Asymmetric(), "not symmetric"),
        (DependsOnTheRest(), r"gram\(A, B\)"),
    ],
)
def test_a_broken_promise_is_named(kernel, complaint):
    with pytest.raises(AssertionError, match=complaint):
        check_kernel(kernel, X)
