"""How solutions move with C, epsilon and the parameters of the kernel."""

from .active_set import ActiveSet
from .kernel_weights import KernelWeights
from .response import Pulled, Response
from .sensitivity import Part, Sensitivity

__all__ = ["ActiveSet", "KernelWeights", "Part", "Pulled", "Response", "Sensitivity"]
