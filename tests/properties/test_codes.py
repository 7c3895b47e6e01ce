"""What is known of codes and their decodings."""

from itertools import combinations, pairwise, permutations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.linalg import hadamard
from scipy.special import comb
from sklearn.datasets import load_iris, load_wine
from sklearn.preprocessing import scale

import widemargin as wm
from widemargin import bounds, codes, losses
from widemargin.codes import Argmax, Dag, Hamming, LossBased

SEEDS = st.integers(0, 10_000)
CLASSES = st.integers(3, 8)
WINE_X, WINE_Y = load_wine(return_X_y=True)
WINE_X = scale(WINE_X)


def blobs(seed, n=60, k=4):
    random = np.random.default_rng(seed)
    y = np.arange(n) % k
    return random.normal(size=(k, 3))[y] * 1.5 + random.normal(size=(n, 3)), y


def random_code(k, random, zeros):
    build = codes.sparse_random if zeros else codes.dense_random
    return build(k, draws=5, random_state=int(random.integers(1000)))


@pytest.mark.parametrize("k", [3, 4, 6, 10])
def test_sizes_and_separations_of_the_codes_written_down_at_once(k):
    one, pairs, complete = codes.one_vs_all(k), codes.all_pairs(k), codes.complete(k)
    assert (one.n_columns, one.row_separation, one.largest_difference) == (k, 2, 2)
    F = k * (k - 1) // 2
    assert (pairs.n_columns, pairs.row_separation) == (F, (F - 1) / 2 + 1)
    assert (complete.n_columns, complete.row_separation) == (2 ** (k - 1) - 1, 2 ** (k - 2))
    assert complete.largest_difference == 2 ** (k - 2)
    for code in (one, pairs, complete):
        code.check()
        assert code.is_class_symmetric
    assert one.is_equidistant and complete.is_equidistant and not pairs.is_equidistant


@pytest.mark.parametrize(("k", "dense", "sparse"), [(6, 26, 39), (10, 34, 50), (14, 39, 58), (20, 44, 65)])
def test_random_codes_have_the_columns_of_the_paper_all_of_them_usable_and_different(k, dense, sparse):
    for code, columns in [
        (codes.dense_random(k, draws=100, random_state=0), dense),
        (codes.sparse_random(k, draws=100, random_state=0), sparse),
        (codes.hill_climbing(k, max_failures=3, random_state=0), dense),
    ]:
        assert code.n_columns == columns
        code.check()
    assert codes.sparse_random(k, draws=100, random_state=0).has_zeros


@given(CLASSES, SEEDS)
@settings(max_examples=20)
def test_more_draws_never_separate_rows_less(k, seed):
    few, many = (codes.dense_random(k, draws=draws, random_state=seed) for draws in (1, 200))
    assert many.row_separation >= few.row_separation


def test_random_codes_depend_on_the_seed_alone():
    for build in (codes.dense_random, codes.sparse_random, codes.bch):
        first, second, other = (build(9, random_state=seed).matrix for seed in (1, 1, 2))
        np.testing.assert_array_equal(first, second)
        assert not np.array_equal(first, other)


def test_few_classes_have_no_more_columns_than_there_are_problems():
    for k in (3, 4, 5):
        assert codes.dense_random(k, random_state=0).n_columns == 2 ** (k - 1) - 1
        assert codes.bch(k, random_state=0).n_columns <= 2 ** (k - 1) - 1
        problems = (3**k - 2 ** (k + 1) + 1) // 2
        assert codes.sparse_random(k, random_state=0).n_columns == min(problems, np.ceil(15 * np.log2(k)))


@pytest.mark.parametrize(
    ("length", "k", "distance"), [(15, 20, 7), (31, 30, 15), (63, 20, 31), (63, 128, 31)]
)
def test_words_of_a_bch_code_keep_their_designed_distance(length, k, distance):
    code = codes.bch(k, length, random_state=0)
    code.check()
    assert code.n_columns == length and code.row_separation >= distance


def test_climbing_pulls_rows_and_columns_apart():
    before = codes.dense_random(10, 12, draws=1, random_state=3)
    after = codes.hill_climbing(10, 12, random_state=3)
    after.check()
    assert after.row_separation + after.column_separation > before.row_separation + before.column_separation


@given(SEEDS, CLASSES)
def test_losses_decode_one_vs_all_as_the_largest_value(seed, k):
    values = np.random.default_rng(seed).normal(size=(50, k))
    M = codes.one_vs_all(k).matrix
    largest = Argmax().decide(values, M)
    for loss in (losses.Hinge(), losses.Square(), losses.ExponentialLoss(), losses.SquaredHinge()):
        np.testing.assert_array_equal(LossBased(loss).decide(values, M), largest)


@given(SEEDS, CLASSES, st.booleans(), st.sampled_from([losses.Hinge(), losses.Square()]))
def test_training_errors_are_bounded_by_the_losses_of_the_columns(seed, k, zeros, loss):
    random = np.random.default_rng(seed)
    code = random_code(k, random, zeros)
    M, labels = code.matrix, random.integers(k, size=40)
    values = M[labels] + random.normal(size=(40, M.shape[1]))
    eps = loss.margin(M[labels] * values).mean()
    for decoding, name in ((LossBased(loss), "loss"), (Hamming(), "hamming")):
        errors = np.count_nonzero(decoding.decide(values, M) != labels)
        assert errors <= bounds.code_training_errors(eps, n=40, code=M, decoding=name) + 1e-9


@given(SEEDS)
@settings(max_examples=20)
def test_training_errors_of_fitted_machines_are_bounded_too(seed):
    X, y = blobs(seed)
    for name, decoding in (("complete", "hamming"), ("sparse-random", "loss"), ("all-pairs", "loss")):
        machine = wm.SVC(multiclass=name, decoding=decoding, decision_function_shape="ovo").fit(X, y)
        M, values = machine.code_, machine.decision_function(X)
        eps = losses.Hinge().margin(M[y] * values).mean()
        errors = np.count_nonzero(machine.predict(X) != y)
        assert errors <= bounds.code_training_errors(eps, n=len(y), code=M, decoding=decoding) + 1e-9


@given(SEEDS, CLASSES)
def test_hamming_decoding_corrects_as_many_signs_as_promised(seed, k):
    random = np.random.default_rng(seed)
    code = random_code(k, random, zeros=False)
    labels = random.integers(k, size=30)
    values = code.matrix[labels] * random.uniform(0.1, 3.0, size=(30, code.n_columns))
    for row in values:
        row[random.permutation(code.n_columns)[: code.corrects]] *= -1
    np.testing.assert_array_equal(Hamming().decide(values, code.matrix), labels)


def functions_of_classes(X, y, new, kernel, ridge):
    """Outputs of least squares for the indicators of the classes."""
    K = kernel.gram(X)
    return kernel.gram(new, X) @ np.linalg.solve(K + ridge * np.eye(len(y)), np.eye(y.max() + 1)[y])


@given(SEEDS, st.integers(3, 6))
@settings(max_examples=25)
def test_least_squares_columns_of_codes_without_zeros_are_sums_of_those_of_classes(seed, k):
    X, y = blobs(seed, k=k)
    new, kernel = X + 0.3, wm.Gaussian(0.2)
    code = random_code(k, np.random.default_rng(seed), zeros=False)
    machine = wm.RLSClassifier(lam=0.5 / len(y), kernel=kernel, multiclass=code, decoding="loss").fit(X, y)
    f, M = functions_of_classes(X, y, new, kernel, 0.5), code.matrix.astype(float)
    expected = -(((f @ M)[:, None] - M) ** 2).sum(axis=2)
    np.testing.assert_allclose(machine.decision_function(new), expected, atol=1e-9)
    distances = code.row_distances - np.diag(np.diag(code.row_distances))
    np.testing.assert_array_equal(machine.predict(new), (f @ distances).argmin(axis=1))


def hadamard_code(k):
    """Rows of a Hadamard matrix without its constant column."""
    return codes.Code(hadamard(8)[:k, 1:], "hadamard")


@pytest.mark.parametrize("parameters", [{}, {"lam": 1e-3, "bias": "free"}, {"lam": 0.01, "gamma": 0.3}])
@pytest.mark.parametrize("code", ["complete", "hadamard"])
def test_equidistant_codes_decide_as_one_vs_all_with_least_squares(code, parameters):
    X, y = blobs(5, n=200, k=8)
    new = np.random.default_rng(6).normal(size=(500, 3)) * 2
    one = wm.RLSClassifier(**parameters).fit(X, y)
    code = hadamard_code(8) if code == "hadamard" else code
    other = wm.RLSClassifier(multiclass=code, **parameters).fit(X, y)
    assert other.lam_ == one.lam_ and other.n_systems_ == 1
    np.testing.assert_array_equal(other.predict(new), one.predict(new))
    np.testing.assert_array_equal(other.loo_predictions_, one.loo_predictions_)


@given(SEEDS, st.integers(3, 5))
@settings(max_examples=50)
def test_the_winner_of_one_vs_all_is_the_most_frequent_prediction_over_all_labellings(seed, k):
    random = np.random.default_rng(seed)
    M = random_code(k, random, zeros=False).matrix
    f = random.dirichlet(np.ones(k)) + 0.1 * random.normal(size=k)
    D = (M.shape[1] - M.astype(float) @ M.T) / 2
    np.fill_diagonal(D, 0.0)
    winner = int(f.argmax())
    votes = np.zeros(k)
    for rows in map(np.array, permutations(range(k))):  # class r has row rows[r] of the code
        totals = D[np.ix_(rows, rows)] @ f
        predicted = int(totals.argmin())
        votes[predicted] += 1
        if predicted != winner:
            exchanged = rows.copy()
            exchanged[[winner, predicted]] = rows[[predicted, winner]]
            after = D[np.ix_(exchanged, exchanged)] @ f
            assert after[winner] <= after.min() + 1e-12
    assert votes[winner] >= votes.max()


@given(SEEDS, st.sampled_from(["one-vs-all", "all-pairs", "sparse-random", "dense-random"]))
@settings(max_examples=40)
def test_leave_one_out_errors_of_codes_are_at_most_those_of_the_intervals(seed, name):
    X, y = blobs(seed, n=40)
    kernel = wm.Gaussian(0.3)
    machine = wm.RLSClassifier(lam=0.01, kernel=kernel, multiclass=name, decoding="loss").fit(X, y)
    M, K, ridge = machine.code_, kernel.gram(X), machine.ridge_
    coefficients = np.zeros((len(y), M.shape[1]))
    for column, sides in enumerate(M.T):
        t = sides[y]
        known = np.flatnonzero(t)
        system = K[np.ix_(known, known)] + ridge * np.eye(known.size)
        coefficients[known, column] = np.linalg.solve(system, t[known])
    values = K @ coefficients
    errors = round(machine.loo_error_ * len(y))
    assert errors <= bounds.rifkin_of_intervals(values, coefficients, np.diag(K), M, y, loss="square")


@pytest.mark.parametrize("bias", ["none", "free", "penalised"])
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_leave_one_out_of_codes_with_zeros_is_that_of_machines_trained_without_each_point(kernel, bias):
    X, y = blobs(3, n=24, k=3)
    weight = np.random.default_rng(0).integers(1, 3, size=len(y)).astype(float)
    parameters = {"kernel": kernel, "gamma": 0.3, "bias": bias, "decoding": "loss", "multiclass": "all-pairs"}
    lam = 0.02
    machine = wm.RLSClassifier(lam=lam, **parameters).fit(X, y, weight)
    assert machine.n_systems_ == 3
    for i in range(len(y)):
        less = weight.copy()
        less[i] -= 1
        without = wm.RLSClassifier(lam=lam * weight.sum() / less.sum(), **parameters).fit(X, y, less)
        held_out = without.decision_function(X[i : i + 1])[0]
        np.testing.assert_allclose(machine.loo_decision_[i], held_out, atol=1e-8)


@pytest.mark.parametrize("code", sorted(codes.CODES))
def test_two_classes_are_the_same_machine_by_every_code(code):
    X, y = blobs(1, k=2)
    for plain, coded in [
        (wm.SVC(), wm.SVC(multiclass=code, decoding="hamming")),
        (wm.NuSVC(), wm.NuSVC(multiclass=code)),
        (wm.RLSClassifier(), wm.RLSClassifier(multiclass=code)),
        (wm.SVC(), wm.OutputCode(wm.SVC(), code)),
    ]:
        expected = plain.fit(X, y).decision_function(X)
        np.testing.assert_array_equal(coded.fit(X, y).decision_function(X), expected)
        np.testing.assert_array_equal(coded.predict(X), plain.predict(X))


@pytest.mark.parametrize("Machine", [wm.SVC, wm.RLSClassifier])
@pytest.mark.parametrize("code", ["one-vs-all", "all-pairs", "complete"])
def test_other_names_of_the_classes_change_nothing_else(Machine, code):
    X, y = blobs(2, n=80)
    machine = Machine(multiclass=code, decoding="loss", tol=1e-8)
    scores = machine.fit(X, y).decision_function(X)
    order = np.array([2, 0, 3, 1])
    renamed = Machine(multiclass=code, decoding="loss", tol=1e-8).fit(X, order[y]).decision_function(X)
    np.testing.assert_allclose(renamed[:, order], scores, atol=1e-5)


@pytest.mark.parametrize("code", ["one-vs-all", "complete", "dense-random"])
def test_no_kernel_value_is_computed_twice_in_training_and_all_columns_share_those_of_a_prediction(code):
    asked = []

    def kernel(A, B):
        asked.append(A.shape[0] * B.shape[0])
        return np.exp(-0.05 * ((A[:, None] - B) ** 2).sum(axis=2))

    X, y = blobs(4, n=120, k=5)
    machine = wm.SVC(kernel=kernel, multiclass=code).fit(X, y)
    assert sum(asked) <= len(y) ** 2 == machine.kernel_evaluations_
    assert machine.kernel_evaluations_saved_ > 0
    asked.clear()
    machine.decision_function(X[:50])
    assert sum(asked) == 50 * len(machine.support_)


@given(SEEDS, CLASSES)
def test_a_decision_graph_finds_a_class_that_beats_all_others(seed, k):
    random = np.random.default_rng(seed)
    values = random.normal(size=(40, comb(k, 2, exact=True)))
    M = codes.all_pairs(k).matrix
    won = ((values[:, None] > 0) == (M > 0)) & (M != 0)
    beats_all = won.sum(axis=2) == k - 1
    clear = beats_all.any(axis=1)
    assume(clear.any())
    for order in (None, random.permutation(k)):
        decided = Dag(order).decide(values, M)
        np.testing.assert_array_equal(decided[clear], beats_all.argmax(axis=1)[clear])
        np.testing.assert_array_equal(Dag(order).scores(values, M).argmax(axis=1), decided)


@given(SEEDS, CLASSES)
def test_a_decision_graph_is_a_list_from_which_losers_drop(seed, k):
    random = np.random.default_rng(seed)
    values, order = random.normal(size=(1, k * (k - 1) // 2)), random.permutation(k)
    pairs = dict(zip(combinations(range(k), 2), values[0], strict=True))
    left = list(order)
    while len(left) > 1:
        i, j = min(left[0], left[-1]), max(left[0], left[-1])
        left.remove(j if pairs[i, j] > 0 else i)
    assert Dag(order).decide(values, codes.all_pairs(k).matrix).tolist() == left


COUPLINGS = [
    codes.WuLinWeng1(),
    codes.WuLinWeng2(),
    codes.HastieTibshirani(),
    codes.Price(),
    codes.BradleyTerry(),
]


@pytest.mark.parametrize("coupling", COUPLINGS, ids=lambda coupling: type(coupling).__name__)
@given(SEEDS, CLASSES)
@settings(max_examples=25)
def test_couplings_find_the_probabilities_that_pairs_agree_on(coupling, seed, k):
    p = np.random.default_rng(seed).dirichlet(np.full(k, 3.0), size=5)
    i, j = np.triu_indices(k, 1)
    found = coupling.probabilities(p[:, i] / (p[:, i] + p[:, j]), codes.all_pairs(k).matrix)
    np.testing.assert_allclose(found, p, atol=1e-5)


@given(SEEDS, st.integers(3, 6), st.booleans())
@settings(max_examples=25)
def test_the_bradley_terry_model_finds_the_probabilities_that_the_columns_of_a_code_agree_on(seed, k, zeros):
    random = np.random.default_rng(seed)
    M = random_code(k, random, zeros).matrix
    p = random.dirichlet(np.full(k, 3.0), size=5)
    up, down = p @ (M == 1), p @ (M == -1)
    np.testing.assert_allclose(codes.BradleyTerry().probabilities(up / (up + down), M), p, atol=1e-5)


@given(SEEDS, CLASSES)
@settings(max_examples=25)
def test_the_bradley_terry_model_is_a_stationary_point_of_the_likelihood(seed, k):
    random = np.random.default_rng(seed)
    M = random_code(k, random, zeros=True).matrix
    r = random.uniform(0.05, 0.95, size=(1, M.shape[1]))
    p = codes.BradleyTerry().probabilities(r, M)[0]
    plus, minus = (M == 1).astype(float), (M == -1).astype(float)
    up, down = p @ plus, p @ minus
    slope = plus @ (r[0] / up) + minus @ ((1 - r[0]) / down) - (plus + minus) @ (1 / (up + down))
    np.testing.assert_allclose(p * slope, 0.0, atol=1e-6)
    assert p.sum() == pytest.approx(1.0)


@given(SEEDS, CLASSES)
def test_zeros_counted_or_skipped_make_no_difference_where_all_rows_have_equally_many(seed, k):
    values = np.random.default_rng(seed).normal(size=(30, k * (k - 1) // 2))
    M = codes.all_pairs(k).matrix
    count, skip = (LossBased(losses.Hinge(), zeros).decide(values, M) for zeros in ("count", "skip"))
    np.testing.assert_array_equal(count, skip)


@pytest.mark.parametrize(
    "loss",
    [losses.Hinge(), losses.Power(1.5), losses.SquaredHinge(), losses.ExponentialLoss(), losses.Logistic(),
     losses.Square(), losses.Absolute(), losses.EpsilonInsensitive(0.2)],
    ids=lambda loss: type(loss).__name__,
)  # fmt: skip
def test_every_convex_loss_decodes_every_code(loss):
    code = codes.sparse_random(5, draws=10, random_state=0)
    values = np.random.default_rng(0).normal(size=(20, code.n_columns))
    totals = np.zeros((20, 5))
    for r, row in enumerate(code.matrix):
        for f, m in zip(values.T, row, strict=True):
            totals[:, r] += loss.value(f, np.full(20, m)) if m else loss.value(0.0, 1.0)
    LossBased(loss).check(code.matrix)
    np.testing.assert_allclose(LossBased(loss).scores(values, code.matrix), -totals)


def test_machines_of_a_code_are_the_machines_of_its_columns():
    X, y = load_iris(return_X_y=True)
    M = np.array([[1, -1, 0], [-1, -1, 1], [0, 1, -1]])
    machine = wm.SVC(multiclass=M, tol=1e-6, gamma=0.1, decision_function_shape="ovo").fit(X, y)
    values = machine.decision_function(X)
    for column, sides in enumerate(M.T):
        members = sides[y] != 0
        alone = wm.SVC(tol=1e-6, gamma=0.1).fit(X[members], sides[y][members])
        np.testing.assert_allclose(values[:, column], alone.decision_function(X), atol=1e-4)


def test_dag_order_puts_classes_that_are_confused_side_by_side():
    order = np.array([3, 0, 4, 1, 2])
    confusion = np.zeros((5, 5))
    for one, other in pairwise(order):
        confusion[one, other] = 10
    assert codes.dag_order(confusion).tolist() in (order.tolist(), order[::-1].tolist())
