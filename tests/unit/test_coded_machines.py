"""Codes and decodings in machines: bad input, files, and what else they go through."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.preprocessing import scale

import widemargin as wm
from widemargin import codes, losses
from widemargin.calibration import PairwiseSigmoids
from widemargin.io import load_model, save_model

X, Y = load_wine(return_X_y=True)
X = scale(X)
NAMES = np.array(["barbera", "barolo", "grignolino"])[Y]
BAD_CODES = [
    ([[1, 0, 1], [-1, 0, 1], [0, 0, -1]], "column 1 of the code is unused, it has no \\+1"),
    ([[1, 1], [1, -1], [1, -1]], "column 0 of the code is unused, it has no -1"),
    ([[1, 1, 1], [-1, -1, 1], [1, 1, -1]], "columns 0 and 1 of the code set the same classes against each"),
    ([[1, -1], [-1, 1], [0, 0]], "row 2 of the code, class 'grignolino', has zeros only"),
    ([[1, 1, -1], [-1, 1, -1], [-1, -1, 1]], "columns 1 and 2 of the code set the same classes"),
    ([[1, 1], [-1, -1]], "the code has 2 rows, but there are 3 classes"),
    ([[1], [-1], [-1]], "rows 1 and 2 of the code are the same, so that nothing tells class 'barolo' from"),
    ([[1, -1], [-1, 1], [1]], "a code must be a matrix, but its rows are not equally long"),
    ([1, -1, 0], "a code must be a matrix with a row for each of at least 2 classes"),
    ([[2, 1], [-1, -1], [0, 1]], "a code must have the entries -1, 0 and \\+1 only"),
]
BAD_DECODINGS = [
    ("complete", "votes", "Votes decides between pairs of classes: take the code 'all-pairs'"),
    ("one-vs-all", "dag", "Dag decides between pairs"),
    ("all-pairs", "argmax", "Argmax needs a value per class: take the code 'one-vs-all'"),
    ("all-pairs", "normalised", "Normalised needs a value per class: take the code 'one-vs-all'"),
    ("all-pairs", codes.LossBased(losses.Ramp()), "Ramp does not fit a code with zeros"),
    ("all-pairs", codes.LossBased(losses.Hinge(), "drop"), "zeros must be 'count' or 'skip', not 'drop'"),
    ("all-pairs", codes.LossBased("hinge"), "loss must be an object of widemargin.losses, not 'hinge'"),
    ("all-pairs", codes.Dag([0, 1, 1]), "order must list the classes 0 to 2, each once, not"),
    ("complete", "bradley-terry", "BradleyTerry decodes probabilities, which this machine does not have"),
]
MACHINES = [
    lambda code, decoding="auto": wm.SVC(multiclass=code, decoding=decoding),
    lambda code, decoding="auto": wm.NuSVC(nu=0.1, multiclass=code, decoding=decoding),
    lambda code, decoding="auto": wm.RLSClassifier(multiclass=code, decoding=decoding),
    lambda code, decoding="auto": wm.OutputCode(wm.SVC(), code, decoding),
]
KINDS = pytest.mark.parametrize("make", MACHINES, ids=["SVC", "NuSVC", "RLSClassifier", "OutputCode"])


def assert_refused(machine, message, y=NAMES):
    before = dict(vars(machine))
    with pytest.raises(ValueError, match=message) as caught:
        machine.fit(X, y)
    assert vars(machine) == before, "a refused fit must leave the machine as it was"
    assert str(caught.value).count("\n") == 0


@KINDS
@pytest.mark.parametrize(("matrix", "message"), BAD_CODES)
def test_bad_codes_are_refused_in_a_sentence(make, matrix, message):
    assert_refused(make(matrix), message)


@KINDS
@pytest.mark.parametrize(("code", "decoding", "message"), BAD_DECODINGS)
def test_decodings_that_do_not_fit_are_refused_in_a_sentence(make, code, decoding, message):
    assert_refused(make(code, decoding), message)


@KINDS
def test_unknown_names_are_refused(make):
    for machine, name in ((make("ovo"), "multiclass|code"), (make("complete", "nearest"), "decoding")):
        assert_refused(machine, f"({name}) must be one of")


@KINDS
def test_one_class_is_refused(make):
    assert_refused(make("complete"), "The number of classes has to be greater than one", np.zeros(len(X)))


@KINDS
def test_labels_that_fit_has_not_seen_are_refused_in_score(make):
    machine = make("complete").fit(X, NAMES)
    with pytest.raises(ValueError, match="y has the class 'merlot' in row 3, which was not there in fit"):
        machine.score(X, np.where(np.arange(len(X)) == 3, "merlot", NAMES))
    assert machine.score(X, NAMES) > 0.9


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: codes.one_vs_all(1), "a code needs at least 2 classes, not 1"),
        (lambda: codes.complete(40), "the complete code of 40 classes has 549,755,813,887 columns"),
        (lambda: codes.bch(4, 20), "length must be 2\\^m - 1"),
        (lambda: codes.bch(100, 7), "words of 7 bits are too short for 100 classes"),
        (lambda: codes.dense_random(20, 3), "n_columns=3 is too few to tell 20 classes apart"),
        (lambda: codes.dense_random(20, draws=0), "draws must be at least 1"),
        (lambda: codes.Code([1, -1]), "a code must be a matrix"),
        (lambda: codes.dag_order([[1, 2]]), "confusion must be a square matrix"),
    ],
)
def test_builders_refuse_what_they_cannot_build(build, message):
    with pytest.raises(ValueError, match=message):
        build()


def test_the_report_names_every_fault():
    report = codes.Code([[1, 1, -1, 1, 0], [-1, -1, 1, 1, 0], [-1, -1, 1, 1, 0], [0, 0, 0, 0, 0]]).report()
    assert report.dead_columns == [3, 4]
    assert report.duplicated_columns == [(0, 1)]
    assert report.complementary_columns == [(0, 2), (1, 2)]
    assert report.empty_rows == [3] and report.equal_rows == [(1, 2)]
    for fault in ("dead columns: [3, 4]", "complementary columns", "empty rows: [3]", "equal rows: [(1, 2)]"):
        assert fault in str(report)


def test_a_code_cannot_be_changed_from_outside():
    M = np.array([[1, -1], [-1, 1], [1, 1]])
    code = codes.Code(M)
    M[0, 0] = 0
    assert code.matrix[0, 0] == 1
    with pytest.raises(ValueError, match="read-only"):
        code.matrix[0, 0] = 0


@pytest.mark.parametrize(
    "code", ["complete", "sparse-random", "bch", "dag", codes.Code([[1, 1], [-1, 0], [0, -1]])]
)
@pytest.mark.parametrize("Machine", [wm.SVC, wm.RLSClassifier])
def test_machines_with_codes_go_through_files_and_clones(Machine, code, tmp_path):
    machine = Machine(multiclass=code).fit(X, NAMES)
    save_model(machine, tmp_path / "model")
    restored = load_model(tmp_path / "model")
    np.testing.assert_array_equal(restored.decision_function(X), machine.decision_function(X))
    np.testing.assert_array_equal(restored.predict(X), machine.predict(X))
    np.testing.assert_array_equal(clone(machine).fit(X, NAMES).predict(X), machine.predict(X))


def test_a_machine_inside_an_output_code_goes_through_files(tmp_path):
    machine = wm.OutputCode(wm.RLSClassifier(), "complete").fit(X, NAMES)
    save_model(machine, tmp_path / "model")
    np.testing.assert_array_equal(load_model(tmp_path / "model").predict(X), machine.predict(X))


@pytest.mark.parametrize("code", ["complete", "sparse-random", "all-pairs", "one-vs-all"])
@pytest.mark.parametrize("decoding", ["auto", "bradley-terry"])
def test_the_most_probable_class_is_the_predicted_one(code, decoding):
    machine = wm.SVC(multiclass=code, decoding=decoding, probability=True, C=0.1).fit(X, NAMES)
    P = machine.predict_proba(X)
    np.testing.assert_array_equal(machine.classes_[P.argmax(axis=1)], machine.predict(X))
    np.testing.assert_allclose(P.sum(axis=1), 1.0)
    assert np.mean(machine.predict(X) == NAMES) > 0.9


@pytest.mark.parametrize("decoding", ["hastie-tibshirani", "wu-lin-weng-1", "price"])
def test_couplings_of_pairs_are_nearly_of_one_opinion(decoding):
    usual = wm.SVC(probability=True).fit(X, Y).predict_proba(X)
    other = wm.SVC(probability=True, decoding=decoding).fit(X, Y).predict_proba(X)
    assert 0 < np.abs(other - usual).max() < 0.1


@pytest.mark.parametrize("code", ["complete", "sparse-random", "dag"])
def test_leave_one_out_and_the_path_know_all_codes(code):
    machine = wm.SVC(multiclass=code, gamma=0.05)
    result = wm.leave_one_out(machine, X[::3], Y[::3])
    for i in (0, 30, 59):
        keep = np.arange(len(X[::3])) != i
        without = clone(machine).fit(X[::3][keep], Y[::3][keep])
        assert result.predictions[i] == without.predict(X[::3][i : i + 1])[0]
    path = wm.cross_validate_path(machine, X, Y, Cs=[0.1, 1.0], gammas=[0.05], cv=3)
    assert path.mean_scores.min() > 0.9


def test_leave_one_out_refuses_to_couple_probabilities():
    with pytest.raises(ValueError, match="decodes probabilities, which are not computed here"):
        wm.leave_one_out(wm.SVC(decoding="price", probability=True), X, Y)


def test_a_machine_can_go_on_with_another_code():
    machine = wm.SVC(multiclass="complete", warm_start=True).fit(X, Y)
    machine.set_params(multiclass="all-pairs").fit(X, Y)
    cold = wm.SVC().fit(X, Y)
    np.testing.assert_allclose(machine.decision_function(X), cold.decision_function(X), atol=1e-2)


def test_machines_of_codes_can_be_compressed():
    machine = wm.SVC(multiclass="complete").fit(X, Y)
    small = wm.compress(machine, len(machine.support_) // 2)
    assert np.mean(small.predict(X) == machine.predict(X)) > 0.95


def test_random_codes_of_machines_obey_random_state():
    machines = [
        wm.SVC(multiclass="sparse-random", random_state=seed).fit(X, Y).code_ for seed in (None, 0, 5)
    ]
    np.testing.assert_array_equal(machines[0], machines[1])
    assert not np.array_equal(machines[0], machines[2])


def test_least_squares_with_zeros_have_no_centres():
    machine, message = wm.RLSClassifier(multiclass="all-pairs", centres=20), "which centres do not share"
    assert_refused(machine, message)
    with pytest.raises(ValueError, match=message):
        machine.fit_chunks([(X, Y)])


@pytest.mark.parametrize("code", ["complete", "dense-random"])
def test_codes_without_zeros_serve_centres_and_chunks(code):
    whole = wm.RLSClassifier(multiclass=code, centres=list(range(0, 178, 3)), lam=1e-3).fit(X, Y)
    one = wm.RLSClassifier(centres=list(range(0, 178, 3)), lam=1e-3).fit(X, Y)
    np.testing.assert_array_equal(
        whole.predict(X), one.predict(X)
    )  # three classes: all codes are equidistant
    chunks = wm.RLSClassifier(multiclass=code, centres=50).fit_chunks([(X[:90], Y[:90]), (X[90:], Y[90:])])
    assert chunks.score(X, Y) > 0.95


def test_leave_one_out_of_codes_with_zeros_needs_room_for_the_kernel_matrix():
    machine = wm.RLSClassifier(multiclass="all-pairs", lam=0.1, cache_size=0, leave_one_out=True)
    assert_refused(machine, "cache_size is too small for leave-one-out")
    assert machine.set_params(leave_one_out="auto").fit(X, Y).solver_ == "cg"


def test_lam_and_gamma_are_chosen_for_codes_with_zeros():
    machine = wm.RLSClassifier(multiclass="all-pairs", gamma="loo").fit(X, Y)
    one = wm.RLSClassifier(gamma="loo").fit(X, Y)
    assert machine.lam_ == one.lam_ and machine.kernel_.gamma == one.kernel_.gamma
    assert machine.loo_error_ < 0.05 and machine.dual_coef_.shape == (3, len(X))


@pytest.mark.parametrize("solver", ["cholesky", "eigen", "cg"])
def test_all_solvers_agree_on_codes_with_zeros(solver):
    usual = wm.RLSClassifier(multiclass="sparse-random", gamma=0.3, lam=0.01).fit(X, Y)
    other = wm.RLSClassifier(multiclass="sparse-random", gamma=0.3, lam=0.01, solver=solver).fit(X, Y)
    np.testing.assert_allclose(other.decision_function(X), usual.decision_function(X), atol=1e-5)


@pytest.mark.parametrize("code", ["one-vs-all", "complete", "all-pairs", "dag"])
def test_probabilities_around_a_machine_know_its_code(code):
    machine = wm.Calibrated(wm.SVC(multiclass=code)).fit(X, NAMES)
    assert isinstance(machine.sigmoids_, PairwiseSigmoids) == (code in ("all-pairs", "dag"))
    P = machine.predict_proba(X)
    assert np.mean(machine.classes_[P.argmax(axis=1)] == NAMES) > 0.95
