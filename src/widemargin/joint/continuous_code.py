"""A code of real numbers, learnt from the outputs of two-class machines."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linprog
from sklearn.base import BaseEstimator, MetaEstimatorMixin
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted, validate_data

from widemargin import codes
from widemargin.codes.scored import ScoredClassifier
from widemargin.estimators import parameters, sample
from widemargin.estimators.base import all_or_nothing
from widemargin.estimators.classes import Classes
from widemargin.estimators.output_code import column_values, fit_column, read_weight
from widemargin.joint.crammer_singer import CrammerSinger
from widemargin.joint_problems import crammer_singer
from widemargin.problems import Vector

Matrix = NDArray[np.float64]


class ContinuousCode(ScoredClassifier, MetaEstimatorMixin, BaseEstimator):
    """A code of real numbers, learnt from the outputs of two-class machines.

    A code over {-1, 0, +1}, a row per class and a column per machine, says which classes each machine tells
    from which others. Their outputs g(x) = (g_1(x), ..., g_F(x)) on the training set are then the data from
    which a real code M is learnt, one row per class again,

        min  |M| + C sum_i xi_i
        s.t.  <g(x_i), M_{y_i}> >= <g(x_i), M_r> + 1 - xi_i  for r != y_i,  xi_i >= 0,

    and x belongs to the class r with the largest <g(x), M_r>. |M| is half the squared 2-norm (then this is
    the machine of Crammer and Singer on the outputs, and may have any kernel), or the 1-norm or the largest
    entry (linear programs). To find the best code of -1 and +1 is NP-complete; this is its relaxation.

    Parameters
    ----------
    estimator : classifier with a decision_function
        For two classes; a copy is trained for each column.
    code : str, Code or array of shape (n_classes, n_columns), default="one-vs-all"
        Which classes each machine tells apart: the name of a code as for `SVC`, or entries -1, 0 and +1.
    norm : {1, 2, numpy.inf}, default=2
    C : float, default=1.0
        Price of a unit of slack, positive and finite.
    kernel : str, Kernel or function, default="linear"
        In place of the inner product <g(x), M_r>; for `norm=2` only.
    gamma : {"scale", "auto"} or float, default="scale"
        Of that kernel.
    n_jobs : int, optional
        Columns trained, and asked, at a time (joblib).

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    code_ : array of shape (n_classes, n_columns)
        M; with a linear kernel only.
    initial_code_ : array of shape (n_classes, n_columns)
        The entries -1, 0 and +1.
    estimators_ : list of classifiers
        The two-class machines, one for each column.
    objective_ : float
        |M| + C sum_i xi_i.
    machine_ : CrammerSinger
        The machine on the outputs; for `norm=2` only.
    n_features_in_ : int
    feature_names_in_ : array of shape (n_features_in_,)
        If X had string column names.

    References
    ----------
    Crammer and Singer, On the learnability and design of output codes for multiclass problems, Machine
    Learning 47, 2002.

    Examples
    --------
    >>> import widemargin as wm
    >>> X, y = [[0.0], [0.2], [1.0], [1.2], [2.0], [2.2]], [0, 0, 1, 1, 2, 2]
    >>> machine = wm.ContinuousCode(wm.SVC(C=10.0, gamma=2.0), C=10.0, norm=1).fit(X, y)
    >>> machine.predict([[0.1], [1.1], [2.1]])
    array([0, 1, 2])
    >>> machine.code_.shape
    (3, 3)
    """

    def __init__(
        self,
        estimator: Any,
        *,
        code: Any = "one-vs-all",
        norm: float = 2,
        C: float = 1.0,
        kernel: Any = "linear",
        gamma: str | float = "scale",
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.code = code
        self.norm = norm
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = get_tags(self.estimator).input_tags.sparse
        return tags

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> ContinuousCode:
        """Train the two-class machines, and the code on their outputs.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Classes, numbers or strings.
        sample_weight : array-like of shape (n_samples,), optional
            Factors of the price of each point, if the estimator takes them.

        Returns
        -------
        self : ContinuousCode
        """
        with all_or_nothing(self):
            self._check_parameters()
            X, y = validate_data(self, X, y, accept_sparse="csr")
            names, labels = sample.read_classes(y)
            given = read_weight(self.estimator, X, sample_weight)
            weight = np.ones(len(labels)) if given is None else given
            Classes(names, labels, np.ones(len(names))).check(weight)
            self.classes_, self.initial_code_ = names, codes.choose_code(self.code, names).matrix
            columns = [column[labels] for column in self.initial_code_.T]
            weights = {} if given is None else {"sample_weight": given}
            self.estimators_ = Parallel(n_jobs=self.n_jobs)(
                delayed(fit_column)(self.estimator, X, sides, weights) for sides in columns
            )
            self._fit_code(self._outputs(X), labels, weight)
        return self

    def _check_parameters(self) -> None:
        if isinstance(self.estimator, type) or not hasattr(self.estimator, "decision_function"):
            raise TypeError(
                f"estimator must be a classifier with a decision_function, not {self.estimator!r}."
            )
        if self.norm not in (1, 2, np.inf):
            raise ValueError(f"norm must be 1, 2 or numpy.inf, not {self.norm!r}.")
        if self.norm != 2 and not sample.is_linear(self.kernel):
            raise ValueError(f"norm={self.norm} needs kernel='linear'; give norm=2 for other kernels.")
        parameters.check(
            self, {"C": parameters.positive_and_finite, "n_jobs": parameters.none | parameters.jobs}
        )

    def _outputs(self, X: Any) -> Matrix:
        outputs = Parallel(n_jobs=self.n_jobs)(delayed(column_values)(each, X) for each in self.estimators_)
        return np.column_stack(outputs)

    def _fit_code(self, G: Matrix, labels: NDArray[np.int32], weight: Vector) -> None:
        for name in ("machine_", "code_"):
            self.__dict__.pop(name, None)
        if self.norm == 2:
            machine = CrammerSinger(C=self.C, kernel=self.kernel, gamma=self.gamma, tol=1e-6)
            self.machine_ = machine.fit(G, labels, weight)
            self.objective_ = machine.primal_objective_
            if sample.is_linear(self.kernel):
                self.code_ = np.array(machine.coef_)
        else:
            used = weight > 0
            self.code_, self.objective_ = least_code(
                G[used], labels[used], len(self.classes_), self.C * weight[used], self.norm
            )

    def decision_function(self, X: Any) -> Matrix:
        """Similarities of the outputs at the rows of X to the rows of the code.

        Returns
        -------
        values : array of shape (n_samples,) for two classes (the second less the first), else
            (n_samples, n_classes)
        """
        values = self._similarities(X)
        return values[:, 1] - values[:, 0] if len(self.classes_) == 2 else values

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row of X: that whose row of the code is most similar to its outputs."""
        check_is_fitted(self)
        return self.classes_[self._similarities(X).argmax(axis=1)]

    def _similarities(self, X: Any) -> Matrix:
        check_is_fitted(self)
        G = self._outputs(validate_data(self, X, reset=False, accept_sparse="csr"))
        return G @ self.code_.T if self.norm != 2 else self.machine_._values(G)


def least_code(
    G: Matrix, labels: NDArray[np.int32], classes: int, C: float | Vector, norm: float
) -> tuple[Matrix, float]:
    """The code M that minimises its norm (1 or infinity) + sum_i C_i xi_i on outputs G, and that minimum.

    A linear program in M = P - Q with P, Q >= 0, the slacks and, for the largest entry, one more variable.
    """
    crammer_singer(labels, C, classes)  # refuses what makes no sense
    (n, F), largest = G.shape, norm == np.inf
    entries = classes * F
    i, r = np.nonzero(labels[:, None] != np.arange(classes))  # an inequality for every wrong class
    at = np.arange(i.size)

    def block(k: NDArray[np.integer], values: Matrix) -> sp.csr_array:
        columns = (k[:, None] * F + np.arange(F)).ravel()
        return sp.csr_array((values.ravel(), (np.repeat(at, F), columns)), shape=(i.size, entries))

    differences = block(r, G[i]) - block(labels[i], G[i])  # times M: <g, M_r - M_y>
    slacks = sp.csr_array((-np.ones(i.size), (at, i)), shape=(i.size, n))
    A = sp.hstack([differences, -differences, slacks, sp.csr_array((i.size, 1))])
    b = -np.ones(i.size)
    cost = np.concatenate(
        [np.full(2 * entries, 0.0 if largest else 1.0), np.broadcast_to(C, n), [float(largest)]]
    )
    if largest:
        eye = sp.eye_array(entries)
        bound = sp.hstack([eye, eye, sp.csr_array((entries, n)), sp.csr_array(-np.ones((entries, 1)))])
        A, b = sp.vstack([A, bound]), np.concatenate([b, np.zeros(entries)])
    found = linprog(cost, A_ub=sp.csc_array(A), b_ub=b, bounds=(0, None), method="highs")
    if found.status != 0:
        raise RuntimeError(f"the linear program of the code could not be solved: {found.message}")
    M = found.x[:entries] - found.x[entries : 2 * entries]
    return M.reshape(classes, F), float(found.fun)
