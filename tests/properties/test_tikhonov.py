"""The choice of the loss is the choice of the machine."""

import itertools
import warnings

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.base import clone, is_classifier
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, r2_score
from sklearn.model_selection import cross_val_score
from sklearn.preprocessing import StandardScaler

import widemargin as wm
from widemargin import losses

BIASES = ["none", "free", "penalised"]
KERNEL = wm.Gaussian(0.4)
LOSSES = {
    "hinge": losses.Hinge(),
    "squared_hinge": losses.SquaredHinge(),
    "power": losses.Power(1.5),
    "square": losses.Square(),
    "absolute": losses.Absolute(),
    "epsilon_insensitive": losses.EpsilonInsensitive(0.2),
    "exponential": losses.ExponentialLoss(),
    "logistic": losses.Logistic(),
}


def sample(n=30, seed=0):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 2))
    y = np.where(X[:, 0] + 0.7 * random.normal(size=n) > -0.3, 1.0, -1.0)
    return X, y, random.choice([0.0, 0.5, 1.0, 2.0], size=n)


def objective(loss, K, y, w, lam, c, b, bias):
    f = K @ c + b
    norm = c @ K @ c + (b**2 if bias == "penalised" else 0.0)
    return float(w @ loss.value(f, y) / w.sum() + lam * norm)


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("name", LOSSES)
def test_no_function_near_the_solution_has_a_smaller_objective(name, bias):
    X, y, w = sample()
    loss, lam, random = LOSSES[name], 0.05, np.random.default_rng(1)
    machine = wm.TikhonovEstimator(loss, KERNEL, lam, bias=bias, tol=1e-9).fit(X, y, sample_weight=w)
    K, c = KERNEL.gram(X), np.zeros(len(X))
    c[machine.support_] = machine.dual_coef_[0]
    b = machine.intercept_[0]
    best = objective(loss, K, y, w, lam, c, b, bias)
    assert machine.objective_ == pytest.approx(best, rel=1e-8)
    for size in (1e-3, 1e-2, 0.1, 1.0):
        for _ in range(20):
            step = size * random.normal(size=len(X)) * np.abs(c).max()
            shift = size * random.normal() if bias != "none" else 0.0
            assert objective(loss, K, y, w, lam, c + step, b + shift, bias) >= best - 1e-9


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("name", ["power", "logistic", "exponential"])
def test_smooth_losses_reach_the_minimum_that_a_general_optimiser_finds(name, bias):
    X, y, _ = sample(15)
    loss, lam, K, w = LOSSES[name], 0.05, KERNEL.gram(X), np.ones(15)

    def at(x):
        return objective(loss, K, y, w, lam, x[:-1], x[-1] if bias != "none" else 0.0, bias)

    found = minimize(at, np.zeros(16), method="BFGS", options={"gtol": 1e-7})
    machine = wm.TikhonovEstimator(loss, KERNEL, lam, bias=bias, tol=1e-9).fit(X, y)
    assert machine.objective_ <= found.fun + 1e-8


@pytest.mark.parametrize("bias", ["none", "free"])
def test_the_hinge_gives_the_support_vector_machine(bias):
    X, y, w = sample()
    lam = 0.03
    C = wm.Regularization(lam, w.sum()).C
    free = bias == "free"
    machine = wm.TikhonovEstimator("hinge", KERNEL, lam, bias=bias, tol=1e-9).fit(X, y, sample_weight=w)
    svc = wm.SVC(C=C, kernel=KERNEL, fit_intercept=free, tol=1e-9).fit(X, y, sample_weight=w)
    np.testing.assert_allclose(machine.decision_function(X), svc.decision_function(X), atol=1e-7)
    np.testing.assert_array_equal(machine.predict(X), svc.predict(X))


@pytest.mark.parametrize("bias", BIASES)
def test_the_square_gives_regularised_least_squares(bias):
    X, y, w = sample()
    machine = wm.TikhonovEstimator("square", KERNEL, 0.03, bias=bias).fit(X, y, sample_weight=w)
    rls = wm.RLSRegressor(kernel=KERNEL, lam=0.03, bias=bias).fit(X, y, sample_weight=w)
    np.testing.assert_allclose(machine.predict(X), rls.predict(X), atol=1e-9)
    np.testing.assert_allclose(machine.intercept_, rls.intercept_, atol=1e-9)


def test_the_epsilon_insensitive_loss_gives_support_vector_regression():
    X, _, w = sample()
    y = np.sin(X[:, 0])
    lam = 0.03
    loss = losses.EpsilonInsensitive(0.05)
    machine = wm.TikhonovEstimator(loss, KERNEL, lam, bias="free", tol=1e-9).fit(X, y, sample_weight=w)
    svr = wm.SVR(C=wm.Regularization(lam, w.sum()).C, epsilon=0.05, kernel=KERNEL, tol=1e-9)
    svr.fit(X, y, sample_weight=w)
    np.testing.assert_allclose(machine.predict(X), svr.predict(X), atol=1e-7)


def test_the_logistic_loss_with_a_linear_kernel_gives_logistic_regression():
    X, y, _ = sample(60)
    machine = wm.TikhonovEstimator("logistic", "linear", 0.02, bias="free", tol=1e-10).fit(X, y)
    C = wm.Regularization(0.02, 60).C
    peer = LogisticRegression(C=C, tol=1e-10, max_iter=10_000).fit(X, y)
    np.testing.assert_allclose(machine.decision_function(X), peer.decision_function(X), atol=1e-5)


@pytest.mark.parametrize("name", LOSSES)
def test_the_norm_is_bounded_by_B_over_lambda(name):
    X, y, _ = sample()
    machine = wm.TikhonovEstimator(LOSSES[name], KERNEL, 0.05).fit(X, y)
    c = machine.dual_coef_[0]
    K = KERNEL.gram(machine.support_vectors_)
    assert c @ K @ c <= LOSSES[name].bound / 0.05 * (1 + 1e-6)


def test_duplicating_all_points_changes_nothing_at_a_fixed_lambda():
    X, y, _ = sample()
    for name in ("hinge", "square", "logistic"):
        once = wm.TikhonovEstimator(name, KERNEL, 0.02, tol=1e-9).fit(X, y)
        twice = wm.TikhonovEstimator(name, KERNEL, 0.02, tol=1e-9).fit(np.vstack([X, X]), np.r_[y, y])
        np.testing.assert_allclose(once.decision_function(X), twice.decision_function(X), atol=1e-6)


def test_a_precomputed_matrix_gives_what_its_kernel_gives():
    X, y, w = sample()
    K = KERNEL.gram(X)
    for name in ("hinge", "square", "logistic"):
        for bias in BIASES:
            one = wm.TikhonovEstimator(name, KERNEL, 0.02, bias=bias, tol=1e-9).fit(X, y, sample_weight=w)
            other = wm.TikhonovEstimator(name, "precomputed", 0.02, bias=bias, tol=1e-9)
            other.fit(K, y, sample_weight=w)
            np.testing.assert_allclose(one.decision_function(X), other.decision_function(K), atol=1e-6)
            assert one.objective_ == pytest.approx(other.objective_, rel=1e-6)


@pytest.mark.parametrize("loss", [losses.Ramp(), losses.ZeroOne()])
def test_losses_that_are_not_convex_are_refused(loss):
    X, y, _ = sample()
    with pytest.raises(ValueError, match="is not convex and cannot be minimised"):
        wm.TikhonovEstimator(loss).fit(X, y)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"lam": 0.0}, "lam must be a positive finite number, not 0.0"),
        ({"loss": "huber"}, "loss must be .* not 'huber'"),
        ({"bias": "some"}, "bias must be .* not 'some'"),
    ],
)
def test_bad_parameters_are_named_and_leave_no_trace(parameters, message):
    X, y, _ = sample()
    machine = wm.TikhonovEstimator(**parameters)
    before = dict(vars(machine))
    with pytest.raises(ValueError, match=message):
        machine.fit(X, y)
    assert vars(machine) == before


def test_losses_of_margins_need_signs():
    X, y, _ = sample()
    with pytest.raises(ValueError, match=r"needs targets -1 and \+1, but y\[3\] is 0.5"):
        wm.TikhonovEstimator("logistic").fit(X, np.where(np.arange(len(y)) == 3, 0.5, y))


def test_parameters_of_the_loss_are_parameters_of_the_estimator():
    machine = clone(wm.TikhonovEstimator(losses.Power(3.0))).set_params(loss__q=1.5)
    assert machine.loss.q == 1.5


@pytest.mark.parametrize("bias", ["none", "free"])
@pytest.mark.parametrize("shifted", [False, True])
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("loss", [losses.Logistic(), losses.ExponentialLoss(), losses.Power(3)], ids=repr)
def test_the_objective_does_not_rise_as_lambda_falls(loss, kernel, shifted, bias):
    X, y = load_breast_cancer(return_X_y=True)
    X, y = StandardScaler().fit_transform(X[:80]), 2.0 * y[:80] - 1
    if shifted:
        X, y = np.r_[X, X + 9], np.r_[y, y]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fits = [wm.TikhonovEstimator(loss, kernel, lam, bias=bias).fit(X, y) for lam in (1e-2, 1e-4, 1e-6)]
    objectives = [machine.objective_ for machine in fits]
    assert objectives == sorted(objectives, reverse=True)
    for one, other in itertools.pairwise(fits):  # the function of one lambda is no better for the other
        assert other.objective_ <= (one.risk_ + other.lam * one.norm_**2) * (1 + 1e-6)


def test_a_function_that_is_not_the_best_is_told():
    """A loss without second derivatives, for which gradients have to do."""

    class Slow(losses.Logistic):
        has_curvature = False

    X, y = load_breast_cancer(return_X_y=True)
    X, y = X[:100], 2.0 * y[:100] - 1
    with pytest.warns(ConvergenceWarning, match="gap of .* scale the data, or raise lam or tol"):
        wm.TikhonovEstimator(Slow(), "linear", 1e-9).fit(X, y)


def test_a_solver_that_rounding_keeps_going_is_ended(monkeypatch):
    """With so small a lam the multipliers are so large that steps of rounding size follow for ever."""
    monkeypatch.setattr("widemargin.estimators.tikhonov.STEPS", 5000)
    X, y = np.random.default_rng(8).normal(size=(10, 1)), np.tile([-1.0, 1.0], 5)
    machine = wm.TikhonovEstimator("hinge", "linear", 1e-12, bias="penalised")
    with pytest.warns(ConvergenceWarning, match="stopped with a KKT violation .* raise lam or tol"):
        machine.fit(X, y)


def test_a_risk_without_a_minimum_is_told_in_one_sentence():
    """The bias grows for ever; what matrices are like on its way is nobody's concern."""
    X, _, _ = sample(10)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        wm.TikhonovEstimator("exponential", "poly", 1e-4, degree=2, bias="free").fit(X, np.ones(10))
    assert [warning.category for warning in said] == [ConvergenceWarning]


@pytest.mark.parametrize("loss", [losses.Logistic(), losses.ExponentialLoss(), losses.Power(3)], ids=repr)
def test_curvatures_are_derivatives_of_slopes(loss):
    f, step = np.linspace(-3, 3, 24), 1e-6
    for y in (-1.0, 1.0):
        change = loss.subgradient(f + step, y) - loss.subgradient(f - step, y)
        np.testing.assert_allclose(loss.curvature(f, y), change / (2 * step), rtol=1e-5, atol=1e-8)


def test_the_score_is_that_of_scikit_learn():
    X, y, w = sample()
    for loss, measure in (("logistic", accuracy_score), ("square", r2_score)):
        machine = wm.TikhonovEstimator(loss, KERNEL, 0.1).fit(X[:20], y[:20])
        assert machine.score(X, y) == measure(y, machine.predict(X))
        assert machine.score(X, y, sample_weight=w) == measure(y, machine.predict(X), sample_weight=w)


@pytest.mark.parametrize("loss", ["hinge", "logistic", losses.Power(1.5)])
def test_a_loss_of_margins_makes_a_classifier_for_folds_and_scores(loss):
    X, y, _ = sample(60)
    order = np.argsort(y, kind="stable")  # a fold has one class only unless folds are stratified
    machine = wm.TikhonovEstimator(loss, KERNEL)
    assert is_classifier(machine)
    assert cross_val_score(machine, X[order], y[order], cv=3, scoring="roc_auc").min() > 0.6
    np.testing.assert_array_equal(machine.classes_, [-1, 1])


def test_a_loss_of_differences_makes_no_classifier():
    machine = wm.TikhonovEstimator("absolute")
    assert not is_classifier(machine) and not hasattr(machine, "classes_")
