"""Tables read some rows at a time."""

import gzip

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
