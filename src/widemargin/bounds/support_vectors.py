"""The number of support vectors, from both sides."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from widemargin.bounds.two_classes import TwoClasses, check_svc


def support_vector_count(machine: Any) -> int:
    """At most so many points are leave-one-out errors: #errors <= #{i : alpha_i > 0 in some machine}.

    Without a point that is no support vector the machines stay what they are, and such a point is classified
    correctly, with a margin of at least one in every machine that knows it. That takes a bias that the
    machine determines: where no support vector is free, and the middle of an interval is chosen, another
    middle may be chosen without the point. It favours little regularisation: do not choose parameters by it.

    Parameters
    ----------
    machine : SVC
        Fitted, with hinge or squared hinge loss; any number of classes.

    Returns
    -------
    count : int

    References
    ----------
    Vapnik, Statistical Learning Theory, 1998.

    Examples
    --------
    >>> import widemargin as wm
    >>> X, y = [[-3], [-1], [1], [3]], [0, 0, 1, 1]
    >>> wm.bounds.support_vector_count(wm.SVC(kernel="linear", C=10).fit(X, y))
    2
    """
    check_svc(machine, ("hinge", "squared_hinge"))
    return int(machine.support_.size)


def fewest_support_vectors(machine: Any, X: Any, y: ArrayLike) -> float:
    """At least so many points are support vectors: #SV >= |w|^2 / C + sum_i xi_i.

    On noisy data the slacks xi_i = max(0, 1 - y_i f(x_i)) grow with n, and so does the number of support
    vectors. It holds for machines with and without bias.

    Parameters
    ----------
    machine : SVC
        Fitted to two classes with the hinge loss and one finite C for all points.
    X, y : array-like
        What it was fitted to.

    Returns
    -------
    bound : float

    References
    ----------
    Steinwart, Sparseness of support vector machines, Journal of Machine Learning Research 4, 2003.

    Examples
    --------
    >>> import widemargin as wm
    >>> X, y = [[-3], [-1], [1], [3]], [0, 0, 1, 1]
    >>> machine = wm.SVC(kernel="linear", C=0.1).fit(X, y)
    >>> round(wm.bounds.fewest_support_vectors(machine, X, y), 2), machine.support_.size
    (2.44, 4)
    """
    fitted = TwoClasses.of(machine, X, y, ("hinge",))
    if not np.isfinite(fitted.C).all() or np.ptp(fitted.C) > 0:
        raise ValueError("the bound needs one finite C for all points: no hard margin and no class weights.")
    slack = np.maximum(0.0, 1.0 - fitted.margins)
    return float(fitted.squared_norm / fitted.C[0] + slack.sum())
