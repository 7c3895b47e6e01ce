"""Bad input: one sentence that names the culprit, before any work, and a fitted machine stays as it was."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_iris

import widemargin as wm
from widemargin.solvers import Decomposition

X, y = load_iris(return_X_y=True)
K = X @ X.T
GOOD_X, GOOD_Y = X[:60, :3], np.arange(60) % 2
MACHINES = [wm.SVC, wm.NuSVC, wm.SVR, wm.NuSVR, wm.OneClassSVM, wm.EnclosingBall]


def with_entry(array, value, row=3):
    array = np.array(array, dtype=float)
    array[row] = value
    return array


def state(machine):
    return {
        name: np.copy(value) if isinstance(value, np.ndarray) else value
        for name, value in vars(machine).items()
    }


def assert_refused(machine, message, X=X, y=y, sample_weight=None, error=ValueError):
    """The fit fails with the message and leaves both a fresh and a fitted machine as they were."""
    fresh = state(machine)
    with pytest.raises(error, match=message):
        machine.fit(X, y, sample_weight=sample_weight)
    assert state(machine).keys() == fresh.keys()
    fitted = type(machine)().fit(GOOD_X, GOOD_Y)
    fitted.set_params(**machine.get_params(deep=False))
    before = state(fitted)
    with pytest.raises(error, match=message):
        fitted.fit(X, y, sample_weight=sample_weight)
    after = state(fitted)
    assert before.keys() == after.keys()
    for name in before:
        np.testing.assert_equal(after[name], before[name])


@pytest.mark.parametrize("Machine", MACHINES)
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_nan_and_infinity_in_X(Machine, value):
    assert_refused(Machine(), "Input X contains (NaN|infinity)", X=with_entry(X, value))


@pytest.mark.parametrize("convert", [np.asarray, np.float32, sp.csr_matrix])
def test_one_sentence_names_the_row_that_is_not_finite(convert):
    with pytest.raises(ValueError) as caught:
        wm.SVC().fit(convert(with_entry(X, np.nan, row=7)), y)
    assert str(caught.value) == "Input X contains NaN in row 7: drop the row or fill the gap."
    with pytest.raises(ValueError) as caught:
        wm.SVC().fit(X, y).predict(convert(with_entry(X, -np.inf, row=5)))
    assert str(caught.value) == "Input X contains infinity in row 5: drop the row or give it a finite value."


@pytest.mark.parametrize("Machine", [wm.SVC, wm.SVR, wm.NuSVC, wm.NuSVR])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_nan_and_infinity_in_y(Machine, value):
    assert_refused(Machine(), "Input y contains (NaN|infinity) in row 3: drop", y=with_entry(y, value))
    with pytest.raises(ValueError, match="in row 3"):
        Machine().fit(X, list(with_entry(y, value)))


SUPERVISED = [
    wm.SVC(),
    wm.NuSVC(),
    wm.SVR(),
    wm.NuSVR(),
    wm.RLSClassifier(),
    wm.RLSRegressor(),
    wm.RestrictedSVC(),
    wm.TikhonovEstimator("square"),
]


@pytest.mark.parametrize("machine", SUPERVISED, ids=repr)
def test_targets_that_are_missing_are_asked_for_by_the_machine_itself(machine):
    name = type(machine).__name__
    with pytest.raises(ValueError, match=rf"This {name} estimator requires y .*: call fit\(X, y\)"):
        machine.fit(X, None)
    with pytest.raises((TypeError, ValueError), match=rf"This {name} estimator|{name}\.fit\(\)"):
        machine.fit(X)


def test_a_ball_has_one_price():
    assert_refused(wm.EnclosingBall(nu=0.2, C=1.0), r"nu=0.2 and C=1.0 .*: give one of them")
    default, given = wm.EnclosingBall().fit(X), wm.EnclosingBall(nu=0.1).fit(X)
    assert default.radius_ == given.radius_


@pytest.mark.parametrize(
    ("build", "parameters", "message"),
    [
        (wm.SMO, {"working_set": "foo"}, "working_set must be a rule or one of"),
        (wm.SMO, {"step": "foo"}, "step must be a rule or one of"),
        (wm.SMO, {"stopping": "foo"}, "stopping must be one of"),
        (wm.SMO, {"tie_break": "foo"}, "tie_break must be"),
        (wm.SMO, {"precision": "foo"}, "precision must be one of"),
        (wm.SMO, {"finish": "foo"}, "finish must be one of"),
        (wm.SMO, {"trace": -1}, "trace must be a number"),
        (Decomposition, {"size": 1}, "size must be at least 2; got 1"),
        (Decomposition, {"inner": "foo"}, "inner must be an SMO"),
        (Decomposition, {"tie_break": "foo"}, "tie_break must be"),
        (Decomposition, {"precision": "foo"}, "precision must be one of"),
    ],
)
def test_solvers_are_refused_when_they_are_made_and_when_they_are_used(build, parameters, message):
    with pytest.raises(ValueError, match=message):
        build(**parameters)
    solver = build().set_params(**parameters)
    assert_refused(wm.SVC(solver=solver), message)


@pytest.mark.parametrize("Machine", [wm.SVC, wm.NuSVC])
def test_a_single_class(Machine):
    assert_refused(
        Machine(), "number of classes has to be greater than one; got 1 class, 1", y=np.ones(len(y))
    )


@pytest.mark.parametrize("Machine", [wm.SVC, wm.NuSVC])
def test_a_single_class_of_positive_weight(Machine):
    assert_refused(Machine(), "zero for every sample of class 2", sample_weight=(y != 2).astype(float))


@pytest.mark.parametrize(
    ("Machine", "parameters", "message"),
    [
        (wm.SVC, {"C": 0}, "C must be a positive number, not 0"),
        (wm.SVR, {"C": -1.0}, "C must be a positive number, not -1.0"),
        (wm.NuSVR, {"C": np.inf}, "C must be a positive finite number, not inf"),
        (wm.EnclosingBall, {"C": 0.0}, "C must be None or a positive number, not 0.0"),
        (wm.EnclosingBall, {"C": 1e-3}, "C is too small"),
        (wm.SVC, {"C": "1"}, "C must be a positive number, not '1'"),
        (wm.SVC, {"C": np.nan}, "C must be a positive number, not nan"),
        (wm.SVC, {"gamma": 0.0}, "gamma must be .* not 0.0"),
        (wm.SVC, {"gamma": -1.0}, "gamma must be .* not -1.0"),
        (
            wm.SVC,
            {"gamma": "wide"},
            "gamma must be 'scale' or 'auto' or a positive finite number, not 'wide'",
        ),
        (wm.SVC, {"kernel": "gauss"}, "kernel must be one of .* not 'gauss'"),
        (wm.SVC, {"degree": -1}, "degree must be an integer >= 0, not -1"),
        (wm.SVC, {"coef0": np.nan}, "coef0 must be a finite number, not nan"),
        (wm.SVC, {"tol": 0.0}, "tol must be a positive finite number, not 0.0"),
        (wm.SVC, {"cache_size": -1}, "cache_size must be 'auto' or a finite number >= 0, not -1"),
        (wm.SVC, {"cache_size": "all"}, "cache_size must be .* not 'all'"),
        (wm.SVC, {"max_iter": -2}, "max_iter must be .* not -2"),
        (wm.SVC, {"max_time": -1}, "max_time must be .* not -1"),
        (wm.SVC, {"n_jobs": 0}, "n_jobs must be .* not 0"),
        (wm.SVC, {"shrinking": "yes"}, "shrinking must be True or False, not 'yes'"),
        (wm.SVC, {"callback": 3}, "callback must be None or a function, not 3"),
        (wm.SVC, {"solver": 3}, "solver must be"),
        (wm.SVC, {"solver": "fastest"}, "solver must be"),
        (wm.SVC, {"loss": "log"}, "loss must be 'hinge' or"),
        (wm.SVC, {"multiclass": "ovo"}, "multiclass must be one of 'all-pairs', .* not 'ovo'"),
        (wm.SVC, {"class_weight": "even"}, "class_weight must be"),
        (
            wm.SVC,
            {"class_weight": {0: -1.0}},
            "class_weight must be positive and finite, but that of class 0 is not",
        ),
        (wm.SVC, {"decision_function_shape": "raw"}, "decision_function_shape must be"),
        (wm.SVR, {"epsilon": -0.1}, "epsilon must be a finite number >= 0, not -0.1"),
        (wm.NuSVC, {"nu": 0.0}, r"nu must be a number in \(0, 1\], not 0.0"),
        (wm.NuSVR, {"nu": 1.5}, r"nu must be a number in \(0, 1\], not 1.5"),
        (wm.OneClassSVM, {"nu": 1.5}, r"nu must be a number in \(0, 1\], not 1.5"),
        (wm.EnclosingBall, {"nu": -0.5}, r"nu must be None or a number in \[0, 1\], not -0.5"),
    ],
)
def test_bad_parameters(Machine, parameters, message):
    assert_refused(Machine(**parameters), message)


def test_an_infeasible_nu():
    few = np.where(np.arange(len(y)) < 15, 0, 1)
    assert_refused(
        wm.NuSVC(nu=0.5), r"nu = 0.5 is infeasible: with these class sizes it must lie in \(0, 0.2\]", y=few
    )


def test_a_nu_infeasible_for_some_pairs_is_announced_and_limited():
    few = np.r_[np.zeros(50), np.ones(50), np.full(10, 2)].astype(int)
    with pytest.warns(UserWarning, match=r"nu = 0.5 is infeasible for 2 of 3 problems"):
        machine = wm.NuSVC(nu=0.5).fit(X[:110], few)
    assert machine.score(X[:100], few[:100]) > 0.9


@pytest.mark.parametrize("Machine", MACHINES)
@pytest.mark.parametrize(
    ("weight", "message"),
    [
        (with_entry(np.ones(len(y)), -1.0), r"not negative, but sample_weight\[3\] is -1"),
        (with_entry(np.ones(len(y)), np.nan), r"sample_weight\[3\] is nan"),
        (np.zeros(len(y)), "sample_weight is zero for every sample"),
        (np.ones(7), r"sample_weight has shape \(7,\), but there are 150 samples"),
        (np.ones((len(y), 2)), r"sample_weight has shape \(150, 2\)"),
    ],
)
def test_bad_weights(Machine, weight, message):
    assert_refused(Machine(), message, sample_weight=weight)


@pytest.mark.parametrize("Machine", MACHINES)
def test_empty_input(Machine):
    assert_refused(Machine(), "0 sample", X=np.empty((0, 4)), y=np.empty(0))


@pytest.mark.parametrize("Machine", MACHINES)
def test_a_wrong_number_of_features(Machine):
    machine = Machine(**({"nu": 0.2} if Machine is wm.NuSVC else {})).fit(X, y)
    with pytest.raises(ValueError, match=r"X has 3 features, but .* is expecting 4 features"):
        machine.predict(X[:, :3])


def test_an_asymmetric_precomputed_matrix():
    lopsided = K.copy()
    lopsided[3, 5] += 1.0
    assert_refused(
        wm.SVC(kernel="precomputed"), r"symmetric, but \[3, 5\] and \[5, 3\] differ by 1", X=lopsided
    )


def test_a_precomputed_matrix_that_is_not_square():
    assert_refused(wm.SVC(kernel="precomputed"), r"square.*\(150, 4\)", X=X)


def test_a_sparse_precomputed_matrix():
    assert_refused(wm.SVC(kernel="precomputed"), "Sparse precomputed", X=sp.csr_matrix(K), error=TypeError)


def test_an_indefinite_precomputed_matrix_is_announced_and_trained_on():
    indefinite = K - 0.5 * np.abs(np.linalg.eigvalsh(K)).max() * np.eye(len(K))
    with pytest.warns(UserWarning, match="not positive semi-definite"):
        machine = wm.SVC(kernel="precomputed").fit(indefinite, y)
    assert np.isfinite(machine.decision_function(indefinite)).all()


@pytest.mark.parametrize(
    "matrix", [K, X @ X.T + 1e-13, np.exp(-0.1 * ((X[:, None] - X) ** 2).sum(axis=2)), np.ones_like(K)]
)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_kernel_matrix_raises_no_alarm(matrix, dtype):
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        wm.SVC(kernel="precomputed").fit(matrix.astype(dtype), y)


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (lambda A, B: np.ones((2, 2)), "must return an array of shape"),
        (lambda A, B: np.full((len(A), len(B)), np.nan), "returned NaN or infinity"),
        (lambda A, B: 1 / 0, "division by zero"),
    ],
)
def test_kernel_functions_that_fail(kernel, message):
    assert_refused(wm.SVC(kernel=kernel), message, error=(ValueError, ZeroDivisionError))


def test_a_cache_of_zero_bytes_works():
    slow, fast = wm.SVC(cache_size=0).fit(X, y), wm.SVC().fit(X, y)
    np.testing.assert_allclose(slow.decision_function(X), fast.decision_function(X), atol=1e-2)


def test_points_repeated_with_opposite_labels():
    twice = np.repeat([[0.0], [1.0]], 2, axis=0)
    np.testing.assert_allclose(wm.SVC().fit(twice, [0, 1, 0, 1]).decision_function(twice), 0.0, atol=1e-9)
    machine = wm.SVC(C=np.inf)
    with pytest.raises(ValueError, match=r"C=inf: classes \[0\] and \[1\] cannot be separated"):
        machine.fit(twice, [0, 1, 0, 1])
    assert not hasattr(machine, "classes_")


def test_ties_cannot_be_broken_between_pairs():
    machine = wm.SVC(break_ties=True, decision_function_shape="ovo").fit(X, y)
    with pytest.raises(ValueError, match="break_ties must be False"):
        machine.predict(X)


def test_a_nu_without_margin_is_announced_and_leaves_a_model():
    twice = np.repeat([[0.0], [1.0]], 2, axis=0)
    with pytest.warns(UserWarning, match="nu is too small for these data"):
        machine = wm.NuSVC(nu=0.5).fit(twice, [0, 1, 0, 1])
    assert np.isfinite(machine.decision_function(twice)).all()
    with pytest.warns(UserWarning, match="nu is too small for these data"):
        machine = wm.NuSVC(nu=0.01, kernel="linear").fit(X, y)
    assert machine.score(X[y == 0], y[y == 0]) == 1  # the other two classes overlap


def test_labels_without_an_order_are_named():
    names = np.array(["a", "b", "c"], dtype=object)[y]
    names[7] = None
    assert_refused(wm.SVC(), "Input y contains None in row 7: drop the row or give it a class", y=names)
    names[7] = 3
    assert_refused(wm.SVC(), "y mixes labels of the types int, str: make all of them strings", y=names)


@pytest.mark.parametrize("machine", [wm.SVC(), wm.SVR(), wm.OneClassSVM()])
@pytest.mark.parametrize("container", [np.asarray, sp.csr_matrix])
def test_an_overflowing_variance_is_blamed_on_the_scale_of_X(machine, container):
    assert_refused(machine, "X is too large: its variance.* overflows; scale X", X=container(1e200 * X))


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_a_margin_of_rounding_size_is_announced_as_none_at_all(kernel):
    twice = np.vstack([X[:50], X[:50]])
    with pytest.warns(UserWarning, match="nu is too small for these data"):
        machine = wm.NuSVC(nu=0.5, kernel=kernel).fit(twice, np.repeat([0, 1], 50))
    assert np.abs(machine.decision_function(twice)).max() < 1e-9


@pytest.mark.parametrize("factor", [1e-6, 1e6])
def test_a_small_margin_of_small_data_is_one(factor):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        machine = wm.NuSVC(nu=0.1, kernel="linear", tol=1e-3 * factor**2).fit(factor * X[:100], y[:100])
    assert machine.score(factor * X[:100], y[:100]) == 1


def test_targets_no_function_reaches_within_epsilon_at_infinite_C():
    assert_refused(
        wm.SVR(C=np.inf, kernel="linear", epsilon=0.01), "no function of this kernel", X=X[:, :3], y=X[:, 3]
    )


@pytest.mark.parametrize("Machine", [wm.SVR, wm.NuSVR])
def test_nan_in_y_of_objects(Machine):
    def same_length(A, B):
        return np.array([[float(len(a) == len(b)) for b in B] for a in A])

    with pytest.raises(ValueError, match="Input y contains NaN"):
        Machine(kernel=same_length).fit(["a", "bb"], [0.0, np.nan])


def test_kernel_values_that_overflow_are_refused_and_leave_the_machine_as_it_was():
    X, y = load_iris(return_X_y=True)
    machine = wm.SVC(kernel="poly", gamma=1.0).fit(X, y)
    before = machine.predict(X)
    large = X.copy()
    large[80] = 1e120
    with pytest.raises(ValueError, match="overflow"):
        machine.fit(large, y)
    np.testing.assert_array_equal(machine.predict(X), before)
