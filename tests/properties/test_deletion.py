"""Leave-one-out along paths of solutions is what training without each point gives."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import leave_one_out as reference
from reference import qp
from reference.program import written_out
from widemargin import SVC, SVR, NuSVC, NuSVR, OneClassSVM, leave_one_out
from widemargin.kernels import Gaussian
from widemargin.problems import soft_margin, squared_soft_margin, without_bias
from widemargin.solvers import SMO, Deactivation, Stop

SEEDS = st.integers(0, 10_000)
PRICES = st.sampled_from([0.01, 0.3, 1.0, 10.0, 300.0])
LOSSES = st.sampled_from(["hinge", "squared_hinge"])


def sample(seed, n=16, repeated=False):
    """Noisy points in the plane, at least three of each class."""
    random = np.random.default_rng(seed)
    X = random.standard_normal((n, 2))
    y = np.where(X[:, 0] + 0.7 * random.standard_normal(n) > 0, 1, -1)
    y[:6] = [1, 1, 1, -1, -1, -1]
    if repeated:
        X = X[np.arange(n) // 2]
    return X, y


def assert_is_retrained(machine, X, y, **options):
    values, predictions = reference.retrained(machine, X, y, **options)
    result = leave_one_out(machine, X, y, **options)
    np.testing.assert_allclose(result.decision_values, values, atol=1e-6, rtol=1e-6)
    if predictions.dtype.kind != "f":
        certain = np.abs(values.reshape(len(y), -1)).min(axis=1) > 1e-6
        assert (result.predictions == predictions)[certain].all()
    return result


@settings(max_examples=80)
@given(SEEDS, PRICES, LOSSES, st.booleans(), st.sampled_from([0.1, 1.0, 10.0]))
def test_two_classes(seed, C, loss, fit_intercept, gamma):
    X, y = sample(seed)
    assert_is_retrained(SVC(C=C, gamma=gamma, loss=loss, fit_intercept=fit_intercept), X, y)


@settings(max_examples=40)
@given(SEEDS, PRICES, LOSSES, st.booleans())
def test_repeated_points_and_kernels_of_low_rank(seed, C, loss, fit_intercept):
    X, y = sample(seed, repeated=True)
    assert_is_retrained(SVC(C=min(C, 10.0), kernel="linear", loss=loss, fit_intercept=fit_intercept), X, y)
    assert_is_retrained(SVC(C=C, gamma=1.0, loss=loss, fit_intercept=fit_intercept), X, y)


@settings(max_examples=20)
@given(SEEDS, st.booleans())
def test_hard_margins(seed, fit_intercept):
    X, y = sample(seed)
    assert_is_retrained(SVC(C=np.inf, gamma=5.0, fit_intercept=fit_intercept), X, y)


@settings(max_examples=20)
@given(SEEDS, PRICES)
def test_least_squares(seed, C):
    X, y = sample(seed)
    assert_is_retrained(SVC(C=C, gamma=1.0, loss="least-squares"), X, y)


@settings(max_examples=20)
@given(SEEDS, PRICES, st.sampled_from(["all-pairs", "one-vs-all"]), LOSSES)
def test_several_classes(seed, C, multiclass, loss):
    random = np.random.default_rng(seed)
    y = np.arange(18) % 3
    X = random.standard_normal((18, 2)) + y[:, None]
    assert_is_retrained(SVC(C=C, gamma=0.5, multiclass=multiclass, loss=loss), X, y)


@settings(max_examples=30)
@given(SEEDS, PRICES, st.booleans(), st.sampled_from([0.05, 0.5]))
def test_regression(seed, C, fit_intercept, epsilon):
    random = np.random.default_rng(seed)
    X = random.uniform(-2, 2, (16, 1))
    y = np.sin(2 * X[:, 0]) + 0.2 * random.standard_normal(16)
    machine = SVR(C=C, gamma=1.0, epsilon=epsilon, fit_intercept=fit_intercept)
    result = assert_is_retrained(machine, X, y)
    np.testing.assert_allclose(result.error, np.mean((result.predictions - y) ** 2))


NUS = st.sampled_from([0.05, 0.3, 0.5, 0.7, 1.0])


@settings(max_examples=40)
@given(SEEDS, NUS, st.sampled_from([0.1, 1.0, 10.0]), st.booleans())
def test_two_classes_with_nu(seed, nu, gamma, repeated):
    X, y = sample(seed)
    if repeated:  # with their classes, else there is no margin
        X, y = X[np.arange(16) // 2], y[np.arange(16) // 2]
    sizes = np.bincount(y > 0)
    largest = 2 * (sizes.min() - 1) / (len(y) - 1)  # without a point of the smaller class
    nu = min(nu, 0.99 * largest)  # at the largest, a class without free point leaves its offset open
    assert_is_retrained(NuSVC(nu=nu, gamma=gamma), X, y)


@settings(max_examples=15)
@given(SEEDS, NUS, st.sampled_from(["all-pairs", "one-vs-all"]))
def test_several_classes_with_nu(seed, nu, multiclass):
    random = np.random.default_rng(seed)
    y = np.array([0, 1, 2, 2, 1, 2] * 3)
    X = random.standard_normal((18, 2)) + y[:, None]
    nu = nu * (0.75 if multiclass == "all-pairs" else 0.9)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # some pairs take the largest value that they can
        assert_is_retrained(NuSVC(nu=nu, gamma=0.5, multiclass=multiclass), X, y)


@settings(max_examples=30)
@given(SEEDS, NUS, st.sampled_from([0.1, 1.0, 100.0]))
def test_regression_with_nu(seed, nu, C):
    random = np.random.default_rng(seed)
    X = random.uniform(-2, 2, (16, 1))
    y = np.sin(2 * X[:, 0]) + 0.2 * random.standard_normal(16)
    assert_is_retrained(NuSVR(C=C, nu=nu, gamma=1.0), X, y)


@settings(max_examples=40)
@given(SEEDS, NUS, st.sampled_from([0.1, 1.0, 10.0]), st.booleans())
def test_outliers(seed, nu, gamma, repeated):
    X, _ = sample(seed, repeated=repeated)
    machine = OneClassSVM(nu=nu, gamma=gamma)
    result = assert_is_retrained(machine, X, np.zeros(len(X)))
    assert (result.losses == (result.predictions == -1)).all()


@pytest.mark.filterwarnings("ignore:nu = 0.2 is infeasible for 1 of 1")  # the largest that is feasible serves
@settings(max_examples=20)
@given(SEEDS, st.sampled_from(["classes", "numbers", "outliers"]))
def test_weights_of_points_with_nu(seed, kind):
    X, y = sample(seed)
    weight = np.random.default_rng(seed).choice([0.0, 0.5, 1.0, 3.0], len(y))
    weight[:6] = 1.0
    machine = {
        "classes": NuSVC(nu=0.2, gamma=1.0, class_weight={1: 3.0}),
        "numbers": NuSVR(nu=0.4, gamma=1.0),
        "outliers": OneClassSVM(nu=0.4, gamma=1.0),
    }[kind]
    assert_is_retrained(machine, X, y, sample_weight=weight)


@settings(max_examples=20)
@given(SEEDS)
def test_weights_of_points_and_classes(seed):
    X, y = sample(seed)
    weight = np.random.default_rng(seed).choice([0.0, 0.5, 1.0, 3.0], len(y))
    weight[:6] = 1.0
    machine = SVC(C=2.0, gamma=1.0, class_weight={1: 3.0})
    assert_is_retrained(machine, X, y, sample_weight=weight)


@settings(max_examples=40)
@given(SEEDS, PRICES, LOSSES, st.booleans())
def test_a_mere_count_retrains_fewer_points_and_counts_the_same(seed, C, loss, fit_intercept):
    X, y = sample(seed, n=30)
    machine = SVC(C=C, gamma=1.0, loss=loss, fit_intercept=fit_intercept)
    whole, counted = leave_one_out(machine, X, y), leave_one_out(machine, X, y, count_only=True)
    assert (counted.losses == whole.losses).all()
    assert counted.retrained <= whole.retrained


@settings(max_examples=30)
@given(SEEDS, PRICES, LOSSES, st.booleans())
def test_held_out_values_never_rise(seed, C, loss, fit_intercept):
    """y_i f(x_i) >= y_i f^i(x_i), and without bias no less than y_i f(x_i) - alpha_i K_ii."""
    X, y = sample(seed, n=30)
    machine = SVC(C=C, gamma=1.0, loss=loss, fit_intercept=fit_intercept, tol=1e-10).fit(X, y)
    fall = y * (machine.decision_function(X) - leave_one_out(machine, X, y).decision_values)
    assert fall.min() > -1e-7
    if not fit_intercept:
        alpha = np.zeros(len(y))
        alpha[machine.support_] = np.abs(machine.dual_coef_[0])
        assert (fall <= alpha + 1e-7).all()


@settings(max_examples=40)
@given(SEEDS, PRICES, st.booleans(), st.booleans())
def test_the_end_of_a_path_solves_the_program_without_the_point(seed, C, squared, bias):
    """By an interior-point solver that knows of no path."""
    X, y = sample(seed, n=12)
    K = Gaussian(1.0).gram(X)
    problem = (squared_soft_margin if squared else soft_margin)(y.astype(float), C)
    problem = problem if bias else without_bias(problem)
    solution = SMO().solve(problem, Gaussian(1.0).bind(X), stop=Stop(1e-11))
    path = Deactivation(problem, K, solution.alpha)
    others = np.arange(1, len(y))
    rest = (squared_soft_margin if squared else soft_margin)(y[others].astype(float), C)
    alpha, _ = qp.solve(written_out(rest if bias else without_bias(rest), K[np.ix_(others, others)]))
    held = path.without(0)
    assert held.violation < 1e-8
    free = (np.abs(alpha[: len(others)]) > 1e-5) & (np.abs(alpha[: len(others)]) < (1 - 1e-5) * C)
    if bias and not (free.any() or squared):
        return  # the offset is an interval
    inner = K[np.ix_(others, others)] @ alpha[: len(others)]
    ridge = alpha[: len(others)] / C if squared else 0.0
    if squared:
        free = np.abs(alpha[: len(others)]) > 1e-5
    offset = np.mean((y[others] - inner - ridge)[free]) if bias else 0.0
    assert held.value == pytest.approx(K[0, others] @ alpha[: len(others)] + offset, abs=1e-4)
