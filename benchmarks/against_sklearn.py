"""scikit-learn's SVC and ours side by side: time, and what was computed in it.

    python benchmarks/against_sklearn.py [--data DIR] [--repeats 3] [--only chess spam ...] [--json FILE]

Every measurement is a fresh process with a single thread; the two libraries take turns, with equal tolerance
and cache. Times are CPU seconds (those of all threads of a process, so that none can hide), the least of all
repeats. Dual value and KKT violation of both are recomputed by one judge in double precision. Without --data
only generated sets are used; DIR holds spam.npz, covtype12k.npz, letter.npz and a9a.npz.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from judge import judge
from scipy import sparse
from tasks import TASKS

LIBRARIES = ("sklearn", "widemargin")
TOL, CACHE_MEGABYTES = 1e-3, 200
THREADS = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


def measure(library: str, name: str, data: Path | None, model: Path) -> dict[str, Any]:
    """Fit and predict once, in this process; the coefficients go to the file `model`."""
    if library == "sklearn":
        from sklearn.svm import SVC
    else:
        from widemargin import SVC
    task = TASKS[name]
    X, y, X_test, y_test = task.load(data)
    SVC(C=task.C, gamma=task.gamma).fit(X[:200], y[:200])  # whatever is loaded at first use

    machine = SVC(C=task.C, gamma=task.gamma, tol=TOL, cache_size=CACHE_MEGABYTES)
    begin = time.process_time()
    machine.fit(X, y)
    fitted = time.process_time()
    predicted = machine.predict(X_test)
    end = time.process_time()

    dual = machine.dual_coef_
    np.savez(model, support=machine.support_, dual=dual.toarray() if sparse.issparse(dual) else dual)
    return {
        "n": X.shape[0],
        "d": X.shape[1],
        "fit_seconds": fitted - begin,
        "predict_seconds": end - fitted,
        "predicted_rows": X_test.shape[0],
        "iterations": int(np.sum(machine.n_iter_)),
        "kernel_evaluations": getattr(machine, "kernel_evaluations_", None),
        "support_vectors": len(machine.support_),
        "accuracy": float(np.mean(predicted == y_test)),
    }


def in_fresh_process(library: str, name: str, data: Path | None, model: Path) -> dict[str, Any]:
    command = [sys.executable, __file__, "--measure", library, "--only", name, "--model", str(model)]
    command += ["--data", str(data)] if data else []
    run = subprocess.run(command, env=os.environ | THREADS, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(run.stdout)


def compare(name: str, data: Path | None, repeats: int) -> dict[str, Any]:
    """Both libraries in turns on one task; the least times of each, and the judge's verdict."""
    runs: dict[str, list[dict[str, Any]]] = {library: [] for library in LIBRARIES}
    results: dict[str, Any] = {"task": name}
    with tempfile.TemporaryDirectory() as folder:
        models = {library: Path(folder) / f"{library}.npz" for library in LIBRARIES}
        for _ in range(repeats):
            for library in LIBRARIES:
                runs[library].append(in_fresh_process(library, name, data, models[library]))
        X, y, _, _ = TASKS[name].load(data)
        for library in LIBRARIES:
            with np.load(models[library]) as model:
                verdict = judge(X, y, TASKS[name].C, TASKS[name].gamma, model["support"], model["dual"])
            least = {
                key: min(run[key] for run in runs[library]) for key in ("fit_seconds", "predict_seconds")
            }
            results[library] = runs[library][0] | least | asdict(verdict)
    return results


HEADER = (
    f"{'data set':<11} {'n':>6} {'d':>4} {'library':<11} {'fit s':>8} {'ratio':>6} {'rows/s':>9} "
    f"{'iterations':>11} {'kernel evals':>13} {'SVs':>6} {'dual objective':>18} {'violation':>10} "
    f"{'accuracy':>8}"
)


def lines(results: dict[str, Any]) -> str:
    """Two lines of the table; the ratio is our time over theirs."""
    theirs, ours = (results[library] for library in LIBRARIES)
    ratio = ours["fit_seconds"] / theirs["fit_seconds"]
    rows = []
    for library, each in ((LIBRARIES[0], theirs), (LIBRARIES[1], ours)):
        evaluations = each["kernel_evaluations"]
        rows.append(
            f"{results['task']:<11} {each['n']:>6} {each['d']:>4} {library:<11} {each['fit_seconds']:>8.3f} "
            f"{f'{ratio:.2f}' if each is ours else '':>6} "
            f"{each['predicted_rows'] / each['predict_seconds']:>9.0f} {each['iterations']:>11} "
            f"{'-' if evaluations is None else f'{evaluations:.3g}':>13} {each['support_vectors']:>6} "
            f"{each['dual_objective']:>18.8g} {each['kkt_violation']:>10.2e} {each['accuracy']:>8.4f}"
        )
    return "\n".join(rows)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, help="folder of data files")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", nargs="+", choices=TASKS, metavar="NAME", help=f"of {', '.join(TASKS)}")
    parser.add_argument("--json", type=Path, help="write all numbers to this file")
    parser.add_argument("--measure", choices=LIBRARIES, help=argparse.SUPPRESS)
    parser.add_argument("--model", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure(options.measure, options.only[0], options.data, options.model)))
        return

    wanted = options.only or [name for name, task in TASKS.items() if options.data or not task.needs_data]
    homeless = [name for name in wanted if TASKS[name].needs_data and not options.data]
    if homeless:
        parser.error(f"{', '.join(homeless)}: give the folder of the data files with --data")
    print(HEADER, flush=True)
    table = []
    for name in wanted:
        table.append(compare(name, options.data, options.repeats))
        print(lines(table[-1]), flush=True)
        if options.json:
            options.json.write_text(json.dumps(table, indent=1))


if __name__ == "__main__":
    main()
