"""Least-squares machines and bad input: one sentence, before any work, nothing half-fitted."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

import widemargin as wm

RANDOM = np.random.default_rng(0)
X, y = RANDOM.normal(size=(40, 3)), RANDOM.integers(0, 2, size=40)
MACHINES = [wm.RLSClassifier, wm.RLSRegressor]


def state(machine):
    return {
        name: np.copy(value) if isinstance(value, np.ndarray) else value
        for name, value in vars(machine).items()
    }


def assert_refused(machine, message, X=X, y=y, **fit):
    """The fit fails with the message and leaves a fitted machine as it was."""
    fitted = type(machine)().fit(RANDOM.normal(size=(30, 2)), 2 * (np.arange(30) % 2) - 1)
    fitted.set_params(**machine.get_params(deep=False))
    before = state(fitted)
    with pytest.raises(ValueError, match=message) as caught:
        fitted.fit(X, y, **fit)
    assert "\n" not in str(caught.value)
    after = state(fitted)
    assert before.keys() == after.keys()
    for name in before:
        np.testing.assert_equal(after[name], before[name])


@pytest.mark.parametrize("Machine", MACHINES)
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"lam": 0.0}, "lam must be 'loo' or a positive finite number or a list of them, not 0.0"),
        ({"lam": -1.0}, "lam must be 'loo' or a positive finite number or a list of them, not -1.0"),
        ({"lam": [1.0, -1.0]}, r"a list of them, not \[1.0, -1.0\]"),
        ({"lam": []}, r"a list of them, not \[\]"),
        ({"regularizer": "c"}, "regularizer must be 'norm' or 'coefficients', not 'c'"),
        ({"regularizer": "coefficients", "solver": "cg", "lam": 1.0}, "cannot be solved by solver='cg'"),
        ({"lam": [0.1, 1.0], "solver": "cg"}, "solver='cg' cannot choose lam"),
        ({"lam": np.nan}, "lam must be"),
        ({"lam": "cv"}, "lam must be .* not 'cv'"),
        ({"gamma": -1.0}, "gamma must be .* not -1.0"),
        ({"bias": True}, "bias must be 'none' or 'free' or 'penalised', not True"),
        ({"solver": "lu"}, "solver must be .* not 'lu'"),
        ({"solver": "primal"}, "solver='primal' needs a linear kernel, not kernel='rbf'"),
        ({"solver": "cg"}, "solver='cg' cannot choose lam by leave-one-out: give lam a number"),
        ({"solver": "cg", "lam": 1.0, "gamma": "loo"}, "solver='cg' cannot choose gamma by leave-one-out"),
        ({"gamma": "loo", "kernel": "linear"}, "gamma='loo' needs a kernel by name .* not kernel='linear'"),
        ({"gamma": "loo", "kernel": wm.Gaussian(2.0)}, r"gamma='loo' .* not kernel=Gaussian\(gamma=2.0\)"),
        ({"solver": "cg", "lam": 1.0, "leave_one_out": True}, "solver='cg' has no leave-one-out"),
        ({"leave_one_out": "yes"}, "leave_one_out must be .* not 'yes'"),
        ({"cache_size": 0}, "cache_size is too small .* takes 0.018 MB; raise cache_size"),
        ({"tol": 0.0}, "tol must be a positive finite number, not 0.0"),
        ({"max_iter": -2}, "max_iter must be"),
        ({"n_jobs": 0}, "n_jobs must be"),
    ],
)
def test_bad_parameters(Machine, parameters, message):
    assert_refused(Machine(**parameters), message)


@pytest.mark.parametrize("Machine", MACHINES)
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_points_that_are_not_finite(Machine, value):
    bad = X.copy()
    bad[7, 1] = value
    assert_refused(Machine(), "Input X contains (NaN|infinity) in row 7", X=bad)


def test_targets_that_are_not_finite():
    assert_refused(wm.RLSRegressor(), "Input y contains NaN", y=np.where(np.arange(40) == 3, np.nan, 1.0))


def test_targets_that_are_words():
    words = np.array(["1"] * 3 + ["two"] * 37, dtype=object)
    message = "Input y must be numbers, but in row 3 it is two: classes are for a classifier"
    assert_refused(wm.RLSRegressor(), message, y=words)
    assert_refused(wm.RLSRegressor(), message, y=words.astype(str))
    assert_refused(wm.TikhonovEstimator(), message, y=words)
    assert_refused(wm.RLSRegressor(), "row 3 it is two, two: ", y=np.stack([words, words], axis=1))


def test_targets_whose_squares_overflow():
    large = np.where(np.arange(40) == 3, 1e200, 1.0)
    assert_refused(wm.RLSRegressor(), "y is too large in row 3: squares .* overflow; scale y", y=large)
    assert_refused(wm.RLSRegressor(), "y is too large in row 3", y=np.stack([np.ones(40), -large], axis=1))
    with pytest.raises(ValueError, match="chunk 0: y is too large in row 3"):
        wm.RLSRegressor(centres=3).fit_chunks([(X, large)])
    assert np.isfinite(wm.RLSRegressor().fit(X, 1e140 * X[:, 0]).loo_error_)


def test_a_kernel_that_is_not_positive_semi_definite_is_told():
    kernel = wm.Sigmoid(1.0, -1.0)
    for machine in (wm.RLSRegressor(kernel=kernel, lam=1e-3), wm.TikhonovEstimator("square", kernel, 1e-3)):
        with pytest.warns(UserWarning, match=r"Sigmoid\(.*\) is not positive semi-definite on these points"):
            machine.fit(X, np.sign(X[:, 0]))


def test_a_norm_whose_square_is_negative_is_no_norm():
    K = np.array([[-1.0, 0.0], [0.0, -2.0]])
    with pytest.warns(UserWarning, match="not positive semi-definite"):
        machine = wm.TikhonovEstimator("square", "precomputed", 2.0).fit(K, [1.0, -1.0])
    c = machine.dual_coef_[0]
    assert np.isnan(machine.norm_)
    assert machine.objective_ == pytest.approx(machine.risk_ + 2.0 * c @ K @ c)


@pytest.mark.parametrize("Machine", MACHINES)
def test_bad_weights(Machine):
    assert_refused(Machine(), "zero for every sample", sample_weight=np.zeros(40))
    assert_refused(Machine(), r"sample_weight\[0\] is -1", sample_weight=-np.ones(40))
    assert_refused(Machine(), "sample_weight must be numbers", sample_weight=["heavy"] * 40)


def test_classes_that_are_missing():
    assert_refused(wm.RLSClassifier(), "greater than one; got 1 class", y=np.ones(40))
    assert_refused(
        wm.RLSClassifier(), "zero for every sample of class 1", sample_weight=(y == 0).astype(float)
    )


@pytest.mark.parametrize("solver", ["cholesky", "eigen", "primal"])
def test_a_singular_system_says_so_and_what_to_raise(solver):
    few = RANDOM.normal(size=(40, 3))
    few[:, 2] = few[:, 0]
    machine = wm.RLSRegressor(kernel="linear", lam=1e-25, solver=solver)
    assert_refused(machine, r"ridge = lam n = 4e-24 is singular .* raise lam", X=few)


def with_equal_columns(n=100):
    random = np.random.default_rng(3)
    points = random.normal(size=(n, 3))
    points[:, 2] = points[:, 0]
    return points, random.normal(size=n)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("bias", ["none", "free", "penalised"])
def test_weights_that_are_up_to_rounding_are_refused_and_others_are_right(bias, form):
    points, targets = with_equal_columns()
    for lam in 10.0 ** np.arange(-25, -5):
        machine = wm.RLSRegressor(kernel="linear", lam=lam, bias=bias)
        if lam < 1e-14:
            assert_refused(machine, "is singular .* raise lam", X=form(points), y=targets)
        elif lam > 5e-13:
            first, _, last = machine.fit(form(points), targets).coef_[0]
            assert first == pytest.approx(last, rel=1e-4)


def test_features_of_very_different_scales_are_no_singular_system():
    random = np.random.default_rng(4)
    points, scales = random.normal(size=(100, 3)), np.array([1e7, 1e4, 1.0])
    targets = points @ [1.0, 2.0, 3.0]
    machine = wm.RLSRegressor(kernel="linear", lam=1e-8).fit(points * scales, targets)
    np.testing.assert_allclose(machine.coef_[0] * scales, [1.0, 2.0, 3.0], rtol=1e-5)


@pytest.mark.parametrize("leave_one_out", [True, False])
def test_a_singular_system_with_centres_says_so_in_memory_in_blocks_and_in_chunks(leave_one_out, monkeypatch):
    points, targets = with_equal_columns()
    machine = wm.RLSRegressor(kernel="linear", lam=1e-25, centres=10, leave_one_out=leave_one_out)
    sentence = "is singular .* raise lam"
    assert_refused(machine, sentence, X=points, y=targets)
    monkeypatch.setattr("widemargin.estimators.low_rank_machine.FEATURE_BYTES", 2**40)
    assert_refused(machine, sentence, X=points, y=targets)
    with pytest.raises(ValueError, match=sentence):
        machine.fit_chunks([(points[:50], targets[:50]), (points[50:], targets[50:])])
    assert not hasattr(machine, "dual_coef_")


@pytest.mark.parametrize("solver", ["cholesky", "eigen", "cg"])
def test_kernel_values_that_overflow_are_blamed_on_the_scale(solver):
    machine = wm.RLSRegressor(kernel="poly", degree=5, gamma=1.0, lam=1.0, solver=solver)
    assert_refused(machine, "not finite: scale X", X=1e70 * X)


@pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning")
@pytest.mark.parametrize("solver", ["eigen", "primal"])
def test_the_path_of_kernel_values_that_overflow_is_refused_too(solver):
    assert_refused(wm.RLSRegressor(kernel="linear", solver=solver), "not finite: scale X", X=1e200 * X)


@pytest.mark.parametrize("bias", ["none", "free", "penalised"])
@pytest.mark.parametrize("solver", ["cholesky", "eigen", "cg"])
def test_a_kernel_that_is_zero_leaves_the_bias(solver, bias, monkeypatch):
    monkeypatch.setattr("widemargin.least_squares.machine.LOW_RANK_SIZE", 10)
    lam = 1e-9 if solver == "cg" else "loo"
    machine = wm.RLSRegressor(kernel="precomputed", lam=lam, solver=solver, bias=bias)
    predicted = machine.fit(np.zeros((40, 40)), 3.0 + y).predict(np.zeros((40, 40)))
    np.testing.assert_allclose(predicted, 0.0 if bias == "none" else np.mean(3.0 + y), rtol=0.1)


def test_a_free_bias_needs_two_points():
    assert_refused(wm.RLSRegressor(bias="free"), "at least two samples", sample_weight=np.eye(40)[0])


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_conjugate_gradients_cut_short_warn_with_the_residual(kernel, monkeypatch):
    monkeypatch.setattr("widemargin.least_squares.machine.PRECONDITIONER_RANK", 2)
    wide = RANDOM.normal(size=(100, 60))
    machine = wm.RLSRegressor(kernel=kernel, lam=1e-6, solver="cg", max_iter=1, gamma=5.0)
    with pytest.warns(
        ConvergenceWarning, match=r"stopped at max_iter=1 with a relative residual of [\d.e-]+ \("
    ):
        machine.fit(wide, wide[:, 0] ** 2)
    assert machine.n_iter_ == 1


def test_conjugate_gradients_that_stall_warn_with_the_residual():
    wide = np.random.default_rng(1).normal(size=(50, 60)) * np.geomspace(1e-9, 1.0, 50)[:, None]
    machine = wm.RLSRegressor(kernel="linear", lam=1e-25, solver="cg", tol=1e-15)
    with pytest.warns(ConvergenceWarning, match="stalled with a relative residual of .* raise lam or tol"):
        machine.fit(wide, np.sin(np.arange(50)))


def test_leave_one_out_is_absent_where_it_was_not_computed():
    iterated = wm.RLSRegressor(lam=0.1, solver="cg").fit(X, y)
    without = wm.RLSClassifier(lam=0.1, leave_one_out=False).fit(X, y)
    for machine, words in ((iterated, "conjugate gradients"), (without, "was not computed")):
        for name in ("loo_predictions_", "loo_residuals_", "loo_error_", "gcv_"):
            assert not hasattr(machine, name)
            with pytest.raises(AttributeError, match=f"{name} .*{words}.*: fit with"):
                getattr(machine, name)
        assert not hasattr(machine, "lam_path_")


def test_coef_exists_for_linear_kernels_only():
    assert not hasattr(wm.RLSRegressor().fit(X, y), "coef_")
    assert wm.RLSClassifier(kernel="linear").fit(X, y).coef_.shape == (1, 3)


def test_a_refit_forgets_the_path_of_the_last_one():
    machine = wm.RLSRegressor().fit(X, y)
    assert machine.lam_path_.shape == machine.loo_path_.shape
    machine.set_params(lam=0.1).fit(X, y)
    assert not hasattr(machine, "lam_path_") and machine.lam_ == 0.1


def test_kernel_matrices_beyond_the_budget_are_left_to_conjugate_gradients():
    small = wm.RLSRegressor(gamma="scale", lam=0.01, cache_size=0.001, tol=1e-12).fit(X, y)
    large = wm.RLSRegressor(gamma="scale", lam=0.01).fit(X, y)
    assert (small.solver_, large.solver_) == ("cg", "cholesky")
    np.testing.assert_allclose(small.dual_coef_, large.dual_coef_, atol=1e-9)


def test_the_solver_follows_the_shape_of_the_problem():
    tall, flat = RANDOM.normal(size=(30, 3)), RANDOM.normal(size=(10, 30))
    text = sp.random(3500, 4000, density=0.002, format="csr", random_state=0)
    assert wm.RLSRegressor(kernel="linear").fit(tall, tall[:, 0]).solver_ == "primal"
    assert wm.RLSRegressor(kernel="linear").fit(flat, flat[:, 0]).solver_ == "eigen"
    assert wm.RLSRegressor().fit(tall, tall[:, 0]).solver_ == "eigen"
    assert wm.RLSRegressor(kernel="linear", lam=1.0).fit(text, np.arange(3500) % 2).solver_ == "cg"


def test_objects_and_functions_serve_as_points_and_kernels():
    words = ["a", "aa", "b", "bb", "ab", "ba"] * 3

    def common(A, B):
        return np.array([[float(len(set(a) & set(b))) for b in B] for a in A])

    machine = wm.RLSClassifier(kernel=common, lam=0.01).fit(words, ["a" in word for word in words])
    assert machine.predict(["aaa", "bbb"]).tolist() == [True, False]
