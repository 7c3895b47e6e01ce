"""Fitted machines as LIBSVM models and back.

LIBSVM keeps the classes in any order, subtracts rho, and lets a positive value of the pair (i, j) speak for
i. Here the classes are sorted, the intercept is added, and a positive value of *two* classes speaks for the
second one:

=====================  ====================================  ===============================
LIBSVM                 two classes                           several classes, or none
=====================  ====================================  ===============================
``coef``               ``-dual_coef_``                       ``dual_coef_``
``rho``                ``intercept_``                        ``-intercept_``
``probA``, ``probB``   ``probA_``, ``probB_``                ``probA_``, ``probB_``
=====================  ====================================  ===============================

Exchanging the classes i and j of a pair negates its coefficients, rho and probB. Where several classes have
equally many votes, the first one wins: in LIBSVM the first in the file, here the least.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from widemargin import kernels
from widemargin.codes import Sign, Votes, all_pairs
from widemargin.codes.pairs import compress_pairs, expand_pairs
from widemargin.estimators import SVC, SVR, NuSVC, NuSVR, OneClassSVM

from .files import PathLike
from .libsvm_model import KERNEL_PARAMETERS, LibsvmModel, read_libsvm_model, write_libsvm_model

MACHINES: dict[str, type] = {
    "c_svc": SVC,
    "nu_svc": NuSVC,
    "one_class": OneClassSVM,
    "epsilon_svr": SVR,
    "nu_svr": NuSVR,
}
KERNELS: dict[str, tuple[str, type]] = {
    "linear": ("linear", kernels.Linear),
    "polynomial": ("poly", kernels.Polynomial),
    "rbf": ("rbf", kernels.Gaussian),
    "sigmoid": ("sigmoid", kernels.Sigmoid),
}


def save_libsvm_model(estimator: Any, path: PathLike) -> None:
    """Store a fitted machine so that LIBSVM's own programs can predict with it.

    Parameters
    ----------
    estimator : fitted SVC, NuSVC, SVR, NuSVR or OneClassSVM
        With a linear, polynomial, Gaussian or sigmoid kernel, and classes that are integers.
    path : path of the file

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from pathlib import Path
    >>> import widemargin as wm
    >>> from widemargin.io import load_libsvm_model, save_libsvm_model
    >>> machine = wm.SVC(kernel="linear").fit([[0.0], [1.0], [2.0], [3.0]], [1, 1, 2, 2])
    >>> with TemporaryDirectory() as folder:
    ...     save_libsvm_model(machine, Path(folder, "model"))
    ...     load_libsvm_model(Path(folder, "model")).predict([[0.5], [2.5]])
    array([1, 2])
    """
    write_libsvm_model(to_libsvm(estimator), path)


def load_libsvm_model(path: PathLike, *, n_features: int | None = None) -> Any:
    """The fitted machine in a model file of LIBSVM.

    Parameters
    ----------
    path : path of the file
    n_features : int or None
        Number of features of the data to be predicted, which the file does not record; None takes the largest
        index in it.
    """
    return from_libsvm(read_libsvm_model(path, n_features=n_features))


def to_libsvm(estimator: Any) -> LibsvmModel:
    """The LIBSVM model that decides as a fitted machine does."""
    check_is_fitted(estimator)
    svm_type = _type_of(estimator)
    kernel_type, params = _kernel_of(estimator)
    classes = _classes_of(estimator)
    sign = -1.0 if len(classes.get("labels", ())) == 2 else 1.0
    dual = estimator.dual_coef_
    return LibsvmModel(
        svm_type,
        kernel_type,
        params,
        rho=-sign * np.asarray(estimator.intercept_),
        coef=sign * (dual.toarray() if sp.issparse(dual) else dual),
        support_vectors=sp.csr_matrix(estimator.support_vectors_, dtype=np.float64),
        **classes,
    )


def from_libsvm(model: LibsvmModel) -> Any:
    """The fitted machine that decides as a LIBSVM model does; it has no certificate."""
    if model.kernel_type not in KERNELS or model.support_vectors is None:
        raise ValueError(f"LIBSVM models with a {model.kernel_type} kernel cannot be turned into a machine.")
    name, build = KERNELS[model.kernel_type]
    params = {key: int(value) if key == "degree" else value for key, value in model.params.items()}
    estimator = MACHINES[model.svm_type](kernel=name, **params)
    estimator.kernel_ = build(**params)
    estimator.n_features_in_ = model.support_vectors.shape[1]
    estimator._sparse = True
    if model.labels is None:
        _keep(estimator, model.support_vectors, model.coef, -model.rho)
        estimator.n_support_ = np.array([model.coef.shape[1]], dtype=np.int32)
        if model.svm_type == "one_class":
            estimator.offset_ = model.rho
    else:
        _keep_classes(estimator, model)
    return estimator


def _keep_classes(estimator: Any, model: LibsvmModel) -> None:
    """Bring classes, pairs and support vectors into sorted order."""
    labels, k = np.asarray(model.labels), len(np.asarray(model.labels))
    in_file = np.repeat(np.arange(k), np.asarray(model.n_support))
    rank = np.argsort(np.argsort(labels))
    of_class = rank[in_file]
    order = np.argsort(of_class, kind="stable")
    place, sign = _sorted_pairs(rank)
    columns = expand_pairs(model.coef, in_file, k).toarray()[:, place] * sign
    rho = model.rho[place] * sign
    dual = compress_pairs(columns[order].T, of_class[order], k)
    two = -1.0 if k == 2 else 1.0
    _keep(estimator, sp.csr_matrix(model.support_vectors)[order], two * dual, -two * rho)
    estimator.classes_ = np.sort(labels)
    estimator.code_ = all_pairs(k).matrix
    estimator.decoding_ = Sign() if k == 2 else Votes()
    estimator.class_weight_ = np.ones(k)
    estimator.n_support_ = np.bincount(of_class, minlength=k).astype(np.int32)
    estimator.probability = model.probA is not None
    estimator.probA_ = np.empty(0) if model.probA is None else model.probA[place]
    estimator.probB_ = np.empty(0) if model.probB is None else model.probB[place] * sign


def _sorted_pairs(rank: NDArray[np.integer]) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """For each pair of sorted classes its place in the file, and -1 where it is exchanged there."""
    pairs = [(rank[i], rank[j]) for i, j in combinations(range(len(rank)), 2)]
    place = sorted(range(len(pairs)), key=lambda p: sorted(pairs[p]))
    return np.array(place), np.array([1.0 if pairs[p][0] < pairs[p][1] else -1.0 for p in place])


def _keep(
    estimator: Any, support_vectors: Any, dual: NDArray[np.float64], intercept: NDArray[np.float64]
) -> None:
    estimator.support_vectors_ = sp.csr_matrix(support_vectors)
    estimator.support_ = np.arange(support_vectors.shape[0], dtype=np.int32)
    estimator.shape_fit_ = support_vectors.shape
    estimator.dual_coef_ = sp.csr_matrix(dual)
    estimator.intercept_ = intercept


def _type_of(estimator: Any) -> str:
    for name, machine in MACHINES.items():
        if type(estimator) is machine:
            _check_votes(estimator)
            return name
    raise ValueError(f"LIBSVM knows no {type(estimator).__name__}: use the library's own format.")


def _check_votes(estimator: Any) -> None:
    """LIBSVM's classifiers vote, in all pairs of classes."""
    decoding = getattr(estimator, "decoding_", Sign())
    if not isinstance(decoding, Sign | Votes):
        raise ValueError(
            f"LIBSVM knows no multiclass={estimator.multiclass!r} decoded by {type(decoding).__name__}, only "
            "votes of all pairs: use the library's own format."
        )


def _kernel_of(estimator: Any) -> tuple[str, dict[str, float]]:
    for name, (_, kernel) in KERNELS.items():
        if type(estimator.kernel_) is kernel:
            return name, {key: float(getattr(estimator.kernel_, key)) for key in KERNEL_PARAMETERS[name]}
    what = type(estimator.kernel_).__name__
    raise ValueError(f"LIBSVM knows no {what} kernel: use the library's own format.")


def _classes_of(estimator: Any) -> dict[str, Any]:
    """The fields that only classifiers have."""
    classes = getattr(estimator, "classes_", None)
    if classes is None:
        return {}
    if classes.dtype.kind not in "biuf" or (classes != np.round(classes)).any():
        shown = ", ".join(map(str, classes.tolist()[:3]))
        raise ValueError(
            f"LIBSVM's models have integers for classes, not {shown}: use the library's own format."
        )
    fields = {"labels": classes.astype(np.int64), "n_support": estimator.n_support_.astype(np.int64)}
    return fields | ({"probA": estimator.probA_, "probB": estimator.probB_} if estimator.probA_.size else {})
