"""What a bound assumes is checked, and said in one sentence."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from widemargin import SVC, SVR, RLSClassifier, bounds, leave_one_out, losses

X = np.array([[-3.0], [-1.0], [-0.5], [0.5], [1.0], [3.0]])
y = np.array([0, 0, 1, 0, 1, 1])
separable = np.array([0, 0, 0, 1, 1, 1])


def machine(labels=y, **parameters):
    return SVC(gamma=1.0, **parameters).fit(X, labels)


ON_MACHINES = [
    bounds.jaakkola_haussler,
    bounds.squared_spans,
    bounds.span_rule,
    bounds.span_bound,
    bounds.radius_margin,
    bounds.fewest_support_vectors,
    lambda *given: bounds.soft_margin_bound(*given, margin=0.1),
    lambda *given: bounds.hard_margin_bound(*given, margin=0.1),
]


@pytest.mark.parametrize("bound", ON_MACHINES)
def test_other_machines_data_and_classes_are_refused(bound):
    with pytest.raises(ValueError, match="fitted SVC"):
        bound(SVR().fit(X, y), X, y)
    with pytest.raises(NotFittedError):
        bound(SVC(), X, y)
    with pytest.raises(ValueError, match="two classes; the machine has 3"):
        bound(machine(np.arange(6) % 3), X, np.arange(6) % 3)
    with pytest.raises(ValueError, match="X must be the 6 points"):
        bound(machine(), X[:-1], y[:-1])
    with pytest.raises(ValueError, match="y must be the classes"):
        bound(machine(), X, y + 5)
    with pytest.raises(ValueError, match="y and C must be those of the fit"):
        bound(machine(), X, 1 - y)


@pytest.mark.parametrize(
    "bound", [bounds.jaakkola_haussler, bounds.span_bound, bounds.fewest_support_vectors]
)
def test_points_and_prices_that_are_not_those_of_the_fit_are_refused(bound):
    fitted = machine(fit_intercept=False)
    with pytest.raises(ValueError, match="X, y and C must be those of the fit"):
        bound(fitted, X[::-1] ** 2, y)
    with pytest.raises(ValueError, match="X, y and C must be those of the fit"):
        bound(fitted.set_params(C=3.0), X, y)
    lighter = SVC(gamma=1.0, fit_intercept=False).fit(X, y, sample_weight=[0.2, 0.1, 0.3, 0.2, 0.1, 0.2])
    with pytest.raises(ValueError, match="no sample weights"):
        bound(lighter, X, y)


@pytest.mark.parametrize("bound", [lambda machine, *_: bounds.support_vector_count(machine), *ON_MACHINES])
def test_a_machine_that_was_stopped_early_is_refused(bound):
    """Its six support vectors are fewer than the errors can be."""
    random = np.random.default_rng(0)
    points = random.normal(size=(60, 2))
    labels = points[:, 0] + 0.7 * random.normal(size=60) > 0
    with pytest.warns(ConvergenceWarning):
        stopped = SVC(C=2.0, gamma=1.0, fit_intercept=False, max_iter=3).fit(points, labels)
    assert stopped.support_.size < leave_one_out(stopped, points, labels).errors
    with pytest.raises(ValueError, match="at its optimum: The iteration limit"):
        bound(stopped, points, labels)


@pytest.mark.filterwarnings("ignore:.*not positive semi-definite")
@pytest.mark.parametrize(
    ("bound", "fitted"),
    [
        (bounds.jaakkola_haussler, SVC(fit_intercept=False)),
        (bounds.span_rule, SVC()),
        (bounds.rifkin, RLSClassifier(lam=0.1)),
    ],
)
def test_a_kernel_without_a_feature_space_is_refused(bound, fitted):
    fitted.set_params(kernel="sigmoid", gamma=1.0, coef0=1.0)
    with pytest.raises(ValueError, match="for positive semi-definite kernels"):
        bound(fitted.fit(X, y), X, y)
    fitted.set_params(kernel="precomputed").fit(K := np.exp(-((X - X.T) ** 2)), y)
    assert bound(fitted, K, y) >= 0


def test_a_machine_fitted_with_weights_is_refused():
    weighted = SVC(gamma=1.0).fit(X, y, sample_weight=[1, 1, 5, 5, 1, 1])
    with pytest.raises(ValueError, match="no sample weights"):
        bounds.span_rule(weighted, X, y)


@pytest.mark.parametrize(
    ("bound", "parameters", "sentence"),
    [
        (bounds.jaakkola_haussler, {}, "without bias"),
        (bounds.jaakkola_haussler, {"loss": "least-squares"}, "this bound is for the losses"),
        (bounds.support_vector_count, {"loss": "least-squares"}, "this bound is for the losses"),
        (bounds.radius_margin, {}, "C=inf or loss='squared_hinge'"),
        (bounds.fewest_support_vectors, {"loss": "squared_hinge"}, "this bound is for the losses"),
        (bounds.fewest_support_vectors, {"class_weight": {0: 2.0}}, "one finite C"),
        (lambda *given: bounds.soft_margin_bound(*given, margin=0.1), {}, "without bias"),
        (
            lambda *given: bounds.soft_margin_bound(*given, margin=100.0),
            {"fit_intercept": False},
            "does not apply: the machine's margin",
        ),
        (
            lambda *given: bounds.hard_margin_bound(*given, margin=0.1),
            {"fit_intercept": False},
            "hard margins",
        ),
        (lambda *given: bounds.soft_margin_bound(*given, margin=-1), {"fit_intercept": False}, "margin"),
        (bounds.span_rule, {"C": 1e-3}, "0 < alpha < C"),
    ],
)
def test_a_violated_assumption_is_named(bound, parameters, sentence):
    balanced = machine(**parameters)
    with pytest.raises(ValueError, match=sentence):
        bound(balanced) if bound is bounds.support_vector_count else bound(balanced, X, y)


THREE = np.arange(6) % 3
SQUARE = {"loss": "least-squares", "fit_intercept": False}


@pytest.mark.parametrize(
    ("machine", "sentence"),
    [
        (SVR().fit(X, y), "fitted RLSClassifier or least-squares SVC; got SVR"),
        (SVC().fit(X, y), "the loss 'least-squares'; the machine has 'hinge'"),
        (SVC(loss="least-squares").fit(X, y), "without bias: fit with fit_intercept=False"),
        (RLSClassifier(bias="free").fit(X, y), "without bias: fit with bias='none'"),
        (RLSClassifier(bias="penalised").fit(X, y), "without bias"),
        (RLSClassifier(centres=3).fit(X, y), "fit with centres=None"),
        (RLSClassifier(class_weight="balanced").fit(X, y), "class_weight=None"),
        (RLSClassifier(lam=0.1).fit(X, y, sample_weight=[1, 2, 1, 1, 1, 1]), "no sample weights"),
        (SVC(**SQUARE).fit(X, y, sample_weight=[1, 2, 1, 1, 1, 1]), "no sample weights"),
        (RLSClassifier().fit(X, y, sample_weight=[1, 0, 1, 1, 1, 1]), "no sample weights"),
        (RLSClassifier(kernel="linear").fit(X, y, sample_weight=[1, 3, 1, 1, 1, 1]), "no sample weights"),
        (RLSClassifier().fit(X[1:], y[1:]), "X must be the 5 points"),
        (RLSClassifier().fit(X, y + 5), "y must be the classes"),
        (RLSClassifier().fit(X, 1 - y), "y must be that of the fit"),
    ],
)
def test_what_rifkins_bound_assumes_is_named(machine, sentence):
    with pytest.raises(ValueError, match=sentence):
        bounds.rifkin(machine, X, y)


def test_rifkins_bounds_know_their_numbers_of_classes():
    with pytest.raises(ValueError, match="two classes; the machine has 3: use rifkin_multiclass"):
        bounds.rifkin(RLSClassifier().fit(X, THREE), X, THREE)
    with pytest.raises(ValueError, match="several classes; the machine has 2: use rifkin"):
        bounds.rifkin_multiclass(RLSClassifier().fit(X, y), X, y)
    with pytest.raises(ValueError, match="one machine per class"):
        bounds.rifkin_multiclass(RLSClassifier(multiclass="all-pairs").fit(X, THREE), X, THREE)
    with pytest.raises(NotFittedError):
        bounds.rifkin(RLSClassifier(), X, y)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: bounds.rifkin_of_values([1.0], [2.0], [1.0], 1.0), r"y must be -1 or \+1"),
        (lambda: bounds.rifkin_of_values([1.0], [1.0], [-1.0], 1.0), "diagonal"),
        (lambda: bounds.rifkin_of_values([np.nan], [1.0], [1.0], 1.0), "values must be finite"),
        (lambda: bounds.rifkin_of_values([1.0], [1.0], [1.0], 0.0), "ridge must be a positive number"),
        (lambda: bounds.rifkin_of_values([1.0, 2.0], [1.0], [1.0], 1.0), "y must be a vector of 2"),
        (
            lambda: bounds.rifkin_of_intervals([[1.0]], [[1.0]], [1.0], [[1]], [0]),
            "a row for each of several classes",
        ),
        (
            lambda: bounds.rifkin_of_intervals([[1.0]], [[1.0]], [1.0], [[1], [-1]], [2]),
            "labels must be 1 rows of the code",
        ),
        (
            lambda: bounds.rifkin_of_intervals([[1.0]], [[1.0]], [1.0], [[1], [-1]], [0], loss="log"),
            "loss must be one of",
        ),
        (
            lambda: bounds.rifkin_of_intervals([[1.0, 1.0]], [[1.0]], [1.0], [[1], [-1]], [0]),
            "values must be finite",
        ),
        (lambda: bounds.empirical_rademacher(np.ones((2, 3))), "square kernel matrix"),
        (lambda: bounds.rademacher_trace_bound(-np.eye(2)), "negative entry"),
        (lambda: bounds.rademacher_trace_bound(np.eye(2), -1.0), "radius"),
        (lambda: bounds.rademacher_bound(1.5, 0.1, 10), "empirical_risk"),
        (lambda: bounds.rademacher_bound(0.5, 0.1, 10, delta=1.0), "delta must lie strictly"),
        (lambda: bounds.rademacher_deviation(0.1, 0), "n must be a whole number"),
        (lambda: bounds.rademacher_of_powers(0.1, 0.5, 1.0, 10), "q must be at least 1"),
        (lambda: bounds.vc_bound(0.1, n=5, h=5), "more points than the VC dimension"),
        (lambda: bounds.vc_bound(2, n=50, h=5), "share of errors"),
        (lambda: bounds.vc_dimension(1.0, 0.0), "margin must be a positive number"),
        (lambda: bounds.stability("ramp", n=5, lam=1.0, kappa=1.0), "loss must be one of"),
        (lambda: bounds.stability(losses.Ramp(), n=5, lam=1.0, kappa=1.0), "must be convex, which Ramp"),
        (lambda: bounds.stability(1.0, n=5, lam=1.0, kappa=1.0), "or a Loss, not 1.0"),
        (lambda: bounds.stability("hinge", n=5, lam=0.0, kappa=1.0), "lam must be a positive number"),
        (lambda: bounds.stability("hinge", n=5, lam=1.0, kappa=1.0, mode="x"), "mode must be one of"),
        (
            lambda: bounds.multiclass_stability_bound(0.1, beta=1.0, gamma=1.0, code=[[1, 0], [-1, 1]], n=10),
            "without zeros",
        ),
        (
            lambda: bounds.multiclass_stability_bound(2.0, beta=1.0, gamma=1.0, code=[[1, 1], [-1, 1]], n=10),
            "ramp loss",
        ),
        (lambda: bounds.code_training_errors(0.1, n=5, code=[[1, 1], [1, 1]]), "tell all classes apart"),
        (lambda: bounds.code_training_errors(0.1, n=5, code=[[1], [-1]], decoding="x"), "decoding"),
    ],
)
def test_numbers_outside_their_range_are_refused(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()


def test_losses_by_name_and_as_objects_are_as_stable():
    of = {"n": 10, "lam": 0.3, "kappa": 1.2, "target": 2.0}
    objects = {"hinge": losses.Hinge(), "absolute": losses.Absolute(), "square": losses.Square()}
    for name, loss in objects.items():
        assert bounds.stability_bound(0.1, loss, **of) == bounds.stability_bound(0.1, name, **of)
    narrow = bounds.stability_bound(0.1, losses.EpsilonInsensitive(0.5), **of)
    assert narrow < bounds.stability_bound(0.1, "epsilon_insensitive", **of)
    distance = 2.0 * (1 + 1.2 / 0.3**0.5)
    assert bounds.stability("square", **of) == pytest.approx((2 * distance * 1.2) ** 2 / (2 * 0.3 * 10))


def test_formulas_have_the_constants_of_the_theorems():
    assert bounds.stability("square", n=10, lam=1.0, kappa=1.0) == pytest.approx(4**2 / 20)
    assert bounds.rademacher_deviation(0.0, 50, delta=np.exp(-1)) == pytest.approx(0.2)
    assert bounds.rademacher_bound(0.0, 0.0, 50, delta=2 * np.exp(-1)) == pytest.approx(0.3)
    one_vs_all = 2 * np.eye(5) - 1
    value = bounds.multiclass_stability_bound(
        0.0, beta=0.01, gamma=2.0, code=one_vs_all, n=50, delta=np.exp(-1)
    )
    assert value == pytest.approx(0.04 + (4.0 + 1) * 0.1)  # G = 2
    hard = SVC(kernel="linear", C=np.inf, fit_intercept=False).fit(X, separable)
    value = bounds.hard_margin_bound(hard, X, separable, margin=0.5, delta=2 * np.exp(-12))
    assert value == pytest.approx(4 / (6 * 0.5) * np.sqrt(20.5) + 3, rel=1e-6)


def test_the_rows_of_a_kernel_matrix_are_points_too():
    K = np.exp(-((X - X.T) ** 2))
    given = SVC(kernel="precomputed", tol=1e-9).fit(K, y)
    by_name = SVC(gamma=1.0, tol=1e-9).fit(X, y)
    assert bounds.span_rule(given, K, y) == bounds.span_rule(by_name, X, y)
    np.testing.assert_allclose(
        bounds.squared_spans(given, K, y), bounds.squared_spans(by_name, X, y), atol=1e-7
    )


@pytest.mark.parametrize("K", [[[0.0, 1.0], [1.0, 0.0]], [[1.0, 0.5], [0.0, 1.0]]])
def test_matrices_that_no_kernel_has_are_refused(K):
    for bound in (bounds.empirical_rademacher, bounds.rademacher_trace_bound):
        with pytest.raises(ValueError, match="K must be a kernel matrix: symmetric"):
            bound(K)


def test_a_function_of_zero_has_any_margin():
    X, y = np.array([[-1.0], [1.0], [-1.0], [1.0]]), np.array([-1, -1, 1, 1])
    machine = SVC(kernel="linear", fit_intercept=False).fit(X, y)
    assert np.isfinite(bounds.soft_margin_bound(machine, X, y, margin=0.5))


def test_rounding_does_not_decide_about_points_that_are_left_out_at_zero():
    X = np.array([[-3.0], [1.0], [-3.0], [-3.0], [1.0], [2.0], [3.0], [0.0]])
    y = np.array([1, 1, -1, -1, -1, -1, -1, -1])
    machine = SVC(kernel="linear", fit_intercept=False, C=0.01110622055626878).fit(X, y)
    assert bounds.jaakkola_haussler(machine, X, y) >= leave_one_out(machine, X, y).errors


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_matrices_of_parallel_points_are_those_of_a_kernel(dtype):
    A = np.random.default_rng(0).normal(size=(50, 3)).astype(dtype)
    A = np.vstack([A, 2 * A, np.float32(-3.3) * A])
    assert bounds.rademacher_trace_bound(A @ A.T) > 0
