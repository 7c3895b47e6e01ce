"""The same problem with four solvers, with a small cache, and a picture of how they converge."""

import widemargin as wm
from widemargin.datasets import noisy_chess_board
from widemargin.display import convergence

SOLVERS = {
    "most violating pair": wm.SMO("most-violating-pair", trace=1),
    "second order": wm.SMO("second-order", trace=1),
    "hybrid maximum gain": wm.SMO("hybrid-maximum-gain", trace=1),
    "planning ahead": wm.SMO(step="planning-ahead", trace=1),
}

board = noisy_chess_board(1000, noise=0.05, seed=1)
traces = {}
print(f"{'solver':20} {'iterations':>10} {'kernel evaluations':>20} {'duality gap':>12}")
for name, solver in SOLVERS.items():
    machine = wm.SVC(C=100, gamma=2, cache_size=0.2, solver=solver).fit(board.X, board.y)
    traces[name] = machine.trace_
    print(
        f"{name:20} {machine.n_iter_[0]:10,} {machine.kernel_evaluations_:20,} {machine.duality_gap_:12.2e}"
    )

violation, _ = convergence(traces, tol=1e-3)
violation.figure.savefig("solvers.png")
print("wrote solvers.png")
