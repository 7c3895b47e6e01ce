"""Support vector classification of streams."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from functools import partial
from itertools import combinations
from threading import Event
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from widemargin import _core
from widemargin.codes import choose_scheme
from widemargin.codes.pairs import compress_pairs, expand_pairs
from widemargin.codes.scored import ScoredClassifier
from widemargin.estimators import parameters, sample
from widemargin.estimators.base import KernelMachine, all_or_nothing, start_from
from widemargin.estimators.classes import read_classified
from widemargin.estimators.documentation import documented
from widemargin.estimators.training import POLISHED_SIZE, Job, Solve, Solved, Training, choose_solver
from widemargin.kernels.points import count, take
from widemargin.memory import cache_bytes
from widemargin.online.active_learner import ActiveLearner
from widemargin.online.batches import read_batch, read_names
from widemargin.online.kept import Kept
from widemargin.online.pair_learner import PairLearner, Settings
from widemargin.problems import Problem, Vector, soft_margin
from widemargin.solvers import MostViolatingPair, SecondOrder, Solution
from widemargin.solvers.working_sets import WorkingSet, working_set
from widemargin.threads import allowed_threads, for_each, single_threaded_blas

SELECTIONS = {"second-order": SecondOrder, "most-violating-pair": MostViolatingPair}
"""Rules that remember no pairs: a pair of before may have left."""

FEWEST = 16
"""Candidates below which nothing can be learnt."""

CERTIFICATE = ("status_", "fit_status_", "primal_objective_", "duality_gap_", "trace_")
"""What only `finish` can say."""


def _is_selection(value: Any) -> bool:
    return value in SELECTIONS if isinstance(value, str) else type(value) in SELECTIONS.values()


@documented
class LASVM(ActiveLearner, ScoredClassifier, KernelMachine):
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
        Price of a margin violation, positive and finite; times the weight of the sample.
    <kernel parameters>
    selection : {"second-order", "most-violating-pair"} or a record of that name, default="second-order"
        Which pair takes a step: that with the largest gain, or the most violating one. The first has higher
        dual values and fewer candidates after one pass.
    epochs : int, default=1
        Passes of `fit` over its data, each in an order of its own.
    max_candidates : int, default=10000
        Candidates of a pair of classes. A full machine takes no newcomers until somebody leaves; it goes on
        to the solution of the candidates it has. Memory stays bounded, but what comes then teaches little: of
        noisy data every misclassified example is a support vector, so that there should be room for the share
        of them in as many examples as an `SVC` would need.
    tol : float, default=1e-3
        Violations of the optimality conditions up to this are left alone.
    cache_size : float, default=200
        Megabytes for kernel values among candidates, of all pairs together. Where that is not enough,
        second-order selection prefers partners whose kernel values are there to somewhat better ones.
    random_state : int, RandomState instance or None, default=None
        Orders the data of `fit`.
    n_jobs : int, optional
        Threads for the pairs of several classes, for `finish` and for predictions; None is all that this
        process may use.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    n_seen_ : int
        Examples shown so far; those that later passes of `fit` repeat count once.
    n_candidates_ : array of shape (n_pairs,)
        Candidates of each pair of classes.
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
        Kernel values computed since the beginning.
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

    _data: Kept | None
    """What `fit` was given, until `finish` or another batch."""

    _rules: ClassVar[dict[str, parameters.Rule]] = {
        "C": parameters.positive_and_finite,
        **{
            name: KernelMachine._rules[name]
            for name in ("kernel", "degree", "gamma", "coef0", "tol", "n_jobs")
        },
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
        selection: str | WorkingSet = "second-order",
        epochs: int = 1,
        max_candidates: int = 10000,
        tol: float = 1e-3,
        cache_size: float = 200,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.selection = selection
        self.epochs = epochs
        self.max_candidates = max_candidates
        self.tol = tol
        self.cache_size = cache_size
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _check_parameters(self) -> None:
        parameters.check(self, self._rules)
        if sample.is_precomputed(self.kernel):
            raise ValueError("kernel must not be precomputed: LASVM meets one example at a time; take SVC.")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = False
        return tags

    # --- learning -------------------------------------------------------------------------------

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Any:
        """Forget everything and learn from points X and their classes y, in `epochs` passes.

        X is not copied, and kept until `finish` or the next `partial_fit`, so that the former can reach the
        solution of all of it.

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
            X, classes, weight = read_classified(self, X, y, sample_weight)
            names, labels = classes.names, classes.labels
            random = check_random_state(self.random_state)
            self._begin(X, weight, names)
            data = Kept(X, names[labels], self.C * weight, np.arange(count(X)))
            rows = np.flatnonzero(weight).astype(np.int32)
            orders = (random.permutation(rows) for _ in range(self.epochs))
            self.n_seen_ = count(X)
            interruption = self._learn(data, orders)
            self._data = data
        if interruption is not None:
            raise interruption
        return self

    def partial_fit(
        self,
        X: Any,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Any:
        """Learn a batch, its rows one after the other.

        A batch that is refused changes nothing. After Ctrl-C the machine has learnt the rows before it.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or list of objects
            One or more points, with the columns of the batches before. The first batch decides what
            ``gamma="scale"`` means.
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
        with all_or_nothing(self):
            self._check_parameters()
            X, y, weight = read_batch(self, X, y, sample_weight)
            names = read_names(y, classes, None if first else self.classes_)
        with all_or_nothing(self) if first else nullcontext():
            if first:
                self._begin(X, weight, names)
            else:
                self._add_classes(names)
            serial = np.arange(self.n_seen_, self.n_seen_ + len(y))
            batch = Kept(X, y, self.C * weight, serial).take(np.flatnonzero(weight))
            before = self._kept.size
            data = self._kept.followed_by(batch) if before else batch
            new = np.arange(before, data.size, dtype=np.int32)
            self._data = None
            self.n_seen_ += len(y)
            interruption = self._learn(data, [new])
        if interruption is not None:
            raise interruption
        return self

    def fit_stream(
        self, batches: Iterable[Any] | Callable[[], Iterator[Any]], classes: ArrayLike | None = None
    ) -> Any:
        """Learn all batches of a stream, each by `partial_fit`.

        Parameters
        ----------
        batches : iterable, or function that returns an iterator
            Pairs (X, y) or triples (X, y, sample_weight): arrays, CSR matrices, or what
            `widemargin.io.libsvm_chunks`, `csv_chunks` and `parquet_chunks` read from files. One batch is in
            memory at a time.
        classes : array-like, optional
            All classes, if the first batch does not have all of them.

        Returns
        -------
        self : object
        """
        batches = batches() if callable(batches) else batches
        if not isinstance(batches, Iterable):
            raise ValueError(f"batches must be an iterable of pairs (X, y), not {parameters.brief(batches)}.")
        for number, batch in enumerate(batches):
            if not isinstance(batch, tuple) or len(batch) not in (2, 3):
                raise ValueError(f"batch {number} must be a pair (X, y) or a triple (X, y, sample_weight).")
            X, y, weight = (*batch, None)[:3]
            try:
                self.partial_fit(X, y, classes=classes, sample_weight=weight)
            except (TypeError, ValueError) as error:
                raise ValueError(f"batch {number}: {error}") from error
        check_is_fitted(self, msg="batches is empty: give at least one batch.")
        return self

    def finish(self) -> Any:
        """Go on to the exact solution, by the solver of `SVC` from where the stream has led.

        After `fit` this is the solution of all of X. After `partial_fit` it is that of the examples which are
        still there, all candidates: what `SVC` would find on them. The machine may learn more afterwards.

        Returns
        -------
        self : object
        """
        if not hasattr(self, "classes_"):
            raise NotFittedError("finish needs data: call fit or partial_fit before it.")
        self._check_parameters()
        data = self._kept if self._data is None else self._data
        learners = [each for each in self._learners if self._has_both(each, data)]
        if not learners:
            seen = np.unique(data.labels).tolist()
            raise ValueError(f"finish needs examples of two classes; there are those of {seen[0]!r} only.")
        solved = self._solve(data, learners)
        self._conclude(solved)
        return self

    # --- the state of learning ------------------------------------------------------------------

    def _begin(self, X: Any, weight: Vector, names: NDArray[Any]) -> None:
        """A machine that knows its kernel and its classes, and nothing else."""
        self.kernel_ = sample.choose_kernel(
            self.kernel, X, weight, degree=self.degree, gamma=self.gamma, coef0=self.coef0
        )
        self._sparse = sp.issparse(X)
        self._learners: list[PairLearner] = []
        self._kept = Kept(take(X, np.arange(0)), names[:0], np.empty(0), np.arange(0))
        self._data = None
        self.n_seen_ = 0
        self._add_classes(names)

    def _add_classes(self, names: NDArray[Any]) -> None:
        """A machine for each pair; those of new classes have yet to see what is kept of the others."""
        known = {(each.positive, each.negative): each for each in self._learners}
        pairs = list(combinations(names.tolist(), 2))
        self.classes_ = names
        self._learners = [known.get(pair) or PairLearner(*pair) for pair in pairs]
        scheme = choose_scheme("all-pairs", "auto", names)
        self.code_, self.decoding_ = scheme.M, scheme.decoding

    def _settings(self) -> Settings:
        policies = _core.Policies()
        working_set(self.selection).configure(policies)
        share = cache_bytes(self.cache_size, 0) // len(self._learners)
        return Settings(policies.selection, self.tol, int(self.max_candidates), share)

    def _learn(self, data: Kept, orders: Iterable[NDArray[np.integer]]) -> BaseException | None:
        """Have all pairs learn rows of the data, whose first are those that are kept; Ctrl-C is returned."""
        gram, settings = self.kernel_.bind(data.points), self._settings()
        n, threads = len(self._learners), allowed_threads(self.n_jobs)
        interruption: list[BaseException] = []

        def learn(learner: PairLearner, rows: NDArray[np.integer], abandoned: Event) -> None:
            sides = learner.sides(data.labels[rows])
            own, y = rows[sides != 0].astype(np.int32), sides[sides != 0]

            def stop(progress: Any) -> bool:
                return abandoned.is_set()

            if own.size and not learner.learn(gram, own, y, data.prices[own], settings, stop):
                interruption.append(KeyboardInterrupt())

        def work(learner: PairLearner, abandoned: Event) -> None:
            for rows in passes:
                if not interruption and not abandoned.is_set():
                    unseen = np.arange(self._kept.size) if learner.is_new else rows[:0]
                    learn(learner, np.concatenate([unseen, rows]), abandoned)

        passes = list(orders)
        try:
            with single_threaded_blas():
                for_each(work, self._learners, min(n, threads))
        except KeyboardInterrupt as error:
            interruption.append(error)
        finally:
            self._keep_candidates(data)
        return interruption[0] if interruption else None

    def _keep_candidates(self, data: Kept) -> None:
        """Keep of the data what some pair needs, and make the functions of it."""
        needed = np.unique(np.concatenate([learner.points for learner in self._learners]))
        place = np.full(data.size, -1, dtype=np.int32)
        place[needed] = np.arange(needed.size)
        for learner in self._learners:
            learner.renumber(place)
        self._kept = data.take(needed)
        self._store_functions()
        for name in CERTIFICATE:
            self.__dict__.pop(name, None)
        self.dual_objective_ = float(sum(learner.objective for learner in self._learners))
        self.kkt_violation_ = float(max(learner.violation for learner in self._learners))
        self.kernel_evaluations_ = sum(learner.counters["kernel_evaluations"] for learner in self._learners)
        self.n_iter_ = np.array([learner.counters["iterations"] for learner in self._learners])
        self.n_candidates_ = np.array([learner.size for learner in self._learners])

    def _store_functions(self) -> None:
        kept, k = self._kept, len(self.classes_)
        labels = np.searchsorted(self.classes_, kept.labels)
        columns = [learner.coefficients(kept.size) for learner in self._learners]
        dual = compress_pairs(columns, labels, k) if k > 2 else -columns[0][None]
        support = np.flatnonzero(dual.any(axis=0))
        support = support[np.argsort(labels[support], kind="stable")]
        self.n_support_ = np.bincount(labels[support], minlength=k).astype(np.int32)
        self.support_: NDArray[Any] = kept.serial[support]
        self.support_vectors_ = take(kept.points, support)
        self.shape_fit_ = (self.n_seen_, *np.shape(kept.points)[1:])
        self._store_dual(dual[:, support])
        self._store_intercepts(np.array([learner.intercept for learner in self._learners]))

    def _store_intercepts(self, intercepts: Vector) -> None:
        """A value of two classes is positive for the second, of a pair of several for the first."""
        self.intercept_ = intercepts if len(self.classes_) > 2 else -intercepts

    # --- the exact solution ---------------------------------------------------------------------

    def _has_both(self, learner: PairLearner, data: Kept) -> bool:
        sides = learner.sides(data.labels)
        return bool((sides > 0).any() and (sides < 0).any())

    def _solve(self, data: Kept, learners: list[PairLearner]) -> Solved:
        """Solve the problems of these pairs on all the data, and go on from their solutions."""
        gram, n = self.kernel_.bind(data.points), data.size
        place = np.full(max(int(data.serial.max()), self.n_seen_) + 1, -1)
        place[data.serial] = np.arange(n)
        of_kept = place[self._kept.serial].astype(np.int32)
        for learner in self._learners:
            learner.renumber(of_kept)
        found: dict[int, tuple[Problem, Solution]] = {}

        def work(k: int, solve: Solve) -> Solution:
            sides = learners[k].sides(data.labels) * (data.prices > 0)
            rows = np.flatnonzero(sides).astype(np.int32)
            problem = soft_margin(sides[rows], data.prices[rows]).on(rows)
            solution = solve(problem, start_from(problem, learners[k].coefficients(n)))
            found[k] = problem, solution
            return solution.summary()

        sizes = [int(np.count_nonzero(learner.sides(data.labels))) for learner in learners]
        jobs = [Job(size, partial(work, k)) for k, size in enumerate(sizes)]
        try:
            solved = self._training(sum(sizes), n).run(jobs, gram)
            for k, (problem, solution) in found.items():
                learners[k].restart(problem, solution, gram.diagonal())
        finally:
            self._keep_candidates(data)
        offsets = {id(learners[k]): float(solution.offsets[0]) for k, (_, solution) in found.items()}
        self._store_intercepts(np.array([offsets.get(id(each), each.intercept) for each in self._learners]))
        self._data = None
        self._keep_certificate(solved, len(learners))
        return solved

    def _training(self, size: int, n: int) -> Training:
        return Training(
            solver=choose_solver(None),
            tol=self.tol,
            cache_bytes=cache_bytes(self.cache_size, n),
            n_jobs=self.n_jobs,
            polish=size <= POLISHED_SIZE,
        )

    def _remedy(self, solution: Any) -> str:
        return (
            "LASVM stopped where round-off ends all progress, with a KKT violation of "
            f"{solution.kkt_violation:.2g} (tol={self.tol:g}): scale the data (StandardScaler or "
            "MinMaxScaler), raise tol, or lower C."
        )

    # --- predicting -----------------------------------------------------------------------------

    def _expand(self, dual: NDArray[np.float64]) -> Any:
        k = len(self.classes_)
        return expand_pairs(dual, np.repeat(np.arange(k), self.n_support_), k) if k > 2 else dual.T

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Decision values, at any time after the first batch.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or list of objects

        Returns
        -------
        values : array of shape (n_samples,) for two classes, else (n_samples, n_classes)
            Two classes: positive for the second. Several: a score per class, votes first.
        """
        return self._scheme.breaking_ties().scores(self._values(X))

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row of X: that with the most votes of pairs, or of several the largest values."""
        decided = self._scheme.breaking_ties().decide(self._values(X))
        return self.classes_[decided]
