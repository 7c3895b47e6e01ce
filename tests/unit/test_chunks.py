"""Data in chunks: what does not fit is named, nothing is half-fitted, and progress is told."""

import logging
import signal
import sys
import threading

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import widemargin as wm
from widemargin.estimators import sample
from widemargin.estimators.chunks import Chunk, RowSample, Spread
from widemargin.io import parquet_chunks

RANDOM = np.random.default_rng(0)
X, y = RANDOM.normal(size=(90, 3)), RANDOM.integers(0, 2, size=90)
GOOD = [(X[begin : begin + 30], y[begin : begin + 30]) for begin in (0, 30, 60)]
FRAME = pd.DataFrame(X, columns=["a", "b", "c"])
MACHINES = [wm.RLSClassifier, wm.RLSRegressor]


def state(machine):
    return {
        name: np.copy(value) if isinstance(value, np.ndarray) else value
        for name, value in vars(machine).items()
    }


def assert_refused(machine, message, chunks=GOOD, error=ValueError):
    """Training on the chunks fails with the message and leaves a fitted machine as it was."""
    fitted = type(machine)().fit(RANDOM.normal(size=(30, 2)), np.arange(30) % 2)
    fitted.set_params(**machine.get_params(deep=False))
    before = state(fitted)
    with pytest.raises(error, match=message) as caught:
        fitted.fit_chunks(chunks)
    assert "\n" not in str(caught.value)
    after = state(fitted)
    assert before.keys() == after.keys()
    for name in before:
        np.testing.assert_equal(after[name], before[name])


def with_bad(points, targets=None, *weight):
    return [GOOD[0], (points, GOOD[1][1] if targets is None else targets, *weight), GOOD[2]]


@pytest.mark.parametrize("Machine", MACHINES)
@pytest.mark.parametrize(
    ("chunks", "message"),
    [
        (with_bad(X[:30, :2]), "chunk 1: it has columns: 2, but the first chunk has 3: make all alike"),
        (with_bad(X[:30].astype(np.float32)), "chunk 1: it has the dtype float32, but .* float64"),
        (with_bad(sp.csr_array(X[:30])), "chunk 1: it has the format sparse, but .* dense"),
        (with_bad(np.full((30, 3), np.nan)), "chunk 1: Input X contains NaN in row 0"),
        (with_bad(X[:29]), "chunk 1: X has 29 rows, but y has 30"),
        (with_bad(X[:30], None, -np.ones(30)), r"chunk 1: .* sample_weight\[0\] is -1"),
        (with_bad(X[:30], None, np.ones(5)), "chunk 1: sample_weight has shape"),
        ([X], "chunk 0: a chunk must be a pair"),
        ([], "chunks has no rows"),
        ((chunk for chunk in GOOD), "chunks must be a function .* a generator can be read only once"),
        ([(X, y, np.zeros(90))], "sample_weight is zero for every sample"),
        (None, "chunks must be a function .*; got NoneType"),
        ([(X[:, 0], y)], "chunk 0: X must have rows and columns, but it has 1 dimension"),
        (with_bad(X[0]), "chunk 1: X must have rows and columns"),
        (with_bad(X[:30].astype(int).tolist()), "chunk 1: it has the dtype int64, but .* float64: make all"),
        (
            with_bad(X[:30], y[:30].astype(float)),
            "chunk 1: it has targets of the dtype float64, but .* int64",
        ),
        (with_bad(X[:30], y[:30].astype(bool)), "chunk 1: it has targets of the dtype bool, but .* int64"),
        ([(FRAME, y), (FRAME.astype("int64"), y)], "chunk 1: it has the dtype int64, but .* float64"),
    ],
)
def test_bad_chunks(Machine, chunks, message):
    assert_refused(Machine(centres=5), message, chunks)


def test_labels_of_several_types():
    names = np.array(["no", "yes"])[y[:30]]
    for labels in (names, names.astype(object), names.tolist()):
        assert_refused(
            wm.RLSClassifier(centres=5), "targets of the dtype str, but .* int64", with_bad(X[:30], labels)
        )


def test_labels_that_are_strings_may_have_other_lengths():
    few = [(X[:30], np.array(["no", "yes"])[y[:30]]), (X[30:], np.array(["no", "perhaps"], object)[y[30:]])]
    assert wm.RLSClassifier(centres=5).fit_chunks(few).classes_.tolist() == ["no", "perhaps", "yes"]


def test_bad_targets():
    assert_refused(wm.RLSRegressor(centres=5), "chunk 1: .*NaN", with_bad(X[:30], np.full(30, np.nan)))
    assert_refused(
        wm.RLSRegressor(centres=5), r"chunk 1: .*outputs: \(2,\)", with_bad(X[:30], np.ones((30, 2)))
    )
    assert_refused(wm.RLSClassifier(centres=5), "chunk 1: ", with_bad(X[:30], np.linspace(0, 1, 30)))
    assert_refused(
        wm.RLSClassifier(centres=5), "greater than one; got 1 class", [(X, np.ones(90, dtype=int))]
    )


@pytest.mark.parametrize("Machine", MACHINES)
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({}, "fit_chunks needs centres"),
        ({"centres": 91}, "91 of them cannot be chosen from n_samples = 90"),
        ({"centres": [3, 90]}, "centres names row 90, which is not there"),
        ({"centres": 5, "approximation": "subset"}, "subset' needs no chunks"),
        ({"centres": 5, "kernel": "precomputed"}, "precomputed kernel has none"),
        ({"centres": 5, "gamma": "loo"}, "give gamma a number"),
        ({"centres": 5000}, "5000 centres are solved for by conjugate gradients.*give lam"),
        ({"centres": X[:4, :2]}, "centres has 2 features, but X has 3"),
    ],
)
def test_bad_parameters_of_a_stream(Machine, parameters, message):
    assert_refused(Machine(**parameters), message)


@pytest.mark.parametrize("Machine", MACHINES)
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"centres": 0}, "centres must be None, an integer >= 1, .* not 0"),
        ({"centres": -3}, "centres must be .* not -3"),
        ({"centres": True}, "centres must be"),
        ({"centres": "random"}, "centres must be .* not 'random'"),
        ({"centres": 1.5}, "centres must be"),
        ({"centres": []}, "centres must be"),
        ({"centres": [[1.0, 2.0, 3.0], [1.0]]}, "centres must be"),
        ({"centres": wm.RandomCentres(0)}, "centres must be"),
        ({"centres": 91}, "91 of them cannot be chosen from n_samples = 90"),
        ({"centres": wm.PivotedCentres(91)}, "91 of them cannot be chosen"),
        ({"centres": [1, 1]}, "centres names a sample twice"),
        ({"centres": [1, 90]}, "centres names sample 90, which is not there"),
        ({"centres": X[:4, :2]}, "centres has 2 features, but X has 3"),
        ({"centres": X[:4] * np.nan}, "Input centres contains NaN in row 0"),
        ({"centres": np.ones(90, dtype=bool)}, r"centres must be .* not array\(\[ True, .*\.\.\.\.$"),
        ({"centres": X[:4], "approximation": "subset"}, "needs centres among the samples"),
        ({"centres": 5, "approximation": "rectangular"}, "approximation must be 'rectangle' or"),
        ({"centres": 5, "solver": "primal", "kernel": "linear"}, "solver='primal' does without centres"),
        ({"centres": 5, "solver": "cg"}, "give lam a number"),
        ({"centres": 5, "kernel": wm.Sigmoid(1.0, -1.0)}, "not positive semi-definite"),
    ],
)
def test_bad_centres(Machine, parameters, message):
    machine = Machine().fit(X, y)
    machine.set_params(**parameters)
    before = state(machine)
    with pytest.raises(ValueError, match=message) as caught:
        machine.fit(X, y)
    assert "\n" not in str(caught.value)
    for name, value in state(machine).items():
        np.testing.assert_equal(value, before[name])


@pytest.mark.parametrize("Machine", MACHINES)
def test_chunks_may_be_lists_and_without_rows(Machine):
    plain = Machine(centres=X[:5]).fit_chunks(GOOD)
    other = Machine(centres=X[:5]).fit_chunks([(X[:0], y[:0]), *map(list, GOOD), [X[:0], y[:0]]])
    assert other.shape_fit_ == plain.shape_fit_ == X.shape
    np.testing.assert_array_equal(other.predict(X), plain.predict(X))


@pytest.mark.parametrize("Machine", MACHINES)
def test_centres_may_be_rows_of_a_data_frame(Machine):
    np.testing.assert_array_equal(
        Machine(centres=FRAME[:5]).fit(FRAME, y).predict(FRAME),
        Machine(centres=FRAME[:5].to_numpy()).fit(FRAME.to_numpy(), y).predict(FRAME.to_numpy()),
    )


def test_rows_that_change_from_pass_to_pass():
    passes = iter([GOOD, GOOD[:2], GOOD[:2]])
    assert_refused(
        wm.RLSRegressor(centres=5), "60 rows in a later pass, but had 90", lambda: iter(next(passes))
    )
    odd = [(X[:30], np.full(30, 7))]
    passes = iter([GOOD, odd])
    assert_refused(wm.RLSClassifier(centres=5), "the class .*7.* in a later pass", lambda: iter(next(passes)))


def test_interruption_between_chunks_leaves_the_machine_as_it_was():
    def chunks():
        for number, chunk in enumerate(GOOD):
            if number == 2:
                signal.raise_signal(signal.SIGINT)
            yield chunk

    assert threading.current_thread() is threading.main_thread()
    assert_refused(wm.RLSRegressor(centres=5), "^$", chunks, KeyboardInterrupt)


def test_names_of_columns_are_kept_and_compared():
    pandas = pytest.importorskip("pandas")
    frames = [pandas.DataFrame(part, columns=list("abc")) for part, _ in GOOD]
    chunks = [(frame, labels) for frame, (_, labels) in zip(frames, GOOD, strict=True)]
    machine = wm.RLSRegressor(centres=5).fit_chunks(chunks)
    assert machine.feature_names_in_.tolist() == ["a", "b", "c"]
    assert machine.shape_fit_ == (90, 3)
    chunks[1] = (frames[1].rename(columns={"b": "d"}), chunks[1][1])
    assert_refused(wm.RLSRegressor(centres=5), "chunk 1: it has the names .*'d'", chunks)


def test_progress_is_told(caplog):
    with caplog.at_level(logging.INFO, logger="widemargin"):
        wm.RLSRegressor(centres=5, lam=0.1, verbose=True).fit_chunks(GOOD)
    assert "normal equations: 90 of 90 rows (100 %)" in caplog.text


def test_a_stream_is_stored_and_read_again(tmp_path):
    machine = wm.RLSClassifier(centres=wm.RandomCentres(5)).fit_chunks(GOOD)
    wm.io.save_model(machine, tmp_path / "m")
    again = wm.io.load_model(tmp_path / "m")
    np.testing.assert_array_equal(again.decision_function(X), machine.decision_function(X))
    assert again.centres.size == 5


def test_spread_merges_to_the_variance_of_all():
    weight, spread = RANDOM.uniform(size=90), Spread()
    for begin in (0, 10, 60):
        end = {0: 10, 10: 60, 60: 90}[begin]
        spread.add(X[begin:end] + 100, weight[begin:end])
    assert spread.variance == pytest.approx(sample.variance(X + 100, weight), rel=1e-9)
    assert spread.total == pytest.approx(weight.sum())


def test_a_row_sample_is_uniform_and_distinct():
    hits = np.zeros(40)
    for seed in range(400):
        drawn = RowSample(8, np.random.default_rng(seed))
        for begin in range(0, 40, 7):
            size = min(7, 40 - begin)
            points = np.arange(begin, begin + size, dtype=float)[:, None]
            drawn.add(Chunk(points, np.zeros(size), np.ones(size), begin))
        assert np.unique(drawn.rows).size == 8
        np.testing.assert_array_equal(drawn.points[:, 0], drawn.rows)
        hits[drawn.rows] += 1
    assert hits.min() > 50 and hits.max() < 115  # 80 on average, with a deviation of 8


def test_parquet_files_are_read_in_chunks(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    for name, part in (("a", slice(0, 50)), ("b", slice(50, 90))):
        columns = {"x0": X[part, 0], "x1": X[part, 1], "x2": X[part, 2], "y": y[part]}
        parquet.write_table(pyarrow.table(columns), tmp_path / name)
    paths = [tmp_path / "a", tmp_path / "b"]
    chunks = parquet_chunks(paths, "y", rows=20)
    assert [len(labels) for _, labels in chunks()] == [20, 20, 10, 20, 20]
    machine = wm.RLSClassifier(centres=[1, 60], gamma="scale").fit_chunks(chunks)
    expected = wm.RLSClassifier(centres=[1, 60], gamma="scale").fit(X, y)
    np.testing.assert_allclose(machine.decision_function(X), expected.decision_function(X), atol=1e-8)
    weighted = list(parquet_chunks(paths[0], ["y", "x2"], features=["x0"], weight="x1")())
    assert [part.shape for part in weighted[0]] == [(50, 1), (50, 2), (50,)]
    with pytest.raises(ValueError, match="has no column 'z'"):
        parquet_chunks(paths, "z")
    with pytest.raises(FileNotFoundError, match="There is no file"):
        parquet_chunks(tmp_path / "c", "y")
    with pytest.raises(ValueError, match="rows must be a positive integer, not 0"):
        parquet_chunks(paths, "y", rows=0)


def test_parquet_without_pyarrow_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r"pip install 'widemargin\[parquet\]'"):
        parquet_chunks("data.parquet", "y")


@pytest.mark.parametrize("Machine", [wm.RLSClassifier, wm.RLSRegressor])
def test_gaps_in_the_targets_of_a_chunk_are_named(Machine):
    gap = np.where(np.arange(30) == 4, np.nan, 1.0)
    with pytest.raises(ValueError, match="chunk 1: Input y contains NaN in row 4"):
        Machine(centres=3).fit_chunks([(X[:30], y[:30].astype(float)), (X[30:60], gap)])


def test_an_iterator_that_is_used_up_is_named():
    once = iter([(X[:30], y[:30])])
    with pytest.raises(ValueError, match="had rows before, and has none now: return a fresh iterator"):
        wm.RLSClassifier(centres=3).fit_chunks(lambda: once)


def test_what_is_no_iterator_is_named():
    with pytest.raises(ValueError, match="chunks must return an iterator over chunks, not None"):
        wm.RLSClassifier(centres=3).fit_chunks(lambda: None)


def test_weights_of_zero_need_the_right_number_too():
    with pytest.raises(ValueError, match=r"chunk 0: sample_weight"):
        wm.RLSClassifier(centres=3).fit_chunks([(X[:30], y[:30], np.zeros(29))])


def test_points_whose_variance_overflows_are_refused():
    large = X[:30].copy()
    large[3, 0] = 1e200
    with pytest.raises(ValueError, match="X is too large: its variance overflows; scale X"):
        wm.RLSClassifier(centres=3).fit_chunks([(large, y[:30])])
