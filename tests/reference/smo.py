"""Sequential minimal optimisation with every published selection and step, one pair at a time.

    a pair B = (i, j): a_i rises by mu, a_j falls by mu
    slope p = G_i - G_j,   curvature q = Q_ii - 2Q_ij + Q_jj,   Newton step p/q, clipped to [lo, hi]
    gain of a step mu:  mu (p - q mu / 2)

Glasmachers and Igel, Maximum-gain working set selection for SVMs, JMLR 7, 2006; Glasmachers, Gradient based
optimization of support vector machines, 2008, chapters 4 to 7. Ties go to the lowest index.
"""

from dataclasses import dataclass, field

import numpy as np

from . import certificate

INFINITE = np.inf


# --- one pair -------------------------------------------------------------------------------------


def direction(m, pair):
    v = np.zeros(m)
    v[pair[0]] += 1
    v[pair[1]] -= 1
    return v


def interval(program, alpha, pair):
    i, j = pair
    low = max(program.lower[i] - alpha[i], alpha[j] - program.upper[j])
    high = min(program.upper[i] - alpha[i], alpha[j] - program.lower[j])
    return low, high


def slope(G, pair):
    return G[pair[0]] - G[pair[1]]


def curvature(Q, pair):
    """Q_ii - 2 Q_ij + Q_jj, zero when it is lost in rounding."""
    i, j = pair
    q = Q[i, i] - 2 * Q[i, j] + Q[j, j]
    return q if q > 1e-12 * max(1.0, Q[i, i] + Q[j, j]) else 0.0


def newton_step(p, q):
    if q > 0:
        return p / q
    return np.sign(p) * INFINITE if p != 0 else 0.0


def clip(mu, low, high):
    return max(min(mu, high), low)


def gain_of(mu, p, q):
    return mu * (p - q * mu / 2) if mu != 0 else 0.0


def smo_step(program, alpha, G, pair):
    p, q = slope(G, pair), curvature(program.Q, pair)
    return clip(newton_step(p, q), *interval(program, alpha, pair))


def gain(program, alpha, G, pair):
    """The exact progress g of the clipped step."""
    p, q = slope(G, pair), curvature(program.Q, pair)
    return gain_of(smo_step(program, alpha, G, pair), p, q)


def newton_gain(program, alpha, G, pair):
    """The progress p^2/2q the Newton step would make without a box."""
    p, q = slope(G, pair), curvature(program.Q, pair)
    if p == 0:
        return 0.0
    return p * p / (2 * q) if q > 0 else INFINITE


def violates(program, alpha, G, pair):
    """Whether the pair may move in its direction, within one group, and would ascend."""
    i, j = pair
    return (
        i != j
        and program.group[i] == program.group[j]
        and alpha[i] < program.upper[i]
        and alpha[j] > program.lower[j]
        and G[i] > G[j]
    )


def oriented(G, i, j):
    return (i, j) if G[i] >= G[j] else (j, i)


# --- planning -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Plan:
    """Two steps: the first on the current pair, the second on an assumed next one."""

    pair: tuple
    first: float
    second: float
    gain: float


def plan(program, alpha, G, pair, assumed):
    """Formulas (7.2)-(7.4); None if the two directions depend on each other or a step is not free."""
    Q, m = program.Q, len(alpha)
    v1, v2 = direction(m, pair), direction(m, assumed)
    w1, w2 = v1 @ G, v2 @ G
    q11, q22, q12 = curvature(Q, pair), curvature(Q, assumed), v1 @ Q @ v2
    determinant = q11 * q22 - q12 * q12
    if q11 == 0 or q22 == 0 or determinant <= 1e-12 * q11 * q22:
        return None
    first = (q22 * w1 - q12 * w2) / determinant
    second = (w2 - q12 * first) / q22
    low, high = interval(program, alpha, pair)
    low2, high2 = interval(program, alpha + first * v1, assumed)
    if not (low < first < high and low2 < second < high2):
        return None
    return Plan(assumed, first, second, two_step_gain(first, w1, w2, q11, q22, q12))


def two_step_gain(first, w1, w2, q11, q22, q12):
    """(7.3): the gain of `first` followed by the best step on the assumed pair, boxes ignored."""
    determinant = q11 * q22 - q12 * q12
    return -determinant / q22 * first**2 / 2 + (q22 * w1 - q12 * w2) / q22 * first + w2 * w2 / (2 * q22)


# --- selections: each returns the pair, or None ---------------------------------------------------


def group_violation(program, alpha, G, members):
    rise = members[alpha[members] < program.upper[members]]
    fall = members[alpha[members] > program.lower[members]]
    return max(G[rise], default=-INFINITE) - min(G[fall], default=INFINITE)


def worst_group(program, alpha, G):
    """Members of the group with the largest violation."""
    return max(program.groups(), key=lambda members: group_violation(program, alpha, G, members))


def first_index(program, alpha, G):
    members = worst_group(program, alpha, G)
    candidates = members[alpha[members] < program.upper[members]]
    return candidates[np.argmax(G[candidates])]


def most_violating_pair(program, alpha, G, memory):
    i = first_index(program, alpha, G)
    members = np.flatnonzero(program.group == program.group[i])
    candidates = members[alpha[members] > program.lower[members]]
    return i, candidates[np.argmin(G[candidates])]


def second_order(program, alpha, G, memory, score=newton_gain):
    i = first_index(program, alpha, G)
    candidates = [(i, j) for j in range(len(alpha)) if violates(program, alpha, G, (i, j))]
    return best(candidates, lambda pair: score(program, alpha, G, pair))


def best(candidates, score):
    return max(candidates, key=score) if candidates else None


def greedy(program, alpha, G, memory):
    m = len(alpha)
    candidates = [(i, j) for i in range(m) for j in range(m) if violates(program, alpha, G, (i, j))]
    return best(candidates, lambda pair: gain(program, alpha, G, pair))


def related(program, alpha, G, kept):
    """All violating pairs that contain one of the kept indices."""
    pairs = [oriented(G, s, k) for s in kept for k in range(len(alpha))]
    return [pair for pair in pairs if violates(program, alpha, G, pair)]


def kept_indices(memory, variant, recent):
    """The rows that selection may look at: of the last pair, its newer half, several pairs, or all so far."""
    if variant == "one-row":
        last, before = memory.pairs[-1], memory.pairs[-2] if len(memory.pairs) > 1 else ()
        new = [index for index in last if index not in before]
        return new[-1:] or list(last[-1:])
    count = {"two-rows": 1, "recent": recent, "whole-cache": len(memory.pairs)}[variant]
    return list(dict.fromkeys(index for pair in memory.pairs[-count:] for index in pair))


def maximum_gain(program, alpha, G, memory, variant="two-rows", recent=10, first=second_order):
    if not memory.pairs:
        return first(program, alpha, G, memory)
    candidates = related(program, alpha, G, kept_indices(memory, variant, recent))
    return best(candidates, lambda pair: gain(program, alpha, G, pair))


def cornered(program, alpha, pair, eta=1e-8):
    """Whether both variables lie within eta times the box width of a bound."""
    scale = eta * max(1.0, max(abs(alpha)))

    def at_bound(n):
        low, high = program.lower[n], program.upper[n]
        margin = eta * (high - low) if np.isfinite(high - low) else scale
        return alpha[n] < low + margin or alpha[n] > high - margin or low == high

    return all(at_bound(n) for n in pair)


def in_bad_group(program, alpha, G, pair):
    """Whether the pair's group violates KKT at least half as much as the worst one.

    Related pairs stay within a group: without this test selection would polish one group for ever.
    """
    members = np.flatnonzero(program.group == program.group[pair[0]])
    return 2 * group_violation(program, alpha, G, members) >= certificate.violation(program, alpha, G)


def hybrid_maximum_gain(
    program, alpha, G, memory, eta=1e-8, fallback=most_violating_pair, variant="two-rows", recent=10
):
    if (
        memory.pairs
        and not cornered(program, alpha, memory.pairs[-1], eta)
        and in_bad_group(program, alpha, G, memory.pairs[-1])
    ):
        pair = maximum_gain(program, alpha, G, memory, variant, recent)
        if pair is not None:
            return pair
    memory.fallbacks += 1
    return fallback(program, alpha, G, memory)


def planning_selection(program, alpha, G, memory, recent=1, eta=0.9):
    """Algorithm 7.2: second order after a standard step; after a plan its assumed pair competes."""
    if memory.was_standard:
        return second_order(program, alpha, G, memory)
    ratio = memory.steps[-1] / memory.newton_steps[-1]
    score = newton_gain if 1 - eta <= ratio <= 1 + eta else gain
    planned = [oriented(G, *pair) for pair in memory.pairs[-1 - recent : -1]]
    candidates = [second_order(program, alpha, G, memory, score)]
    candidates += [pair for pair in planned if violates(program, alpha, G, pair)]
    return best(candidates, lambda pair: score(program, alpha, G, pair))


SELECTIONS = {
    "most-violating-pair": most_violating_pair,
    "second-order": second_order,
    "greedy": greedy,
    "maximum-gain": maximum_gain,
    "hybrid-maximum-gain": hybrid_maximum_gain,
    "planning": planning_selection,
}


# --- the loop -------------------------------------------------------------------------------------


@dataclass
class Memory:
    """What selections and steps may remember; also the record of the run."""

    pairs: list = field(default_factory=list)
    steps: list = field(default_factory=list)
    newton_steps: list = field(default_factory=list)
    gains: list = field(default_factory=list)
    newton_gains: list = field(default_factory=list)
    kinds: list = field(default_factory=list)  # free, clipped or planning
    alphas: list = field(default_factory=list)  # before each step
    fallbacks: int = 0

    @property
    def was_standard(self):
        return not self.kinds or self.kinds[-1] != "planning"

    @property
    def was_free(self):
        return bool(self.kinds) and self.kinds[-1] == "free"


@dataclass(frozen=True)
class Run:
    alpha: np.ndarray
    gradient: np.ndarray
    violation: float
    iterations: int
    converged: bool
    memory: Memory


def choose_step(program, alpha, G, pair, memory, step, recent, factor, only_after_free):
    """The step length and its kind."""
    low, high = interval(program, alpha, pair)
    newton = newton_step(slope(G, pair), curvature(program.Q, pair))
    if (
        step == "planning-ahead"
        and memory.pairs
        and memory.was_standard
        and (memory.was_free or not only_after_free)
    ):
        plans = [plan(program, alpha, G, pair, assumed) for assumed in memory.pairs[-recent:]]
        plans = [found for found in plans if found is not None]
        if plans:
            return max(plans, key=lambda found: found.gain).first, "planning"
    wanted = factor * newton if step == "over-relaxed" else newton
    return clip(wanted, low, high), "free" if low < wanted < high else "clipped"


def move(program, alpha, pair, mu):
    """The new alpha; a variable that arrives at a bound is set to it."""
    alpha = alpha.copy()
    for n, change in zip(pair, (mu, -mu), strict=True):
        value = alpha[n] + change
        for bound in (program.lower[n], program.upper[n]):
            if np.isfinite(bound) and abs(value - bound) <= 1e-12 * max(1.0, abs(bound), abs(mu)):
                value = bound
        alpha[n] = value
    return alpha


def solve(
    program,
    selection="second-order",
    step="newton",
    *,
    start=None,
    tol=1e-3,
    max_iter=10_000,
    first_pair=None,
    recent=1,
    factor=1.1,
    only_after_free=True,
    **options,
):
    """Run SMO; `options` go to the selection."""
    select = SELECTIONS[selection] if isinstance(selection, str) else selection
    if select is planning_selection:
        options.setdefault("recent", recent)
    alpha = np.array(program.start if start is None else start, float)
    G = program.gradient(alpha)
    memory = Memory()
    while (psi := certificate.violation(program, alpha, G)) > tol and len(memory.pairs) < max_iter:
        pair = first_pair if first_pair and not memory.pairs else select(program, alpha, G, memory, **options)
        if pair is None:
            break
        mu, kind = choose_step(program, alpha, G, pair, memory, step, recent, factor, only_after_free)
        if not np.isfinite(mu):
            raise ArithmeticError("the problem is unbounded")
        memory.gains.append(gain_of(mu, slope(G, pair), curvature(program.Q, pair)))
        memory.newton_gains.append(newton_gain(program, alpha, G, pair))
        memory.newton_steps.append(newton_step(slope(G, pair), curvature(program.Q, pair)))
        memory.alphas.append(alpha)
        memory.pairs.append(tuple(map(int, pair)))
        memory.steps.append(mu)
        memory.kinds.append(kind)
        alpha = move(program, alpha, pair, mu)
        G = G - mu * (program.Q[:, pair[0]] - program.Q[:, pair[1]])
    return Run(alpha, G, psi, len(memory.pairs), psi <= tol, memory)
