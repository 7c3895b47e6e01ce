"""Ratings of companies: seven ordered classes."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from .sample import Sample

RATINGS = ("AAA", "AA", "A", "BBB", "BB", "B", "CCC")
"""The classes 0 to 6, from the best."""

COUNTS = (580, 385, 575, 1015, 927, 320, 130)
"""Companies with each rating."""

FEATURES = ("WC_TA", "RE_TA", "EBIT_TA", "MVE_BVTD", "S_TA", "Industry")
"""Working capital, retained earnings, earnings before interest and taxes and sales, all over total assets;
the market value of equity over the book value of debt; a code of the industry, 1 to 12."""

FILE = "CreditRating_Historical.dat"
"""The data that the generator stands in for come with MATLAB under this name."""

LOADINGS = np.array([0.45, 0.8, 0.55, 0.95, 0.25])
"""How much each ratio says about the health of a company."""

UNSEEN = 0.15
"""Standard deviation of what a rating knows and no ratio shows, in units of the health."""


def credit_ratings(*, seed: int) -> Sample:
    """3932 companies with the shape of a well-known set that may not be passed on: five financial ratios, a
    code of the industry, and a rating from 0 (AAA) to 6 (CCC) with the published numbers of companies each.

    A company has a health z ~ N(0, 1). Four ratios are 0.3 + 0.2 (l z + sqrt(1 - l^2) e), e ~ N(0, 1), with
    the loadings l of `LOADINGS`, and so correlated through z; the market value over debt is the exponential
    of such a variable, and skewed. The industry is uniform and says nothing. Companies sorted by
    z + 0.15 N(0, 1) are given the best rating first, so that neighbouring ratings mix and distant ones
    hardly do.

    Examples
    --------
    >>> sample = credit_ratings(seed=0)
    >>> sample.X.shape, np.bincount(sample.y).tolist()
    ((3932, 6), [580, 385, 575, 1015, 927, 320, 130])
    """
    random = np.random.default_rng(seed)
    n = sum(COUNTS)
    health = random.standard_normal(n)
    own = random.standard_normal((n, LOADINGS.size))
    ratios = 0.3 + 0.2 * (LOADINGS * health[:, None] + np.sqrt(1 - LOADINGS**2) * own)
    market = FEATURES.index("MVE_BVTD")
    ratios[:, market] = np.exp(4 * ratios[:, market] - 0.5)
    industry = random.integers(1, 13, n)
    order = np.argsort(-(health + UNSEEN * random.standard_normal(n)))
    y = np.empty(n, dtype=int)
    y[order] = np.repeat(np.arange(len(COUNTS)), COUNTS)
    return Sample(np.column_stack([ratios, industry]), y)


def read_credit_ratings(data_dir: str | Path) -> Sample:
    """The real companies, from the file `CreditRating_Historical.dat` in a folder: comma-separated, a header,
    an identifier, the six features and the rating."""
    path = Path(data_dir) / FILE
    table = np.loadtxt(path, dtype=str, delimiter=",", ndmin=2)
    header = [name.strip().strip('"') for name in table[0]]
    missing = {*FEATURES, "Rating"} - set(header)
    if missing:
        raise ValueError(f"{path} has no columns {', '.join(sorted(missing))}.")
    column = {name: table[1:, header.index(name)] for name in (*FEATURES, "Rating")}
    ratings = [name.strip().strip("\"'") for name in column["Rating"]]
    unknown = set(ratings) - set(RATINGS)
    if unknown:
        raise ValueError(f"{path} has ratings that are none of {', '.join(RATINGS)}: {sorted(unknown)[0]!r}.")
    X = np.column_stack([column[name].astype(float) for name in FEATURES])
    return Sample(X, np.array([RATINGS.index(name) for name in ratings]))
