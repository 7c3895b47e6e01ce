"""The error of leave-one-out, exactly."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from widemargin.deletion.held_out import Trained, hold_out
from widemargin.estimators.svc import SoftMargin
from widemargin.problems import GROUNDED, Vector
from widemargin.selection.objectives.judgement import Judgement, has_gradient
from widemargin.selection.objectives.objective import BoundObjective, Objective, Task
from widemargin.selection.workbench import Bench, Gradient, Machine, Workbench
from widemargin.threads import single_threaded_blas


class LeaveOneOut(Objective):
    """The mean loss over all points, each judged by the machine that is trained without it.

    E = 1/n sum_i V(f^i(x_i), y_i),    f^i trained on all points but x_i

    The value alone comes from the paths along which support vectors are driven out of the solution on all
    points (`widemargin.leave_one_out`). The gradient (of a loss that has derivatives) needs the solutions at
    their ends: a training for each support vector, each from a start near by.

    Parameters
    ----------
    loss : Loss, optional
        By default `ZeroOne`, which has no gradient, for classes and `Square` for target values. `Logistic`
        and `Ramp` are smoothed counts of errors.

    Examples
    --------
    >>> import widemargin as wm
    >>> from sklearn.datasets import load_iris
    >>> from widemargin.selection.objectives import LeaveOneOut
    >>> X, y = load_iris(return_X_y=True)
    >>> bound = LeaveOneOut().bind(wm.SVC(C=10, gamma=0.1), X, y)
    >>> round(bound.value(bound.parameters.start), 4)
    0.0333
    """

    def __init__(self, loss: Any = None) -> None:
        self.loss = loss

    @property
    def differentiable(self) -> bool:  # type: ignore[override]
        """Whether the loss has derivatives."""
        return has_gradient(self.loss)

    def _bind(self, task: Task) -> BoundObjective:
        task.check_two_of_each()
        return BoundLeaveOneOut(task, Judgement(task, self.loss))


class BoundLeaveOneOut(BoundObjective):
    """The loss of all points, held out one by one."""

    def __init__(self, task: Task, judgement: Judgement) -> None:
        super().__init__(task)
        self.judgement = judgement
        self.targets: Any = task.targets()
        self.workbench = Workbench(task.parameters, task.X, task.y, task.weight, exactly=True)

    @property
    def differentiable(self) -> bool:
        return self.judgement.differentiable

    def _evaluate(self, x: Vector, gradient: bool) -> tuple[float, Vector | None]:
        bench, every = self.workbench.at(x), np.arange(self.task.n, dtype=np.int32)
        machines = bench.train(self.task.rows, self.targets, "all")
        if not gradient:
            values = np.column_stack([held_values(bench, machine) for machine in machines])
            return float(self.judgement.values(values, every, self.targets).mean()), None
        others = [retrained(bench, machine) for machine in machines]
        values = np.column_stack(
            [_values(machine, without) for machine, without in zip(machines, others, strict=True)]
        )
        q = self.judgement.slopes(values, every) / every.size
        slopes = Gradient(bench)
        for column, (machine, without) in enumerate(zip(machines, others, strict=True)):
            add_held_out(slopes, machine, without, q[:, column])
        return float(self.judgement.values(values, every, self.targets).mean()), slopes.total()

    def _remedy(self) -> str:
        return "choose a loss with derivatives, such as Logistic()"


def held_values(bench: Bench, machine: Machine) -> Vector:
    """The value at each point of the machine trained without it."""
    every = np.arange(bench.n, dtype=np.int32)
    with single_threaded_blas():
        K = np.ascontiguousarray(bench.gram.block(every, every))
        rows = np.unique(machine.problem.rows[machine.problem.rows != GROUNDED])
        inner = K if rows.size == len(K) else np.ascontiguousarray(K[np.ix_(rows, rows)])
        stated = SoftMargin(machine.problem.among(rows), machine.active.has_bias)
        trained = Trained(stated, rows, inner, machine.solution)
        return hold_out(trained, K, bench.workbench.threads).values


def retrained(bench: Bench, machine: Machine) -> dict[int, Machine]:
    """The machines trained without a point, for all points without which it is not the same."""
    active = machine.active
    points: NDArray[np.integer] = active.support
    if active.has_bias and not active.free.size:  # any point may be an end of the interval of the bias
        points = np.unique(machine.problem.rows)
    with single_threaded_blas():
        return {int(point): bench.without(machine, int(point)) for point in points}


def add_held_out(gradient: Gradient, machine: Machine, without: dict[int, Machine], q: Vector) -> None:
    """Add what depends by q_i on the value at x_i of the machine trained without it."""
    rest = np.setdiff1d(np.flatnonzero(q), list(without)).astype(np.int32)
    if rest.size:
        gradient.add(machine, rest, q[rest])
    for point, other in without.items():
        if q[point]:
            gradient.add(other, np.array([point], dtype=np.int32), q[[point]])


def _values(machine: Machine, without: dict[int, Machine]) -> Vector:
    values = machine.values(np.arange(machine.gram.shape[0], dtype=np.int32))
    for point, other in without.items():
        values[point] = other.values(np.array([point], dtype=np.int32))[0]
    return values
