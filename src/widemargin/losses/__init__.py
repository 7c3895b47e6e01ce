"""Losses: what the error of an answer costs."""

from .bounded import Ramp, ZeroOne
from .loss import Loss, MarginLoss
from .names import LOSSES, loss_of
from .of_differences import Absolute, EpsilonInsensitive, Square
from .of_margins import ExponentialLoss, Hinge, Logistic, Power, SquaredHinge

__all__ = [
    "LOSSES",
    "Absolute",
    "EpsilonInsensitive",
    "ExponentialLoss",
    "Hinge",
    "Logistic",
    "Loss",
    "MarginLoss",
    "Power",
    "Ramp",
    "Square",
    "SquaredHinge",
    "ZeroOne",
    "loss_of",
]
