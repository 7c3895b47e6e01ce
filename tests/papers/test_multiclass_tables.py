"""What the thesis claims of several classes; whole tables are in test_whole_tables.py."""

import io

import numpy as np
import pytest
from sklearn.datasets import load_digits

from widemargin.datasets import satimage
from widemargin.papers import experiments, multiclass
from widemargin.papers.experiment import Scope
from widemargin.papers.multiclass_sets import CODES, STUDIES, load


@pytest.fixture
def small_sets(tmp_path):
    """Digits in the place of satimage, which has a test set, and of yeast, which has none."""
    X, y = load_digits(n_class=4, return_X_y=True)
    X = X / 100  # so that sigma .25 and .125 suit them
    np.savez(
        tmp_path / "satimage.npz",
        X_train=100 * X[:100],
        y_train=y[:100],
        X_test=100 * X[100:160],
        y_test=y[100:160],
    )
    np.savez(tmp_path / "yeast.npz", X=X[:60], y=y[:60].astype(str))
    return tmp_path


def test_the_table_has_every_machine_with_every_code_and_the_printed_numbers(small_sets):
    table = experiments["multiclass"].run(data_dir=small_sets, full=True, out=io.StringIO())
    by_row = {(r["set"], r["machine"], r["code"]): r for r in table.records()}
    for name in ("satimage", "yeast"):
        assert {code for set_, machine, code in by_row if set_ == name and machine == "SVM"} == set(CODES)
        assert {code for set_, machine, code in by_row if set_ == name and machine == "RLS"} == set(CODES)
        for code in CODES:
            assert by_row[name, "SVM", code]["printed %"] == STUDIES[name].printed[code]
    assert by_row["satimage", "CrammerSinger", ""]["printed %"] == 8.1
    assert by_row["yeast", "SVM", "COMP"]["columns"] == 7
    assert by_row["yeast", "RLS", "COMP"]["error %"] == by_row["yeast", "RLS", "OVA"]["error %"]
    assert by_row["satimage", "SVM", "OVA"]["p"] is None and by_row["satimage", "SVM", "AVA"]["p"] <= 1
    assert any("Not found: glass, letter, shuttle." in note for note in table.notes)


def test_a_quick_table_leaves_the_slow_machines_out(small_sets):
    table = experiments["multiclass"].run(data_dir=small_sets, out=io.StringIO())
    rows = {(r["set"], r["machine"], r["code"]) for r in table.records()}
    assert not {("yeast", *slow) for slow in STUDIES["yeast"].slow} & rows
    assert ("yeast", "RLS", "COMP") in rows


def test_points_without_a_test_set_are_left_out_one_by_one(small_sets):
    train, test = load("yeast", small_sets)
    assert test is None
    found = multiclass.support_vectors("AVA", 2.0, 8, train, None)
    others = np.arange(len(train.y)) != 7
    machine = multiclass.SVC(C=8, gamma=1 / 8, decoding="loss").fit(train.X[others], train.y[others])
    assert found.predictions[7] == machine.predict(train.X[[7]])[0]
    assert found.values.shape == (60, 6) == (60, found.code.shape[1])


def test_the_overlap_table_has_a_row_for_each_pair_of_codes(small_sets):
    table = experiments["multiclass-overlap"].run(data_dir=small_sets, full=True, out=io.StringIO())
    assert len(table.rows) == 20
    assert table["printed"][:4] == [0.987, 0.995, 0.995, 0.980]
    assert all(0.5 < same <= 1 for same in table["same"])
    for record in table.records():
        assert (record["70 % err"] is not None) == (record["first"] == "OVA")


def test_one_vs_all_and_all_pairs_make_the_printed_errors_on_satimage():
    try:
        train, test = satimage()
    except FileNotFoundError as missing:
        pytest.skip(str(missing))
    study = STUDIES["satimage"]
    for code in ("OVA", "AVA"):
        found = multiclass.support_vectors(code, *study.svm[code], train, test)
        assert found.error == pytest.approx(study.printed[code], abs=1e-9)
    assert multiclass.codes_of(study, Scope()) == list(CODES)
