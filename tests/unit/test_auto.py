"""Machines without parameters: what they choose, say, and do with data that leave no choice."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

import widemargin as wm
from widemargin.datasets import chess_board, sparse_coordinates
from widemargin.selection import SearchWarning
from widemargin.selection.auto import auto_machine
from widemargin.selection.auto.climb import climb
from widemargin.selection.auto.cross_fit import CrossFit
from widemargin.selection.auto.relevance import correlation_ratio, metric
from widemargin.selection.auto.scaling import Scaling
from widemargin.selection.auto.screening import RIDGES, left_out_squares, squared_distances

IRIS = load_iris(return_X_y=True)


def irrelevant_features(n=200, d=30, seed=0):
    """Two features with a class each, the others noise."""
    draw = np.random.default_rng(seed)
    X = draw.normal(size=(n, d))
    y = np.where(X[:, 0] + X[:, 1] + 0.3 * draw.normal(size=n) > 0, "high", "low")
    return X, y


def test_a_chess_board_is_learned_without_parameters():
    board, test = chess_board(300, seed=0), chess_board(2000, seed=1)
    machine = wm.AutoSVC().fit(board.X, board.y)
    assert machine.score(test.X, test.y) > 0.85


def test_it_is_better_than_defaults_on_badly_scaled_data():
    X, y = load_breast_cancer(return_X_y=True)
    parts = train_test_split(X, y, random_state=0, stratify=y)
    machine = wm.AutoSVC().fit(parts[0], parts[2])
    assert machine.score(parts[1], parts[3]) > SVC().fit(parts[0], parts[2]).score(parts[1], parts[3])


def test_irrelevant_features_lose_their_weight():
    (X, y), (X_test, y_test) = irrelevant_features(), irrelevant_features(1000, seed=1)
    machine = wm.AutoSVC().fit(X, y)
    assert machine.relevance_[:2].min() > 5 * np.median(machine.relevance_[2:])
    assert "relevance" in machine.report()
    radial = SVC(gamma=1 / 60, C=4).fit(X, y)
    assert machine.score(X_test, y_test) > radial.score(X_test, y_test)


@pytest.mark.parametrize("classes", [2, 4])
def test_classes_of_equal_size_are_compared_with_each_other(classes):
    """Both halves of the points for the first comparison have points of all classes."""
    draw = np.random.default_rng(0)
    y = np.arange(200) % classes
    X = np.column_stack([y + 0.5 * draw.normal(size=200), draw.normal(size=(200, 19))])
    machine = wm.AutoSVC().fit(X, y)
    assert machine.relevance_[0] == 1.0
    assert machine.relevance_[0] > 5 * np.median(machine.relevance_[1:])
    groups = auto_machine.halves(y, np.arange(200))
    assert all(np.ptp(np.bincount(y[half])) <= 1 for half in groups)


def test_probabilities_are_those_of_unseen_points():
    X, y = IRIS
    machine = wm.AutoSVC().fit(X, y)
    P = machine.predict_proba(X)
    np.testing.assert_allclose(P.sum(axis=1), 1)
    np.testing.assert_array_equal(machine.classes_[P.argmax(axis=1)], machine.predict(X))
    np.testing.assert_allclose(machine.predict_log_proba(X), np.log(P))
    without = wm.AutoSVC(probability=False).fit(X, y)
    assert not hasattr(without, "predict_proba")


def test_the_report_says_what_was_chosen():
    X, y = IRIS
    machine = wm.AutoSVC().fit(np.column_stack([X, np.ones(150)]), y)
    text = machine.report()
    assert f"C={machine.C_:g}" in text
    assert "1 of them constant" in text
    for topic in ("features", "kernel", "search", "probabilities", "time"):
        assert topic in text
    html = machine._repr_mimebundle_()["text/html"]
    assert "<table>" in html
    assert "cross-validated" in html


def test_constant_features_play_no_part():
    X, y = IRIS
    plain = wm.AutoSVC().fit(X, y)
    more = wm.AutoSVC().fit(np.column_stack([X, np.full(150, 7.0)]), y)
    changed = np.column_stack([X, np.linspace(-100, 100, 150)])
    np.testing.assert_allclose(more.decision_function(changed), plain.decision_function(X), atol=1e-8)


def test_the_scale_of_features_does_not_matter():
    X, y = IRIS
    factors = np.array([1e-6, 1.0, 1e3, 1e9])
    np.testing.assert_array_equal(
        wm.AutoSVC().fit(X * factors + 5, y).predict(X * factors + 5), wm.AutoSVC().fit(X, y).predict(X)
    )


@pytest.mark.parametrize("size", [1e-250, 1e-200, 1e200, 1e300])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_sizes_whose_squares_are_no_numbers_do_not_matter(size, kind):
    X, y = IRIS
    usual, far = wm.AutoSVC().fit(kind(X), y), wm.AutoSVC().fit(kind(X * size), y)
    np.testing.assert_array_equal(far.predict(kind(X * size)), usual.predict(kind(X)))
    assert far.scaling_.n_constant == 0


@pytest.mark.parametrize("size", [1e-250, 1e200, 1e300])
def test_sizes_of_targets_whose_squares_are_no_numbers_do_not_matter(size):
    X, y = load_diabetes(return_X_y=True)
    X, y = X[:100], y[:100]
    usual, far = wm.AutoSVR().fit(X, y), wm.AutoSVR().fit(X, y * size)
    np.testing.assert_allclose(far.predict(X) / size, usual.predict(X), rtol=1e-6)


def test_sparse_points_are_treated_like_dense_ones():
    X, y = IRIS
    dense, sparse = wm.AutoSVC().fit(X, y), wm.AutoSVC().fit(sp.csr_array(X), y)
    assert dense.C_ == sparse.C_
    np.testing.assert_allclose(dense.gamma_, sparse.gamma_)
    assert (dense.predict(X) == sparse.predict(sp.csr_array(X))).mean() > 0.99


def test_a_machine_sees_the_same_points_in_either_form():
    X, y = IRIS
    for trained_on in (X, sp.csr_array(X)):
        machine = wm.AutoSVC().fit(trained_on, y)
        np.testing.assert_allclose(machine.decision_function(sp.csr_array(X)), machine.decision_function(X))


def test_regression_needs_no_parameters():
    X, y = load_diabetes(return_X_y=True)
    parts = train_test_split(X, y, random_state=0)
    machine = wm.AutoSVR().fit(parts[0], parts[2])
    assert machine.score(parts[1], parts[3]) > 0.3
    assert f"epsilon={machine.epsilon_:.3g}" in machine.report()
    scaled = wm.AutoSVR().fit(parts[0], 1e6 * parts[2] + 3)
    np.testing.assert_allclose(scaled.predict(parts[1]), 1e6 * machine.predict(parts[1]) + 3, rtol=1e-6)


@pytest.mark.parametrize("value", [0.0, 7.0])
def test_a_target_that_never_changes_is_always_the_answer(value):
    X = np.random.default_rng(0).normal(size=(40, 3))
    np.testing.assert_allclose(wm.AutoSVR().fit(X, np.full(40, value)).predict(X), value, atol=1e-6)


def test_unequal_classes_are_balanced_on_request():
    draw = np.random.default_rng(0)
    X = np.r_[draw.normal(size=(180, 2)), draw.normal(size=(20, 2)) + 1.5]
    y = np.r_[np.zeros(180), np.ones(20)]
    plain, balanced = wm.AutoSVC().fit(X, y), wm.AutoSVC(class_weight="balanced").fit(X, y)
    assert (balanced.predict(X) == 1).sum() > (plain.predict(X) == 1).sum()


def test_points_of_weight_zero_are_as_good_as_absent():
    X, y = IRIS
    weight = np.ones(150)
    weight[::7] = 0
    kept = weight > 0
    weighted = wm.AutoSVC().fit(X, y, sample_weight=weight)
    without = wm.AutoSVC().fit(X[kept], y[kept])
    assert (weighted.C_, weighted.gamma_) == (without.C_, without.gamma_)
    np.testing.assert_allclose(weighted.decision_function(X), without.decision_function(X), atol=1e-6)


def test_the_same_seed_gives_the_same_machine():
    board = chess_board(700, seed=0)
    first, second = (wm.AutoSVC(random_state=4).fit(board.X, board.y) for _ in range(2))
    np.testing.assert_array_equal(first.decision_function(board.X), second.decision_function(board.X))


def test_it_works_in_a_pipeline_and_can_be_cloned():
    X, y = IRIS
    pipeline = make_pipeline(clone(wm.AutoSVC(random_state=1))).fit(X, y)
    assert pipeline.score(X, y) > 0.95


def test_fewer_than_ten_points_are_a_case_for_rules_of_thumb():
    X, y = [[0.0], [0.2], [0.9], [1.1]], [0, 0, 1, 1]
    with pytest.warns(SearchWarning, match="only 4 points"):
        machine = wm.AutoSVC().fit(X, y)
    np.testing.assert_array_equal(machine.predict(X), y)
    assert np.isfinite(machine.predict_proba(X)).all()
    assert machine.C_ == 1.0


def test_constant_features_alone_leave_the_most_frequent_class():
    with pytest.warns(SearchWarning, match="all features are constant"):
        machine = wm.AutoSVC().fit(np.ones((30, 2)), [0] * 20 + [1] * 10)
    assert (machine.predict(np.ones((3, 2))) == 0).all()
    with pytest.warns(SearchWarning, match="all features are constant"):
        assert np.isfinite(wm.AutoSVR().fit(np.ones((30, 2)), np.arange(30.0)).predict(np.ones((1, 2)))).all()


def test_a_class_of_one_point_is_trained_but_not_searched():
    X, y = IRIS
    X, y = X[:101], y[:101]  # 50, 50 and 1
    machine = wm.AutoSVC().fit(X, y)
    assert set(machine.classes_) == {0, 1, 2}
    assert "single point" in machine.report()
    assert not hasattr(machine, "predict_proba")
    with pytest.raises(AttributeError) as caught:
        machine.predict_proba(X)
    assert "single point" in str(caught.value.__cause__)


def test_without_time_there_is_a_machine_and_a_sentence():
    with pytest.warns(SearchWarning, match="max_time=0"):
        machine = wm.AutoSVC(max_time=0.0).fit(*IRIS)
    assert machine.score(*IRIS) > 0.9
    assert "Allow more time" in machine.report()


def test_ctrl_c_keeps_what_is_known(monkeypatch):
    calls = []

    def judge(self):
        calls.append(1)
        raise KeyboardInterrupt

    monkeypatch.setattr(CrossFit, "judge", judge)
    machine = wm.AutoSVC()
    with pytest.raises(KeyboardInterrupt):
        machine.fit(*IRIS)
    assert calls
    assert machine.score(*IRIS) > 0.9
    assert "Ctrl-C" in machine.report()


def test_after_ctrl_c_in_the_search_few_points_are_learnt_of_all_classes(monkeypatch):
    def judge(self):
        raise KeyboardInterrupt

    monkeypatch.setattr(CrossFit, "judge", judge)
    random = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], [3000, 2998, 2])
    X = random.normal(size=(6000, 2)) + 4.0 * y[:, None]
    machine = wm.AutoSVC()
    with pytest.raises(KeyboardInterrupt):
        machine.fit(X, y)
    assert machine.classes_.tolist() == [0, 1, 2]
    assert machine.machine_.support_.size <= 1010
    assert "points are learnt" in machine.report()
    assert machine.score(X, y) > 0.95


def test_ctrl_c_in_the_training_keeps_the_machine_as_it_is_by_then(monkeypatch):
    fit = wm.SVC.fit

    def interrupted(self, *data, **how):
        fit(self, *data, **how)
        raise KeyboardInterrupt

    monkeypatch.setattr(wm.SVC, "fit", interrupted)
    machine = wm.AutoSVC()
    with pytest.raises(KeyboardInterrupt):
        machine.fit(*IRIS)
    assert machine.score(*IRIS) > 0.9
    assert "is what it was by then" in machine.report()


def test_one_class_is_refused():
    with pytest.raises(ValueError, match="number of classes"):
        wm.AutoSVC().fit([[0.0], [1.0]], [1, 1])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"class_weight": "fair"}, "class_weight must be"),
        ({"probability": 3}, "probability must be"),
        ({"max_time": -2}, "max_time must be"),
        ({"n_jobs": 0}, "n_jobs must be"),
        ({"random_state": "today"}, "random_state must be"),
    ],
)
def test_bad_parameters_are_named(settings, message):
    with pytest.raises(ValueError, match=message):
        wm.AutoSVC(**settings).fit(*IRIS)


def test_the_correlation_ratio_is_the_share_of_variance_between_groups():
    draw = np.random.default_rng(0)
    X, groups = draw.normal(size=(60, 4)), draw.integers(3, size=60)
    X[:, 0] += groups
    means = np.array([X[groups == g].mean(axis=0) for g in range(3)])
    eta = means[groups].var(axis=0) / X.var(axis=0)
    np.testing.assert_allclose(correlation_ratio(X, groups), eta)
    np.testing.assert_allclose(correlation_ratio(sp.csr_array(X), groups), eta)


def test_weights_are_relevances_but_at_least_what_chance_gives():
    draw = np.random.default_rng(0)
    groups = draw.integers(3, size=60)
    X = np.column_stack([groups + draw.normal(size=60), np.arange(60) % 2, np.zeros(60)])
    eta = correlation_ratio(X, groups)
    assert eta[0] > 2 / 59 > eta[2] == 0
    np.testing.assert_allclose(metric(X, groups, 1.0), np.maximum(eta, 2 / 59) / eta[0])
    np.testing.assert_allclose(metric(X, groups, 0.5), np.sqrt(metric(X, groups, 1.0)))
    np.testing.assert_array_equal(metric(X, groups, 0.0), np.ones(3))
    np.testing.assert_array_equal(metric(X[:, 2:], groups, 1.0), [1.0])


@pytest.mark.parametrize("k", [3, 5])
def test_few_points_are_enough_to_see_which_of_many_features_matter(k):
    """Sparse coordinates: 20 features of which 6 matter."""
    draws = [sparse_coordinates(100, k=k, seed=seed) for seed in range(12)]
    weights = [wm.AutoSVC(probability=False).fit(few.X, few.y).relevance_ for few in draws]
    assert np.mean([np.ptp(each) > 0 for each in weights]) > 0.6
    assert np.mean(weights, axis=0)[:6].min() > np.mean(weights, axis=0)[6:].max()


def test_left_out_residuals_are_those_of_machines_without_the_point():
    draw = np.random.default_rng(1)
    X, t = draw.normal(size=(12, 2)), draw.normal(size=(12, 1))
    D = squared_distances(X, np.ones(2))
    squares = left_out_squares(0.5, D, t)
    K, ridge = np.exp(-0.5 * D), RIDGES[5]
    for i in range(12):
        rest = np.arange(12) != i
        c = np.linalg.solve(K[np.ix_(rest, rest)] + ridge * np.eye(11), t[rest, 0])
        assert squares[5, i] * (t**2).mean() == pytest.approx(
            (t[i, 0] - K[i, rest] @ c) ** 2, rel=1e-3, abs=1e-5
        )


def test_scaled_features_have_variance_one():
    X = np.random.default_rng(2).normal(size=(50, 3)) * [1, 100, 0] + [5, 6, 7]
    Z = Scaling.of(X)(X)
    np.testing.assert_allclose(Z.std(axis=0), [1, 1, 0], atol=1e-12)
    np.testing.assert_allclose(Z.mean(axis=0), 0, atol=1e-12)


def test_the_climb_finds_a_summit_beyond_the_first_column():
    looked = []

    def judge(Cs, gamma):
        looked.extend((C, gamma) for C in Cs)
        return np.array([(np.log2(C) - 10) ** 2 + (np.log2(gamma) - 3) ** 2 for C in Cs])

    summit = climb(judge, 1.0)
    assert (summit.C, summit.gamma) == (1024.0, 8.0)
    assert len(looked) == len(set(looked)) == summit.cells < 25


def test_many_points_are_searched_again_from_where_some_of_them_led(monkeypatch):
    monkeypatch.setattr(auto_machine, "SEARCHED", 60)
    monkeypatch.setattr(auto_machine, "SEARCHED_AGAIN", 200)
    board, test = chess_board(300, seed=0), chess_board(1000, seed=1)
    machine = wm.AutoSVC().fit(board.X, board.y)
    assert "on 60 points" in machine.report()
    assert "on 200 points" in machine.report()
    assert machine.score(test.X, test.y) > 0.8


def test_a_climb_that_nobody_judges_has_no_summit():
    assert climb(lambda Cs, gamma: np.full(len(Cs), np.nan), 1.0) is None


def test_every_beginning_of_a_stratified_order_has_all_groups():
    groups = np.repeat([0, 1, 2], [100, 50, 10])
    order = auto_machine.stratified(groups, np.random.default_rng(0))
    assert sorted(order) == list(range(160))
    np.testing.assert_allclose(np.bincount(groups[order[:32]]), [20, 10, 2], atol=1)


def test_a_machine_that_is_not_fitted_says_so():
    with pytest.raises(Exception, match="not fitted"):
        wm.AutoSVC().predict([[0.0]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert wm.AutoSVC()._repr_mimebundle_()


def test_a_chess_board_of_few_points_is_learned_from_the_scale_of_its_squares():
    """Least squares on 200 points sees nothing at any gamma; a climb from there ends on the wrong hill."""
    test = chess_board(2000, seed=99)
    errors = [
        1 - wm.AutoSVC(probability=False).fit(board.X, board.y).score(test.X, test.y)
        for board in (chess_board(200, seed=seed) for seed in range(3))
    ]
    assert np.mean(errors) < 0.2


def board_among_noise(n, noise, seed=0):
    """A chess board, of which no column says anything by itself, and columns that say nothing at all."""
    board = chess_board(n, seed=seed)
    return np.column_stack([board.X, np.random.default_rng(seed).uniform(0, 4, size=(n, noise))]), board.y


@pytest.mark.parametrize("seed", range(3))
def test_features_that_matter_only_together_are_found(seed):
    X, y = board_among_noise(1500, 5, seed)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        machine = wm.AutoSVC(probability=False).fit(X[:500], y[:500])
    assert "Features say something together" in machine.report()
    assert machine.relevance_[:2].min() > 10 * machine.relevance_[2:].max()
    assert machine.score(X[500:], y[500:]) > 0.85


def test_two_features_among_ten_of_noise_are_found_with_more_points():
    errors = []
    for seed in range(3):
        X, y = board_among_noise(2000, 10, seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            machine = wm.AutoSVC(probability=False).fit(X[:1000], y[:1000])
        errors.append(1 - machine.score(X[1000:], y[1000:]))
    assert np.median(errors) < 0.1


@pytest.mark.parametrize("seed", range(4))
def test_noise_has_no_features_that_matter_together(seed):
    random = np.random.default_rng(seed)
    X, y = random.normal(size=(400, 6)), random.integers(0, 2, 400)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        machine = wm.AutoSVC(probability=False).fit(X, y)
    assert "together" not in machine.report()


def test_no_weights_together_are_looked_for_where_something_was_found(monkeypatch):
    monkeypatch.setattr(auto_machine, "aligned_metric", None)
    X, y = chess_board(400, seed=0).X, chess_board(400, seed=0).y
    wm.AutoSVC(probability=False).fit(X, y)
