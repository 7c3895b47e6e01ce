"""Support vector classification of streams."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterable
from contextlib import nullcontext
from copy import copy
from functools import partial
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_random_state

from widemargin import _core
from widemargin.estimators import parameters, sample
from widemargin.estimators.base import KernelMachine, all_or_nothing
from widemargin.estimators.classes import class_weights, read_classified
from widemargin.estimators.documentation import documented
from widemargin.estimators.training import POLISHED_SIZE, Training, choose_solver, visible_messages
from widemargin.kernels import Kernel
from widemargin.kernels.points import count, take
from widemargin.memory import cache_bytes
from widemargin.online.active_learner import ActiveLearner
from widemargin.online.batches import is_empty, read_batch, read_names, refuse_overflow
from widemargin.online.examples import Examples
from widemargin.online.lesson import Lesson
from widemargin.online.pair_learner import Settings
from widemargin.online.pair_learners import PairLearners
from widemargin.online.stream_learner import StreamLearner
from widemargin.problems import Vector
from widemargin.solvers import MostViolatingPair, SecondOrder, Status
from widemargin.solvers.working_sets import WorkingSet, working_set
from widemargin.threads import allowed_threads

logger = logging.getLogger("widemargin")

SELECTIONS = {"second-order": SecondOrder, "most-violating-pair": MostViolatingPair}
"""Rules that remember no pairs: a pair of before may have left."""

FEWEST = 16
"""Candidates below which nothing can be learnt."""

FIXED = ("C", "class_weight", "kernel", "degree", "gamma", "coef0")
"""Parameters of the problem that is solved: they hold from the first example to the last."""

CERTIFICATE = ("status_", "fit_status_", "primal_objective_", "duality_gap_", "trace_")
"""What only `finish` can say."""


def _is_selection(value: Any) -> bool:
    return value in SELECTIONS if isinstance(value, str) else type(value) in SELECTIONS.values()


def _record(value: Any) -> Any:
    """A value that stays what it is; parameters of kernels may be set."""
    if isinstance(value, dict):
        return dict(value)
    if not isinstance(value, Kernel):
        return value
    kernel = copy(value)
    for part in kernel._parts:
        setattr(kernel, part, _record(getattr(kernel, part)))
    return kernel


@documented
class LASVM(StreamLearner, ActiveLearner):
    """Support vector classifier that learns from a stream, one example after the other.

    It climbs the dual of `SVC`,

        max  y'a - 1/2 a'Ka   s.t.  sum a = 0,  0 <= y_i a_i <= C_i,

    but has only some of the examples in mind, the candidates: those with a coefficient, and a few that may
    get one. Each example of the stream is *processed*: if it forms a violating pair with a candidate it
    becomes one, and both coefficients take the best step. Then a pair among the candidates is *reprocessed*,
    and candidates without a coefficient that no partner could give one are dropped. An example costs one row
    of kernel values with the candidates; rows among candidates are kept from call to call. One pass often
    comes close to `SVC`; `finish` goes all the way.

    Several classes are all pairs of two, as in `SVC`: an example then concerns the pairs of its class only,
    and a class that is added later leaves all other pairs as they are.

    Parameters
    ----------
    C : float, default=1.0
        Price of a margin violation, positive and finite; times the weight of the sample. C and the kernel
        parameters hold for a whole stream: once it has begun, `partial_fit` and `finish` refuse others.
    <kernel parameters>
    class_weight : dict or "balanced", optional
        Factors of the price of each class; "balanced" makes them inverse to the class sizes, which `fit`
        knows, but no stream: `partial_fit` and `fit_stream` need a dict, which may name classes to come.
    selection : {"second-order", "most-violating-pair"} or a record of that name, default="second-order"
        Which pair takes a step: that with the largest gain, or the most violating one. The first has higher
        dual values and fewer candidates after one pass.
    epochs : int, default=1
        Passes of `fit` over its data, each in an order of its own, or of `fit_stream` over its batches. Where
        C is large the machine still swings after one pass, and by how much it errs is a matter of the order;
        two or more let it settle.
    max_candidates : int, default=10000
        Candidates of a pair of classes. A full machine takes no newcomers until somebody leaves; it goes on
        to the solution of the candidates it has. Memory stays bounded, but what comes then teaches little: of
        noisy data every misclassified example is a support vector, so that there should be room for the share
        of them in as many examples as an `SVC` would need. A warning says when that happens, and `is_full_`
        that it has. At least 16.
    tol : float, default=1e-3
        Violations of the optimality conditions up to this are left alone.
    cache_size : float, default=200
        Megabytes for kernel values among candidates, of all pairs together. Where that is not enough,
        second-order selection prefers partners whose kernel values are there to somewhat better ones.
    max_time : float, optional
        Seconds allowed for `finish`, which then warns, and goes on from there when it is called again.
    random_state : int, RandomState instance or None, default=None
        Orders the data of `fit`.
    n_jobs : int, optional
        Threads for the pairs of several classes, for `finish` and for predictions; None is all that this
        process may use.
    verbose : bool or int, default=False
        Log how far learning and `finish` have come.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    n_seen_ : int
        Examples learnt so far; those that later passes of `fit` repeat count once. After Ctrl-C in
        `partial_fit` it says where to go on; after Ctrl-C in `fit` it counts all of X, which `finish` learns.
    n_candidates_ : array of shape (n_pairs,)
        Candidates of each pair of classes.
    is_full_ : bool
        Whether a pair of classes has had `max_candidates` of them at the end of some batch: many examples
        since then were passed over.
    support_ : array of shape (n_support,)
        Positions of the support vectors in the stream, class by class; their rows after `fit`.
    support_vectors_ : array or sparse matrix of shape (n_support, n_features), or list
    n_support_ : array of shape (n_classes,)
    dual_coef_ : array of shape (n_classes - 1, n_support)
        As in `SVC`.
    intercept_ : array of shape (n_pairs,)
    dual_objective_ : float
        The dual value reached, summed over the pairs: a lower bound of what `SVC` would reach on all examples
        seen.
    kkt_violation_ : float
        The largest violation among candidates; after `finish` among all examples that were kept.
    status_, fit_status_, primal_objective_, duality_gap_
        After `finish` only, as in `SVC`.
    kernel_evaluations_ : int
        Kernel values computed since the beginning; after `finish` those of its solver alone.
    n_iter_ : array of shape (n_pairs,)
        Steps of each pair of classes.
    n_features_in_ : int
    feature_names_in_ : array of shape (n_features_in_,)
        If X had string column names.
    kernel_ : Kernel
        The kernel, its parameters settled by `fit` or by the first batch.

    Notes
    -----
    Everything learnt so far is part of the object, kernel values among candidates included: a machine that is
    pickled, or saved with `widemargin.io.save_model`, in the middle of a stream goes on exactly as it would
    have. Between `fit` and `finish` X is part of it too.

    A weight is a factor of the price. An example of weight 2 is not two examples here: each is met once.

    References
    ----------
    Bordes, Ertekin, Weston and Bottou, Fast kernel classifiers with online and active learning, JMLR 6, 2005.
    Glasmachers, Gradient based optimization of support vector machines, 2008, chapter 8.

    Examples
    --------
    >>> import numpy as np
    >>> import widemargin as wm
    >>> random = np.random.default_rng(0)
    >>> def batch():
    ...     y = random.integers(0, 2, 100)
    ...     return random.normal(size=(100, 2)) + 3 * y[:, None], y
    >>> machine = wm.LASVM(gamma=0.5)
    >>> for _ in range(10):
    ...     machine = machine.partial_fit(*batch(), classes=[0, 1])
    >>> machine.n_seen_, machine.predict([[0.0, 0.0], [3.0, 3.0]])
    (1000, array([0, 1]))
    >>> machine.finish().status_.name
    'OPTIMAL'
    """

    _data: Examples | None
    """What `fit` was given, until `finish` or another batch."""

    _rules: ClassVar[dict[str, parameters.Rule]] = {
        "C": parameters.positive_and_finite,
        **{
            name: KernelMachine._rules[name]
            for name in ("kernel", "degree", "gamma", "coef0", "tol", "max_time", "n_jobs", "verbose")
        },
        "class_weight": parameters.none | parameters.one_of("balanced") | parameters.mapping,
        "selection": parameters.Rule(
            "'second-order', 'most-violating-pair', SecondOrder() or MostViolatingPair()", _is_selection
        ),
        "epochs": parameters.at_least(1),
        "max_candidates": parameters.at_least(FEWEST),
        "cache_size": parameters.not_negative,
    }

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: str | float = "scale",
        coef0: float = 0.0,
        class_weight: dict[Any, float] | str | None = None,
        selection: str | WorkingSet = "second-order",
        epochs: int = 1,
        max_candidates: int = 10000,
        tol: float = 1e-3,
        cache_size: float = 200,
        max_time: float | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool | int = False,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.class_weight = class_weight
        self.selection = selection
        self.epochs = epochs
        self.max_candidates = max_candidates
        self.tol = tol
        self.cache_size = cache_size
        self.max_time = max_time
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _check_parameters(self) -> None:
        parameters.check(self, self._rules)
        if sample.is_precomputed(self.kernel):
            raise ValueError("kernel must not be precomputed: LASVM meets one example at a time; take SVC.")

    def _refuse_balance(self) -> None:
        if self.class_weight == "balanced":
            raise ValueError(
                "class_weight='balanced' needs all data at once, which only fit has: give a dict of weights."
            )

    def _check_fixed(self) -> None:
        """Refuse parameters that have changed since the first example."""
        for name, before in self._fixed.items():
            if (value := getattr(self, name)) != before:
                now, then = parameters.brief(value), parameters.brief(before)
                raise ValueError(
                    f"{name} is {now}, but was {then} when the stream began: set it back, or begin again "
                    "with fit or a new machine."
                )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = False
        return tags

    # --- learning -------------------------------------------------------------------------------

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Any:
        """Forget everything and learn from points X and their classes y, in `epochs` passes.

        X is not copied, and kept until `finish` or the next `partial_fit`, so that the former can reach the
        solution of all of it, also after Ctrl-C.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or list of objects
        y : array-like of shape (n_samples,)
            Their classes, numbers or strings.
        sample_weight : array-like of shape (n_samples,), optional
            Factors of the price of each point; one of weight 0 plays no part.

        Returns
        -------
        self : object
        """
        with all_or_nothing(self):
            self._check_parameters()
            X, classes, weight = read_classified(self, X, y, sample_weight, self.class_weight)
            names, labels = classes.names, classes.labels
            random = check_random_state(self.random_state)
            self._begin(X, weight, names)
            refuse_overflow(self.kernel_, X)
            price = self.C * weight * classes.weights[labels]
            data = Examples(X, names[labels], price, np.arange(count(X)))
            rows = np.flatnonzero(weight)
            orders = (random.permutation(rows) for _ in range(self.epochs))
            self.n_seen_ = count(X)
            interruption = self._learn(self._lesson(data, orders, 0))
            self._store_learnt()
            self._data = data
        self._conclude_lesson(interruption)
        return self

    def partial_fit(
        self,
        X: Any,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Any:
        """Learn a batch, its rows one after the other.

        A batch that is refused changes nothing. After Ctrl-C the machine has learnt the first rows, as many
        as `n_seen_` has grown by, and may go on with the others. All pairs of several classes have learnt the
        same rows then: they go through a batch side by side, some rows at a time, and Ctrl-C waits
        until the others have come as far as the first. A second one does not wait, and some pairs may lack
        some rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or list of objects
            Some points, with the columns of the batches before; without any nothing happens, unless the batch
            is the first. The first batch decides what ``gamma="scale"`` means.
        y : array-like of shape (n_samples,)
            Their classes; not all classes have to be there.
        classes : array-like, optional
            All classes of the stream, if the first batch does not have all of them; later, classes to be
            added as well.
        sample_weight : array-like of shape (n_samples,), optional
            Factors of the price of each point; one of weight 0 plays no part.

        Returns
        -------
        self : object
        """
        first = not hasattr(self, "classes_")
        if not first and is_empty(X, y):
            return self
        with all_or_nothing(self) if first else nullcontext():
            self._check_parameters()
            self._refuse_balance()
            if not first:
                self._check_fixed()
            X, y, weight = read_batch(self, X, y, sample_weight)
            names = read_names(y, classes, None if first else self.classes_)
            begin = 0 if first else self.n_seen_
            batch = self._batch(X, y, weight, names, begin)
            if first:
                self._begin(X, weight, names)
            refuse_overflow(self.kernel_, X)
            if not first:
                self._pairs.set_classes(names)
                self._store_classes(names)
            lesson = self._lesson_of(batch, begin)
            self._data = None
            try:
                interruption = self._learn(lesson)
            finally:
                reached = batch.serial[lesson.learnt] if lesson.learnt < batch.size else begin + len(y)
                self.n_seen_ = max(int(reached), self._pairs.end)
                self._store_learnt()
        self._conclude_lesson(interruption)
        return self

    def _learn_again(self, X: Any, y: Any, sample_weight: Any, begin: int) -> None:
        """Learn a batch that was learnt before, from this position of the stream on."""
        X, y, weight = read_batch(self, X, y, sample_weight)
        read_names(y, None, self.classes_)
        if begin + len(y) > self.n_seen_:
            raise ValueError(
                f"the stream has more than the {self.n_seen_} rows of its first pass: read the same again."
            )
        batch = self._batch(X, y, weight, self.classes_, begin)
        try:
            interruption = self._learn(self._lesson_of(batch, begin))
        finally:
            self._store_learnt()
        self._conclude_lesson(interruption)

    def finish(self) -> Any:
        """Go on to the exact solution, by the solver of `SVC` from where the stream has led.

        After `fit` this is the solution of all of X. After `partial_fit` it is that of the examples which are
        still there, all candidates: what `SVC` would find on them. The machine may learn more afterwards. If
        Ctrl-C or `max_time` ends it early, what was reached is kept, and `finish` may be called again.

        Returns
        -------
        self : object
        """
        if not hasattr(self, "classes_"):
            raise NotFittedError("finish needs data: call fit or partial_fit before it.")
        self._check_parameters()
        self._check_fixed()
        data = self._pairs.kept if self._data is None else self._data
        seen = np.unique(data.labels)
        if len(seen) < 2:
            raise ValueError(
                f"finish needs examples of two classes; there are those of {seen.tolist()[0]!r} only."
            )
        size = (len(seen) - 1) * data.size  # each example is in the pairs of its class
        try:
            solved = self._pairs.solve(data, self.kernel_.bind(data.points), self._training(size, data.size))
        finally:
            self._store_learnt()
        self._keep_certificate(solved, len(solved.solutions))
        if self.status_ not in (Status.MAX_TIME, Status.INTERRUPTED):
            self._data = None
        self._conclude(solved)
        return self

    # --- the state of learning ------------------------------------------------------------------

    def _begin(self, X: Any, weight: Vector, names: NDArray[Any]) -> None:
        """A machine that knows its kernel and its classes, and nothing else."""
        self.kernel_ = sample.choose_kernel(
            self.kernel, X, weight, degree=self.degree, gamma=self.gamma, coef0=self.coef0
        )
        self._sparse = sp.issparse(X)
        self._fixed = {name: _record(getattr(self, name)) for name in FIXED}
        nothing = Examples(take(X, np.arange(0)), names[:0], np.empty(0), np.arange(0))
        self._pairs = PairLearners(names, nothing)
        self._store_classes(names)
        self._data = None
        self.n_seen_ = 0
        self.is_full_ = False

    def _settings(self) -> Settings:
        policies = _core.Policies()
        working_set(self.selection).configure(policies)
        share = cache_bytes(self.cache_size, 0) // len(self._pairs)
        return Settings(policies.selection, self.tol, int(self.max_candidates), share)

    def _batch(self, X: Any, y: NDArray[Any], weight: Vector, names: NDArray[Any], begin: int) -> Examples:
        """A batch with the prices of its examples, from this position of the stream on."""
        known: Any = self.class_weight or {}  # and maybe those of classes to come
        weights = class_weights({name: known.get(name, 1.0) for name in names.tolist()}, names, names)
        price = self.C * weight * weights[np.searchsorted(names, y)]
        return Examples(X, y, price, np.arange(begin, begin + len(y))).take(np.flatnonzero(weight))

    def _lesson(self, data: Examples, orders: Iterable[NDArray[np.integer]], before: int) -> Lesson:
        """To learn these rows, after so many others."""
        gram, threads = self.kernel_.bind(data.points), allowed_threads(self.n_jobs)
        tell = partial(self._tell, before) if self.verbose else None
        return Lesson(data, orders, gram, self._settings(), threads, tell)

    def _tell(self, before: int, learnt: int) -> None:
        candidates = sum(pair.size for pair in self._pairs)
        logger.info("LASVM: %d rows learnt, %d candidates", before + learnt, candidates)

    def _learn(self, lesson: Lesson) -> KeyboardInterrupt | None:
        with visible_messages() if self.verbose else nullcontext():
            return self._pairs.learn(lesson)

    def _lesson_of(self, batch: Examples, begin: int) -> Lesson:
        """A batch after what is kept; those of its examples that are kept are these."""
        kept = self._pairs.kept
        if kept.size == 0:
            return self._lesson(batch, [np.arange(batch.size)], begin)
        known = np.isin(batch.serial, kept.serial)
        data = kept.followed_by(batch.take(np.flatnonzero(~known)) if known.any() else batch)
        rows = np.empty(batch.size, dtype=np.intp)
        rows[known] = kept.positions_of(batch.take(np.flatnonzero(known)))
        rows[~known] = np.arange(kept.size, data.size)
        return self._lesson(data, [rows], begin)

    def _conclude_lesson(self, interruption: BaseException | None) -> None:
        """After the model is stored: pass on a Ctrl-C, and say once that there is no more room."""
        was_full, self.is_full_ = self.is_full_, self.is_full_ or self._has_no_room()
        if interruption is not None:
            raise interruption
        if self.is_full_ and not was_full:
            warnings.warn(
                f"LASVM has max_candidates={self.max_candidates} candidates of a pair of classes, and passes "
                "over examples until one of them leaves: raise max_candidates, or end the stream here.",
                UserWarning,
                stacklevel=3,
            )

    def _has_no_room(self) -> bool:
        return bool(self.n_candidates_.max() >= self.max_candidates)

    def _store_learnt(self) -> None:
        """Store the functions of all pairs and what learning has come to; nothing is proved of it."""
        pairs, kept = list(self._pairs), self._pairs.kept
        coefficients = [pair.coefficients(kept.size) for pair in pairs]
        self._store_functions(kept, coefficients, np.array([pair.intercept for pair in pairs]))
        self.shape_fit_ = (self.n_seen_, *np.shape(kept.points)[1:])
        self.dual_objective_ = float(sum(pair.objective for pair in pairs))
        self.kkt_violation_ = float(max(pair.violation for pair in pairs))
        self.kernel_evaluations_ = sum(pair.counters["kernel_evaluations"] for pair in pairs)
        self.n_iter_ = np.array([pair.counters["iterations"] for pair in pairs])
        self.n_candidates_ = np.array([pair.size for pair in pairs])
        for name in CERTIFICATE:
            self.__dict__.pop(name, None)

    def _training(self, size: int, n: int) -> Training:
        return Training(
            solver=choose_solver(None),
            tol=self.tol,
            max_time=self.max_time,
            cache_bytes=cache_bytes(self.cache_size, n),
            n_jobs=self.n_jobs,
            verbose=bool(self.verbose),
            polish=size <= POLISHED_SIZE,
        )
