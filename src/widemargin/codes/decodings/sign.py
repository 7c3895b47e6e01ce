"""Two classes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .decoding import Decoding, Matrix, Values


class Sign(Decoding):
    """The second class where the value of the only column is not negative.

    This is what all decodings are for two classes.

    Examples
    --------
    >>> import numpy as np
    >>> from widemargin.codes import Sign, two_classes
    >>> Sign().decide(np.array([[-0.1], [0.0]]), two_classes().matrix)
    array([0, 1])
    """

    signs_suffice = True

    def check(self, M: Matrix) -> None:
        if M.shape[1] != 1:
            raise ValueError(f"Sign is for a code of one column, not of {M.shape[1]}: take 'loss'.")

    def scores(self, values: Values, M: Matrix) -> Values:
        return values * M[:, 0]

    def decide(self, values: Values, M: Matrix) -> NDArray[np.intp]:
        return (values[:, 0] >= 0).astype(np.intp)
