"""Working-set selection: which pair of variables to improve next.

Each rule is a record; :class:`~widemargin.solvers.SMO` hands it to the core.
"""

from __future__ import annotations

from sklearn.base import BaseEstimator

from widemargin import _core

_GAIN_ROWS = {
    "two-rows": _core.GainRows.two_rows,
    "one-row": _core.GainRows.one_row,
    "recent": _core.GainRows.recent,
    "whole-cache": _core.GainRows.whole_cache,
}


class WorkingSet(BaseEstimator):
    """A rule that names the next working pair."""

    def configure(self, policies: _core.Policies) -> None:
        """Write this rule into the record the core reads."""
        raise TypeError(f"{type(self).__name__} is not a complete working-set rule.")


class MostViolatingPair(WorkingSet):
    """The pair with the largest difference of gradients (LIBSVM 2.71).

    ``i = argmax {G_n : a_n < U_n}``, ``j = argmin {G_n : a_n > L_n}``. Needs no kernel value to choose.
    """

    def configure(self, policies: _core.Policies) -> None:
        policies.selection = _core.Selection.most_violating_pair


class SecondOrder(WorkingSet):
    """The most violating riser with the partner of largest Newton gain (LIBSVM 2.8).

    ``j = argmax {(G_i - G_n)^2 / Q_in : a_n > L_n, G_n < G_i}``: few iterations, one kernel row to choose.
    """

    def configure(self, policies: _core.Policies) -> None:
        policies.selection = _core.Selection.second_order


class Greedy(WorkingSet):
    """The pair with the largest exact gain of all: an oracle for studies, quadratic time an iteration."""

    def configure(self, policies: _core.Policies) -> None:
        policies.selection = _core.Selection.greedy


class MaximumGain(WorkingSet):
    """The largest exact gain among pairs that meet the previous pair, whose rows are cached.

    Glasmachers and Igel (2006). At most one new kernel row an iteration. On its own the rule may stop at a
    point that is not optimal (status ``STALLED``); :class:`HybridMaximumGain` mends that.

    Parameters
    ----------
    rows : {"two-rows", "one-row", "recent", "whole-cache"}, default="two-rows"
        Which rows to look through: both of the previous pair, its newcomer only, those of the ``recent`` last
        pairs, or every cached row.
    recent : int, default=10
        Number of pairs for ``rows="recent"`` (at most 32).
    """

    def __init__(self, rows: str = "two-rows", recent: int = 10):
        self.rows = rows
        self.recent = recent

    def configure(self, policies: _core.Policies) -> None:
        if self.rows not in _GAIN_ROWS:
            raise ValueError(f"rows must be one of {sorted(_GAIN_ROWS)}; got {self.rows!r}.")
        if not 1 <= self.recent <= 32:
            raise ValueError(f"recent must be between 1 and 32; got {self.recent!r}.")
        policies.selection = _core.Selection.maximum_gain
        policies.gain_rows = _GAIN_ROWS[self.rows]
        policies.gain_recent = self.recent


class HybridMaximumGain(MaximumGain):
    """Maximum gain, with a fall-back when both variables of the previous pair are cornered.

    Glasmachers and Igel (2006), algorithm HMG: converges, and saves kernel rows when the cache is small.

    Parameters
    ----------
    rows, recent
        As in :class:`MaximumGain`.
    fallback : {"most-violating-pair", "second-order"}, default="most-violating-pair"
        The rule used in corners and for the first pair.
    eta : float, default=1e-8
        A variable is cornered within ``eta`` times its box of a bound. Not a tuning parameter.
    """

    def __init__(
        self,
        rows: str = "two-rows",
        recent: int = 10,
        fallback: str = "most-violating-pair",
        eta: float = 1e-8,
    ):
        super().__init__(rows=rows, recent=recent)
        self.fallback = fallback
        self.eta = eta

    def configure(self, policies: _core.Policies) -> None:
        if self.fallback not in ("most-violating-pair", "second-order"):
            raise ValueError(
                f"fallback must be 'most-violating-pair' or 'second-order'; got {self.fallback!r}."
            )
        if not 0 <= self.eta < 0.5:
            raise ValueError(f"eta must lie in [0, 0.5); got {self.eta!r}.")
        working_set(self.fallback).configure(policies)
        policies.fallback = policies.selection
        super().configure(policies)
        policies.selection = _core.Selection.hybrid_maximum_gain
        policies.corner = self.eta


class PlanningSelection(WorkingSet):
    """Any rule, with the pairs of a plan competing after a planning step (algorithm 7.2, Glasmachers 2008).

    ``step="planning-ahead"`` adds this by itself; as a record of its own it serves ablations.

    Parameters
    ----------
    inner : str or WorkingSet, default="second-order"
    recent : int, default=1
        How many earlier pairs compete.
    always : bool, default=False
        Let them compete after ordinary steps too.
    eta : float, default=0.9
        A planning step within ``eta`` (relative) of the Newton step has made progress of its own; pairs are
        then compared by Newton gain, otherwise by exact gain.
    """

    def __init__(
        self,
        inner: str | WorkingSet = "second-order",
        recent: int = 1,
        always: bool = False,
        eta: float = 0.9,
    ):
        self.inner = inner
        self.recent = recent
        self.always = always
        self.eta = eta

    def configure(self, policies: _core.Policies) -> None:
        if not 1 <= self.recent <= 31:
            raise ValueError(f"recent must be between 1 and 31; got {self.recent!r}.")
        if not 0 < self.eta < 1:
            raise ValueError(f"eta must lie in (0, 1); got {self.eta!r}.")
        working_set(self.inner).configure(policies)
        policies.recall = True
        policies.recall_always = self.always
        policies.recall_recent = self.recent
        policies.progress = self.eta


NAMES: dict[str, type[WorkingSet]] = {
    "most-violating-pair": MostViolatingPair,
    "second-order": SecondOrder,
    "greedy": Greedy,
    "maximum-gain": MaximumGain,
    "hybrid-maximum-gain": HybridMaximumGain,
}


def working_set(rule: str | WorkingSet) -> WorkingSet:
    """A rule by name, or the rule itself."""
    if isinstance(rule, WorkingSet):
        return rule
    if rule not in NAMES:
        raise ValueError(f"working_set must be a rule or one of {sorted(NAMES)}; got {rule!r}.")
    return NAMES[rule]()
