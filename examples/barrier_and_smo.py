"""Companies rated BBB or BB: interior-point methods judge a pair method; a picture of how they converge."""

import numpy as np

import widemargin as wm
from widemargin.datasets import credit_ratings
from widemargin.display import convergence
from widemargin.problems import soft_margin

SOLVERS = {
    "log barrier": wm.LogBarrier(trace=1),
    "Mehrotra": wm.Mehrotra(trace=1),
    "SMO": wm.SMO("most-violating-pair", trace=1),
}
COLUMNS = ("iteration", "violation", "objective")

sample = credit_ratings(seed=0)
rows = np.flatnonzero(np.isin(sample.y, [3, 4]))[:400]  # BBB and BB
X = (sample.X[rows] - sample.X.min(axis=0)) / np.ptp(sample.X, axis=0)
problem = soft_margin(np.where(sample.y[rows] == 3, 1, -1), C=10.0)
gram = wm.Gaussian(gamma=4.0).bind(X)

traces, bounds = {}, []
print(f"{'solver':12} {'iterations':>10} {'seconds':>8} {'objective':>14} {'duality gap':>12} {'bias':>8}")
for name, solver in SOLVERS.items():
    found = solver.solve(problem, gram, stop=wm.Stop(tol=1e-3))
    end = (found.iterations + 1, found.kkt_violation, found.dual_objective)  # the last step is not recorded
    traces[name] = {key: np.append(found.trace[key], value) for key, value in zip(COLUMNS, end, strict=True)}
    bounds.append(found.primal_objective)
    print(
        f"{name:12} {found.iterations:10,} {found.seconds:8.3f} {found.dual_objective:14.7f} "
        f"{found.duality_gap:12.1e} {found.offsets[0]:8.4f}"
    )

violation, objective = convergence(traces, tol=1e-3, optimum=min(bounds))
for axes in (violation, objective):
    axes.set(xscale="log", xlim=(1, None))
violation.figure.savefig("barrier.png")
print("wrote barrier.png")
