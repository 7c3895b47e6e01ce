"""Machines that learn all classes at once, written down from their definitions: slow and obvious."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from . import qp

MACHINES = ("weston-watkins", "crammer-singer", "lee-lin-wahba", "bredensteiner-bennett")
LOSS = {
    "weston-watkins": "relative-sum",
    "crammer-singer": "relative-largest",
    "lee-lin-wahba": "absolute-sum",
    "bredensteiner-bennett": "relative-sum",
}


@dataclass
class Judged:
    """The optimum of the primal, and the values of all functions at the training points."""

    objective: float
    values: np.ndarray


def features(K):
    """Phi with K = Phi Phi', as few columns as there can be."""
    eigenvalues, vectors = np.linalg.eigh(K)
    kept = eigenvalues > 1e-13 * eigenvalues.max()
    return vectors[:, kept] * np.sqrt(eigenvalues[kept])


def judge(machine, K, labels, C, N, bias=False):
    """The primal over weights w_k of features, class by class, and slacks, by an interior-point method.

    With a bias the last feature is one, and no norm pays for its weights.
    """
    Phi = np.column_stack([features(K), np.ones((len(K), int(bias)))])
    n, d = Phi.shape
    paid = np.eye(d)
    paid[d - int(bias) :] = 0.0
    margin = {"weston-watkins": 2, "lee-lin-wahba": 1 / (N - 1)}.get(machine, 1)
    one_slack = machine == "crammer-singer"
    norms = np.eye(N)
    if machine == "bredensteiner-bennett":  # 1/2 sum_km |w_k - w_m|^2 + 1/2 sum_k |w_k|^2
        norms = np.eye(N) + 2 * (N * np.eye(N) - np.ones((N, N)))
    i, k = np.nonzero(labels[:, None] != np.arange(N))
    slack = i if one_slack else np.arange(i.size)
    n_slacks = n if one_slack else i.size
    rows = []
    for row in range(i.size):  # f_k - f_y <= -margin + xi, or f_k <= -margin + xi
        weights = np.zeros((N, d))
        weights[k[row]] = Phi[i[row]]
        if machine != "lee-lin-wahba":
            weights[labels[i[row]]] = -Phi[i[row]]
        rows.append(np.concatenate([weights.ravel(), -np.eye(n_slacks)[slack[row]]]))
    not_negative = np.hstack([np.zeros((n_slacks, N * d)), -np.eye(n_slacks)])
    sums = np.empty((0, N * d + n_slacks))
    if machine == "lee-lin-wahba":
        sums = np.hstack([np.tile(np.eye(d), N), np.zeros((d, n_slacks))])
    A = np.vstack([sums, rows, not_negative])
    b = np.concatenate([np.zeros(len(sums)), np.full(i.size, -margin), np.zeros(n_slacks)])
    P = np.zeros((A.shape[1], A.shape[1]))
    P[: N * d, : N * d] = np.kron(norms, paid)
    prices = np.broadcast_to(C, n) if one_slack else np.broadcast_to(C, n)[i]
    x, value = qp.minimise(P, np.concatenate([np.zeros(N * d), prices]), sparse.csc_array(A), b, len(sums))
    return Judged(value, Phi @ x[: N * d].reshape(N, d).T)


def coefficients(loss, labels, alpha):
    """c_ik = [k = y_i] A_i - alpha_ik, or A_i / N - alpha_ik."""
    n, N = alpha.shape
    c = np.empty_like(alpha)
    for i in range(n):
        for k in range(N):
            own = alpha[i].sum() / N if loss == "absolute-sum" else (k == labels[i]) * alpha[i].sum()
            c[i, k] = own - alpha[i, k]
    return c


def slacks(loss, labels, margin, f):
    """h_ik, and minus infinity for an example's own class."""
    h = margin + f
    if loss != "absolute-sum":
        h = h - f[np.arange(len(f)), labels][:, None]
    h[np.arange(len(f)), labels] = -np.inf
    return h


def objectives(problem, K, alpha):
    """Dual and primal value of multipliers, from the definitions."""
    c = coefficients(problem.loss, problem.labels, alpha)
    f = K @ c
    norms = 0.5 * (c * f).sum()
    losses = np.maximum(slacks(problem.loss, problem.labels, problem.margin, f), 0)
    losses = losses.max(axis=1) if problem.loss == "relative-largest" else losses.sum(axis=1)
    return problem.margin * alpha.sum() - norms, norms + problem.C @ losses


def violation(problem, K, alpha):
    """The largest violation of the optimality conditions, multiplier by multiplier."""
    h = slacks(problem.loss, problem.labels, problem.margin, K @ problem.coefficients(alpha))
    worst = 0.0
    for i in range(len(h)):
        others = [k for k in range(problem.classes) if k != problem.labels[i]]
        C = problem.C[i]
        if problem.loss == "relative-largest":  # the unused part of the price has h = 0
            has_rest = alpha[i].sum() < C * (1 - 1e-13)
            fallers = [h[i, k] for k in others if alpha[i, k] > 0] + [0.0] * int(has_rest)
            worst = max(worst, max(0.0, *(h[i, k] for k in others)) - min(fallers))
        else:
            for k in others:
                worst = max(worst, h[i, k] * (alpha[i, k] < C), -h[i, k] * (alpha[i, k] > 0))
    return worst


def best_multipliers(loss, label, q, C, h, alpha):
    """The best multipliers of one example by bisection over the one number that they depend on."""
    N = len(h)
    others = np.arange(N) != label
    shift = -1 / N if loss == "absolute-sum" else 1.0
    t = (q * (alpha + shift * alpha.sum()) + h)[others]
    cap = np.inf if loss == "relative-largest" else C

    def multipliers(s):
        return np.clip((t - s) / q, 0.0, cap)

    def excess(s):
        demand = {"relative-sum": s / q, "absolute-sum": -N * s / q, "relative-largest": min(s / q, C)}[loss]
        return (1 if loss != "absolute-sum" else -1) * (multipliers(s).sum() - demand)

    reach = np.abs(t).max() + q * C * N + 1.0
    low, high = -reach, reach
    for _ in range(200):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if excess(middle) > 0 else (low, middle)
    best = np.zeros(N)
    best[others] = multipliers(0.5 * (low + high))
    return best


def ascend(problem, K, sweeps=2000, tolerance=1e-10):
    """One example after the other, again and again."""
    n, N = problem.labels.size, problem.classes
    alpha = np.zeros((n, N))
    for _ in range(sweeps):
        for i in range(n):
            f = K @ coefficients(problem.loss, problem.labels, alpha)
            h = slacks(problem.loss, problem.labels, problem.margin, f)[i]
            h[problem.labels[i]] = 0.0
            alpha[i] = best_multipliers(problem.loss, problem.labels[i], K[i, i], problem.C[i], h, alpha[i])
        if violation(problem, K, alpha) <= tolerance:
            return alpha
    raise RuntimeError("the twin did not converge")
