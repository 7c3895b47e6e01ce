"""`widemargin select`, end to end on files."""

import os
import signal
import subprocess
import sys

import numpy as np
import pytest
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.preprocessing import StandardScaler

import widemargin as wm
from widemargin import io
from widemargin.cli import main, picture, search


@pytest.fixture(scope="module")
def sample():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 3)) * [1.0, 10.0, 0.1]
    return X, np.where(X[:, 0] + 0.03 * X[:, 1] ** 2 + 0.3 * rng.normal(size=90) > 1, 1, -1)


def write(path, X, y):
    np.savetxt(path, np.column_stack([X, y]), delimiter=",", fmt="%.17g")
    return str(path)


@pytest.fixture
def csv_file(sample, tmp_path):
    return write(tmp_path / "points.csv", *sample)


def test_the_grid_and_its_best_cell_are_shown(csv_file, sample, capsys):
    X, y = sample
    grid = ["--Cs", "0.1:10:3", "--gammas", "0.01,0.1", "--cv", "3", "--scale", "standard"]
    assert main(["select", csv_file, *grid]) == 0
    lines = capsys.readouterr().out.splitlines()
    result = wm.cross_validate_path(
        wm.SVC(),
        StandardScaler().fit_transform(X),
        y,
        Cs=[0.1, 1, 10],
        gammas=[0.01, 0.1],
        cv=StratifiedKFold(3, shuffle=True, random_state=0),
    )
    assert lines[0].split() == ["C", "\\", "gamma", "0.01", "0.1"]
    for line, C, row in zip(lines[1:4], ["0.1", "1", "10"], result.mean_scores, strict=True):
        assert line.split() == [C, *(f"{mean:.4f}" for mean in row)]
    best = f"best: -C {result.best_C:g}, --gamma {result.best_gamma:g}: accuracy {result.best_score:.4f}"
    assert lines[4] == best
    assert lines[-1].startswith("18 machines in ") and "kernel values computed" in lines[-1]


def test_a_best_value_at_an_end_of_the_grid_is_said_to_be_one(csv_file, capsys):
    common = ["--cv", "3", "--scale", "standard"]
    assert main(["select", csv_file, "--Cs", "1:10:2", "--gammas", "1e-7,1e-6,1e-3", *common]) == 0
    said = capsys.readouterr().out
    assert "gamma 0.001 is the largest that was tried: there may be a better one beyond, see --gammas" in said
    assert said.count("was tried") == 1  # two values are no range
    assert main(["select", csv_file, "--Cs", "0.1,1,10", "--gammas", "0.01,0.1,1,10", *common]) == 0
    assert "was tried" not in capsys.readouterr().out


def test_the_best_machine_is_fitted_on_all_points_and_stored(csv_file, sample, tmp_path, capsys):
    X, y = sample
    model = tmp_path / "best.model"
    grid = ["--Cs", "1,10", "--gammas", "0.1,1", "--scale", "standard"]
    assert main(["select", csv_file, "--model", str(model), *grid]) == 0
    said = capsys.readouterr().out
    assert f"fitted on all 90 points and stored in {model}" in said
    C, gamma = (word.rstrip(",:") for word in said.partition("best: ")[2].split()[1:4:2])
    stored = io.load_model(model)
    assert (stored[-1].C, stored[-1].gamma) == (float(C), float(gamma))
    X = StandardScaler().fit_transform(X)
    expected = wm.SVC(C=float(C), gamma=float(gamma)).fit(X, y).decision_function(X)
    np.testing.assert_allclose(stored.decision_function(sample[0]), expected, atol=1e-6)


@pytest.mark.parametrize("kind", ["svr", "nu-svr"])
def test_regression_is_searched_by_the_share_of_variance_explained(sample, tmp_path, capsys, kind):
    X, _ = sample
    path = write(tmp_path / "numbers.csv", X, np.sin(X[:, 0]))
    assert main(["select", path, "--type", kind, "--Cs", "1,100", "--gammas", "0.01,0.001"]) == 0
    build = wm.SVR if kind == "svr" else wm.NuSVR
    cv = KFold(5, shuffle=True, random_state=0)
    result = wm.cross_validate_path(build(), X, np.sin(X[:, 0]), Cs=[1, 100], gammas=[0.01, 0.001], cv=cv)
    assert f"R^2 {result.best_score:.4f}" in capsys.readouterr().out


def test_a_linear_kernel_has_one_column_of_scores(csv_file, capsys):
    assert main(["select", csv_file, "--kernel", "linear", "--Cs", "1,10"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["C", "score"] and "gamma" not in lines[3]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--Cs", "1,-1"], "--Cs has '1,-1', but all its numbers must be positive"),
        (["--Cs", "few"], "--Cs has 'few' where A:B:N or a list of numbers is needed"),
        (["--Cs", ""], "--Cs has '' where"),
        (["--gammas", "1:2"], "--gammas has '1:2' where A:B:N is needed"),
        (["--gammas", "1:2:2.5"], "N a whole number"),
        (["--gammas", "-1,2"], "--gammas has '-1,2', but all its numbers must be positive"),
        (["--type", "rlsc"], "--type rlsc needs no search"),
        (["--kernel", "linear", "--gammas", "1"], "--gammas has no meaning for --kernel linear"),
        (["-C", "1"], "-C has no meaning here: give --Cs"),
        (["--gamma", "1"], "--gamma has no meaning here: give --gammas"),
        (["--type", "nu-svc"], "--type nu-svc cannot be searched: use one of svc, svr, nu-svr"),
        (["--cv", "1"], "--cv is 1; it must lie between 2 and the number of points, 90"),
        (["--cv", "91"], "--cv is 91; it must lie between 2"),
        (["--label", "none"], "--type svc needs labels"),
        (["--model", "nowhere/x"], "there is no directory nowhere"),
        (["--picture", "x.txt"], "--picture x.txt must end with .png, .svg or .pdf"),
        (["--picture", "nowhere/x.png"], "--picture nowhere/x.png cannot be written: there is no directory"),
        (["--picture", "a.png", "--model", "a.png"], "--picture and --model are the same file, a.png"),
        (["--picture", "a.png", "--kernel", "linear"], "--picture needs at least two C and two gammas"),
        (["--picture", "a.png", "--Cs", "1"], "--picture needs at least two C and two gammas"),
        (["--pictures", "nowhere/deep"], "--pictures nowhere/deep cannot be made: there is no directory"),
        (["--pictures", __file__], "is a file: give the name of a directory"),
        (
            ["--pictures", ".", "--picture", "roc.png"],
            "--pictures would write roc.png, which is named already",
        ),
        (["--per-feature"], "--per-feature has no meaning for --method grid"),
        (["--max-evaluations", "9"], "--max-evaluations has no meaning for --method grid"),
        (["--method", "auto", "-C", "1"], "-C has no meaning for --method auto --type svc: leave it out"),
        (["--method", "auto", "--Cs", "1"], "--Cs has no meaning for --method auto --type svc: leave it out"),
        (["--method", "auto", "--scale", "minmax"], "--scale has no meaning for --method auto, which scales"),
        (["--method", "auto", "--kernel", "poly"], "--kernel poly has no meaning for --method auto"),
        (["--method", "auto", "--type", "nu-svr"], "--method auto needs --type svc or svr, not nu-svr"),
        (
            ["--method", "auto", "--type", "svr", "--class-weight", "balanced"],
            "--class-weight has no meaning",
        ),
        (["--method", "auto", "--model", "m", "--model-format", "libsvm"], "no place for --method auto"),
        (["--method", "kta", "--per-feature", "--model", "m", "--model-format", "libsvm"], "--per-feature"),
        (["--method", "posterior", "--type", "svr"], "--method posterior needs --type svc, not svr"),
        (["--method", "posterior", "--kernel", "poly"], "--method posterior needs --kernel rbf, not poly"),
        (
            ["--method", "posterior", "--Cs", "1,2"],
            "--Cs has no meaning for --method posterior: leave it out",
        ),
        (["--method", "posterior", "--gamma", "1"], "--gamma has no meaning for --method posterior"),
        (["--method", "kta", "--max-evaluations", "0"], "--max-evaluations is 0; it must be at least 1"),
        (["--method", "kta", "--Cs", "0,1"], "--Cs has '0,1', but all its numbers must be positive"),
        (["--method", "kta", "--picture", "a.png"], "--picture has nothing to draw for --method kta"),
        (["--method", "luck"], "invalid choice: 'luck'"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(csv_file, capsys, options, words):
    assert main(["select", csv_file, *options]) == 2
    said = capsys.readouterr().err
    assert said.startswith("widemargin select: ") and words in said and said.count("\n") == 1


def is_png(path):
    return path.read_bytes().startswith(b"\x89PNG")


def test_the_picture_of_a_grid_has_a_star_in_its_best_cell(csv_file, tmp_path, capsys, monkeypatch):
    drawn = []
    monkeypatch.setattr(picture, "save", lambda display, path: drawn.append(display))
    options = ["--Cs", "1,10", "--gammas", "0.01,0.1,1", "--picture", str(tmp_path / "grid.png")]
    assert main(["select", csv_file, *options]) == 0
    C, gamma = drawn[0].best_
    assert f"best: -C {C:g}, --gamma {gamma:g}:" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "names"),
    [
        (["--Cs", "1,10", "--gammas", "0.01,0.1", "--cv", "3"], ["landscape", "learning-curve", "roc"]),
        (["--Cs", "1,10", "--kernel", "linear", "--cv", "3"], ["learning-curve", "roc"]),
        (["--method", "auto"], ["learning-curve", "roc"]),  # radial: features count alike
        (["--method", "posterior", "--max-evaluations", "3"], ["landscape", "learning-curve", "roc"]),
        (["--method", "kta", "--max-evaluations", "3", "--Cs", "1,10"], ["learning-curve", "roc"]),
        (
            ["--method", "kta", "--per-feature", "--max-evaluations", "3", "--Cs", "1,10"],
            ["learning-curve", "relevances", "roc"],
        ),
    ],
)
def test_all_pictures_that_make_sense_are_drawn(csv_file, tmp_path, options, names):
    directory = tmp_path / "pictures"
    assert main(["select", csv_file, *options, "--quiet", "--pictures", str(directory)]) == 0
    assert sorted(path.stem for path in directory.iterdir()) == names
    assert all(map(is_png, directory.iterdir()))


def test_numbers_and_three_classes_have_no_roc_and_relevances_if_features_differ(sample, tmp_path):
    X, _ = sample
    numbers, classes = tmp_path / "numbers.csv", tmp_path / "classes.csv"
    write(numbers, X, np.cos(X / X.std(axis=0)).prod(axis=1))
    write(classes, X, np.digitize(X[:, 0], [-0.5, 0.5]))
    for path, kind, names in ((numbers, "svr", []), (classes, "svc", ["relevances"])):
        directory = tmp_path / kind
        options = ["--type", kind, "--method", "auto", "--pictures", str(directory)]
        assert main(["select", str(path), *options]) == 0
        assert sorted(path.stem for path in directory.iterdir()) == ["learning-curve", *names]


def test_the_machine_that_tunes_itself_is_reported_stored_and_drawn(sample, csv_file, tmp_path, capsys):
    X, y = sample
    model, file = tmp_path / "auto.model", tmp_path / "relevances.png"
    assert main(["select", csv_file, "--method", "auto", "--model", str(model), "--picture", str(file)]) == 0
    said = capsys.readouterr().out
    assert "AutoSVC on 90 points" in said and f"stored in {model}" in said and f"drawn in {file}" in said
    expected = wm.AutoSVC(random_state=0).fit(X, y)
    stored = io.load_model(model)
    np.testing.assert_allclose(stored.predict_proba(X), expected.predict_proba(X), atol=1e-6)
    assert str(stored.report_).splitlines()[1:3] == expected.report().splitlines()[1:3]
    assert is_png(file)
    assert main(["predict", csv_file, str(model), str(tmp_path / "out.txt")]) == 0
    assert f"accuracy {np.mean(expected.predict(X) == y):.4g}" in capsys.readouterr().out


def test_numbers_are_learned_by_the_machine_that_tunes_itself(sample, tmp_path, capsys):
    X, _ = sample
    path, model = write(tmp_path / "numbers.csv", X, np.sin(X[:, 0])), tmp_path / "auto.model"
    assert main(["select", path, "--method", "auto", "--type", "svr", "--model", str(model)]) == 0
    assert "AutoSVR on 90 points" in capsys.readouterr().out
    expected = wm.AutoSVR().fit(X, np.sin(X[:, 0])).predict(X)
    np.testing.assert_allclose(io.load_model(model).predict(X), expected, atol=1e-9)


def test_a_search_by_an_objective_is_stored_behind_its_scaler_and_drawn(sample, csv_file, tmp_path, capsys):
    X, y = sample
    model, file = tmp_path / "best.model", tmp_path / "way.png"
    options = ["--method", "posterior", "--max-evaluations", "12", "--scale", "standard", "--quiet"]
    assert main(["select", csv_file, *options, "--model", str(model), "--picture", str(file)]) == 0
    said = capsys.readouterr().out
    scaled = StandardScaler().fit_transform(X)
    twin = wm.ModelSearch.preset("posterior", wm.SVC(random_state=0), random_state=0, max_evaluations=12)
    best = twin.fit(scaled, y).best_estimator_
    assert f"best: -C {best.C:.6g}, --gamma {best.kernel.gamma:.6g}: LogPosterior" in said
    assert "12 evaluations in" in said and is_png(file)
    stored = io.load_model(model)
    np.testing.assert_allclose(stored.decision_function(X), best.decision_function(scaled), atol=1e-9)


def test_a_gamma_for_each_feature_is_found_named_and_drawn(sample, tmp_path, capsys, monkeypatch):
    X, y = sample
    path, drawn = tmp_path / "named.csv", []
    rows = "\n".join(",".join(map(str, row)) for row in np.column_stack([X, y]))
    path.write_text(f"first,second,third,class\n{rows}\n")
    monkeypatch.setattr(picture, "save", lambda display, path: drawn.append(display))
    options = ["--method", "kta", "--per-feature", "--scale", "standard", "--cv", "3", "--Cs", "1,10"]
    options += ["--picture", str(tmp_path / "relevances.png"), "--max-evaluations", "40"]
    assert main(["select", str(path), *options]) == 0
    said = capsys.readouterr().out
    assert "a gamma for each of 3 features" in said
    assert drawn[0].feature_names == ["first", "second", "third"]
    largest = drawn[0].feature_names[int(np.argmax(drawn[0].relevance))]
    assert f"largest: {largest} {drawn[0].relevance.max():.3g}" in said


def test_a_class_with_fewer_points_than_folds_is_named(sample, tmp_path, capsys):
    X, y = sample
    path = write(tmp_path / "rare.csv", X, np.where(np.arange(90) < 3, 7, y))
    assert main(["select", path]) == 2
    assert "--cv is 5, but class 7" in capsys.readouterr().err


def test_ctrl_c_shows_what_is_known(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 5))
    path = write(tmp_path / "points.csv", X, X[:, 0] * X[:, 1] + rng.normal(size=2000) > 0)
    code = (
        "import os, signal, sys, threading; from widemargin.cli import grid, main\n"
        "class Pressing(grid.Progress):\n"
        "    def __call__(self, done, total):\n"
        "        if done == 4: os.kill(os.getpid(), signal.SIGINT)\n"
        "        return super().__call__(done, total)\n"
        "grid.Progress = Pressing\n"
        f"sys.exit(main(['select', {path!r}, '--gammas', '0.1:10:5', '--Cs', '0.1,1,10']))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, env=os.environ, check=False
    )
    assert run.returncode == 128 + signal.SIGINT, run.stderr
    assert "interrupted; the grid shows what was known then" in run.stderr
    assert " -" in run.stdout and "machines in" in run.stdout


def test_ctrl_c_keeps_the_best_machine_of_a_search(csv_file, tmp_path, capsys, monkeypatch):
    class Pressing(search.Progress):
        def __call__(self, evaluation, done):
            if done == 5:
                signal.raise_signal(signal.SIGINT)
            return super().__call__(evaluation, done)

    monkeypatch.setattr(search, "Progress", Pressing)
    model = tmp_path / "best.model"
    assert main(["select", csv_file, "--method", "posterior", "--model", str(model)]) == 128 + signal.SIGINT
    said = capsys.readouterr()
    assert "5 evaluations in" in said.out and ": interrupted\n" in said.out
    assert "interrupted; the machine is the best one until then" in said.err
    assert io.load_model(model).predict(np.zeros((1, 3))).shape == (1,)
