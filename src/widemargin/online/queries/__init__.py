"""Which points to ask for next."""

from .active import Active
from .diverse import Diverse
from .gradient import Gradient
from .query import Query
from .random import Random

QUERIES: dict[str, type[Query]] = {
    "active": Active,
    "diverse": Diverse,
    "gradient": Gradient,
    "random": Random,
}


def choose_query(strategy: str | Query) -> Query:
    """A strategy by name, or the strategy itself."""
    if isinstance(strategy, Query):
        return strategy
    if not isinstance(strategy, str) or strategy not in QUERIES:
        raise ValueError(f"strategy must be a Query or one of {sorted(QUERIES)}, not {strategy!r}.")
    return QUERIES[strategy]()


__all__ = ["QUERIES", "Active", "Diverse", "Gradient", "Query", "Random", "choose_query"]
