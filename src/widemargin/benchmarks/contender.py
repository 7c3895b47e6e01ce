"""Who is measured: this library and its peers, behind one interface.

A contender converts the data, which does not count, then fits, predicts, and tells its solution by `support`
(numbers of points) and `dual` (a row per pair of the point's own class, as in scikit-learn's `dual_coef_`).
Peers are imported by those who measure them only.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from widemargin.benchmarks.workload import Workload


class LeftOut(Exception):
    """A peer that cannot do this workload by itself."""


class ScikitLearn:
    """scikit-learn's machines, and those with the same interface."""

    package, module = "scikit-learn", "sklearn.svm"
    dtype: ClassVar[Any] = np.float64

    def __init__(self, workload: Workload, tol: float, cache: float, threads: int) -> None:
        module = __import__(self.module, fromlist=[workload.machine])
        if not hasattr(module, workload.machine):
            raise LeftOut(f"has no {workload.machine}")
        options = workload.parameters | {"tol": tol, "cache_size": cache} | self.options(threads)
        self.machine = getattr(module, workload.machine)(**options)

    def options(self, threads: int) -> dict[str, Any]:
        """Parameters of its own; also the place to set the number of threads."""
        return {}

    def convert(self, X: Any, y: Any) -> None:
        """Take the training points."""
        self.X, self.y = X.astype(self.dtype, copy=False), y

    def fit(self) -> None:
        """Train."""
        self.machine.fit(self.X, self.y)

    def convert_test(self, X: Any) -> None:
        """Take the test points."""
        self.X_test = X.astype(self.dtype, copy=False)

    def predict(self) -> Any:
        """Labels or values of the test points."""
        return self.machine.predict(self.X_test)

    @property
    def support(self) -> Any:
        """Numbers of the support vectors."""
        return np.asarray(self.machine.support_)

    @property
    def dual(self) -> Any:
        """Their coefficients."""
        dual = self.machine.dual_coef_
        return np.asarray(dual.toarray() if sparse.issparse(dual) else dual, dtype=np.float64)


class Widemargin(ScikitLearn):
    """This library."""

    package, module = "widemargin", "widemargin"

    def options(self, threads: int) -> dict[str, Any]:
        return {"n_jobs": threads}


class Intelex(ScikitLearn):
    """scikit-learn-intelex (oneDAL) on doubles; what it hands on to scikit-learn is left out."""

    package, module = "scikit-learn-intelex", "sklearnex.svm"

    def options(self, threads: int) -> dict[str, Any]:
        import daal4py

        daal4py.daalinit(threads)
        logger = logging.getLogger("sklearnex")
        logger.setLevel(logging.INFO)
        logger.handlers, logger.propagate = [_RefuseFallback()], False
        return {}


class IntelexFloat(Intelex):
    """The same on single precision data."""

    dtype = np.float32


class _RefuseFallback(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        if "accelerated" not in record.getMessage():
            raise LeftOut("hands this on to scikit-learn")


class Libsvm:
    """LIBSVM through its own bindings.

    It numbers classes by their first appearance, so the points are sorted by class before it sees them. Its
    Python function for predictions converts the data every time, so the C function is called instead.
    """

    package, module = "libsvm-official", "libsvm"
    TYPES: ClassVar = {"SVC": 0, "OneClassSVM": 2, "SVR": 3}
    KERNELS: ClassVar = {"linear": 0, "rbf": 2}
    OPTIONS: ClassVar = {"C": "-c", "gamma": "-g", "nu": "-n", "epsilon": "-p"}

    def __init__(self, workload: Workload, tol: float, cache: float, threads: int) -> None:
        parameters = dict(workload.parameters)
        kernel = self.KERNELS[parameters.pop("kernel")]
        options = " ".join(f"{self.OPTIONS[name]} {value!r}" for name, value in parameters.items())
        kind = self.TYPES[workload.machine]
        self.options = f"-q -s {kind} -t {kernel} -e {tol!r} -m {cache!r} {options}"
        self.classifies = workload.machine == "SVC"

    def convert(self, X: Any, y: Any) -> None:
        """Take the training points, sorted by class."""
        from libsvm.svm import svm_parameter

        self.order = np.argsort(y, kind="stable") if self.classifies else np.arange(X.shape[0])
        self.problem = self._problem(X[self.order], np.asarray(y, np.float64)[self.order])
        self.parameter = svm_parameter(self.options)

    def _problem(self, X: Any, y: Any) -> Any:
        from libsvm.svm import svm_problem

        return svm_problem(y, sparse.csr_matrix(X))

    def fit(self) -> None:
        """Train."""
        from libsvm.svmutil import svm_train

        self.model = svm_train(self.problem, self.parameter)

    def convert_test(self, X: Any) -> None:
        """Take the test points."""
        self.test = self._problem(X, np.zeros(X.shape[0]))

    def predict(self) -> Any:
        """Labels or values of the test points."""
        from libsvm.svm import libsvm

        return np.array([libsvm.svm_predict(self.model, self.test.x[i]) for i in range(self.test.l)])

    @property
    def support(self) -> Any:
        """Numbers of the support vectors."""
        return self.order[np.array(self.model.get_sv_indices(), dtype=np.intp) - 1]

    @property
    def dual(self) -> Any:
        """Their coefficients; of two classes, positive ones speak for the second in scikit-learn.

        LIBSVM lets them speak for the first, except that it changes -1, +1 to +1, -1.
        """
        rows = self.model.nr_class - 1 if self.classifies else 1
        dual = np.array([self.model.sv_coef[r][: self.model.l] for r in range(rows)])
        flipped = self.classifies and rows == 1 and self.model.label[0] < self.model.label[1]
        return -dual if flipped else dual


OURS = "widemargin"
CONTENDERS: dict[str, Any] = {
    OURS: Widemargin,
    "scikit-learn": ScikitLearn,
    "libsvm": Libsvm,
    "intelex32": IntelexFloat,
    "intelex64": Intelex,
}
PEERS = tuple(CONTENDERS)[1:]


def missing(peers: Sequence[str] = PEERS) -> dict[str, str]:
    """Peers that are not installed, with the package that has them."""
    return {
        name: CONTENDERS[name].package
        for name in peers
        if find_spec(CONTENDERS[name].module.partition(".")[0]) is None
    }
