"""A machine that chooses its own parameters by minimising an objective."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone, is_classifier
from sklearn.utils.metaestimators import available_if

from widemargin.estimators import parameters, sample
from widemargin.estimators.base import all_or_nothing, is_fitted
from widemargin.estimators.classifier import Classes
from widemargin.estimators.training import visible_messages
from widemargin.kernels import ManifoldGaussian
from widemargin.kernels.points import count
from widemargin.reduction.meta_machine import MetaMachine, decides
from widemargin.selection.attempts import Attempts
from widemargin.selection.clock import Clock
from widemargin.selection.objectives.objective import FEWEST
from widemargin.selection.optimizers import Evaluation, Optimizer, Run
from widemargin.selection.path import cross_validate_path
from widemargin.selection.plateau import SearchWarning, is_at_chance, value_reached
from widemargin.selection.presets import make_preset
from widemargin.selection.result import PathInterrupted
from widemargin.selection.start import begin_search, has_price

logger = logging.getLogger("widemargin")

Vector = NDArray[np.float64]

PRICES = tuple(2.0 ** np.arange(-5, 16))
"""The values of C that are tried after an objective that says nothing about C."""


def _has(name: str) -> Callable[[Any], bool]:
    def check(search: Any) -> bool:
        getattr(getattr(search, "best_estimator_", search.estimator), name)
        return True

    return check


class ModelSearch(MetaMachine):
    """An estimator whose kernel parameters and C minimise an objective, found by an optimiser.

    An objective that does not depend on C (alignment, polarization) is followed by a cross-validation over C
    alone, on one kernel matrix. The best machine is then trained on all points.

    On the manifold of a `ManifoldGaussian` the optimisers of the Rprop family take steps from where they are,
    which recentre the kernel.

    A search that ends on a plateau, where the objective says nothing any more, or with nothing better than
    guessing, is begun again from the best of a few starts around the heuristic; if that fails too, a
    `SearchWarning` says so.

    Parameters
    ----------
    estimator : SVC, SVR, RLSClassifier or RLSRegressor, or what the objective takes
        It is cloned.
    objective : objective
        What to minimise, see `widemargin.selection.objectives`.
    optimizer : Optimizer
        How, see `widemargin.selection.optimizers`.
    start : {"heuristic", "estimator"}, default="heuristic"
        Where to begin: for Gaussian kernels at the width heuristic and C = e^4, a price at which machines
        are neither constant nor hard, or at the parameters that the estimator has. C = inf, a hard margin,
        stays what it is, and an `ARDGaussian` with one gamma for all features gets one for each.
    Cs : array-like, default=2^-5, ..., 2^15
        Prices to try after an objective without C.
    cv : int, splitter or iterable of (train, test), default=5
        Folds for that.
    max_evaluations : int, optional
        Evaluations of the objective, those of a second attempt included; by default the optimiser's own
        budget for each attempt.
    max_time : float, optional
        Seconds after which no further evaluation is begun. If they are over before the first one, the
        start is the result, and a `SearchWarning` says so.
    random_state : int, RandomState instance or None, default=None
        For objectives and optimisers that draw.
    n_jobs : int, optional
        Threads for the machines of an evaluation; by default what the estimator says.
    verbose : bool, default=False
        Whether to report each evaluation.
    callback : function, optional
        ``callback(evaluation, count)`` after each evaluation; True ends the search.

    Attributes
    ----------
    best_estimator_ : the machine with the best parameters, trained on all points
    best_params_ : dict
        Its kernel with its parameters and its C (lam), by name.
    best_value_ : float
        The objective there; the mean of the last evaluations if it is random, infinite if there was none.
    history_ : History
        A table of all evaluations: `x`, `value`, `gradient_norm`, `seconds`.
    parameter_names_ : list of str
        The columns of `history_.x`.
    reason_ : str
        Why the search ended: "converged", "max_evaluations", "max_time", "callback" or "interrupted".
    path_ : PathResult
        Scores over C, after an objective without C.
    classes_ : array of shape (n_classes,)
    n_features_in_ : int

    Notes
    -----
    Ctrl-C ends the search; the best machine so far is trained and kept before `fit` raises
    `KeyboardInterrupt`, and so is a machine whose training it ends. A second Ctrl-C leaves the search as it
    was before `fit`.

    Examples
    --------
    >>> import widemargin as wm
    >>> from widemargin.selection.optimizers import NestedGrid
    >>> from widemargin.selection.objectives import CrossValidation
    >>> from widemargin.datasets import chess_board
    >>> board = chess_board(200, seed=0)
    >>> search = wm.ModelSearch(wm.SVC(), CrossValidation(), NestedGrid(points=5), random_state=0)
    >>> bool(search.fit(board.X, board.y).best_value_ < 0.2)
    True
    """

    _rules: ClassVar[dict[str, parameters.Rule]] = {
        "start": parameters.one_of("heuristic", "estimator"),
        "max_evaluations": parameters.none | parameters.count,
        "max_time": parameters.none | parameters.not_negative,
        "random_state": parameters.none | parameters.count | parameters.generator,
        "n_jobs": parameters.none | parameters.jobs,
        "verbose": parameters.verbosity,
        "callback": parameters.none | parameters.function,
    }

    def __init__(
        self,
        estimator: Any,
        objective: Any,
        optimizer: Optimizer,
        *,
        start: str = "heuristic",
        Cs: Any = PRICES,
        cv: Any = 5,
        max_evaluations: int | None = None,
        max_time: float | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool | int = False,
        callback: Callable[[Evaluation, int], Any] | None = None,
    ) -> None:
        self.estimator = estimator
        self.objective = objective
        self.optimizer = optimizer
        self.start = start
        self.Cs = Cs
        self.cv = cv
        self.max_evaluations = max_evaluations
        self.max_time = max_time
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callback = callback

    @classmethod
    def preset(cls, name: str, estimator: Any = None, **settings: Any) -> ModelSearch:
        """One of five strategies by name.

        ============== =============================================== =======================
        name           objective                                       optimiser
        ============== =============================================== =======================
        "5-fold-cv"    errors of five folds, always the same           `CMAES`
        "kta"          kernel target alignment, then C by five folds   `IRpropPlus`
        "span-bound"   smoothed span bound                             `IRpropPlus`
        "likelihood"   likelihood of points left out, 20 subsets       `BestStart(IRpropPlus)`
        "posterior"    the same with priors on C and on widths         `BestStart(IRpropPlus)`
        ============== =============================================== =======================

        "posterior" is the best for few points, "kta" for many; the span bound is here for comparison, not to
        be used. In print, likelihood and posterior draw a new subset in each of more than ten thousand steps
        of `NoisyRprop`: ``ModelSearch(estimator, LogPosterior(), NoisyRprop(min_step=1e-3))``. Twenty subsets
        that stay the same, each point left out four times, need some dozens of steps and find machines
        that are as good.

        Parameters
        ----------
        name : str
        estimator : classifier, default=SVC()
            Its kernel decides what is searched: one width ("rbf"), or one per feature (`ARDGaussian`).
        **settings : other parameters of `ModelSearch`

        Examples
        --------
        >>> import widemargin as wm
        >>> search = wm.ModelSearch.preset("kta", wm.SVC(), random_state=0)
        >>> type(search.optimizer).__name__
        'IRpropPlus'
        """
        estimator, objective, optimizer = make_preset(name, estimator)
        return cls(estimator, objective, optimizer, **settings)

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Any:
        """Search, then train the best machine on all points.

        Parameters
        ----------
        X, y, sample_weight : as the estimator takes them

        Returns
        -------
        self : object
        """
        clock = Clock(self.max_time)
        with all_or_nothing(self), visible_messages() if self.verbose else nullcontext():
            self._check_parameters()
            X, y = self._read(X, y)
            weight = None if sample_weight is None else sample.read_weight(sample_weight, count(X))
            self._check_data(X, y, weight)
            seed = self._draw_seed()
            prepared = self._prepared(X, y, by_heuristic=self.start == "heuristic")
            bound = self.objective.bind(prepared, X, y, sample_weight=weight, random_state=seed)
            self._check_gradient(bound)

            def heuristic() -> Vector:
                # Parameters on the manifold are relative to where its kernel is now.
                on_manifold = isinstance(getattr(prepared, "kernel", None), ManifoldGaussian)
                if self.start == "heuristic" or on_manifold:
                    return np.asarray(bound.parameters.start)
                usual = self._prepared(X, y, by_heuristic=True)
                return np.asarray(self.objective.bind(usual, X, y, sample_weight=weight).parameters.start)

            attempts = Attempts(
                bound,
                self.objective.noisy,
                self.optimizer,
                self.max_evaluations,
                clock,
                self._watch,
                heuristic,
            )
            run = attempts.run(seed)
            machine = bound.parameters.estimator_with(run.answer)
            if not self.objective.tunes_C and has_price(machine):
                machine, run = self._choose_price(machine, X, y, weight, run, clock)
            self._keep(bound, run, machine, X, y, weight)
        if self.reason_ == "interrupted":
            raise KeyboardInterrupt("the search was interrupted; the best machine so far is kept")
        return self

    def _check_parameters(self) -> None:
        self._check_estimator()
        parameters.check(self, self._rules)
        if not isinstance(self.optimizer, Optimizer):
            raise TypeError(
                f"optimizer must be one of widemargin.selection.optimizers, not {self.optimizer!r}."
            )
        if isinstance(self.objective, type) or not hasattr(self.objective, "bind"):
            raise TypeError(
                f"objective must be one of widemargin.selection.objectives, not {self.objective!r}."
            )
        if self.objective.noisy and not self.optimizer.bears_noise:
            ours, theirs = type(self.optimizer).__name__, type(self.objective).__name__
            warnings.warn(
                f"{theirs} draws a new split for every evaluation, and {ours} takes a lucky draw for a good "
                "machine: fix the split, or take NoisyRprop().",
                SearchWarning,
                stacklevel=3,
            )

    def _check_gradient(self, bound: Any) -> None:
        if self.optimizer.uses_gradient and not bound.differentiable:
            ours, theirs = type(self.optimizer).__name__, type(self.objective).__name__
            raise ValueError(
                f"{ours} follows gradients, but {theirs} has none with these settings: take NestedGrid(), "
                "CMAES() or Random(), or a smooth objective."
            )

    def _check_data(self, X: Any, y: NDArray[Any], weight: Vector | None) -> None:
        if is_classifier(self):
            names, labels = sample.read_classes(y)
            everywhere = np.ones(len(y)) if weight is None else weight
            Classes(names, labels, np.ones(len(names))).check(everywhere)
        n = count(X) if weight is None else int(np.count_nonzero(weight))
        if n < FEWEST:
            raise ValueError(
                f"n_samples={n}, but to choose parameters takes at least {FEWEST} points: fix them by hand, "
                "or take AutoSVC() or AutoSVR(), which have rules of thumb."
            )

    def _prepared(self, X: Any, y: NDArray[Any], by_heuristic: bool) -> Any:
        """The estimator at the start of the search."""
        estimator = begin_search(self.estimator, X, y, by_heuristic)
        if self.n_jobs is not None and "n_jobs" in estimator.get_params(deep=False):
            estimator.set_params(n_jobs=self.n_jobs)
        return estimator

    def _draw_seed(self) -> int:
        if self.random_state is None or isinstance(self.random_state, int | np.integer):
            return int(np.random.SeedSequence(self.random_state).generate_state(1)[0] >> 1)
        return int(self.random_state.randint(2**31 - 1))

    def _watch(self, evaluation: Evaluation, done: int) -> bool:
        if self.verbose:
            logger.info(
                "evaluation %d: %.6g at %s", done, evaluation.value, np.round(evaluation.x[:6], 3).tolist()
            )
        return self.callback is not None and bool(self.callback(evaluation, done))

    def _choose_price(
        self, machine: Any, X: Any, y: NDArray[Any], weight: Vector | None, run: Run, clock: Clock
    ) -> tuple[Any, Run]:
        """C by cross-validation, everything else as it is."""

        try:
            path = cross_validate_path(
                machine,
                X,
                y,
                Cs=self.Cs,
                cv=self.cv,
                sample_weight=weight,
                callback=lambda done, total: clock.is_over(),
            )
        except PathInterrupted as interrupted:
            path, run = interrupted.result, replace(run, reason="interrupted")
        self.path_ = path
        if np.isfinite(path.mean_scores).any():
            return clone(machine).set_params(C=path.best_C), run
        why = "Ctrl-C came" if run.reason == "interrupted" else f"max_time={self.max_time} was over"
        warnings.warn(
            f"{why} before any C was tried: C={machine.C:g} stays.",
            SearchWarning,
            stacklevel=4,
        )
        return machine, run

    def _keep(
        self, bound: Any, run: Run, machine: Any, X: Any, y: NDArray[Any], weight: Vector | None
    ) -> None:
        self.parameter_names_ = list(bound.parameters.names)
        self.history_, self.reason_ = run.history, run.reason
        self.best_value_ = value_reached(run, self.objective.noisy)
        self.best_params_ = _choice(machine, self.estimator)
        try:
            machine.fit(X, y, **({} if weight is None else {"sample_weight": weight}))
        except KeyboardInterrupt:
            if run.reason == "interrupted" or not is_fitted(machine):
                raise
            self.reason_ = "interrupted"  # while it was trained: it is what it was by then
        self.best_estimator_ = machine
        if is_classifier(self):
            self.classes_ = machine.classes_
        chance = getattr(bound, "chance", None)
        if is_at_chance(self.best_value_, chance):
            warnings.warn(
                f"The best value, {self.best_value_:.4g}, is hardly better than that of guessing, "
                f"{chance:.4g}: there is little to learn, or the search has missed it; begin elsewhere, or "
                "try another objective.",
                SearchWarning,
                stacklevel=4,
            )
        elif _is_constant(machine, X):
            warnings.warn(
                "The best machine gives the same answer to all points: there is nothing to learn for this "
                "objective, or it is misled; compare with AutoSVC() or AutoSVR().",
                SearchWarning,
                stacklevel=4,
            )

    def predict(self, X: Any) -> NDArray[Any]:
        """What the best machine predicts."""
        X = self._read_new(X)
        return self.best_estimator_.predict(X)

    @available_if(decides)
    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Decision values of the best machine."""
        X = self._read_new(X)
        return self.best_estimator_.decision_function(X)

    @available_if(_has("predict_proba"))
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probabilities of the best machine."""
        X = self._read_new(X)
        return self.best_estimator_.predict_proba(X)

    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """The best machine's share of right classes, or its coefficient of determination R^2."""
        return self._score(y, self.predict(X), sample_weight)


def _choice(machine: Any, original: Any) -> dict[str, Any]:
    """The kernel and the price of errors, and all parameters that the original has not, or has otherwise."""
    before, now = original.get_params(), machine.get_params()
    now.pop("n_jobs", None)  # that of the search
    return {
        name: value
        for name, value in now.items()
        if name in ("kernel", "C", "lam") or name not in before or not np.array_equal(before[name], value)
    }


def _is_constant(machine: Any, X: Any) -> bool:
    answers = machine.predict(X)
    return bool(len(answers) > 1 and np.all(answers == answers[0]))
