"""Several classes by two-class machines: codes say which, decodings what they say together.

A code is a matrix over {-1, 0, +1} with a row per class and a column per two-class problem. `SVC`, `NuSVC`
and `RLSClassifier` take one as `multiclass`, any other classifier inside an `OutputCode`. Their values name a
class by a decoding: votes, the largest value, the nearest row by signs or by losses, a decision graph, or
probabilities of the columns coupled to those of the classes.
"""

from .bch import bch
from .code import Code
from .column_sigmoids import ColumnSigmoids
from .dag_order import dag_order
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
from .random_codes import dense_random, sparse_random
from .report import CodeReport
from .scheme import CODES, DECODINGS, Scheme, choose_code, choose_scheme, drawn
from .small_codes import all_pairs, complete, one_vs_all, two_classes

__all__ = [
    "CODES",
    "DECODINGS",
    "Argmax",
    "BradleyTerry",
    "Code",
    "CodeReport",
    "ColumnSigmoids",
    "Coupling",
    "Dag",
    "Decoding",
    "Hamming",
    "HastieTibshirani",
    "LossBased",
    "Normalised",
    "Price",
    "Scheme",
    "Sign",
    "Votes",
    "WuLinWeng1",
    "WuLinWeng2",
    "all_pairs",
    "bch",
    "choose_code",
    "choose_scheme",
    "complete",
    "dag_order",
    "dense_random",
    "drawn",
    "hill_climbing",
    "one_vs_all",
    "sparse_random",
    "two_classes",
]
