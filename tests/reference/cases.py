"""Random programs and feasible points on them, for property tests."""

import numpy as np

from .program import program

KINDS = ("full rank", "rank deficient", "duplicates")


def random_matrix(random, m, kind):
    """A positive semi-definite matrix; with duplicates every point occurs twice or more."""
    if kind == "duplicates":
        root = random.standard_normal(((m + 1) // 2, m))[np.arange(m) // 2]
    else:
        root = random.standard_normal((m, m + 2 if kind == "full rank" else max(1, m // 3)))
    return root @ root.T


def random_program(seed, m=8, kind="full rank", frozen=True):
    """Random K, linear term and finite boxes that contain 0; a few variables sit in a box of width 0."""
    random = np.random.default_rng(seed)
    K = random_matrix(random, m, kind)
    lower, upper = -random.uniform(0.1, 1, m), random.uniform(0.1, 1, m)
    one_sided = random.integers(4, size=m)
    lower[one_sided == 0] = 0
    upper[one_sided == 1] = 0
    if frozen:
        still = random.uniform(size=m) < 0.1
        lower[still] = upper[still] = 0
    return program(K, random.standard_normal(m), lower, upper)


def classification(seed, n=20, C=1.0, gamma=1.0):
    """Labels and a Gaussian Gram of noisy points in the plane: X, y, K."""
    random = np.random.default_rng(seed)
    X = random.standard_normal((n, 2))
    y = np.where(X[:, 0] + 0.7 * random.standard_normal(n) > 0, 1.0, -1.0)
    y[:2] = [1, -1]
    distance2 = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    return X, y, np.exp(-gamma * distance2)


def random_feasible(random, posed):
    """A feasible point on a vertex, an edge or inside: some variables at bounds, others restore the sum."""
    m = len(posed.linear)
    choice = random.integers(3, size=m)
    inside = random.uniform(posed.lower, posed.upper)
    alpha = np.choose(choice, [posed.lower, posed.upper, inside])
    for members in posed.groups():
        excess = alpha[members].sum() - posed.start[members].sum()
        for n in random.permutation(members):
            moved = np.clip(alpha[n] - excess, posed.lower[n], posed.upper[n])
            for bound in (posed.lower[n], posed.upper[n]):
                moved = bound if abs(moved - bound) < 1e-13 else moved  # inside means visibly inside
            excess += moved - alpha[n]
            alpha[n] = moved
    return alpha
