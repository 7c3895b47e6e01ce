"""What searches say where there is little to find."""

import warnings

import numpy as np
import pytest

import widemargin as wm
from widemargin.cli import main
from widemargin.losses import Logistic
from widemargin.selection import SearchWarning, objectives, optimizers
from widemargin.selection.optimizers import Box, History, Run
from widemargin.selection.plateau import is_stuck


def points(seed, n=36):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 3))
    return X, (np.sin(2 * X[:, 0]) + 0.7 * X[:, 1] + 0.5 * random.normal(size=n) > 0).astype(int)


@pytest.mark.parametrize("objective", [objectives.LeaveOneOut(Logistic()), objectives.SpanBound()])
@pytest.mark.parametrize("C", [0.05, 0.2, 0.3])
def test_values_and_gradients_are_those_of_one_machine_where_no_variable_is_free(objective, C):
    for seed in (1, 3, 5):
        bound = objective.bind(wm.SVC(C=C, kernel=wm.Gaussian(0.5)), *points(seed))
        x = bound.parameters.start
        value, gradient = bound.value_and_gradient(x)
        assert value == pytest.approx(bound.value(x), rel=1e-9)
        central = [(bound.value(x + h) - bound.value(x - h)) / 2e-4 for h in 1e-4 * np.eye(2)]
        np.testing.assert_allclose(gradient, central, rtol=1e-3, atol=1e-5)


def test_a_search_that_ends_at_guessing_says_so():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(60, 2)), random.integers(0, 2, 60)
    with pytest.warns(SearchWarning, match="hardly better than that of guessing"):
        wm.ModelSearch.preset("likelihood", random_state=0, max_evaluations=5).fit(X, y)


def test_a_search_that_learns_does_not():
    X, _ = points(0, 80)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        wm.ModelSearch.preset("likelihood", random_state=0).fit(X, (X[:, 0] > 0).astype(int))


def test_many_parameters_are_stuck_only_if_all_have_run_away():
    box = Box.around(np.zeros(3), 8.0)
    history = History(np.zeros((2, 3)), np.array([2.0, 1.0]), np.array([1.0, 0.5]), np.zeros(2))
    for answer, stuck in (([8.0, -8.0, 8.0], True), ([8.0, 0.0, 8.0], False)):
        run = Run(answer=np.array(answer), best=None, history=history, reason="converged", state=None)
        assert bool(is_stuck(run, box, noisy=False)) == stuck


def test_classes_that_are_never_the_answer_are_named():
    random = np.random.default_rng(0)
    y = np.repeat(["often", "rarely"], [190, 10])
    X = random.normal(size=(200, 2)) + 0.5 * (y == "rarely")[:, None]
    with pytest.warns(SearchWarning, match=r"Never the answer: 'rarely'.*class_weight='balanced'"):
        machine = wm.AutoSVC(probability=False).fit(X, y)
    assert "Never the answer" in machine.report()
    assert set(wm.AutoSVC(probability=False, class_weight="balanced").fit(X, y).predict(X)) == set(y)


def test_constant_features_are_refused_before_a_grid_is_searched():
    with pytest.raises(ValueError, match="all features of X are constant"):
        wm.cross_validate_path(wm.SVC(), np.ones((30, 2)), np.arange(30) % 2, Cs=[1.0])


def test_no_evaluation_leaves_nothing_to_draw(tmp_path, capsys):
    X, y = points(0)
    file = tmp_path / "points.csv"
    np.savetxt(file, np.c_[X, y], delimiter=",")
    options = ["--method", "posterior", "--max-time", "1e-6", "--picture", str(tmp_path / "way.png")]
    assert main(["select", str(file), *options]) == 2
    assert "--picture: there was no time for an evaluation" in capsys.readouterr().err


def test_a_search_that_begins_on_a_plateau_begins_again_at_the_heuristic():
    random = np.random.default_rng(0)
    X = random.normal(size=(80, 2))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    search = wm.ModelSearch(
        wm.SVC(kernel=wm.Gaussian(1e-9)),
        objectives.Alignment(),
        optimizers.IRpropPlus(),
        start="estimator",
    ).fit(X, y)
    usual = wm.ModelSearch(wm.SVC(), objectives.Alignment(), optimizers.IRpropPlus()).fit(X, y)
    assert search.best_value_ == pytest.approx(usual.best_value_, rel=1e-2)


@pytest.mark.parametrize(
    ("optimizer", "words"),
    [
        (optimizers.IRpropPlus(first_step=-1.0), "first_step must be a positive number, not -1.0"),
        (
            optimizers.IRpropPlus(tolerance=0.2),
            "tolerance must be a number >= 0 and less than the first",
        ),
        (optimizers.CMAES(first_step=0), "first_step must be a positive number, not 0"),
    ],
)
def test_settings_that_end_a_search_at_once_are_refused(optimizer, words):
    with pytest.raises(ValueError, match=words):
        wm.ModelSearch(wm.SVC(), objectives.Alignment(), optimizer).fit(*points(0))


def test_an_objective_is_an_object_and_a_machine_that_tunes_itself_is_none_for_it():
    with pytest.raises(TypeError, match="objective must be one of"):
        wm.ModelSearch(wm.SVC(), objectives.Alignment, optimizers.IRpropPlus()).fit(*points(0))
    with pytest.raises((TypeError, ValueError), match="AutoSVC"):
        wm.ModelSearch(wm.AutoSVC(), objectives.CrossValidation(), optimizers.NestedGrid()).fit(*points(0))


def test_threads_change_nothing_but_the_time(monkeypatch):
    monkeypatch.setattr("widemargin.selection.workbench.THREADED_SIZE", 1)
    X, y = points(0, 60)
    found = [
        wm.ModelSearch.preset("likelihood", random_state=0, n_jobs=jobs, max_evaluations=8).fit(X, y)
        for jobs in (1, 3)
    ]
    np.testing.assert_array_equal(found[0].history_.x, found[1].history_.x)
    np.testing.assert_array_equal(found[0].history_.value, found[1].history_.value)
    assert "n_jobs" not in found[1].best_params_


@pytest.mark.parametrize("Auto", [wm.AutoSVC, wm.AutoSVR])
def test_where_there_is_nothing_to_learn_machines_that_tune_themselves_say_so(Auto):
    random = np.random.default_rng(0)
    X, y = random.normal(size=(120, 3)), random.integers(0, 2, 120)
    with pytest.warns(SearchWarning, match="Hardly better than one answer for all points"):
        machine = Auto().fit(X, y)
    assert "Hardly better" in machine.report()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Auto().fit(X, (X[:, 0] > 0).astype(int))


def test_a_second_attempt_has_steps_that_are_long_enough():
    X, y = points(0, 60)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SearchWarning)
        wm.ModelSearch(
            wm.SVC(kernel=wm.Gaussian(1e6)),
            objectives.BootstrapLikelihood(draws=3, fresh=False),
            optimizers.IRpropPlus(first_step=1.5e-4),
            start="estimator",
        ).fit(X, y)


def test_noise_with_a_rare_class_is_noise():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(200, 3)), (np.arange(200) < 20).astype(int)
    with pytest.warns(SearchWarning, match="Hardly better than one answer"):
        wm.AutoSVC(probability=False).fit(X, y)
