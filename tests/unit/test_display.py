"""Pictures show what machines say: regions, margins, support vectors, landscapes, relevances."""

import matplotlib
import numpy as np
import pytest

matplotlib.use("agg")

import matplotlib.pyplot as plt
from matplotlib.collections import PathCollection
from matplotlib.colors import to_rgb
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import widemargin as wm
from widemargin.datasets import noisy_chess_board
from widemargin.display import (
    LandscapeDisplay,
    LearningCurveDisplay,
    RelevanceDisplay,
    RocDisplay,
    confusion,
    convergence,
    decision_boundary,
)
from widemargin.display.style import colour
from widemargin.selection.objectives import Alignment, HoldOut
from widemargin.selection.optimizers import IRpropPlus, NestedGrid


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def board():
    return noisy_chess_board(120, noise=0.0, fields=2, seed=0)


@pytest.fixture
def three_classes():
    rng = np.random.default_rng(0)
    centres = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]])
    return np.concatenate([centre + 0.5 * rng.normal(size=(20, 2)) for centre in centres]), np.repeat(
        ["a", "b", "c"], 20
    )


def fill_at(ax, x, y):
    """The fill's colour at a point of the plane."""
    (image,) = ax.images
    left, right, bottom, top = image.get_extent()
    pixels = np.asarray(image.get_array())
    row = int((y - bottom) / (top - bottom) * (len(pixels) - 1))
    column = int((x - left) / (right - left) * (pixels.shape[1] - 1))
    return pixels[row, column]


def nearest_class(rgb, n_classes):
    """The class whose colour has the hue of the tint: both as directions away from white."""
    away = [1 - np.array(to_rgb(colour(k))) for k in range(n_classes)]
    tint = 1 - np.asarray(rgb)
    return int(np.argmax([tint @ a / np.linalg.norm(a) for a in away]))


def test_each_field_of_the_board_is_filled_in_the_colour_of_its_class(board):
    machine = wm.SVC(C=10, gamma=2.0).fit(board.X, board.y)
    ax = decision_boundary(machine, board.X, board.y)
    fields = np.array([[0.5, 0.5], [1.5, 0.5], [0.5, 1.5], [1.5, 1.5]])
    shown = [nearest_class(fill_at(ax, *field), 2) for field in fields]
    np.testing.assert_array_equal(machine.classes_[shown], machine.predict(fields))


def test_every_support_vector_wears_a_ring(board):
    machine = wm.SVC(C=10, gamma=2.0).fit(board.X, board.y)
    ax = decision_boundary(machine, board.X, board.y)
    rings = [c for c in ax.collections if c.get_label() == "support vector"]
    assert len(rings) == 1 and isinstance(rings[0], PathCollection)
    np.testing.assert_allclose(rings[0].get_offsets(), machine.support_vectors_)


def test_boundary_and_margins_lie_where_f_is_0_and_1(board):
    machine = wm.SVC(C=10, gamma=2.0).fit(board.X, board.y)
    ax = decision_boundary(machine, board.X, board.y)
    levels = set()
    for contour in (c for c in ax.collections if hasattr(c, "levels")):
        (level,) = contour.levels
        points = np.concatenate([path.vertices for path in contour.get_paths()])
        np.testing.assert_allclose(np.abs(machine.decision_function(points)), level, atol=0.05)
        levels.add(float(level))
    assert levels == {0.0, 1.0}


@pytest.mark.parametrize("multiclass", ["all-pairs", "one-vs-all", "complete"])
def test_three_classes_get_three_colours(multiclass, three_classes):
    X, y = three_classes
    machine = wm.SVC(multiclass=multiclass).fit(X, y)
    ax = decision_boundary(machine, X, y)
    centres = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]])
    assert [nearest_class(fill_at(ax, *centre), 3) for centre in centres] == [0, 1, 2]
    assert machine.decision_function_shape == "ovr"


def test_an_outlier_detector_is_drawn_without_labels_and_without_margins(three_classes):
    X, _ = three_classes
    ax = decision_boundary(wm.OneClassSVM(nu=0.1).fit(X), X)
    assert {float(level) for c in ax.collections if hasattr(c, "levels") for level in c.levels} == {0.0}


def test_drawing_on_given_axes_returns_them(board):
    _, ax = plt.subplots()
    assert decision_boundary(wm.SVC().fit(board.X, board.y), board.X, board.y, ax=ax) is ax


def test_more_than_two_features_are_refused_by_name():
    with pytest.raises(ValueError, match=r"X has shape \(4, 3\)"):
        decision_boundary(wm.SVC(), np.zeros((4, 3)))


def trace(violation, objective):
    return {"iteration": np.arange(1, len(violation) + 1), "violation": violation, "objective": objective}


def test_convergence_draws_the_least_violation_so_far_and_the_distance_to_the_best_objective():
    traces = {"one": trace([4.0, 5.0, 1.0], [1.0, 2.0, 3.0]), "two": trace([4.0, 2.0], [1.0, 5.0])}
    violations, objectives = convergence(traces, tol=1e-2)
    curves = {line.get_label(): line for line in violations.lines}
    np.testing.assert_array_equal(curves["one"].get_ydata(), [4.0, 4.0, 1.0])
    gaps = {line.get_label(): line.get_ydata() for line in objectives.lines}
    np.testing.assert_array_equal(gaps["one"], [4.0, 3.0, 2.0])
    np.testing.assert_array_equal(gaps["two"], [4.0])
    assert [text.get_text() for text in violations.get_legend().get_texts()] == ["one", "two"]


def test_convergence_takes_the_traces_of_fitted_machines(board):
    machine = wm.SVC(C=10, gamma=2.0, solver=wm.SMO(trace=1)).fit(board.X, board.y)
    violations, _ = convergence({"second order": machine.trace_})
    drawn = next(line for line in violations.lines if line.get_label() == "second order")
    assert len(drawn.get_xdata()) > 10


@pytest.mark.parametrize(
    ("traces", "words"), [({}, "traces is empty"), ({"one": None}, "'one' needs the columns")]
)
def test_missing_traces_are_named(traces, words):
    with pytest.raises(ValueError, match=words):
        convergence(traces)


# --- confusion --------------------------------------------------------------------------------------


def test_the_confusion_matrix_shows_counts_and_tints_rows_by_their_shares():
    y = np.repeat(["often", "rare"], [100, 4])
    predictions = np.array(["often"] * 90 + ["rare"] * 10 + ["often"] * 2 + ["rare"] * 2)
    ax = confusion(y, predictions)
    shown = {tuple(map(int, text.get_position())): text.get_text() for text in ax.texts}
    assert shown == {(0, 0): "90", (1, 0): "10", (0, 1): "2", (1, 1): "2"}
    pixels = np.asarray(ax.images[0].get_array())
    assert 1 - pixels[1, 0].min() > 1 - pixels[0, 1].min()
    np.testing.assert_allclose(1 - pixels[0, 0], 0.9 * (1 - np.array(to_rgb(colour(0)))))
    assert ax.get_title(loc="left") == "11.54% errors"


def test_the_confusion_matrix_keeps_the_order_of_the_classes_and_has_no_text_for_nothing():
    ax = confusion(["b", "a"], ["b", "a"], classes=["b", "a", "c"])
    assert [label.get_text() for label in ax.get_yticklabels()] == ["b", "a", "c"]
    assert len(ax.texts) == 2


def test_the_confusion_matrix_refuses_labels_of_other_points():
    with pytest.raises(ValueError, match="predictions has 1 labels"):
        confusion([0, 1], [0])


# --- landscapes -------------------------------------------------------------------------------------

CS, GAMMAS = [1.0, 10.0, 100.0], [0.1, 1.0, 10.0]


@pytest.fixture(scope="module")
def path(board):
    return wm.cross_validate_path(wm.SVC(), board.X, board.y, Cs=CS, gammas=GAMMAS, cv=3)


@pytest.fixture(scope="module")
def search(board):
    search = wm.ModelSearch(wm.SVC(), HoldOut(), NestedGrid(points=3), random_state=0, max_evaluations=20)
    return search.fit(board.X, board.y)


def line(ax, label):
    """The points of a line by its label."""
    (found,) = [each for each in ax.lines if each.get_label() == label]
    return np.column_stack(found.get_data())


def contour_of(ax):
    (contour,) = [each for each in ax.collections if hasattr(each, "levels")]
    return contour


def test_the_star_of_a_landscape_is_the_best_cell_of_a_cross_validation(path):
    display = LandscapeDisplay.from_path(path)
    assert display.best_ == (path.best_C, path.best_gamma)
    np.testing.assert_allclose(line(display.ax_, "best"), [np.log10(display.best_)])
    np.testing.assert_array_equal(display.values, path.mean_scores)
    assert "search" not in [each.get_label() for each in display.ax_.lines]


def test_the_way_of_a_search_is_drawn_from_its_start_to_its_end(path, search):
    display = LandscapeDisplay.from_path(path, search=search)
    np.testing.assert_allclose(line(display.ax_, "search"), search.history_.x / np.log(10))
    np.testing.assert_allclose(line(display.ax_, "start"), search.history_.x[:1] / np.log(10))
    best = search.best_estimator_
    np.testing.assert_allclose(line(display.ax_, "best"), [np.log10([best.C, best.kernel.gamma])])


def test_the_landscape_of_an_objective_has_its_values(board):
    machine = wm.SVC(kernel=wm.Gaussian())
    display = LandscapeDisplay.from_objective(
        HoldOut().bind(machine, board.X, board.y, random_state=0), Cs=CS, gammas=GAMMAS
    )
    bound = HoldOut().bind(machine, board.X, board.y, random_state=0)
    expected = [[bound.value(np.log([C, gamma])) for gamma in GAMMAS] for C in CS]
    np.testing.assert_allclose(display.values, expected, atol=1e-3)
    assert display.values[CS.index(display.best_[0]), GAMMAS.index(display.best_[1])] == display.values.min()


def test_good_is_bright_for_scores_and_for_objectives():
    values = np.arange(12.0).reshape(3, 4)
    lightness = []
    for maximum in (True, False):
        display = LandscapeDisplay([1, 2, 3], [1, 2, 3, 4], values, maximum=maximum).plot()
        low, high = (sum(contour_of(display.ax_).to_rgba(value)[:3]) for value in (0.0, 11.0))
        lightness.append(high - low)
        assert display.best_ == ((3.0, 4.0) if maximum else (1.0, 1.0))
    assert lightness[0] > 0.5 and lightness[1] < -0.5


def test_one_bad_corner_does_not_use_up_the_colours():
    values = np.random.default_rng(0).uniform(size=(6, 6))
    values[0, 0] = 1e9
    display = LandscapeDisplay(np.arange(1, 7), np.arange(1, 7), values).plot()
    assert contour_of(display.ax_).levels[-1] < 2


def test_cells_that_were_not_reached_stay_white_and_are_not_the_best():
    values = np.array([[np.nan, 2.0, 3.0], [np.inf, 1.0, 4.0]])
    display = LandscapeDisplay([1, 10], [1, 2, 4], values).plot()
    assert display.best_ == (10.0, 2.0)


def test_a_plain_is_drawn_too():
    display = LandscapeDisplay([1, 10], [1, 2], np.ones((2, 2))).plot()
    levels = contour_of(display.ax_).levels
    assert levels[0] < 1 < levels[-1]


def test_landscapes_without_two_directions_are_refused(board, path):
    linear = wm.cross_validate_path(wm.SVC(kernel="linear"), board.X, board.y, Cs=[1, 10], cv=3)
    with pytest.raises(ValueError, match="gammas must hold at least two different values"):
        LandscapeDisplay.from_path(linear)
    bound = Alignment().bind(wm.SVC(kernel=wm.Gaussian()), board.X, board.y)
    with pytest.raises(ValueError, match="Alignment is a function of gamma"):
        LandscapeDisplay.from_objective(bound, Cs=CS, gammas=GAMMAS)
    other = wm.ModelSearch(wm.SVC(), Alignment(), IRpropPlus(), max_evaluations=3, cv=3)
    with pytest.raises(ValueError, match=r"search has moved gamma, but the landscape is one of C, gamma"):
        LandscapeDisplay.from_path(path, search=other.fit(board.X, board.y))


@pytest.mark.parametrize(
    ("Cs", "values", "words"),
    [
        ([1.0, 0.0], np.ones((2, 2)), "Cs must be positive"),
        ([1.0, 1.0], np.ones((2, 2)), "Cs must hold at least two different values"),
        ([1.0, 2.0, 3.0], np.ones((2, 2)), r"values has shape \(2, 2\)"),
        ([1.0, 2.0], np.full((2, 2), np.nan), "no finite entry"),
    ],
)
def test_bad_landscapes_are_refused_in_a_sentence(Cs, values, words):
    with pytest.raises(ValueError, match=words):
        LandscapeDisplay(Cs, [1.0, 2.0], values)


def bar_names(display):
    return [label.get_text() for label in display.ax_.get_yticklabels()]


def test_relevances_are_bars_with_the_largest_on_top():
    machine = wm.SVC(kernel=wm.ARDGaussian([0.1, 2.0, 0.5]))
    display = RelevanceDisplay.from_estimator(machine)
    assert [bar.get_width() for bar in display.bars_] == [2.0, 0.5, 0.1]
    assert bar_names(display) == ["feature 1", "feature 2", "feature 0"]
    bottom, top = display.ax_.get_ylim()
    assert bottom > top  # the first bar is the upper one


def test_names_of_features_come_from_the_data_or_from_the_caller():
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(120, 3)), columns=["a", "b", "c"])
    machine = wm.AutoSVC(probability=False).fit(X, X["b"] > 0)
    display = RelevanceDisplay.from_estimator(machine)
    assert bar_names(display)[0] == "b"
    np.testing.assert_array_equal(
        sorted(machine.relevance_)[::-1], [bar.get_width() for bar in display.bars_]
    )
    assert bar_names(RelevanceDisplay.from_estimator(machine, feature_names=["x", "y", "z"]))[0] == "y"


def test_relevances_are_found_inside_pipelines_searches_and_combined_kernels(board):
    kernel = wm.ARDGaussian([0.5, 2.0])
    piped = make_pipeline(StandardScaler(), wm.SVC(kernel=2.0 * kernel + 1.0)).fit(board.X, board.y)
    search = wm.ModelSearch(wm.SVC(kernel=kernel), Alignment(), IRpropPlus(), max_evaluations=3, cv=3)
    search.fit(board.X, board.y)
    np.testing.assert_array_equal(RelevanceDisplay.from_estimator(piped).relevance, [0.5, 2.0])
    found = RelevanceDisplay.from_estimator(search).relevance
    np.testing.assert_array_equal(found, search.best_estimator_.kernel.gamma)


def test_only_the_largest_relevances_are_shown_if_there_are_many():
    display = RelevanceDisplay(np.arange(30.0)).plot(max_features=4)
    assert bar_names(display) == [f"feature {i}" for i in (29, 28, 27, 26)]
    assert "and 26 more, at most 25" in [text.get_text() for text in display.ax_.texts]


def test_machines_without_relevances_are_refused(board):
    with pytest.raises(ValueError, match=r"SVC has no relevances: fit AutoSVC\(\)"):
        RelevanceDisplay.from_estimator(wm.SVC().fit(board.X, board.y))
    with pytest.raises(ValueError, match="feature_names has 1 names for 2 features"):
        RelevanceDisplay([1.0, 2.0], feature_names=["a"])


# --- curves of points left out ----------------------------------------------------------------------


def test_the_area_below_a_roc_curve_is_the_share_of_pairs_in_order():
    y, values = np.array(["no", "yes", "no", "yes", "yes"]), np.array([0.1, 0.2, 0.3, 0.4, 0.5])
    display = RocDisplay(y, values, name="five").plot()
    assert display.area_ == pytest.approx(5 / 6)
    np.testing.assert_allclose(line(display.ax_, "five, area 0.833")[[0, -1]], [[0, 0], [1, 1]])
    assert display.ax_.get_ylabel() == "share of class yes that is found"
    assert "class 1 " in RocDisplay([0.0, 1.0], [0, 1]).plot().ax_.get_ylabel()


def test_roc_curves_are_those_of_points_left_out(board):
    memory = wm.SVC(C=1e6, gamma=1e4)  # knows every point by heart, and nothing else
    assert memory.fit(board.X, board.y).score(board.X, board.y) == 1
    display = RocDisplay.from_estimator(memory, board.X, board.y)
    assert 0.3 < display.area_ < 0.7
    good = RocDisplay.from_estimator(wm.SVC(C=100, gamma=2), board.X, board.y, ax=display.ax_)
    assert good.area_ > 0.75 and good.ax_ is display.ax_
    assert len({each.get_color() for each in good.ax_.lines}) == 3


@pytest.mark.parametrize(
    ("y", "values", "words"),
    [
        ([0, 1, 2], [0, 1, 2], "one of two classes; y has 3"),
        ([0, 1], [0, 1, 2], "values has shape"),
        ([0, 1], [0, np.nan], "finite"),
    ],
)
def test_bad_roc_curves_are_refused_in_a_sentence(y, values, words):
    with pytest.raises(ValueError, match=words):
        RocDisplay(y, values)


def test_a_learning_curve_falls_on_points_left_out_and_knows_its_training_points(board):
    display = LearningCurveDisplay.from_estimator(wm.SVC(C=1e4, gamma=2), board.X, board.y, steps=4)
    assert display.sizes[-1] == len(board.y) * 4 // 5 and np.all(np.diff(display.sizes) > 0)
    assert display.unseen.shape == display.seen.shape == (4, 5)
    assert display.unseen[-1].mean() < display.unseen[0].mean()
    assert display.seen.max() == 0 < display.unseen.mean()
    np.testing.assert_allclose(line(display.ax_, "points left out")[:, 1], display.unseen.mean(axis=1))
    np.testing.assert_allclose(line(display.ax_, "training points")[:, 1], display.seen.mean(axis=1))


def test_every_part_of_a_learning_curve_has_all_classes():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(100, 2)), np.repeat([0, 1], [93, 7])
    display = LearningCurveDisplay.from_estimator(wm.SVC(), X, y)
    assert np.isfinite(display.unseen).all()
    numbers = LearningCurveDisplay.from_estimator(wm.SVR(), X, X[:, 0], steps=3)
    assert numbers.ax_.get_ylabel() == "1 - R²" and numbers.unseen[-1].mean() < 0.2


def test_learning_curves_without_a_row_for_each_size_are_refused():
    with pytest.raises(ValueError, match="a row of errors for each of the 2 sizes"):
        LearningCurveDisplay([10, 20], [[0.1]], [[0.1]])
