"""Losses by name."""

from __future__ import annotations

from .loss import Loss
from .of_differences import Absolute, EpsilonInsensitive, Square
from .of_margins import ExponentialLoss, Hinge, Logistic, Power, SquaredHinge

LOSSES: dict[str, type[Loss]] = {
    "hinge": Hinge,
    "squared_hinge": SquaredHinge,
    "power": Power,
    "square": Square,
    "absolute": Absolute,
    "epsilon_insensitive": EpsilonInsensitive,
    "exponential": ExponentialLoss,
    "logistic": Logistic,
}
"""The convex ones."""


def loss_of(loss: str | Loss) -> Loss:
    """The loss itself, or the one of a name, with its default parameters.

    Examples
    --------
    >>> from widemargin.losses import loss_of
    >>> loss_of("epsilon_insensitive")
    EpsilonInsensitive()
    """
    if isinstance(loss, str) and loss in LOSSES:
        return LOSSES[loss]()
    if not isinstance(loss, Loss):
        raise ValueError(f"loss must be one of {', '.join(map(repr, LOSSES))} or a Loss, not {loss!r}.")
    return loss
