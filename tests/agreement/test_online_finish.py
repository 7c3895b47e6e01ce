"""After `finish`, LASVM and the batch machine have the same dual value, prices and decisions."""

import numpy as np
import pytest
from real_sets import classification

import widemargin as wm
from widemargin import datasets


def generated(name):
    if name == "chess board":
        sample = datasets.chess_board(800, seed=0)
    elif name == "noisy chess board":
        sample = datasets.noisy_chess_board(800, 0.2, seed=0)
    else:
        sample = datasets.twonorm(800, seed=0)
    return sample.X, sample.y


SETS = {
    "chess board": (generated, 1000.0, 2.0),
    "noisy chess board": (generated, 10.0, 2.0),
    "twonorm": (generated, 1.0, 0.02),
    "iris": (classification, 1.0, 0.5),
    "wine": (classification, 10.0, 0.05),
    "breast cancer": (classification, 100.0, 0.01),
    "digits": (classification, 1.0, 0.01),
    "tic-tac-toe": (classification, 100.0, 0.1),
}


@pytest.mark.parametrize("selection", ["second-order", "most-violating-pair"])
@pytest.mark.parametrize("name", SETS)
def test_finish_reaches_the_dual_value_of_the_batch_machine(name, selection):
    read, C, gamma = SETS[name]
    X, y = read(name)
    batch = wm.SVC(C=C, gamma=gamma, tol=1e-7).fit(X, y)
    machine = wm.LASVM(C=C, gamma=gamma, tol=1e-7, selection=selection, random_state=0).fit(X, y)
    assert machine.dual_objective_ < batch.dual_objective_
    machine.finish()
    assert machine.dual_objective_ == pytest.approx(batch.dual_objective_, rel=1e-6)
    assert machine.duality_gap_ < 1e-6 * batch.dual_objective_
    np.testing.assert_array_equal(machine.predict(X), batch.predict(X))
