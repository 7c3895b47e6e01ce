"""Tables read some rows at a time."""

import gc
import gzip
import warnings

import numpy as np
import pytest

import widemargin as wm
from widemargin.io import csv_chunks, read_csv


@pytest.fixture
def table(tmp_path):
    random = np.random.default_rng(0)
    X = random.normal(size=(100, 2))
    kinds = np.where(X[:, 0] > 0, "right", "left")
    lines = ["x;y;kind", *(f"{x};{y};{kind}" for (x, y), kind in zip(X.tolist(), kinds, strict=True))]
    path = tmp_path / "points.csv.gz"
    path.write_bytes(gzip.compress("\n".join(lines).encode()))
    return path


def test_chunks_together_are_the_whole_table(table):
    X, y, _ = read_csv(table)
    chunks = csv_chunks(table, rows=30)
    for _ in range(2):
        parts = list(chunks())
        assert [len(part) for _, part in parts] == [30, 30, 30, 10]
        np.testing.assert_array_equal(np.concatenate([points for points, _ in parts]), X)
        np.testing.assert_array_equal(np.concatenate([labels for _, labels in parts]), y)


def test_a_stream_comes_from_a_table(table):
    machine = wm.LASVM().fit_stream(csv_chunks(table, rows=30))
    assert machine.n_seen_ == 100
    assert machine.predict([[2.0, 0.0], [-2.0, 0.0]]).tolist() == ["right", "left"]


@pytest.mark.parametrize(
    "content, sentence",
    [
        ("", "holds no rows"),
        ("1,2,a\n1,x,b\n", "line 2: column 2: 'x' is not a number"),
        ("1,2,a\n1\n", "1 cells"),
    ],
)
def test_a_bad_table_is_refused_by_its_line(tmp_path, content, sentence):
    path = tmp_path / "bad.csv"
    path.write_text(content)
    with pytest.raises(ValueError, match=sentence):
        list(csv_chunks(path)())


def test_chunks_have_rows(table):
    with pytest.raises(ValueError, match="rows must be a positive integer"):
        csv_chunks(table, rows=0)


def numbers_and_text(folder, first, second):
    path = folder / "kinds.csv"
    path.write_text("".join(f"{row},0,{kind}\n" for row, kind in enumerate([*first, *second])))
    return path


def test_labels_that_turn_into_text_are_refused_with_the_way_out(tmp_path):
    path = numbers_and_text(tmp_path, "0101", "01x1")
    with pytest.raises(ValueError, match=r"line 7: the label 'x' is text.*give labels='text'"):
        list(csv_chunks(path, rows=4)())
    labels = [y.tolist() for _, y in csv_chunks(path, rows=4, labels="text")()]
    assert labels == [["0", "1", "0", "1"], ["0", "1", "x", "1"]]


def test_labels_that_began_as_text_stay_text(tmp_path):
    path = numbers_and_text(tmp_path, "0x01", "0101")
    assert [y.tolist() for _, y in csv_chunks(path, rows=4)()] == [list("0x01"), list("0101")]


def test_labels_are_text_or_left_to_the_file(table):
    with pytest.raises(ValueError, match="labels must be 'auto' or 'text', not 'float'"):
        csv_chunks(table, labels="float")


@pytest.mark.parametrize("suffix", ["csv", "csv.gz"])
@pytest.mark.parametrize("end", ["exhausted", "closed", "refused", "malformed"])
def test_no_file_is_left_open(tmp_path, suffix, end):
    lines = "".join(f"{row},1,{row % 2}\n" for row in range(100)) + ("1\n" if end == "malformed" else "")
    path = tmp_path / f"table.{suffix}"
    path.write_bytes(gzip.compress(lines.encode()) if suffix == "csv.gz" else lines.encode())
    chunks = csv_chunks(path, rows=10)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", ResourceWarning)
        if end == "closed":
            stream = chunks()
            next(stream)
            stream.close()
        elif end == "refused":
            with pytest.raises(ValueError, match="batch 0") as error:
                wm.LASVM().fit_stream(chunks, classes=[0, 0])
            assert error.traceback
        elif end == "malformed":
            with pytest.raises(ValueError, match="1 cells"):
                list(chunks())
        else:
            list(chunks())
        gc.collect()
    assert not [each for each in said if each.category is ResourceWarning]


def test_a_stream_that_is_refused_is_closed():
    closed = []

    def stream():
        try:
            yield np.zeros((2, 1)), [0, 0]
        finally:
            closed.append(True)

    source = stream()
    with pytest.raises(ValueError, match="batch 0"):
        wm.LASVM().fit_stream(lambda: source)
    assert closed
