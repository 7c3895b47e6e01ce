"""Regularised least squares: linear systems with a kernel matrix, and leave-one-out in closed form.

A machine is a `LeastSquares` problem: a Gram, a `Frame` (weights and bias) and targets. In the frame it is
one system (M + ridge I) Z = T, which an `Inverse` solves for one ridge, a `Spectrum` for all ridges, and
`conjugate_gradient` by products alone. `leave_one_out` needs of the inverse nothing but its diagonal.

A low-rank machine has coefficients at a few `Centres` only. Its `Basis` turns kernels into features, on which
`fit_low_rank` works in memory, `fit_stream` and `fit_stream_by_products` over a `Stream` of blocks of rows.
"""

from .band_form import BandForm
from .basis import Basis
from .centres import (
    Centres,
    GivenCentres,
    GreedyCentres,
    LeverageCentres,
    PivotedCentres,
    RandomCentres,
    captured_trace,
)
from .columns_apart import fit_columns_apart, systems_of
from .conjugate_gradient import ConjugateGradient, conjugate_gradient
from .coordinates import Coordinates
from .curve import RidgeCurve
from .feature_fit import fit_features
from .features import Features
from .fit import LeastSquaresFit
from .frame import BIASES, Frame
from .gram_matrix import columns_of, lower_triangle
from .inverse import CholeskyInverse, FeatureInverse, Inverse
from .leave_one_out import LeaveOneOut, leave_one_out
from .low_rank import fit_low_rank
from .machine import SOLVERS, LeastSquares, choose_solver
from .path import Path, Ridge, descend, scan, search_grid
from .pivots import pivots_among
from .refinement import solve_refined
from .reflections import Reflections
from .singular_system import SingularSystem
from .spectral_fit import choose_ridge, solve_at
from .spectrum import FeatureSpectrum, MatrixSpectrum, Spectrum
from .stream import Rows, Stream
from .streamed_fit import fit_stream
from .streamed_krylov import fit_stream_by_products

__all__ = [
    "BIASES",
    "SOLVERS",
    "BandForm",
    "Basis",
    "Centres",
    "CholeskyInverse",
    "ConjugateGradient",
    "Coordinates",
    "FeatureInverse",
    "FeatureSpectrum",
    "Features",
    "Frame",
    "GivenCentres",
    "GreedyCentres",
    "Inverse",
    "LeastSquares",
    "LeastSquaresFit",
    "LeaveOneOut",
    "LeverageCentres",
    "MatrixSpectrum",
    "Path",
    "PivotedCentres",
    "RandomCentres",
    "Reflections",
    "Ridge",
    "RidgeCurve",
    "Rows",
    "SingularSystem",
    "Spectrum",
    "Stream",
    "captured_trace",
    "choose_ridge",
    "choose_solver",
    "columns_of",
    "conjugate_gradient",
    "descend",
    "fit_columns_apart",
    "fit_features",
    "fit_low_rank",
    "fit_stream",
    "fit_stream_by_products",
    "leave_one_out",
    "lower_triangle",
    "pivots_among",
    "scan",
    "search_grid",
    "solve_at",
    "solve_refined",
    "systems_of",
]
