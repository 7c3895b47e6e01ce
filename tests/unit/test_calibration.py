"""Platt's sigmoid, pairwise coupling, agreement with predictions, and the calibrating meta-estimator."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import minimize
from sklearn.base import clone
from sklearn.datasets import load_iris, make_blobs
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.utils.estimator_checks import check_estimator
from threadpoolctl import threadpool_limits

from widemargin.calibration import (
    Calibrated,
    OneVsAllSigmoids,
    PairwiseSigmoids,
    PlattSigmoid,
    agree_with,
    cross_fit_folds,
    normalise_one_vs_all,
    pairwise_coupling,
)

seeds = st.integers(0, 2**32 - 1)
untimed = settings(deadline=None, max_examples=50)


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    """Threads of other libraries wait for each other by spinning, which is slow on a busy machine."""
    with threadpool_limits(1):
        yield


def cross_entropy(theta, f, positive, w):
    """Platt's regularised objective, written from its definition."""
    n_positive, n_negative = w[positive].sum(), w[~positive].sum()
    t = np.where(positive, (n_positive + 1) / (n_positive + 2), 1 / (n_negative + 2))
    log_p = -np.logaddexp(0, theta[0] * f + theta[1])
    log_q = -np.logaddexp(0, -(theta[0] * f + theta[1]))
    return -(w * (t * log_p + (1 - t) * log_q)).sum()


def noisy_decisions(seed, n=60, noise=1.0, scale=1.0):
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n) < 0.4, 1, -1)
    return scale * (y + noise * rng.normal(size=n)), y, rng.uniform(0.1, 3, n)


def distributions(k):
    return arrays(np.float64, k, elements=st.floats(1e-3, 1)).map(lambda p: p / p.sum())


class TestPlattSigmoid:
    @untimed
    @given(seed=seeds, noise=st.sampled_from([0.3, 1.0, 4.0]), scale=st.sampled_from([1e-6, 1.0, 1e6]))
    def test_no_perturbation_of_the_parameters_lowers_the_cross_entropy(self, seed, noise, scale):
        f, y, w = noisy_decisions(seed, noise=noise, scale=scale)
        fit = PlattSigmoid().fit(f, y, w)
        best = cross_entropy((fit.A_, fit.B_), f, y > 0, w)
        for step in (1e-1, 1e-3):
            for a, b in ((step, 0), (-step, 0), (0, step), (0, -step), (step, step), (step, -step)):
                moved = (fit.A_ + a / scale, fit.B_ + b)
                assert cross_entropy(moved, f, y > 0, w) >= best - 1e-12 * abs(best)

    @pytest.mark.parametrize("noise", [0.2, 1.0, 5.0])
    def test_a_generic_optimiser_finds_the_same_sigmoid(self, noise):
        f, y, w = noisy_decisions(3, noise=noise)
        fit = PlattSigmoid().fit(f, y, w)
        found = minimize(cross_entropy, [0.0, 0.0], (f, y > 0, w), method="BFGS", options={"gtol": 1e-9})
        np.testing.assert_allclose([fit.A_, fit.B_], found.x, rtol=1e-5, atol=1e-6)

    def test_separable_values_far_from_zero_neither_overflow_nor_reach_certainty(self):
        f = np.array([-1e8, -1e7, 1e7, 1e8])
        p = PlattSigmoid().fit(f, [-1, -1, 1, 1]).predict_proba(f)
        assert np.all((p > 0) & (p < 1)) and np.all(np.diff(p) >= 0)

    def test_a_constant_decision_value_gives_the_regularised_class_frequency(self):
        p = PlattSigmoid().fit(np.ones(30), np.r_[np.ones(10), -np.ones(20)]).predict_proba([1.0])
        target = (10 * 11 / 12 + 20 * 1 / 22) / 30
        np.testing.assert_allclose(p, target, rtol=1e-8)

    def test_one_class_gives_its_regularised_target(self):
        p = PlattSigmoid().fit([0.5, 1.0, 2.0], [1, 1, 1]).predict_proba([0.5, 1.0, 2.0])
        np.testing.assert_allclose(p, 4 / 5, rtol=1e-8)

    @untimed
    @given(seed=seeds)
    def test_an_integer_weight_counts_like_that_many_samples(self, seed):
        f, y, _ = noisy_decisions(seed, n=20)
        w = np.random.default_rng(seed).integers(0, 4, 20)
        w[0] = 1
        weighted = PlattSigmoid().fit(f, y, w)
        repeated = PlattSigmoid().fit(np.repeat(f, w), np.repeat(y, w))
        np.testing.assert_allclose(
            [weighted.A_, weighted.B_], [repeated.A_, repeated.B_], rtol=1e-6, atol=1e-8
        )

    @untimed
    @given(seed=seeds)
    def test_exchanging_the_classes_mirrors_the_sigmoid(self, seed):
        f, y, w = noisy_decisions(seed)
        one, other = PlattSigmoid().fit(f, y, w), PlattSigmoid().fit(-f, -y, w)
        np.testing.assert_allclose(one.predict_proba(f) + other.predict_proba(-f), 1.0, atol=1e-8)

    @pytest.mark.parametrize(
        ("decision", "weight", "message"),
        [
            ([0.0, np.nan], None, "decision has NaN or infinite entries; the first is in row 1"),
            ([], None, "decision is empty"),
            ([0.0, 1.0], [0.0, 0.0], "zero"),
            ([0.0, 1.0], [1.0, -1.0], "[Nn]egative values"),
        ],
    )
    def test_bad_input_is_refused(self, decision, weight, message):
        with pytest.raises(ValueError, match=message):
            PlattSigmoid().fit(decision, np.ones(len(decision)), weight)


class TestPairwiseCoupling:
    @untimed
    @given(p=st.integers(2, 7).flatmap(distributions))
    def test_consistent_pairwise_probabilities_are_reproduced(self, p):
        R = p[:, None] / (p[:, None] + p[None, :])
        np.testing.assert_allclose(pairwise_coupling(R), p, atol=1e-9)

    @untimed
    @given(seed=seeds, k=st.integers(2, 6), certain=st.booleans())
    def test_rows_are_distributions_that_minimise_the_coupling_objective(self, seed, k, certain):
        rng = np.random.default_rng(seed)
        upper = np.triu(rng.random((5, k, k)).round(0 if certain else 9), 1)
        R = upper + np.tril(1 - upper.swapaxes(1, 2), -1)
        P = pairwise_coupling(R)
        assert np.all(P >= 0)
        np.testing.assert_allclose(P.sum(axis=1), 1.0, atol=1e-12)
        clipped = np.clip(R, 1e-7, 1 - 1e-7)

        def objective(p):
            differences = clipped.swapaxes(1, 2) * p[:, :, None] - clipped * p[:, None, :]
            return (np.triu(differences, 1) ** 2).sum(axis=(1, 2))

        best = objective(P)
        for _ in range(5):
            direction = rng.normal(size=P.shape)
            direction -= direction.mean(axis=1, keepdims=True)
            assert np.all(objective(P + 1e-3 * direction) >= best - 1e-12)

    def test_many_rows_and_one_row_agree(self):
        upper = np.triu(np.random.default_rng(0).random((4, 3, 3)), 1)
        R = upper + np.tril(1 - upper.swapaxes(1, 2), -1)
        np.testing.assert_allclose(pairwise_coupling(R), [pairwise_coupling(r) for r in R], rtol=1e-12)

    def test_a_matrix_that_is_not_square_is_refused(self):
        with pytest.raises(ValueError, match=r"R must have shape \(k, k\) or \(n, k, k\), not \(2, 3\)"):
            pairwise_coupling(np.ones((2, 3)))


class TestAgreeWith:
    @untimed
    @given(p=st.integers(2, 6).flatmap(distributions), data=st.data())
    def test_the_predicted_class_is_the_unique_arg_max_of_a_distribution(self, p, data):
        predicted = data.draw(st.integers(0, len(p) - 1))
        q = agree_with(p[None], [predicted])[0]
        assert q.argmax() == predicted
        assert q.astype(np.float32).argmax() == predicted or p.argmax() == predicted
        assert np.all(q >= 0) and np.isclose(q.sum(), 1.0, atol=1e-12)

    @untimed
    @given(p=distributions(4), data=st.data())
    def test_no_distribution_that_agrees_is_nearer(self, p, data):
        predicted = data.draw(st.integers(0, 3))
        q = agree_with(p[None], [predicted])[0]
        for _ in range(20):
            rival = data.draw(distributions(4))
            if np.all(rival <= rival[predicted]):
                assert np.linalg.norm(q - p) <= np.linalg.norm(rival - p) + 1e-5

    def test_rows_that_agree_are_returned_bit_for_bit_and_the_input_is_untouched(self):
        P = np.array([[0.2, 0.8], [0.6, 0.4], [0.5, 0.5]])
        before = P.copy()
        Q = agree_with(P, [1, 1, 0])
        np.testing.assert_array_equal(P, before)
        np.testing.assert_array_equal(Q[[0, 2]], P[[0, 2]])
        np.testing.assert_allclose(Q[1], 0.5, atol=1e-6)

    def test_only_rivals_above_the_common_level_are_lowered(self):
        np.testing.assert_allclose(
            agree_with([[0.6, 0.1, 0.25, 0.05]], [1]), [[0.35, 0.35, 0.25, 0.05]], atol=1e-6
        )
        np.testing.assert_allclose(agree_with([[0.4, 0.1, 0.4, 0.1]], [1]), [[0.3, 0.3, 0.3, 0.1]], atol=1e-6)


def test_one_vs_all_rows_sum_to_one_and_a_row_of_zeros_is_uniform():
    P = normalise_one_vs_all([[0.9, 0.9, 0.2], [0, 0, 0]])
    np.testing.assert_allclose(P, [[0.45, 0.45, 0.1], [1 / 3] * 3])


class TestSigmoidsOfSeveralClasses:
    def test_two_classes_are_one_platt_sigmoid_whose_positive_values_speak_for_class_1(self):
        f, y, w = noisy_decisions(0)
        pair = PairwiseSigmoids().fit(f, y > 0, w)
        single = PlattSigmoid().fit(f, y, w)
        np.testing.assert_allclose(pair.predict_proba(f)[:, 1], single.predict_proba(f))
        np.testing.assert_allclose(pair.predict_proba(f[:, None]), pair.predict_proba(f))

    def test_a_pair_is_fitted_to_its_own_points_with_the_first_class_positive(self):
        rng = np.random.default_rng(0)
        y, f, w = rng.integers(0, 4, 200), rng.normal(size=(200, 6)), rng.random(200)
        fit = PairwiseSigmoids().fit(f, y, w)
        pairs = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
        for column, (i, j) in enumerate(pairs):
            own = (y == i) | (y == j)
            expected = PlattSigmoid().fit(f[own, column], y[own] == i, w[own])
            assert (fit.A_[column], fit.B_[column]) == (expected.A_, expected.B_)

    def test_values_of_the_pairs_of_each_point_s_class_are_all_it_takes(self):
        random = np.random.default_rng(0)
        y, f, w = random.integers(0, 4, 80), random.normal(size=(80, 6)), random.uniform(1, 2, 80)
        pairs = [(0, 1, 2), (0, 3, 4), (1, 3, 5), (2, 4, 5)]  # of each class, by the other one
        own = np.stack([f[i, list(pairs[c])] for i, c in enumerate(y)])
        whole, compressed = PairwiseSigmoids().fit(f, y, w), PairwiseSigmoids().fit_compressed(own, y, w)
        assert compressed.n_classes_ == 4
        np.testing.assert_array_equal(compressed.A_, whole.A_)
        np.testing.assert_array_equal(compressed.B_, whole.B_)

    def test_rows_do_not_depend_on_the_batch_they_come_in(self, monkeypatch):
        rng = np.random.default_rng(0)
        y, f = rng.integers(0, 3, 50), rng.normal(size=(50, 3))
        fit = PairwiseSigmoids().fit(f, y)
        whole = fit.predict_proba(f)
        monkeypatch.setattr("widemargin.calibration.pairwise.BATCH_ENTRIES", 40)
        np.testing.assert_allclose(fit.predict_proba(f), whole, rtol=1e-12)

    def test_a_number_of_columns_that_is_no_number_of_pairs_is_refused(self):
        with pytest.raises(ValueError, match="5 columns, which is not k"):
            PairwiseSigmoids().fit(np.zeros((4, 5)), [0, 1, 2, 3])

    def test_decision_values_of_another_width_are_refused(self):
        y = [0, 1, 2]
        with pytest.raises(ValueError, match="3 columns, one per pair"):
            PairwiseSigmoids().fit(np.eye(3), y).predict_proba(np.zeros((1, 6)))
        with pytest.raises(ValueError, match="one column per class"):
            OneVsAllSigmoids().fit(np.eye(3), y).predict_proba(np.zeros((1, 2)))


class TestFolds:
    def test_every_class_is_in_every_training_set_and_every_point_is_tested_once(self):
        y = np.array(["a"] * 20 + ["b"] * 3)
        folds = cross_fit_folds(y, cv=5)
        assert len(folds) == 3
        np.testing.assert_array_equal(np.sort(np.concatenate([test for _, test in folds])), np.arange(23))
        assert all(set(y[train]) == {"a", "b"} for train, _ in folds)

    def test_a_seed_shuffles_reproducibly(self):
        y = np.arange(40) % 2
        tests = [np.concatenate([t for _, t in cross_fit_folds(y, 4, seed)]).tolist() for seed in (1, 1, 2)]
        assert tests[0] == tests[1] != tests[2]

    @pytest.mark.parametrize(
        ("y", "cv", "message"), [("aab", 5, "Class 'b' has only one sample"), ("aabb", 1, "cv must be")]
    )
    def test_impossible_folds_are_refused(self, y, cv, message):
        with pytest.raises(ValueError, match=message):
            cross_fit_folds(list(y), cv)


class TestCalibrated:
    @pytest.mark.parametrize("classes", [2, 3, 5])
    @pytest.mark.parametrize("estimator", [SVC(C=0.1), LinearSVC(random_state=0), RidgeClassifier()])
    def test_the_most_probable_class_is_the_predicted_one(self, classes, estimator):
        X, y = make_blobs(200, centers=classes, cluster_std=6.0, random_state=classes)
        model = Calibrated(estimator, cv=3).fit(X, y)
        P = model.predict_proba(X)
        np.testing.assert_allclose(P.sum(axis=1), 1.0)
        np.testing.assert_array_equal(model.classes_[P.argmax(axis=1)], model.predict(X))
        np.testing.assert_array_equal(model.predict(X), clone(estimator).fit(X, y).predict(X))

    def test_two_classes_use_one_sigmoid_on_out_of_fold_values(self):
        X, y = make_blobs(90, centers=2, cluster_std=5.0, random_state=1)
        model = Calibrated(RidgeClassifier(), cv=3).fit(X, y)
        f = np.empty(90)
        for train, test in cross_fit_folds(y, 3):
            f[test] = RidgeClassifier().fit(X[train], y[train]).decision_function(X[test])
        expected = PlattSigmoid().fit(f, y)
        np.testing.assert_allclose([model.sigmoids_.A_[0], model.sigmoids_.B_[0]], [expected.A_, expected.B_])

    def test_all_pairs_are_used_where_the_classifier_gives_them(self):
        X, y = load_iris(return_X_y=True)
        for shape in ("ovr", "ovo"):
            model = Calibrated(SVC(decision_function_shape=shape), cv=3).fit(X, y)
            assert isinstance(model.sigmoids_, PairwiseSigmoids)
            assert model.estimator_.decision_function_shape == shape
        assert isinstance(Calibrated(LinearSVC(random_state=0), cv=3).fit(X, y).sigmoids_, OneVsAllSigmoids)

    def test_probabilities_beat_the_class_frequencies_and_are_near_the_true_ones(self):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(600, 1))
        truth = 1 / (1 + np.exp(-2 * X[:, 0]))
        y = np.where(rng.random(600) < truth, "yes", "no")
        P = Calibrated(LinearSVC(random_state=0)).fit(X[:300], y[:300]).predict_proba(X[300:])
        assert np.abs(P[:, 1] - truth[300:]).mean() < 0.05

    def test_a_small_class_lowers_the_number_of_folds(self):
        X, y = load_iris(return_X_y=True)
        few = np.r_[0:50, 50:53, 100:150]
        P = Calibrated(SVC(), cv=10).fit(X[few], y[few]).predict_proba(X)
        assert P.shape == (150, 3) and np.isfinite(P).all()

    def test_precomputed_kernels_are_split_in_rows_and_columns(self):
        X, y = load_iris(return_X_y=True)
        by_kernel = Calibrated(SVC(kernel="precomputed"), cv=3).fit(X @ X.T, y).predict_proba(X @ X.T)
        np.testing.assert_allclose(
            by_kernel, Calibrated(SVC(kernel="linear"), cv=3).fit(X, y).predict_proba(X), atol=1e-6
        )

    def test_pipelines_and_grid_search_take_it(self):
        X, y = load_iris(return_X_y=True)
        search = GridSearchCV(
            make_pipeline(StandardScaler(), Calibrated(SVC(), cv=2)),
            {"calibrated__estimator__C": [0.1, 1.0]},
            cv=2,
            scoring="neg_log_loss",
        )
        assert np.isfinite(search.fit(X, y).best_score_)

    def test_a_training_fold_without_a_class_is_refused(self):
        X, y = load_iris(return_X_y=True)
        with pytest.raises(ValueError, match="training fold of cv lacks class 0"):
            Calibrated(SVC(), cv=KFold(3)).fit(X, y)

    def test_bad_input_leaves_the_fitted_model_as_it_was(self):
        X, y = load_iris(return_X_y=True)
        model = Calibrated(SVC(), cv=2).fit(X, y)
        before = model.predict_proba(X)
        for bad_X, bad_y in ((X, y * 0), (X * np.nan, y), (X, y + np.nan), (X[:2], y[:2])):
            with pytest.raises(ValueError):
                model.fit(bad_X, bad_y)
        np.testing.assert_array_equal(model.predict_proba(X), before)

    def test_estimators_without_decision_function_or_weights_are_refused(self):
        from sklearn.neighbors import KNeighborsClassifier

        X, y = load_iris(return_X_y=True)
        with pytest.raises(TypeError, match="KNeighborsClassifier has none"):
            Calibrated(KNeighborsClassifier()).fit(X, y)

    @pytest.mark.filterwarnings("ignore")
    @pytest.mark.parametrize("estimator", [LogisticRegression(), RidgeClassifier()])
    def test_scikit_learn_checks_pass(self, estimator):
        check_estimator(Calibrated(estimator, cv=3), on_skip=None)
