"""Classifiers that learn all classes at once, for study beside one-vs-all."""

from .bredensteiner_bennett import BredensteinerBennett
from .continuous_code import ContinuousCode
from .crammer_singer import CrammerSinger
from .lee_lin_wahba import LeeLinWahba
from .weston_watkins import WestonWatkins

__all__ = ["BredensteinerBennett", "ContinuousCode", "CrammerSinger", "LeeLinWahba", "WestonWatkins"]
