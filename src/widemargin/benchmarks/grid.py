"""Model selection: a grid over C and gamma with cross-validation, on spam."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold

from widemargin.benchmarks.contender import OURS
from widemargin.benchmarks.measurement import Order, TimeLimit, measure
from widemargin.benchmarks.workload import WORKLOADS

CS, GAMMAS = np.logspace(-1, 3, 10), np.logspace(-4, 0, 10)
FOLDS, PROCESSES = 5, 2
WARM_UP_POINTS = 100
WORKLOAD = "spam"


def compare(order: Order) -> dict[str, Any]:
    """Seconds of scikit-learn's search and ours; the largest difference of scores in examples per fold."""
    results = {name: measure(_replaced(order, name)) for name in ("scikit-learn", OURS)}
    record: dict[str, Any] = {"points": order.points, "results": results}
    if all("fit_seconds" in result for result in results.values()):
        theirs, ours = (np.array(result.pop("scores")) for result in results.values())
        sizes = np.array(results[OURS]["fold_sizes"])
        record["ratio"] = results[OURS]["fit_seconds"] / results["scikit-learn"]["fit_seconds"]
        record["examples_apart"] = float(np.round(np.abs(theirs - ours) * sizes, 6).max())
    return record


def _replaced(order: Order, contender: str) -> Order:
    return replace(order, workload=WORKLOAD, contender=contender, task="grid", threads=PROCESSES)


def search(order: Order, file: Path) -> None:
    """Search in this process and write seconds and scores, shape (Cs, gammas, folds), to the file."""
    X, y, _, _ = WORKLOADS[WORKLOAD].load(order.directory, order.points)
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    run = _ours if order.contender == OURS else _theirs
    few = slice(None, None, max(1, X.shape[0] // WARM_UP_POINTS))
    run(X[few], y[few], folds, order)  # starts processes and loads what they need
    with TimeLimit(order.limit_seconds):
        begin = time.perf_counter()
        scores = run(X, y, folds, order)
        seconds = time.perf_counter() - begin
    sizes = [len(test) for _, test in folds.split(X, y)]
    file.write_text(json.dumps({"fit_seconds": seconds, "scores": scores.tolist(), "fold_sizes": sizes}))


def _ours(X: Any, y: Any, folds: Any, order: Order) -> Any:
    import widemargin as wm

    estimator = wm.SVC(tol=order.tol, cache_size=order.cache, n_jobs=order.threads)
    return np.asarray(wm.cross_validate_path(estimator, X, y, Cs=CS, gammas=GAMMAS, cv=folds).scores)


def _theirs(X: Any, y: Any, folds: Any, order: Order) -> Any:
    from sklearn.model_selection import GridSearchCV
    from sklearn.svm import SVC

    estimator = SVC(tol=order.tol, cache_size=order.cache)
    grid = {"C": CS, "gamma": GAMMAS}  # in this order: C varies slowest
    found = GridSearchCV(estimator, grid, cv=folds, n_jobs=order.threads, refit=False).fit(X, y).cv_results_
    scores = np.stack([found[f"split{k}_test_score"] for k in range(FOLDS)], axis=-1)
    return scores.reshape(len(CS), len(GAMMAS), FOLDS)
