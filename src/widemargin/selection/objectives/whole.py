"""Objectives that look at the machine trained on all points."""

from __future__ import annotations

from typing import Any

from widemargin.problems import Vector
from widemargin.selection.objectives.objective import BoundObjective, Task
from widemargin.selection.workbench import Bench, Gradient, Machine, Workbench


class BoundWhole(BoundObjective):
    """A sum over the functions of the machine trained on all points; a sub-class defines `_of_machine`."""

    def __init__(self, task: Task) -> None:
        super().__init__(task)
        self.targets: Any = task.targets()
        self.workbench = Workbench(task.parameters, task.X, task.y, task.weight, exactly=self.differentiable)

    def _of_machine(self, bench: Bench, machine: Machine, gradient: Gradient | None) -> float:
        """The value of one function; its derivatives are added to the gradient, if there is one."""
        raise NotImplementedError

    def _evaluate(self, x: Vector, gradient: bool) -> tuple[float, Vector | None]:
        bench = self.workbench.at(x)
        slopes = Gradient(bench) if gradient else None
        machines = bench.train(self.task.rows, self.targets, "all")
        value = sum(self._of_machine(bench, machine, slopes) for machine in machines)
        return float(value), None if slopes is None else slopes.total()
