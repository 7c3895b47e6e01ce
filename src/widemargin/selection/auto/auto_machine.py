"""What machines that tune themselves share."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from widemargin.estimators import parameters, sample
from widemargin.estimators.base import all_or_nothing, is_fitted
from widemargin.kernels.points import count, take
from widemargin.progress import duration
from widemargin.selection.auto.climb import USUAL_PRICE, Summit, climb
from widemargin.selection.auto.cross_fit import CrossFit
from widemargin.selection.auto.relevance import metric
from widemargin.selection.auto.report import Report
from widemargin.selection.auto.scaling import Scaling
from widemargin.selection.auto.screening import (
    FIRST,
    STEP,
    Rung,
    screen,
    squared_distances,
    typical,
)
from widemargin.selection.auto.togetherness import ALIGNED, aligned_metric, is_worth_a_try
from widemargin.selection.clock import Clock
from widemargin.selection.folds import make_folds
from widemargin.selection.plateau import SearchWarning
from widemargin.solvers import Decomposition

Vector = NDArray[np.float64]

FEWEST = 10
"""Points below which nothing can be said about the choice of a kernel."""

SCREENED = 400
"""Points for the choice of the metric and a first gamma, by least squares."""

SEARCHED, SEARCHED_AGAIN = 1000, 5000
"""Points for the choice of C and gamma by cross-validation; the second time from where the first ended."""

FOLDS, FEW_FOLDS, MANY_MACHINES = 5, 3, 3
"""Folds of the cross-validation; fewer for more than so many two-class machines."""

FEW_POINTS, REPEATS = 250, 3
"""Up to so many points, folds are drawn so many times: what they say of few points depends on the draw."""

FAR = 8.0
"""A second climb begins at another gamma if the first ended more than this factor away from it."""

FALLBACK_C = 1.0

ROUGH = 1e-2
"""Tolerance of machines that are only compared."""

CAUTION = 1.0
"""What a step of C or gamma away from the usual costs, in errors."""

NEAR_CONSTANT = 0.97
"""A judgement above this part of that of a constant is worth a word."""

NOT_MUCH = 0.85
"""Above this part, features may say something together only."""

ALIGNED_SHARE, DOUBT = 0.8, 4.0
"""Of few points, those that weights of features together are found from. What they are worth is judged on the
others, where they must be better than a constant, and than the best machine without them, by so many standard
errors."""

THREADED = 500
"""Points below which machines are trained one after the other: threads would wait for each other."""


class AutoMachine(BaseEstimator):
    """Base of `AutoSVC` and `AutoSVR`: scaling, screening, search, and the machine in the end."""

    _rules: ClassVar[dict[str, parameters.Rule]] = {
        "max_time": parameters.none | parameters.not_negative,
        "random_state": parameters.none | parameters.count | parameters.generator,
        "n_jobs": parameters.none | parameters.jobs,
    }

    kernel = "rbf"  # how points are read

    max_time: float | None
    random_state: Any
    n_jobs: int | None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _html_repr(self) -> str:
        diagram = super()._html_repr()
        return diagram + self.report_.html() if hasattr(self, "report_") else diagram

    def report(self) -> str:
        """What was chosen, and why."""
        check_is_fitted(self)
        return str(self.report_)

    # What sub-classes say.

    def _groups(self, y: NDArray[Any]) -> NDArray[np.integer]:
        """Points by class, or by level of the target."""
        raise NotImplementedError

    def _targets(self, y: NDArray[Any]) -> NDArray[np.float64]:
        """Targets of a least-squares machine, shape (n, outputs)."""
        raise NotImplementedError

    def _machine(self, **settings: Any) -> Any:
        """The machine with these settings."""
        raise NotImplementedError

    def _other_gamma(self, X: Any, y: NDArray[Any]) -> float | None:
        """Another gamma to begin at, None if there is none: least squares may know only one valley."""
        return None

    def _judgement_of_constant(self, y: NDArray[Any], weight: Vector) -> float:
        """What cross-validation would say of a machine with one answer for all points."""
        raise NotImplementedError

    def _searchable(self, groups: NDArray[np.integer]) -> NDArray[np.intp]:
        """The points that a cross-validation can use."""
        return np.arange(groups.size)

    # The steps of a fit.

    def _fit(self, X: Any, y: NDArray[Any], weight: Vector) -> KeyboardInterrupt | None:
        """Choose and train; the Ctrl-C that ended the choice, if one did."""
        self._clock = Clock(self.max_time)
        self.report_ = Report()
        rows = np.flatnonzero(weight > 0)
        groups = self._groups(y[rows])
        self.scaling_ = Scaling.of(take(X, rows))
        Z = self.scaling_(take(X, rows))
        interruption, found, summit = None, None, None
        weights = np.ones(Z.shape[1])
        try:
            if (why := self._why_not(groups)) is None:
                found = self._screen(Z, groups, y[rows])
                weights = metric(Z, groups, found.power)
                summit = self._search(Z, groups, y[rows], weight[rows], weights, found)
                if summit is not None:
                    weights, summit = self._or_together(Z, groups, y[rows], weight[rows], weights, summit)
            else:
                self._fall_back(why)
        except KeyboardInterrupt as caught:
            interruption = caught
            some = few_of_all(groups, self._draw())
            weight = np.where(np.isin(np.arange(weight.size), rows[some]), weight, 0.0)
            self.report_.say(
                "search",
                f"Interrupted by Ctrl-C: what was known by then is used, and {some.size} points are learnt.",
            )
        self._settle(Z, groups, weights, found, summit)
        try:
            self._train(self.scaling_(X), y, weight)
        except KeyboardInterrupt as caught:
            if interruption is not None or not is_fitted(self.machine_):
                raise
            interruption = caught
            self.report_.say("training", "Interrupted by Ctrl-C: the machine is what it was by then.")
        self._summarise(count(X))
        return interruption

    def _why_not(self, groups: NDArray[np.integer]) -> str | None:
        """Why there is nothing to choose by, None if there is."""
        if groups.size < FEWEST:
            return f"there are only {groups.size} points, and a choice needs {FEWEST}"
        if self.scaling_.n_constant == self.scaling_.factor.size:
            return "all features are constant, and no kernel can tell the points apart"
        if self._searchable(groups).size < FEWEST:
            return "all classes but one have too few points to leave any out"
        return None

    def _fall_back(self, why: str) -> None:
        sentence = f"No search: {why}. The width of the kernel is a rule of thumb, and C={FALLBACK_C:g}."
        self.report_.say("search", sentence)
        warnings.warn(f"{type(self).__name__}: {sentence}", SearchWarning, stacklevel=4)

    def _screen(self, Z: Any, groups: NDArray[np.integer], y: NDArray[Any]) -> Rung:
        """The metric that seems best, with a first gamma."""
        order = stratified(groups, self._draw())[:SCREENED]
        found = screen(Z, groups, self._targets(y), halves(groups, order), self._clock.is_over)
        best = min(found, key=lambda rung: rung.error)
        errors = ", ".join(f"{rung.error:.3f}" for rung in found)
        names = ", ".join(("radial", "by the root of the relevance")[: len(found)])
        if best.power == 0:
            reason = "Features count alike (a radial kernel): weights by relevance are not better."
        else:
            reason = "Features are weighted by the root of their relevance (one width per feature)."
        self.report_.say(
            "kernel",
            f"Gaussian. {reason} Leave-one-out errors of least squares on {order.size} points: {errors} "
            f"({names}; 1 is that of a constant).",
        )
        self._clock.lap("screening")
        return best

    def _search(
        self,
        Z: Any,
        groups: NDArray[np.integer],
        y: NDArray[Any],
        weight: Vector,
        weights: Vector,
        found: Rung,
    ) -> Summit | None:
        """C and gamma by cross-validation: on some points, then on more if there are."""
        usable = self._searchable(groups)
        order = usable[stratified(groups[usable], self._draw())]
        few, many = order[:SEARCHED], order[:SEARCHED_AGAIN]
        points = weighted(take(Z, many), weights)
        start = STEP**found.rung / self._typical(points)
        summit = self._climb(points[: few.size], y[few], weight[few], start, USUAL_PRICE, again=False)
        if summit is None:
            self._clock.lap("search")
            self._say_too_short()
            return None
        summit, start = self._or_better(summit, points[: few.size], y[few], weight[few], start)
        self._say_summit(summit, few.size, start)
        if many.size > few.size and not self._clock.is_over():
            reached = self._climb(points, y[many], weight[many], summit.gamma, summit.C, again=True)
            if reached is not None:
                self._say_summit(reached, many.size, summit.gamma)
                summit = reached
        self._clock.lap("search")
        return summit

    def _or_together(
        self,
        Z: Any,
        groups: NDArray[np.integer],
        y: NDArray[Any],
        weight: Vector,
        weights: Vector,
        summit: Summit,
    ) -> tuple[Vector, Summit]:
        """Where hardly anything was found, weights of features that say something together, if there are."""
        known, constant = summit.judgement, self._judgement_of_constant(y, weight)
        found = self._together(Z, groups, y, weight, known) if known > NOT_MUCH * constant else None
        if found is not None:
            return found
        if known > NEAR_CONSTANT * constant:
            sentence = "Hardly better than one answer for all points: there is little to learn here."
            self.report_.say("search", sentence)
            warnings.warn(f"{type(self).__name__}: {sentence}", SearchWarning, stacklevel=5)
        return weights, summit

    def _together(
        self, Z: Any, groups: NDArray[np.integer], y: NDArray[Any], weight: Vector, known: float
    ) -> tuple[Vector, Summit] | None:
        """Weights by alignment and their summit, if clearly better, on other points, than what is known."""
        if not is_worth_a_try(Z) or self._clock.is_over():
            return None
        order = self._searchable(groups)
        order = order[stratified(groups[order], self._draw())]
        size = min(ALIGNED, int(ALIGNED_SHARE * order.size))
        aligned, others, few = order[:size], order[size : size + SEARCHED], order[:SEARCHED]
        weights = aligned_metric(self._machine(), Z[aligned], y[aligned])
        points = weighted(Z, weights)
        gamma = 1 / self._typical(points[aligned])
        judged = self._climb(points[others], y[others], weight[others], gamma, USUAL_PRICE, again=False)
        to_beat = min(known, self._judgement_of_constant(y[others], weight[others]))
        if judged is None or judged.judgement > to_beat - DOUBT * judged.chance(others.size):
            return None
        summit = self._climb(points[few], y[few], weight[few], judged.gamma, judged.C, again=False) or judged
        self._clock.lap("search")
        self.report_.say(
            "kernel",
            "Features say something together that they do not say by themselves: weights are those of the "
            f"kernel that is aligned best with {size} points, judged on {others.size} others.",
        )
        self._say_summit(summit, few.size, judged.gamma)
        return weights, summit

    def _say_summit(self, summit: Summit, points: int, start: float) -> None:
        self.report_.say(
            "search",
            f"C={summit.C:g} and gamma={summit.gamma:.3g} are the best of {summit.cells} pairs "
            f"cross-validated on {points} points, uphill from gamma={start:.3g}.",
        )

    def _or_better(
        self, first: Summit, X: Any, y: NDArray[Any], weight: Vector, gamma: float
    ) -> tuple[Summit, float]:
        """The summit of a climb from elsewhere and its start, if it is higher by more than chance."""
        other = self._other_gamma(X, y)
        if other is None or self._clock.is_over() or 1 / FAR < other / first.gamma < FAR:
            return first, gamma
        second = self._climb(X, y, weight, other, USUAL_PRICE, again=False)
        if second is None or second.judgement > first.judgement - first.chance(y.size):
            return first, gamma
        return second, other

    def _climb(
        self, X: Any, y: NDArray[Any], weight: Vector, gamma: float, C: float, again: bool
    ) -> Summit | None:
        jobs = 1 if self.n_jobs is None and y.size < THREADED else self.n_jobs
        machine = self._machine(tol=ROUGH, solver=Decomposition(), n_jobs=jobs)
        folds = make_folds(machine, y, weight, self._splitter(y, FEW_FOLDS if again else FOLDS))

        def judge(Cs: list[float], width: float) -> NDArray[np.float64]:
            if self._clock.is_over():
                return np.full(len(Cs), np.nan)
            cells = CrossFit(
                machine,
                X,
                y,
                weight,
                np.array(Cs),
                np.array([width]),
                folds,
                lambda done, total: self._clock.is_over(),
            )
            return cells.judge()[:, 0]

        return climb(judge, gamma, C, CAUTION / y.size)

    def _splitter(self, y: NDArray[Any], folds: int) -> Any:
        raise NotImplementedError

    def _say_too_short(self) -> None:
        sentence = (
            f"max_time={self.max_time} s was over before one pair of C and gamma was judged: the width comes "
            f"from least squares or a rule of thumb, and C={FALLBACK_C:g}. Allow more time."
        )
        self.report_.say("search", sentence)
        warnings.warn(f"{type(self).__name__}: {sentence}", SearchWarning, stacklevel=4)

    def _settle(
        self,
        Z: Any,
        groups: NDArray[np.integer],
        weights: Vector,
        found: Rung | None,
        summit: Summit | None,
    ) -> None:
        """The values that the machine is trained with."""
        self.relevance_ = weights * (self.scaling_.factor > 0)
        self.scaling_ = self.scaling_.weighted(weights)
        if summit is not None:
            self.C_, self.gamma_ = summit.C, summit.gamma
            return
        some = stratified(groups, self._draw())[:SEARCHED]
        scaled = weighted(take(Z, some), weights)
        rung = FIRST if found is None else found.rung
        self.C_, self.gamma_ = FALLBACK_C, STEP**rung / self._typical(scaled)

    def _typical(self, X: Any) -> float:
        """The median squared distance."""
        some = X[:SCREENED]
        return typical(squared_distances(some, np.ones(X.shape[1])))

    def _train(self, X: Any, y: NDArray[Any], weight: Vector) -> None:
        raise NotImplementedError

    def _summarise(self, n: int) -> None:
        """Scales and times for the report."""
        constant = self.scaling_.n_constant
        dropped = f", {constant} of them constant and left out" if constant else ""
        first = {"features": f"{self.scaling_.factor.size} scaled to variance 1{dropped}."}
        self.report_.sentences = first | self.report_.sentences
        self._clock.lap("training")
        self.report_.say("time", f"{duration(self._clock.seconds)}: {self._clock}.")
        self.report_.title = f"{type(self).__name__} on {n:,} points"
        del self._clock

    def _draw(self) -> np.random.Generator:
        if isinstance(self.random_state, np.random.RandomState):
            return np.random.default_rng(self.random_state.randint(2**31))
        return np.random.default_rng(self.random_state)

    def _scaled(self, X: Any) -> Any:
        """New points as the machine sees them."""
        check_is_fitted(self)
        X = sample.finite(validate_data(self, X, reset=False, **sample.CHECKS))
        return self.scaling_(X)

    def predict(self, X: Any) -> NDArray[Any]:
        """The class, or the target value, of each row of X."""
        X = self._scaled(X)
        return self.machine_.predict(X)

    def _begin(self, X: Any, y: ArrayLike, sample_weight: Any, **checks: Any) -> tuple[Any, Any, Vector]:
        parameters.check(self, self._rules)
        X, y = sample.read_training(self, X, y, **checks)
        return X, np.asarray(y), np.array(sample.read_weight(sample_weight, count(X)))

    _kept = staticmethod(all_or_nothing)


def weighted(Z: Any, weights: Vector) -> Any:
    """Points among which squared distances have these weights."""
    return Scaling(np.zeros(weights.size), np.sqrt(weights))(Z)


def stratified(groups: NDArray[np.integer], random: np.random.Generator) -> NDArray[np.intp]:
    """All points in an order of which every beginning has about the same share of each group."""
    place = np.empty(groups.size)
    for group in np.unique(groups):
        members = random.permutation(np.flatnonzero(groups == group))
        place[members] = (np.arange(members.size) + random.uniform(0.25, 0.75)) / members.size
    return np.argsort(place, kind="stable")


def few_of_all(groups: NDArray[np.integer], random: np.random.Generator) -> NDArray[np.intp]:
    """So few points that to learn them takes no time, two of each group among them if it has two."""
    some = stratified(groups, random)[:SEARCHED]
    return np.union1d(some, np.concatenate([np.flatnonzero(groups == g)[:2] for g in np.unique(groups)]))


def draws_of_folds(points: int) -> int:
    """How often so many points are divided into folds."""
    return REPEATS if points <= FEW_POINTS else 1


def halves(groups: NDArray[np.integer], order: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Two parts of these points, each with half of every group."""
    by_group = order[np.argsort(groups[order], kind="stable")]
    return by_group[0::2], by_group[1::2]
