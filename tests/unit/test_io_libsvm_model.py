"""Model files of LIBSVM: exchanged with LIBSVM itself in both directions."""

from ctypes import c_double
from dataclasses import replace

import numpy as np
import pytest
from libsvm.svm import gen_svm_nodearray, libsvm
from libsvm.svmutil import svm_load_model, svm_save_model, svm_train
from scipy.sparse import csr_matrix
from sklearn.metrics.pairwise import linear_kernel, polynomial_kernel, rbf_kernel, sigmoid_kernel
from threadpoolctl import threadpool_limits

from widemargin.io import LibsvmModel, read_libsvm_model, write_libsvm_model

TYPES = {"c_svc": 0, "nu_svc": 1, "one_class": 2, "epsilon_svr": 3, "nu_svr": 4}
KERNELS = {"linear": 0, "polynomial": 1, "rbf": 2, "sigmoid": 3, "precomputed": 4}


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    """Threads of other libraries wait for each other by spinning, which is slow on a busy machine."""
    with threadpool_limits(1):
        yield


def kernel_values(model, X, K):
    if model.kernel_type == "precomputed":
        return K[:, model.serial - 1]
    function = {
        "linear": linear_kernel,
        "polynomial": polynomial_kernel,
        "rbf": rbf_kernel,
        "sigmoid": sigmoid_kernel,
    }[model.kernel_type]
    return function(X, model.support_vectors, **model.params)


@pytest.fixture(scope="module")
def points():
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(60, 4)), 3) * (rng.random((60, 4)) < 0.8)
    labels = np.where(X[:, 0] > 0.3, 7, np.where(X[:, 1] > 0, 2, 5))
    return X, labels


def train(svm_type, kernel_type, points, options=""):
    X, labels = points
    y = labels.astype(float) if svm_type in ("c_svc", "nu_svc") else X[:, 0] + X[:, 1] ** 2
    data = X
    if kernel_type == "precomputed":
        data = np.column_stack([np.arange(1, len(X) + 1), X @ X.T])
        data = [{j: float(v) for j, v in enumerate(row)} for row in data]
    else:
        data = csr_matrix(data)
    command = f"-q -s {TYPES[svm_type]} -t {KERNELS[kernel_type]} -n 0.2 -g 0.3 -r 0.1 -d 2 {options}"
    return svm_train(y, data, command), y, data[:12]


def predict(path, data):
    """Labels and decision values by LIBSVM.

    Its Python function `svm_predict` has too small a buffer for nu_svc of three classes. Sums over support
    vectors run in parallel, so that the last digits differ from call to call.
    """
    model = svm_load_model(str(path))
    values = (c_double * (model.get_nr_class() * (model.get_nr_class() - 1) // 2))()
    points = nodes(model, data)
    return [(libsvm.svm_predict_values(model, point, values), *values) for point in points]


def predict_probability(path, data):
    model = svm_load_model(str(path))
    values = (c_double * model.get_nr_class())()
    points = nodes(model, data)
    return [(libsvm.svm_predict_probability(model, point, values), *values) for point in points]


def nodes(model, data):
    rows = data.toarray() if hasattr(data, "toarray") else data
    return [
        gen_svm_nodearray(row, isKernel=model.param.kernel_type == KERNELS["precomputed"])[0] for row in rows
    ]


def assert_same(one, other):
    for name in LibsvmModel.__dataclass_fields__:
        first, second = getattr(one, name), getattr(other, name)
        if hasattr(first, "toarray"):
            first, second = first.toarray(), second.toarray()
        np.testing.assert_equal(first, second, err_msg=name)


class TestExchange:
    @pytest.mark.parametrize("kernel_type", KERNELS)
    @pytest.mark.parametrize("svm_type", TYPES)
    def test_libsvm_predicts_the_same_from_the_file_we_write(self, tmp_path, points, svm_type, kernel_type):
        theirs, _, data = train(svm_type, kernel_type, points)
        svm_save_model(str(tmp_path / "theirs"), theirs)
        model = read_libsvm_model(tmp_path / "theirs")
        write_libsvm_model(model, tmp_path / "ours")
        assert_same(read_libsvm_model(tmp_path / "ours"), model)

        written = predict(tmp_path / "ours", data)
        np.testing.assert_allclose(written, predict(tmp_path / "theirs", data), rtol=1e-10, atol=1e-12)

        X = points[0]
        expected = np.array(written)[:, 1:]
        np.testing.assert_allclose(
            model.decision_values(kernel_values(model, X, X @ X.T)[:12]), expected, atol=1e-10
        )

    @pytest.mark.parametrize("svm_type", TYPES)
    def test_probabilities_survive(self, tmp_path, points, svm_type):
        theirs, _, data = train(svm_type, "rbf", points, "-b 1")
        svm_save_model(str(tmp_path / "theirs"), theirs)
        model = read_libsvm_model(tmp_path / "theirs")
        write_libsvm_model(model, tmp_path / "ours")
        if svm_type in ("c_svc", "nu_svc"):
            assert model.probA.shape == model.probB.shape == (3,)
        elif svm_type == "one_class":
            assert model.prob_density_marks.shape == (10,)
        else:
            assert model.probA.shape == (1,) and model.probB is None
        ours, saved = (predict_probability(tmp_path / name, data) for name in ("ours", "theirs"))
        np.testing.assert_allclose(ours, saved, rtol=1e-10, atol=1e-12)

    def test_classes_are_in_the_order_of_their_first_appearance(self, tmp_path, points):
        theirs, y, _ = train("c_svc", "rbf", points)
        svm_save_model(str(tmp_path / "theirs"), theirs)
        model = read_libsvm_model(tmp_path / "theirs")
        assert model.labels.tolist() == list(dict.fromkeys(y.astype(int)))

    def test_numbers_that_libsvm_would_shorten_are_written_exactly(self, tmp_path):
        third = np.array([[1 / 3, -1 / 3]])
        model = LibsvmModel(
            svm_type="epsilon_svr",
            kernel_type="rbf",
            params={"gamma": np.pi},
            rho=np.array([np.e]),
            coef=third,
            support_vectors=csr_matrix(np.array([[0.0, 2 / 3], [1e-300, 0.0]])),
        )
        write_libsvm_model(model, tmp_path / "model")
        assert_same(read_libsvm_model(tmp_path / "model", n_features=2), model)


GOOD = """svm_type c_svc
kernel_type rbf
gamma 0.5
nr_class 2
total_sv 3
rho 0.25
label 1 -1
nr_sv 2 1
SV
0.5 1:1 3:2
0.25 2:1
-0.75 1:-1
"""


class TestMalformed:
    def read(self, tmp_path, text, **options):
        path = tmp_path / "model"
        path.write_text(text)
        return read_libsvm_model(path, **options)

    def test_the_good_file_is_read(self, tmp_path):
        model = self.read(tmp_path, GOOD, n_features=4)
        assert model.support_vectors.toarray().tolist() == [[1, 0, 2, 0], [0, 1, 0, 0], [-1, 0, 0, 0]]
        assert model.params == {"gamma": 0.5} and model.n_support.tolist() == [2, 1]

    @pytest.mark.parametrize("length", range(0, len(GOOD) - 2, 3))
    def test_every_truncation_is_refused_with_the_name_of_the_file(self, tmp_path, length):
        with pytest.raises(ValueError, match=r"model(, line \d+:| ends| has| contradicts)"):
            self.read(tmp_path, GOOD[:length].rpartition("\n")[0] + "\n")

    @pytest.mark.parametrize(
        ("old", "new", "message"),
        [
            ("svm_type c_svc", "svm_type c_svm", "line 1: svm_type: 'c_svm' is none of c_svc"),
            ("kernel_type rbf", "kernel_type gauss", "line 2: kernel_type: 'gauss' is none of linear"),
            ("gamma 0.5", "gamma half", "line 3: gamma: value 'half' is not a number"),
            ("gamma 0.5", "gamma 1 2", "line 3: gamma: one value is needed, not 2"),
            ("gamma 0.5\n", "", "contradicts itself: the rbf kernel needs gamma"),
            ("gamma 0.5", "colour red", "line 3: 'colour' is no keyword"),
            ("nr_class 2", "nr_class 1", "line 4: nr_class: 1 is below 2"),
            ("nr_class 2", "nr_class 3", "label has 2 of 3 classes"),
            ("total_sv 3", "total_sv 4", "3 support vectors where total_sv promises 4"),
            ("total_sv 3", "total_sv x", "line 5: total_sv: value 'x' is not an integer"),
            ("rho 0.25\n", "", "the header ends without rho"),
            ("rho 0.25", "rho 0.25 1", r"rho has shape \(2,\) where \(1,\) is needed"),
            ("label 1 -1\n", "", "a classifier needs label and nr_sv"),
            ("c_svc", "nu_svr", "nu_svr has no classes"),
            ("nr_sv 2 1", "nr_sv 2 2", "nr_sv adds up to 4 support vectors, not to 3"),
            ("0.25 2:1", "0.25 2:x", "line 11: value of index 2: 'x' is not a number"),
            ("0.25 2:1", "2:1", "line 11: a support vector needs 1 coefficients"),
            ("1:1 3:2", "3:1 1:2", "line 10: index 1 follows 3"),
            ("1:1 3:2", "0:1 3:2", "line 10: index 0 is below 1"),
            ("rbf\ngamma 0.5", "precomputed", "line 9: a precomputed kernel needs 0:serial"),
        ],
    )
    def test_corrupt_files_are_refused_with_name_and_place(self, tmp_path, old, new, message):
        assert GOOD.count(old) == 1
        with pytest.raises(ValueError, match=message) as caught:
            self.read(tmp_path, GOOD.replace(old, new))
        assert str(caught.value).startswith(str(tmp_path / "model"))

    def test_too_many_features_are_refused(self, tmp_path):
        with pytest.raises(ValueError, match="support vectors with 3 features; 2 are expected"):
            self.read(tmp_path, GOOD, n_features=2)

    @pytest.mark.parametrize("content", [b"", b"\x00\x01\x02", b"PK\x03\x04junk", b"1 1:2\n"])
    def test_foreign_files_are_refused(self, tmp_path, content):
        (tmp_path / "model").write_bytes(content)
        with pytest.raises(ValueError, match="model"):
            read_libsvm_model(tmp_path / "model")

    def test_an_inconsistent_record_cannot_be_made(self, tmp_path):
        model = self.read(tmp_path, GOOD)
        with pytest.raises(ValueError, match=r"probA has shape \(2,\)"):
            replace(model, probA=np.zeros(2))
        with pytest.raises(ValueError, match="support_vectors must have 3 rows"):
            replace(model, support_vectors=None)
