"""What kernels made of two kernels share."""

from .kernel import Kernel


class Combination(Kernel):
    """A kernel made of `left` and `right`.

    Parameters
    ----------
    left, right : Kernel
    """

    _parts = ("left", "right")

    def __init__(self, left: Kernel, right: Kernel):
        self.left = left
        self.right = right

    @property
    def is_psd(self) -> bool:  # type: ignore[override]
        return self.left.is_psd and self.right.is_psd
