"""One measurement, in a process of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from widemargin.benchmarks.contender import CONTENDERS, OURS, LeftOut
from widemargin.benchmarks.judge import judge
from widemargin.benchmarks.limit import least_time, limit_seconds
from widemargin.benchmarks.workload import WORKLOADS

THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")
WARM_UP_POINTS = 300


@dataclass(frozen=True)
class Order:
    """What to measure, and how; `task` is "fit" or "grid"."""

    workload: str
    contender: str
    threads: int
    tol: float = 1e-3
    cache: float = 200
    limit_seconds: float = 300
    data: str | None = None
    points: int | None = None
    judged: bool = True
    task: str = "fit"

    @property
    def directory(self) -> Path | None:
        """Where the data files are."""
        return None if self.data is None else Path(self.data)


def measure(order: Order) -> dict[str, Any]:
    """The result of a fresh process; `over_limit`, `left_out` or `failed` say why it is not whole."""
    environment = os.environ | dict.fromkeys(THREAD_VARIABLES, str(order.threads))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "result.json"
        command = [sys.executable, "-m", __name__, json.dumps(asdict(order)), str(file)]
        run = subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        result = json.loads(file.read_text()) if file.exists() else {}
    if run.returncode == -signal.SIGALRM:
        return result or {"over_limit": order.limit_seconds}
    if run.returncode:
        lines = run.stderr.decode(errors="replace").strip().splitlines()
        result["failed"] = lines[-1] if lines else f"ended by signal {-run.returncode}"
    return result


def repeat_rule(results: list[dict[str, Any]], repeats: int, patience: float = 60) -> bool:
    """Whether to measure once more: not what has failed, nor what takes longer than `patience`."""
    if not results:
        return True
    return len(results) < repeats and results[-1].get("fit_seconds", np.inf) <= patience


def measure_least(order: Order, repeats: int) -> dict[str, Any]:
    """The least times of several measurements."""
    results: list[dict[str, Any]] = []
    while repeat_rule(results, repeats):
        results.append(measure(order))
    return merge(results)


def merge(results: list[dict[str, Any]]) -> dict[str, Any]:
    """The first result with the least of all times; all of them under `repeats`."""
    if "fit_seconds" not in results[0]:
        return results[0]
    times = [key for key in results[0] if key.endswith("_seconds")]
    least = {key: min(result[key] for result in results if key in result) for key in times}
    repeats = [result["fit_seconds"] for result in results if "fit_seconds" in result]
    return results[0] | least | {"repeats": repeats}


def fit_and_predict(order: Order, file: Path) -> None:
    """Measure in this process; the file is written after each part, for the next may not come to its end."""
    workload = WORKLOADS[order.workload]
    X, y, X_test, y_test = workload.load(order.directory, order.points)
    settings = order.tol, order.cache, order.threads
    with TimeLimit(order.limit_seconds):
        _warm_up(CONTENDERS[order.contender](workload.milder, *settings), X, y)
    contender = CONTENDERS[order.contender](workload, *settings)
    contender.convert(X, y)

    before = _restart_peak()
    wall, cpu = time.perf_counter(), time.process_time()
    with TimeLimit(order.limit_seconds):
        contender.fit()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    result: dict[str, Any] = {
        "n": X.shape[0],
        "d": X.shape[1],
        "fit_seconds": wall,
        "fit_cpu_seconds": cpu,
        "peak_megabytes": max(0.0, _peak() - before) / 2**20,
        "support_vectors": len(contender.support),
    }
    file.write_text(json.dumps(result))
    if order.judged:
        result |= asdict(judge(X, y, workload.parameters, contender.support, contender.dual))
    if order.contender == OURS:
        gamma = workload.parameters.get("gamma")
        result["limit_seconds"] = limit_seconds(X, contender.support, gamma, order.threads)
    file.write_text(json.dumps(result))

    contender.convert_test(X_test)
    with TimeLimit(order.limit_seconds):
        predicted, seconds = least_time(contender.predict)
    result |= {"predict_seconds": seconds, "predicted_rows": X_test.shape[0]}
    result["score"] = _score(workload.machine, predicted, y_test)
    file.write_text(json.dumps(result))


class TimeLimit:
    """Ends this process by SIGALRM if what is inside takes longer, whatever code it is in."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def __enter__(self) -> None:
        signal.setitimer(signal.ITIMER_REAL, self.seconds)

    def __exit__(self, *_: Any) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _warm_up(contender: Any, X: Any, y: Any) -> None:
    """Fit a few points of up to two classes, so that whatever is loaded at first use is there."""
    values = np.unique(y)
    known = np.flatnonzero(np.isin(y, values[:2] if len(values) < len(y) / 2 else values))
    few = known[:: max(1, len(known) // WARM_UP_POINTS)]
    contender.convert(X[few], y[few])
    contender.fit()
    contender.convert_test(X[few])
    contender.predict()


def _score(machine: str, predicted: Any, y: Any) -> float:
    """Accuracy, R^2, or the share of outliers."""
    if machine == "SVR":
        return float(1 - np.mean((predicted - y) ** 2) / np.var(y))
    return float(np.mean(predicted == (-1 if machine == "OneClassSVM" else y)))


def _restart_peak() -> float:
    """Forget the peak so far (where Linux allows it); the bytes held now."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
        return float(_status("VmRSS"))
    except OSError:
        return _peak()


def _peak() -> float:
    """The most bytes held since the last restart."""
    try:
        return _status("VmHWM")
    except OSError:
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def _status(name: str) -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024.0 * next(int(line.split()[1]) for line in lines if line.startswith(f"{name}:"))


def main() -> None:
    """Carry out the order of the first argument and write its result to the file of the second."""
    order, file = Order(**json.loads(sys.argv[1])), Path(sys.argv[2])
    try:
        if order.task == "grid":
            from widemargin.benchmarks.grid import search  # which imports this module

            search(order, file)
        else:
            fit_and_predict(order, file)
    except LeftOut as reason:
        file.write_text(json.dumps({"left_out": str(reason)}))


if __name__ == "__main__":
    main()
