"""Samples with known truth, small quadratic programs with a story, and published data sets by name."""

from . import archive, published
from .chess_board import chess_board, noisy_chess_board
from .credit_ratings import credit_ratings, read_credit_ratings
from .friedman import friedman1
from .keel_files import keel, satimage, yeast
from .normals import ringnorm, twonorm
from .quadratic_programs import QuadraticProgram, mg_counter_example, three_variable_problem
from .sample import Sample
from .sparse_coordinates import sparse_coordinates
from .tic_tac_toe import tic_tac_toe
from .titanic import titanic
from .two_moons import two_moons
from .waveforms import waveform, waveform_binary

__all__ = [
    "QuadraticProgram",
    "Sample",
    "archive",
    "chess_board",
    "credit_ratings",
    "friedman1",
    "keel",
    "mg_counter_example",
    "noisy_chess_board",
    "published",
    "read_credit_ratings",
    "ringnorm",
    "satimage",
    "sparse_coordinates",
    "three_variable_problem",
    "tic_tac_toe",
    "titanic",
    "two_moons",
    "twonorm",
    "waveform",
    "waveform_binary",
    "yeast",
]
