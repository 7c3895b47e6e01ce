"""The parts of `widemargin bench`, and the command as a whole on few points."""

import json

import matplotlib
import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_blobs
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.svm import SVC

matplotlib.use("agg")

from widemargin.benchmarks import comparison, contender, grid, growth, judge, measurement, summary, table
from widemargin.benchmarks.contender import CONTENDERS, OURS, PEERS
from widemargin.benchmarks.judge import Verdict
from widemargin.benchmarks.limit import factors, limit_seconds
from widemargin.benchmarks.measurement import Order
from widemargin.benchmarks.workload import WORKLOADS, Workload
from widemargin.cli import main

GAUSSIAN = {"kernel": "rbf", "gamma": 0.3, "C": 2.0}


def blobs(classes, n=90):
    X, y = make_blobs(n, 4, centers=classes, cluster_std=4.0, random_state=3)
    return X, y


def slow_pair(K, y, b, C):
    """Value and violation of one pair of classes, by the definition."""
    value = sum(y * b) - sum(b[i] * b[j] * K[i, j] for i in range(len(b)) for j in range(len(b))) / 2
    slopes = [y[i] - sum(K[i, j] * b[j] for j in range(len(b))) for i in range(len(b))]
    rises = [s for s, v, t in zip(slopes, b, y, strict=True) if (v < C if t > 0 else v < 0)]
    falls = [s for s, v, t in zip(slopes, b, y, strict=True) if (v > 0 if t > 0 else v > -C)]
    return value, max(rises) - min(falls)


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("make", [np.asarray, sparse.csr_matrix])
def test_the_judge_agrees_with_the_definition_for_classes(classes, make, monkeypatch):
    monkeypatch.setattr(judge, "BLOCK", 500)
    monkeypatch.setattr(judge, "DENSE_SHARE", 2.0)
    X, y = blobs(classes)
    machine = SVC(tol=0.5, **GAUSSIAN).fit(X, y)  # far from optimal
    A = np.zeros((len(y), classes - 1))
    A[machine.support_] = machine.dual_coef_.T
    values, violations = [], []
    for i in range(classes):
        for j in range(i + 1, classes):
            inside = np.isin(y, (i, j))
            b = np.where(y == i, A[:, j - 1], A[:, i])[inside] * (-1 if classes == 2 else 1)
            signs = np.where(y == i, 1.0, -1.0)[inside]
            value, violation = slow_pair(rbf_kernel(X[inside], gamma=0.3), signs, b, 2.0)
            values.append(value)
            violations.append(violation)
    order = np.random.default_rng(0).permutation(len(machine.support_))
    verdict = judge.judge(make(X), y, GAUSSIAN, machine.support_[order], machine.dual_coef_[:, order])
    assert verdict.dual_objective == pytest.approx(sum(values), rel=1e-10)
    assert verdict.kkt_violation == pytest.approx(max(violations), rel=1e-8)
    assert verdict.kkt_violation > 0.01
    assert verdict.infeasibility < 1e-12


def test_the_judge_agrees_with_the_definition_for_regression():
    """The twin has two multipliers for each point."""
    X, y = blobs(3)
    b, C, epsilon = np.random.default_rng(0).choice([-2.0, -1.0, 0.0, 0.5, 2.0], len(y)), 2.0, 0.1
    K = rbf_kernel(X, gamma=0.3)
    f = K @ b
    rises, falls = [], []
    for i in range(len(y)):
        up, down = max(b[i], 0.0), max(-b[i], 0.0)
        for multiplier, sign in ((up, 1), (down, -1)):
            slope = y[i] - f[i] - sign * epsilon
            if multiplier < C:
                (rises if sign > 0 else falls).append(slope)
            if multiplier > 0:
                (falls if sign > 0 else rises).append(slope)
    support = np.flatnonzero(b)
    verdict = judge.judge(X, y, GAUSSIAN | {"epsilon": epsilon}, support, b[support][None])
    assert verdict.kkt_violation == pytest.approx(max(rises) - min(falls))
    assert verdict.dual_objective == pytest.approx(y @ b - epsilon * abs(b).sum() - b @ K @ b / 2)
    assert verdict.infeasibility == pytest.approx(abs(b.sum()) / abs(b).sum())


def test_the_judge_sees_what_is_wrong_with_a_solution():
    X, y = blobs(2)
    machine = SVC(tol=1e-6, **GAUSSIAN).fit(X, y)
    support, dual = machine.support_, machine.dual_coef_

    def verdict(wrong):
        return judge.judge(X, y, GAUSSIAN, support, wrong)

    right = verdict(dual)
    assert right.kkt_violation < 1e-5 and right.infeasibility < 1e-12
    halved = verdict(dual / 2)
    assert halved.kkt_violation > 0.1 and halved.dual_objective < right.dual_objective
    assert verdict(-dual).infeasibility > 0.01  # beyond the bounds
    without_one = dual.copy()
    without_one[0, 0] = 0.0
    assert verdict(without_one).infeasibility > 1e-4
    assert verdict(dual * 3).infeasibility > 1e-4


TASKS = {
    "two classes": ("SVC", GAUSSIAN, blobs(2)),
    "minus and plus": ("SVC", GAUSSIAN, (blobs(2)[0], 2.0 * blobs(2)[1] - 1)),
    "four classes": ("SVC", GAUSSIAN, blobs(4)),
    "linear": ("SVC", {"kernel": "linear", "C": 0.1}, blobs(3)),
    "regression": ("SVR", GAUSSIAN | {"epsilon": 0.1}, (blobs(3)[0], blobs(3)[0][:, 0] / 5)),
    "one class": ("OneClassSVM", {"kernel": "rbf", "gamma": 0.3, "nu": 0.2}, blobs(1)),
}


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("name", CONTENDERS)
def test_every_contender_solves_the_problem_that_the_judge_knows(name, task):
    if contender.missing([name]):
        pytest.skip("not installed")
    machine, parameters, (X, y) = TASKS[task]
    workload = Workload(lambda *_: None, parameters, machine=machine)
    if machine == "OneClassSVM" and "intelex" in name:
        with pytest.raises(contender.LeftOut):
            CONTENDERS[name](workload, 1e-3, 50, 1)
        return
    one = CONTENDERS[name](workload, 1e-3, 50, 1)
    one.convert(X, y)
    one.fit()
    one.convert_test(X + 0.3)
    verdict = judge.judge(X, y, parameters, one.support, one.dual)
    assert verdict.kkt_violation < 1.01e-3 and verdict.infeasibility < 1e-6
    ours = CONTENDERS[OURS](workload, 1e-3, 50, 1)
    ours.convert(X, y)
    ours.fit()
    ours.convert_test(X + 0.3)
    assert np.mean(np.abs(one.predict() - ours.predict()) > 0.01) < 0.03


def test_a_peer_that_hands_on_to_scikit_learn_is_left_out():
    if contender.missing(["intelex64"]):
        pytest.skip("not installed")
    import logging

    CONTENDERS["intelex64"](WORKLOADS["moons"], 1e-3, 50, 1)
    with pytest.raises(contender.LeftOut, match="scikit-learn"):
        logging.getLogger("sklearnex").info("sklearn.svm.SVC.fit: fallback to original Scikit-learn")


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_matrix])
def test_the_limit_computes_the_kernel(make, monkeypatch):
    monkeypatch.setattr(judge, "DENSE_SHARE", 2.0)
    X, support = blobs(2)[0], np.arange(0, 90, 7)
    left, right = factors(make(X), support, 0.3)
    product = left @ right
    exponents = product.toarray() if sparse.issparse(product) else product
    assert exponents.dtype == np.float32
    assert np.exp(exponents) == pytest.approx(rbf_kernel(X[support], X, gamma=0.3), abs=1e-4)
    assert limit_seconds(make(X), support, 0.3, threads=2) > 0
    assert limit_seconds(make(X), support, None, threads=1) > 0


def test_exponents_are_slopes_and_need_three_sizes():
    assert growth.exponent([1, 2, 4, 8], [3 * n**1.5 for n in (1, 2, 4, 8)]) == pytest.approx(1.5)
    assert growth.exponent([1, 2], [1, 2]) is None


def test_growth_spares_a_slow_contender_the_larger_sizes(monkeypatch):
    asked = []

    def measure(order):
        asked.append((order.workload, order.contender, order.points))
        slow = order.contender == "libsvm"
        return {"over_limit": 9} if slow and order.points >= 4 else {"fit_seconds": order.points**2.0}

    monkeypatch.setattr(measurement, "measure", measure)
    points = list(growth.measurements(Order("", OURS, 2), [OURS, "libsvm"], 1, sizes=(2, 4, 8)))
    lines = growth.lines(points)
    assert [line["exponent"] for line in lines if line["contender"] == OURS] == pytest.approx([2, 2])
    assert ("moons", "libsvm", 4) in asked and ("moons", "libsvm", 8) not in asked
    assert "n^2.00" in table.growth_line(lines[0]) and "n^-" in table.growth_line(lines[1])


def growth_points(contender, *seconds):
    sizes = (1000, 2000, 4000)[: len(seconds)]
    return [
        {"workload": "moons", "threads": 2, "contender": contender, "n": n, "seconds": time}
        for n, time in zip(sizes, seconds, strict=True)
    ]


def growth_bars(*points):
    return summary.bars({"workloads": [], "growth": [each for line in points for each in line], "grid": None})


def test_growth_is_compared_with_the_peer_that_is_fastest_over_the_sizes():
    ours = growth_points(OURS, 0.1, 0.25, 0.625)
    steep_and_fast = growth_points("intelex32", 0.2, 0.6, 1.8)
    flat_and_slow = growth_points("intelex64", 1.0, 2.0, 4.0)
    (bar,) = growth_bars(ours, flat_and_slow, steep_and_fast)
    assert bar.holds and bar.allowed == pytest.approx(np.log2(3)) and "intelex32" in bar.place
    (bar,) = growth_bars(ours, flat_and_slow)
    assert not bar.holds and bar.allowed == pytest.approx(1.0)


def test_growth_is_compared_with_a_peer_that_reached_the_largest_size():
    four = (1000, 2000, 4000, 8000)
    late = [
        {"workload": "moons", "threads": 1, "contender": name, "n": n, "seconds": scale * n**power}
        for name, scale, power in ((OURS, 1e-6, 1.5), ("libsvm", 1e-6, 2.0), ("scikit-learn", 1e-3, 1.2))
        for n in four[: 3 if name == "libsvm" else 4]
    ]
    (bar,) = growth_bars(late)
    assert not bar.holds and "scikit-learn" in bar.place


def test_growth_says_nothing_without_peers_or_with_too_few_sizes():
    ours = growth_points(OURS, 0.1, 0.25, 0.625)
    assert growth_bars(ours) == []
    assert growth_bars(ours, growth_points("libsvm", 1.0, 2.0)) == []


def test_the_least_time_of_all_repeats_counts_and_long_runs_are_not_repeated():
    runs = [
        {"fit_seconds": 2.0, "fit_cpu_seconds": 3.0, "score": 1},
        {"fit_seconds": 1.0, "fit_cpu_seconds": 4.0},
    ]
    merged = measurement.merge(runs)
    assert (merged["fit_seconds"], merged["fit_cpu_seconds"], merged["score"]) == (1.0, 3.0, 1)
    assert merged["repeats"] == [2.0, 1.0]
    assert measurement.repeat_rule([], 3) and measurement.repeat_rule(runs, 3)
    assert not measurement.repeat_rule(runs, 2)
    assert not measurement.repeat_rule([{"fit_seconds": 61.0}], 3)
    assert not measurement.repeat_rule([{"over_limit": 300}], 3)


def results(**fits):
    """Results by contender, `-` for scikit-learn as an underscore."""
    return {
        name.replace("_", "-"): {"fit_seconds": seconds, "fit_cpu_seconds": seconds}
        if seconds < 300
        else {"over_limit": 300}
        for name, seconds in fits.items()
    }


def test_ratios_are_to_the_best_peer_and_bounds_where_it_did_not_end():
    assert comparison.ratios(results(widemargin=1, libsvm=4, scikit_learn=300))["fit"] == 1 / 4
    bounded = comparison.ratios(results(widemargin=1, libsvm=300, scikit_learn=300))
    assert bounded["fit"] == 1 / 300 and bounded["bounded"]
    assert comparison.ratios(results(widemargin=300, libsvm=3))["fit"] == 100
    assert "fit" not in comparison.ratios(results(widemargin=1))


def test_a_peer_far_below_the_best_dual_value_is_not_the_best_peer():
    found = results(widemargin=1, libsvm=4, intelex32=0.1)
    for name, value in ((OURS, 100.0), ("libsvm", 99.99), ("intelex32", 85.0)):
        found[name] |= vars(Verdict(value, 1e-3, 0.0))
    comparison.mark_short(found)
    assert [found[name]["short"] for name in found] == [False, False, True]
    ratios = comparison.ratios(found)
    assert ratios["fit"] == 1 / 4
    assert ratios["shortfall"] == pytest.approx(-1e-4, rel=1e-3)


def record():
    found = results(widemargin=1, scikit_learn=300, libsvm=4) | {"intelex32": {"left_out": "has no SVC"}}
    found[OURS] |= {
        "limit_seconds": 0.5,
        "predict_seconds": 0.1,
        "predicted_rows": 100,
        "peak_megabytes": 350.0,
    }
    found[OURS] |= vars(Verdict(100.0, 5e-4, 0.0))
    found["libsvm"] |= {"predict_seconds": 0.2, "predicted_rows": 100}
    ratios = comparison.ratios(found)
    return {
        "workload": "covtype12k",
        "threads": 1,
        "tol": 1e-3,
        "cache": 200,
        "results": found,
        "ratios": ratios,
    }


def test_the_table_has_a_line_for_everyone():
    ours, sklearn, libsvm, intelex = table.lines(record())
    expected = "covtype12k 1 widemargin 1.000 1.000 0.250 0.250 1,000 2.00 100 5.0e-04 350 0.500 2.0"
    assert " ".join(ours.split()) == expected
    assert "> 300" in sklearn and "4.000" in libsvm and intelex.endswith("-  has no SVC")
    assert len({len(table.header().partition("contender")[0]), ours.index(OURS), libsvm.index("libsvm")}) == 1


def test_the_summary_says_what_holds():
    bars = {bar.statement: bar for bar in summary.bars({"workloads": [record()], "growth": [], "grid": None})}
    assert bars["1 fit / best peer, geometric mean"].holds
    assert bars["1 KKT violation / tol"].value == pytest.approx(0.5)
    assert bars["3 fit / limit"].value == 2.0 and bars["3 fit / limit"].holds
    assert not bars["6 memory beyond the cache, MB"].holds
    assert "DOES NOT HOLD" in str(bars["6 memory beyond the cache, MB"])
    assert not any(name.startswith("2") for name in bars)


def test_the_grid_compares_scores_in_examples(monkeypatch):
    scores = np.full((2, 2, 2), 0.5)
    answers = {"scikit-learn": scores, OURS: scores + [[[0.1, 0.0]] * 2] * 2}

    def measure(order):
        seconds = 20.0 if order.contender == "scikit-learn" else 1.0
        return {"fit_seconds": seconds, "scores": answers[order.contender].tolist(), "fold_sizes": [10, 10]}

    monkeypatch.setattr(grid, "measure", measure)
    found = grid.compare(Order("", OURS, 2))
    assert found["ratio"] == 1 / 20 and found["examples_apart"] == pytest.approx(1.0)
    assert "scores apart by 1 examples" in table.grid_line(found)
    assert [bar.holds for bar in summary.bars({"workloads": [], "growth": [], "grid": found})] == [True, True]


def test_scikit_learns_search_has_a_score_for_each_C_gamma_and_fold(monkeypatch):
    monkeypatch.setattr(grid, "CS", np.array([0.1, 1.0, 10.0]))
    monkeypatch.setattr(grid, "GAMMAS", np.array([0.01, 0.5]))
    X, y = blobs(2)
    folds = StratifiedKFold(grid.FOLDS, shuffle=True, random_state=0)
    scores = grid._theirs(X, y, folds, Order("spam", "scikit-learn", 1))
    assert scores.shape == (3, 2, 5)
    assert scores[2, 0] == pytest.approx(cross_val_score(SVC(C=10.0, gamma=0.01), X, y, cv=folds))


def test_a_fit_beyond_the_time_limit_is_ended():
    assert measurement.measure(Order("chess-1k", "scikit-learn", 1, limit_seconds=1e-4)) == {
        "over_limit": 1e-4
    }


def test_bench_measures_in_fresh_processes_prints_writes_and_draws(tmp_path, capsys):
    file, picture = tmp_path / "out.json", tmp_path / "out.png"
    only = [
        "--only",
        "chess-1k",
        "--points",
        "80",
        "--peers",
        "scikit-learn",
        "--threads",
        "1",
        "--repeats",
        "1",
    ]
    assert main(["bench", *only, "--json", str(file), "--picture", str(picture)]) == 0
    said = capsys.readouterr().out
    assert "cores; python" in said and "1 fit / best peer, geometric mean" in said
    outcome = json.loads(file.read_text())
    (found,) = outcome["workloads"]
    assert list(found["results"]) == [OURS, "scikit-learn", comparison.EXACT]
    for result in found["results"].values():
        assert result["n"] == 80 and result["fit_seconds"] > 0 and result["score"] > 0.5
    assert found["results"][OURS]["kkt_violation"] <= 1e-3
    assert found["results"][comparison.EXACT]["kkt_violation"] <= 1e-8
    assert outcome["machine"]["versions"]["scikit-learn"] and outcome["bars"]
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_peers_that_are_not_installed_are_left_out(monkeypatch, capsys):
    monkeypatch.setattr(
        contender, "find_spec", lambda name: None if name in ("libsvm", "sklearnex") else name
    )
    asked = []

    def compare(order, contenders, repeats):
        asked.append((order.workload, order.threads, tuple(contenders), repeats))
        return record()

    monkeypatch.setattr(comparison, "compare", compare)
    assert main(["bench", "--quick"]) == 0
    said = capsys.readouterr().out
    for package in ("libsvm-official", "scikit-learn-intelex"):
        assert f"pip install {package}" in said
    assert "(--data DIR): spam, covtype12k\n" in said
    assert asked == [
        (name, 2, (OURS, "scikit-learn"), 1) for name in ("chess-1k", "chess-10k-C1000", "classification")
    ]


def test_ctrl_c_keeps_what_is_measured(monkeypatch, tmp_path, capsys):
    answers = iter([record()])

    def compare(*_):
        try:
            return next(answers)
        except StopIteration:
            raise KeyboardInterrupt from None

    monkeypatch.setattr(comparison, "compare", compare)
    file = tmp_path / "out.json"
    assert main(["bench", "--only", "moons", "--threads", "1", "2", "--json", str(file)]) == 130
    assert "interrupted; measured so far" in capsys.readouterr().out
    assert len(json.loads(file.read_text())["workloads"]) == 1


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--only", "chess-2k"], "nothing is called 'chess-2k'"),
        (["--peers", "thundersvm"], "nothing is called 'thundersvm'"),
        (["--only", "spam", "a9a"], "spam, a9a: give the directory that holds the data"),
        (["--grid"], "--grid: give the directory"),
        (["--data", "nowhere"], "nowhere: not a directory"),
        (["--json", "nowhere/out.json"], "nowhere: not a directory"),
        (["--repeats", "0"], "--repeats must be positive"),
        (["--threads", "1", "-2"], "--threads must be positive"),
    ],
)
def test_what_cannot_work_is_said_before_any_work(arguments, sentence, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(comparison, "compare", lambda *_: pytest.fail("measured something"))
    assert main(["bench", *arguments]) == 2
    captured = capsys.readouterr()
    assert sentence in captured.err and len(captured.err.splitlines()) == 1 and not captured.out


def test_stored_workloads_are_read_from_their_files(tmp_path):
    X = sparse.random(40, 5, 0.5, "csr", random_state=0)
    arrays = {
        f"{part}_{name}": getattr(X, name)
        for part in ("train", "test")
        for name in ("data", "indices", "indptr")
    }
    arrays |= {f"{part}_shape": np.array(X.shape) for part in ("train", "test")}
    y = np.repeat([-1, 1], 20)
    np.savez(tmp_path / "a9a.npz", y_train=y, y_test=y, **arrays)
    X_train, y_train, X_test, y_test = WORKLOADS["a9a"].load(tmp_path, 10)
    assert X_train.shape == (10, 5) and sorted(y_train) == [-1] * 5 + [1] * 5
    dense = WORKLOADS["a9a-dense"].load(tmp_path)
    assert isinstance(dense[0], np.ndarray) and (dense[2] == X_test.toarray()).all() and len(y_test) == 40


def test_peers_are_all_but_this_library():
    assert OURS not in PEERS and {OURS, *PEERS} == set(CONTENDERS)
