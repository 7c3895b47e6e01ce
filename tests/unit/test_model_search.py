"""The search around an estimator: what it finds, keeps, delegates, refuses and says."""

import warnings

import numpy as np
import pytest
import sklearn.svm
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import widemargin as wm
from widemargin.datasets import chess_board
from widemargin.selection import SearchWarning, objectives
from widemargin.selection.attempts import Attempts
from widemargin.selection.clock import Clock
from widemargin.selection.optimizers import BFGS, Grid, IRpropPlus, NoisyRprop, Random

BOARD = chess_board(120, seed=0)
X, y = BOARD.X, BOARD.y


class StandIn:
    """An objective with a known shape: a function of x = (log C, log gamma)."""

    differentiable, tunes_C = True, True

    def __init__(self, function, noisy=False):
        self.function, self.noisy = function, noisy

    def bind(self, estimator, X, y, sample_weight=None, random_state=None):
        return BoundStandIn(self.function, estimator)


class BoundStandIn:
    differentiable = True

    def __init__(self, function, estimator):
        self.function = function
        self.parameters = wm.selection.Parameters(estimator, wm.Gaussian(1.0), tunes_C=True)

    def value(self, x):
        return self.function(x)[0]

    def value_and_gradient(self, x):
        return self.function(x)


def bowl(x):
    centre = np.array([2.0, 0.5])
    return float((x - centre) @ (x - centre)), 2 * (x - centre)


def flat(x):
    return 1.0, np.zeros_like(x)


def running_away(x):
    """Falls for ever as gamma grows."""
    return float(-x[1]), np.array([0.0, -1.0])


def cross_validated(**settings):
    return wm.ModelSearch(
        wm.SVC(), objectives.CrossValidation(cv=3), Grid(points=3), random_state=0, **settings
    )


def test_the_minimum_of_the_objective_is_where_the_machine_is_trained():
    search = wm.ModelSearch(wm.SVC(), StandIn(bowl), IRpropPlus()).fit(X, y)
    np.testing.assert_allclose(search.best_estimator_.C, np.exp(2.0), rtol=1e-2)
    assert search.best_params_["kernel__gamma"] == pytest.approx(np.exp(0.5), rel=1e-2)
    assert search.best_value_ < 1e-4
    assert search.reason_ == "converged"


def test_it_answers_like_its_best_machine():
    search = cross_validated().fit(X, y)
    np.testing.assert_array_equal(search.predict(X), search.best_estimator_.predict(X))
    np.testing.assert_array_equal(search.decision_function(X), search.best_estimator_.decision_function(X))
    assert search.score(X, y) == search.best_estimator_.score(X, y)
    np.testing.assert_array_equal(search.classes_, [-1, 1])
    assert not hasattr(search, "predict_proba")


def test_probabilities_are_there_if_the_machine_has_them():
    search = cross_validated().set_params(estimator=wm.SVC(probability=True)).fit(X, y)
    assert search.predict_proba(X).shape == (120, 2)


def test_the_history_is_a_table_of_all_evaluations():
    search = wm.ModelSearch(wm.SVC(), StandIn(bowl), BFGS(), max_evaluations=5).fit(X, y)
    table = search.history_
    assert len(table) == len(table.value) == len(table.gradient_norm) == len(table.seconds) <= 5
    assert table.x.shape == (len(table), 2)
    assert search.parameter_names_ == ["log C", "log gamma"]
    assert (np.diff(table.seconds) >= 0).all()
    assert search.best_value_ == table.value.min()
    assert np.isnan(cross_validated().fit(X, y).history_.gradient_norm).all()


def test_it_works_in_a_pipeline_and_can_be_cloned():
    pipeline = make_pipeline(StandardScaler(), cross_validated())
    again = clone(pipeline).set_params(modelsearch__optimizer__points=1)
    assert again.fit(X, y).predict(X).shape == (120,)
    assert len(again[-1].history_) == 1


def test_an_objective_without_price_is_followed_by_a_choice_of_the_price():
    search = wm.ModelSearch.preset("kta", wm.SVC(), Cs=[1.0, 10.0], cv=3, random_state=0).fit(X, y)
    assert search.best_estimator_.C in (1.0, 10.0)
    assert search.path_.scores.shape == (2, 1, 3)
    assert search.parameter_names_ == ["log gamma"]


def test_a_width_for_each_feature_is_found():
    irrelevant = np.column_stack([X, np.random.default_rng(0).uniform(0, 4, size=(120, 1))])
    machine = wm.SVC(kernel=wm.ARDGaussian([1.0, 1.0, 1.0]))
    search = wm.ModelSearch.preset("kta", machine, cv=3, Cs=[10.0]).fit(irrelevant, y)
    gamma = search.best_estimator_.kernel.gamma
    assert gamma[2] < gamma[:2].min() / 10


@pytest.mark.parametrize("name", ["5-fold-cv", "kta", "span-bound", "likelihood", "posterior"])
def test_every_strategy_improves_on_chance(name):
    if name == "5-fold-cv":
        pytest.importorskip("cma")
    search = wm.ModelSearch.preset(name, random_state=0, max_evaluations=30)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SearchWarning)
        search.fit(X, y)
    test = chess_board(1000, seed=1)
    assert search.score(test.X, test.y) > 0.7


def test_the_same_seed_gives_the_same_search():
    searches = [
        wm.ModelSearch.preset("posterior", random_state=3, max_evaluations=20, n_jobs=jobs).fit(X, y)
        for jobs in (1, 1, 2)
    ]
    for search in searches[1:]:
        np.testing.assert_array_equal(search.history_.x, searches[0].history_.x)


def test_regression_is_searched_too():
    x = np.linspace(0, 6, 60)[:, None]
    search = wm.ModelSearch(
        wm.SVR(), objectives.CrossValidation(cv=3), Random(), random_state=0, max_evaluations=15
    )
    assert search.fit(x, np.sin(x).ravel()).score(x, np.sin(x).ravel()) > 0.9
    ridge = wm.ModelSearch(wm.RLSRegressor(lam=1e-3), objectives.RidgeLeaveOneOut(), BFGS())
    assert ridge.fit(x, np.sin(x).ravel()).score(x, np.sin(x).ravel()) > 0.99


def test_the_default_loss_of_regression_has_a_gradient():
    targets = np.sin(X[:, 0])
    search = wm.ModelSearch(
        wm.SVR(), objectives.CrossValidation(cv=3), IRpropPlus(), random_state=0, max_evaluations=15
    ).fit(X, targets)
    assert search.best_value_ < search.history_.value[0]
    assert np.isfinite(search.history_.gradient_norm).all()


@pytest.mark.parametrize("objective", [objectives.RadiusMargin(), objectives.Alignment()])
def test_a_hard_margin_stays_hard(objective):
    search = wm.ModelSearch(wm.SVC(C=np.inf), objective, IRpropPlus(), max_evaluations=5).fit(X, y)
    assert np.inf == search.best_estimator_.C
    assert not hasattr(search, "path_")
    assert search.parameter_names_ == ["log gamma"]


def test_a_hard_margin_has_no_price_to_search():
    with pytest.raises(ValueError, match="C=inf has no logarithm"):
        wm.ModelSearch(wm.SVC(C=np.inf), objectives.CrossValidation(), Grid(points=3)).fit(X, y)


@pytest.mark.parametrize("start", ["heuristic", "estimator"])
def test_one_gamma_for_all_features_becomes_one_for_each(start):
    search = wm.ModelSearch(
        wm.SVC(kernel=wm.ARDGaussian()), objectives.Alignment(), IRpropPlus(), start=start, max_evaluations=30
    ).fit(X * [1.0, 0.1], y)
    gamma = search.best_estimator_.kernel.gamma
    assert gamma.shape == (2,)
    assert gamma[1] > gamma[0]


def test_a_plateau_is_left_for_another_start():
    def plateau(x):
        """Flat at the start of the search, a bowl for small C."""
        return bowl(x) if x[0] < 3 else (50.0, np.zeros_like(x))

    search = wm.ModelSearch(wm.SVC(), StandIn(plateau), IRpropPlus()).fit(X, y)
    assert search.best_value_ < 1e-3


@pytest.mark.parametrize("optimizer", [BFGS(), IRpropPlus()])
def test_a_search_no_better_than_guessing_begins_again_from_the_heuristic(optimizer):
    lost = wm.SVC(kernel=wm.Gaussian(gamma=1e5))
    found, usual = (
        wm.ModelSearch(lost, objectives.Alignment(), optimizer, start=start, Cs=[1.0], cv=3).fit(X, y)
        for start in ("estimator", "heuristic")
    )
    assert found.best_value_ == pytest.approx(usual.best_value_, abs=1e-6)


@pytest.mark.parametrize("function", [flat, running_away])
def test_a_search_that_cannot_succeed_says_so(function):
    with pytest.warns(SearchWarning, match="plateau twice"):
        search = wm.ModelSearch(wm.SVC(), StandIn(function), IRpropPlus()).fit(X, y)
    assert np.isfinite(search.history_.x).all()
    assert search.predict(X).shape == (120,)


def test_a_constant_machine_is_reported():
    def tiny(x):
        centre = np.array([-3.5, 0.0])
        return float((x - centre) @ (x - centre)), 2 * (x - centre)

    few = np.r_[np.flatnonzero(y == 1)[:30], np.flatnonzero(y == -1)[:4]]
    with pytest.warns(SearchWarning, match="same answer to all points"):
        wm.ModelSearch(wm.SVC(), StandIn(tiny), IRpropPlus()).fit(X[few], y[few])


@pytest.mark.parametrize("limit", [{"max_time": 0.0}, {"max_evaluations": 0}])
def test_without_an_evaluation_the_heuristic_is_the_result(limit):
    ((name, value),) = limit.items()
    with pytest.warns(SearchWarning, match=f"{name}={value} was over before the first evaluation"):
        search = wm.ModelSearch(wm.SVC(), StandIn(bowl), IRpropPlus(), **limit).fit(X, y)
    assert len(search.history_) == 0
    np.testing.assert_allclose(search.best_estimator_.C, np.exp(4.0))
    assert search.best_value_ == np.inf


def test_without_time_for_one_evaluation_there_is_one_sentence():
    search = wm.ModelSearch.preset("posterior", wm.SVC(), max_time=0, random_state=0)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        search.fit(X, y)
    assert ["first evaluation" in str(each.message) for each in said] == [True]


def test_an_alignment_no_better_than_that_of_a_kernel_without_neighbours_is_said():
    chance = np.random.default_rng(0).permutation(y)
    for centred in (False, True):
        with pytest.warns(SearchWarning, match="hardly better than that of guessing, -0.09"):
            wm.ModelSearch(wm.SVC(), objectives.Alignment(centred), IRpropPlus(), Cs=[1.0], cv=3).fit(
                X, chance
            )
        narrow = objectives.Alignment(centred).bind(wm.SVC(), X, y)
        assert narrow.chance == pytest.approx(narrow.value([20.0]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        wm.ModelSearch(wm.SVC(), objectives.Alignment(), IRpropPlus(), Cs=[1.0], cv=3).fit(X, y)


def test_interrupted_searches_keep_the_best_machine():
    calls = []

    def interrupted(x):
        calls.append(x)
        if len(calls) == 6:
            raise KeyboardInterrupt
        return bowl(x)

    search = wm.ModelSearch(wm.SVC(), StandIn(interrupted), IRpropPlus())
    with pytest.raises(KeyboardInterrupt):
        search.fit(X, y)
    assert search.reason_ == "interrupted"
    assert len(search.history_) == 5
    assert search.predict(X).shape == (120,)


def test_searches_interrupted_between_two_attempts_keep_the_best_machine(monkeypatch):
    def interrupted(self, x):
        raise KeyboardInterrupt

    monkeypatch.setattr(BoundStandIn, "value", interrupted)
    search = wm.ModelSearch(wm.SVC(), StandIn(running_away), IRpropPlus())
    with pytest.raises(KeyboardInterrupt):
        search.fit(X, y)
    assert search.reason_ == "interrupted"
    assert search.best_value_ == search.history_.value.min()
    assert search.predict(X).shape == (120,)


def test_the_search_is_kept_if_the_training_of_its_best_machine_is_interrupted(monkeypatch):
    fit = wm.SVC.fit

    def interrupted(self, *data, **how):
        fit(self, *data, **how)
        raise KeyboardInterrupt

    monkeypatch.setattr(wm.SVC, "fit", interrupted)
    search = wm.ModelSearch(wm.SVC(), StandIn(bowl), IRpropPlus())
    with pytest.raises(KeyboardInterrupt, match="kept"):
        search.fit(X, y)
    assert search.reason_ == "interrupted"
    assert search.predict(X).shape == (120,)


def test_a_second_attempt_has_what_the_first_one_left():
    calls = []

    def counted(x):
        calls.append(x)
        return running_away(x)

    with pytest.warns(SearchWarning, match="plateau twice"):
        wm.ModelSearch(wm.SVC(), StandIn(counted), IRpropPlus(), max_evaluations=60).fit(X, y)
    assert 30 < len(calls) <= 60
    calls.clear()
    with pytest.warns(SearchWarning, match="no evaluations are left"):
        wm.ModelSearch(wm.SVC(), StandIn(counted), IRpropPlus(), max_evaluations=25).fit(X, y)
    assert 15 < len(calls) <= 25


def test_an_attempt_without_time_does_not_replace_the_first_one():
    clock, looked = Clock(None), []

    class Slow(BoundStandIn):
        def value(self, x):
            looked.append(x)
            if len(looked) == 9:  # the last of the starts around the heuristic
                clock.limit = 0.0
            return super().value(x)

    bound = Slow(running_away, wm.SVC())
    go_on, heuristic = (lambda evaluation, done: False), (lambda: np.asarray(bound.parameters.start))
    with pytest.warns(SearchWarning, match="plateau"):
        run = Attempts(bound, False, IRpropPlus(), None, clock, go_on, heuristic).run(seed=0)
    assert len(looked) == 9
    assert run.best.value == run.history.value.min()


@pytest.mark.parametrize("variant", ["size", "shape", "size and shape", "shape and orientation", "all"])
def test_kernels_on_the_manifold_are_recentred_at_every_step(variant):
    first = wm.kernels.ManifoldGaussian(np.diag([2.0, 0.7]), variant=variant)
    search = wm.ModelSearch(
        wm.SVC(kernel=first), objectives.Alignment(), IRpropPlus(), start="estimator", max_evaluations=12
    ).fit(X, y)
    found = search.best_estimator_.kernel
    assert found.A is None
    assert search.best_value_ < search.history_.value[0]
    bound = objectives.Alignment().bind(search.best_estimator_, X, y)
    np.testing.assert_allclose(bound.value(found.theta), search.best_value_, rtol=1e-12)
    if variant in ("shape", "shape and orientation"):
        np.testing.assert_allclose(np.linalg.det(found.B), 1.4, rtol=1e-10)


def test_a_callback_ends_the_search():
    search = wm.ModelSearch(
        wm.SVC(), StandIn(bowl), IRpropPlus(), callback=lambda evaluation, done: done >= 3
    ).fit(X, y)
    assert (search.reason_, len(search.history_)) == ("callback", 3)


def test_a_failed_fit_leaves_the_search_as_it_was():
    search = cross_validated().fit(X, y)
    known = search.best_estimator_
    with pytest.raises(ValueError, match="X"):
        search.fit(np.full_like(X, np.nan), y)
    assert search.best_estimator_ is known


def test_objectives_without_gradient_are_refused_by_those_who_need_one():
    with pytest.raises(ValueError, match="NestedGrid"):
        wm.ModelSearch(wm.SVC(), objectives.CrossValidation(), IRpropPlus()).fit(X, y)


@pytest.mark.parametrize(
    ("estimator", "words"),
    [
        (sklearn.svm.SVC(), "Alignment is for .* not for sklearn.svm.*SVC"),
        (make_pipeline(StandardScaler(), wm.SVC()), "Alignment is for .* not for sklearn.pipeline.*Pipeline"),
        (wm.NuSVC(), "Alignment is for .* not for NuSVC"),
    ],
)
def test_machines_of_others_are_refused_by_their_full_name(estimator, words):
    with pytest.raises(ValueError, match=words):
        wm.ModelSearch(estimator, objectives.Alignment(), IRpropPlus()).fit(X, y)


@pytest.mark.parametrize("size", [1e-200, 1e-120, 1e120, 1e200])
def test_features_without_usual_size_are_to_be_scaled(size):
    with pytest.raises(ValueError, match=r"[Ss]cale the features"):
        wm.ModelSearch.preset("kta").fit(X * size, y)


def test_a_random_objective_is_no_match_for_a_grid():
    with pytest.warns(SearchWarning, match="lucky draw"):
        wm.ModelSearch(wm.SVC(), objectives.BootstrapError(), Grid(points=1), random_state=0).fit(X, y)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"optimizer": "grid"}, "optimizer must be"),
        ({"objective": "error"}, "objective must be"),
        ({"estimator": wm.SVC}, "estimator must be"),
        ({"max_time": -1.0}, "max_time must be"),
        ({"max_evaluations": 1.5}, "max_evaluations must be"),
        ({"start": "here"}, "start must be"),
        ({"random_state": -1}, "random_state must be"),
    ],
)
def test_bad_parameters_are_named(changes, message):
    with pytest.raises((ValueError, TypeError), match=message):
        cross_validated().set_params(**changes).fit(X, y)


def test_unknown_strategies_are_refused_with_the_known_ones():
    with pytest.raises(ValueError, match="'posterior'"):
        wm.ModelSearch.preset("best")


def test_noise_is_borne_by_noisy_rprop_without_a_word():
    with warnings.catch_warnings():
        warnings.simplefilter("error", SearchWarning)
        wm.ModelSearch(wm.SVC(), StandIn(bowl, noisy=True), NoisyRprop(), max_evaluations=50).fit(X, y)


def test_best_params_name_a_choice_that_is_the_default():
    search = wm.ModelSearch(wm.SVC(C=1.0), StandIn(lambda x: (x @ x, 2 * x)), Grid(reach=4.0, points=3))
    assert search.fit(X, y).best_params_["C"] == search.best_estimator_.C == 1.0


def test_no_error_anywhere_is_no_plateau():
    apart = np.vstack([X[y > 0] + 100, X[y <= 0] - 100])
    labels = np.repeat([1, 0], [np.sum(y > 0), np.sum(y <= 0)])
    with warnings.catch_warnings():
        warnings.simplefilter("error", SearchWarning)
        search = wm.ModelSearch(wm.SVC(), objectives.HoldOut(), Grid(reach=1.0, points=2), random_state=0)
        assert search.fit(apart, labels).best_value_ == 0
