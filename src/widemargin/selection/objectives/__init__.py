"""Objectives of model selection: what a search minimises."""

from .alignment import Alignment
from .bootstrap_error import BootstrapError
from .bootstrap_likelihood import BootstrapLikelihood
from .cross_validation import CrossValidation
from .gcv import GCV
from .hold_out import HoldOut
from .leave_one_out import LeaveOneOut
from .objective import BoundObjective, Objective
from .polarization import Polarization
from .posterior import LogPosterior
from .priors import JeffreysPrior, NormalPrior
from .radius_margin import RadiusMargin
from .ridge_leave_one_out import RidgeLeaveOneOut
from .span_bound import SpanBound
from .span_rule import SpanRule
from .support_vectors import SupportVectorCount

__all__ = [
    "GCV",
    "Alignment",
    "BootstrapError",
    "BootstrapLikelihood",
    "BoundObjective",
    "CrossValidation",
    "HoldOut",
    "JeffreysPrior",
    "LeaveOneOut",
    "LogPosterior",
    "NormalPrior",
    "Objective",
    "Polarization",
    "RadiusMargin",
    "RidgeLeaveOneOut",
    "SpanBound",
    "SpanRule",
    "SupportVectorCount",
]
