"""What becomes of machines and objectives when a Gaussian kernel is very narrow or very wide."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial.distance import pdist

from widemargin.datasets import Sample
from widemargin.estimators import SVC, EnclosingBall
from widemargin.kernels import Gaussian
from widemargin.papers.experiment import Experiment, Scope
from widemargin.papers.table import Column, Table
from widemargin.selection.objectives import Alignment, Polarization

POINTS, DIMENSIONS = 12, 3
FAR = 25.0
"""gamma |x - z|^2 of the closest pair where the kernel is called narrow: exp(-25) is 1e-11."""

NEAR = 1e-9
"""That of the pair farthest apart, where it is called wide."""


@dataclass(frozen=True, eq=False)
class Limit:
    """A sample with a kernel near a limit, and the numbers that are about to reach one."""

    sample: Sample
    gamma: float

    @property
    def counts(self) -> tuple[int, int]:
        """Positive and negative points."""
        positive = int((self.sample.y > 0).sum())
        return positive, len(self.sample.y) - positive

    @property
    def machine(self) -> Any:
        return SVC(C=np.inf, kernel=Gaussian(self.gamma), tol=1e-9).fit(self.sample.X, self.sample.y)

    @property
    def ball(self) -> Any:
        return EnclosingBall(nu=0, kernel=Gaussian(self.gamma), tol=1e-9).fit(self.sample.X)

    def coefficients(self, sign: float) -> np.ndarray:
        """Of the points of one class, zero for those that are no support vectors."""
        machine, everywhere = self.machine, np.zeros(len(self.sample.y))
        everywhere[machine.support_] = machine.dual_coef_[0]
        return everywhere[self.sample.y == sign]

    def objective(self, kind: Any) -> float:
        """The alignment or the polarization, to be maximised."""
        bound = kind.bind(SVC(kernel=Gaussian(self.gamma)), self.sample.X, self.sample.y)
        return -float(bound.value([np.log(self.gamma)]))


@dataclass(frozen=True)
class Quantity:
    """A number, or several with the same limit; the limit for so many positive and negative points."""

    name: str
    formula: str
    value: Callable[[Limit], Any]
    limit: Callable[[int, int], float]


NARROW = (
    Quantity("R^2", "1 - 1/n", lambda near: near.ball.radius_**2, lambda p, m: 1 - 1 / (p + m)),
    Quantity("beta", "1/n", lambda near: near.ball.dual_coef_, lambda p, m: 1 / (p + m)),
    Quantity("alpha of y = +1", "2 n-/n", lambda near: near.coefficients(1), lambda p, m: 2 * m / (p + m)),
    Quantity("alpha of y = -1", "-2 n+/n", lambda near: near.coefficients(-1), lambda p, m: -2 * p / (p + m)),
    Quantity(
        "1/rho^2",
        "4 n+ n-/n",
        lambda near: 2 * near.machine.dual_objective_,
        lambda p, m: 4 * p * m / (p + m),
    ),
    Quantity("support vectors", "n", lambda near: near.machine.support_.size, lambda p, m: p + m),
    Quantity("b", "(n+ - n-)/n", lambda near: near.machine.intercept_[0], lambda p, m: (p - m) / (p + m)),
    Quantity(
        "alignment", "1/sqrt(n)", lambda near: near.objective(Alignment()), lambda p, m: 1 / np.sqrt(p + m)
    ),
    Quantity("polarization", "n", lambda near: near.objective(Polarization()), lambda p, m: p + m),
)
WIDE = (
    Quantity(
        "alignment",
        "((n+ - n-)/n)^2",
        lambda near: near.objective(Alignment()),
        lambda p, m: ((p - m) / (p + m)) ** 2,
    ),
    Quantity(
        "polarization", "(n+ - n-)^2", lambda near: near.objective(Polarization()), lambda p, m: (p - m) ** 2
    ),
    Quantity("R", "0", lambda near: near.ball.radius_, lambda p, m: 0.0),
)


class KernelLimits(Experiment):
    """Hard margin machines, smallest balls and objectives on n random points in three dimensions, n+ of them
    positive, with exp(-gamma |x - z|^2) so narrow that the closest pair has a kernel of 1e-11, or so wide
    that the pair farthest apart differs from one by 1e-9. The last two columns are of the first sample; the
    difference is the largest over all samples and points."""

    title = "Narrow and wide Gaussian kernels: what machines and objectives tend to"
    source = "Glasmachers 2008, thesis, chapter 9"
    needs = "Nothing."
    columns = (
        Column("gamma to"),
        Column("quantity"),
        Column("limit"),
        Column("largest difference", ".1e"),
        Column("ours", ".6f"),
        Column("by formula", ".6f"),
    )

    def rows(self, scope: Scope) -> Iterator[tuple[Any, ...]]:
        samples = [random_sample(seed) for seed in range(100 if scope.full else 10)]
        for name, quantities, make in (("infinity", NARROW, narrow), ("0", WIDE, wide)):
            limits = [make(sample) for sample in samples]
            for quantity in quantities:
                found = [np.ravel(quantity.value(limit)) for limit in limits]
                formula = [quantity.limit(*limit.counts) for limit in limits]
                differences = [np.abs(values - end).max() for values, end in zip(found, formula, strict=True)]
                yield name, quantity.name, quantity.formula, max(differences), found[0][0], formula[0]

    def notes(self, table: Table, scope: Scope) -> list[str]:
        return ["With a very narrow kernel all points far from the sample are given to its majority, by b."]


def random_sample(seed: int) -> Sample:
    """Normal points with at least two of each class, labelled at random."""
    random = np.random.default_rng(seed)
    positive = random.integers(2, POINTS - 1)
    y = np.where(random.permutation(POINTS) < positive, 1.0, -1.0)
    return Sample(random.normal(size=(POINTS, DIMENSIONS)), y)


def narrow(sample: Sample) -> Limit:
    """With a kernel under which no point knows of another."""
    return Limit(sample, FAR / pdist(sample.X, "sqeuclidean").min())


def wide(sample: Sample) -> Limit:
    """With a kernel under which all points look the same."""
    return Limit(sample, NEAR / pdist(sample.X, "sqeuclidean").max())
