"""A kernel on transformed data."""

from typing import Any

import numpy as np

from .. import _core
from .kernel import Kernel


class PullBack(Kernel):
    """k(x, z) = kernel(transform(x), transform(z)), written ``kernel.pull_back(transform)``.

    With the linear kernel it is the kernel of an explicit feature map, and for a map to one feature f the
    kernel f(x) f(z). The transformation happens once per `bind`; it has no parameters in `theta`.

    Parameters
    ----------
    kernel : Kernel
    transform : callable
        Maps data of n points, as a whole, to data of n points that `kernel` takes.

    Examples
    --------
    >>> import numpy as np
    >>> from widemargin.kernels import Linear
    >>> Linear().pull_back(np.square).gram([[1.0, 2.0]], [[3.0, 4.0]])
    array([[73.]])
    """

    _parts = ("kernel",)

    def __init__(self, kernel: Kernel, transform: Any):
        self.kernel = kernel
        self.transform = transform

    @property
    def is_psd(self) -> bool:  # type: ignore[override]
        return self.kernel.is_psd

    def bind(self, X: Any, Y: Any = None) -> _core.Gram:
        return self.kernel.bind(self._moved(X), None if Y is None else self._moved(Y))

    def diagonal(self, X: Any) -> np.ndarray:
        return self.kernel.diagonal(self._moved(X))

    def contract(self, X: Any, Y: Any, W: np.ndarray, K: np.ndarray | None = None) -> np.ndarray:
        return self.kernel.contract(self._moved(X), None if Y is None else self._moved(Y), W, K)

    def contract_diagonal(self, X: Any, w: np.ndarray) -> np.ndarray:
        return self.kernel.contract_diagonal(self._moved(X), w)

    def _moved(self, X: Any) -> Any:
        if not callable(self.transform):
            raise ValueError(f"transform must be callable, got {self.transform!r}.")
        return self.transform(X)
