"""`cross_validate_path` gives the scores of independent fits."""

import os
import signal
import threading
import time
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import KFold, ShuffleSplit, StratifiedKFold, cross_val_score
from sklearn.preprocessing import StandardScaler

import widemargin as wm
from widemargin.selection import path
from widemargin.selection.folds import Fold
from widemargin.selection.shared_table import SharedTable

CS, GAMMAS = [0.1, 3.0, 100.0], [0.003, 0.1]


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return StandardScaler().fit_transform(X), y


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return X + 0.5 * np.random.default_rng(0).normal(size=X.shape), np.array(["a", "b", "c"])[y]


@pytest.fixture(scope="module")
def diabetes():
    X, y = load_diabetes(return_X_y=True)
    return StandardScaler().fit_transform(X)[:200], y[:200] / 50


def independent(estimator, X, y, Cs, gammas, cv, **options):
    """Scores of a fit for each cell and fold, shape (len(Cs), len(gammas), folds)."""
    fits = [
        [clone(estimator).set_params(C=C, **({} if g is None else {"gamma": g})) for g in gammas] for C in Cs
    ]
    return np.array([[cross_val_score(fit, X, y, cv=cv, **options) for fit in row] for row in fits])


def assert_equal_to_one_example(scores, expected, y, cv):
    sizes = np.array([len(test) for _, test in cv.split(np.zeros(len(y)), y)])
    assert np.abs(scores - expected).max(initial=0, where=np.isfinite(expected)) <= 1.0 / sizes.min() + 1e-12
    assert np.mean(np.abs((scores - expected) * sizes) > 0.5) <= 0.05  # and most are equal altogether
    assert np.isfinite(scores).all()


def test_scores_of_two_classes_are_those_of_independent_fits(cancer):
    X, y = cancer
    cv = StratifiedKFold(3, shuffle=True, random_state=0)
    result = wm.cross_validate_path(wm.SVC(), X, y, Cs=CS, gammas=GAMMAS, cv=cv)
    expected = independent(wm.SVC(), X, y, CS, GAMMAS, cv)
    assert_equal_to_one_example(result.scores, expected, y, cv)
    assert result.scores.shape == (3, 2, 3)
    np.testing.assert_allclose(result.mean_scores, result.scores.mean(axis=2))
    best = np.unravel_index(result.mean_scores.argmax(), (3, 2))
    assert (result.best_C, result.best_gamma) == (CS[best[0]], GAMMAS[best[1]])
    assert result.best_score == result.mean_scores.max()


def test_support_vectors_are_those_of_independent_fits(cancer):
    X, y = cancer
    (train, test), *_ = StratifiedKFold(3).split(X, y)
    result = wm.cross_validate_path(wm.SVC(tol=1e-6), X, y, Cs=CS, gammas=GAMMAS, cv=[(train, test)])
    expected = [
        [len(wm.SVC(C=C, gamma=g, tol=1e-6).fit(X[train], y[train]).support_) for g in GAMMAS] for C in CS
    ]
    assert np.abs(result.n_support[:, :, 0] - expected).max() <= 2


@pytest.mark.parametrize("multiclass", ["all-pairs", "one-vs-all", "sparse-random"])
@pytest.mark.parametrize("break_ties", [False, True])
def test_scores_of_several_classes_are_those_of_independent_fits(iris, multiclass, break_ties):
    X, y = iris
    cv = StratifiedKFold(4, shuffle=True, random_state=1)
    machine = wm.SVC(multiclass=multiclass, break_ties=break_ties)
    result = wm.cross_validate_path(machine, X, y, Cs=CS, gammas=GAMMAS, cv=cv)
    assert_equal_to_one_example(result.scores, independent(machine, X, y, CS, GAMMAS, cv), y, cv)


@pytest.mark.parametrize("machine", [wm.SVR(epsilon=0.2), wm.SVR(fit_intercept=False), wm.NuSVR(nu=0.4)])
def test_scores_of_regression_are_those_of_independent_fits(diabetes, machine):
    X, y = diabetes
    cv, gammas = KFold(3, shuffle=True, random_state=0), [0.003, 0.05]
    result = wm.cross_validate_path(machine, X, y, Cs=[0.1, 1.0, 10.0], gammas=gammas, cv=cv)
    expected = independent(machine, X, y, [0.1, 1.0, 10.0], gammas, cv)
    np.testing.assert_allclose(result.scores, expected, atol=2e-3)


@pytest.mark.parametrize("loss", ["squared_hinge", "least-squares"])
def test_scores_of_other_losses_are_those_of_independent_fits(iris, loss):
    X, y = iris
    cv = StratifiedKFold(3)
    machine = wm.SVC(loss=loss, fit_intercept=False)
    result = wm.cross_validate_path(machine, X, y, Cs=[0.1, 10.0], gammas=[0.1], cv=cv)
    assert_equal_to_one_example(result.scores, independent(machine, X, y, [0.1, 10.0], [0.1], cv), y, cv)


def test_weights_of_points_and_classes_play_their_part(iris):
    X, y = iris
    weight = np.random.default_rng(3).integers(0, 4, len(y)).astype(float)
    cv = StratifiedKFold(3, shuffle=True, random_state=1)
    for class_weight in ("balanced", {"a": 1.0, "b": 5.0, "c": 0.2}):
        machine = wm.SVC(class_weight=class_weight)
        result = wm.cross_validate_path(machine, X, y, Cs=CS, gammas=GAMMAS, cv=cv, sample_weight=weight)
        expected = independent(machine, X, y, CS, GAMMAS, cv, params={"sample_weight": weight})
        assert_equal_to_one_example(result.scores, expected, y, cv)
    plain = wm.cross_validate_path(wm.SVC(), X, y, Cs=CS, gammas=GAMMAS, cv=cv)
    assert (plain.scores != result.scores).any()


@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "poly", "sigmoid"])
def test_every_kernel_with_gamma_can_be_searched_on_sparse_data(iris, kernel):
    X, y = sp.csr_matrix(np.maximum(iris[0] - 3, 0)), iris[1]
    cv = StratifiedKFold(3, shuffle=True, random_state=1)
    machine = wm.SVC(kernel=kernel, coef0=0.1)
    Cs = [0.1, 1.0]
    result = wm.cross_validate_path(machine, X, y, Cs=Cs, gammas=[0.01, 0.1], cv=cv)
    assert_equal_to_one_example(result.scores, independent(machine, X, y, Cs, [0.01, 0.1], cv), y, cv)


def test_kernels_without_gamma_have_one_column(iris):
    X, y = iris
    cv = StratifiedKFold(3, shuffle=True, random_state=1)
    for machine in (wm.SVC(kernel="linear"), wm.SVC(kernel=wm.Gaussian(0.1) + wm.Linear())):
        result = wm.cross_validate_path(machine, X, y, Cs=CS, cv=cv)
        assert result.scores.shape == (3, 1, 3) and np.isnan(result.gammas).all()
        assert_equal_to_one_example(result.scores, independent(machine, X, y, CS, [None], cv), y, cv)
        assert result.best_C == result.best_estimator().C


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_precomputed_matrix_is_read_where_it_is(cancer, dtype):
    X, y = cancer
    K, cv = rbf_kernel(X, gamma=0.02).astype(dtype), StratifiedKFold(3)
    result = wm.cross_validate_path(wm.SVC(kernel="precomputed"), K, y, Cs=CS, cv=cv)
    same = wm.cross_validate_path(wm.SVC(), X, y, Cs=CS, gammas=[0.02], cv=cv)
    assert_equal_to_one_example(result.scores, same.scores, y, cv)


def test_strings_can_be_searched_with_a_kernel_function():
    words = ["aab", "aba", "baa", "abab", "bbb", "bba", "abb", "babb"] * 3
    y = np.array([word.count("a") > word.count("b") for word in words])

    def common(A, B):
        return np.array([[sum(min(a.count(c), b.count(c)) for c in "ab") for b in B] for a in A], dtype=float)

    result = wm.cross_validate_path(wm.SVC(kernel=common), words, y, Cs=[1.0, 10.0], cv=3)
    expected = wm.SVC(kernel=common, C=10).fit(words, y).score(words, y)
    assert result.scores[1].mean() == pytest.approx(expected, abs=0.1)


def test_a_budget_without_room_for_tables_gives_the_same_scores(cancer):
    X, y = cancer
    search = {"Cs": CS, "gammas": GAMMAS, "cv": StratifiedKFold(3)}
    rich = wm.cross_validate_path(wm.SVC(), X, y, **search)
    for megabytes in (0, 2, 3.5):  # no table; one; distances and parts
        poor = wm.cross_validate_path(wm.SVC(cache_size=megabytes), X, y, **search)
        assert_equal_to_one_example(poor.scores, rich.scores, y, StratifiedKFold(3))
    assert rich.kernel_evaluations == 2 * len(y) ** 2 < rich.kernel_reads


@pytest.mark.parametrize(
    ("megabytes", "tables", "exponents", "parts"),
    [(0.1, 0, False, False), (2, 1, False, False), (3, 0, True, True)],
)
def test_tables_keep_to_the_budget(cancer, megabytes, tables, exponents, parts):
    X, y = cancer
    budget = int(megabytes * 2**20)
    train, test = next(StratifiedKFold(3).split(X, y))
    fold = Fold(train.astype(np.int32), test.astype(np.int32), None)
    table = SharedTable(X, [wm.Gaussian(0.1), wm.Gaussian(1.0)], budget, [fold])
    assert len(table.tables) == tables and (table.exponents is not None) == exponents
    assert table.has_parts == parts
    whole, part = 4 * len(X) ** 2, 4 * train.size * len(X)
    assert (tables + exponents) * whole + parts * part <= budget
    for work in table.prepare():
        work()
    coefficients = np.zeros(len(X))
    coefficients[train] = np.random.default_rng(0).normal(size=train.size)
    problem = wm.problems.soft_margin(np.where(y[train], 1, -1), 1.0).on(train)
    for k, kernel in enumerate(table.kernels):
        for work in table.fill(k):
            work()
        with table.of_fold(k, fold, lambda: False) as gram:
            rows = gram.restated(problem).rows
            K = gram.among_train.block(rows, rows)
            values = gram.values(coefficients)
        np.testing.assert_allclose(K, kernel.gram(X[train]), atol=2e-7)
        np.testing.assert_allclose(values, kernel.gram(X[test], X) @ coefficients, atol=1e-4)


@pytest.mark.parametrize("kernel", [wm.Gaussian, wm.Laplacian, wm.Linear])
def test_dear_entries_are_computed_few_at_a_time(kernel):
    X = np.random.default_rng(0).normal(size=(200, 20_000))
    kernels = [kernel()] if kernel is wm.Linear else [kernel(1e-4), kernel(1e-5)]
    fold = Fold(np.arange(150, dtype=np.int32), np.arange(150, 200, dtype=np.int32), None)
    table = SharedTable(X, kernels, 2**20, [fold])
    work = table.prepare() + table.fill(0)  # Ctrl-C is heard between two parts of it
    assert len(work) > 4


def test_points_drawn_twice_count_once_whatever_the_budget(cancer):
    X, y = cancer
    drawn = np.random.default_rng(0).choice(400, 400)
    search = {"Cs": CS, "gammas": GAMMAS, "cv": [(drawn, np.arange(400, len(y)))]}
    rich = wm.cross_validate_path(wm.SVC(), X, y, **search)
    poor = wm.cross_validate_path(wm.SVC(cache_size=0.1), X, y, **search)
    np.testing.assert_allclose(rich.scores, poor.scores, atol=1.01 / (len(y) - 400))


def test_a_kernel_without_exponents_has_whole_tables_and_parts_of_them(cancer):
    X, y = cancer
    search = {"Cs": CS, "gammas": GAMMAS, "cv": StratifiedKFold(3)}
    machine = wm.SVC(kernel="poly", degree=2)
    whole = wm.cross_validate_path(machine, X, y, **search)
    none = wm.cross_validate_path(clone(machine).set_params(cache_size=0.1), X, y, **search)
    assert_equal_to_one_example(none.scores, whole.scores, y, StratifiedKFold(3))


def test_where_rounding_of_the_table_counts_the_kernel_itself_decides(cancer):
    X, y = cancer
    (train, test), *_ = StratifiedKFold(2).split(X, y)
    strict = wm.SVC(tol=1e-9)
    result = wm.cross_validate_path(strict, X, y, Cs=[10.0], gammas=[0.1], cv=[(train, test)])
    assert result.kernel_evaluations > len(y) ** 2
    expected = clone(strict).set_params(C=10.0, gamma=0.1).fit(X[train], y[train])
    assert result.n_support[0, 0, 0] == len(expected.support_)


def test_values_too_large_for_the_table_are_not_read_from_it():
    """Solvers would look for a long time for a solution that the rounded matrix does not have."""
    board = wm.datasets.chess_board(100, seed=0)
    machine = wm.SVC(kernel=wm.Polynomial(3), max_iter=200_000)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        result = wm.cross_validate_path(machine, board.X, board.y, Cs=[1.0, 2.0**10, 2.0**15], cv=3)
    alone = cross_val_score(clone(machine).set_params(C=2.0**15), board.X, board.y, cv=3)
    np.testing.assert_allclose(result.scores[2, 0], alone, atol=1 / 33)


def test_a_machine_of_several_problems_that_ends_early_counts_once(iris):
    with pytest.warns(ConvergenceWarning, match="^3 of 3 machines stopped"):
        wm.cross_validate_path(wm.SVC(max_iter=1), *iris, Cs=[100.0], gammas=[0.1], cv=3)


def test_the_number_of_threads_changes_nothing(iris):
    X, y = iris
    runs = [
        wm.cross_validate_path(wm.SVC(n_jobs=jobs), X, y, Cs=CS, gammas=GAMMAS, cv=3) for jobs in (1, 2, 7)
    ]
    for run in runs[1:]:
        np.testing.assert_array_equal(run.scores, runs[0].scores)
        np.testing.assert_array_equal(run.n_support, runs[0].n_support)


def test_cells_are_where_their_parameters_are_whatever_the_order(iris):
    X, y = iris
    up = wm.cross_validate_path(wm.SVC(), X, y, Cs=CS, gammas=GAMMAS)
    down = wm.cross_validate_path(wm.SVC(), X, y, Cs=CS[::-1], gammas=GAMMAS[::-1])
    np.testing.assert_array_equal(up.scores, down.scores[::-1, ::-1])


def test_folds_are_those_of_scikit_learn(iris):
    X, y = iris
    search = {"Cs": [1.0], "gammas": [0.1]}
    default = wm.cross_validate_path(wm.SVC(), X, y, **search).scores
    np.testing.assert_array_equal(
        default, wm.cross_validate_path(wm.SVC(), X, y, cv=StratifiedKFold(5), **search).scores
    )
    splitter = ShuffleSplit(4, test_size=0.3, random_state=0)
    masks = [
        (np.isin(np.arange(len(y)), train), np.isin(np.arange(len(y)), test))
        for train, test in splitter.split(X)
    ]
    np.testing.assert_allclose(
        wm.cross_validate_path(wm.SVC(), X, y, cv=splitter, **search).scores,
        wm.cross_validate_path(wm.SVC(), X, y, cv=masks, **search).scores,
        atol=0.025,
    )


@pytest.mark.parametrize("scoring", ["balanced_accuracy", "roc_auc", "neg_log_loss"])
def test_scorers_of_scikit_learn_that_need_no_probabilities(cancer, scoring):
    X, y = cancer
    search = {"Cs": [1.0], "gammas": [0.02], "cv": StratifiedKFold(3), "scoring": scoring}
    if scoring == "neg_log_loss":
        with pytest.raises(ValueError, match="asks for probabilities"):
            wm.cross_validate_path(wm.SVC(), X, y, **search)
        return
    result = wm.cross_validate_path(wm.SVC(), X, y, **search)
    expected = independent(wm.SVC(), X, y, [1.0], [0.02], StratifiedKFold(3), scoring=scoring)
    np.testing.assert_allclose(result.scores, expected, atol=5e-3)


def test_a_scorer_sees_a_score_for_each_of_several_classes(iris):
    X, y = iris
    seen = []

    def scorer(machine, X, y):
        seen.append(machine.decision_function(X).shape)
        return float(np.mean(machine.predict(X) == y))

    result = wm.cross_validate_path(wm.SVC(), X, y, Cs=[1.0], gammas=[0.1], scoring=scorer)
    assert seen == [(30, 3)] * 5
    np.testing.assert_array_equal(
        result.scores, wm.cross_validate_path(wm.SVC(), X, y, Cs=[1.0], gammas=[0.1]).scores
    )


def test_the_estimator_is_left_alone_and_the_best_one_is_a_copy(iris):
    X, y = iris
    machine = wm.SVC(kernel=wm.Gaussian(gamma=7.0), C=3.0, class_weight="balanced")
    result = wm.cross_validate_path(machine, X, y, Cs=CS, gammas=GAMMAS)
    assert machine.C == 3.0 and machine.kernel.gamma == 7.0 and not hasattr(machine, "n_features_in_")
    best = result.best_estimator()
    assert (best.C, best.kernel.gamma) == (result.best_C, result.best_gamma)
    assert best.class_weight == "balanced" and not hasattr(best, "support_")


def test_the_simplest_of_the_best_machines_is_chosen():
    X = np.repeat([[0.0], [10.0]], 10, axis=0)
    result = wm.cross_validate_path(wm.SVC(), X, X[:, 0], Cs=[10.0, 1.0], gammas=[1.0, 0.1], cv=2)
    assert (result.best_C, result.best_gamma, result.best_score) == (1.0, 0.1, 1.0)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"estimator": wm.NuSVC()}, "estimator must be an SVC, SVR or NuSVR"),
        ({"estimator": wm.SVC(tol=-1)}, "tol must be"),
        ({"Cs": []}, "Cs must be a list of at least one number"),
        ({"Cs": [1.0, -2.0]}, r"Cs must be positive and finite, but Cs\[1\] is -2"),
        ({"Cs": [np.inf]}, "Cs must be positive and finite"),
        ({"gammas": [0.0]}, r"gammas must be positive and finite, but gammas\[0\] is 0"),
        ({"estimator": wm.SVC(kernel="linear")}, "gammas has no meaning for kernel='linear'"),
        ({"cv": 1}, "n_splits=1"),
        ({"cv": 70}, "n_splits=70"),
        ({"cv": []}, "cv has no folds"),
        ({"cv": [(np.arange(50), np.arange(50, 60))]}, "fold 0 of cv has no point of class 'b' to train on"),
        ({"cv": [(np.arange(150), [])]}, "cv must give numbers|nothing to test on"),
        ({"cv": [(np.arange(150), [150])]}, "cv must give numbers of points between 0 and 149"),
        ({"sample_weight": np.ones(3)}, "sample_weight has shape"),
        ({"sample_weight": np.repeat([0.0, 1.0], [50, 100])}, "sample_weight is zero for every sample of"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(iris, change, words):
    X, y = iris
    arguments = {"estimator": wm.SVC(), "X": X, "y": y, "Cs": [1.0], "gammas": [0.1]} | change
    with pytest.raises(ValueError, match=words):
        wm.cross_validate_path(**arguments)


def test_machines_that_stop_early_are_counted_in_a_warning(cancer):
    X, y = cancer
    with pytest.warns(ConvergenceWarning, match="12 of 12 machines stopped before tol"):
        wm.cross_validate_path(wm.SVC(max_iter=2), X, y, Cs=[1.0, 10.0], gammas=GAMMAS, cv=3)


def test_a_callback_ends_the_search_and_what_is_known_stays(iris):
    X, y = iris
    told = []

    def enough(done, total):
        told.append((done, total))
        return done == 4

    result = wm.cross_validate_path(wm.SVC(n_jobs=1), X, y, Cs=CS, gammas=GAMMAS, cv=3, callback=enough)
    assert told == [(1, 18), (2, 18), (3, 18), (4, 18)]
    assert np.isfinite(result.scores).sum() == 4
    with pytest.raises(ValueError, match="no cell of the grid is complete"):
        _ = result.best_C


def test_errors_of_a_callback_reach_the_caller(iris):
    X, y = iris

    def fail(done, total):
        raise RuntimeError("not today")

    with pytest.raises(RuntimeError, match="not today"):
        wm.cross_validate_path(wm.SVC(), X, y, Cs=CS, gammas=GAMMAS, callback=fail)


def test_ctrl_c_carries_the_scores_known_by_then():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500, 4))
    y = X[:, 0] * X[:, 1] + rng.normal(size=1500) > 0
    begun = threading.Event()

    def press():
        begun.wait(30)
        os.kill(os.getpid(), signal.SIGINT)

    presser = threading.Thread(target=press)
    presser.start()
    search = {"Cs": np.logspace(-1, 4, 20), "gammas": np.logspace(-2, 1, 20)}
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt) as caught:
        wm.cross_validate_path(wm.SVC(n_jobs=2), X, y, callback=lambda done, total: begun.set(), **search)
    presser.join()
    assert isinstance(caught.value, wm.PathInterrupted)
    known = np.isfinite(caught.value.result.scores)
    assert known.any() and not known.all()
    assert time.monotonic() - start < 30


def test_a_random_code_is_drawn_once_for_a_search_and_its_best_machine():
    random = np.random.default_rng(0)
    y = np.arange(120) % 8
    X = random.standard_normal((120, 3)) + y[:, None]
    machine = wm.SVC(multiclass="sparse-random", random_state=np.random.RandomState(3))
    result = wm.cross_validate_path(machine, X, y, Cs=[1.0], gammas=[0.1], cv=3)
    best = result.best_estimator().fit(X, y)
    np.testing.assert_array_equal(clone(best).fit(X, y).code_, best.code_)
    expected = cross_val_score(clone(best), X, y, cv=StratifiedKFold(3))
    np.testing.assert_allclose(result.scores[0, 0], expected)
    assert machine.multiclass == "sparse-random"  # the caller's own is as it was


def test_scores_that_hang_on_the_tolerance_are_settled(monkeypatch):
    random = np.random.default_rng(0)
    X = random.standard_normal((1800, 2))
    y = np.where(X[:, 0] + random.standard_normal(1800) > 0, 1, -1)

    def scores(tol):
        machine = wm.SVC(tol=tol, n_jobs=1)
        return wm.cross_validate_path(machine, X, y, Cs=[0.1, 1.0, 10.0], gammas=[0.1, 1.0], cv=3).scores

    exact, settled = scores(1e-6), scores(0.1)
    monkeypatch.setattr(path, "DOUBTFUL", np.inf)
    assert np.abs(settled - exact).sum() < np.abs(scores(0.1) - exact).sum()
