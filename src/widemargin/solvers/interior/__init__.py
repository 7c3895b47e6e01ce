"""Interior-point methods: few steps, each a linear system among all variables."""

from widemargin.solvers.interior.log_barrier import LogBarrier
from widemargin.solvers.interior.mehrotra import Mehrotra

__all__ = ["LogBarrier", "Mehrotra"]
