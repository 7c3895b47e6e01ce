"""`widemargin train` and `predict`, end to end on files."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import dump_svmlight_file

from widemargin import io
from widemargin.cli import main
from widemargin.datasets import noisy_chess_board

SOURCE = Path(__file__).parents[2] / "src"


@pytest.fixture(scope="module")
def sample():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 3)) * [1.0, 10.0, 0.1]
    return X, np.where(X[:, 0] + 0.03 * X[:, 1] + 0.3 * rng.normal(size=90) > 0, 1, -1)


@pytest.fixture
def libsvm_file(sample, tmp_path):
    dump_svmlight_file(*sample, str(tmp_path / "points.libsvm"), zero_based=False)
    return tmp_path / "points.libsvm"


@pytest.fixture
def csv_file(sample, tmp_path):
    X, y = sample
    path = tmp_path / "points.csv"
    np.savetxt(path, np.column_stack([y, X]), delimiter=",", fmt="%.17g")
    return path
