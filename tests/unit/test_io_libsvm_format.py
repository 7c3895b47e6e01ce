"""Data files of LIBSVM: round trips, variants of the format, and sentences for malformed lines."""

import gzip

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from libsvm.svmutil import svm_read_problem
from scipy import sparse
from scipy.sparse import coo_array, csr_array, csr_matrix

from widemargin.io import (
    libsvm_chunks,
    read_libsvm,
    read_libsvm_kernel,
    write_libsvm,
    write_libsvm_kernel,
)

finite = st.floats(allow_nan=False, allow_infinity=False)
untimed = settings(deadline=None, max_examples=50)


def tables(elements=finite):
    return st.tuples(st.integers(1, 6), st.integers(1, 5)).flatmap(
        lambda s: arrays(np.float64, s, elements=elements)
    )


@pytest.fixture
def data_file(tmp_path):
    def write(text, name="data.svm"):
        path = tmp_path / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    return write


class TestRoundTrip:
    @untimed
    @given(X=tables(), zero_based=st.booleans(), packed=st.booleans(), data=st.data())
    def test_what_is_written_reads_back_exactly(self, tmp_path_factory, X, zero_based, packed, data):
        y = data.draw(arrays(np.float64, len(X), elements=finite))
        path = tmp_path_factory.mktemp("round") / ("data.svm.gz" if packed else "data.svm")
        write_libsvm(path, X, y, zero_based=zero_based)
        X_read, y_read = read_libsvm(path, n_features=X.shape[1], zero_based=zero_based)
        np.testing.assert_array_equal(X_read.toarray(), X)
        np.testing.assert_array_equal(y_read, y)

    @untimed
    @given(K=tables(), data=st.data())
    def test_precomputed_kernels_read_back_exactly(self, tmp_path_factory, K, data):
        serial = data.draw(arrays(np.int64, len(K), elements=st.integers(1, 1000)))
        y = np.arange(len(K)) - 1.0
        path = tmp_path_factory.mktemp("kernel") / "kernel.svm"
        write_libsvm_kernel(path, K, y, serial)
        for read, expected in zip(read_libsvm_kernel(path), (K, y, serial), strict=True):
            np.testing.assert_array_equal(read, expected)

    @pytest.mark.parametrize("container", [csr_matrix, csr_array, coo_array])
    def test_sparse_and_dense_give_the_same_file(self, tmp_path, container):
        X = np.array([[0.0, 1.5, 0.0], [2.0, 0.0, -3.0], [0.0, 0.0, 0.0]])
        write_libsvm(tmp_path / "dense", X, [1, 2, 3])
        write_libsvm(tmp_path / "sparse", container(X), [1, 2, 3])
        assert (
            (tmp_path / "dense").read_text()
            == (tmp_path / "sparse").read_text()
            == "1 2:1.5\n2 1:2 3:-3\n3\n"
        )

    def test_libsvm_reads_the_same_numbers(self, tmp_path):
        X = np.random.default_rng(0).normal(size=(20, 4)) * (np.arange(4) > 0)
        y = np.arange(20) % 3
        write_libsvm(tmp_path / "data", X, y)
        y_theirs, X_theirs = svm_read_problem(str(tmp_path / "data"), return_scipy=True)
        np.testing.assert_array_equal(X_theirs.toarray(), X)
        np.testing.assert_array_equal(y_theirs, y)

    def test_writing_leaves_the_matrix_alone(self, tmp_path):
        X = csr_matrix((np.array([1.0, 0.0]), np.array([1, 0]), np.array([0, 2])), shape=(1, 2))
        write_libsvm(tmp_path / "data", X, [1])
        assert X.nnz == 2 and X.indices.tolist() == [1, 0]


class TestReading:
    def test_comments_blank_lines_and_line_ends_are_passed_over(self, data_file):
        X, y = read_libsvm(data_file("# heading\n+1 1:1 3:0.5 # note 9:9\r\n\n-1\t2:1e-3\n"))
        np.testing.assert_array_equal(X.toarray(), [[1, 0, 0.5], [0, 1e-3, 0]])
        np.testing.assert_array_equal(y, [1, -1])
        assert X.format == "csr" and X.dtype == np.float64

    @pytest.mark.parametrize("dtype", [np.float32, np.float64, np.uint8])
    def test_values_come_in_the_type_asked_for(self, data_file, dtype):
        X, y = read_libsvm(data_file("1 1:3\n2 2:200\n"), dtype=dtype)
        assert X.dtype == dtype and y.dtype == np.float64
        np.testing.assert_array_equal(X.toarray(), [[3, 0], [0, 200]])

    def test_the_number_of_features_may_exceed_the_largest_index(self, data_file):
        assert read_libsvm(data_file("1 1:3\n"), n_features=7)[0].shape == (1, 7)

    def test_query_ids_are_ignored_with_a_sentence(self, data_file):
        with pytest.warns(UserWarning, match=r"data.svm: query ids \(qid:\) are ignored"):
            X, _ = read_libsvm(data_file("1 qid:3 1:2\n"))
        assert X.toarray().tolist() == [[2.0]]

    @pytest.mark.parametrize(
        ("line", "what"),
        [
            ("1 2:1 2:3", "index 2 follows 2; indices must ascend"),
            ("1 5:1 2:3", "index 2 follows 5; indices must ascend"),
            ("1 1:x", "value of index 1: 'x' is not a number"),
            ("1 1:", "index '1' has no value"),
            ("1 a:2", "index 'a' is not an integer"),
            ("1 1.5:2", "index '1.5' is not an integer"),
            ("1 0:2", "index 0 is below 1"),
            ("1 -4:2", "index -4 is below 1"),
            ("1 1:2 3", "'3' is not of the form index:value"),
            ("1:2 2:3", "the line starts with '1:2'; its label is missing"),
            ("cat 2:3", "label 'cat' is not a number"),
            ("1,2 2:3", "label '1,2' is not a number"),
            ("1 99999999999:1", "index 99999999999 is above 2147483647"),
            ("1 qid:1 1:x", "value of index 1: 'x' is not a number"),
            ("1 " + "z" * 100, "'" + "z" * 37 + "...' is not of the form index:value"),
        ],
    )
    @pytest.mark.parametrize("name", ["bad.svm", "bad.svm.gz"])
    def test_a_malformed_line_is_named_with_its_file_and_number(self, data_file, line, what, name):
        text = f"1 1:1\n# comment\n{line}\n-1 1:2\n".encode()
        path = data_file(gzip.compress(text) if name.endswith("gz") else text, name)
        with pytest.raises(ValueError) as caught:
            read_libsvm(path)
        assert str(caught.value) == f"{path}, line 3: {what}."

    @pytest.mark.parametrize(
        ("line", "what"), [("1 1:2 3:nan", "the value of index 3, nan,"), ("inf 1:2", "the label, inf,")]
    )
    def test_what_is_not_finite_is_named(self, data_file, line, what):
        with pytest.raises(
            ValueError, match=f"line 2: {what} is not a finite number; drop the row or fill the gap"
        ):
            read_libsvm(data_file(f"1 1:1\n{line}\n"))

    def test_an_index_beyond_the_number_of_features_is_named(self, data_file):
        with pytest.raises(ValueError, match="line 2: index 4 is too large for 3 features"):
            read_libsvm(data_file("1 3:1\n1 4:1\n"), n_features=3)

    @pytest.mark.parametrize("text", ["", "\n\n", "# only a comment\n"])
    def test_an_empty_file_is_refused(self, data_file, text):
        with pytest.raises(ValueError, match=r"data.svm holds no rows"):
            read_libsvm(data_file(text))

    def test_a_truncated_gzip_file_is_refused(self, data_file):
        whole = gzip.compress(b"1 1:2\n" * 1000)
        with pytest.raises(ValueError, match=r"data.svm.gz is not a whole gzip file"):
            read_libsvm(data_file(whole[: len(whole) // 2], "data.svm.gz"))

    def test_bytes_that_are_no_text_are_refused(self, data_file):
        with pytest.raises(ValueError, match="line 1"):
            read_libsvm(data_file(bytes(range(256))))

    def test_a_missing_file_is_named(self, tmp_path):
        with pytest.raises(FileNotFoundError, match=r"absent.svm"):
            read_libsvm(tmp_path / "absent.svm")

    @untimed
    @given(text=st.text(alphabet="01 :.#-eqid\n", max_size=60))
    def test_any_text_is_read_or_refused_with_its_name(self, tmp_path_factory, text):
        path = tmp_path_factory.mktemp("fuzz") / "fuzz.svm"
        path.write_text(text)
        try:
            X, y = read_libsvm(path)
        except ValueError as error:
            assert str(error).startswith(str(path))
            assert "line" in str(error) or "no rows" in str(error)
        else:
            assert X.shape[0] == len(y) > 0


class TestKernelFiles:
    @pytest.mark.parametrize("line", ["1 1:2 2:3", "1 0:0 1:2", "1 0:1.5 1:2", "1 0:-1 1:2"])
    def test_a_line_without_a_serial_number_is_named(self, data_file, line):
        with pytest.raises(ValueError, match="line 3: a precomputed kernel needs 0:serial"):
            read_libsvm_kernel(data_file(f"# K\n1 0:1 1:1\n{line}\n"))

    def test_all_entries_are_written_as_libsvm_expects(self, tmp_path):
        write_libsvm_kernel(tmp_path / "K", [[0.0, 1.0], [1.0, 0.0]], [1, -1])
        assert (tmp_path / "K").read_text() == "1 0:1 1:0 2:1\n-1 0:2 1:1 2:0\n"


class TestWriting:
    @pytest.mark.parametrize(
        ("y", "message"), [(["a", "b"], "y must hold numbers"), ([1.0], "one label for each of the 2 rows")]
    )
    def test_bad_labels_are_refused_and_the_old_file_stays(self, tmp_path, y, message):
        path = tmp_path / "data"
        path.write_text("old")
        with pytest.raises(ValueError, match=message):
            write_libsvm(path, np.eye(2), y)
        assert path.read_text() == "old" and len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("name", ["data.svm", "data.svm.gz"])
@pytest.mark.parametrize("rows", [1, 3, 100])
def test_chunks_are_the_rows_of_the_file(name, rows, tmp_path):
    X = np.random.default_rng(0).integers(0, 3, size=(7, 4)).astype(float)
    X[:, 3] = np.arange(7) == 6  # only the last row is as wide as all
    write_libsvm(tmp_path / name, X, np.arange(7))
    chunks = libsvm_chunks(tmp_path / name, rows=rows)
    for _ in range(2):  # as often as asked
        parts = list(chunks())
        assert len(parts) == -(-7 // rows)
        np.testing.assert_array_equal(sparse.vstack([part for part, _ in parts]).toarray(), X)
        np.testing.assert_array_equal(np.concatenate([y for _, y in parts]), np.arange(7))


def test_chunks_name_the_line_that_is_wrong(tmp_path):
    path = tmp_path / "data.svm"
    path.write_text("1 1:1\n# a comment\n\n1 1:1\n1 1:nan\n")
    with pytest.raises(ValueError, match="line 5: the value of index 1, nan"):
        libsvm_chunks(path, rows=2)
    with pytest.raises(ValueError, match="line 5"):
        list(libsvm_chunks(path, n_features=1, rows=2)())
    path.write_text("# nothing\n")
    with pytest.raises(ValueError, match="holds no rows"):
        libsvm_chunks(path)
    with pytest.raises(ValueError, match="rows must be"):
        libsvm_chunks(path, rows=0)
    (tmp_path / "cut.svm.gz").write_bytes(b"\x1f\x8b\x08")
    with pytest.raises(ValueError, match="whole gzip file"):
        libsvm_chunks(tmp_path / "cut.svm.gz")
