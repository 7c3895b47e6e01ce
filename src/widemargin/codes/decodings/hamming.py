"""The class whose row has the signs of the values."""

from __future__ import annotations

import numpy as np

from widemargin.losses import Hinge

from .decoding import Decoding, Matrix, Values
from .loss_based import LossBased


class Hamming(Decoding):
    """argmin_r sum_j (1 - sign(M_rj f_j(x))) / 2, in which zeros count one half.

    Ties are frequent; they are decided by the total hinge loss, then for the first class.

    Examples
    --------
    >>> import numpy as np
    >>> from widemargin.codes import Hamming, complete
    >>> Hamming().decide(np.array([[0.1, -2.0, -0.5]]), complete(3).matrix)
    array([1])
    """

    def scores(self, values: Values, M: Matrix) -> Values:
        """Minus the distance, and less than half of a column for the loss."""
        distances = (M.shape[1] - np.sign(values) @ M.T.astype(np.float64)) / 2
        losses = -LossBased(Hinge()).scores(values, M)
        return -distances - losses / (3 * (losses + 1))
