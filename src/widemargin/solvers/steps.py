"""Step rules: how far to go along the working pair."""

from __future__ import annotations

from sklearn.base import BaseEstimator

from widemargin import _core


class StepRule(BaseEstimator):
    """A rule for the length of a step."""

    def configure(self, policies: _core.Policies) -> None:
        """Write this rule into the record the core reads."""
        raise TypeError(f"{type(self).__name__} is not a complete step rule.")


class Newton(StepRule):
    """The optimum along the pair, clipped to the box: the step of SMO."""

    def configure(self, policies: _core.Policies) -> None:
        policies.step = _core.StepName.newton


class OverRelaxed(StepRule):
    """``factor`` times the Newton step, clipped to the box.

    Parameters
    ----------
    factor : float in (0, 2), default=1.1
        1.1 keeps 99 % of the gain of a free step.
    """

    def __init__(self, factor: float = 1.1):
        self.factor = factor

    def configure(self, policies: _core.Policies) -> None:
        if not 0 < self.factor < 2:
            raise ValueError(f"factor must lie strictly between 0 and 2; got {self.factor!r}.")
        policies.step = _core.StepName.over_relaxed
        policies.factor = self.factor


class PlanningAhead(StepRule):
    """The step that is best if the next goes along an earlier pair again (PA-SMO, Glasmachers 2008).

    Parameters
    ----------
    recent : int, default=1
        Number of earlier pairs to plan with; the most gainful plan is taken.
    only_after_free : bool, default=True
        Plan only after a free step (algorithm 7.3); False plans after any ordinary step (algorithm 7.1).
    recall : bool, default=True
        Let the pairs of a plan compete in the next selection (algorithm 7.2): then the method converges.
    eta : float, default=0.9
        See :class:`~widemargin.solvers.PlanningSelection`.
    """

    def __init__(self, recent: int = 1, only_after_free: bool = True, recall: bool = True, eta: float = 0.9):
        self.recent = recent
        self.only_after_free = only_after_free
        self.recall = recall
        self.eta = eta

    def configure(self, policies: _core.Policies) -> None:
        if not 1 <= self.recent <= 31:
            raise ValueError(f"recent must be between 1 and 31; got {self.recent!r}.")
        if not 0 < self.eta < 1:
            raise ValueError(f"eta must lie in (0, 1); got {self.eta!r}.")
        policies.step = _core.StepName.planning_ahead
        policies.recent = self.recent
        policies.only_after_free = self.only_after_free
        if self.recall and not policies.recall:  # a PlanningSelection of the user's own keeps its settings
            policies.recall = True
            policies.recall_recent = self.recent
            policies.progress = self.eta


NAMES: dict[str, type[StepRule]] = {
    "newton": Newton,
    "over-relaxed": OverRelaxed,
    "planning-ahead": PlanningAhead,
}


def step_rule(rule: str | StepRule) -> StepRule:
    """A rule by name, or the rule itself."""
    if isinstance(rule, StepRule):
        return rule
    if rule not in NAMES:
        raise ValueError(f"step must be a rule or one of {sorted(NAMES)}; got {rule!r}.")
    return NAMES[rule]()
