"""``index:value`` pairs, the part that LIBSVM's data and model files share."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from .files import shown

LARGEST_INDEX = 2**31 - 1


def parse_number(token: str, what: str) -> float:
    """A real number, or a ValueError that says what should have been one."""
    try:
        return float(token)
    except ValueError:
        raise ValueError(f"{what} {shown(token)} is not a number") from None


def parse_integer(token: str, what: str) -> int:
    """An integer, or a ValueError that says what should have been one."""
    try:
        return int(token)
    except ValueError:
        raise ValueError(f"{what} {shown(token)} is not an integer") from None


def parse_pairs(tokens: Iterable[str], first_index: int = 1) -> tuple[list[int], list[float]]:
    """Indices (counted from zero) and values of the pairs of a line; a ValueError says what is wrong."""
    split = [token.partition(":") for token in tokens]
    for token, colon, value in split:
        if not colon:
            raise ValueError(f"{shown(token)} is not of the form index:value")
        if not value:
            raise ValueError(f"index {shown(token)} has no value")
    indices = [parse_integer(token, "index") for token, _, _ in split]
    values = [parse_number(value, f"value of index {token}:") for token, _, value in split]
    for index in indices:
        if index < first_index:
            raise ValueError(f"index {index} is below {first_index}")
        if index > LARGEST_INDEX:
            raise ValueError(f"index {index} is above {LARGEST_INDEX}")
    for before, after in pairwise(indices):
        if after <= before:
            raise ValueError(f"index {after} follows {before}; indices must ascend")
    return [index - first_index for index in indices], values


def format_number(value: float) -> str:
    """The shortest decimal that reads back as the same double."""
    text = repr(float(value))
    return text[:-2] if text.endswith(".0") else text


def format_pairs(indices: Iterable[int], values: Iterable[float], first_index: int = 1) -> str:
    """The pairs of a line, from indices counted from zero."""
    return " ".join(f"{j + first_index}:{format_number(v)}" for j, v in zip(indices, values, strict=True))
