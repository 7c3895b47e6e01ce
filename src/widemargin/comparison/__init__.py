"""Classifiers beside each other: where they agree, whether they differ, and why codes repair so little.

Everything here reads labels and predictions, of machines of this library or of any other.
"""

from .agreement import Agreement, agreement
from .bootstrap import BootstrapDifference, bootstrap_difference
from .class_report import ClassReport, class_report
from .correlated_errors import CorrelatedErrors, correlated_errors
from .mcnemar import McNemar, mcnemar

__all__ = [
    "Agreement",
    "BootstrapDifference",
    "ClassReport",
    "CorrelatedErrors",
    "McNemar",
    "agreement",
    "bootstrap_difference",
    "class_report",
    "correlated_errors",
    "mcnemar",
]
