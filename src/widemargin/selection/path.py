"""Cross-validation over a grid of C and gamma, what machines have in common computed once."""

from __future__ import annotations

import logging
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from contextlib import nullcontext
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from widemargin.codes import drawn
from widemargin.estimators import SVC, SVR, NuSVR, sample
from widemargin.estimators.training import visible_messages
from widemargin.kernels.points import count
from widemargin.memory import cache_bytes
from widemargin.problems import Problem, Vector
from widemargin.selection.folds import Fold, make_folds
from widemargin.selection.grid import gamma_name, read_gammas, read_values
from widemargin.selection.result import PathInterrupted, PathResult
from widemargin.selection.score import choose_score
from widemargin.selection.shared_table import FoldGram, SharedTable
from widemargin.solvers import Solution, Status
from widemargin.threads import allowed_threads, single_threaded_blas

logger = logging.getLogger("widemargin")

ROUNDING_SHARE = 0.5
"""Where rounding of the table may be more than this part of the tolerance, the kernel itself is asked."""

DOUBTFUL, SETTLED = 2, 0.1
"""If so many points that were left out lie within half the tolerance of a boundary, machines are solved to
this part of the tolerance: scores should not hang on where a solver has stopped."""


def cross_validate_path(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    *,
    Cs: ArrayLike,
    gammas: ArrayLike | None = None,
    cv: Any = None,
    sample_weight: ArrayLike | None = None,
    scoring: Any = None,
    callback: Callable[[int, int], Any] | None = None,
) -> PathResult:
    """Cross-validate a machine for every C and gamma of a grid.

    The scores are those of independent fits, up to the tolerance, at a fraction of the price: distances are
    computed once for all gammas, and the kernel values of a fold once for all classes and C; machines of
    rising C start where the one before ended; points that were left out are scored from the same values.

    Parameters
    ----------
    estimator : SVC, SVR or NuSVR
        Its other parameters hold for all machines: kernel, `class_weight`, `epsilon`, `tol`, `solver`, ...
        `cache_size` is the budget for the shared matrices (without room for one, kernel values are computed
        as they are needed), `n_jobs` the number of machines trained at a time. It is not changed.
    X : {array-like, sparse matrix} of shape (n_samples, n_features), or list of objects
        The points, scaled; for a precomputed kernel their symmetric kernel matrix.
    y : array-like of shape (n_samples,)
        Classes or target values.
    Cs : array-like of shape (n_Cs,)
        Prices to try.
    gammas : array-like of shape (n_gammas,), optional
        Widths to try: `gamma` of the estimator, or of its kernel object. By default the one it has, "scale"
        being that of all points. Kernels without gamma want None.
    cv : int, splitter or iterable of (train, test), optional
        As in scikit-learn: 5 by default, stratified for classes.
    sample_weight : array-like of shape (n_samples,), optional
        As in `fit`; it plays no part in the scores.
    scoring : str or callable, optional
        A scorer of scikit-learn that asks for predictions or decision values. By default the estimator's
        own: accuracy, or R^2.
    callback : callable, optional
        ``callback(done, total)`` is called after each machine; True ends the search.

    Returns
    -------
    result : PathResult
        `best_C`, `best_gamma`, `best_score`, `best_estimator()` and all scores. If a callback (this one, or
        the estimator's) ended the search, the scores it did not come to are NaN.

    Raises
    ------
    PathInterrupted
        On Ctrl-C: a KeyboardInterrupt whose `result` has the scores up to then.

    Examples
    --------
    >>> import numpy as np, widemargin as wm
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> result = wm.cross_validate_path(wm.SVC(), X, y, Cs=[0.1, 1, 10, 100], gammas=[0.01, 0.1, 1])
    >>> result.best_C, result.best_gamma, round(result.best_score, 2)
    (1.0, 0.1, 0.98)
    >>> machine = result.best_estimator().fit(X, y)
    """
    begin = time.monotonic()
    estimator = _checked(estimator)
    Cs = read_values(Cs, "Cs")
    X, y = sample.read_training(clone(estimator), X, y, **_target_checks(estimator))
    if not sample.is_precomputed(estimator.kernel) and sample.is_constant(X):
        raise ValueError("all features of X are constant: no kernel can tell the points apart.")
    weight = sample.read_weight(sample_weight, count(X))
    gammas = read_gammas(estimator, gammas, X, weight)
    if isinstance(estimator, SVC):  # one code for all folds, and for the best machine
        names = sample.read_classes(y)[0]
        estimator.set_params(multiclass=drawn(estimator.multiclass, names, estimator.random_state))
    folds = make_folds(estimator, np.asarray(y), weight, cv)
    score = choose_score(estimator, scoring)
    search = Search(estimator, X, np.asarray(y), weight, Cs, gammas, folds, score, callback)
    with visible_messages() if estimator.verbose else nullcontext(), single_threaded_blas():
        interruption = search.run()
    result = PathResult(
        Cs,
        gammas,
        search.scores,
        search.n_support,
        search.table.evaluations + search.exact_evaluations,
        search.kernel_reads,
        time.monotonic() - begin,
        estimator,
        gamma_name(estimator),
    )
    if interruption is not None:
        raise PathInterrupted(result) from interruption
    if search.short:
        warnings.warn(
            f"{search.short} of {result.scores.size} machines stopped before tol={estimator.tol:g}: "
            "scale the data, or raise max_iter, max_time or tol.",
            ConvergenceWarning,
            stacklevel=2,
        )
    return result


def _checked(estimator: Any) -> Any:
    """A copy of the estimator, its parameters valid."""
    if not isinstance(estimator, SVC | SVR | NuSVR):
        raise ValueError(
            f"estimator must be an SVC, SVR or NuSVR, which have a C, not {type(estimator).__name__}; "
            "GridSearchCV of scikit-learn searches anything else."
        )
    estimator = clone(estimator)
    estimator._check_parameters()
    return estimator


def _target_checks(estimator: Any) -> dict[str, Any]:
    return {} if isinstance(estimator, SVC) else {"y_numeric": True}


class Search:
    """The machines of all folds, gammas and C: one chain of rising C for each fold and gamma.

    Workers climb chains, each on what its fold needs of a kernel matrix. Where whole matrices are kept, that
    of a gamma is filled before its chains begin, and the next one as soon as there is room for it.
    """

    def __init__(
        self,
        estimator: Any,
        X: Any,
        y: NDArray[Any],
        weight: Vector,
        Cs: Vector,
        gammas: Vector,
        folds: list[Fold],
        score: Callable[[Any, NDArray[Any], Any, NDArray[np.float64]], float],
        callback: Callable[[int, int], Any] | None,
    ) -> None:
        self.n, self.y, self.weight, self.folds, self.score = count(X), y, weight, folds, score
        self.jobs = allowed_threads(estimator.n_jobs)
        self.order = np.argsort(Cs, kind="stable")
        self.machines = [clone(estimator).set_params(C=C) for C in Cs]
        name = gamma_name(estimator)
        kernels = [
            (clone(estimator).set_params(**{name: gamma}) if name else estimator)._bind(X, weight)[0]
            for gamma in gammas
        ]
        self.estimator, self.gammas = estimator, gammas
        budget = cache_bytes(estimator.cache_size, 2 * self.n)  # distances and several tables
        self.table = SharedTable(X, kernels, budget, folds, self.jobs)
        self.scores = np.full((len(Cs), len(gammas), len(folds)), np.nan)
        self.n_support = np.zeros(self.scores.shape, dtype=np.int64)
        self.kernel_reads = self.exact_evaluations = self.short = self.done = 0
        self.callback = callback
        self.stopped = False
        self.lock = threading.Lock()

    def run(self) -> KeyboardInterrupt | None:
        """All chains; the Ctrl-C that ended them, if one did."""
        with ThreadPoolExecutor(self.jobs) as pool:
            try:
                self._all(pool.submit(self._unless_stopped, work) for work in self.table.prepare())
                chains: list[list[Future]] = []
                for k in range(len(self.gammas)):
                    if k >= self.table.at_once:
                        self._all(chains[k - self.table.at_once])
                    self._all(pool.submit(self._unless_stopped, work) for work in self.table.fill(k))
                    chains.append([pool.submit(self._climb, k, f) for f in range(len(self.folds))])
                self._all(future for group in chains for future in group)
            except KeyboardInterrupt as interruption:
                self.stopped = True
                return interruption
            except BaseException:
                self.stopped = True
                raise
        return None

    def _all(self, futures: Iterable[Future]) -> None:
        """Wait for them, or for the first error."""
        done, _ = wait(list(futures), return_when=FIRST_EXCEPTION)
        for future in done:
            future.result()

    def _unless_stopped(self, work: Callable[[], Any]) -> None:
        if not self.stopped:
            work()

    def _climb(self, k: int, f: int) -> None:
        """The machines of fold f with kernel k, C rising, each from where the last one ended."""
        if self.stopped:
            return
        fold = self.folds[f]
        before: list[tuple[Problem, Vector]] = []
        with self.table.of_fold(k, fold, lambda: self.stopped) as gram:
            size_of_gram = cache(lambda: float(gram.among_train.diagonal().max()))
            for c in self.order:
                machines = self.machines[c]._machines(fold.targets, self.weight, fold.train)
                problems = [machine.problem for machine in machines]
                starts = [now.start_after(*last) for now, last in zip(problems, before, strict=False)]
                starts = starts or [None] * len(problems)
                for tol in (self.estimator.tol, SETTLED * self.estimator.tol):
                    solutions = self._solve_all(problems, starts, tol, k, gram)
                    if solutions is None:
                        return
                    functions = [
                        machine.function(solution, self.n, size_of_gram)
                        for machine, solution in zip(machines, solutions, strict=True)
                    ]
                    values = self._values(functions, k, fold, gram)
                    if self.stopped:
                        return
                    starts = [solution.alpha for solution in solutions]
                    if not self._are_doubtful(values):
                        break
                before = list(zip(problems, starts, strict=True))
                support = [coefficients != 0 for coefficients, _ in functions]
                self.n_support[c, k, f] = np.any(support, axis=0).sum()
                self._keep((c, k, f), fold, values)
                self._report()
        if self.estimator.verbose:
            logger.info("gamma %.3g, fold %d of %d: all C", self.gammas[k], f + 1, len(self.folds))

    def _solve_all(
        self, problems: list[Problem], starts: Sequence[Vector | None], tol: float, k: int, gram: FoldGram
    ) -> list[Solution] | None:
        """The solutions; None if somebody ended them."""
        size, solutions = sum(problem.size for problem in problems), []
        for problem, start in zip(problems, starts, strict=True):
            if self.stopped or (solution := self._solve(problem, start, size, tol, k, gram)) is None:
                return None
            solutions.append(solution)
        with self.lock:
            if tol == self.estimator.tol:
                self.short += any(solution.status is not Status.OPTIMAL for solution in solutions)
        return solutions

    def _solve(
        self, problem: Problem, start: Vector | None, size: int, tol: float, k: int, gram: FoldGram
    ) -> Solution | None:
        """The solution; None if somebody ended it."""
        training = replace(
            self.estimator._training(size, self.n),
            tol=tol,
            cache_bytes=self.table.row_bytes,
            n_jobs=1,
            verbose=False,
            callback=self._watch,
        )
        bearable = ROUNDING_SHARE * training.tol
        if self.table.rounding(_likely(problem, start), k) <= bearable:
            solution = training.solve(gram.restated(problem), gram.among_train, start).solutions[0]
            self._count(solution)
            start = solution.alpha
        if self.table.rounding(_likely(problem, start), k) > bearable:
            training = replace(training, cache_bytes=self.table.exact_row_bytes)
            solution = training.solve(problem, self.table.exact(k), start).solutions[0]
            self._count(solution, exact=True)
        if solution.status is Status.INTERRUPTED:
            self.stopped = True
            return None
        return solution

    def _count(self, solution: Solution, exact: bool = False) -> None:
        evaluations = solution.counters["kernel_evaluations"]
        with self.lock:
            self.kernel_reads += evaluations
            if exact or not self.table.exists:
                self.exact_evaluations += evaluations

    def _watch(self, progress: Any) -> bool:
        """What solvers ask every now and then: whether to stop."""
        if not self.stopped and self.estimator.callback is not None:
            with self.lock:
                if self.estimator.callback(progress):
                    self.stopped = True  # never back to False: Ctrl-C may have arrived meanwhile
        return self.stopped

    def _are_doubtful(self, values: NDArray[np.float64]) -> bool:
        """Whether several classes hang on what the tolerance allows."""
        near = np.abs(values) < self.estimator.tol / 2  # free support vectors are as far off, at most
        return isinstance(self.estimator, SVC) and bool((near.sum(axis=0) >= DOUBTFUL).any())

    def _values(
        self, functions: list[tuple[Vector, float]], k: int, fold: Fold, gram: FoldGram
    ) -> NDArray[np.float64]:
        """Those of the functions at the points that were left out."""
        values = np.empty((fold.test.size, len(functions)))
        for column, (coefficients, intercept) in enumerate(functions):
            coarse = self.table.rounding(coefficients, k) > ROUNDING_SHARE * self.estimator.tol
            if coarse:
                exact = self.table.exact(k)
                judge = FoldGram(exact, exact, fold.test, None)
            else:
                judge = gram
            values[:, column] = judge.values(coefficients, lambda: self.stopped) + intercept
        return values

    def _keep(self, cell: tuple[int, int, int], fold: Fold, values: NDArray[np.float64]) -> None:
        self.scores[cell] = self.score(self.estimator, self.y[fold.test], fold.targets, values)

    def _report(self) -> None:
        with self.lock:
            self.done += 1
            if self.callback is not None and not self.stopped and self.callback(self.done, self.scores.size):
                self.stopped = True


def _likely(problem: Problem, start: Vector | None) -> Vector:
    """About how large the solution will be at least: as its start, or with one variable at its bound."""
    if start is not None:
        return start
    room = problem.upper - problem.lower
    return room[np.isfinite(room)][:1]
