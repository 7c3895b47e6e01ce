"""The linear kernel."""

from .. import _core
from .kernel import VectorKernel


class Linear(VectorKernel):
    """k(x, z) = <x, z>.

    Examples
    --------
    >>> from widemargin.kernels import Linear
    >>> Linear().gram([[1.0, 2.0]], [[3.0, 4.0], [0.0, 1.0]])
    array([[11.,  2.]])
    """

    def _bind_points(self, x: _core.Points, y: _core.Points) -> _core.Gram:
        return _core.linear(x, y)
