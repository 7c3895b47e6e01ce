"""What is known of the baselines (T-BASE), and Novikoff's bound on the mistakes of a perceptron."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning

import widemargin as wm
from reference import baselines, cases
from widemargin.kernels import Gaussian, Laplacian, Linear, Polynomial

KERNELS = [Linear(), Gaussian(0.3), Laplacian(0.7), Polynomial(2, gamma=0.5, coef0=1.0)]
every_kernel = pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: type(kernel).__name__)
X, y = load_iris(return_X_y=True)
APART = X + 1e-3 * np.random.default_rng(1).normal(size=X.shape)  # no two points at the same distance
NEW = np.random.default_rng(0).uniform(X.min(axis=0), X.max(axis=0), size=(80, 4))


def separable(seed, n=40, gap=0.4):
    """Two classes a gap apart along a random direction of the plane."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 2))
    direction = random.normal(size=2)
    direction /= np.linalg.norm(direction)
    y = np.where(X @ direction > 0, 1, -1)
    y[:2] = [1, -1]
    X[:2] = [direction, -direction]
    return X + gap * y[:, None] * direction, y


@every_kernel
def test_the_nearest_mean_is_the_one_at_the_least_distance(kernel):
    weight = 1.0 + np.arange(150) % 3
    squared = baselines.squared_distances_to_means(
        kernel.gram(X), kernel.gram(NEW, X), kernel.diagonal(NEW), y, weight
    )
    machine = wm.MeanClassifier(kernel).fit(X, y, weight)
    np.testing.assert_array_equal(machine.predict(NEW), squared.argmin(axis=1))
    values = machine.decision_function(NEW)
    for c in (1, 2):
        np.testing.assert_allclose(
            values[:, c] - values[:, 0], squared[:, 0] - squared[:, c], atol=1e-9 * np.ptp(squared)
        )


@every_kernel
def test_the_decision_values_of_two_classes_follow_the_formula_and_average_to_plus_and_minus_one(kernel):
    X, y, _ = cases.classification(3, n=30)
    K, K_new = kernel.gram(X), kernel.gram(NEW[:, :2], X)
    plus, minus = y > 0, y < 0
    means = [[K[np.ix_(a, b)].mean() for b in (plus, minus)] for a in (plus, minus)]
    numerator = 2 * (K_new[:, plus].mean(axis=1) - K_new[:, minus].mean(axis=1)) - means[0][0] + means[1][1]
    expected = numerator / (means[0][0] - 2 * means[0][1] + means[1][1])
    machine = wm.MeanClassifier(kernel).fit(X, y)
    np.testing.assert_allclose(machine.decision_function(NEW[:, :2]), expected, rtol=1e-9, atol=1e-9)
    values = machine.decision_function(X)  # affine in Phi: the value at a mean is the mean of the values
    assert values[plus].mean() == pytest.approx(1.0) and values[minus].mean() == pytest.approx(-1.0)


def test_the_plain_mean_classifier_is_plus_and_minus_one_at_the_centres():
    X, y = separable(1)
    machine = wm.MeanClassifier().fit(X, y)
    np.testing.assert_allclose(machine.decision_function(machine.centres_), [-1, 1])
    np.testing.assert_allclose(machine.centres_, [X[y == -1].mean(axis=0), X[y == 1].mean(axis=0)])


def test_a_support_vector_machine_with_a_very_small_C_has_the_weights_of_the_means():
    X, y = load_iris(return_X_y=True)
    machine, means = wm.SVC(C=1e-6, kernel="linear").fit(X[:100], y[:100]), wm.MeanClassifier()
    direction = np.diff(means.fit(X[:100], y[:100]).coef_, axis=0)[0]
    cosine = machine.coef_[0] @ direction / np.linalg.norm(machine.coef_) / np.linalg.norm(direction)
    assert cosine == pytest.approx(1.0, abs=1e-9)


def test_the_kernel_version_with_inner_products_is_the_plain_one():
    plain, kernelised = wm.MeanClassifier().fit(X, y), wm.MeanClassifier("precomputed").fit(X @ X.T, y)
    np.testing.assert_array_equal(plain.predict(NEW), kernelised.predict(NEW @ X.T))
    a, b = plain.decision_function(NEW), kernelised.decision_function(NEW @ X.T)
    np.testing.assert_allclose(a - a[:, :1], b - b[:, :1], atol=1e-9)


def test_means_far_from_the_origin_are_told_apart():
    X, y = separable(2)
    far = np.array([1e8, -1e8])
    near, away = wm.MeanClassifier().fit(X, y), wm.MeanClassifier().fit(X + far, y)
    np.testing.assert_allclose(away.decision_function(X + far), near.decision_function(X), atol=1e-5)


@every_kernel
@pytest.mark.parametrize("k", [1, 2, 4, 7])
def test_neighbours_vote_as_in_the_definition(kernel, k):
    weights = np.linspace(2.0, 1.0, k)
    expected = baselines.neighbors(kernel.diagonal(APART), kernel.gram(NEW, APART), kernel.diagonal(NEW), k)
    machine = wm.KernelNeighbors(k, kernel=kernel).fit(APART, y)
    distances, found = machine.kneighbors(NEW)
    np.testing.assert_allclose(
        distances, np.take_along_axis(kernel.distance(NEW, APART), expected, axis=1), atol=1e-7
    )
    np.testing.assert_array_equal(found, expected)
    votes = [baselines.vote(y[row], np.ones(k)) for row in expected]
    np.testing.assert_array_equal(machine.predict(NEW), votes)
    weighted = wm.KernelNeighbors(k, kernel=kernel, rank_weights=weights).fit(APART, y)
    np.testing.assert_array_equal(
        weighted.predict(NEW), [baselines.vote(y[row], weights) for row in expected]
    )


@every_kernel
def test_the_nearest_neighbour_makes_no_training_error(kernel):
    points, first = np.unique(X, axis=0, return_index=True)
    assert wm.KernelNeighbors(1, kernel=kernel).fit(points, y[first]).score(points, y[first]) == 1.0


@pytest.mark.parametrize("gamma", [1e-9, 0.5, 1e4])
def test_a_gaussian_kernel_has_the_neighbours_of_euclid_whatever_its_width(gamma):
    euclid = wm.KernelNeighbors(5).fit(X, y).kneighbors(NEW, return_distance=False)
    gaussian = wm.KernelNeighbors(5, kernel=Gaussian(gamma)).fit(X, y)
    np.testing.assert_array_equal(gaussian.kneighbors(NEW, return_distance=False), euclid)


def test_neighbours_far_from_the_origin_are_the_same():
    near = wm.KernelNeighbors(3).fit(X, y).kneighbors(NEW, return_distance=False)
    away = wm.KernelNeighbors(3).fit(X + 2.0**26, y).kneighbors(NEW + 2.0**26, return_distance=False)
    assert (near == away).mean() > 0.99  # the data themselves are rounded


def test_ties_go_to_the_first_point_and_to_the_nearest_class():
    line = [[1.0], [-1.0], [2.0], [-2.0]]
    machine = wm.KernelNeighbors(2).fit(line, ["b", "a", "a", "b"])
    assert machine.kneighbors([[0.0]], return_distance=False).tolist() == [[0, 1]]
    assert machine.predict([[0.0], [-1.5]]).tolist() == ["b", "a"]
    assert machine.predict_proba([[0.0]]).tolist() == [[0.5, np.nextafter(0.5, 1)]]
    four = machine.set_params(n_neighbors=4).fit(line, ["b", "a", "a", "b"])
    assert four.predict([[0.0]]).tolist() == ["b"]


@pytest.mark.parametrize("bias", ["none", "penalised"])
@pytest.mark.parametrize("average", [False, True])
def test_the_perceptron_learns_as_in_the_definition(bias, average):
    kernel, epochs = Gaussian(0.1), 3
    some = np.random.default_rng(1).permutation(150)[:60]
    K = kernel.gram(X[some]) + (bias == "penalised")
    course, mistakes = baselines.perceptron(K, y[some], epochs)
    machine = wm.KernelPerceptron(kernel, bias=bias, average=average, shuffle=False, max_epochs=epochs)
    if mistakes[-1] and not average:
        with pytest.warns(ConvergenceWarning, match=f"{mistakes[-1]} mistakes in its last epoch, number 3"):
            machine.fit(X[some], y[some])
    else:
        machine.fit(X[some], y[some])
    c = np.mean(course, axis=0) if average else course[-1]
    assert machine.mistakes_.tolist() == mistakes
    np.testing.assert_allclose(machine.decision_function(X[some]), K @ c, atol=1e-9)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("kernel", [Linear(), Gaussian(0.5)], ids=["linear", "Gaussian"])
@pytest.mark.parametrize("bias", ["none", "penalised"])
def test_the_mistakes_on_two_classes_keep_to_the_bound_of_novikoff(seed, kernel, bias):
    X, y = separable(seed)
    K = kernel.gram(X) + (bias == "penalised")
    widest = wm.SVC(C=np.inf, kernel="precomputed", fit_intercept=False, tol=1e-8).fit(K, y)
    norm_squared = 2 * widest.dual_objective_  # 1 / rho^2
    machine = wm.KernelPerceptron(kernel, bias=bias, max_epochs=10**6, random_state=seed).fit(X, y)
    assert machine.converged_
    assert 0 < machine.mistakes_.sum() <= K.diagonal().max() * norm_squared * (1 + 1e-6)
    assert machine.score(X, y) == 1.0


@pytest.mark.parametrize("seed", range(4))
def test_the_mistakes_on_several_classes_keep_to_their_bound(seed):
    random = np.random.default_rng(seed)
    y = np.arange(45) % 3
    X = random.normal(size=(45, 2)) + 4.0 * np.array([[0, 0], [1, 0], [0, 1]])[y]
    K = Gaussian(1.0).gram(X)
    widest = wm.CrammerSinger(C=1e6, kernel="precomputed", tol=1e-7).fit(K, y)
    assert widest.score(K, y) == 1.0
    machine = wm.KernelPerceptron(Gaussian(1.0), bias="none", max_epochs=10**6, random_state=seed).fit(X, y)
    assert machine.converged_
    assert 0 < machine.mistakes_.sum() <= 2 * K.diagonal().max() * 2 * widest.dual_objective_ * (1 + 1e-4)


def test_the_majority_is_the_best_constant():
    random = np.random.default_rng(0)
    labels, weight = random.choice(list("abc"), 50), random.uniform(size=50)
    machine = wm.MajorityClassifier().fit(np.zeros((50, 1)), labels, weight)
    shares = {name: weight[labels == name].sum() / weight.sum() for name in "abc"}
    assert machine.score(np.zeros((50, 1)), labels, weight) == pytest.approx(max(shares.values()))
    np.testing.assert_allclose(machine.class_prior_, [shares[name] for name in "abc"])
