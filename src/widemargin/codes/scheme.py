"""A code and a decoding that fit together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from widemargin.losses import Loss

from .bch import bch
from .code import Code
from .decodings import (
    Argmax,
    BradleyTerry,
    Coupling,
    Dag,
    Decoding,
    Hamming,
    HastieTibshirani,
    LossBased,
    Normalised,
    Price,
    Sign,
    Votes,
    WuLinWeng1,
    WuLinWeng2,
)
from .hill_climbing import hill_climbing
from .pairs import are_all_pairs
from .random_codes import dense_random, sparse_random
from .small_codes import all_pairs, complete, one_vs_all, two_classes

CODES: dict[str, Callable[[int, Any], Code]] = {
    "all-pairs": lambda k, random_state: all_pairs(k),
    "one-vs-all": lambda k, random_state: one_vs_all(k),
    "dag": lambda k, random_state: all_pairs(k),
    "complete": lambda k, random_state: complete(k),
    "exhaustive": lambda k, random_state: complete(k),
    "dense-random": lambda k, random_state: dense_random(k, random_state=random_state),
    "sparse-random": lambda k, random_state: sparse_random(k, random_state=random_state),
    "bch": lambda k, random_state: bch(k, random_state=random_state),
    "hill-climbing": lambda k, random_state: hill_climbing(k, random_state=random_state),
}
"""Codes by name, for so many classes and a random state."""

RANDOM = ("dense-random", "sparse-random", "bch", "hill-climbing")
"""Those that are drawn."""

COUPLINGS: dict[str, type[Coupling]] = {
    "normalised": Normalised,
    "wu-lin-weng-1": WuLinWeng1,
    "wu-lin-weng-2": WuLinWeng2,
    "hastie-tibshirani": HastieTibshirani,
    "price": Price,
    "bradley-terry": BradleyTerry,
}

DECODINGS: dict[str, type[Decoding]] = {
    "argmax": Argmax,
    "votes": Votes,
    "dag": Dag,
    "hamming": Hamming,
    "loss": LossBased,
    **COUPLINGS,
}
"""Decodings by name; "auto" is a choice by the code."""


@dataclass(frozen=True, eq=False)
class Scheme:
    """How several classes are made of two: a code and its decoding.

    Parameters
    ----------
    M : array of shape (n_classes, n_columns)
    decoding : Decoding

    Examples
    --------
    >>> import numpy as np
    >>> from widemargin.codes import choose_scheme
    >>> scheme = choose_scheme("complete", "hamming", np.array(["a", "b", "c"]))
    >>> scheme.M.shape, scheme.decide(np.array([[-1.0, 0.5, -2.0]]))
    ((3, 3), array([2]))
    """

    M: NDArray[np.int8]
    decoding: Decoding

    @property
    def has_pairs(self) -> bool:
        """Whether the code is that of all pairs of more than two classes."""
        return are_all_pairs(self.M)

    @property
    def is_one_vs_all(self) -> bool:
        """Whether the code has a column for each of more than two classes, against all others."""
        return len(self.M) > 2 and np.array_equal(self.M, one_vs_all(len(self.M)).matrix)

    def breaking_ties(self) -> Scheme:
        """The same scheme, in which the values decide between classes with equally many votes."""
        return Scheme(self.M, Votes(break_ties=True)) if isinstance(self.decoding, Votes) else self

    def decide(self, values: NDArray[np.float64]) -> NDArray[np.intp]:
        """Numbers of the predicted classes, from a column of values for each of the code."""
        return self.decoding.decide(values, self.M)

    def scores(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """A score per class; of two classes one value, positive for the second."""
        if len(self.M) == 2:
            return values[:, 0]
        return self.decoding.scores(values, self.M)

    @property
    def coupling(self) -> Coupling:
        """What makes probabilities of classes of those of columns."""
        if isinstance(self.decoding, Coupling):
            return self.decoding
        if self.has_pairs:
            return WuLinWeng2()
        return Normalised() if self.is_one_vs_all else BradleyTerry()


def choose_scheme(
    code: Any,
    decoding: Any,
    names: NDArray[Any],
    *,
    loss: Loss | None = None,
    random_state: Any = None,
    probabilities: bool = False,
) -> Scheme:
    """The scheme that parameters stand for, valid for these classes.

    Parameters
    ----------
    code : str, Code or matrix
        A name of `CODES`, or a code with a row for each class.
    decoding : str or Decoding
        "auto" is votes for all pairs, the largest value for one-vs-all, and the least loss for other codes.
    names : array of shape (n_classes,)
        The classes, at least two.
    loss : Loss, optional
        What "loss" stands for; the hinge if not given.
    random_state : int, RandomState instance or None, default=None
        Draws random codes.
    probabilities : bool, default=False
        Whether there will be probabilities to couple.
    """
    M = choose_code(code, names, random_state).matrix
    if len(names) == 2:
        _check_probabilities(_decoding_of(decoding, "all-pairs", M, loss), probabilities)
        return Scheme(M, Sign())
    chosen = _decoding_of(decoding, code, M, loss)
    chosen.check(M)
    _check_probabilities(chosen, probabilities)
    return Scheme(M, chosen)


def choose_code(code: Any, names: NDArray[Any], random_state: Any = None) -> Code:
    """The code of a name, or the one that is given, valid for these classes."""
    if isinstance(code, str):
        if code not in CODES:
            raise ValueError(f"code must be one of {list(CODES)}, a Code or a matrix, not {code!r}.")
        return CODES[code](len(names), random_state)
    code = code if isinstance(code, Code) else Code(code)
    code.check(names.tolist())
    return two_classes() if code.n_classes == 2 else code


def drawn(code: Any, names: NDArray[Any], random_state: Any = None) -> Any:
    """What stands for the same valid code wherever it is used: itself, or a random one that is drawn here.

    Examples
    --------
    >>> import numpy as np
    >>> from widemargin.codes import drawn
    >>> drawn("all-pairs", np.arange(4)), drawn("sparse-random", np.arange(4))
    ('all-pairs', Code('sparse-random', 4 classes, 25 columns))
    """
    chosen = choose_code(code, names, 0 if random_state is None else random_state)
    return chosen if isinstance(code, str) and code in RANDOM else code


def _decoding_of(decoding: Any, code: Any, M: NDArray[np.int8], loss: Loss | None) -> Decoding:
    if isinstance(decoding, str) and decoding == "auto":
        decoding = _usual(code, M)
    if isinstance(decoding, str) and decoding in DECODINGS:
        return LossBased(loss) if decoding == "loss" else DECODINGS[decoding]()
    if isinstance(decoding, Decoding):
        return decoding
    raise ValueError(f"decoding must be one of {['auto', *DECODINGS]} or a Decoding, not {decoding!r}.")


def _usual(code: Any, M: NDArray[np.int8]) -> str:
    """The decoding that a code has by itself."""
    if isinstance(code, str) and code == "dag":
        return "dag"
    if are_all_pairs(M):
        return "votes"
    return "argmax" if np.array_equal(M, one_vs_all(len(M)).matrix) else "loss"


def _check_probabilities(decoding: Decoding, probabilities: bool) -> None:
    if decoding.reads_probabilities and not probabilities:
        raise ValueError(
            f"{type(decoding).__name__} decodes probabilities, which this machine does not have: set "
            "probability=True if it has that parameter, or take the decoding 'loss'."
        )
