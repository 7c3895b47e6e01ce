"""LIBSVM's machines, read through its C functions, and one judge of dual values for both libraries.

LIBSVM numbers classes by their first appearance, so the points are sorted by class before it sees them: class
i stands before class j in the pair (i, j), as everywhere here.
"""

from ctypes import c_double

import numpy as np
from libsvm.svm import gen_svm_nodearray, libsvm
from libsvm.svmutil import svm_train
from scipy.sparse import csr_matrix

from widemargin.codes.pairs import expand_pairs

TYPES = {"SVC": 0, "NuSVC": 1, "OneClassSVM": 2, "SVR": 3, "NuSVR": 4}
KERNELS = {"linear": 0, "poly": 1, "rbf": 2}
OPTIONS = {"C": "-c", "nu": "-n", "epsilon": "-p", "gamma": "-g", "coef0": "-r", "degree": "-d", "tol": "-e"}


class Peer:
    """A machine of LIBSVM: `coefficients` (n, functions) over the training points, and decision values.

    Its Python function `svm_predict` has too small a buffer for nu-SVC of three classes, so the C function is
    called directly.
    """

    def __init__(self, machine, X, y, kernel="rbf", **parameters):
        options = " ".join(f"{OPTIONS[name]} {value!r}" for name, value in parameters.items())
        y = np.zeros(len(X)) if y is None else np.asarray(y, float)
        self.classes = len(np.unique(y)) if "SVC" in machine else 0
        order = np.argsort(y, kind="stable") if self.classes else np.arange(len(X))
        self.model = svm_train(
            y[order], csr_matrix(X[order]), f"-q -s {TYPES[machine]} -t {KERNELS[kernel]} -m 200 {options}"
        )
        support = order[np.array(self.model.get_sv_indices()) - 1]
        dual = np.array([self.model.sv_coef[r][: len(support)] for r in range(max(1, self.classes - 1))])
        if self.classes > 2:
            values = expand_pairs(dual, y[support].astype(int), self.classes).toarray()
        else:  # of two classes, positive values speak for the second here
            values = -dual.T if self.classes else dual.T
        self.coefficients = np.zeros((len(X), values.shape[1]))
        self.coefficients[support] = values

    def decide(self, X):
        """Decision values at the rows of X, one column per function."""
        values = (c_double * self.coefficients.shape[1])()
        rows = []
        for row in X:
            libsvm.svm_predict_values(self.model, gen_svm_nodearray(row)[0], values)
            rows.append(list(values))
        return -np.array(rows) if self.classes == 2 else np.array(rows)


def coefficients(estimator, n):
    """The same of one of our fitted machines."""
    everywhere = np.zeros((n, len(estimator.intercept_)))
    everywhere[estimator.support_] = estimator._coefficients()
    return everywhere


def dual_value(machine, K, A, y=None, *, nu=None, epsilon=None):
    """Dual objective, in double precision, of coefficients A (n, functions), summed over the functions."""
    quadratic = -np.einsum("ic,ij,jc->c", A, K, A, optimize=True) / 2
    sizes = np.abs(A).sum(axis=0)
    if machine == "SVC":
        return float((sizes + quadratic).sum())
    if machine == "NuSVC":  # given for margin one: undo the division of the multipliers by rho
        classes = len(np.unique(y))
        pairs = [np.isin(y, (i, j)).sum() for i in range(classes) for j in range(i + 1, classes)]
        return float((quadratic * (nu * np.array(pairs) / sizes) ** 2).sum())
    if machine == "OneClassSVM":
        return float(quadratic.sum())
    linear = y @ A
    return float((linear + quadratic - (epsilon * sizes if machine == "SVR" else 0)).sum())
