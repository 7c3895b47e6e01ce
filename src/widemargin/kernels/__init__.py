"""Kernels: functions k(x, z) that are inner products in some feature space, and their combinations."""

from .gaussian import Gaussian
from .kernel import Kernel
from .laplacian import Laplacian
from .linear import Linear
from .polynomial import Polynomial
from .sigmoid import Sigmoid

__all__ = ["Gaussian", "Kernel", "Laplacian", "Linear", "Polynomial", "Sigmoid"]
