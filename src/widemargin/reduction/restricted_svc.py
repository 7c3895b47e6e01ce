"""Support vector classification with coefficients on a few points only."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import solve_triangular
from sklearn.base import ClassifierMixin

from widemargin.codes import Scheme
from widemargin.estimators import SVC, parameters, sample
from widemargin.estimators.base import KernelMachine, all_or_nothing
from widemargin.estimators.centre_choice import are_points, centres_rule, check_count, read_centres, rule_of
from widemargin.estimators.classes import read_classified
from widemargin.kernels import Kernel
from widemargin.kernels.points import count
from widemargin.reduction.projection import upper_factor

CERTIFICATE = (
    "status_",
    "fit_status_",
    "dual_objective_",
    "primal_objective_",
    "duality_gap_",
    "kkt_violation_",
    "n_iter_",
)


def _is_share(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool | Integral) and 0 < float(value) <= 1


class RestrictedSVC(ClassifierMixin, KernelMachine):
    """A support vector classifier whose function is expanded in m points, the centres, from the outset.

    For two classes, y_i = -1 or +1, it minimises over the coefficients c of the centres z, and b,

        1/2 c'K_mm c + sum_i C_i max(0, 1 - y_i (K_im c + b)),

    the margin violations of all n points. With K_mm = R'R and the features Phi = K_nm R^-1 this is a linear
    support vector machine, c = R^-1 w. Predictions take m kernel values, and n x m of them are stored; with
    all points as centres it is the `SVC`. The dual is that of the `SVC` with the matrix
    K_nm K_mm^-1 K_mn in place of K: to use its multipliers with the exact kernel would be another, worse
    machine. Change the learning problem, then derive the dual.

    Parameters
    ----------
    centres : int, float, Centres, array of int or array of points, default=0.1
        As for `RLSClassifier`: how many training points, drawn at random; a rule that chooses them, such as
        `PivotedCentres` or `RandomCentres` with another seed; their rows of X; or points of any origin, one
        per row. A share in (0, 1] stands for so many training points.
    C : float, default=1.0
        Price of a margin violation, positive and finite.
    kernel : str, Kernel or function, default="rbf"
        As for `SVC`, like `degree`, `gamma` and `coef0`; positive semi-definite.
    degree : int, default=3
    gamma : {"scale", "auto"} or float, default="scale"
    coef0 : float, default=0.0
    fit_intercept : bool, default=True
        Whether the machine has a bias b.
    class_weight : dict or "balanced", optional
        Factors of the price of each class.
    multiclass : {"all-pairs", "one-vs-all"}, default="all-pairs"
        Which two-class problems several classes are made of.
    tol : float, default=1e-3
        KKT violation to stop at.
    n_jobs : int, optional
        Threads, as for `SVC`.

    Attributes
    ----------
    support_, support_vectors_
        The centres: their rows of X (none if points were given), and the points.
    dual_coef_ : array of shape (n_subproblems, n_centres)
        The coefficients c.
    intercept_ : array of shape (n_subproblems,)
    classes_ : array of shape (n_classes,)
    status_, dual_objective_, primal_objective_, duality_gap_, kkt_violation_, n_iter_
        The certificate of the linear machine, which is that of this problem.
    kernel_ : Kernel
    n_features_in_ : int

    References
    ----------
    Rifkin, Everything old is new again: a fresh look at historical approaches in machine learning, 2002.
    Lee and Mangasarian, RSVM: reduced support vector machines, SDM 2001.

    Examples
    --------
    >>> import widemargin as wm
    >>> moons = wm.datasets.two_moons(400, seed=0)
    >>> X, y = moons.X, moons.y
    >>> machine = wm.RestrictedSVC(centres=20, gamma=2.0, C=10).fit(X, y)
    >>> machine.dual_coef_.shape
    (1, 20)
    >>> bool(machine.score(X, y) > 0.9)
    True
    """

    _rules: ClassVar[dict[str, parameters.Rule]] = {
        name: KernelMachine._rules[name] for name in ("kernel", "degree", "gamma", "coef0", "tol", "n_jobs")
    } | {
        "centres": parameters.Rule(
            "an integer >= 1, a share in (0, 1], Centres, rows of samples or an array of points",
            lambda value: value is not None and (_is_share(value) or centres_rule.holds(value)),
        ),
        "C": parameters.positive_and_finite,
        "fit_intercept": parameters.boolean,
        "class_weight": parameters.none | parameters.one_of("balanced") | parameters.mapping,
        "multiclass": parameters.one_of("all-pairs", "one-vs-all"),
    }

    def __init__(
        self,
        centres: Any = 0.1,
        *,
        C: float = 1.0,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: str | float = "scale",
        coef0: float = 0.0,
        fit_intercept: bool = True,
        class_weight: dict[Any, float] | str | None = None,
        multiclass: str = "all-pairs",
        tol: float = 1e-3,
        n_jobs: int | None = None,
    ) -> None:
        self.centres = centres
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.multiclass = multiclass
        self.tol = tol
        self.n_jobs = n_jobs

    def _check_parameters(self) -> None:
        parameters.check(self, self._rules)
        if are_points(self.centres) and sample.is_precomputed(self.kernel):
            raise ValueError(
                "centres of a precomputed kernel cannot be points: give rows of samples, or a number."
            )

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Any:
        """Train on points X and their classes y.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or list of objects
            The points; for a precomputed kernel their symmetric kernel matrix.
        y : array-like of shape (n_samples,)
            Their classes, numbers or strings.
        sample_weight : array-like of shape (n_samples,), optional
            A point of weight 0 plays no part, one of weight 2 counts twice.

        Returns
        -------
        self : object
        """
        with all_or_nothing(self):
            self._check_parameters()
            X, classes, weight = read_classified(self, X, y, sample_weight)
            names, labels = classes.names, classes.labels
            rows = np.flatnonzero(weight).astype(np.int32)
            kernel, gram = self._bind(X, weight)
            centres = self._choose_centres(X, gram, rows)
            K_mm, K_mn = self._blocks(kernel, X, gram, centres, rows)
            R = upper_factor(K_mm)
            features = solve_triangular(R, K_mn, trans="T", check_finite=False).T
            machine = self._linear_machine().fit(
                np.ascontiguousarray(features), names[labels[rows]], weight[rows]
            )
            self._keep_centres(X, kernel, centres)
            self.classes_ = names
            self.dual_coef_ = np.ascontiguousarray(solve_triangular(R, machine.coef_.T).T)
            self.intercept_ = machine.intercept_
            self.code_, self.decoding_ = machine.code_, machine.decoding_
            for name in CERTIFICATE:
                setattr(self, name, getattr(machine, name))
        return self

    def _choose_centres(self, X: Any, gram: Any, rows: NDArray[np.int32]) -> Any:
        """Some of these rows of X, those of positive weight, or points that were given."""
        given: Any = self.centres
        if are_points(given):
            return read_centres(given, X.shape[1])
        rule = rule_of(int(np.ceil(float(given) * rows.size)) if _is_share(given) else given)
        check_count(rule, rows.size)
        return rows[rule.choose(gram, rows, self.n_jobs)]

    def _blocks(
        self, kernel: Kernel, X: Any, gram: Any, centres: Any, rows: NDArray[np.int32]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The kernels of the centres with each other, and with these rows of X."""
        if not are_points(centres):
            return gram.block(centres, centres), gram.block(centres, rows)
        every = np.arange(count(centres), dtype=np.int32)
        return kernel.bind(centres).block(every, every), kernel.bind(centres, X).block(every, rows)

    def _keep_centres(self, X: Any, kernel: Kernel, centres: Any) -> None:
        given = are_points(centres)
        self._keep(X, kernel, np.empty(0, dtype=np.int32) if given else centres)
        if given:
            self.support_vectors_ = centres

    def _linear_machine(self) -> SVC:
        return SVC(
            kernel="linear",
            C=self.C,
            tol=self.tol,
            class_weight=self.class_weight,
            multiclass=self.multiclass,
            fit_intercept=self.fit_intercept,
            n_jobs=self.n_jobs,
        )

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Decision values.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or list of objects
            For a precomputed kernel: the kernel of these samples with all training samples, or with the
            centres (in the order of `support_`) alone.

        Returns
        -------
        values : array of shape (n_samples,) or (n_samples, n_classes)
            Two classes: positive for the second. Several: a score per class.
        """
        values = self._values(X)
        return Scheme(self.code_, self.decoding_).breaking_ties().scores(values)

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row of X."""
        values = self._values(X)
        return self.classes_[Scheme(self.code_, self.decoding_).decide(values)]
