"""`widemargin train` and `predict`, end to end on files."""

import csv
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import dump_svmlight_file
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import widemargin as wm
from widemargin import io
from widemargin.cli import main
from widemargin.datasets import noisy_chess_board


@pytest.fixture(scope="module")
def sample():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 3)) * [1.0, 10.0, 0.1]
    return X, np.where(X[:, 0] + 0.03 * X[:, 1] + 0.3 * rng.normal(size=90) > 0, 1, -1)


@pytest.fixture
def libsvm_file(sample, tmp_path):
    dump_svmlight_file(*sample, str(tmp_path / "points.libsvm"), zero_based=False)
    return tmp_path / "points.libsvm"


@pytest.fixture
def csv_file(sample, tmp_path):
    X, y = sample
    path = tmp_path / "points.csv"
    np.savetxt(path, np.column_stack([X, y]), delimiter=",", fmt="%.17g")
    return path


def test_train_stores_a_model_that_predicts_as_the_machine_does(libsvm_file, sample, tmp_path, capsys):
    X, y = sample
    assert main(["train", str(libsvm_file), str(tmp_path / "model"), "-C", "3", "--gamma", "0.5"]) == 0
    said = capsys.readouterr().out
    assert "support vectors" in said and "duality gap" in said and "trained in" in said
    assert "/90)" in said and f"stored in {tmp_path / 'model'}" in said
    expected = wm.SVC(C=3, gamma=0.5).fit(X, y)
    stored = io.load_model(tmp_path / "model")
    np.testing.assert_allclose(stored.decision_function(X), expected.decision_function(X), atol=1e-6)


def test_the_model_is_named_after_the_data_by_default(csv_file, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["train", str(csv_file)]) == 0
    assert (tmp_path / "points.csv.model").exists()


@pytest.mark.parametrize("kind", ["svc", "nu-svc", "svr", "nu-svr", "one-class", "ball", "rlsc", "rlsr"])
def test_every_type_trains_and_predicts(kind, csv_file, tmp_path):
    model, output = tmp_path / "model", tmp_path / "output"
    assert main(["train", str(csv_file), str(model), "--type", kind, "--scale", "standard"]) == 0
    assert main(["predict", str(csv_file), str(model), str(output)]) == 0
    assert len(output.read_text().splitlines()) == 90


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf", "sigmoid", "laplacian"])
def test_every_kernel_trains_and_predicts(kernel, csv_file, tmp_path, capsys):
    model = tmp_path / "model"
    assert main(["train", str(csv_file), str(model), "--kernel", kernel, "--scale", "standard"]) == 0
    assert main(["predict", str(csv_file), str(model), str(tmp_path / "output")]) == 0
    assert float(capsys.readouterr().out.split()[-2]) > 0.7


def test_libsvm_short_options_mean_the_long_ones(csv_file, tmp_path):
    short = ["-s", "0", "-t", "1", "-d", "2", "-g", "0.1", "-r", "1", "-c", "5", "-e", "1e-4", "-m", "10"]
    long = [
        "--type",
        "svc",
        "--kernel",
        "poly",
        "--degree",
        "2",
        "--gamma",
        "0.1",
        "--coef0",
        "1",
        "-C",
        "5",
        "--tol",
        "1e-4",
        "--cache-size",
        "10",
    ]
    assert main(["train", str(csv_file), str(tmp_path / "a"), *short]) == 0
    assert main(["train", str(csv_file), str(tmp_path / "b"), *long]) == 0
    first, second = io.load_model(tmp_path / "a"), io.load_model(tmp_path / "b")
    np.testing.assert_array_equal(first.dual_coef_, second.dual_coef_)
    assert first.degree == 2 and first.C == 5.0


def test_the_scaling_travels_with_the_model(csv_file, sample, tmp_path):
    X, y = sample
    assert main(["train", str(csv_file), str(tmp_path / "model"), "--scale", "standard"]) == 0
    expected = make_pipeline(StandardScaler(), wm.SVC()).fit(X, y)
    stored = io.load_model(tmp_path / "model")
    np.testing.assert_allclose(stored.decision_function(X), expected.decision_function(X), atol=1e-6)


@pytest.mark.parametrize("weights", [["--class-weight", "1=4,-1=0.5"], ["-w1", "4", "-w-1", "0.5"]])
def test_class_weights_reach_the_machine(weights, csv_file, sample, tmp_path):
    X, y = sample
    assert main(["train", str(csv_file), str(tmp_path / "model"), *weights]) == 0
    expected = wm.SVC(class_weight={1: 4.0, -1: 0.5}).fit(X, y)
    stored = io.load_model(tmp_path / "model")
    np.testing.assert_allclose(stored.decision_function(X), expected.decision_function(X), atol=1e-6)


@pytest.mark.parametrize("solver", [["--working-set", "hybrid-maximum-gain"], ["--step", "planning-ahead"]])
def test_solvers_are_chosen_by_name(solver, csv_file, sample, tmp_path):
    X, y = sample
    assert main(["train", str(csv_file), str(tmp_path / "model"), "--tol", "1e-6", *solver]) == 0
    expected = wm.SVC(tol=1e-6).fit(X, y).decision_function(X)
    np.testing.assert_allclose(io.load_model(tmp_path / "model").decision_function(X), expected, atol=1e-4)


def test_cross_validation_scores_every_fold_and_stores_nothing(csv_file, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["train", str(csv_file), "--cv", "3"]) == 0
    lines = capsys.readouterr().out.splitlines()
    folds = [float(line.split()[-2]) for line in lines if line.startswith("fold")]
    assert len(folds) == 3
    assert float(lines[-1].split()[-1]) == pytest.approx(np.mean(folds), abs=1e-3)
    assert list(tmp_path.glob("*.model")) == []


def test_a_limit_on_iterations_warns_in_one_line_and_keeps_the_model(csv_file, tmp_path, capsys):
    assert main(["train", str(csv_file), str(tmp_path / "model"), "--max-iter", "2", "-C", "1000"]) == 0
    warning = capsys.readouterr().err
    assert warning.startswith("widemargin: warning: stopped at --max-iter 2 ") and warning.count("\n") == 1
    assert "--scale" in warning and "warm_start" not in warning
    assert (tmp_path / "model").exists()


@pytest.mark.parametrize(
    "arguments", [["train", "points.csv", "points.csv"], ["train", "points.csv", "link.csv"]]
)
def test_training_never_replaces_its_data(arguments, csv_file, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "link.csv").symlink_to(csv_file)
    before = csv_file.read_bytes()
    assert main(arguments) == 2
    assert "same file as DATA" in capsys.readouterr().err
    assert csv_file.read_bytes() == before


@pytest.mark.parametrize("output", ["points.csv", "model"])
def test_predicting_never_replaces_its_data_or_model(output, csv_file, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["train", "points.csv", "model"]) == 0
    before = (tmp_path / output).read_bytes()
    assert main(["predict", "points.csv", "model", output]) == 2
    assert "same file" in capsys.readouterr().err
    assert (tmp_path / output).read_bytes() == before


def test_a_model_file_without_a_machine_is_refused(csv_file, tmp_path, capsys):
    io.save_model(wm.Gaussian(), tmp_path / "kernel")
    assert main(["predict", str(csv_file), str(tmp_path / "kernel")]) == 2
    assert "holds no machine" in capsys.readouterr().err


def test_a_limit_on_iterations_warns_once_for_all_folds(csv_file, capsys):
    assert main(["train", str(csv_file), "--cv", "3", "--max-iter", "2", "-C", "1000"]) == 0
    warning = capsys.readouterr().err
    assert warning.startswith("widemargin: warning:") and warning.count("\n") == 1


LIBSVM = ["--model-format", "libsvm"]
BAD = {
    "missing file": (["train", "nowhere.csv"], "nowhere.csv"),
    "malformed line": (["train", "broken.libsvm"], "broken.libsvm"),
    "C": (["train", "points.csv", "-C", "-1"], "C"),
    "gamma": (["train", "points.csv", "--gamma", "0"], "gamma"),
    "gamma is a word": (["train", "points.csv", "--gamma", "wide"], "'wide' is neither a number"),
    "LIBSVM's switch": (["train", "points.csv", "-b", "2"], "'2' is neither 0 nor 1"),
    "unknown option": (["train", "points.csv", "--foo"], "--foo (see widemargin train --help)"),
    "label first": (
        ["train", "first.csv"],
        "column 1 (side): 'left' is not a number; if that column holds the",
    ),
    "numbers for classes": (["train", "numbers.csv"], "has the label 0.5: use --type svr"),
    "not finite": (["train", "gap.csv"], "gap.csv, line 2: column 1: 'nan' is not a finite number"),
    "infeasible nu": (["train", "points.csv", "--type", "nu-svc", "--nu", "1.5"], "nu"),
    "option of another type": (["train", "points.csv", "--nu", "0.5"], "--nu has no meaning for --type svc"),
    "option of another kernel": (["train", "points.csv", "-t", "0", "-g", "1"], "--kernel linear"),
    "unknown type": (["train", "points.csv", "--type", "tree"], "tree"),
    "unknown class": (["train", "points.csv", "--class-weight", "7=2"], "'7'"),
    "weight is a word": (["train", "points.csv", "--class-weight", "1=much"], "'much'"),
    "folds": (["train", "points.csv", "--cv", "1"], "--cv is 1"),
    "no place for the model": (["train", "points.csv", "no/such/model"], "no/such"),
    "missing model": (["predict", "points.csv", "nowhere.model"], "nowhere.model"),
    "corrupt model": (["predict", "points.csv", "points.csv"], "points.csv"),
    "scaling in LIBSVM's format": (["train", "points.csv", "--scale", "minmax", *LIBSVM], "--scale"),
    "ball in LIBSVM's format": (["train", "points.csv", "--type", "ball", *LIBSVM], "--type ball"),
    "kernel in LIBSVM's format": (["train", "points.csv", "-t", "laplacian", *LIBSVM], "--kernel laplacian"),
    "classes in LIBSVM's format": (["train", "words.csv", *LIBSVM], "classes that are no integers"),
    "regression on words": (["train", "words.csv", "--type", "svr"], "has left"),
    "no labels": (["train", "points.csv", "--label", "none"], "needs labels"),
    "unknown column": (["train", "words.csv", "--label", "colour"], "'colour'"),
    "one class": (["train", "same.csv"], "class"),
    "numbers for classes of least squares": (["train", "numbers.csv", "-s", "rlsc"], "use --type rlsr"),
    "words for numbers of least squares": (["train", "words.csv", "-s", "rlsr"], "has left"),
    "C of least squares": (
        ["train", "points.csv", "-s", "rlsc", "-C", "1"],
        "-C has no meaning for --type r",
    ),
    "solver of least squares": (["train", "points.csv", "-s", "rlsr", "--step", "newton"], "--step has no"),
    "time of least squares": (["train", "points.csv", "-s", "rlsr", "--max-time", "1"], "--max-time has no"),
    "lam of another type": (["train", "points.csv", "--lam", "1"], "--lam has no meaning for --type svc"),
    "lam is a word": (["train", "points.csv", "-s", "rlsc", "--lam", "few"], "'few' is neither a number nor"),
    "lam is zero": (["train", "points.csv", "-s", "rlsc", "--lam", "0"], "lam must be"),
    "no centres": (["train", "points.csv", "-s", "rlsc", "--centres", "0"], "'0' is no whole number"),
    "many centres": (["train", "points.csv", "-s", "rlsc", "--centres", "91"], "91 of them cannot be chosen"),
    "gamma by leave-one-out": (["train", "points.csv", "--gamma", "loo"], "--gamma loo has no meaning"),
    "least squares in LIBSVM's format": (["train", "points.csv", "-s", "rlsc", *LIBSVM], "--type rlsc"),
    "broken stream": (["train", "broken.libsvm", "-s", "rlsc", "--centres", "1"], "broken.libsvm, line 2"),
}


@pytest.mark.parametrize("case", BAD)
def test_mistakes_are_said_in_one_sentence_with_exit_code_2(case, csv_file, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "broken.libsvm").write_text("1 1:0.5\n1 2:x\n")
    (tmp_path / "words.csv").write_text("height,side\n1,left\n2,right\n")
    (tmp_path / "first.csv").write_text("side,height\nleft,1\nright,2\n")
    (tmp_path / "numbers.csv").write_text("1,1\n2,0.5\n3,2\n")
    (tmp_path / "gap.csv").write_text("1,1\nnan,2\n")
    (tmp_path / "same.csv").write_text("1,1\n2,1\n")
    before = sorted(tmp_path.iterdir())
    arguments, words = BAD[case]
    assert main(arguments) == 2
    said = capsys.readouterr()
    assert words in said.err and said.err.count("\n") == 1 and "Traceback" not in said.err
    assert said.out == ""
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("label", ["0", "side"])
def test_the_model_remembers_the_column_of_labels(label, tmp_path, capsys):
    (tmp_path / "first.csv").write_text("side,height\nleft,1\nright,2\nleft,1.1\n")
    (tmp_path / "new.csv").write_text("height\n1\n2\n")
    model = str(tmp_path / "model")
    assert main(["train", str(tmp_path / "first.csv"), model, "--label", label]) == 0
    capsys.readouterr()
    assert main(["predict", str(tmp_path / "first.csv"), model]) == 0
    said = capsys.readouterr()
    assert said.out.split() == ["left", "right", "left"] and said.err == "accuracy 1 (3/3)\n"
    assert main(["predict", str(tmp_path / "new.csv"), model]) == 0
    assert capsys.readouterr().out.split() == ["left", "right"]


def test_predictions_go_to_standard_output_and_the_score_beside_them(csv_file, tmp_path, capsys):
    assert main(["train", str(csv_file), str(tmp_path / "model"), "--scale", "standard"]) == 0
    capsys.readouterr()
    assert main(["predict", str(csv_file), str(tmp_path / "model")]) == 0
    said = capsys.readouterr()
    assert set(said.out.split()) == {"1", "-1"}
    assert said.err.startswith("accuracy 0.")


def test_probabilities_sum_to_one_and_their_greatest_is_the_prediction(csv_file, tmp_path):
    model, output = tmp_path / "model", tmp_path / "output"
    assert main(["train", str(csv_file), str(model), "--probability"]) == 0
    assert main(["predict", str(csv_file), str(model), str(output), "--probability"]) == 0
    header, *lines = output.read_text().splitlines()
    assert header == "labels -1 1"
    rows = np.array([line.split() for line in lines], dtype=float)
    np.testing.assert_allclose(rows[:, 1:].sum(axis=1), 1.0)
    np.testing.assert_array_equal(rows[:, 0], np.array([-1, 1])[rows[:, 1:].argmax(axis=1)])


def test_labels_with_blanks_and_commas_can_be_read_back(sample, tmp_path):
    X, y = sample
    words = np.where(y > 0, 'far "right", up', "left of it")
    with open(tmp_path / "words.csv", "w", newline="") as file:
        csv.writer(file).writerows([*x, word] for x, word in zip(X, words, strict=True))
    paths = [str(tmp_path / name) for name in ("words.csv", "model", "output")]
    assert main(["train", *paths[:2], "--scale", "standard"]) == 0
    assert main(["predict", *paths, "--decision"]) == 0
    with open(tmp_path / "output", newline="") as file:
        header, *rows = csv.reader(file, delimiter=" ")
    assert header == ["labels", "f"]
    assert [word for word, _ in rows] == [sorted(set(words))[float(f) > 0] for _, f in rows]


def test_probabilities_of_a_machine_without_them_are_refused(csv_file, tmp_path, capsys):
    assert main(["train", str(csv_file), str(tmp_path / "model")]) == 0
    assert main(["predict", str(csv_file), str(tmp_path / "model"), "--probability"]) == 2
    assert "--probability" in capsys.readouterr().err


def test_decision_values_have_the_sign_of_the_prediction(csv_file, tmp_path):
    model, output = tmp_path / "model", tmp_path / "output"
    assert main(["train", str(csv_file), str(model)]) == 0
    assert main(["predict", str(csv_file), str(model), str(output), "--decision"]) == 0
    header, *lines = output.read_text().splitlines()
    rows = np.array([line.split() for line in lines], dtype=float)
    assert header == "labels f"
    np.testing.assert_array_equal(rows[:, 0], np.sign(rows[:, 1]))


def test_points_without_labels_are_predicted_without_a_score(csv_file, sample, tmp_path, capsys):
    X, _ = sample
    np.savetxt(tmp_path / "new.csv", X[:5], delimiter=",")
    assert main(["train", str(csv_file), str(tmp_path / "model")]) == 0
    capsys.readouterr()
    assert main(["predict", str(tmp_path / "new.csv"), str(tmp_path / "model")]) == 0
    said = capsys.readouterr()
    assert len(said.out.splitlines()) == 5
    assert said.err == ""


def test_libsvm_model_files_are_written_and_read(libsvm_file, tmp_path):
    from libsvm.svmutil import svm_load_model, svm_predict, svm_read_problem

    model, output = tmp_path / "model", tmp_path / "output"
    assert main(["train", str(libsvm_file), str(model), "--model-format", "libsvm", "-g", "0.1"]) == 0
    assert main(["predict", str(libsvm_file), str(model), str(output)]) == 0
    y, X = svm_read_problem(str(libsvm_file))
    theirs, _, _ = svm_predict(y, X, svm_load_model(str(model)), "-q")
    np.testing.assert_array_equal(np.loadtxt(output), theirs)


BOARD = noisy_chess_board(3000, noise=0.1, seed=0)


def interrupted(folder, *options):
    """Exit code, output and what a terminal shows of a training that gets Ctrl-C when it shows progress."""
    import pty

    np.savetxt(folder / "board.csv", np.column_stack([BOARD.X, BOARD.y]), delimiter=",")
    master, terminal = pty.openpty()
    command = [sys.executable, "-m", "widemargin", "train", "board.csv", "board.model"]
    with subprocess.Popen(
        [*command, "-C", "1e7", "--tol", "1e-9", "--max-time", "100", *options],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(Path(wm.__file__).absolute().parents[1])},
        stdout=subprocess.PIPE,
        stderr=terminal,
        text=True,
    ) as process:
        shown = ""
        while "violation" not in shown:
            shown += os.read(master, 1000).decode()
        process.send_signal(signal.SIGINT)
        said, _ = process.communicate(timeout=60)
    shown += os.read(master, 10_000).decode()
    os.close(terminal)
    os.close(master)
    return process.returncode, said, shown


needs_terminal = pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")


@needs_terminal
def test_control_c_stops_cleanly_and_keeps_the_model(tmp_path):
    code, said, shown = interrupted(tmp_path)
    assert code == 130
    assert "support vectors" in said and "on the training points" not in said
    assert "stopping ..." in shown
    stored = io.load_model(tmp_path / "board.model")
    assert stored.status_ is wm.Status.INTERRUPTED
    assert np.isfinite(stored.decision_function(BOARD.X)).all()


@needs_terminal
def test_control_c_ends_a_cross_validation_with_a_word(tmp_path):
    code, said, shown = interrupted(tmp_path, "--cv", "3", "-C", "1e9")  # a fold takes long
    assert code == 130 and said == ""
    assert "stopping ..." in shown and shown.rstrip().endswith("interrupted")


IMPATIENT = """
import sys


class Impatience:
    def find_spec(self, name, *_):
        if name == "numpy":
            raise KeyboardInterrupt


sys.meta_path.insert(0, Impatience())
from widemargin.cli import main

sys.exit(main(["--version"]))
"""


def test_control_c_while_the_libraries_load_ends_with_a_word():
    environment = os.environ | {"PYTHONPATH": str(Path(wm.__file__).absolute().parents[1])}
    ended = subprocess.run([sys.executable, "-c", IMPATIENT], env=environment, capture_output=True, text=True)
    assert ended.returncode == 130 and ended.stderr == "widemargin: interrupted\n"


LEAST_SQUARES = {
    "lam by leave-one-out": ([], {}),
    "all given": (
        ["--lam", "0.01", "--gamma", "0.5", "--bias", "free"],
        {"lam": 0.01, "gamma": 0.5, "bias": "free"},
    ),
    "gamma by leave-one-out": (["--gamma", "loo"], {"gamma": "loo"}),
    "centres": (["--centres", "20", "--seed", "3"], {"centres": wm.RandomCentres(20, seed=3)}),
}


@pytest.mark.parametrize("case", LEAST_SQUARES)
@pytest.mark.parametrize("kind", ["rlsc", "rlsr"])
def test_least_squares_are_trained_stored_and_loaded(kind, case, csv_file, sample, tmp_path, capsys):
    X, y = sample
    options, parameters = LEAST_SQUARES[case]
    assert main(["train", str(csv_file), str(tmp_path / "model"), "-s", kind, *options]) == 0
    said = capsys.readouterr().out
    expected = (wm.RLSClassifier if kind == "rlsc" else wm.RLSRegressor)(**parameters).fit(X, y)
    stored = io.load_model(tmp_path / "model")
    np.testing.assert_allclose(stored.dual_coef_, expected.dual_coef_, rtol=1e-9)
    np.testing.assert_array_equal(stored.predict(X), expected.predict(X))
    np.testing.assert_array_equal(stored.loo_predictions_, expected.loo_predictions_)
    assert f"lam {expected.lam_:.6g}" in said and ("(by leave-one-out)" in said) == (case != "all given")
    error = f"{1 - expected.loo_error_ if kind == 'rlsc' else expected.loo_error_:.4g}"
    assert f"leave-one-out: {'accuracy' if kind == 'rlsc' else 'mean squared error'} {error}" in said
    assert ("20 centres" in said) == (case == "centres")


def test_of_many_points_leave_one_out_is_told_where_it_chose_lam(libsvm_file, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("widemargin.estimators.low_rank_machine.LEAVE_ONE_OUT_SIZE", 50)
    options = ["-s", "rlsc", "--centres", "9"]
    assert main(["train", str(libsvm_file), str(tmp_path / "a"), *options]) == 0
    said = capsys.readouterr().out
    assert f"leave-one-out: accuracy {1 - io.load_model(tmp_path / 'a').loo_error_:.4g}" in said
    assert main(["train", str(libsvm_file), str(tmp_path / "b"), *options, "--lam", "0.1"]) == 0
    assert "leave-one-out error not computed" in capsys.readouterr().out


def test_with_centres_libsvm_files_are_read_in_parts(libsvm_file, sample, tmp_path, monkeypatch, capsys):
    X, y = sample
    parts = io.libsvm_chunks
    monkeypatch.setattr(io, "libsvm_chunks", lambda path: parts(path, rows=25))
    monkeypatch.setattr(io, "read_libsvm", None)  # it is never read as a whole
    arguments = [str(libsvm_file), str(tmp_path / "model"), "-s", "rlsc", "--centres", "15"]
    assert main(["train", *arguments]) == 0
    said = capsys.readouterr().out
    machine = wm.RLSClassifier(centres=15).fit_chunks(parts(libsvm_file, rows=25))
    stored = io.load_model(tmp_path / "model")
    np.testing.assert_allclose(stored.decision_function(X), machine.decision_function(X), rtol=1e-9)
    assert f"({np.sum(machine.predict(X) == y)}/90)" in said and "90 points, 3 features, 15 centres" in said


@pytest.fixture
def parquet_file(sample, tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    X, y = sample
    columns = {name: X[:, k] for k, name in enumerate("abc")} | {"side": np.where(y > 0, "right", "left")}
    pytest.importorskip("pyarrow.parquet").write_table(pyarrow.table(columns), tmp_path / "points.parquet")
    return tmp_path / "points.parquet"


@pytest.mark.parametrize("options", [[], ["-s", "rlsc"], ["-s", "rlsc", "--centres", "15"]])
def test_parquet_files_are_trained_on_and_predicted(options, parquet_file, tmp_path, capsys):
    assert main(["train", str(parquet_file), str(tmp_path / "model"), "--label", "side", *options]) == 0
    rate = capsys.readouterr().out.split("on the training points: ")[1].splitlines()[0]
    assert main(["predict", str(parquet_file), str(tmp_path / "model"), str(tmp_path / "out")]) == 0
    assert capsys.readouterr().out.strip() == rate
    assert set((tmp_path / "out").read_text().split()) == {"left", "right"}


def test_parquet_without_pyarrow_is_said_in_a_sentence(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    (tmp_path / "a.parquet").write_bytes(b"PAR1")
    for options in ([], ["-s", "rlsc", "--centres", "3"]):
        assert main(["train", str(tmp_path / "a.parquet"), *options]) == 2
        assert "widemargin[parquet]" in capsys.readouterr().err


def test_conjugate_gradients_that_fall_short_are_warned_of(csv_file, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("widemargin.estimators.low_rank_machine.DIRECT_CENTRES", 5)
    options = ["-s", "rlsc", "--lam", "1e-6", "--centres", "30", "--max-iter", "2", "--scale", "standard"]
    assert main(["train", str(csv_file), str(tmp_path / "model"), *options]) == 0
    said = capsys.readouterr()
    assert said.err.startswith("widemargin: warning: ") and "max_iter=2" in said.err
    assert "2 steps of conjugate gradients" in said.out


def test_control_c_shows_the_mean_of_the_folds_that_are_done(csv_file, monkeypatch, capsys):
    calls = []

    def fit(estimator, points):
        calls.append(points)
        if len(calls) == 3:
            os.kill(os.getpid(), signal.SIGINT)
        return points.fit(estimator)

    monkeypatch.setattr("widemargin.cli.train.fit", fit)
    assert main(["train", str(csv_file), "--cv", "4"]) == 130
    said = capsys.readouterr()
    *folds, mean = said.out.splitlines()
    assert len(folds) == 2 and mean.startswith("mean of 2 of 4 folds: accuracy ")
    assert float(mean.split()[-1]) == pytest.approx(np.mean([float(f.split()[-2]) for f in folds]), abs=1e-3)


@pytest.mark.parametrize("option", [["-t", "4"], ["-s", "5"]])
def test_numbers_mean_what_they_mean_in_libsvm_or_nothing(option, libsvm_file, capsys):
    assert main(["train", str(libsvm_file), *option]) == 2
    assert "invalid choice" in capsys.readouterr().err
