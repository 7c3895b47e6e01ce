"""Kernels made of kernels, of matrices and of Python functions."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from reference import kernels as twin
from widemargin import kernels
from widemargin.kernels import Gaussian, Laplacian, Linear, Polynomial
from widemargin.testing import check_kernel

X = np.random.default_rng(0).normal(size=(12, 3))
Z = np.random.default_rng(1).normal(size=(5, 3))


def every(n):
    return np.arange(n, dtype=np.int32)


@pytest.mark.parametrize("data", [(X, None), (X, Z), (sp.csr_array(X), sp.csr_array(Z))])
def test_combinations_act_entry_by_entry(data):
    left, right = Gaussian(0.3), Polynomial(2, 0.5, 1.0)
    K, L = left.gram(*data), right.gram(*data)
    np.testing.assert_allclose((left + right).gram(*data), K + L)
    np.testing.assert_allclose((left * right).gram(*data), K * L)
    np.testing.assert_allclose((2.5 * left).gram(*data), 2.5 * K)
    np.testing.assert_allclose((left * 2.5).gram(*data), 2.5 * K)
    np.testing.assert_allclose((np.float64(2.5) * left).gram(*data), 2.5 * K)
    np.testing.assert_allclose((left + 2.5).gram(*data), K + 2.5)
    np.testing.assert_allclose((2.5 + left).gram(*data), K + 2.5)
    np.testing.assert_allclose(left.exp().gram(*data), np.exp(K))


def test_normalised_kernel_divides_by_the_lengths():
    kernel = Polynomial(2, 0.5, 1.0)
    lengths = np.sqrt(kernel.diagonal(X)), np.sqrt(kernel.diagonal(Z))
    np.testing.assert_allclose(kernel.normalized().gram(X, Z), kernel.gram(X, Z) / np.outer(*lengths))
    np.testing.assert_array_equal(np.diag(kernel.normalized().gram(X)), 1)


def test_pull_back_transforms_the_data_once():
    calls = []

    def square(A):
        calls.append(len(A))
        return A**2

    gram = Linear().pull_back(square).bind(X, Z)
    np.testing.assert_allclose(gram.block(every(12), every(5)), (X**2) @ (Z**2).T)
    gram.block(every(12), every(5))
    assert calls == [12, 5]


def test_each_part_may_see_its_own_transformation():
    kernel = Gaussian(0.3).pull_back(lambda A: A[:, :1]) + Linear().pull_back(lambda A: A[:, 1:])
    expected = twin.gram(twin.gaussian(0.3), X[:, :1]) + X[:, 1:] @ X[:, 1:].T
    np.testing.assert_allclose(kernel.gram(X), expected)


def test_deep_combinations_work_in_both_precisions_on_the_same_thread():
    kernel = (
        (Gaussian(0.3) + Linear()) * (Laplacian(0.1) + 0.5 * Polynomial(2))
    ).normalized() + Gaussian().exp()
    gram = kernel.bind(X)
    K = kernel.gram(X)
    np.testing.assert_allclose(gram.block32(every(12), every(12)), K, rtol=1e-5)
    np.testing.assert_allclose(gram.diagonal(), np.diag(K))


def test_exponential_overflows_to_infinity_and_not_to_nonsense():
    K = Linear().exp().gram([[1.0]], [[709.0], [710.0], [1000.0], [-1000.0]])
    np.testing.assert_allclose(K[0, 0], np.exp(709.0), rtol=1e-13)
    assert list(K[0, 1:]) == [np.inf, np.inf, 0.0]


def test_parts_outlive_their_python_objects():
    gram = (Gaussian(0.3) + Linear()).bind(X.copy())
    np.testing.assert_allclose(gram.diagonal(), 1 + np.sum(X**2, axis=1))


# Precomputed


@pytest.mark.parametrize("precision", [np.float32, np.float64])
def test_precomputed_reads_the_matrix_as_it_lies(precision):
    K = np.random.default_rng(2).normal(size=(4, 6)).astype(precision)
    for matrix in (K, np.asfortranarray(K), np.repeat(K, 2, axis=0)[::2], K[::-1]):
        gram = kernels.Precomputed().bind(matrix)
        assert gram.shape == (4, 6)
        np.testing.assert_array_equal(gram.block(every(4), every(6)), matrix)
        np.testing.assert_array_equal(
            gram.block32(every(2), every(6)[::-1].copy()), matrix[:2, ::-1].astype(np.float32)
        )


def test_precomputed_names_training_points_by_their_columns():
    K = np.arange(12.0).reshape(3, 4)
    np.testing.assert_array_equal(kernels.Precomputed().gram(K, [3, 1]), K[:, [3, 1]])
    assert kernels.Precomputed().gram(K, []).shape == (3, 0)


def test_precomputed_diagonal_is_that_of_the_matrix():
    K = np.arange(9.0).reshape(3, 3)
    np.testing.assert_array_equal(kernels.Precomputed().diagonal(K), [0, 4, 8])


@pytest.mark.parametrize(
    ("K", "complaint"),
    [
        (np.ones((2, 3)), "square"),
        ([[1.0, np.nan], [0.0, 1.0]], r"\[0, 1\]"),
        ([[1.0, 0.5], [0.4, 1.0]], "symmetric"),
        (np.ones(3), "2 dimensions"),
    ],
)
def test_bad_training_matrices_are_refused(K, complaint):
    with pytest.raises(ValueError, match=complaint):
        kernels.Precomputed.check_training_matrix(K)


def test_symmetry_up_to_rounding_is_symmetry():
    K = Gaussian().gram(X)
    kernels.Precomputed.check_training_matrix(K * (1 + 1e-15 * np.arange(12)))
    kernels.Precomputed.check_training_matrix(K.astype(np.float32))


@pytest.mark.parametrize("columns", [[0.5], [[0]], [-1], [4]])
def test_bad_column_numbers_are_refused(columns):
    with pytest.raises(ValueError, match="Y must"):
        kernels.Precomputed().bind(np.ones((3, 4)), columns)


# Callable


def shared_letters(A, B):
    return [[len(set(a) & set(b)) for b in B] for a in A]


def test_callable_takes_arbitrary_objects():
    words = ["wide", "margin", "kernel", "machine"]
    kernel = kernels.Callable(shared_letters)
    np.testing.assert_array_equal(kernel.gram(words), shared_letters(words, words))
    np.testing.assert_array_equal(kernel.gram(words, ["dim"]), shared_letters(words, ["dim"]))
    np.testing.assert_array_equal(kernel.diagonal(words), [4, 6, 5, 7])
    check_kernel(kernel, words)
    check_kernel(0.5 * kernel.normalized() + 1.0, words)


def test_callable_gets_rows_of_arrays_and_of_sparse_matrices():
    kernel = kernels.Callable(lambda A, B: np.asarray((A @ B.T).todense()) if sp.issparse(A) else A @ B.T)
    np.testing.assert_allclose(kernel.gram(X, Z), X @ Z.T)
    np.testing.assert_allclose(kernel.gram(sp.csr_matrix(X), sp.csr_matrix(Z)), X @ Z.T)


def test_callable_is_never_asked_for_the_whole_matrix():
    rows = []

    def linear(A, B):
        rows.append(len(A))
        return A @ B.T

    data = np.random.default_rng(0).normal(size=(100, 2))
    gram = kernels.Callable(linear).bind(data)
    assert gram.preferred_block > 1
    np.testing.assert_allclose(gram.block(every(100), every(100)), data @ data.T)
    assert max(rows) <= gram.preferred_block
    assert sum(rows) == 100


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        (lambda A, B: np.ones((len(A) + 1, len(B))), r"shape \(2, 3\), got \(3, 3\)"),
        (lambda A, B: np.ones(len(B)), "matrix of real numbers"),
        (lambda A, B: np.full((len(A), len(B)), np.nan), "NaN or infinity for one of the rows 0 to 1"),
        (lambda A, B: np.full((len(A), len(B)), np.inf), "NaN or infinity"),
        (lambda A, B: [["a"] * len(B)] * len(A), "could not convert"),
    ],
)
def test_bad_answers_of_a_callable_are_refused(answer, complaint):
    with pytest.raises(ValueError, match=complaint):
        kernels.Callable(answer).gram(X[:2], X[:3])


def test_an_exception_in_a_callable_comes_through():
    def broken(A, B):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        kernels.Callable(broken).gram(X)


# Records


def nested():
    return 0.1 * Linear() + (Gaussian(0.5) * kernels.ARDGaussian([1.0, 2.0, 3.0])).exp()


def test_parameters_have_nested_names():
    kernel = nested()
    assert kernel.get_params()["left__factor"] == 0.1
    assert kernel.get_params()["right__kernel__left__gamma"] == 0.5
    assert clone(kernel).set_params(right__kernel__left__gamma=2.0).right.kernel.left.gamma == 2.0


def test_clones_and_pickles_are_equal_and_independent():
    kernel = nested()
    for copy in (clone(kernel), pickle.loads(pickle.dumps(kernel))):
        assert copy == kernel
        copy.set_params(left__factor=7.0)
        assert copy != kernel
    assert kernel == nested()
    assert Gaussian(1.0) != Laplacian(1.0)
    assert Gaussian(1.0) != 1.0


def test_the_representation_can_be_read_back():
    kernel = 0.1 * Linear() + Gaussian(0.5)
    assert eval(repr(kernel), vars(kernels)) == kernel


def test_theta_lists_logarithms_own_parameters_first():
    np.testing.assert_allclose(np.exp(nested().theta), [0.1, 0.5, 1, 2, 3])
    assert (
        nested().with_theta(np.zeros(5))
        == 1.0 * Linear() + (Gaussian() * kernels.ARDGaussian(np.ones(3))).exp()
    )
    assert Polynomial(3, 2.0, 0.0).theta.size == 1
    assert Polynomial(3, 2.0, 1.0).theta.size == 2
    assert Linear().theta.shape == (0,)
    with pytest.raises(ValueError, match="theta must have 5 entries"):
        nested().with_theta(np.zeros(4))


@pytest.mark.parametrize(
    ("name", "kernel"),
    [
        ("linear", Linear()),
        ("poly", Polynomial(2, 0.5, 1.0)),
        ("rbf", Gaussian(0.5)),
        ("sigmoid", kernels.Sigmoid(0.5, 1.0)),
        ("laplacian", Laplacian(0.5)),
        ("precomputed", kernels.Precomputed()),
        (shared_letters, kernels.Callable(shared_letters)),
        (Gaussian(2.0), Gaussian(2.0)),
    ],
)
def test_names_resolve_to_kernels(name, kernel):
    assert kernels.resolve_kernel(name, gamma=0.5, coef0=1.0, degree=2) == kernel


@pytest.mark.parametrize("name", ["cosine", 3, None, Gaussian])
def test_unknown_kernels_are_refused(name):
    with pytest.raises(ValueError, match="kernel must be one of linear, poly"):
        kernels.resolve_kernel(name)


# Bad input


@pytest.mark.parametrize(
    ("kernel", "complaint"),
    [
        (Gaussian(0.0), "gamma must be a positive finite number, got 0.0"),
        (Gaussian(-1), "gamma must be"),
        (Gaussian(np.nan), "gamma must be"),
        (Gaussian("scale"), "gamma must be"),
        (Laplacian(np.inf), "gamma must be"),
        (Polynomial(gamma=0), "gamma must be"),
        (Polynomial(degree=-1), "degree must be a whole number"),
        (Polynomial(degree=2.5), "degree must be"),
        (Polynomial(coef0=np.nan), "coef0 must be"),
        (kernels.Sigmoid(gamma=0), "gamma must be"),
        (kernels.ARDGaussian([1.0, 0.0, 1.0]), "gamma must be"),
        (kernels.ARDGaussian([1.0, 2.0]), "gamma has 2 entries, but X has 3 features"),
        (kernels.GeneralGaussian(np.ones((3, 2))), "M must be a square matrix"),
        (kernels.GeneralGaussian(np.eye(2)), "M is 2 x 2, but X has 3 features"),
        (kernels.GeneralGaussian(np.triu(np.ones((3, 3)))), "M must be symmetric"),
        (kernels.GeneralGaussian(np.diag([1.0, 1.0, -1.0])), "M must be positive semi-definite"),
        (kernels.GeneralGaussian(np.full((3, 3), np.nan)), "M must not contain NaN"),
        (kernels.Scaled(-1.0, Linear()), "factor must be"),
        (Linear() + 0.0, "value must be"),
        (kernels.Callable("f"), "function must be callable"),
        (Linear().pull_back(None), "transform must be callable"),
        (Gaussian() + Gaussian(-1), "gamma must be"),
    ],
)
def test_bad_parameters_are_named_when_binding(kernel, complaint):
    with pytest.raises(ValueError, match=complaint) as caught:
        kernel.bind(X)
    assert str(caught.value).count("\n") == 0


def test_zero_length_points_cannot_be_normalised():
    with pytest.raises(ValueError, match=r"is 0 for point 1\."):
        Linear().normalized().bind([[1.0, 0.0], [0.0, 0.0]])


def test_general_gaussian_refuses_sparse_data():
    with pytest.raises(ValueError, match="dense data only"):
        kernels.GeneralGaussian(np.eye(3)).bind(sp.csr_array(X))


def test_a_singular_matrix_of_scales_has_a_kernel_but_no_theta():
    kernel = kernels.GeneralGaussian(np.diag([1.0, 0.0, 0.0]))
    np.testing.assert_allclose(kernel.gram(X), twin.gram(twin.gaussian(0.5), X[:, :1]))
    with pytest.raises(ValueError, match="M must be positive definite"):
        kernel.theta  # noqa: B018


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        ((X, Z[:, :2]), "X has 3 features, but Y has 2"),
        ((X[0],), "must be a matrix"),
        ((X[None],), "must be a matrix"),
    ],
)
def test_bad_shapes_of_data_are_refused(data, complaint):
    with pytest.raises(ValueError, match=complaint):
        Gaussian().bind(*data)


def test_blocks_outside_the_matrix_are_refused():
    gram = Gaussian().bind(X)
    with pytest.raises(ValueError, match="which must lie between 0 and 11, found 12"):
        gram.block(np.array([12], dtype=np.int32), every(1))
    with pytest.raises(ValueError, match="columns must lie between 0 and 11, found -1"):
        gram.block(every(1), np.array([-1], dtype=np.int32))


def test_a_rectangular_gram_has_no_diagonal():
    with pytest.raises(ValueError, match="square"):
        Gaussian().bind(X, Z).diagonal()


def test_weights_of_the_wrong_shape_are_refused():
    with pytest.raises(ValueError, match=r"W must have the shape \(12, 5\)"):
        Gaussian().contract(X, Z, np.ones((12, 12)))


@pytest.mark.parametrize(
    "kernel",
    [
        kernels.Gaussian(0.1),
        kernels.Gaussian(0.1) + kernels.Gaussian(0.05),
        kernels.Gaussian(0.1) * kernels.Gaussian(0.05),
        3.0 * kernels.Gaussian(0.1),
        kernels.Normalized(kernels.Gaussian(0.1)),
        kernels.Gaussian(0.1).exp(),
    ],
)
def test_the_rounding_of_single_precision_is_no_larger_than_it_is_said_to_be(kernel):
    X = np.random.default_rng(0).normal(size=(400, 30))  # by products of matrices, which cancel
    gram, every = kernel.bind(X), np.arange(400, dtype=np.int32)
    error = np.abs(gram.block32(every, every) - gram.block(every, every)).max()
    assert 0 < error <= gram.single_rounding


@pytest.mark.parametrize("kernel", [kernels.Linear(), kernels.Linear() + kernels.Gaussian()])
def test_a_rectangular_gram_is_read_within_its_columns(kernel):
    assert kernel.bind(X, X[:3]).single_rounding >= 0
    K = np.ones((200, 3))
    assert kernels.Precomputed().bind(K).single_rounding == pytest.approx(6e-8)
