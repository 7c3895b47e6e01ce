"""Baselines that every comparison needs: a machine that does not beat them has learnt little."""

from .kernel_neighbors import KernelNeighbors
from .kernel_perceptron import KernelPerceptron
from .majority_classifier import MajorityClassifier
from .mean_classifier import MeanClassifier

__all__ = ["KernelNeighbors", "KernelPerceptron", "MajorityClassifier", "MeanClassifier"]
