"""What the thesis on least squares claims, on small problems; whole tables are in test_whole_tables.py."""

import io

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits

import widemargin as wm
from widemargin.datasets import Sample, yeast
from widemargin.papers import experiments, leave_one_out, leave_one_out_bounds, low_rank, rls_vs_svm, text
from widemargin.papers.experiment import Scope
from widemargin.papers.normals_in_the_plane import LAMS, SCENES, TRAINING, compare, draw
from widemargin.papers.sets import Sets
from widemargin.papers.table import Table

SCENE = {scene.figure: scene for scene in SCENES}


def mean_of_samples(figure, lam, samples=8):
    names = ("svm", "rls", "svm_far", "rls_far", "angle", "svm_margin", "rls_margin")
    means = np.mean([compare(SCENE[figure], lam, seed) for seed in range(samples)], axis=0)
    return dict(zip(names, means, strict=True))


# --- normal classes in the plane ----------------------------------------------------------------------


@pytest.mark.parametrize("figure", ["3-2", "3-4"])
@pytest.mark.parametrize("lam", LAMS)
def test_both_losses_make_the_same_errors_on_round_normal_classes(figure, lam):
    means = mean_of_samples(figure, lam)
    assert means["rls"] == pytest.approx(means["svm"], abs=0.5)
    assert means["svm_far"] == means["svm"]  # no outliers


def test_the_margin_of_the_svm_depends_on_lam_and_that_of_least_squares_hardly():
    first, last = (mean_of_samples("3-4", lam) for lam in (LAMS[0], LAMS[-1]))
    assert first["svm_margin"] / last["svm_margin"] > 1.5
    assert first["rls_margin"] / last["rls_margin"] < 1.2


@pytest.mark.parametrize("figure", ["3-6", "3-7"])
def test_opposite_outliers_do_not_turn_least_squares(figure):
    for lam in LAMS:
        assert mean_of_samples(figure, lam)["rls"] == pytest.approx(mean_of_samples("3-5", lam)["rls"], abs=1)


@pytest.mark.parametrize("figure", ["3-8", "3-9"])
def test_twisting_outliers_turn_both(figure):
    clean, twisted = mean_of_samples("3-5", 0.01), mean_of_samples(figure, 0.01)
    assert twisted["rls"] > clean["rls"] + 0.5 and twisted["svm"] > clean["svm"] + 0.5


def test_outliers_lie_where_the_other_class_should_be():
    sample = SCENE["3-7"].draw(np.random.default_rng(0), *TRAINING)
    points, outliers = TRAINING
    assert len(sample.y) == 2 * (points + outliers)
    far = slice(2 * points, None)
    assert (sample.y[far] == np.repeat([-1, 1], outliers)).all()
    assert ((sample.X[far] @ SCENE["3-7"].mean) * sample.y[far] < 0).all()


def test_the_picture_has_a_panel_for_every_figure_and_lam():
    titles = [axes.get_title() for axes in draw().axes]
    assert len(titles) == len(SCENES) * len(LAMS) and "3-8, lam = 0.01" in titles


# --- text -----------------------------------------------------------------------------------------


def test_a_split_takes_so_many_documents_of_each_class_and_nested_ones_of_a_seed():
    y = np.repeat([0, 1, 2], [10, 30, 31])
    few, test = text.split(y, 0.5, 4, np.random.default_rng(0))
    many, same = text.split(y, 0.5, 12, np.random.default_rng(0))
    assert np.bincount(y[few]).tolist() == [4, 4, 4] and np.bincount(y[many]).tolist() == [5, 12, 12]
    assert set(few) <= set(many) and np.array_equal(test, same)
    assert np.bincount(y[test]).tolist() == [5, 15, 16] and not set(many) & set(test)


@pytest.mark.parametrize("scheme", text.SCHEMES)
def test_least_squares_classifies_documents_as_well_as_the_svm(scheme):
    documents = text.generated_documents(8, 60, seed=0)
    runs = [text.run(documents, text.GENERATED, text.SCHEMES[scheme], 20, seed) for seed in range(3)]
    n, svm, rls, *_ = np.mean(runs, axis=0)
    assert n == 160
    assert 0.005 < svm < 0.5 and rls == pytest.approx(svm, abs=0.03)


def test_the_text_table_puts_printed_numbers_beside_a_corpus_in_the_data_folder(tmp_path, monkeypatch):
    documents = text.generated_documents(3, 12, words=50, seed=0)
    half = {"train": slice(None, None, 2), "test": slice(1, None, 2)}
    arrays = {f"y_{part}": documents.y[rows] for part, rows in half.items()}
    for part, rows in half.items():
        X = sparse.csr_matrix(documents.X[rows])
        arrays |= {f"{part}_{key}": getattr(X, key) for key in ("data", "indices", "indptr", "shape")}
    np.savez(tmp_path / "sector.npz", **arrays)
    out = io.StringIO()
    table = experiments["text"].run(data_dir=tmp_path, out=out)
    assert table["set"] == ["sector105"] * 8 and table["scheme"] == ["OVA"] * 4 + ["BCH 63"] * 4
    assert table["printed SVM"] == [0.072, 0.176, 0.341, 0.650, 0.067, 0.176, 0.343, 0.653]
    assert table["printed RLS s"] == [3.5, None, None, None, 4.5, None, None, None]
    assert table["n"] == [18, 18, 18, 9] * 2
    assert "20newsgroups.npz" in out.getvalue()


# --- few centres ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def study():
    X, y = load_digits(return_X_y=True)
    signs = np.where(y == 4, 1.0, -1.0)
    train, test = Sample(X[:500] / 16, signs[:500]), Sample(X[500:1100] / 16, signs[500:1100])
    return low_rank.Study(train, test, C=10.0, gamma=0.15, lam=1e-4)


def test_with_all_points_as_centres_the_three_methods_are_the_full_machine(study):
    machine = study.full()["RLS"].fit(study.train.X, study.train.y)
    values = machine.decision_function(study.test.X)
    for method in low_rank.METHODS:
        np.testing.assert_allclose(study.outputs(method, np.arange(500)), values, atol=1e-5)


def test_rectangle_is_better_than_subset_and_than_nystrom_with_few_centres(study):
    gram = wm.Gaussian(study.gamma).bind(study.train.X)
    every = np.arange(500, dtype=np.int32)
    runs = [wm.RandomCentres(40, seed).choose(gram, every) for seed in range(5)]
    auc = {
        method: np.mean([study.quality(study.outputs(method, rows))[0] for rows in runs])
        for method in low_rank.METHODS
    }
    assert auc["rectangle"] > max(auc["subset"], auc["nystrom"])


def test_the_picture_has_roc_curves_and_both_crossplots(study):
    panels = low_rank.draw(study).axes
    assert [axes.get_title() for axes in panels] == ["ROC", "training", "test"]
    assert [line.get_label() for line in panels[0].lines] == ["SVM", "RLS"]
    assert len(panels[2].collections[0].get_offsets()) == len(study.test.y)


def test_notes_on_few_centres_count_what_the_rows_say():
    table = Table(experiments["low-rank"].columns)
    table.add(500, "all", "SVM", 1.0, 0.99, None, 0.01, None, 1.0)
    table.add(500, "all", "RLS", 1.0, 0.98, None, 0.02, None, 1.0)
    for choice, trace, bagged in (("random", 0.8, 0.97), ("ic", 0.7, None)):
        for method, auc in zip(low_rank.METHODS, (0.95, 0.96, 0.90), strict=True):
            table.add(128, choice, method, trace, auc, bagged, 0.02, 0.01, 1.0)
    assert low_rank.full_machines(table) == "SVM 0.9900, RLS 0.9800"
    assert low_rank.ranking(table) == "the first for 1, the second for 1 of 1 numbers of centres"
    assert low_rank.pivots(table).startswith("less for 1 of 1 numbers of centres, a higher AUC in 0 of 3")
    assert "nystrom +0.0700 with 128" in low_rank.bagging(table)


# --- leave-one-out --------------------------------------------------------------------------------


def test_the_leave_one_out_table_reads_the_data_folder_and_leaves_out_every_point(tmp_path):
    random = np.random.default_rng(0)
    X, y = random.normal(size=(40, 3)), np.repeat(["a", "b"], 20)
    X[y == "b"] += 2
    np.savez(tmp_path / "yeast.npz", X=X, y=y)
    np.savez(tmp_path / "satimage.npz", X_train=100 * X, y_train=y, X_test=100 * X[::2], y_test=y[::2])
    table = experiments["leave-one-out"].run(data_dir=tmp_path, out=io.StringIO())
    by_row = {(r["set"], r["machine"], r["sigma"], r["price"]): r for r in table.records()}
    assert len(by_row) == len(leave_one_out.ROWS)
    left_out = by_row["yeast", "RLS", 0.25, 1.0]["left out %"]
    wrong = 0
    for i in range(40):
        others = np.delete(np.arange(40), i)
        machine = wm.RLSClassifier(gamma=8.0, lam=1 / 39).fit(X[others], y[others])
        wrong += machine.predict(X[[i]])[0] != y[i]
    assert left_out == pytest.approx(100 * wrong / 40)
    assert by_row["satimage", "SVM", 0.25, 2.0]["left out %"] is None
    assert by_row["satimage", "RLS", 0.25, 1.0]["test %"] is not None


def test_least_squares_leaves_out_of_yeast_as_many_errors_as_are_known():
    try:
        proteins = yeast()
    except FileNotFoundError as missing:
        pytest.skip(str(missing))
    for row in leave_one_out.ROWS:
        if row.name == "yeast" and row.machine == "RLS":
            assert leave_one_out.least_squares(row, proteins, None)[0] == pytest.approx(row.left_out, abs=0.1)


@pytest.mark.parametrize("name", ["breast-cancer-wisconsin", "two-moons", "titanic"])
def test_no_bound_is_below_the_leave_one_out_errors(name):
    sample = Sets().load(name, 120)
    table = Table(experiments["leave-one-out-bounds"].columns)
    y = np.where(sample.y == sample.y.max(), 1, -1)
    table.add(name, len(y), *leave_one_out_bounds.count(sample.X, y))
    assert leave_one_out_bounds.holding(table) == 1
    low = dict(table.records()[0], Rifkin=-1)
    table.rows[0] = tuple(low.values())
    assert leave_one_out_bounds.holding(table) == 0


# --- both machines on many sets -------------------------------------------------------------------


def test_ten_sets_need_no_files_and_a_folder_adds_what_it_has(tmp_path):
    assert len(Sets().available()) == 10
    np.savez(tmp_path / "glass.npz", X=np.arange(12.0).reshape(6, 2), y=np.repeat(["a", "b"], 3))
    here = Sets(tmp_path)
    assert set(here.available()) - set(Sets().available()) == {"glass"}
    glass = here.load("glass")
    np.testing.assert_allclose(glass.X.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(glass.X.std(axis=0), 1)
    assert sorted(glass.y) == ["a"] * 3 + ["b"] * 3


@pytest.fixture
def small_grid(monkeypatch):
    monkeypatch.setattr(rls_vs_svm, "CS", np.array([1.0, 16.0]))
    monkeypatch.setattr(rls_vs_svm, "GAMMAS", np.array([0.25, 1.0]))


@pytest.mark.usefixtures("small_grid")
@pytest.mark.parametrize("name", ["iris", "twonorm", "two-moons"])
def test_tuned_least_squares_is_about_as_good_as_a_tuned_svm(name):
    row = rls_vs_svm.compare(name, Sets().load(name, 1000), most=100, repeats=2)
    record = dict(zip([c.name for c in experiments["rls-vs-svm"].columns], row, strict=True))
    assert record["difference"] == pytest.approx(record["RLS %"] - record["SVM %"])
    assert record["difference"] < 2 and record["SVM %"] < 15


@pytest.mark.usefixtures("small_grid")
def test_both_machines_are_tuned_without_the_test_points(monkeypatch):
    sample = Sets().load("wine")
    seen = []
    for name in ("tuned_svm", "tuned_rls"):
        tune = getattr(rls_vs_svm, name)
        monkeypatch.setattr(rls_vs_svm, name, lambda X, y, tune=tune: seen.append((X, y)) or tune(X, y))
    n, test, *_ = rls_vs_svm.run(sample, 90, seed=0)
    assert (n, test) == (90, 88)
    (X, y), (X_again, y_again) = seen
    assert len(X) == 90 and np.array_equal(X, X_again) and np.array_equal(y, y_again)


def test_classes_with_too_few_training_points_for_the_folds_are_left_out():
    sample = Sample(np.zeros((100, 1)), np.repeat(["often", "half", "seldom"], [80, 12, 8]))
    assert set(rls_vs_svm.of_frequent_classes(sample, 50).y) == {"often", "half"}
    assert set(rls_vs_svm.of_frequent_classes(sample, 100).y) == {"often", "half", "seldom"}


def test_notes_count_the_sets_within_a_point():
    table = Table(experiments["rls-vs-svm"].columns)
    for difference in (-3.0, 0.5, 1.5):
        table.add("a", 2, 100, 50, 3, 10.0, 10.0 + difference, difference, 0.1, 1.0, 1.0)
    assert "on 2 of 3 sets" in " ".join(experiments["rls-vs-svm"].notes(table, Scope()))
