"""Whole Parquet files."""

import numpy as np
import pytest

from widemargin.io import read_parquet, read_table, table_format

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")


@pytest.fixture
def written(tmp_path):
    def write(name="points.parquet", **columns):
        parquet.write_table(pyarrow.table(columns), tmp_path / name)
        return tmp_path / name

    return write


@pytest.mark.parametrize("label", [-1, 2, "y"])
def test_features_labels_and_names(written, label):
    path = written(a=[1, 2], b=[0.5, 1.5], y=["no", "yes"])
    X, y, names = read_parquet(path, label=label)
    np.testing.assert_array_equal(X, [[1, 0.5], [2, 1.5]])
    assert X.dtype == np.float64 and X.flags.c_contiguous
    assert y.tolist() == ["no", "yes"] and y.dtype.kind == "U" and names == ["a", "b"]


def test_labels_may_be_anywhere_or_nowhere(written):
    path = written(y=[3, 4], a=[1.0, 2.0], b=[5.0, 6.0])
    np.testing.assert_array_equal(read_parquet(path, label=0)[1], [3, 4])
    assert read_parquet(path, label=None)[1] is None
    assert read_parquet(path, label="y", n_features=3)[1] is None


def test_the_format_is_seen_by_name_or_content(written):
    assert table_format(written()) == table_format(written("points")) == "parquet"
    table = read_table(written("anything", a=[1.0], y=[2]))
    assert table.X.tolist() == [[1.0]] and table.y.tolist() == [2] and table.feature_names == ["a"]


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"a": [1.0, None], "y": [1, 2]}, r"row 1: column 'a' holds nan, not a finite number"),
        ({"a": ["x", "z"], "y": [1, 2]}, "column 'a' holds string, not numbers"),
        ({"a": [1, 2], "y": ["no", None]}, "row 1: column 'y' is empty"),
        ({"a": [1, 2], "y": [np.inf, 1.0]}, "row 0: column 'y' holds inf"),
        ({"y": [1, 2]}, "no feature columns"),
        ({"a": np.empty(0), "y": np.empty(0)}, "holds no rows"),
    ],
)
def test_bad_columns_are_named(columns, words, written):
    with pytest.raises(ValueError, match=words):
        read_parquet(written(**columns))


def test_bad_files_are_named(written, tmp_path):
    (tmp_path / "text.parquet").write_text("1,2\n")
    with pytest.raises(ValueError, match=r"text.parquet is not a Parquet file"):
        read_parquet(tmp_path / "text.parquet")
    with pytest.raises(FileNotFoundError):
        read_parquet(tmp_path / "nowhere.parquet")
    with pytest.raises(ValueError, match="has no column 'z'"):
        read_parquet(written(a=[1], y=[2]), label="z")
