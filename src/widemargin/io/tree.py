"""Objects as JSON and arrays.

JSON has null, booleans, integers, finite reals, texts, lists and objects with text keys. Everything else
becomes an object whose key ``"$"`` says what it is:

=============  ======================================================================================
``array``      a NumPy array of numbers, booleans or texts, kept as a ``.npy`` member of the file
``objects``    a NumPy array of Python objects: shape and items
``scalar``     a NumPy scalar: type and value
``sparse``     a CSR or CSC matrix or array: its three arrays and its shape
``float``      an infinity or NaN
``tuple``      its items
``mapping``    a dictionary with keys other than texts: pairs of key and value
``enum``       class and name of the member
``estimator``  class, constructor parameters, and the rest of the attributes
``object``     class and attributes of any other object of a known class
=============  ======================================================================================

Attributes are those that pickling would keep: an object may leave some out by `__getstate__` and rebuild
them in `__setstate__`. Pickle itself is never used.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from enum import Enum
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator

from .storable import find_class

SPARSE = {
    ("csr", True): sparse.csr_matrix,
    ("csr", False): sparse.csr_array,
    ("csc", True): sparse.csc_matrix,
    ("csc", False): sparse.csc_array,
}


class NotStorable(ValueError):
    """An object that a model file cannot hold."""


class Encoder:
    """Turns objects into trees; `arrays` collects the arrays by member name, an array met twice only once."""

    def __init__(self) -> None:
        self.arrays: dict[str, NDArray[Any]] = {}
        self._met: dict[int, tuple[Any, str]] = {}

    def encode(self, value: Any, place: str) -> Any:
        """The tree of a value; `place` is its name in messages."""
        match value:
            case Enum():
                return {"$": "enum", "class": self._class_name(value, place), "name": value.name}
            case np.generic():
                return self._scalar(value, place)
            case None | bool() | int() | str():
                return value
            case float():
                return value if isfinite(value) else {"$": "float", "value": str(value)}
            case list():
                return self._items(value, place)
            case tuple():
                return {"$": "tuple", "items": self._items(value, place)}
            case dict():
                return self._mapping(value, place)
            case np.ndarray():
                return self._array(value, place)
            case _ if sparse.issparse(value):
                return self._sparse(value, place)
        return self._object(value, place)

    def _items(self, values: Any, place: str) -> list[Any]:
        return [self.encode(value, f"{place}[{i}]") for i, value in enumerate(values)]

    def _attributes(self, values: dict[str, Any], place: str) -> dict[str, Any]:
        return {name: self.encode(value, f"{place}.{name}") for name, value in values.items()}

    def _mapping(self, value: dict[Any, Any], place: str) -> Any:
        if all(type(key) is str and key != "$" for key in value):
            return {key: self.encode(item, f"{place}[{key!r}]") for key, item in value.items()}
        pairs = [[self.encode(k, place), self.encode(v, f"{place}[{k!r}]")] for k, v in value.items()]
        return {"$": "mapping", "items": pairs}

    def _scalar(self, value: np.generic, place: str) -> Any:
        if value.dtype.kind not in "biufU" or isinstance(value, np.longdouble):
            raise NotStorable(f"{place} is a NumPy scalar of type {value.dtype}")
        return {"$": "scalar", "dtype": value.dtype.str, "value": self.encode(value.item(), place)}

    def _array(self, value: NDArray[Any], place: str) -> Any:
        if isinstance(value, np.ma.MaskedArray):
            raise NotStorable(f"{place} is a masked array")
        if value.dtype.kind == "O":
            return {"$": "objects", "shape": list(value.shape), "items": self._items(value.flat, place)}
        if value.dtype.kind not in "biufcSUmM":
            raise NotStorable(f"{place} is an array of type {value.dtype}")
        if id(value) not in self._met:
            member = f"arrays/{len(self.arrays)}.npy"
            self._met[id(value)] = value, member
            self.arrays[member] = np.asarray(value)
        return {"$": "array", "member": self._met[id(value)][1]}

    def _sparse(self, value: Any, place: str) -> Any:
        matrix = sparse.isspmatrix(value)
        if (value.format, matrix) not in SPARSE:
            raise NotStorable(
                f"{place} is a sparse matrix in {value.format} format; csr and csc can be stored"
            )
        parts = {name: self._array(getattr(value, name), place) for name in ("data", "indices", "indptr")}
        return {"$": "sparse", "format": value.format, "matrix": matrix, "shape": list(value.shape), **parts}

    def _object(self, value: Any, place: str) -> Any:
        known = find_class(type(value).__name__) is type(value)
        if callable(value) and not known and not hasattr(value, "get_params"):
            name = getattr(value, "__qualname__", type(value).__name__)
            raise NotStorable(f"{place} is a Python callable, {name}, and a model file holds no code")
        tree: dict[str, Any] = {"class": self._class_name(value, place)}
        state = _state_of(value, place)
        if not hasattr(value, "get_params"):
            return {"$": "object", **tree, "state": self._attributes(state, place)}
        parameters = {name: state.pop(name) for name in value.get_params(deep=False) if name in state}
        tree["parameters"] = self._attributes(parameters, place)
        return {"$": "estimator", **tree, "state": self._attributes(state, place)}

    def _class_name(self, value: Any, place: str) -> str:
        cls = type(value)
        if find_class(cls.__name__) is not cls:
            what = f"{place} is an object of {cls.__module__}.{cls.__qualname__}"
            raise NotStorable(f"{what}, a class not known to model files (see widemargin.io.storable)")
        return cls.__name__


def _state_of(value: Any, place: str) -> dict[str, Any]:
    if _is_record(value):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    state = value.__getstate__()
    if state is None:
        return {}
    if not isinstance(state, dict):
        raise NotStorable(
            f"{place} is an object of {type(value).__qualname__}, whose state is not a dictionary"
        )
    return {name: item for name, item in state.items() if name != "_sklearn_version"}


def _is_record(value: Any) -> bool:
    """Whether the fields of a data class are all there is to an object."""
    return is_dataclass(value) and not hasattr(value, "get_params")


class Decoder:
    """Turns trees into objects; `arrays` are the arrays by member name."""

    def __init__(self, arrays: dict[str, NDArray[Any]]):
        self.arrays = arrays

    def decode(self, tree: Any) -> Any:
        """The value of a tree."""
        if isinstance(tree, list):
            return [self.decode(item) for item in tree]
        if not isinstance(tree, dict):
            return tree
        if "$" not in tree:
            return self._attributes(tree)
        builders: dict[str, Callable[[dict[str, Any]], Any]] = {
            "array": lambda tree: self.arrays[tree["member"]],
            "objects": self._objects,
            "scalar": lambda tree: np.array(self.decode(tree["value"]), dtype=tree["dtype"])[()],
            "sparse": self._sparse,
            "float": lambda tree: float(tree["value"]),
            "tuple": lambda tree: tuple(self.decode(tree["items"])),
            "mapping": lambda tree: {self.decode(key): self.decode(value) for key, value in tree["items"]},
            "enum": lambda tree: _known(tree["class"])[tree["name"]],  # type: ignore[index]
            "estimator": self._estimator,
            "object": self._object,
        }
        return builders[tree["$"]](tree)

    def _attributes(self, tree: dict[str, Any]) -> dict[str, Any]:
        return {name: self.decode(item) for name, item in tree.items()}

    def _objects(self, tree: dict[str, Any]) -> NDArray[Any]:
        array = np.empty(tree["shape"], dtype=object)
        for i, item in enumerate(tree["items"]):
            array.flat[i] = self.decode(item)
        return array

    def _sparse(self, tree: dict[str, Any]) -> Any:
        parts = tuple(self.decode(tree[name]) for name in ("data", "indices", "indptr"))
        return SPARSE[tree["format"], tree["matrix"]](parts, shape=tuple(tree["shape"]))

    def _estimator(self, tree: dict[str, Any]) -> Any:
        estimator = _known(tree["class"])(**self._attributes(tree["parameters"]))
        return _with_state(estimator, self._attributes(tree["state"]))

    def _object(self, tree: dict[str, Any]) -> Any:
        cls = _known(tree["class"])
        return _with_state(object.__new__(cls), self._attributes(tree["state"]))


def _known(name: str) -> type:
    cls = find_class(name)
    if cls is None:
        raise LookupError(f"it holds an object of class {name}, which is not known here")
    return cls


def _with_state(instance: Any, state: dict[str, Any]) -> Any:
    if _rebuilds_itself(instance):
        instance.__setstate__({**vars(instance), **state})
    else:
        for name, item in state.items():
            object.__setattr__(instance, name, item)  # also into frozen records
    return instance


def _rebuilds_itself(instance: Any) -> bool:
    """Whether a class has a `__setstate__` of its own; scikit-learn's only compares versions of pickles."""
    rebuild = getattr(type(instance), "__setstate__", None)
    return rebuild not in (None, BaseEstimator.__setstate__) and not _is_record(instance)
