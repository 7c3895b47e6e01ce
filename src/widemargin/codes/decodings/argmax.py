"""The class with the largest value."""

from __future__ import annotations

import numpy as np

from ..small_codes import one_vs_all
from .decoding import Decoding, Matrix, Values


class Argmax(Decoding):
    """argmax_r f_r(x), for one-vs-all.

    The same as decoding by the hinge, the square or the exponential loss, since L(z) - L(-z) falls for them.

    Examples
    --------
    >>> import numpy as np
    >>> from widemargin.codes import Argmax, one_vs_all
    >>> Argmax().decide(np.array([[-0.5, -0.2, -0.9]]), one_vs_all(3).matrix)
    array([1])
    """

    def check(self, M: Matrix) -> None:
        need_one_vs_all(self, M)

    def scores(self, values: Values, M: Matrix) -> Values:
        return values


def need_one_vs_all(decoding: Decoding, M: Matrix) -> None:
    """Raise a ValueError unless the code is one-vs-all."""
    if not np.array_equal(M, one_vs_all(len(M)).matrix):
        raise ValueError(
            f"{type(decoding).__name__} needs a value per class: take the code 'one-vs-all', or the decoding "
            "'loss', which fits every code."
        )
