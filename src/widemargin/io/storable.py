"""The classes whose objects a model file may hold.

A model file names classes, it never holds code. A name is looked up among the classes defined in the
packages below, the classes of scikit-learn below and those registered with `storable`; anything else is
refused, in writing and in reading.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pkgutil import walk_packages
from types import ModuleType
from typing import TypeVar

from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, Normalizer, RobustScaler, StandardScaler

ROOT = "widemargin"
PACKAGES = (
    "estimators",
    "kernels",
    "solvers",
    "problems",
    "expansion",
    "calibration",
    "codes",
    "losses",
    "regularization",
    "baselines",
    "reduction",
    "joint",
    "online",
    "joint_problems",
    "least_squares.centres",
    "selection.auto.auto_svc",
    "selection.auto.auto_svr",
    "selection.auto.report",
    "selection.auto.scaling",
)

GUESTS = (Pipeline, MaxAbsScaler, MinMaxScaler, Normalizer, RobustScaler, StandardScaler)
"""Classes of scikit-learn that a machine is often trained behind."""

_registered: dict[str, type] = {}
_Class = TypeVar("_Class", bound=type)


def storable(cls: _Class) -> _Class:
    """Register a class of one's own (also as a decorator), so that model files may hold its objects.

    The class must be registered again, under the same name, wherever a file that holds it is read.
    """
    known = find_class(cls.__name__)
    if known is not None and (known.__module__, known.__qualname__) != (cls.__module__, cls.__qualname__):
        raise ValueError(f"The name {cls.__name__} is taken by {known.__module__}.{known.__qualname__}.")
    _registered[cls.__name__] = cls
    return cls


def find_class(name: str) -> type | None:
    """The class of that name which model files may hold, or None."""
    return _registered.get(name) or _known_classes().get(name)


@cache
def _known_classes() -> dict[str, type]:
    return {guest.__name__: guest for guest in GUESTS} | {
        name: item
        for module in _modules()
        for name, item in vars(module).items()
        if isinstance(item, type) and item.__module__ == module.__name__
    }


def _modules() -> Iterator[ModuleType]:
    for name in (f"{ROOT}.{package}" for package in PACKAGES):
        if find_spec(name) is None:
            continue
        module = import_module(name)
        yield module
        for part in walk_packages(getattr(module, "__path__", ()), f"{name}."):
            yield import_module(part.name)
