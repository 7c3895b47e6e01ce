"""Kernel machines with a function for each pair of classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from widemargin.codes import Decoding, Scheme, choose_scheme
from widemargin.codes.pairs import compress_pairs, expand_pairs
from widemargin.codes.scored import ScoredClassifier
from widemargin.estimators.base import KernelMachine
from widemargin.kernels.points import take
from widemargin.online.examples import Examples
from widemargin.problems import Vector


class PairwiseMachine(ScoredClassifier, KernelMachine):
    """A machine of all pairs of classes: what it stores of their functions, and how these vote."""

    classes_: NDArray[Any]
    code_: NDArray[np.int8]
    decoding_: Decoding

    def _store_classes(self, names: NDArray[Any]) -> None:
        scheme = choose_scheme("all-pairs", "auto", names)
        self.classes_, self.code_, self.decoding_ = names, scheme.M, scheme.decoding

    def _store_functions(self, kept: Examples, columns: Sequence[Vector], intercepts: Vector) -> None:
        """Store the functions of all pairs: coefficients of what is kept, and an intercept each.

        Theirs are positive for the first class of a pair; that of only two classes is stored with the other
        sign, for the second.
        """
        k, labels = len(self.classes_), np.searchsorted(self.classes_, kept.labels)
        dual = compress_pairs(columns, labels, k) if k > 2 else -columns[0][None]
        support = np.flatnonzero(dual.any(axis=0))
        support = support[np.argsort(labels[support], kind="stable")]
        self.n_support_ = np.bincount(labels[support], minlength=k).astype(np.int32)
        self.support_: NDArray[Any] = kept.serial[support]
        self.support_vectors_ = take(kept.points, support)
        self._store_dual(dual[:, support])
        self.intercept_ = intercepts if k > 2 else -intercepts

    def _expand(self, dual: NDArray[np.float64]) -> Any:
        k = len(self.classes_)
        return expand_pairs(dual, np.repeat(np.arange(k), self.n_support_), k) if k > 2 else dual.T

    @property
    def _scheme(self) -> Scheme:
        """How values of pairs become classes: votes, and the values where as many votes are for several."""
        check_is_fitted(self, "code_")
        return Scheme(self.code_, self.decoding_).breaking_ties()

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
        return self._scheme.scores(self._values(X))

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row of X: that with the most votes of pairs, or of several the largest values."""
        decided = self._scheme.decide(self._values(X))
        return self.classes_[decided]
