"""Rules that constructor parameters keep, checked when `fit` begins."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np

from widemargin.codes import CODES, DECODINGS, Code, Decoding

LONGEST = 120
"""Characters of a value that a message shows."""


@dataclass(frozen=True)
class Rule:
    """A condition on a value, and the words for it: "C must be a positive number"."""

    words: str
    holds: Callable[[Any], bool]

    def __or__(self, other: Rule) -> Rule:
        return Rule(f"{self.words} or {other.words}", lambda value: self.holds(value) or other.holds(value))


def check(estimator: Any, rules: Mapping[str, Rule]) -> None:
    """Raise a ValueError that names the first parameter that breaks its rule."""
    for name, rule in rules.items():
        value = getattr(estimator, name)
        if not rule.holds(value):
            raise ValueError(f"{name} must be {rule.words}, not {brief(value)}.")


def brief(value: Any) -> str:
    """What to call a value in a message: in one line, and not a long one."""
    words = " ".join(repr(value).split())
    return words if len(words) <= LONGEST else f"{words[:LONGEST]}..."


def one_of(*choices: str) -> Rule:
    """One of these strings."""
    words = " or ".join(repr(choice) for choice in choices)
    return Rule(words, lambda value: isinstance(value, str) and value in choices)


def at_least(least: int) -> Rule:
    """An integer from this one on."""
    return Rule(
        f"an integer >= {least}", _integer(lambda value: not isinstance(value, bool) and value >= least)
    )


def _integer(holds: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, Integral) and bool(holds(value))


def _number(holds: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, Real) and not isinstance(value, bool) and bool(holds(value))


none = Rule("None", lambda value: value is None)
boolean = Rule("True or False", lambda value: isinstance(value, bool | np.bool_))
positive = Rule("a positive number", _number(lambda value: value > 0))
finite = Rule("a finite number", _number(np.isfinite))
positive_and_finite = Rule("a positive finite number", _number(lambda value: 0 < value < np.inf))
positive_numbers = Rule(
    "a list of them",
    lambda value: (
        isinstance(value, list | tuple | np.ndarray)
        and np.ndim(value) == 1
        and len(value) > 0
        and all(map(positive_and_finite.holds, value))
    ),
)
not_negative = Rule("a finite number >= 0", _number(lambda value: 0 <= value < np.inf))
fraction = Rule("a number in (0, 1]", _number(lambda value: 0 < value <= 1))
fraction_or_zero = Rule("a number in [0, 1]", _number(lambda value: 0 <= value <= 1))
count = at_least(0)
limit = Rule("an integer >= 0, or -1 for no limit", _integer(lambda value: value >= -1))
jobs = Rule("a non-zero integer", _integer(lambda value: value != 0))
generator = Rule("a RandomState", lambda value: isinstance(value, np.random.RandomState))
verbosity = Rule("True, False or an integer >= 0", _integer(lambda value: value >= 0))
function = Rule("a function", callable)
mapping = Rule("a dict of weights by class", lambda value: isinstance(value, Mapping))
code = Rule(
    f"one of {', '.join(map(repr, CODES))}, a Code or a matrix over -1, 0 and +1",
    lambda value: value in CODES if isinstance(value, str) else isinstance(value, Code | list | np.ndarray),
)
decoding = Rule(
    f"one of {', '.join(map(repr, ['auto', *DECODINGS]))} or a Decoding",
    lambda value: value in ("auto", *DECODINGS) if isinstance(value, str) else isinstance(value, Decoding),
)
