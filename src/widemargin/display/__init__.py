"""Pictures of fitted machines and of the way there; matplotlib is imported only when one is drawn."""

from widemargin.display.boundary import decision_boundary
from widemargin.display.confusion import confusion
from widemargin.display.convergence import convergence

__all__ = ["confusion", "convergence", "decision_boundary"]
