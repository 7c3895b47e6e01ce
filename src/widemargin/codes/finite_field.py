"""Fields of 2^m elements and polynomials over two, as integers whose bits are coefficients."""

from __future__ import annotations

from functools import cached_property


class FiniteField:
    """GF(2^m): polynomials over GF(2) modulo a primitive one, which is found by trying.

    `powers[i]` is a^i for the primitive element a = x, i = 0, ..., 2^m - 2.

    Parameters
    ----------
    m : int
        At least 2.

    Examples
    --------
    >>> from widemargin.codes.finite_field import FiniteField
    >>> FiniteField(3).powers
    [1, 2, 4, 3, 6, 7, 5]
    """

    def __init__(self, m: int) -> None:
        self.m = m
        self.order = 2**m - 1
        self.powers = next(
            powers for tail in range(1, 2**m, 2) if len(powers := _orbit(2**m | tail, m)) == self.order
        )

    @cached_property
    def _logarithms(self) -> dict[int, int]:
        return {power: i for i, power in enumerate(self.powers)}

    def times(self, a: int, b: int) -> int:
        """The product of two elements."""
        if a == 0 or b == 0:
            return 0
        return self.powers[(self._logarithms[a] + self._logarithms[b]) % self.order]

    def coset(self, i: int) -> list[int]:
        """The exponents of all conjugates of a^i: i, 2i, 4i, ... modulo 2^m - 1."""
        exponents = [i % self.order]
        while (following := 2 * exponents[-1] % self.order) != exponents[0]:
            exponents.append(following)
        return exponents

    def minimal_polynomial(self, i: int) -> int:
        """The polynomial over GF(2) of least degree with the root a^i: the product of x - a^j over its coset.

        Examples
        --------
        >>> from widemargin.codes.finite_field import FiniteField
        >>> bin(FiniteField(4).minimal_polynomial(5))
        '0b111'
        """
        coefficients = [1]  # lowest degree first, elements of the field
        for j in self.coset(i):
            root = self.powers[j]
            shifted = [0, *coefficients]
            scaled = [*(self.times(root, each) for each in coefficients), 0]
            coefficients = [a ^ b for a, b in zip(shifted, scaled, strict=True)]
        return sum(each << degree for degree, each in enumerate(coefficients))


def multiply(a: int, b: int) -> int:
    """The product of two polynomials over GF(2).

    Examples
    --------
    >>> from widemargin.codes.finite_field import multiply
    >>> bin(multiply(0b11, 0b11))
    '0b101'
    """
    product = 0
    while b:
        product ^= a * (b & 1)
        a, b = a << 1, b >> 1
    return product


def _orbit(modulus: int, m: int) -> list[int]:
    """1, x, x^2, ... modulo a polynomial of degree m, until 1 returns."""
    powers, power = [1], 2
    while power != 1:
        powers.append(power)
        power <<= 1
        if power >> m:
            power ^= modulus
    return powers
