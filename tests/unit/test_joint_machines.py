"""The interface of the machines that learn all classes at once."""

import os
import signal
import threading
import time

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import load_iris, make_classification
from sklearn.exceptions import ConvergenceWarning

import widemargin as wm
from widemargin import Status, joint_problems
from widemargin.io import load_model, save_model

ESTIMATORS = [wm.WestonWatkins, wm.CrammerSinger, wm.LeeLinWahba, wm.BredensteinerBennett]
X, y = load_iris(return_X_y=True)
HARD_X, HARD_Y = make_classification(3000, 10, n_informative=6, n_classes=4, flip_y=0.3, random_state=0)
every = pytest.mark.parametrize("estimator", ESTIMATORS)


def slow(estimator, **parameters):
    """A machine that takes far longer than any test waits."""
    return estimator(C=1e6, gamma=1.0, tol=1e-12, **parameters)


@every
def test_a_fit_says_what_it_found(estimator):
    machine = estimator(tol=1e-5).fit(X, y)
    assert machine.status_ is Status.OPTIMAL and machine.fit_status_ == 0
    assert machine.kkt_violation_ <= 1e-5
    gap = machine.primal_objective_ - machine.dual_objective_
    assert machine.duality_gap_ >= 0 and machine.duality_gap_ == pytest.approx(gap, abs=1e-9)
    assert machine.dual_coef_.shape == (3, machine.support_.size)
    assert machine.n_support_.sum() == machine.support_.size
    assert machine.decision_function(X).shape == (150, 3)
    assert machine.score(X, y) > 0.9
    np.testing.assert_array_equal(machine.support_vectors_, X[machine.support_])
    np.testing.assert_allclose(machine.dual_coef_.sum(axis=0), 0, atol=1e-12)


@every
def test_sparse_dense_and_precomputed_agree(estimator):
    values = estimator(kernel="linear", tol=1e-7).fit(X, y).decision_function(X)
    sparse = estimator(kernel="linear", tol=1e-7).fit(sp.csr_array(X), y)
    given = estimator(kernel="precomputed", tol=1e-7).fit(X @ X.T, y)
    np.testing.assert_allclose(sparse.decision_function(sp.csr_array(X)), values, atol=1e-5)
    np.testing.assert_allclose(given.decision_function(X @ X.T), values, atol=1e-5)
    np.testing.assert_allclose((sparse.coef_ @ X.T).T, values, atol=1e-5)


@every
def test_a_weight_is_a_repetition_and_zero_leaves_out(estimator):
    weight = np.arange(150) % 3
    weighted = estimator(gamma=0.3, tol=1e-8).fit(X, y, weight)
    repeated = estimator(gamma=0.3, tol=1e-8).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_allclose(weighted.decision_function(X), repeated.decision_function(X), atol=1e-6)
    assert (weight[weighted.support_] > 0).all()


def test_balanced_classes_have_balanced_prices():
    few = np.concatenate([np.arange(60), np.arange(100, 110)])
    machine = wm.CrammerSinger(class_weight="balanced", C=0.3).fit(X[few], y[few])
    np.testing.assert_allclose(machine.class_weight_, [70 / (3 * 50), 70 / (3 * 10), 70 / (3 * 10)])
    own = machine.dual_coef_[y[few][machine.support_], np.arange(machine.support_.size)]
    assert own.max() <= 0.3 * machine.class_weight_.max() * (1 + 1e-12)


@every
def test_an_exhausted_iteration_limit_warns_and_a_warm_start_goes_on(estimator):
    cold = estimator(solver=wm.JointDecomposition()).fit(HARD_X, HARD_Y)
    machine = clone(cold).set_params(max_iter=cold.n_iter_ // 2, warm_start=True)
    with pytest.warns(
        ConvergenceWarning, match=r"stopped at max_iter=\d+ with a KKT violation of .*raise max_iter"
    ):
        machine.fit(HARD_X, HARD_Y)
    assert machine.status_ is Status.MAX_ITERATIONS
    machine.set_params(max_iter=-1).fit(HARD_X, HARD_Y)
    assert machine.status_ is Status.OPTIMAL
    assert machine.n_iter_ < cold.n_iter_
    assert machine.dual_objective_ == pytest.approx(cold.dual_objective_, rel=1e-3)


@every
@pytest.mark.parametrize("C", [0.1, 10.0])
def test_a_warm_start_carries_over_to_another_price(estimator, C):
    warm = estimator(C=1.0, warm_start=True, tol=1e-6).fit(X, y).set_params(C=C).fit(X, y)
    cold = estimator(C=C, tol=1e-6).fit(X, y)
    assert warm.dual_objective_ == pytest.approx(cold.dual_objective_, rel=1e-6)


def test_a_time_limit_warns_and_leaves_a_model():
    machine = slow(wm.WestonWatkins, max_time=0.05)
    with pytest.warns(ConvergenceWarning, match="raise max_time"):
        machine.fit(HARD_X, HARD_Y)
    assert machine.status_ is Status.MAX_TIME
    assert machine.predict(HARD_X).shape == (3000,)


def test_a_callback_sees_progress_and_ends_the_fit():
    seen = []
    machine = slow(wm.CrammerSinger, callback=lambda progress: seen.append(progress) or len(seen) > 2)
    machine.fit(HARD_X, HARD_Y)
    assert machine.status_ is Status.INTERRUPTED
    assert len(seen) == 3
    assert machine.dual_objective_ > 0  # what it believed, where nothing is proved
    assert seen[0].iteration <= seen[-1].iteration and seen[-1].objective > 0
    assert machine.predict(HARD_X).shape == (3000,)


@every
def test_ctrl_c_keeps_the_model(estimator):
    seen = []

    def interrupt(progress):
        seen.append(progress)
        if len(seen) == 1:  # once it is at work, however fast that is
            threading.Timer(0.02, os.kill, (os.getpid(), signal.SIGINT)).start()

    machine = slow(estimator, callback=interrupt)
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        machine.fit(HARD_X, HARD_Y)
    assert time.monotonic() - began < 10
    assert machine.status_ is Status.INTERRUPTED
    assert np.isfinite(machine.decision_function(HARD_X)).all()


def test_a_trace_has_a_record_for_every_working_set():
    machine = wm.WestonWatkins(solver=wm.JointDecomposition(size=64, trace=1)).fit(HARD_X, HARD_Y)
    trace = machine.trace_
    assert len(trace["objective"]) > 5
    assert (np.diff(trace["objective"]) > -1e-6 * trace["objective"].max()).all()
    assert trace["violation"][-1] < trace["violation"][0]
    assert trace["objective"][-1] == pytest.approx(machine.dual_objective_, rel=1e-4)


@every
@pytest.mark.parametrize("shrinking", [True, False])
def test_the_linear_kernel_is_trained_by_weights_and_by_rows_alike(estimator, shrinking):
    options = {"kernel": "linear", "C": 0.01, "tol": 1e-6, "shrinking": shrinking}
    weights = estimator(**options).fit(HARD_X, HARD_Y)
    rows = estimator(solver=wm.JointDecomposition(), **options).fit(HARD_X, HARD_Y)
    assert weights.kernel_evaluations_ == 0 < rows.kernel_evaluations_
    assert weights.dual_objective_ == pytest.approx(rows.dual_objective_, rel=1e-6)
    np.testing.assert_allclose(weights.coef_, rows.coef_, atol=1e-4)


def test_a_descent_by_weights_stops_when_told_and_keeps_a_record():
    hard = {"kernel": "linear", "C": 1e6, "tol": 1e-12}
    with pytest.warns(ConvergenceWarning, match="raise max_time"):
        machine = wm.CrammerSinger(max_time=0.05, **hard).fit(HARD_X, HARD_Y)
    assert machine.status_ is Status.MAX_TIME and np.isfinite(machine.coef_).all()
    with pytest.warns(ConvergenceWarning, match="raise max_iter"):
        machine = wm.CrammerSinger(max_iter=7000, solver=wm.JointDescent(trace=1), **hard).fit(HARD_X, HARD_Y)
    assert machine.n_iter_ == 7000
    assert (np.diff(machine.trace_["objective"]) >= 0).all()
    assert machine.trace_["objective"][-1] == pytest.approx(machine.dual_objective_, rel=1e-9)
    goes_on = machine.set_params(warm_start=True, max_iter=1)
    before = machine.dual_objective_
    with pytest.warns(ConvergenceWarning):
        assert goes_on.fit(HARD_X, HARD_Y).dual_objective_ >= before


@every
def test_the_number_of_threads_does_not_matter(estimator):
    one, two = (estimator(n_jobs=jobs).fit(HARD_X, HARD_Y) for jobs in (1, 2))
    np.testing.assert_array_equal(one.dual_coef_, two.dual_coef_)


@every
def test_a_model_file_holds_it(estimator, tmp_path):
    machine = estimator().fit(X, np.array(["a", "b", "c"])[y])
    save_model(machine, tmp_path / "joint.model")
    restored = load_model(tmp_path / "joint.model")
    assert type(restored) is estimator
    np.testing.assert_array_equal(restored.decision_function(X), machine.decision_function(X))
    np.testing.assert_array_equal(restored.predict(X), machine.predict(X))


def test_jobs_do_not_change_a_continuous_code():
    alone, together = (wm.ContinuousCode(wm.SVC(), n_jobs=jobs).fit(X, y) for jobs in (None, 2))
    np.testing.assert_array_equal(alone.decision_function(X), together.decision_function(X))
    with pytest.raises(ValueError, match="n_jobs must be"):
        wm.ContinuousCode(wm.SVC(), n_jobs=0).fit(X, y)


@pytest.mark.parametrize("norm", [1, 2, np.inf])
@pytest.mark.parametrize("code", ["one-vs-all", "all-pairs", [[1, 1], [-1, 0], [-1, -1]]])
def test_a_continuous_code_is_learnt_on_the_outputs(norm, code, tmp_path):
    machine = wm.ContinuousCode(wm.SVC(), code=code, norm=norm, C=10.0).fit(X, y)
    G = np.column_stack([each.decision_function(X) for each in machine.estimators_])
    assert machine.code_.shape == machine.initial_code_.shape
    np.testing.assert_allclose(machine.decision_function(X), G @ machine.code_.T, atol=1e-8)
    assert machine.score(X, y) > 0.95
    save_model(machine, tmp_path / "code.model")
    np.testing.assert_array_equal(load_model(tmp_path / "code.model").predict(X), machine.predict(X))


@pytest.mark.parametrize("norm", [1, 2, np.inf])
def test_weights_of_a_continuous_code_are_repetitions(norm):
    weight = np.arange(150) % 3
    machine = wm.ContinuousCode(wm.SVC(gamma=0.3, tol=1e-8), code="all-pairs", norm=norm)
    weighted = clone(machine).fit(X, y, sample_weight=weight)
    repeated = clone(machine).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    assert weighted.objective_ == pytest.approx(repeated.objective_, rel=1e-5)
    with pytest.raises(ValueError, match="sample_weight is zero for every sample of class 1"):
        clone(machine).fit(X, y, sample_weight=(y != 1).astype(float))


def test_a_continuous_code_of_the_points_is_the_machine_itself():
    class Coordinate(wm.SVC):
        """Its output is one coordinate, whatever it is trained on."""

        def decision_function(self, X):
            return X[:, self.coordinate]

    machine = wm.ContinuousCode(wm.SVC(), code=[[1, 1, 1, 1], [-1, 1, -1, 1], [1, -1, 1, -1]])
    machine.classes_, machine.estimators_ = np.arange(3), []
    for coordinate in range(4):
        column = Coordinate()
        column.coordinate = coordinate
        machine.estimators_.append(column)
    machine.n_features_in_ = 4
    machine._fit_code(machine._outputs(X), y, np.ones(150))
    direct = wm.CrammerSinger(kernel="linear", tol=1e-6).fit(X, y)
    np.testing.assert_allclose(machine.decision_function(X), direct.decision_function(X), atol=1e-3)


@pytest.mark.parametrize(
    "parameters, message",
    [
        ({"C": 0.0}, "C must be a positive finite number, not 0.0"),
        ({"C": np.inf}, "C must be a positive finite number, not inf"),
        ({"tol": 0}, "tol must be a positive finite number, not 0"),
        ({"bias": "large"}, "bias must be 'none'.* or .*, not 'large'"),
        ({"solver": "second-order"}, "solver must be None or a JointDecomposition or JointDescent, not 'sec"),
        ({"solver": wm.JointDescent()}, r"solver=JointDescent\(\) needs kernel='linear'"),
        ({"kernel": "gauss"}, "kernel must be one of"),
        ({"class_weight": {0: -1.0}}, "class_weight must be positive and finite, but that of class 0 is not"),
        ({"solver": wm.JointDecomposition(size=0)}, "size must be at least 1; got 0"),
        ({"solver": wm.JointDecomposition(precision="half")}, "precision must be one of"),
    ],
)
@every
def test_bad_parameters(estimator, parameters, message):
    machine = estimator(**parameters)
    before = vars(machine).copy()
    with pytest.raises(ValueError, match=message):
        machine.fit(X, y)
    assert vars(machine) == before


@every
def test_a_single_class(estimator):
    with pytest.raises(ValueError, match="number of classes has to be greater than one; got 1 class, 0"):
        estimator().fit(X, np.zeros(150))
    with pytest.raises(ValueError, match="zero for every sample of class 2"):
        estimator().fit(X, y, sample_weight=(y != 2).astype(float))


@every
def test_labels_that_fit_has_not_seen_are_not_scored(estimator):
    for machine in (estimator(), wm.ContinuousCode(wm.SVC())):
        machine.fit(X[:100], y[:100])
        for labels in (y, y[:, None]):
            with pytest.raises(ValueError, match="y has the class 2 in row 100, which was not there in fit"):
                machine.score(X, labels)


def test_crammer_and_singers_machine_has_no_free_bias():
    with pytest.raises(ValueError, match="bias must be 'none' or 'penalised', not 'free'"):
        wm.CrammerSinger(bias="free").fit(X, y)
    with pytest.raises(ValueError, match="one slack per example has no bias that is free"):
        joint_problems.crammer_singer(y, 1.0, 3).with_bias()
    with pytest.raises(ValueError, match="start must be 3 finite numbers"):
        joint_problems.weston_watkins(y, 1.0, 3).with_bias([0.0, np.nan, 1.0])


WITH_FREE_BIAS = [each for each in ESTIMATORS if each is not wm.CrammerSinger]


@pytest.mark.parametrize("estimator", WITH_FREE_BIAS)
@pytest.mark.parametrize("C", [0.01, 1.0])
def test_a_free_bias_does_not_mind_where_the_origin_is(estimator, C):
    options = {"C": C, "kernel": "linear", "bias": "free", "tol": 1e-6}
    here, there = estimator(**options).fit(X, y), estimator(**options).fit(X + 5.0, y)
    assert here.status_ is there.status_ is Status.OPTIMAL
    assert here.primal_objective_ == pytest.approx(there.primal_objective_, rel=1e-6)
    np.testing.assert_allclose(here.coef_, there.coef_, atol=1e-3)
    np.testing.assert_allclose(there.intercept_.sum(), 0, atol=1e-7)


@pytest.mark.parametrize("estimator", WITH_FREE_BIAS)
@pytest.mark.parametrize(
    ("kernel", "max_iter"),
    [
        ("rbf", 0),
        ("rbf", 50),
        ("rbf", 5000),
        ("rbf", -1),
        ("linear", 0),
        ("linear", 5000),
        ("linear", 50_000),
    ],
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_certificate_of_a_free_bias_is_that_of_the_definitions(estimator, kernel, max_iter):
    """Also of a run cut short: a feasible point, hence a lower bound, and the value of the machine."""
    machine = estimator(C=0.5, kernel=kernel, bias="free", max_iter=max_iter, gamma=0.1)
    machine.fit(HARD_X, HARD_Y)
    np.testing.assert_allclose(machine.dual_coef_.sum(axis=1), 0, atol=1e-10)
    values = machine._values(HARD_X)
    norms = (machine.dual_coef_ * (values - machine.intercept_)[machine.support_].T).sum()
    own = values[np.arange(len(values)), HARD_Y][:, None]
    margin = {"WestonWatkins": 2, "LeeLinWahba": 1 / 3}.get(estimator.__name__, 1)
    missed = margin + values - (0 if estimator is wm.LeeLinWahba else own)
    missed[np.arange(len(values)), HARD_Y] = 0
    scale = 9 if estimator is wm.BredensteinerBennett else 1  # its norms are 2N + 1 times these
    primal = 0.5 * scale * norms + 0.5 * np.maximum(missed, 0).sum()
    assert machine.primal_objective_ == pytest.approx(primal, rel=1e-7)
    gap = machine.primal_objective_ - machine.dual_objective_
    assert machine.duality_gap_ == pytest.approx(gap, rel=1e-6, abs=1e-6) and gap >= 0
    if max_iter < 0:
        assert machine.status_ is Status.OPTIMAL and gap <= 1e-2 * primal


@pytest.mark.parametrize("estimator", WITH_FREE_BIAS)
def test_a_warm_start_remembers_the_free_bias(estimator):
    machine = estimator(bias="free", warm_start=True).fit(HARD_X, HARD_Y)
    steps = machine.n_iter_
    assert machine.fit(HARD_X, HARD_Y).n_iter_ < 0.1 * steps


@pytest.mark.parametrize(
    "parameters, error, message",
    [
        ({"norm": 3}, ValueError, "norm must be 1, 2 or numpy.inf, not 3"),
        ({"norm": 1, "kernel": "rbf"}, ValueError, "norm=1 needs kernel='linear'"),
        ({"code": "morse"}, ValueError, "code must be one of"),
        ({"code": [[1, 1], [-1, -1]]}, ValueError, "the code has 2 rows, but there are 3 classes"),
        ({"code": [[1, 2], [-1, 1], [0, 1]]}, ValueError, "entries -1, 0 and"),
        ({"code": [[1, 1], [-1, 1], [0, 0]]}, ValueError, "row 2 of the code, class 2, has zeros only"),
        ({"C": -1.0}, ValueError, "C must be a positive finite number, not -1.0"),
        ({"estimator": wm.SVR()}, TypeError, "estimator must be a classifier with a decision_function"),
    ],
)
def test_bad_continuous_codes(parameters, error, message):
    machine = wm.ContinuousCode(**{"estimator": wm.SVC()} | parameters)
    with pytest.raises(error, match=message):
        machine.fit(X, y)
    assert not hasattr(machine, "classes_")


@pytest.mark.parametrize(
    "labels, C, classes, message",
    [
        ([0, 3], 1.0, 3, r"labels must be numbers from 0 to 2, but labels\[1\] is 3"),
        ([0, 1], [1.0, 0.0], 2, r"C must be positive and finite, but C\[1\] is 0"),
        ([0, 0], 1.0, 1, "classes must be at least 2, not 1"),
        ([[0, 1]], 1.0, 2, "labels must be one-dimensional"),
    ],
)
def test_bad_problems(labels, C, classes, message):
    with pytest.raises(ValueError, match=message):
        joint_problems.crammer_singer(labels, C, classes)


def test_a_start_of_the_wrong_size_or_out_of_bounds():
    gram, problem = wm.Linear().bind(X), joint_problems.weston_watkins(y, 1.0, 3)
    with pytest.raises(ValueError, match="start must have one value for each example and class, 450 in all"):
        wm.JointDecomposition().solve(problem, gram, start=np.zeros(3))
    with pytest.raises(ValueError, match=r"start must lie within its bounds \(example 0\)"):
        wm.JointDecomposition().solve(problem, gram, start=np.full(450, 2.0))


def test_points_without_length_and_repeated_points_are_harmless():
    data = np.concatenate([np.zeros((30, 2)), np.ones((30, 2))])
    for estimator in ESTIMATORS:
        machine = estimator(kernel="linear").fit(data, np.arange(60) % 3)
        assert machine.status_ is Status.OPTIMAL
        assert machine.duality_gap_ <= 1e-2 * machine.primal_objective_
