"""How the values of the two-class machines of a code name a class."""

from .argmax import Argmax
from .bradley_terry import BradleyTerry, HastieTibshirani
from .coupling import Coupling, Normalised, Price, WuLinWeng1, WuLinWeng2
from .dag import Dag
from .decoding import Decoding
from .hamming import Hamming
from .loss_based import LossBased
from .sign import Sign
from .votes import Votes

__all__ = [
    "Argmax",
    "BradleyTerry",
    "Coupling",
    "Dag",
    "Decoding",
    "Hamming",
    "HastieTibshirani",
    "LossBased",
    "Normalised",
    "Price",
    "Sign",
    "Votes",
    "WuLinWeng1",
    "WuLinWeng2",
]
