"""Where the closest pair of points sends a search that begins with a very narrow kernel."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count, islice
from typing import Any

import numpy as np
from scipy.spatial.distance import pdist

from widemargin.datasets import Sample
from widemargin.estimators import SVC
from widemargin.kernels import Gaussian
from widemargin.papers.experiment import Experiment, Scope
from widemargin.papers.kernel_limits import random_sample
from widemargin.papers.table import Column, Table
from widemargin.selection.objectives import Polarization, RadiusMargin

RATIO = 1e-3
"""All other pairs together count less than this beside the closest one."""

LARGEST_EXPONENT = 300.0
"""exp(-300) squared is not zero in double precision."""

OBJECTIVES = {"radius-margin": (RadiusMargin(), np.inf), "polarization": (Polarization(), 1.0)}
"""To be minimised, polarization with its sign changed, and C of the machine."""


class BoundaryOptima(Experiment):
    """The derivative of objectives in gamma, for kernels so narrow that the closest pair of points (p, q)
    outweighs all other pairs together a thousand times. By theorems 9.3 and 9.4 it has the sign of y_p y_q
    (both objectives to be minimised): if the labels are different the search runs to gamma = infinity, an
    optimum at the boundary; if they are equal it comes back. "flipped" are the same samples with the label of
    one of the two changed."""

    title = "One pair of points decides whether a search runs to the boundary"
    source = "Glasmachers 2008, thesis, lemma 9.2, theorems 9.3 and 9.4"
    needs = "Nothing."
    columns = (
        Column("objective"),
        Column("labels of the closest pair"),
        Column("samples"),
        Column("predicted"),
        Column("as predicted"),
        Column("flipped, as predicted"),
    )

    def rows(self, scope: Scope) -> Iterator[tuple[Any, ...]]:
        samples = list(islice(telling_samples(), 400 if scope.full else 41))
        for name in OBJECTIVES:
            for equal in (True, False):
                mine = [sample for sample in samples if (product_of_labels(sample) > 0) == equal]
                flips = [flipped(sample) for sample in mine]
                kept = [sample for sample in flips if min((sample.y > 0).sum(), (sample.y < 0).sum()) >= 2]
                yield (
                    name,
                    "equal" if equal else "different",
                    len(mine),
                    "gamma falls" if equal else "gamma grows",
                    share(name, mine),
                    share(name, kept),
                )

    def notes(self, table: Table, scope: Scope) -> list[str]:
        return ["Flipped samples with fewer than two points of a class are left out: the theorems need two."]


def telling_samples() -> Iterator[Sample]:
    """Random samples in which the closest pair dominates before its own kernel is zero in rounding."""
    for seed in count():
        sample = random_sample(seed)
        if dominating_gamma(sample) * pdist(sample.X, "sqeuclidean").min() < LARGEST_EXPONENT:
            yield sample


def share(name: str, samples: list[Sample]) -> str:
    """How many samples have the derivative that is predicted, of how many."""
    right = [np.sign(slope(name, sample)) == product_of_labels(sample) for sample in samples]
    return f"{sum(right)} of {len(right)}"


def slope(name: str, sample: Sample) -> float:
    """The derivative of the objective in log gamma, the closest pair dominating."""
    objective, C = OBJECTIVES[name]
    gamma = dominating_gamma(sample)
    bound = objective.bind(SVC(C=C, kernel=Gaussian(gamma)), sample.X, sample.y)
    return float(bound.value_and_gradient([np.log(gamma)])[1][0])


def dominating_gamma(sample: Sample) -> float:
    """Where n (n - 1) / 2 kernels as large as the second largest are 1e-3 of the largest."""
    first, second = np.sort(pdist(sample.X, "sqeuclidean"))[:2]
    pairs = len(sample.y) * (len(sample.y) - 1) / 2
    return float(np.log(pairs / RATIO) / (second - first))


def closest_pair(sample: Sample) -> tuple[int, int]:
    """The two points."""
    rows, columns = np.triu_indices(len(sample.y), 1)
    place = int(np.argmin(pdist(sample.X)))
    return int(rows[place]), int(columns[place])


def product_of_labels(sample: Sample) -> float:
    """+1 if the closest pair has equal labels, -1 if not."""
    p, q = closest_pair(sample)
    return float(sample.y[p] * sample.y[q])


def flipped(sample: Sample) -> Sample:
    """The same points with the label of one of the closest pair changed."""
    y = sample.y.copy()
    y[closest_pair(sample)[0]] *= -1
    return Sample(sample.X, y)
