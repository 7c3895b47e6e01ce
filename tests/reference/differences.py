"""Derivatives by differences."""

import numpy as np

STEP = 1e-5


def central_differences(function, x, step=STEP):
    """The derivative of a function (of any shape) in each entry of x, and whether it is smooth there.

    A solution has kinks where a point becomes free or held. If one lies within the step, the differences to
    both sides are not those of one line.
    """
    x = np.asarray(x, dtype=float)
    here = np.asarray(function(x))
    slopes, smooth = [], []
    for move in step * np.eye(x.size):
        above, below = np.asarray(function(x + move)), np.asarray(function(x - move))
        slope = (above - below) / (2 * step)
        bend = np.abs(above + below - 2 * here).max() / step
        slopes.append(slope)
        smooth.append(bend <= 1e-3 * max(np.abs(slope).max(), 1e-2))
    return np.stack(slopes, axis=-1), np.array(smooth)


def sided_differences(function, x, step=STEP):
    """The slopes of a number below and above x, in each entry; their mean is the central difference."""
    x, here = np.asarray(x, dtype=float), function(x)
    moves = step * np.eye(x.size)
    below = [(here - function(x - move)) / step for move in moves]
    above = [(function(x + move) - here) / step for move in moves]
    return np.array(below), np.array(above)
