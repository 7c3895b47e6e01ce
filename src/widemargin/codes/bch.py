"""BCH codes, generated."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from .code import Code
from .columns import distinct
from .finite_field import FiniteField, multiply
from .small_codes import several, two_classes

DRAWS, MOST_WORK = 100, 2**32
"""Choices of rows, of which the one with the largest row separation is kept; fewer where that takes long."""

MOST_DIMENSIONS = 20
"""Of more than two to this power code words, rows are drawn among the first so many."""


def bch(k: int, length: int = 63, *, random_state: Any = None) -> Code:
    """Rows out of a binary BCH code, whose words differ in many places.

    The generator polynomial of designed distance d is the least common multiple of the minimal polynomials of
    a, a^2, ..., a^(d-1), a a primitive element of GF(2^m); its multiples of degree below 2^m - 1 are the
    words, any two of which differ in d places at least. d is the largest with at least k words: 31 for length
    63 and up to 128 classes. Of 100 random choices of k words the one with the largest row separation stays.

    Columns in which all chosen words agree, and columns that occur twice, are dropped: there are
    2^(k-1) - 1 problems only, 31 for six classes.

    Parameters
    ----------
    k : int
        Classes.
    length : int, default=63
        2^m - 1 for some m from 3 to 12.
    random_state : int, RandomState instance or None, default=None

    References
    ----------
    Bose and Ray-Chaudhuri, On a class of error correcting binary group codes, Information and Control 3,
    1960.

    Examples
    --------
    >>> from widemargin.codes import bch
    >>> code = bch(20, random_state=0)
    >>> code.n_columns, code.row_separation
    (63, 31.0)
    """
    if several(k) == 2:
        return two_classes()
    m = int(length + 1).bit_length() - 1
    if 2**m - 1 != length or not 3 <= m <= 12:
        raise ValueError(
            f"length must be 2^m - 1 for some m from 3 to 12, such as 15, 31 or 63, not {length}."
        )
    generator = generator_polynomial(FiniteField(m), k)
    basis = _basis(generator, length)
    random = check_random_state(random_state)

    def draw() -> Code:
        messages = random.choice(2 ** len(basis), size=k, replace=False)
        return Code(distinct(_words(messages, basis)), "bch")

    draws = min(DRAWS, max(1, MOST_WORK // (k * k * length)))
    return max((draw() for _ in range(draws)), key=lambda code: code.row_separation)


def generator_polynomial(field: FiniteField, k: int) -> int:
    """The generator of the smallest BCH code with at least k words, hence of the largest distance.

    Examples
    --------
    >>> from widemargin.codes.bch import generator_polynomial
    >>> from widemargin.codes.finite_field import FiniteField
    >>> bin(generator_polynomial(FiniteField(4), 32))
    '0b10100110111'
    """
    if 2**field.order // 2 < k:
        raise ValueError(f"words of {field.order} bits are too short for {k} classes: raise length.")
    generator, roots = 1, set[int]()
    for i in range(1, field.order):
        if i in roots:
            continue
        larger = multiply(generator, field.minimal_polynomial(i))
        if 2 ** (field.order - (larger.bit_length() - 1)) < k:
            break
        generator = larger
        roots.update(field.coset(i))
    return generator


def _basis(generator: int, length: int) -> NDArray[np.int64]:
    """The bits of the generator times 1, x, x^2, ...: all words are sums of these. The first, if many."""
    dimension = min(length - (generator.bit_length() - 1), MOST_DIMENSIONS)
    return np.array([[generator << i >> place & 1 for place in range(length)] for i in range(dimension)])


def _words(messages: NDArray[np.integer], basis: NDArray[np.int64]) -> NDArray[np.int8]:
    """The sums of those elements of the basis that the bits of a message name, in -1 and +1."""
    bits = messages[:, None] >> np.arange(len(basis)) & 1
    return (1 - 2 * (bits @ basis % 2)).astype(np.int8)
