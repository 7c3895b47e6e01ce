"""Pictures show what the machine says: its regions, its margins, its support vectors."""

import matplotlib
import numpy as np
import pytest

matplotlib.use("agg")

import matplotlib.pyplot as plt
from matplotlib.collections import PathCollection
from matplotlib.colors import to_rgb

import widemargin as wm
from widemargin.datasets import noisy_chess_board
from widemargin.display import confusion, convergence, decision_boundary
from widemargin.display.style import colour


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
