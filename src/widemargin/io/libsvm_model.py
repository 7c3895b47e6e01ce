"""LIBSVM's model files.

The file is a header of keywords, the line ``SV`` and one line ``coef ... index:value ...`` per support
vector (with a precomputed kernel: ``coef ... 0:serial``).

Conventions of the file, which `LibsvmModel` keeps:

* the classes are in the order of their first appearance in the training data, which `labels` records; support
  vectors are grouped by class in this order, `n_support` of each;
* `coef` has n_class - 1 rows. For the pair of classes (i, j), i < j, the coefficients of the support
  vectors of class i are in row j - 1 and those of class j in row i; they are y alpha with y = +1 for class
  i, -1 for class j;
* the decision value of the pair is  sum coef k(x_s, x) - rho:  the offset is *subtracted*, and a positive
  value speaks for class i. Regression and one-class machines have one row and  f(x) = sum coef k(x_s, x) -
  rho;
* the probability of class i against j is 1 / (1 + exp(probA f + probB)); regression has probA only, the
  scale of Laplacian noise;
* kernels: linear x'z, polynomial (gamma x'z + coef0)^degree, rbf exp(-gamma |x - z|^2), sigmoid
  tanh(gamma x'z + coef0), precomputed.

scikit-learn (and this library) sort the classes, add the offset, and let positive decision values of *two*
classes speak for the second one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, csr_matrix

from .files import PathLike, malformed, read_bytes, replacing, shown
from .sparse_line import format_number, format_pairs, parse_integer, parse_number, parse_pairs

CLASSIFIERS = ("c_svc", "nu_svc")
SVM_TYPES = (*CLASSIFIERS, "one_class", "epsilon_svr", "nu_svr")
KERNEL_PARAMETERS: dict[str, tuple[str, ...]] = {
    "linear": (),
    "polynomial": ("degree", "gamma", "coef0"),
    "rbf": ("gamma",),
    "sigmoid": ("gamma", "coef0"),
    "precomputed": (),
}


@dataclass(frozen=True)
class LibsvmModel:
    """The content of a LIBSVM model file; see the module for its conventions.

    Attributes
    ----------
    svm_type : "c_svc", "nu_svc", "one_class", "epsilon_svr" or "nu_svr"
    kernel_type : "linear", "polynomial", "rbf", "sigmoid" or "precomputed"
    params : dict
        Those of `degree`, `gamma` and `coef0` which the kernel has.
    rho : array of shape (n_pairs,), or (1,) without classes
    labels, n_support : int arrays of shape (n_class,), or None without classes
    probA, probB : arrays as `rho`, or None
    prob_density_marks : array or None
        Marks of the density of a one-class machine's decision values.
    coef : array of shape (n_class - 1, n_sv), or (1, n_sv)
    support_vectors : CSR matrix of shape (n_sv, n_features), or None with a precomputed kernel
    serial : int array of shape (n_sv,), or None
        With a precomputed kernel: the rows, from one, of the support vectors in the training data.
    """

    svm_type: str
    kernel_type: str
    params: dict[str, float]
    rho: NDArray[np.float64]
    coef: NDArray[np.float64]
    support_vectors: csr_matrix | None = None
    labels: NDArray[np.int64] | None = None
    n_support: NDArray[np.int64] | None = None
    probA: NDArray[np.float64] | None = None
    probB: NDArray[np.float64] | None = None
    prob_density_marks: NDArray[np.float64] | None = None
    serial: NDArray[np.int64] | None = None

    def __post_init__(self) -> None:
        if fault := _inconsistency(self):
            raise ValueError(f"LibsvmModel: {fault}.")

    def decision_values(self, K: ArrayLike) -> NDArray[np.float64]:
        """Decision values of LIBSVM from kernel values, with LIBSVM's signs.

        Parameters
        ----------
        K : array of shape (n, n_sv)
            Kernel values between points and support vectors.

        Returns
        -------
        array of shape (n, n_pairs): the pairs (0,1), (0,2), ... of `labels`; (n, 1) without classes
        """
        K = np.asarray(K, dtype=np.float64)
        if self.n_support is None:
            return K @ self.coef.T - self.rho
        ends = np.cumsum(self.n_support)
        of_class = [slice(end - count, end) for end, count in zip(ends, self.n_support, strict=True)]
        columns = [
            K[:, of_class[i]] @ self.coef[j - 1, of_class[i]] + K[:, of_class[j]] @ self.coef[i, of_class[j]]
            for i, j in combinations(range(len(ends)), 2)
        ]
        return np.column_stack(columns) - self.rho


def _inconsistency(model: LibsvmModel) -> str | None:
    """What is wrong with the parts of a model, or None."""
    if model.svm_type not in SVM_TYPES:
        return f"svm_type {shown(model.svm_type)} is none of {', '.join(SVM_TYPES)}"
    if model.kernel_type not in KERNEL_PARAMETERS:
        return f"kernel_type {shown(model.kernel_type)} is none of {', '.join(KERNEL_PARAMETERS)}"
    for name in KERNEL_PARAMETERS[model.kernel_type]:
        if name not in model.params:
            return f"the {model.kernel_type} kernel needs {name}"
    classifier = model.svm_type in CLASSIFIERS
    if classifier and (model.labels is None or model.n_support is None):
        return "a classifier needs label and nr_sv"
    if not classifier and (model.labels is not None or model.n_support is not None):
        return f"{model.svm_type} has no classes, hence neither label nor nr_sv"
    k = 2 if model.labels is None else len(model.labels)
    n_pairs, n_sv = k * (k - 1) // 2, model.coef.shape[-1]
    shapes: dict[str, tuple[Any, tuple[int, ...]]] = {
        "rho": (model.rho, (n_pairs,)),
        "coef": (model.coef, (k - 1, n_sv)),
        "label": (model.labels, (k,)),
        "nr_sv": (model.n_support, (k,)),
        "probA": (model.probA, (n_pairs,)),
        "probB": (model.probB, (n_pairs,)),
    }
    for name, (values, shape) in shapes.items():
        if values is not None and np.shape(values) != shape:
            return f"{name} has shape {np.shape(values)} where {shape} is needed"
    if model.n_support is not None and model.n_support.sum() != n_sv:
        return f"nr_sv adds up to {model.n_support.sum()} support vectors, not to {n_sv}"
    by_serial = model.kernel_type == "precomputed"
    points = model.serial if by_serial else model.support_vectors
    if points is None or points.shape[0] != n_sv:
        return f"{'serial' if by_serial else 'support_vectors'} must have {n_sv} rows"
    return None


def read_libsvm_model(path: PathLike, *, n_features: int | None = None) -> LibsvmModel:
    """Read a model file of LIBSVM.

    Parameters
    ----------
    path : path of the file
    n_features : int or None
        Number of columns of the support vectors; None takes the largest index in the file.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from pathlib import Path
    >>> from widemargin.io import read_libsvm_model
    >>> text = '''svm_type c_svc
    ... kernel_type linear
    ... nr_class 2
    ... total_sv 2
    ... rho 0
    ... label 1 -1
    ... nr_sv 1 1
    ... SV
    ... 0.5 1:1
    ... -0.5 1:-1
    ... '''
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "model").write_text(text)
    ...     model = read_libsvm_model(Path(folder, "model"))
    >>> model.coef
    array([[ 0.5, -0.5]])
    """
    lines = enumerate(read_bytes(path).decode("utf-8", "replace").split("\n"), start=1)
    header = _read_header(path, lines)
    vectors = _read_vectors(path, lines, header)
    n = 1 + max((max(indices, default=-1) for _, indices, _ in vectors), default=-1)
    if n_features is not None and n > n_features:
        raise ValueError(f"{path} has support vectors with {n} features; {n_features} are expected.")
    rows = np.array([coef for coef, _, _ in vectors], dtype=np.float64).reshape(-1, header["nr_class"] - 1)
    parts = {key: header.get(key) for key in ("probA", "probB", "prob_density_marks")}
    serial = support_vectors = None
    if header["kernel_type"] == "precomputed":
        serial = np.array([int(values[0]) for _, _, values in vectors], dtype=np.int64)
    else:
        support_vectors = _csr(vectors, n if n_features is None else n_features)
    try:
        return LibsvmModel(
            svm_type=header["svm_type"],
            kernel_type=header["kernel_type"],
            params={name: header[name] for name in ("degree", "gamma", "coef0") if name in header},
            rho=header["rho"],
            coef=np.ascontiguousarray(rows.T),
            support_vectors=support_vectors,
            labels=header.get("label"),
            n_support=header.get("nr_sv"),
            serial=serial,
            **parts,
        )
    except ValueError as error:
        raise ValueError(f"{path} contradicts itself: {str(error).removeprefix('LibsvmModel: ')}") from None


_Line = tuple[int, str]
_Vector = tuple[list[float], list[int], list[float]]


def _word(allowed: tuple[str, ...]) -> Callable[[list[str]], str]:
    def parse(tokens: list[str]) -> str:
        if len(tokens) != 1 or tokens[0] not in allowed:
            raise ValueError(f"{shown(' '.join(tokens))} is none of {', '.join(allowed)}")
        return tokens[0]

    return parse


def _one(tokens: list[str]) -> str:
    if len(tokens) != 1:
        raise ValueError(f"one value is needed, not {len(tokens)}")
    return tokens[0]


def _count(least: int) -> Callable[[list[str]], int]:
    def parse(tokens: list[str]) -> int:
        if (count := parse_integer(_one(tokens), "value")) < least:
            raise ValueError(f"{count} is below {least}")
        return count

    return parse


def _real(tokens: list[str]) -> float:
    return parse_number(_one(tokens), "value")


def _reals(tokens: list[str]) -> NDArray[np.float64]:
    return np.array([parse_number(token, "value") for token in tokens])


def _integers(tokens: list[str]) -> NDArray[np.int64]:
    return np.array([parse_integer(token, "value") for token in tokens], dtype=np.int64)


_KEYWORDS: dict[str, Callable[[list[str]], Any]] = {
    "svm_type": _word(SVM_TYPES),
    "kernel_type": _word(tuple(KERNEL_PARAMETERS)),
    "degree": _count(0),
    "gamma": _real,
    "coef0": _real,
    "nr_class": _count(2),
    "total_sv": _count(0),
    "rho": _reals,
    "label": _integers,
    "probA": _reals,
    "probB": _reals,
    "prob_density_marks": _reals,
    "nr_sv": _integers,
}
_NEEDED = ("svm_type", "kernel_type", "nr_class", "total_sv", "rho")


def _read_header(path: PathLike, lines: Iterator[_Line]) -> dict[str, Any]:
    header: dict[str, Any] = {}
    for number, line in lines:
        keyword, *tokens = line.split() or [""]
        if keyword == "SV":
            break
        if keyword not in _KEYWORDS:
            raise malformed(path, number, f"{shown(keyword)} is no keyword of a LIBSVM model file")
        try:
            header[keyword] = _KEYWORDS[keyword](tokens)
        except ValueError as error:
            raise malformed(path, number, f"{keyword}: {error}") from None
    else:
        raise ValueError(f"{path} ends before its line 'SV': it is truncated or no LIBSVM model file.")
    for keyword in _NEEDED:
        if keyword not in header:
            raise malformed(path, number, f"the header ends without {keyword}")
    if "label" in header and len(header["label"]) != header["nr_class"]:
        raise ValueError(
            f"{path} contradicts itself: label has {len(header['label'])} of {header['nr_class']} classes."
        )
    return header


def _read_vectors(path: PathLike, lines: Iterator[_Line], header: dict[str, Any]) -> list[_Vector]:
    n_coef = header["nr_class"] - 1
    precomputed = header["kernel_type"] == "precomputed"
    vectors: list[_Vector] = []
    for number, line in lines:
        tokens = line.split()
        if not tokens:
            continue
        try:
            if len(tokens) < n_coef or ":" in "".join(tokens[:n_coef]):
                raise ValueError(f"a support vector needs {n_coef} coefficients")
            coef = [parse_number(token, "coefficient") for token in tokens[:n_coef]]
            indices, values = parse_pairs(tokens[n_coef:], first_index=0 if precomputed else 1)
            if precomputed and (indices != [0] or values[0] != int(values[0]) or values[0] < 1):
                raise ValueError("a precomputed kernel needs 0:serial with serial = 1, 2, ...")
        except ValueError as error:
            raise malformed(path, number, str(error)) from None
        vectors.append((coef, indices, values))
    if len(vectors) != header["total_sv"]:
        what = f"{len(vectors)} support vectors where total_sv promises {header['total_sv']}"
        raise ValueError(f"{path} has {what}: it is truncated or corrupt.")
    return vectors


def _csr(vectors: list[_Vector], n_features: int) -> csr_matrix:
    ends = np.cumsum([0] + [len(indices) for _, indices, _ in vectors])
    indices = np.array([j for _, row, _ in vectors for j in row], dtype=np.int32)
    values = np.array([v for _, _, row in vectors for v in row], dtype=np.float64)
    return csr_matrix((values, indices, ends.astype(np.int32)), shape=(len(vectors), n_features))


def write_libsvm_model(model: LibsvmModel, path: PathLike) -> None:
    """Write a model file that LIBSVM reads; every number reads back exactly."""
    with replacing(path) as file:
        for line in _header_lines(model):
            file.write(line.encode() + b"\n")
        for coef, pairs in zip(model.coef.T.tolist(), _pairs_of(model), strict=True):
            file.write(f"{' '.join(map(format_number, coef))} {pairs}\n".encode())


def _header_lines(model: LibsvmModel) -> Iterator[str]:
    yield f"svm_type {model.svm_type}"
    yield f"kernel_type {model.kernel_type}"
    for name in KERNEL_PARAMETERS[model.kernel_type]:
        yield f"{name} {format_number(model.params[name])}"
    yield f"nr_class {model.coef.shape[0] + 1}"
    yield f"total_sv {model.coef.shape[1]}"
    fields = {
        "rho": model.rho,
        "label": model.labels,
        "probA": model.probA,
        "probB": model.probB,
        "prob_density_marks": model.prob_density_marks,
        "nr_sv": model.n_support,
    }
    for keyword, values in fields.items():
        if values is not None:
            yield f"{keyword} {' '.join(map(format_number, values.tolist()))}"
    yield "SV"


def _pairs_of(model: LibsvmModel) -> Iterator[str]:
    if model.serial is not None:
        yield from (f"0:{serial}" for serial in model.serial.tolist())
        return
    X = csr_array(model.support_vectors, copy=True)
    X.sum_duplicates()
    indices, values, ends = X.indices.tolist(), X.data.tolist(), X.indptr.tolist()
    for start, end in pairwise(ends):
        yield format_pairs(indices[start:end], values[start:end])
