"""Machines of fewer points: compressed, pruned, restricted, trained on chunks or held in a ball."""

from widemargin.reduction.chunk_bagging import ChunkBagging
from widemargin.reduction.compression import Compression, compress
from widemargin.reduction.construction import construct
from widemargin.reduction.ivanov_estimator import IvanovEstimator
from widemargin.reduction.projection import project
from widemargin.reduction.pruned import Pruned
from widemargin.reduction.restricted_svc import RestrictedSVC
from widemargin.reduction.selection import select

__all__ = [
    "ChunkBagging",
    "Compression",
    "IvanovEstimator",
    "Pruned",
    "RestrictedSVC",
    "compress",
    "construct",
    "project",
    "select",
]
