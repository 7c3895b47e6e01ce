"""CSV and TSV tables, and the choice of a reader by suffix or content."""

import csv
import gzip

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from widemargin.io import read_csv, read_table, write_libsvm


@pytest.fixture
def table_file(tmp_path):
    def write(text, name="table.csv"):
        path = tmp_path / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    return write


IRIS = "length,width,kind\n5.1,3.5,setosa\n7.0,3.2,virginica\n"


class TestReading:
    def test_the_last_column_holds_the_labels_unless_told_otherwise(self, table_file):
        X, y, names = read_csv(table_file(IRIS))
        np.testing.assert_array_equal(X, [[5.1, 3.5], [7.0, 3.2]])
        assert y.tolist() == ["setosa", "virginica"] and names == ["length", "width"]

    @pytest.mark.parametrize("label", [0, -3, "width"])
    def test_labels_by_position_or_name(self, table_file, label):
        X, y, names = read_csv(table_file("width,a,b\n1,2,3\n4,5,6\n"), label=label)
        np.testing.assert_array_equal(X, [[2, 3], [5, 6]])
        np.testing.assert_array_equal(y, [1.0, 4.0])
        assert y.dtype == np.float64 and names == ["a", "b"]

    def test_a_table_without_labels(self, table_file):
        X, y, names = read_csv(table_file("1,2\n3,4\n"), label=None)
        assert X.tolist() == [[1, 2], [3, 4]] and y is None and names is None

    def test_text_labels_alone_do_not_make_a_header(self, table_file):
        X, y, names = read_csv(table_file("1,2,cat\n3,4,dog\n"))
        assert X.shape == (2, 2) and y.tolist() == ["cat", "dog"] and names is None

    def test_a_header_of_numbers_can_be_declared(self, table_file):
        X, _, names = read_csv(table_file("1,2,3\n4,5,6\n"), header=True)
        assert X.tolist() == [[4, 5]] and names == ["1", "2"]

    @pytest.mark.parametrize(
        ("delimiter", "name"), [(",", "t.csv"), (";", "t.csv"), ("\t", "t.tsv"), ("\t", "t.txt")]
    )
    def test_the_delimiter_is_found(self, table_file, delimiter, name):
        text = IRIS.replace(",", delimiter)
        assert read_csv(table_file(text, name))[2] == ["length", "width"]
        assert read_csv(table_file(gzip.compress(text.encode()), name + ".gz"))[2] == ["length", "width"]

    def test_quotes_blank_lines_byte_order_marks_and_line_ends(self, table_file):
        X, y, names = read_csv(table_file('\ufeff"a, b",c,d\r\n\r\n"1", 2 ,"x ""y"""\r\n'))
        assert X.tolist() == [[1, 2]] and y.tolist() == ['x "y"'] and names == ["a, b", "c"]

    def test_mixed_labels_are_texts(self, table_file):
        assert read_csv(table_file("1,2\n2,b\n"))[1].tolist() == ["2", "b"]

    def test_features_come_in_the_type_asked_for(self, table_file):
        assert read_csv(table_file("1,2\n2,3\n"), dtype=np.float32)[0].dtype == np.float32

    def test_a_table_as_wide_as_the_features_expected_has_no_labels(self, table_file):
        path = table_file("1,2\n3,4\n")
        assert read_csv(path, n_features=2)[1] is None
        assert read_csv(path, n_features=1)[1].tolist() == [2, 4]
        with pytest.raises(ValueError, match=r"table.csv has 1 feature columns; 5 are expected"):
            read_csv(path, n_features=5)

    @settings(deadline=None, max_examples=50)
    @given(
        X=arrays(np.float64, (4, 3), elements=st.floats(allow_nan=False, allow_infinity=False)),
        labels=st.lists(
            st.text(st.characters(codec="utf-8", categories=("L",)), min_size=1), min_size=4, max_size=4
        ),
        delimiter=st.sampled_from(",;\t"),
    )
    def test_any_numbers_and_words_read_back(self, tmp_path_factory, X, labels, delimiter):
        path = tmp_path_factory.mktemp("csv") / "table.csv"
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, delimiter=delimiter)
            writer.writerow(["a", "b", "c", "label"])
            writer.writerows([*map(repr, row), label] for row, label in zip(X.tolist(), labels, strict=True))
        X_read, y_read, _ = read_csv(path)
        np.testing.assert_array_equal(X_read, X)
        if y_read.dtype.kind == "U":
            assert y_read.tolist() == labels
        else:
            np.testing.assert_array_equal(y_read, np.array(labels, dtype=float))


class TestMalformed:
    @pytest.mark.parametrize(
        ("text", "what"),
        [
            ("a,b,y\n1,2,0\n1,x,0\n", "line 3: column 2 (b): 'x' is not a number"),
            ("1,2,0\n1,,0\n", "line 2: column 2: the cell is empty, a number is needed"),
            (
                "a,b,y\n1,nan,0\n",
                "line 2: column 2 (b): 'nan' is not a finite number; drop the row or fill the gap",
            ),
            (
                "1,2,0\n-inf,2,0\n",
                "line 2: column 1: '-inf' is not a finite number; drop the row or fill the gap",
            ),
            (
                "1,2,0\n\n1,2,NaN\n",
                "line 3: column 3: the label NaN is not a finite number; drop the row or fill the gap",
            ),
            ("1,2,0\n\n1,2\n", "line 3: 2 cells where the first line has 3"),
            ("1,2,0\n1,2,\n", "line 2: column 3 is empty, a label is needed"),
        ],
    )
    def test_a_malformed_cell_is_named_with_file_line_and_column(self, table_file, text, what):
        path = table_file(text)
        with pytest.raises(ValueError) as caught:
            read_csv(path)
        assert str(caught.value) == f"{path}, {what}."

    @pytest.mark.parametrize(
        ("text", "options", "message"),
        [
            ("", {}, "table.csv holds no rows"),
            ("a,b\n", {}, "holds a header but no rows"),
            ("1\n2\n", {}, "no feature columns"),
            ("1,2\n", {"label": 2}, "label=2 is outside the 2 columns"),
            ("a,b\n1,2\n", {"label": "c"}, "has no column 'c'; its columns are a, b"),
            ("a,b\n1,2\n", {"label": "b", "header": False}, "label='b' is a name, which needs header=True"),
            (b"\xff\xfe1,2\n", {}, "not a text file in UTF-8"),
        ],
    )
    def test_a_table_that_makes_no_sense_is_refused(self, table_file, text, options, message):
        with pytest.raises(ValueError, match=message):
            read_csv(table_file(text), **options)


class TestReadTable:
    @pytest.mark.parametrize("name", ["d.svm", "d.libsvm", "d.txt", "d", "d.svm.gz", "d.txt.gz"])
    def test_libsvm_files_are_known_by_suffix_or_content(self, tmp_path, name):
        write_libsvm(tmp_path / name, [[0.0, 0.0], [0.5, 1.0]], [1, -1])
        table = read_table(tmp_path / name, n_features=3)
        assert table.X.format == "csr" and table.X.shape == (2, 3)
        assert table.y.tolist() == [1, -1] and table.feature_names is None

    @pytest.mark.parametrize("name", ["t.csv", "t.txt", "t"])
    def test_csv_files_are_known_by_suffix_or_content(self, table_file, name):
        table = read_table(table_file(IRIS, name))
        assert table.X.shape == (2, 2) and table.feature_names == ["length", "width"]

    def test_times_of_day_in_a_csv_file_are_no_pairs(self, table_file):
        assert read_table(table_file("1,12:30 a\n2,13:30 b\n", "t.txt")).y.tolist() == ["12:30 a", "13:30 b"]

    def test_the_format_can_be_told(self, tmp_path):
        write_libsvm(tmp_path / "d.csv", np.eye(2), [1, 2])
        assert read_table(tmp_path / "d.csv", format="libsvm").X.shape == (2, 2)
