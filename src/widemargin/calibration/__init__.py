"""Probabilities from decision values.

A decision value f(x) orders the points; Platt's sigmoid ``1 / (1 + exp(A f(x) + B))`` turns it into a
probability. A and B are fitted to decision values of points the machine has *not* seen (free support
vectors sit exactly at +1 and -1, so values of training points would mislead the fit), which is why
everything here works on *cross-fitted* values: every point is judged by the machine trained on the other
folds.

Several classes: one sigmoid for every pair of classes, joined by pairwise coupling, or one for every class
against the rest, normalised. The pieces (`PairwiseSigmoids`, `OneVsAllSigmoids`, `cross_fit_folds`,
`agree_with`) serve an estimator that computes its own decision values; `Calibrated` puts them around any
scikit-learn classifier.

References
----------
.. [1] J. Platt, Probabilistic outputs for support vector machines, in Advances in Large Margin Classifiers,
   2000.
.. [2] H.-T. Lin, C.-J. Lin, R. C. Weng, A note on Platt's probabilistic outputs for support vector
   machines, Machine Learning 68, 2007.
.. [3] T.-F. Wu, C.-J. Lin, R. C. Weng, Probability estimates for multi-class classification by pairwise
   coupling, JMLR 5, 2004.
"""

from widemargin.calibration.agreement import agree_with
from widemargin.calibration.calibrated import Calibrated
from widemargin.calibration.folds import cross_fit_folds
from widemargin.calibration.one_vs_all import OneVsAllSigmoids, normalise_one_vs_all
from widemargin.calibration.pairwise import PairwiseSigmoids, pairwise_coupling
from widemargin.calibration.platt import PlattSigmoid

__all__ = [
    "Calibrated",
    "OneVsAllSigmoids",
    "PairwiseSigmoids",
    "PlattSigmoid",
    "agree_with",
    "cross_fit_folds",
    "normalise_one_vs_all",
    "pairwise_coupling",
]
