"""Labels bought one by one: the point nearest to the boundary is worth several drawn at random."""

import matplotlib.pyplot as plt
import numpy as np

import widemargin as wm
from widemargin.datasets import two_moons

pool, test = two_moons(1000, seed=0), two_moons(2000, seed=1)
BUDGET, REPETITIONS = 60, 8


def ask_somebody(rows):
    """In real life: show the points to a person. Here the labels are known."""
    return pool.y[rows]


def learning_curve(strategy, seed):
    unlabelled = np.random.default_rng(seed).permutation(len(pool.y))
    bought, unlabelled = unlabelled[:10], unlabelled[10:]
    machine = wm.LASVM(C=10, gamma=2.0)
    machine.partial_fit(pool.X[bought], ask_somebody(bought), classes=[-1, 1])
    errors = []
    while machine.n_seen_ < BUDGET:
        best = machine.query(pool.X[unlabelled], strategy=strategy, random_state=seed)
        machine.partial_fit(pool.X[unlabelled[best]], ask_somebody(unlabelled[best])).finish()
        unlabelled = np.delete(unlabelled, best)
        errors.append(1 - machine.score(test.X, test.y))
    return errors


for strategy in ("random", "active"):
    curve = np.mean([learning_curve(strategy, seed) for seed in range(REPETITIONS)], axis=0)
    print(f"{strategy:>6}: error {curve[9]:.3f} after 20 labels, {curve[-1]:.3f} after {BUDGET}")
    plt.plot(np.arange(11, BUDGET + 1), curve, label=strategy)
plt.gca().set(title=f"Labels bought one by one, {REPETITIONS} runs", xlabel="labels", ylabel="test error")
plt.legend()
plt.savefig("active_learning.png")
print("wrote active_learning.png")
