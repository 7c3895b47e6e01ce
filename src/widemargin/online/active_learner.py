"""Which labels to ask for."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from widemargin.codes.pairs import own_pairs
from widemargin.estimators import parameters, sample
from widemargin.kernels.points import count
from widemargin.online.batches import read_labels
from widemargin.online.pairwise_machine import PairwiseMachine
from widemargin.online.queries import Active, Diverse, Query, Random, choose_query


class ActiveLearner(PairwiseMachine):
    """A machine of all pairs of classes that says which points are worth a label."""

    def query(
        self,
        pool: Any,
        n: int = 1,
        *,
        strategy: str | Query = "active",
        y: ArrayLike | None = None,
        random_state: Any = None,
    ) -> NDArray[np.intp]:
        """Rows of a pool that are worth a label, the best first.

        There is no boundary before the machine has seen two classes: "active" and "diverse" draw at random
        until then.

        Parameters
        ----------
        pool : {array-like, sparse matrix} of shape (n_samples, n_features), or list of objects
            Points to choose from.
        n : int, default=1
            How many.
        strategy : {"active", "diverse", "gradient", "random"} or Query, default="active"
            Those nearest to the boundary; near to it and unlike each other; if the labels are known and it is
            a matter of what to learn from, those most in conflict with the machine; or any.
        y : array-like of shape (n_samples,), optional
            The classes of the pool, for "gradient" only.
        random_state : int, RandomState instance or None, default=None

        Returns
        -------
        rows : array of shape (n,)

        Examples
        --------
        >>> import numpy as np
        >>> import widemargin as wm
        >>> machine = wm.LASVM(kernel="linear").fit([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1])
        >>> machine.query([[0.5], [1.9], [5.0]])
        array([1])
        """
        query = choose_query(strategy)
        check_is_fitted(self)
        pool = sample.read_prediction(self, pool)
        size = count(pool)
        if not parameters.count.holds(n) or not 1 <= n <= size:
            raise ValueError(f"n must be an integer from 1 to the {size} rows of the pool, not {n!r}.")
        if self.support_.size == 0 and isinstance(query, Active | Diverse):
            query = Random()
        return query.choose(self, pool, int(n), y, check_random_state(random_state))

    def margins(self, X: Any) -> NDArray[np.float64]:
        """How far each row of X is from being given another class; zero on the boundary.

        Two classes: |f(x)|. Several: the smallest |f(x)| over the pairs of the class that is predicted.
        """
        values, k = self._values(X), len(self.classes_)
        if k == 2:
            return np.abs(values[:, 0])
        return own_pairs(np.abs(values), self._scheme.decide(values), k).min(axis=1)

    def losses(self, X: Any, y: ArrayLike) -> NDArray[np.float64]:
        """The largest 1 - y f(x) over the pairs of each row's class y: the slope of the dual there."""
        labels = np.searchsorted(self.classes_, read_labels(y, X, self.classes_))
        side = self.code_[labels]
        return 1.0 - np.where(side != 0, side * self._values(X), np.inf).min(axis=1)
