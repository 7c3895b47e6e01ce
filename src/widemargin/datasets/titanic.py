"""The passengers and crew of the Titanic, from the published contingency table."""

from __future__ import annotations

import numpy as np

from .sample import Array, Sample

# (class: 0 crew, 1-3 passengers; adult; male): (died, survived), British Board of Trade, 1912.
COUNTS = {
    (0, 1, 0): (3, 20),
    (0, 1, 1): (670, 192),
    (1, 0, 0): (0, 1),
    (1, 0, 1): (0, 5),
    (1, 1, 0): (4, 140),
    (1, 1, 1): (118, 57),
    (2, 0, 0): (0, 13),
    (2, 0, 1): (0, 11),
    (2, 1, 0): (13, 80),
    (2, 1, 1): (154, 14),
    (3, 0, 0): (17, 14),
    (3, 0, 1): (35, 13),
    (3, 1, 0): (89, 76),
    (3, 1, 1): (387, 75),
}


def titanic() -> Sample:
    """2201 people: class (0 is the crew), adult, male; +1 survived (711), -1 died.

    There are only fourteen different inputs, so the posterior is a table and the Bayes error (on people drawn
    from the table) the share of the minorities.

    Examples
    --------
    >>> sample = titanic()
    >>> sample.X.shape, int((sample.y > 0).sum())
    ((2201, 3), 711)
    """
    cells = np.array(list(COUNTS), dtype=float)
    died, survived = np.array(list(COUNTS.values())).T
    X = np.concatenate([np.repeat(cells, died, axis=0), np.repeat(cells, survived, axis=0)])
    y = np.repeat([-1.0, 1.0], [died.sum(), survived.sum()])
    return Sample(X, y, np.minimum(died, survived).sum() / len(y), _posterior)


def _posterior(points: Array) -> Array:
    rows = np.asarray(points).astype(int).tolist()
    counts = np.array([COUNTS[cabin, adult, male] for cabin, adult, male in rows])
    return counts[:, 1] / counts.sum(axis=1)
