"""What the gradient of an objective costs with a width for each of 50 features, in plain fits.

The labels are signs of x1 x2 + x3 and noise; 47 features do not matter.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from widemargin.estimators import SVC
from widemargin.kernels import ARDGaussian
from widemargin.losses import Logistic
from widemargin.selection.objectives import Alignment, BootstrapLikelihood, CrossValidation, HoldOut

POINTS, FEATURES = 2_000, 50
MACHINES = ((1.0, 0.02), (10.0, 0.01), (100.0, 0.01))
"""C and gamma."""

OBJECTIVES: dict[str, Callable[[], Any]] = {
    "HoldOut": lambda: HoldOut(loss=Logistic()),
    "BootstrapLikelihood": BootstrapLikelihood,
    "Alignment": Alignment,
    "CrossValidation": lambda: CrossValidation(loss=Logistic()),
}


@dataclass(frozen=True)
class Cost:
    """The least seconds of processor time of a fit, of a value, and of a value with its gradient."""

    objective: str
    C: float
    gamma: float
    fit: float
    value: float
    both: float

    @property
    def added(self) -> float:
        """What the gradient adds, in fits."""
        return (self.both - self.value) / self.fit

    def __str__(self) -> str:
        return (
            f"{self.objective:<20} C={self.C:<4g} gamma={self.gamma:<5g} fit {1e3 * self.fit:7.1f} ms   "
            f"value {self.value / self.fit:6.2f} fits, gradient {self.added:6.2f} more"
        )


def costs(points: int | None, threads: int | None, repeats: int) -> Iterator[Cost]:
    """All objectives at all machines, each evaluation from scratch."""
    random = np.random.RandomState(0)
    X = random.normal(size=(points or POINTS, FEATURES))
    y = np.sign(X[:, 0] * X[:, 1] + X[:, 2] + 0.3 * random.normal(size=len(X)))
    for C, gamma in MACHINES:
        machine = SVC(kernel=ARDGaussian(np.full(FEATURES, gamma)), C=C, n_jobs=threads or 1)
        fit = min(_seconds(machine.fit, X, y) for _ in range(repeats))
        for name, make in OBJECTIVES.items():
            least = {"value": np.inf, "value_and_gradient": np.inf}
            for _ in range(repeats):
                for what in least:
                    bound = make().bind(machine, X, y, random_state=0)
                    seconds = _seconds(getattr(bound, what), bound.parameters.start)
                    least[what] = min(least[what], seconds)
            yield Cost(name, C, gamma, fit, *least.values())


def summary(found: Sequence[Cost]) -> str:
    """The most that a gradient adds."""
    dearest = max(found, key=lambda cost: cost.added)
    return (
        f"{FEATURES} widths: a gradient adds at most {dearest.added:.1f} fits to the value of its objective "
        f"({dearest.objective}, C={dearest.C:g})."
    )


def _seconds(task: Callable[..., Any], *arguments: Any) -> float:
    begin = time.process_time()
    task(*arguments)
    return time.process_time() - begin
