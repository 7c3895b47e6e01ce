"""How barrier and pair methods converge."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from widemargin.papers.credit_study import NEEDS, SOURCE, best_kernels, data_notes, two_ratings
from widemargin.papers.experiment import Experiment, Scope, say
from widemargin.papers.table import Column, Table
from widemargin.problems import Problem, soft_margin
from widemargin.solvers import SMO, LogBarrier, Mehrotra, Solution, Stop

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

T = 300
MUS = (1.5, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0)
CHOSEN = 20.0
"""The mu that the study chose."""

ACCURATE = 1e-12
"""Newton decrement, squared and halved, of central points whose errors are to be compared."""


class BarrierConvergence(Experiment):
    """BBB against BB on 300 training companies. "barrier": Newton steps in all and centrings by the factor
    mu of t; "ratio" is the error of the objective after the last centring over that after the one before,
    with accurate centring, and should be 1/mu. "last centring": steps of Newton for the last t at mu = 20;
    "ratio" is the largest error over the square of the one before, both times t, which is bounded for
    quadratic convergence. "SMO": pairs until the end; "ratio" is the median of successive errors, which is
    near 1 for slow linear convergence. "Mehrotra": steps in all, and the median ratio of successive gaps."""

    title = "Barrier and pair methods: convergence"
    source = f"{SOURCE}, figures 4.3 to 4.8 (curves, no numbers printed but the ratio 0.05)"
    needs = NEEDS
    columns = (
        Column("method"),
        Column("kernel"),
        Column("mu", "g"),
        Column("steps"),
        Column("centrings"),
        Column("gap", ".1e"),
        Column("ratio", ".4f"),
        Column("1/mu", ".4f"),
    )

    def rows(self, scope: Scope) -> Iterator[tuple[Any, ...]]:
        for name in best_kernels():
            case = Case(name, scope)
            for mu in MUS:
                say(f"{name}, mu = {mu:g}")
                plain = case.solve(LogBarrier(mu=mu))
                ratio = case.centring_errors(mu)[-2:]
                steps, centrings = plain.iterations, plain.counters["centrings"]
                yield "barrier", name, mu, steps, centrings, plain.duality_gap, ratio[1] / ratio[0], 1 / mu
            errors = case.last_centring()
            yield "last centring", name, CHOSEN, errors.size, None, None, quadratic_factor(errors), None
            say(f"{name}, SMO and Mehrotra")
            pairs = case.solve(SMO("most-violating-pair", trace=1))
            errors = np.maximum(case.optimum - case.trace(pairs)["objective"], 0)
            median = float(np.median(errors[1:] / np.maximum(errors[:-1], 1e-300)))
            yield "SMO", name, None, pairs.iterations, None, pairs.duality_gap, median, None
            best = case.solve(Mehrotra(trace=1))
            gaps = case.trace(best)["gap"]
            median = float(np.median(gaps[1:] / gaps[:-1]))
            yield "Mehrotra", name, None, best.iterations, None, best.duality_gap, median, None

    def notes(self, table: Table, scope: Scope) -> list[str]:
        return [
            *data_notes(scope.data_dir),
            "Claimed: many steps for mu below 10, few and about as many for all above, hence mu = 20; errors "
            "fall by 0.05 = 1/20 from centring to centring; the steps of a centring end quadratically; SMO "
            "takes about 1,500 slow steps.",
        ]


class Case:
    """The problem of 300 companies with a kernel, and its optimum."""

    def __init__(self, kernel: str, scope: Scope) -> None:
        train = two_ratings(scope.data_dir, T).train
        chosen, C = best_kernels()[kernel]
        self.problem: Problem = soft_margin(train.y, C)
        self.gram = chosen.bind(train.X)
        self.best = Mehrotra(1e-8).solve(self.problem, self.gram, stop=Stop(tol=1e-8))
        self.optimum = self.best.dual_objective

    def solve(self, solver: Any, **limits: Any) -> Solution:
        """To the usual tolerance."""
        return solver.solve(self.problem, self.gram, stop=Stop(**{"tol": 1e-3, **limits}))

    @staticmethod
    def trace(solution: Solution) -> dict[str, np.ndarray]:
        """What was recorded."""
        assert solution.trace is not None
        return solution.trace

    def centring_errors(self, mu: float) -> np.ndarray:
        """Errors of the objective after each centring, as far as they are more than rounding."""
        trace = self.trace(self.solve(LogBarrier(mu=mu, newton_epsilon=ACCURATE, trace=1)))
        last = np.append(np.flatnonzero(np.diff(trace["centring"])), trace["centring"].size - 1)
        errors = self.optimum - trace["objective"][last]
        return errors[errors > 1e-9 * abs(self.optimum)]

    def last_centring(self) -> np.ndarray:
        """Errors before each step of Newton for the last t: half the squared decrement, which is t times the
        error of the barrier function to second order, and visible where its values are lost in rounding."""
        trace = self.trace(self.solve(LogBarrier(mu=CHOSEN, newton_epsilon=ACCURATE, trace=1)))
        return trace["decrement"][trace["centring"] == trace["centring"].max()] / 2

    def errors_of_pairs(self) -> tuple[np.ndarray, np.ndarray]:
        """Errors of SMO's objective after so many pairs, as far as they are more than rounding."""
        trace = self.trace(self.solve(SMO("most-violating-pair", trace=1)))
        errors = self.optimum - trace["objective"]
        good = errors > 1e-12 * abs(self.optimum)
        return trace["iteration"][good], errors[good]


def quadratic_factor(errors: np.ndarray) -> float | None:
    """The largest error over the square of the one before, where that is small and neither is rounding."""
    near = (errors[:-1] < 0.1) & (errors[1:] > 1e-6)
    return float((errors[1:] / errors[:-1] ** 2)[near].max()) if near.any() else None


def draw(scope: Scope | None = None, kernel: str = "gauss s = 0.5") -> Figure:
    """Figures 4.3 to 4.8 for one kernel (needs matplotlib)."""
    from matplotlib.figure import Figure

    case = Case(kernel, scope or Scope())
    figure = Figure(figsize=(14, 7), layout="constrained")
    panels = (_steps_of_a_centring, _gaps, _steps_by_mu, _centrings, _errors_of_pairs, _ratios_of_pairs)
    for panel, ax in zip(panels, figure.subplots(2, 3).flat, strict=True):
        panel(case, ax)
    return figure


def _steps_of_a_centring(case: Case, ax: Axes) -> None:
    ax.semilogy(case.last_centring(), "o-")
    ax.set(
        title="4.3 last centring", xlabel="Newton step", ylabel="t times the error of the barrier function"
    )


def _gaps(case: Case, ax: Axes) -> None:
    for mu in (2.0, 10.0, 100.0):
        trace = case.trace(case.solve(LogBarrier(mu=mu, trace=1)))
        ax.step(trace["iteration"], trace["gap"], label=f"mu = {mu:g}")
    ax.set(title="4.4 gap", xlabel="Newton steps", ylabel="M/t", yscale="log")
    ax.legend()


def _steps_by_mu(case: Case, ax: Axes) -> None:
    mus = sorted([*MUS, 3.0, 7.0, 15.0, 30.0])
    ax.plot(mus, [case.solve(LogBarrier(mu=mu)).iterations for mu in mus], "o-")
    ax.set(title="4.5 Newton steps in all", xlabel="mu", ylabel="steps", xscale="log", ylim=0)


def _centrings(case: Case, ax: Axes) -> None:
    errors = case.centring_errors(CHOSEN)
    ax.semilogy(errors, "o-", label="error")
    ax.semilogy(range(1, len(errors)), errors[1:] / errors[:-1], "s--", label="ratio")
    ax.axhline(1 / CHOSEN, color="0.6", linewidth=0.8)
    ax.set(title="4.6 centrings", xlabel="centring")
    ax.legend()


def _errors_of_pairs(case: Case, ax: Axes) -> None:
    pairs, errors = case.errors_of_pairs()
    ax.semilogy(pairs, errors, label="error of the objective")
    ax.semilogy(*distances_of_pairs(case), label="distance to the solution")
    ax.set(title="4.7, 4.8 SMO: errors", xlabel="pairs")
    ax.legend()


def _ratios_of_pairs(case: Case, ax: Axes) -> None:
    """What is left to 1 of the ratios: they themselves can hardly be told from it."""
    pairs, errors = case.errors_of_pairs()
    gains = 1 - errors[1:] / errors[:-1]
    ax.semilogy(pairs[1:][gains > 0], gains[gains > 0], ".", markersize=2)
    ax.axhline(np.median(gains), color="0.6", linewidth=0.8, label=f"median {np.median(gains):.1g}")
    ax.set(title="4.7, 4.8 SMO: 1 - ratio of successive errors", xlabel="pairs")
    ax.legend()


def distances_of_pairs(case: Case, records: int = 40) -> tuple[np.ndarray, np.ndarray]:
    """How far SMO's variables are from the solution after so many pairs."""
    total = case.solve(SMO("most-violating-pair")).iterations
    steps = np.unique(np.linspace(0, total, records).astype(int))
    runs = [case.solve(SMO("most-violating-pair"), max_iter=int(k)) for k in steps]
    return steps, np.array([np.linalg.norm(each.alpha - case.best.alpha) for each in runs])
