"""All codes on the same data, each with its own C and gamma."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from widemargin.codes import drawn
from widemargin.comparison import (
    Agreement,
    BootstrapDifference,
    McNemar,
    agreement,
    bootstrap_difference,
    mcnemar,
)
from widemargin.comparison.labels import read_labels

from .path import cross_validate_path

USUAL = ("one-vs-all", "all-pairs", "dense-random", "sparse-random")


@dataclass(frozen=True, eq=False)
class CodeComparison:
    """Codes beside the first of them; printed, a line for each.

    Parameters
    ----------
    machines : dict
        The trained machines by code.
    errors : dict
        Shares of wrong test points.
    differences : dict
        For all but the first: the error minus that of the first, with an interval.
    tests : dict
        Likewise McNemar's test.
    overlap : Agreement
        Shares of test points on which they agree.
    """

    machines: dict[str, Any]
    errors: dict[str, float]
    differences: dict[str, BootstrapDifference]
    tests: dict[str, McNemar]
    overlap: Agreement

    def __str__(self) -> str:
        first, *others = self.errors
        width = max(map(len, self.errors))
        lines = [f"{'code':<{width}}   error  agrees  more errors than {first}      p"]
        lines.append(f"{first:<{width}}  {self.errors[first]:6.2%}")
        for name, same in zip(others, self.overlap.matrix[0, 1:], strict=True):
            found = self.differences[name]
            interval = f"{found.difference:+.2%} ({found.low:+.2%} to {found.high:+.2%})"
            lines.append(
                f"{name:<{width}}  {self.errors[name]:6.2%}  {same:6.1%}  {interval:>{17 + len(first)}}"
                f"  {self.tests[name].p_value:.3f}"
            )
        return "\n".join(lines)


def compare_codes(
    machine: Any,
    X: Any,
    y: ArrayLike,
    X_test: Any,
    y_test: ArrayLike,
    *,
    codes: Sequence[str] | Mapping[str, Any] = USUAL,
    Cs: ArrayLike | None = None,
    gammas: ArrayLike | None = None,
    cv: Any = None,
    level: float = 0.95,
) -> CodeComparison:
    """Is one-vs-all as good as anything? Train a machine with each code, tuned for it, and compare them.

    Parameters
    ----------
    machine : classifier with a parameter `multiclass`
        `SVC`, `NuSVC` or `RLSClassifier`; not changed. With Cs or gammas an `SVC`. Least squares tune
        themselves, by ``lam="loo"``.
    X, y : points and classes for training and tuning
    X_test, y_test : points and classes to be judged by
    codes : sequence of names, or mapping of name to code
        At least two. All are compared with the first.
    Cs, gammas : array-like, optional
        The grid of `cross_validate_path`, separately for each code; without either the machine is trained as
        it is. A code is at a disadvantage with the best C of another.
    cv : int, splitter or iterable, optional
        As in `cross_validate_path`.
    level : float, default=0.95
        Of the bootstrap intervals.

    Returns
    -------
    comparison : CodeComparison

    References
    ----------
    Rifkin and Klautau, In defense of one-vs-all classification, JMLR 5, 2004.

    Examples
    --------
    >>> import widemargin as wm
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> found = wm.compare_codes(
    ...     wm.SVC(), X[::2], y[::2], X[1::2], y[1::2], codes=["one-vs-all", "all-pairs"], Cs=[1, 8, 64]
    ... )
    >>> sorted(found.errors), found.tests["all-pairs"].p_value > 0.05
    (['all-pairs', 'one-vs-all'], True)
    """
    named = dict(codes) if isinstance(codes, Mapping) else {str(code): code for code in codes}
    _check(machine, named)
    (classes,), (answered,) = read_labels(y=y), read_labels(y_test=y_test)
    _check_seen(answered, classes)
    names, seed = np.unique(classes), machine.get_params().get("random_state")
    same = {name: drawn(code, names, seed) for name, code in named.items()}
    machines = {
        name: _tuned(clone(machine).set_params(multiclass=code), X, y, Cs, gammas, cv).fit(X, y)
        for name, code in same.items()
    }
    answers = {name: each.predict(X_test) for name, each in machines.items()}
    first, *others = answers
    return CodeComparison(
        machines=machines,
        errors={name: float((each != answered).mean()) for name, each in answers.items()},
        differences={
            name: bootstrap_difference(answered, answers[name], answers[first], level=level)
            for name in others
        },
        tests={name: mcnemar(answered, answers[name], answers[first]) for name in others},
        overlap=agreement(answers),
    )


def _check(machine: Any, codes: dict[str, Any]) -> None:
    if "multiclass" not in getattr(machine, "get_params", dict)():
        raise TypeError(
            f"machine must have a parameter multiclass, as SVC, NuSVC and RLSClassifier have; "
            f"{type(machine).__name__} has none: compare machines of other kinds by widemargin.comparison."
        )
    if len(codes) < 2:
        raise ValueError(f"codes has {len(codes)} code{'s' * (len(codes) != 1)}: give at least two.")


def _check_seen(y_test: NDArray[Any], y: NDArray[Any]) -> None:
    unseen = ~np.isin(y_test, y)
    if unseen.any():
        row = int(np.argmax(unseen))
        raise ValueError(
            f"y_test has the class {y_test.tolist()[row]!r} in row {row}, which y does not have: train with "
            "examples of it, or leave such rows out."
        )


def _tuned(machine: Any, X: Any, y: ArrayLike, Cs: Any, gammas: Any, cv: Any) -> Any:
    """The machine with the best cell of the grid, if there is one."""
    if Cs is None and gammas is None:
        return machine
    grid = {"Cs": [machine.C] if Cs is None else Cs, "gammas": gammas}
    return cross_validate_path(machine, X, y, **grid, cv=cv).best_estimator()
