"""Machines with a function per class."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from widemargin import kernels
from widemargin.codes.scored import ScoredClassifier
from widemargin.estimators.base import KernelMachine


class ClassFunctions(ScoredClassifier, KernelMachine):
    """A classifier with a function per class, the largest of which names it."""

    def _keep_functions(
        self, X: Any, kernel: kernels.Kernel, labels: NDArray[np.integer], coefficients: NDArray[np.float64]
    ) -> None:
        """Store the points with a coefficient, class by class."""
        support = np.flatnonzero(coefficients.any(axis=1))
        support = support[np.argsort(labels[support], kind="stable")]
        self._keep(X, kernel, support)
        self._store_dual(np.ascontiguousarray(coefficients[support].T))

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Values of the functions, one per class; of two classes the second less the first.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or list of objects
            For a precomputed kernel: the kernel of these samples with all training samples, or with the
            support vectors (in the order of `support_`) alone.

        Returns
        -------
        values : array of shape (n_samples,) for two classes, else (n_samples, n_classes)
        """
        values = self._values(X)
        return values[:, 1] - values[:, 0] if len(self.classes_) == 2 else values

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row of X: the one with the largest value, the first of several."""
        values = self._values(X)
        return self.classes_[values.argmax(axis=1)]
