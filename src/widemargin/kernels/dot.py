"""Kernels that see two points through gamma <x, z> + coef0."""

from typing import Any

import numpy as np

from .kernel import VectorKernel
from .linear import Linear


class DotKernel(VectorKernel):
    """k(x, z) = f(gamma <x, z> + coef0), its parameters gamma and, where positive, coef0."""

    gamma: float
    coef0: float

    @property
    def _log_parameters(self) -> tuple[str, ...]:  # type: ignore[override]
        return ("gamma", "coef0") if self.coef0 > 0 else ("gamma",)

    def _slope(self, argument: np.ndarray) -> np.ndarray:
        """Return f'(argument)."""
        raise NotImplementedError

    def _contract_rows(self, X: Any, Y: Any, W: np.ndarray) -> np.ndarray:
        return self._gradient(Linear().gram(X, Y), W)

    def contract_diagonal(self, X: Any, w: np.ndarray) -> np.ndarray:
        return self._gradient(Linear().diagonal(X), np.asarray(w))

    def _gradient(self, dots: np.ndarray, W: np.ndarray) -> np.ndarray:
        slopes = W * self._slope(self.gamma * dots + self.coef0)
        by_gamma = self.gamma * np.sum(slopes * dots)
        return np.array([by_gamma, self.coef0 * np.sum(slopes)][: len(self._log_parameters)])
