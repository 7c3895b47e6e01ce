"""LinearSVC and LinearSVR, and SVC and SVR with a linear kernel on many points."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError

import widemargin as wm
from reference.linear import primal
from widemargin.estimators import by_weights
from widemargin.estimators.by_weights import WhereItPays


def classes(n=300, d=5, k=2, seed=0):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, d))
    scores = X @ random.normal(size=(d, k)) + 0.7 * random.normal(size=(n, k)) + np.arange(k) / 4
    return X, scores.argmax(axis=1)


def numbers(n=300, d=5, seed=0):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, d))
    return X, X @ random.normal(size=d) + random.normal(size=n) + 2.0


LOSSES = ["hinge", "squared_hinge"]
INSENSITIVE = ["epsilon_insensitive", "squared_epsilon_insensitive"]


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("bias", ["free", "penalised"])
def test_the_primal_value_is_that_of_weights_and_intercept(loss, bias):
    X, y = classes()
    machine = wm.LinearSVC(loss=loss, bias=bias, intercept_scaling=2.0, C=0.5, tol=1e-8).fit(X, y)
    value = primal(
        X, 2.0 * y - 1, machine.coef_[0], machine.intercept_[0], 0.5, loss,
        penalised=0.25 if bias == "penalised" else 0.0,
    )  # fmt: skip
    assert machine.primal_objective_ == pytest.approx(value, rel=1e-9)
    assert 0 <= machine.duality_gap_ <= 1e-8 * machine.primal_objective_


@pytest.mark.parametrize("loss", INSENSITIVE)
@pytest.mark.parametrize("bias", ["free", "penalised"])
def test_the_primal_value_of_a_regression_is_that_of_weights_and_intercept(loss, bias):
    X, y = numbers()
    machine = wm.LinearSVR(loss=loss, bias=bias, epsilon=0.3, C=2.0, tol=1e-8).fit(X, y)
    value = primal(X, y, machine.coef_, machine.intercept_[0], 2.0, loss, 0.3, float(bias == "penalised"))
    assert machine.primal_objective_ == pytest.approx(value, rel=1e-9)
    assert 0 <= machine.duality_gap_ <= 1e-8 * machine.primal_objective_


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("away", [3.0, 1e3, 1e6])
def test_a_free_intercept_follows_when_all_points_move(loss, away):
    X, y = classes()
    here, there = (wm.LinearSVC(loss=loss, tol=1e-9).fit(X + move, y) for move in (0.0, away))
    assert there.status_ is wm.Status.OPTIMAL
    np.testing.assert_allclose(here.coef_, there.coef_, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(
        here.decision_function(X), there.decision_function(X + away), rtol=1e-4, atol=1e-5 * (1 + 1e-5 * away)
    )


@pytest.mark.parametrize("seed", range(3))
def test_sparse_points_far_from_the_origin_come_to_an_end(seed):
    random = np.random.default_rng(seed)
    X = random.normal(size=(200, 1)) + 2e5
    y = 1.0 + 0.1 * random.normal(size=200)
    machine = wm.LinearSVR(C=0.01, tol=1e-3, max_time=60)
    dense, sparse = (clone(machine).fit(points, y) for points in (X, sp.csr_matrix(X)))
    assert sparse.status_ is wm.Status.OPTIMAL
    assert sparse.primal_objective_ == pytest.approx(dense.primal_objective_, rel=2e-3)


def test_unscaled_features_come_to_an_end():
    random = np.random.default_rng(0)
    X = np.c_[
        random.integers(1990, 2024, 800), random.normal(size=(800, 3)), random.integers(20_000, 90_000, 800)
    ]
    y = X[:, 1] + 0.3 * random.normal(size=800) > 0
    machine = wm.LinearSVC(max_iter=2000).fit(X, y)
    assert machine.status_ is wm.Status.OPTIMAL and machine.score(X, y) > 0.85


@pytest.mark.parametrize("C", [0.01, 1.0, 10.0])
def test_a_regression_whose_variables_are_all_at_their_bounds_finds_its_intercept(C):
    random = np.random.default_rng(0)
    X = 0.05 * random.normal(size=(400, 10))
    y = 100 * X[:, 0] / 0.05 + 50 * random.normal(size=400) + 150
    machine = wm.LinearSVR(C=C).fit(X, y)
    assert machine.status_ is wm.Status.OPTIMAL
    exact = wm.SVR(kernel="linear", C=C, epsilon=0.0, tol=1e-6).fit(X, y)
    assert machine.primal_objective_ == pytest.approx(exact.primal_objective_, rel=1e-4)


def test_a_constant_target_is_met():
    X, _ = numbers()
    machine = wm.LinearSVR().fit(X, np.full(len(X), 3.0))
    assert machine.status_ is wm.Status.OPTIMAL
    np.testing.assert_allclose(machine.predict(X), 3.0, atol=1e-6)


def test_a_fit_that_is_good_enough_at_its_limit_is_optimal():
    X = numbers()[0][:, :3]
    machine = wm.LinearSVR(max_iter=1, tol=0.999).fit(X, X[:, 0])
    assert machine.status_ is wm.Status.OPTIMAL
    assert machine.duality_gap_ <= 0.999 * machine.primal_objective_


def test_a_loose_tolerance_is_kept_too():
    X, y = classes(n=3000)
    machine = wm.LinearSVC(tol=0.1, loss="hinge").fit(X, y)
    assert machine.status_ is wm.Status.OPTIMAL
    assert machine.duality_gap_ <= 0.1 * machine.primal_objective_


def test_each_class_against_all_others():
    X, y = classes(k=4)
    names = np.array(["a", "b", "c", "d"])[y]
    machine = wm.LinearSVC(tol=1e-8, n_jobs=2).fit(X, names)
    assert machine.coef_.shape == (4, 5)
    for k, name in enumerate(machine.classes_):
        alone = wm.LinearSVC(tol=1e-8).fit(X, names == name)
        np.testing.assert_allclose(machine.coef_[k], alone.coef_[0], rtol=1e-3, atol=1e-5)
    values = machine.decision_function(X)
    np.testing.assert_array_equal(machine.predict(X), machine.classes_[values.argmax(axis=1)])


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_all_classes_at_once(k, fit_intercept):
    X, y = classes(k=k)
    machine = wm.LinearSVC(
        multi_class="crammer_singer", bias="penalised", fit_intercept=fit_intercept, tol=1e-5
    ).fit(X, y)
    bias = "penalised" if fit_intercept else "none"
    joint = wm.CrammerSinger(kernel="linear", bias=bias, tol=1e-5).fit(X, y)
    np.testing.assert_allclose(machine.decision_function(X), joint.decision_function(X), atol=1e-3)
    np.testing.assert_array_equal(machine.predict(X), joint.predict(X))


def test_weights_equal_repetitions_and_zero_leaves_out():
    X, y = classes(n=60)
    weight = np.random.default_rng(0).integers(0, 4, 60)
    weighted = wm.LinearSVC(loss="hinge").fit(X, y, weight)
    repeated = wm.LinearSVC(loss="hinge").fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-7)
    np.testing.assert_allclose(weighted.intercept_, repeated.intercept_, rtol=1e-6)


def test_class_weights_are_prices():
    X, y = classes()
    by_class = wm.LinearSVC(class_weight={0: 1.0, 1: 5.0}).fit(X, y)
    by_point = wm.LinearSVC().fit(X, y, np.where(y == 1, 5.0, 1.0))
    np.testing.assert_allclose(by_class.coef_, by_point.coef_)


@pytest.mark.parametrize("dtype", [np.float32, np.uint8])
def test_numbers_are_read_as_they_are_stored(dtype):
    X, y = classes()
    X = np.clip(np.round(4 * X + 8), 0, 20)
    expected = wm.LinearSVC().fit(X, y)
    np.testing.assert_allclose(wm.LinearSVC().fit(X.astype(dtype), y).coef_, expected.coef_, rtol=1e-6)
    np.testing.assert_allclose(wm.LinearSVC().fit(sp.csr_matrix(X), y).coef_, expected.coef_, rtol=1e-6)


def test_the_order_of_sweeps_is_that_of_random_state():
    X, y = classes(n=2000)
    options = {"loss": "hinge", "max_iter": 2}
    with pytest.warns(ConvergenceWarning, match="max_iter=2"):
        first = wm.LinearSVC(random_state=0, **options).fit(X, y)
    with pytest.warns(ConvergenceWarning):
        same = wm.LinearSVC(random_state=0, **options).fit(X, y)
    with pytest.warns(ConvergenceWarning):
        other = wm.LinearSVC(random_state=1, **options).fit(X, y)
    np.testing.assert_array_equal(first.coef_, same.coef_)
    assert (first.coef_ != other.coef_).any()
    assert first.n_iter_ == 2


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("limit", [1, 3, 7])
def test_newton_steps_count_as_iterations_too(loss, limit):
    X, y = classes(n=800)
    with pytest.warns(ConvergenceWarning, match=f"max_iter={limit} "):
        machine = wm.LinearSVC(loss=loss, max_iter=limit, tol=1e-13).fit(X, y)
    assert machine.n_iter_ == limit
    unlimited = wm.LinearSVC(loss=loss).fit(X, y)
    assert wm.LinearSVC(loss=loss, max_iter=unlimited.n_iter_).fit(X, y).n_iter_ <= unlimited.n_iter_


def test_a_stopped_fit_says_so():
    X, y = numbers()
    with pytest.warns(ConvergenceWarning, match="duality gap"):
        machine = wm.LinearSVR(max_iter=1, C=100.0).fit(X, y)
    assert machine.status_ is wm.Status.MAX_ITERATIONS


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"C": 0}, "C must be a positive finite number"),
        ({"C": np.inf}, "C must be a positive finite number"),
        ({"penalty": "l1"}, "penalty must be 'l2'"),
        ({"loss": "log"}, "loss must be 'hinge' or 'squared_hinge'"),
        ({"bias": "none"}, "bias must be 'free' or 'penalised'"),
        ({"tol": 0}, "tol must be"),
        ({"intercept_scaling": 0}, "intercept_scaling must be"),
        ({"multi_class": "crammer_singer"}, "no free intercept"),
        ({"n_jobs": 0}, "n_jobs must be"),
        ({"class_weight": {0: -1.0, 1: 1.0}}, "class_weight must be positive"),
    ],
)
def test_bad_parameters_are_named(options, sentence):
    machine = wm.LinearSVC(**options)
    with pytest.raises(ValueError, match=sentence):
        machine.fit(*classes())
    assert not hasattr(machine, "coef_")


def test_bad_data_are_named():
    X, y = classes()
    bad = X.copy()
    bad[7, 2] = np.nan
    with pytest.raises(ValueError, match="row 7"):
        wm.LinearSVC().fit(bad, y)
    with pytest.raises(ValueError, match="greater than one"):
        wm.LinearSVC().fit(X, np.zeros(len(X)))
    with pytest.raises(ValueError, match=r"sample_weight\[0\] is -1"):
        wm.LinearSVR().fit(X, y, np.full(len(X), -1.0))
    with pytest.raises(ValueError, match="epsilon must be"):
        wm.LinearSVR(epsilon=-1).fit(X, y)
    with pytest.raises(NotFittedError):
        wm.LinearSVC().predict(X)


def by_gram():
    return wm.Decomposition(inner=wm.SMO(step="planning-ahead", finish="newton"))


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_many_points_of_few_features_go_by_weights_to_the_same_machine(loss, fit_intercept):
    X, y = classes(n=2500)
    options = {"kernel": "linear", "loss": loss, "fit_intercept": fit_intercept, "tol": 1e-6}
    machine = wm.SVC(**options).fit(X, y)
    judge = wm.SVC(solver=by_gram(), **options).fit(X, y)
    assert machine.kernel_evaluations_ == 0 < judge.kernel_evaluations_
    assert machine.kkt_violation_ <= 1e-6
    assert machine.dual_objective_ == pytest.approx(judge.dual_objective_, rel=1e-8)
    np.testing.assert_allclose(machine.coef_, judge.coef_, atol=1e-4)
    np.testing.assert_allclose(machine.intercept_, judge.intercept_, atol=1e-4)


def test_points_far_from_the_origin_have_the_offsets_of_where_they_are():
    X, y = classes(3000)
    far = wm.SVC(kernel="linear", tol=1e-6).fit(X + 50.0, y)
    near = wm.SVC(kernel="linear", tol=1e-6).fit(X, y)
    np.testing.assert_allclose(far.decision_function(X + 50.0), near.decision_function(X), atol=1e-5)
    assert far.kkt_violation_ <= 1e-6 and far.dual_objective_ == pytest.approx(near.dual_objective_, rel=1e-7)


def test_a_regression_on_many_points_goes_by_weights_to_the_same_machine():
    X, y = numbers(n=2500)
    machine = wm.SVR(kernel="linear", tol=1e-6).fit(X, y)
    judge = wm.SVR(kernel="linear", tol=1e-6, solver=by_gram()).fit(X, y)
    assert machine.kernel_evaluations_ == 0
    assert machine.kkt_violation_ <= 1e-6
    assert machine.dual_objective_ == pytest.approx(judge.dual_objective_, rel=1e-8)
    np.testing.assert_allclose(machine.predict(X), judge.predict(X), atol=1e-4)


def test_problems_without_bounds_wide_points_and_named_solvers_stay_on_the_gram():
    X, y = classes(n=2500)
    separable = X * 10 + 30 * (2.0 * y - 1)[:, None]
    assert wm.SVC(kernel="linear", C=np.inf).fit(separable, y).kernel_evaluations_ > 0
    assert wm.SVC(kernel="linear", solver=wm.Decomposition()).fit(X, y).kernel_evaluations_ > 0
    assert WhereItPays.of("gram", np.zeros((2500, 300))) == "gram"
    assert WhereItPays.of("gram", np.zeros((1500, 3))) == "gram"


def test_what_a_descent_leaves_undone_is_done_on_the_gram(monkeypatch):
    X, y = classes(n=2500)

    class Stalls(wm.LinearDescent):
        def solve(self, problem, points, **options):
            options["stop"] = wm.Stop(1e-12, max_iter=3)
            solution = super().solve(problem, points, **options)
            object.__setattr__(solution, "status", wm.Status.STALLED)
            return solution

    monkeypatch.setattr(by_weights, "LinearDescent", Stalls)
    machine = wm.SVC(kernel="linear").fit(X, y)
    assert machine.status_ is wm.Status.OPTIMAL
    assert machine.kkt_violation_ <= 1e-3
    assert machine.kernel_evaluations_ > 0


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize(
    "machine",
    [
        wm.LinearSVC(),
        wm.LinearSVC(loss="hinge"),
        wm.LinearSVC(multi_class="crammer_singer", fit_intercept=False),
        wm.LinearSVR(),
    ],
)
def test_points_whose_products_overflow_are_refused(machine, form):
    X = form(np.array([[1.0, 0.0], [0.0, -1e200], [2.0, 1.0]]))
    with pytest.raises(ValueError, match=r"X has entries as large as 1e\+200"):
        clone(machine).set_params(max_time=5).fit(X, [0, 1, 1])
