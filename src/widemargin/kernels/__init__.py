"""Kernels: functions k(x, z) that are inner products in some feature space, and their combinations."""

from .ard_gaussian import ARDGaussian
from .callable import Callable
from .constant import Constant
from .exponential import Exponential
from .gaussian import Gaussian
from .general_gaussian import GeneralGaussian
from .kernel import Kernel
from .laplacian import Laplacian
from .linear import Linear
from .manifold_gaussian import ManifoldGaussian
from .normalized import Normalized
from .polynomial import Polynomial
from .precomputed import Precomputed
from .product import Product
from .pull_back import PullBack
from .resolve import resolve_kernel
from .scaled import Scaled
from .sigmoid import Sigmoid
from .spectrum import is_psd, min_eigenvalue
from .sum import Sum

__all__ = [
    "ARDGaussian",
    "Callable",
    "Constant",
    "Exponential",
    "Gaussian",
    "GeneralGaussian",
    "Kernel",
    "Laplacian",
    "Linear",
    "ManifoldGaussian",
    "Normalized",
    "Polynomial",
    "Precomputed",
    "Product",
    "PullBack",
    "Scaled",
    "Sigmoid",
    "Sum",
    "is_psd",
    "min_eigenvalue",
    "resolve_kernel",
]
