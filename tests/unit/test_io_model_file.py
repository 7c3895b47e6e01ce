"""Model files: what goes in comes out, what cannot go in is refused, what is damaged is named."""

import json
import zipfile
from dataclasses import dataclass
from enum import Enum

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, Normalizer, RobustScaler, StandardScaler
from sklearn.svm import SVC

import widemargin as wm
from widemargin.calibration import Calibrated, OneVsAllSigmoids
from widemargin.io import load_model, save_model, storable
from widemargin.io.tree import Decoder, Encoder

untimed = settings(deadline=None, max_examples=50)


@storable
class Verdict(Enum):
    GOOD = "good"
    BAD = "bad"


@storable
@dataclass(frozen=True, slots=True)
class Tolerance:
    tol: float
    limit: int | None = None


@storable
class ToyKernel(BaseEstimator):
    def __init__(self, gamma=1.0, left=None, function=None):
        self.gamma = gamma
        self.left = left
        self.function = function


@storable
class ToyExpansion:
    def __init__(self, coef):
        self.coef = coef
        self.cache = object()

    def __getstate__(self):
        return {"coef": self.coef}

    def __setstate__(self, state):
        self.coef, self.cache = state["coef"], "rebuilt"


@storable
class ToySVC(BaseEstimator):
    """Holds the parameters and fitted attributes of scikit-learn's SVC."""

    def __init__(self, C=1.0, kernel="rbf", class_weight=None, stop=None, random_state=None):
        self.C = C
        self.kernel = kernel
        self.class_weight = class_weight
        self.stop = stop
        self.random_state = random_state

    def fit(self, X, y):
        peer = SVC(C=self.C).fit(X, y)
        for name, value in vars(peer).items():
            if name.endswith("_") and not name.startswith("_"):
                setattr(self, name, value)
        self.support_vectors_, self.dual_coef_ = peer.support_vectors_, peer.dual_coef_
        self.status_ = Verdict.GOOD
        self._expansion = ToyExpansion(self.dual_coef_)
        return self


def assert_same(one, other):
    assert type(one) is type(other)
    if sparse.issparse(one):
        assert one.format == other.format and one.dtype == other.dtype
        np.testing.assert_array_equal(one.toarray(), other.toarray())
    elif isinstance(one, np.ndarray):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)
    elif isinstance(one, dict):
        assert list(one) == list(other)
        for key in one:
            assert_same(one[key], other[key])
    elif isinstance(one, (list, tuple)):
        assert len(one) == len(other)
        for first, second in zip(one, other, strict=True):
            assert_same(first, second)
    elif isinstance(one, (BaseEstimator, ToyExpansion)):
        assert_same(one.__getstate__(), other.__getstate__())
    else:
        assert one == other or (one != one and other != other)


@pytest.fixture
def fitted():
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])
    return ToySVC(C=2.0, class_weight={0: 1.0, 1: 2.5}, stop=Tolerance(1e-3)).fit(X, names[y])


@pytest.fixture
def stored(fitted, tmp_path):
    path = tmp_path / "iris.model"
    save_model(fitted, path)
    return path


class TestRoundTrip:
    def test_parameters_and_fitted_attributes_come_back(self, fitted, stored):
        restored = load_model(stored)
        assert_same(restored, fitted)
        assert restored.classes_.tolist() == ["setosa", "versicolor", "virginica"]
        assert restored.status_ is Verdict.GOOD and restored.stop == Tolerance(1e-3)

    @pytest.mark.parametrize(
        "container", [sparse.csr_matrix, sparse.csr_array, sparse.csc_matrix, sparse.csc_array]
    )
    def test_sparse_attributes_keep_their_kind(self, fitted, tmp_path, container):
        fitted.support_vectors_ = container(fitted.support_vectors_)
        fitted.dual_coef_ = container(fitted.dual_coef_.astype(np.float32))
        save_model(fitted, tmp_path / "m")
        assert_same(load_model(tmp_path / "m"), fitted)

    def test_nested_kernels_come_back(self, tmp_path):
        kernel = ToyKernel(np.float32(0.1), left=ToyKernel(np.array([0.5, 2.0]), left=ToyKernel()))
        save_model(kernel, tmp_path / "m")
        assert_same(load_model(tmp_path / "m"), kernel)

    @pytest.mark.parametrize(
        "scaler", [MaxAbsScaler(), MinMaxScaler(), Normalizer(), RobustScaler(), StandardScaler()]
    )
    def test_a_pipeline_of_a_scaler_and_a_machine_comes_back(self, scaler, tmp_path):
        X, y = load_iris(return_X_y=True)
        pipeline = make_pipeline(scaler, wm.SVC()).fit(X, y)
        save_model(pipeline, tmp_path / "m")
        np.testing.assert_array_equal(
            load_model(tmp_path / "m").decision_function(X), pipeline.decision_function(X)
        )

    def test_our_own_estimators_need_no_registration(self, tmp_path):
        sigmoids = OneVsAllSigmoids().fit(np.eye(3), [0, 1, 2])
        save_model(sigmoids, tmp_path / "m")
        np.testing.assert_array_equal(load_model(tmp_path / "m").A_, sigmoids.A_)

    def test_an_object_leaves_out_and_rebuilds_what_pickling_would(self, fitted, stored):
        assert load_model(stored)._expansion.cache == "rebuilt"

    def test_an_array_held_twice_is_stored_once_and_shared_again(self, fitted, stored):
        restored = load_model(stored)
        assert restored._expansion.coef is restored.dual_coef_

    def test_the_same_estimator_gives_the_same_bytes(self, fitted, stored, tmp_path):
        save_model(fitted, tmp_path / "again")
        assert (tmp_path / "again").read_bytes() == stored.read_bytes()
        with zipfile.ZipFile(stored) as archive:  # no clock in the file
            assert {info.date_time for info in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}

    values = st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats()
        | st.text()
        | st.sampled_from(Verdict)
        | hnp.arrays(
            st.sampled_from(["f8", "f4", "i8", "u1", "?", "<U3"]), hnp.array_shapes(max_side=3, min_side=0)
        )
        | st.builds(np.float64, st.floats())
        | st.builds(np.int32, st.integers(-99, 99))
        | st.builds(np.str_, st.text(min_size=1).filter(lambda s: "\0" not in s))
        | st.builds(np.bool_, st.booleans()),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.lists(inner, max_size=3).map(tuple)
            | st.dictionaries(st.text(max_size=3) | st.integers() | st.just("$"), inner, max_size=3)
        ),
        max_leaves=8,
    )

    @untimed
    @given(value=values)
    def test_any_nesting_of_plain_values_comes_back_through_json(self, value):
        encoder = Encoder()
        tree = json.loads(json.dumps(encoder.encode(value, "value"), allow_nan=False))
        assert_same(Decoder(encoder.arrays).decode(tree), value)

    def test_object_arrays_of_words_come_back(self, tmp_path):
        model = ToySVC()
        model.classes_ = np.array([["a", None], [3, "long word"]], dtype=object)
        save_model(model, tmp_path / "m")
        assert_same(load_model(tmp_path / "m").classes_, model.classes_)


class TestRefusal:
    @pytest.mark.parametrize("machine", [wm.SVC(), wm.EnclosingBall(), Calibrated(wm.SVC())])
    def test_a_machine_that_is_not_fitted_is_refused(self, machine, tmp_path):
        with pytest.raises(ValueError, match=r"cannot be stored: it is not fitted"):
            save_model(machine, tmp_path / "m")
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            (
                {"kernel": lambda X, Y: X @ Y.T},
                "ToySVC.kernel is a Python callable, .*lambda.*, and a model file holds",
            ),
            (
                {"kernel": ToyKernel(left=ToyKernel(function=max))},
                "ToySVC.kernel.left.function is a Python callable, max",
            ),
            ({"kernel": SVC()}, r"ToySVC.kernel is an object of sklearn.svm._classes.SVC, a class not known"),
            ({"random_state": np.random.RandomState(0)}, "ToySVC.random_state is an object of .*RandomState"),
            ({"class_weight": {1: {2}}}, r"ToySVC.class_weight\[1\] is an object of builtins.set"),
            ({"C": np.array([(1, 2)], dtype="i4,i4")}, "ToySVC.C is an array of type"),
            ({"C": np.complex128(1)}, "ToySVC.C is a NumPy scalar of type complex128"),
            ({"C": np.ma.masked_array([1.0])}, "ToySVC.C is a masked array"),
            ({"C": sparse.coo_array(np.eye(2))}, "ToySVC.C is a sparse matrix in coo format"),
        ],
    )
    def test_what_cannot_be_stored_is_refused_before_writing(self, stored, change, message):
        before = stored.read_bytes()
        with pytest.raises(ValueError, match="ToySVC cannot be stored: " + message):
            save_model(ToySVC(**change), stored)
        assert stored.read_bytes() == before and len(list(stored.parent.iterdir())) == 1

    def test_an_estimator_that_contains_itself_is_refused(self, tmp_path):
        model = ToySVC()
        model.kernel = model
        with pytest.raises(ValueError, match="attributes contain each other"):
            save_model(model, tmp_path / "m")

    def test_foreign_estimators_inside_ours_are_refused(self, tmp_path):
        with pytest.raises(ValueError, match=r"Calibrated.estimator is an object of sklearn.svm"):
            save_model(Calibrated(SVC()), tmp_path / "m")

    def test_a_name_that_is_taken_cannot_be_registered(self):
        with pytest.raises(
            ValueError, match=r"The name Calibrated is taken by widemargin.calibration.calibrated.Calibrated"
        ):
            storable(type("Calibrated", (), {}))

    def test_a_failed_write_leaves_no_trace(self, fitted, tmp_path):
        with pytest.raises(FileNotFoundError):
            save_model(fitted, tmp_path / "absent" / "m")
        (tmp_path / "folder").mkdir()
        with pytest.raises(OSError):
            save_model(fitted, tmp_path / "folder")
        assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def rewrite(path, **changes):
    """Change the head of a model file and renew its checksum."""
    from widemargin.io.model_file import _checksum

    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    head = json.loads(members["model.json"]) | changes
    members["model.json"] = json.dumps(head).encode()
    members["sha256"] = _checksum(members)
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)


class TestDamage:
    @pytest.mark.parametrize("share", [0.0, 0.001, 0.3, 0.7, 0.999])
    def test_a_truncated_file_is_named(self, stored, share):
        content = stored.read_bytes()
        stored.write_bytes(content[: int(share * len(content))])
        with pytest.raises(
            ValueError, match=r"iris.model is (truncated or damaged|not a widemargin model file)"
        ):
            load_model(stored)

    @untimed
    @given(data=st.data())
    def test_a_changed_byte_is_noticed_or_harmless(self, tmp_path_factory, data):
        path = tmp_path_factory.mktemp("damage") / "some.model"
        model = ToyKernel(np.arange(5.0))
        save_model(model, path)
        content = bytearray(path.read_bytes())
        position = data.draw(st.integers(0, len(content) - 1))
        content[position] ^= data.draw(st.integers(1, 255))
        path.write_bytes(content)
        try:
            restored = load_model(path)
        except ValueError as error:
            assert str(error).startswith(str(path))
        else:  # fields of the archive that carry no content, such as dates
            assert_same(restored, model)

    @pytest.mark.parametrize(
        "content", [b"", b"svm_type c_svc\n", b"\x80\x04pickle", b"PK\x05\x06" + bytes(18)]
    )
    def test_foreign_files_are_named(self, tmp_path, content):
        (tmp_path / "foreign").write_bytes(content)
        with pytest.raises(ValueError, match=r"foreign is .*not a widemargin model file"):
            load_model(tmp_path / "foreign")

    def test_archives_of_arrays_are_foreign(self, tmp_path):
        np.savez(tmp_path / "arrays.npz", X=np.eye(2))
        with pytest.raises(ValueError, match=r"arrays.npz is a ZIP archive but not a widemargin model file"):
            load_model(tmp_path / "arrays.npz")

    def test_content_that_does_not_fit_the_checksum_is_refused(self, stored):
        with zipfile.ZipFile(stored, "a") as archive:
            archive.writestr("arrays/999.npy", b"more")
        with pytest.raises(ValueError, match=r"iris.model is damaged: its checksum does not fit"):
            load_model(stored)

    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"version": 99}, "its format is 99 and this version reads up to 1"),
            (
                {"model": {"$": "estimator", "class": "Popen", "parameters": {}, "state": {}}},
                "class Popen, which is not known",
            ),
            (
                {"model": {"$": "estimator", "class": "ToySVC", "parameters": {"D": 1}, "state": {}}},
                "argument 'D'",
            ),
            ({"model": {"$": "array", "member": "arrays/77.npy"}}, "arrays/77.npy"),
            ({"model": {"$": "spell"}}, "spell"),
        ],
    )
    def test_what_this_version_does_not_know_is_refused(self, stored, changes, message):
        rewrite(stored, **changes)
        with pytest.raises(
            ValueError, match=r"iris.model does not fit this version of widemargin: .*" + message
        ):
            load_model(stored)

    def test_pickled_arrays_are_never_loaded(self, stored):
        with zipfile.ZipFile(stored) as archive:
            assert not any(b"pickle" in archive.read(name) for name in archive.namelist())
        np.save(stored.with_suffix(".npy"), np.array([{}], dtype=object), allow_pickle=True)
        from widemargin.io.model_file import _array

        with pytest.raises(ValueError, match="allow_pickle=False"):
            _array(stored.with_suffix(".npy").read_bytes())

    def test_a_missing_file_is_named(self, tmp_path):
        with pytest.raises(FileNotFoundError, match=r"absent.model"):
            load_model(tmp_path / "absent.model")


@pytest.mark.parametrize(
    "machine",
    [
        wm.RLSClassifier(),
        wm.RLSRegressor(kernel="linear", bias="free"),
        wm.RLSRegressor(lam=0.1, solver="cg"),
        wm.RLSClassifier(centres=wm.PivotedCentres(9), class_weight="balanced"),
        wm.RLSClassifier(centres=9, approximation="subset"),
        wm.RLSRegressor(centres=[0, 3, 5], bias="free"),
        wm.RLSRegressor(centres=np.zeros((1, 3)), gamma="loo"),
        wm.TikhonovEstimator(wm.losses.Power(1.5), lam=0.1),
    ],
    ids=repr,
)
def test_least_squares_machines_and_losses_come_back(machine, tmp_path):
    X = np.random.default_rng(0).normal(size=(30, 3))
    machine.fit(X, np.where(X[:, 0] > 0, 1.0, -1.0))
    wm.io.save_model(machine, tmp_path / "model")
    restored = wm.io.load_model(tmp_path / "model")
    np.testing.assert_array_equal(restored.predict(X), machine.predict(X))
    assert repr(restored) == repr(machine)
    if hasattr(machine, "loo_error_"):
        np.testing.assert_array_equal(restored.loo_predictions_, machine.loo_predictions_)
