"""LASVM on a kernel matrix, everything computed from nothing but S and a.

    process(k):   G_k = y_k - sum_{s in S} a_s K_ks; if k and some s in S violate the optimality conditions,
                  k joins S and both take the best step along the pair
    reprocess():  a step along the best pair in S; whoever has a_s = 0 and no partner leaves

Bordes, Ertekin, Weston and Bottou, JMLR 6, 2005; Glasmachers 2008, chapter 8. The first examples of each
class stay whatever they are, more of them as long as there is one class only.

After a free step two gradients are equal, so that rounding decides over the next pair. Hence a function
returns all states that a choice among equals may lead to.
"""

from dataclasses import dataclass, field, replace

import numpy as np

ALONE = 256
EQUAL = 1e-9


@dataclass(frozen=True)
class State:
    S: frozenset = frozenset()
    a: dict = field(default_factory=dict)
    begun: tuple = (0, 0)  # examples of the classes -1 and +1 that were kept whatever they are

    def of(self, s):
        return self.a.get(s, 0.0)


@dataclass(frozen=True)
class Lasvm:
    K: np.ndarray
    y: np.ndarray
    C: float
    selection: str = "second-order"
    tol: float = 1e-3
    most: int = 10000
    initial: int = 5

    def lower(self, s):
        return 0.0 if self.y[s] > 0 else -self.C

    def upper(self, s):
        return self.C if self.y[s] > 0 else 0.0

    def G(self, state, k):
        return self.y[k] - sum(a * self.K[k, s] for s, a in state.a.items())

    def up(self, state):
        return {s: self.G(state, s) for s in state.S if state.of(s) < self.upper(s)}

    def down(self, state):
        return {s: self.G(state, s) for s in state.S if state.of(s) > self.lower(s)}

    def high(self, state):
        return max(self.up(state).values(), default=-np.inf)

    def low(self, state):
        return min(self.down(state).values(), default=np.inf)

    def violation(self, state):
        return self.high(state) - self.low(state)

    def f(self, state):
        a = np.array([state.of(s) for s in range(len(self.y))])
        return self.y @ a - 0.5 * a @ self.K @ a

    def curvature(self, i, j):
        return self.K[i, i] + self.K[j, j] - 2 * self.K[i, j]

    def score(self, state, pair):
        slope = self.G(state, pair[0]) - self.G(state, pair[1])
        if slope <= EQUAL:
            return 0.0
        return slope if self.selection == "most-violating-pair" else slope**2 / self.curvature(*pair)

    def best(self, state, pairs):
        """All violating pairs (i rises, j falls) that are as good as the best."""
        scores = [(self.score(state, pair), pair) for pair in pairs if pair[0] != pair[1]]
        highest = max((score for score, _ in scores), default=0.0)
        return [pair for score, pair in scores if score > 0 and score >= highest * (1 - EQUAL)]

    def room(self, state, i, j):
        return min(self.upper(i) - state.of(i), state.of(j) - self.lower(j))

    def moved(self, state, i, j, step):
        a = dict(state.a)
        for s, change in ((i, step), (j, -step)):
            value = state.of(s) + change
            for bound in (self.lower(s), self.upper(s)):
                value = bound if abs(value - bound) <= 1e-13 * self.C else value
            a[s] = value
        return replace(state, a={s: value for s, value in a.items() if value != 0})

    def improved(self, state, pair):
        newton = (self.G(state, pair[0]) - self.G(state, pair[1])) / self.curvature(*pair)
        return self.moved(state, *pair, min(newton, self.room(state, *pair)))

    def process(self, state, k):
        if k in state.S:
            return self.stepped(state, k)
        if len(state.S) >= self.most:
            return [state]
        rises = self.y[k] > 0 and self.G(state, k) > self.low(state) + self.tol
        falls = self.y[k] < 0 and self.G(state, k) < self.high(state) - self.tol
        side = int(self.y[k] > 0)
        enough = self.initial if state.begun[1 - side] else ALONE
        early = state.begun[side] < min(enough, self.most // 2)
        if not (rises or falls or early):
            return [state]
        begun = tuple(n + (early and side == c) for c, n in enumerate(state.begun))
        return self.stepped(replace(state, S=state.S | {k}, begun=begun), k)

    def stepped(self, state, k):
        """After the best step of k with a partner."""
        rising = [(k, s) for s in self.down(state)] if k in self.up(state) else []
        falling = [(s, k) for s in self.up(state)] if k in self.down(state) else []
        ends = [self.improved(state, pair) for pair in self.best(state, rising + falling)] or [state]
        drop = not self.beginning(state)
        return [replace(end, S=end.S - {k}) if drop and end.of(k) == 0 else end for end in ends]

    def beginning(self, state):
        return min(state.begun) < self.initial

    def reprocess(self, state):
        if not self.violation(state) > self.tol:
            return [state]
        highest = self.high(state)
        risers = [i for i, G in self.up(state).items() if highest - EQUAL <= G]
        pairs = [pair for i in risers for pair in self.best(state, [(i, j) for j in self.down(state)])]
        return [self.without_idle(self.improved(state, pair)) for pair in pairs]

    def without_idle(self, state):
        if self.beginning(state):
            return state
        high, low, up, down = self.high(state), self.low(state), self.up(state), self.down(state)
        idle = {
            s
            for s in state.S
            if state.of(s) == 0 and up.get(s, -np.inf) <= low and down.get(s, np.inf) >= high
        }
        return replace(state, S=state.S - idle)

    def learn(self, state, k):
        """All states that process(k) and reprocess() may lead to."""
        return [end for middle in self.process(state, k) for end in self.reprocess(middle)]
