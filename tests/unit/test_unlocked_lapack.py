"""LAPACK in place: what it computes, and that nobody has to wait for it."""

import os
import signal
import threading

import numpy as np
import pytest

from widemargin import unlocked_lapack
from widemargin.unlocked_lapack import SHORT, eigenvectors, factorise, invert_factor


@pytest.fixture(params=[5, SHORT + 1], ids=["alone", "in a thread"])
def matrix(request):
    A = np.random.default_rng(0).normal(size=(request.param, request.param))
    return np.asfortranarray(A @ A.T + np.eye(request.param))


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_factors_are_those_of_cholesky(matrix, kind):
    R = matrix.astype(kind, order="F")
    assert factorise(R) == 0
    expected = np.linalg.cholesky(matrix).T
    np.testing.assert_allclose(np.triu(R), expected, atol=1e3 * np.finfo(kind).eps * np.abs(expected).max())


def test_an_indefinite_matrix_has_no_factor(matrix):
    matrix[2, 2] = -1
    assert factorise(matrix) == 3


def test_inverse_factors(matrix):
    factorise(matrix)
    R = np.triu(matrix)
    invert_factor(matrix)
    np.testing.assert_allclose(np.triu(matrix) @ R, np.eye(len(R)), atol=1e-10)


def test_eigenvectors(matrix):
    vectors = matrix.copy(order="F")
    values = eigenvectors(vectors)
    assert (np.diff(values) >= 0).all()
    np.testing.assert_allclose(matrix @ vectors, vectors * values, atol=1e-12 * values[-1])


def test_a_matrix_that_would_have_to_be_copied_is_refused():
    with pytest.raises(ValueError, match="Fortran order"):
        factorise(np.eye(6)[:, ::2])


def test_ctrl_c_is_heard_while_it_works(monkeypatch):
    end = threading.Event()
    monkeypatch.setattr(unlocked_lapack, "_routine", lambda name: lambda *arguments: end.wait(20))
    signals = threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT))
    signals.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            factorise(np.eye(SHORT + 1, order="F"))
    finally:
        end.set()
