"""OutputCode takes the place of scikit-learn's three meta-classifiers."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import config_context
from sklearn.datasets import load_digits, load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier, OutputCodeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, scale
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeRegressor

import widemargin as wm
from widemargin.codes import LossBased
from widemargin.losses import Square

DIGITS_X, DIGITS_Y = (data[:200] for data in load_digits(return_X_y=True))
DIGITS_X = scale(DIGITS_X)
IRIS_X, IRIS_Y = load_iris(return_X_y=True)
ESTIMATORS = [
    LogisticRegression(solver="newton-cholesky"),
    RidgeClassifier(),
    SVC(gamma=0.01),
    GaussianNB(),
    RandomForestClassifier(5, random_state=0),
]
KINDS = pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda estimator: type(estimator).__name__)


@KINDS
def test_one_vs_all_predicts_as_one_vs_rest(estimator):
    theirs = OneVsRestClassifier(estimator).fit(DIGITS_X, DIGITS_Y)
    ours = wm.OutputCode(estimator).fit(DIGITS_X, DIGITS_Y)
    np.testing.assert_array_equal(ours.predict(DIGITS_X), theirs.predict(DIGITS_X))
    if hasattr(theirs, "decision_function"):
        np.testing.assert_allclose(ours.decision_function(DIGITS_X), theirs.decision_function(DIGITS_X))
    if hasattr(theirs, "predict_proba"):
        clear = ours.predict_proba(DIGITS_X).max(axis=1) > 0.5
        expected = theirs.predict_proba(DIGITS_X)[clear]
        np.testing.assert_allclose(ours.predict_proba(DIGITS_X)[clear], expected, atol=1e-12)


@pytest.mark.parametrize("estimator", ESTIMATORS[:3], ids=lambda estimator: type(estimator).__name__)
def test_all_pairs_predict_as_one_vs_one(estimator):
    theirs = OneVsOneClassifier(estimator).fit(DIGITS_X, DIGITS_Y)
    ours = wm.OutputCode(estimator, "all-pairs").fit(DIGITS_X, DIGITS_Y)
    np.testing.assert_array_equal(ours.predict(DIGITS_X), theirs.predict(DIGITS_X))


def test_a_given_code_predicts_as_an_output_code_of_scikit_learn():
    """Theirs takes the nearest row of values in Euclidean distance: the least square loss, with -1 for 0."""
    theirs = OutputCodeClassifier(LinearSVC(random_state=0), code_size=3, random_state=0).fit(IRIS_X, IRIS_Y)
    M = np.where(theirs.code_book_ > 0, 1, -1)
    used = np.flatnonzero(np.abs(M.sum(axis=0)) < 3)
    _, first = np.unique(M[:, used] * M[0, used], axis=1, return_index=True)
    M = M[:, used[first]]
    ours = wm.OutputCode(LinearSVC(random_state=0), M, LossBased(Square())).fit(IRIS_X, IRIS_Y)
    values = np.column_stack([each.decision_function(IRIS_X) for each in ours.estimators_])
    nearest = ((values[:, None] - M) ** 2).sum(axis=2).argmin(axis=1)
    np.testing.assert_array_equal(ours.predict(IRIS_X), nearest)


@KINDS
@pytest.mark.parametrize("code", ["complete", "dense-random", "sparse-random", "bch", "dag"])
def test_every_code_works_with_every_estimator(estimator, code):
    X, y = DIGITS_X[DIGITS_Y < 5][:150], DIGITS_Y[DIGITS_Y < 5][:150]
    machine = wm.OutputCode(estimator, code).fit(X, y)
    assert machine.score(X, y) > 0.8
    if hasattr(machine, "predict_proba"):
        P = machine.predict_proba(X)
        np.testing.assert_allclose(P.sum(axis=1), 1.0)
        np.testing.assert_array_equal(machine.classes_[P.argmax(axis=1)], machine.predict(X))


@pytest.mark.parametrize("decoding", ["hastie-tibshirani", "wu-lin-weng-1", "wu-lin-weng-2", "price"])
def test_probabilities_of_pairs_can_be_coupled(decoding):
    machine = wm.OutputCode(GaussianNB(), "all-pairs", decoding).fit(IRIS_X, IRIS_Y)
    P = machine.predict_proba(IRIS_X)
    np.testing.assert_array_equal(P.argmax(axis=1), machine.predict(IRIS_X))
    assert machine.score(IRIS_X, IRIS_Y) > 0.9


def test_regressors_learn_the_code_itself():
    machine = wm.OutputCode(DecisionTreeRegressor(max_depth=4, random_state=0), "complete").fit(
        IRIS_X, IRIS_Y
    )
    assert machine.score(IRIS_X, IRIS_Y) > 0.95


def test_the_machine_of_this_library_gives_the_same_by_itself():
    ours = wm.SVC(multiclass="complete", gamma=0.1, tol=1e-6).fit(IRIS_X, IRIS_Y)
    inside = wm.OutputCode(wm.SVC(gamma=0.1, tol=1e-6), "complete").fit(IRIS_X, IRIS_Y)
    np.testing.assert_allclose(inside.decision_function(IRIS_X), ours.decision_function(IRIS_X), atol=1e-4)


def test_columns_are_trained_in_parallel_and_searched_over():
    one, two = (wm.OutputCode(LogisticRegression(), "complete", n_jobs=n).fit(IRIS_X, IRIS_Y) for n in (1, 2))
    np.testing.assert_array_equal(one.decision_function(IRIS_X), two.decision_function(IRIS_X))
    grid = {"code": ["one-vs-all", "all-pairs"], "estimator__C": [0.1, 10.0]}
    search = GridSearchCV(wm.OutputCode(LogisticRegression(solver="newton-cholesky")), grid, cv=3).fit(
        IRIS_X, IRIS_Y
    )
    assert search.best_score_ > 0.9


def test_precomputed_kernels_and_objects_pass_through():
    K = IRIS_X @ IRIS_X.T
    machine = wm.OutputCode(SVC(kernel="precomputed"), "one-vs-all").fit(K, IRIS_Y)
    assert machine.score(K, IRIS_Y) > 0.9
    lengths = FunctionTransformer(lambda words: np.array([[len(word)] for word in words]))
    words = np.array(["a", "ab", "abc", "b", "ba", "bac"] * 3, dtype=object)
    machine = wm.OutputCode(make_pipeline(lengths, GaussianNB()), "all-pairs", "loss")
    labels = np.array([1, 2, 3] * 6)
    np.testing.assert_array_equal(machine.fit(words, labels).predict(words), labels)


def test_weights_reach_the_estimators():
    weight = np.where(IRIS_Y == 2, 0.001, 1.0)
    machine = wm.OutputCode(LogisticRegression(), "all-pairs").fit(IRIS_X, IRIS_Y, sample_weight=weight)
    assert np.mean(machine.predict(IRIS_X) == 2) < 0.1
    with pytest.raises(TypeError, match="but KNeighborsClassifier"):
        wm.OutputCode(KNeighborsClassifier()).fit(IRIS_X, IRIS_Y, sample_weight=weight)


def test_what_is_no_estimator_is_refused():
    for wrong in (LogisticRegression, 3, None):
        with pytest.raises(TypeError, match="estimator must be an estimator object"):
            wm.OutputCode(wrong).fit(IRIS_X, IRIS_Y)
    with pytest.raises(TypeError, match="estimator must have a decision_function or predict_proba"):
        wm.OutputCode(FunctionTransformer()).fit(IRIS_X, IRIS_Y)


LABELS = np.column_stack([IRIS_Y == 0, IRIS_Y > 0, IRIS_X[:, 0] > 5.8, IRIS_X[:, 1] > 3]).astype(int)
"""Two that exclude each other and two that any point may have."""


@KINDS
@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix, np.ndarray.tolist])
def test_several_labels_are_predicted_as_by_one_vs_rest(estimator, form):
    theirs = OneVsRestClassifier(estimator).fit(IRIS_X, form(LABELS))
    ours = wm.OutputCode(estimator).fit(IRIS_X, form(LABELS))
    expected, found = theirs.predict(IRIS_X), ours.predict(IRIS_X)
    assert sp.issparse(found) == sp.issparse(expected)
    np.testing.assert_array_equal(*(Y.toarray() if sp.issparse(Y) else Y for Y in (found, expected)))
    assert ours.multilabel_ and theirs.multilabel_
    np.testing.assert_array_equal(ours.classes_, theirs.classes_)
    assert ours.score(IRIS_X, form(LABELS)) == theirs.score(IRIS_X, form(LABELS))
    assert ours.n_features_in_ == 4
    for answer in ("decision_function", "predict_proba"):
        if hasattr(theirs, answer):
            np.testing.assert_allclose(getattr(ours, answer)(IRIS_X), getattr(theirs, answer)(IRIS_X))


def test_a_label_that_all_points_have_is_there_everywhere():
    Y = np.column_stack([np.ones(150, dtype=int), LABELS, np.zeros(150, dtype=int)])
    with pytest.warns(UserWarning) as warnings:
        machine = wm.OutputCode(RidgeClassifier()).fit(IRIS_X, Y)
    assert [str(each.message) for each in warnings] == [
        "All training points have label 0: every point will be given it.",
        "No training points have label 5: no point will be given it.",
    ]
    found = machine.predict(IRIS_X)
    assert found[:, 0].all() and not found[:, 5].any()
    assert machine.n_features_in_ == 4 and not hasattr(machine, "predict_proba")


def test_several_labels_after_classes_leave_nothing_behind():
    machine = wm.OutputCode(LogisticRegression()).fit(IRIS_X, IRIS_Y)
    machine.fit(IRIS_X, LABELS)
    assert not hasattr(machine, "code_") and machine.predict(IRIS_X).shape == LABELS.shape
    machine.fit(IRIS_X, IRIS_Y)
    assert machine.code_.shape == (3, 3) and not machine.multilabel_


@pytest.mark.parametrize(
    "parameters, message",
    [
        ({"code": "all-pairs"}, "each a problem of its own: leave code at 'one-vs-all'"),
        ({"code": [[1, -1], [-1, 1], [1, 1], [-1, -1]]}, "leave code at 'one-vs-all'"),
        ({"decoding": "loss"}, "leave decoding at 'auto'"),
    ],
)
def test_several_labels_have_no_code(parameters, message):
    machine = wm.OutputCode(RidgeClassifier(), **parameters)
    with pytest.raises(ValueError, match=message):
        machine.fit(IRIS_X, LABELS)
    assert not hasattr(machine, "estimators_")


@pytest.mark.parametrize("estimator", [SVC(kernel="precomputed"), wm.SVC(kernel="precomputed")])
def test_columns_with_zeros_read_the_kernels_of_their_own_points(estimator):
    K, new = IRIS_X @ IRIS_X.T, IRIS_X[::7] @ IRIS_X.T
    theirs = OneVsOneClassifier(estimator).fit(K, IRIS_Y)
    ours = wm.OutputCode(estimator, "all-pairs").fit(K, IRIS_Y)
    np.testing.assert_array_equal(ours.predict(new), theirs.predict(new))
    for mine, other in zip(ours.pairwise_indices_, theirs.pairwise_indices_, strict=True):
        np.testing.assert_array_equal(mine, other)


@pytest.mark.parametrize(
    "code, theirs", [("one-vs-all", OneVsRestClassifier), ("all-pairs", OneVsOneClassifier)]
)
def test_parts_are_learnt_one_after_the_other_as_in_scikit_learn(code, theirs):
    ours, theirs = wm.OutputCode(GaussianNB(), code), theirs(GaussianNB())
    order = np.random.default_rng(0).permutation(len(IRIS_Y))
    for part in np.array_split(order, 4):
        for machine in (ours, theirs):
            machine.partial_fit(IRIS_X[part], IRIS_Y[part], classes=[0, 1, 2])
    np.testing.assert_array_equal(ours.predict(IRIS_X), theirs.predict(IRIS_X))
    assert ours.n_classes_ == theirs.n_classes_ == 3


def test_parts_without_points_of_a_column_teach_it_nothing():
    machine = wm.OutputCode(GaussianNB(), "all-pairs").partial_fit(IRIS_X[:100], IRIS_Y[:100], [0, 1, 2])
    machine.partial_fit(IRIS_X[100:], IRIS_Y[100:], sample_weight=np.ones(50))
    whole = wm.OutputCode(GaussianNB(), "all-pairs").fit(IRIS_X, IRIS_Y)
    np.testing.assert_array_equal(machine.predict(IRIS_X), whole.predict(IRIS_X))


def test_bad_parts_are_refused_in_a_sentence():
    machine = wm.OutputCode(GaussianNB())
    with pytest.raises(ValueError, match="classes must be passed on the first call"):
        machine.partial_fit(IRIS_X, IRIS_Y)
    with pytest.raises(ValueError, match="number of classes has to be greater than one"):
        machine.partial_fit(IRIS_X[:50], IRIS_Y[:50], classes=[0])
    assert not hasattr(machine, "classes_")
    machine.partial_fit(IRIS_X, IRIS_Y, classes=[0, 1, 2])
    with pytest.raises(ValueError, match="class 3 in row 1, which is none of the classes"):
        machine.partial_fit(IRIS_X[:2], [0, 3])
    assert not hasattr(wm.OutputCode(LogisticRegression()), "partial_fit")
    several = wm.OutputCode(GaussianNB()).fit(IRIS_X, np.eye(3, dtype=int)[IRIS_Y])
    with pytest.raises(ValueError, match="several labels are not learnt in parts"):
        several.partial_fit(IRIS_X, IRIS_Y)


@pytest.mark.parametrize(
    "code, theirs", [("one-vs-all", OneVsRestClassifier), ("all-pairs", OneVsOneClassifier)]
)
def test_metadata_is_routed_to_the_estimator(code, theirs):
    weight = np.random.default_rng(0).uniform(0.1, 5, len(IRIS_Y))
    with config_context(enable_metadata_routing=True):
        inner = LogisticRegression(solver="newton-cholesky").set_fit_request(sample_weight=True)
        for estimator in (inner, make_pipeline(FunctionTransformer(), inner)):
            machine = wm.OutputCode(estimator, code).fit(IRIS_X, IRIS_Y, sample_weight=weight)
            peer = theirs(estimator).fit(IRIS_X, IRIS_Y, sample_weight=weight)
            np.testing.assert_allclose(machine.decision_function(IRIS_X), peer.decision_function(IRIS_X))
        with pytest.raises(ValueError, match="not explicitly set as requested"):
            wm.OutputCode(LogisticRegression(), code).fit(IRIS_X, IRIS_Y, sample_weight=weight)
        machine = wm.OutputCode(inner, code).set_score_request(sample_weight=True)
        search = GridSearchCV(machine, {"estimator__C": [1, 10]}).fit(IRIS_X, IRIS_Y, sample_weight=weight)
        assert search.best_score_ > 0.9
    with pytest.raises(ValueError, match="enable_metadata_routing"):
        wm.OutputCode(inner, code).fit(IRIS_X, IRIS_Y, groups=weight)
