"""Kernels by scikit-learn's names."""

from typing import Any

from .callable import Callable
from .gaussian import Gaussian
from .kernel import Kernel
from .laplacian import Laplacian
from .linear import Linear
from .polynomial import Polynomial
from .precomputed import Precomputed
from .sigmoid import Sigmoid

KERNEL_NAMES = ("linear", "poly", "rbf", "sigmoid", "laplacian", "precomputed")


def resolve_kernel(kernel: Any, gamma: float = 1.0, coef0: float = 0.0, degree: int = 3) -> Kernel:
    """Return the Kernel that `kernel` stands for: itself, one of scikit-learn's names or a function.

    The other arguments matter to the kernels named by strings that have such a parameter.

    Examples
    --------
    >>> from widemargin.kernels import resolve_kernel
    >>> resolve_kernel("rbf", gamma=0.5)
    Gaussian(gamma=0.5)
    """
    if isinstance(kernel, Kernel):
        return kernel
    match kernel:
        case "linear":
            return Linear()
        case "poly":
            return Polynomial(degree=degree, gamma=gamma, coef0=coef0)
        case "rbf":
            return Gaussian(gamma=gamma)
        case "sigmoid":
            return Sigmoid(gamma=gamma, coef0=coef0)
        case "laplacian":
            return Laplacian(gamma=gamma)
        case "precomputed":
            return Precomputed()
    if callable(kernel) and not isinstance(kernel, type):
        return Callable(kernel)
    raise ValueError(
        f"kernel must be one of {', '.join(KERNEL_NAMES)}, a Kernel or a function, got {kernel!r}."
    )
