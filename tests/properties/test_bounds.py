"""Every bound is at or above what it bounds."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from widemargin import SVC, RLSClassifier, TikhonovEstimator, bounds, leave_one_out, losses
from widemargin.codes import all_pairs, one_vs_all
from widemargin.kernels import ARDGaussian, Gaussian, GeneralGaussian, Linear, Polynomial

SEEDS = st.integers(0, 100_000)
KERNELS = st.sampled_from([Gaussian(0.3), Gaussian(3.0), Linear(), Polynomial(degree=2, coef0=1.0)])
PRICES = st.sampled_from([0.05, 0.5, 5.0, 50.0])
SQUARED_OR_NOT = st.sampled_from(["hinge", "squared_hinge"])
problems = settings(max_examples=200)


def sample(seed, n=20, classes=2):
    random = np.random.default_rng(seed)
    X = random.standard_normal((n, 3))
    scores = X[:, :1] * np.linspace(-1, 1, classes) + 0.5 * random.standard_normal((n, classes))
    y = scores.argmax(axis=1)
    y[: 2 * classes] = np.arange(2 * classes) % classes
    return X, y


def fitted(X, y, **parameters):
    return SVC(tol=1e-9, **parameters).fit(X, y)


@problems
@given(SEEDS, KERNELS, PRICES, SQUARED_OR_NOT, st.booleans())
def test_errors_are_at_most_span_bound_and_that_at_most_the_number_of_support_vectors(
    seed, kernel, C, loss, fit_intercept
):
    X, y = sample(seed)
    machine = fitted(X, y, kernel=kernel, C=C, loss=loss, fit_intercept=fit_intercept)
    errors = leave_one_out(machine, X, y).errors
    smooth, count = bounds.span_bound(machine, X, y), bounds.support_vector_count(machine)
    assert errors <= smooth + 1e-9
    assert smooth <= count + 1e-9


@problems
@given(SEEDS, KERNELS, PRICES, SQUARED_OR_NOT)
def test_errors_of_machines_without_bias_are_at_most_those_of_jaakkola_and_haussler(seed, kernel, C, loss):
    X, y = sample(seed)
    machine = fitted(X, y, kernel=kernel, C=C, loss=loss, fit_intercept=False)
    errors = leave_one_out(machine, X, y).errors
    assert errors <= bounds.jaakkola_haussler(machine, X, y) <= len(y)


@problems
@given(SEEDS, KERNELS, PRICES)
def test_errors_of_least_squares_are_at_most_rifkins(seed, kernel, C):
    """In the three forms of the count."""
    X, y = sample(seed)
    machine = fitted(X, y, kernel=kernel, C=C, loss="least-squares", fit_intercept=False)
    K, t = kernel.gram(X), 2.0 * y - 1
    c = np.linalg.solve(K + np.eye(len(y)) / C, t)
    f = K @ c
    threshold = np.diag(K) / (np.diag(K) + 1 / C)
    assume((np.abs(t * f - threshold) > 1e-8).all())  # what rounding may decide is counted
    count = bounds.rifkin_of_values(f, t, np.diag(K), 1 / C)
    assert leave_one_out(machine, X, y).errors <= count
    assert count == bounds.rifkin(machine, X, y)
    assert count == bounds.rifkin(RLSClassifier(lam=1 / (C * len(y)), kernel=kernel).fit(X, y), X, y)
    assert count == np.count_nonzero(t * (f - c * np.diag(K)) <= 0)
    assert count == np.count_nonzero(t * ((K - np.diag(np.diag(K))) @ c) <= 0)


@given(SEEDS, st.integers(2, 3), st.floats(-6, 1))
def test_points_that_all_others_say_nothing_of_are_counted(seed, classes, log_lam):
    """Their held-out values are zero, and the class they are given is that of rounding."""
    random = np.random.default_rng(seed)
    y = random.permutation(np.arange(12) % classes)
    X, lam = 100.0 * np.arange(12)[:, None], 10.0**log_lam
    count = bounds.rifkin if classes == 2 else bounds.rifkin_multiclass
    for machine in (
        RLSClassifier(lam=lam, gamma=1.0),
        RLSClassifier(lam=lam, gamma=1.0, solver="eigen"),
        SVC(C=1 / (12 * lam), gamma=1.0, loss="least-squares", fit_intercept=False, multiclass="one-vs-all"),
    ):
        assert count(machine.fit(X, y), X, y) == 12


@problems
@given(SEEDS, KERNELS, PRICES, st.sampled_from(["hinge", "least-squares"]))
def test_errors_of_one_machine_per_class_are_at_most_those_of_the_intervals(seed, kernel, C, loss):
    X, y = sample(seed, classes=3)
    machine = fitted(X, y, kernel=kernel, C=C, loss=loss, fit_intercept=False, multiclass="one-vs-all")
    coefficients = np.zeros((len(y), 3))
    coefficients[machine.support_] = machine.dual_coef_.T
    values, diagonal = machine.decision_function(X), np.diag(kernel.gram(X))
    M = one_vs_all(3).matrix
    errors = leave_one_out(machine, X, y).errors
    count = bounds.rifkin_of_intervals(values, coefficients, diagonal, M, y, loss="square")
    assert errors <= count
    assert errors <= bounds.rifkin_of_intervals(values, coefficients, diagonal, M, y, loss="hinge")
    if loss == "least-squares":
        assert count == bounds.rifkin_multiclass(machine, X, y)
    ends = np.stack([values, values - coefficients * diagonal[:, None]])
    lowest = ends.min(axis=0)[np.arange(len(y)), y]
    highest = np.where(np.eye(3, dtype=bool)[y], -np.inf, ends.max(axis=0)).max(axis=1)
    assert count == np.count_nonzero(4 * (lowest - highest) <= 1e-9)  # the short form


@problems
@given(SEEDS, KERNELS, PRICES, st.sampled_from(["square", "hinge"]))
def test_errors_of_least_squares_by_pairs_are_at_most_those_of_the_intervals(seed, kernel, C, loss):
    """A machine that does not know a point says the same without it."""
    X, y = sample(seed, n=24, classes=4)
    K, M = kernel.gram(X), all_pairs(4).matrix.astype(float)
    values, held, coefficients = (np.zeros((24, 6)) for _ in range(3))
    for pair in range(6):
        t = M[y, pair]
        known = np.flatnonzero(t)
        G = np.linalg.inv(K[np.ix_(known, known)] + np.eye(known.size) / C)
        coefficients[known, pair] = c = G @ t[known]
        values[:, pair] = held[:, pair] = K[:, known] @ c
        held[known, pair] = t[known] - c / np.diag(G)
    L = {"square": lambda z: (1 - z) ** 2, "hinge": lambda z: np.maximum(0, 1 - z)}[loss]
    decoded = L(M[None] * held[:, None]).sum(axis=2).argmin(axis=1)
    count = bounds.rifkin_of_intervals(values, coefficients, np.diag(K), M, y, loss=loss)
    assert np.count_nonzero(decoded != y) <= count


@problems
@given(SEEDS, st.sampled_from([0.5, 2.0, 8.0]), PRICES, st.booleans(), st.booleans())
def test_errors_are_at_most_the_radius_margin_bound(seed, gamma, C, fit_intercept, hard):
    X, y = sample(seed)
    machine = SVC(gamma=gamma, fit_intercept=fit_intercept, tol=1e-9)
    machine.set_params(**({"C": np.inf} if hard else {"C": C, "loss": "squared_hinge"}))
    machine.fit(X, y)
    result = bounds.radius_margin(machine, X, y)
    assert leave_one_out(machine, X, y).errors <= result.bound + 1e-6
    assert result.radius**2 <= (1 - 1 / len(y)) * (1 + (0 if hard else 1 / C)) + 1e-5


def test_the_radius_margin_quotient_itself_is_no_bound_with_a_bias():
    """Points that know nothing of each other: all n are errors, and the quotient is n - 1."""
    X, y = 100.0 * np.arange(8)[:, None], np.arange(8) % 2
    machine = SVC(C=np.inf, gamma=1.0, tol=1e-9).fit(X, y)
    assert leave_one_out(machine, X, y).errors == 8
    assert bounds.radius_margin(machine, X, y).quotient == pytest.approx(7)


@problems
@given(SEEDS, KERNELS, PRICES, st.booleans())
def test_there_are_at_least_as_many_support_vectors_as_theory_demands(seed, kernel, C, fit_intercept):
    X, y = sample(seed)
    machine = fitted(X, y, kernel=kernel, C=C, fit_intercept=fit_intercept)
    assert bounds.fewest_support_vectors(machine, X, y) <= machine.support_.size + 1e-5


@settings(max_examples=40)
@given(SEEDS, PRICES, SQUARED_OR_NOT, st.booleans())
def test_spans_say_what_a_point_changes_where_no_index_set_does(seed, C, loss, fit_intercept):
    X, y = sample(seed)
    machine = fitted(X, y, gamma=0.5, C=C, loss=loss, fit_intercept=fit_intercept)
    t, f = 2 * y - 1, machine.decision_function(X)
    alpha = np.zeros(len(y))
    alpha[machine.support_] = np.abs(machine.dual_coef_[0])
    assume(((alpha > 1e-6) & (alpha < C - 1e-6)).any() or loss == "squared_hinge")
    fall = alpha * bounds.squared_spans(machine, X, y)
    held = t * leave_one_out(machine, X, y).decision_values
    same = [i for i in range(len(y)) if not _changes_sets(machine, X, y, i, alpha, C, loss)]
    np.testing.assert_allclose((t * f - fall)[same], held[same], atol=1e-6)


def _changes_sets(machine, X, y, i, alpha, C, loss):
    others = np.arange(len(y)) != i
    machine = SVC(**machine.get_params()).fit(X[others], y[others])
    after = np.zeros(len(y))
    after[np.flatnonzero(others)[machine.support_]] = np.abs(machine.dual_coef_[0])
    top = C if loss == "hinge" else np.inf
    kind = [(a > 1e-7).astype(int) + (a > top - 1e-7) for a in (alpha, after)]
    return (kind[0] != kind[1])[others].any()


@settings(max_examples=50)
@given(SEEDS, KERNELS, st.floats(0.1, 10.0))
def test_rademacher_complexity_is_at_most_its_trace_bound(seed, kernel, B):
    K = kernel.gram(sample(seed)[0])
    estimate = bounds.empirical_rademacher(K, B, draws=400, random_state=0)
    assert estimate <= bounds.rademacher_trace_bound(K, B) * (1 + 0.1)
    assert bounds.rademacher_trace_bound(K, B) <= 2 * B * np.sqrt(np.diag(K).max() / len(K)) + 1e-12
    scaled = bounds.empirical_rademacher(K, 3 * B, draws=400, random_state=0)
    assert scaled == pytest.approx(bounds.rademacher_of_scaled(estimate, 3.0))


@settings(max_examples=50)
@given(SEEDS, st.sampled_from([0.05, 0.5, 5.0]))
def test_deletion_and_replacement_change_the_hinge_loss_by_no_more_than_the_stability(seed, C):
    X, y = sample(seed)
    n, there = len(y), np.random.default_rng(seed).standard_normal((50, 3))

    def losses(X, y):
        f = fitted(X, y, kernel=Gaussian(0.5), C=C, fit_intercept=False).decision_function(there)
        return np.maximum(0.0, 1.0 - np.stack([f, -f]))

    before, lam = losses(X, y), 1 / (2 * C * n)
    deleted = losses(X[:-1], y[:-1])
    replaced = losses(X, np.append(y[:-1], 1 - y[-1]))
    beta = bounds.stability("hinge", n=n, lam=lam, kappa=1.0)
    assert np.abs(deleted - before).max() <= beta + 1e-7
    assert np.abs(replaced - before).max() <= 2 * beta + 1e-7


LOSSES = [
    losses.Hinge(),
    losses.SquaredHinge(),
    losses.Power(1.5),
    losses.Logistic(),
    losses.ExponentialLoss(),
    losses.Square(),
    losses.EpsilonInsensitive(0.2),
]


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
@pytest.mark.parametrize("lam", [0.05, 1.0])
def test_deletion_and_replacement_change_no_loss_by_more_than_its_stability(loss, lam):
    random, n = np.random.default_rng(0), 20
    X, y = random.standard_normal((n, 2)), np.where(random.random(n) < 0.5, 1.0, -1.0)
    there = random.standard_normal((50, 2))

    def values(X, y):
        lam_n = lam * n / len(y)  # the factor 1/n of the losses stays what it is
        machine = TikhonovEstimator(loss, Gaussian(0.5), lam_n, tol=1e-9).fit(X, y)
        return np.stack([loss.value(machine.decision_function(there), sign) for sign in (-1.0, 1.0)])

    before, beta = values(X, y), bounds.stability(loss, n=n, lam=lam, kappa=1.0)
    for i in range(0, n, 4):
        others = np.arange(n) != i
        assert np.abs(values(X[others], y[others]) - before).max() <= beta + 1e-6
        assert np.abs(values(X, np.where(others, y, -y)) - before).max() <= 2 * beta + 1e-6


@pytest.mark.parametrize("loss", sorted(losses.LOSSES))
def test_deletion_and_replacement_give_the_same_stability_bound(loss):
    of = {"n": 500, "lam": 0.1, "kappa": 1.5, "target": 2.0}
    assert bounds.stability(loss, **of, mode="replacement") == 2 * bounds.stability(loss, **of)
    one = bounds.stability_bound(0.2, loss, **of)
    assert bounds.stability_bound(0.2, loss, **of, mode="replacement") == pytest.approx(one)


def test_risk_bounds_hold_in_nearly_all_draws():
    """The machine of a known distribution; the bounds may fail in a share delta of the draws."""
    random = np.random.default_rng(0)

    def draw(n):
        y = random.choice([-1, 1], n)
        return np.column_stack([y + 0.4 * random.standard_normal(n), 0.1 * random.standard_normal(n)]), y

    X_test, y_test = draw(20_000)
    failures = 0
    for _ in range(20):
        X, y = draw(2000)
        machine = SVC(kernel="linear", C=0.01, fit_intercept=False).fit(X, y)
        error = np.mean(machine.predict(X_test) != y_test)
        soft = bounds.soft_margin_bound(machine, X, y, margin=0.5)
        margins = y * machine.decision_function(X)
        lam = 1 / (2 * 0.01 * len(y))
        kappa = np.sqrt((X_test**2).sum(axis=1).max())
        hinge = np.maximum(0, 1 - margins).mean()
        stable = bounds.stability_bound(hinge, "hinge", n=len(y), lam=lam, kappa=kappa)
        capacity = bounds.vc_bound(np.mean(margins < 0), n=len(y), h=3)
        failures += error > min(soft, stable, capacity)
        assert soft < 1
    assert failures <= 1


@settings(max_examples=100)
@given(SEEDS, st.sampled_from(["one-vs-all", "all-pairs"]), st.sampled_from(["loss", "hamming"]))
def test_training_errors_of_codes_are_at_most_their_bound(seed, name, decoding):
    random = np.random.default_rng(seed)
    k, n = 4, 40
    M = (one_vs_all(k) if name == "one-vs-all" else all_pairs(k)).matrix.astype(float)
    labels = random.integers(k, size=n)
    f = M[labels] + 0.8 * random.standard_normal((n, M.shape[1]))
    losses = np.maximum(0.0, 1.0 - M[None] * f[:, None])  # point, class, machine
    if decoding == "loss":
        totals = losses.sum(axis=2)
    else:
        totals = ((1 - np.sign(M[None] * f[:, None])) / 2).sum(axis=2)
    own = totals[np.arange(n), labels]
    errors = np.count_nonzero(np.where(np.eye(k, dtype=bool)[labels], np.inf, totals).min(axis=1) <= own)
    eps = losses[np.arange(n), labels].mean()
    assert errors <= bounds.code_training_errors(eps, n=n, code=M, decoding=decoding) + 1e-9


def test_of_a_single_point_replacement_takes_twice_the_stability_of_deletion():
    """One x with k(x, x) = 1 and the hinge loss: f(x) = y / (2 lam), and flipping y moves it by 1 / lam."""
    for lam in (0.5, 2.0):
        values = [
            TikhonovEstimator("hinge", Linear(), lam, tol=1e-9).fit([[1.0]], [y]).decision_function([[1.0]])
            for y in (1.0, -1.0)
        ]
        before, after = (losses.Hinge().value(f, 1.0).item() for f in values)
        assert before == pytest.approx(1 - 1 / (2 * lam), abs=1e-7)
        assert after - before == pytest.approx(1 / lam)
        assert after - before > bounds.stability("hinge", n=1, lam=lam, kappa=1.0) + 1e-3
        replaced = bounds.stability("hinge", n=1, lam=lam, kappa=1.0, mode="replacement")
        assert after - before == pytest.approx(replaced)


@settings(max_examples=50)
@given(SEEDS, KERNELS, PRICES)
def test_a_point_moves_no_value_of_a_machine_without_bias_by_more_than_its_price(seed, kernel, C):
    """sup |f - g| <= C kappa^2 without the point, twice that with its label flipped."""
    X, y = sample(seed)
    everywhere = np.vstack([X, np.random.default_rng(seed).standard_normal((200, 3))])
    K = kernel.gram(everywhere)

    def values(points, labels):
        return fitted(points, labels, kernel=kernel, C=C, fit_intercept=False).decision_function(everywhere)

    before = values(X, y)
    most = C * np.diag(K).max() * (1 + 1e-6) + 1e-7
    assert np.abs(values(X[:-1], y[:-1]) - before).max() <= most
    assert np.abs(values(X, np.append(y[:-1], 1 - y[-1])) - before).max() <= 2 * most


@settings(max_examples=50)
@given(
    SEEDS,
    st.sampled_from(
        [
            Gaussian(0.3),
            Linear(),
            ARDGaussian([0.1, 2.0, 0.5]),
            GeneralGaussian(np.diag([1.0, 3.0, 0.2])),
            2.0 * Gaussian(0.3) + 0.5 * Linear() + 1.0,
        ]
    ),
)
def test_no_function_is_steeper_than_its_lipschitz_bound(seed, kernel):
    X, y = sample(seed, classes=3)
    random = np.random.default_rng(seed)
    x = random.standard_normal((200, 3))
    z = x + 10.0 ** random.uniform(-6, 1, (200, 1)) * random.standard_normal((200, 3))
    for machine in (
        SVC(kernel=kernel, multiclass="one-vs-all").fit(X, y),
        RLSClassifier(kernel=kernel).fit(X, y),
    ):
        change = np.abs(machine.decision_function(x) - machine.decision_function(z))
        distance = np.linalg.norm(x - z, axis=1)[:, None]
        assert (change <= bounds.lipschitz_bound(machine) * distance * (1 + 1e-6) + 1e-9).all()


def test_the_lipschitz_bound_is_met_by_a_linear_machine_and_by_a_single_bump():
    random = np.random.default_rng(0)
    X, t = random.standard_normal((30, 3)), random.standard_normal(30)
    linear = TikhonovEstimator("square", Linear(), 0.1).fit(X, t)
    w = linear.dual_coef_ @ linear.support_vectors_
    assert bounds.lipschitz_bound(linear)[0] == pytest.approx(np.linalg.norm(w))
    bump = TikhonovEstimator("square", Gaussian(0.5), 0.1).fit([[0.0]], [1.0])
    steepest = np.abs(np.diff(bump.predict(np.linspace(-3, 3, 10_001)[:, None]))).max() / 6e-4
    assert 0.5 * bounds.lipschitz_bound(bump)[0] < steepest <= bounds.lipschitz_bound(bump)[0]


def test_a_lipschitz_bound_needs_a_kernel_with_a_constant():
    X, y = sample(0)
    with pytest.raises(ValueError, match=r"no constant is known for Polynomial\(.*\): the kernel must"):
        bounds.lipschitz_bound(SVC(kernel=Polynomial(2)).fit(X, y))
    with pytest.raises(ValueError, match="machines of this library; got int"):
        bounds.lipschitz_bound(3)
