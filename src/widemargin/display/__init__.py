"""Pictures of fitted machines and of the way there; matplotlib is imported only when one is drawn."""

from widemargin.display.boundary import decision_boundary
from widemargin.display.confusion import confusion
from widemargin.display.convergence import convergence
from widemargin.display.landscape import LandscapeDisplay
from widemargin.display.learning_curve import LearningCurveDisplay
from widemargin.display.relevance import RelevanceDisplay
from widemargin.display.roc import RocDisplay

__all__ = [
    "LandscapeDisplay",
    "LearningCurveDisplay",
    "RelevanceDisplay",
    "RocDisplay",
    "confusion",
    "convergence",
    "decision_boundary",
]
