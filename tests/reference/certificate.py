"""How good is a point? Primal value, dual value, their gap and the KKT violation, from the whole matrix.

For any multipliers r of the group sums s, with h = linear - K a - r:

    P(r) = 1/2 a'Ka + sum_i sup { h_i t - rho_i t^2/2 : lower_i <= t <= upper_i } + sum_g r_g s_g  >=  f(a).
"""

import numpy as np


def up(program, alpha):
    return alpha < program.upper


def down(program, alpha):
    return alpha > program.lower


def violation(program, alpha, gradient=None):
    """psi: the largest G_i - G_j over pairs of one group whose i may rise and j may fall; 0 if none."""
    G = program.gradient(alpha) if gradient is None else gradient
    rise, fall = up(program, alpha), down(program, alpha)
    worst = [
        max(G[members[rise[members]]], default=-np.inf) - min(G[members[fall[members]]], default=np.inf)
        for members in program.groups()
    ]
    return max(0.0, *worst)


def offset_intervals(program, alpha):
    """Per group [max of G over I_up, min of G over I_down]: the multipliers r that satisfy KKT."""
    G = program.gradient(alpha)
    rise, fall = up(program, alpha), down(program, alpha)
    return np.array(
        [(max(G[g[rise[g]]], default=-np.inf), min(G[g[fall[g]]], default=np.inf)) for g in program.groups()]
    )


def support(h, rho, lower, upper):
    """sup of h t - rho t^2/2 over [lower, upper]."""
    if rho > 0:
        t = np.clip(h / rho, lower, upper)
        return h * t - rho * t * t / 2
    if h == 0:
        return 0.0
    return h * (upper if h > 0 else lower)


def primal(program, alpha, r):
    """P(r); `r` holds one multiplier per group."""
    r = np.atleast_1d(np.asarray(r, float))
    h = program.linear - program.K @ alpha - r[program.group]
    losses = sum(map(support, h, program.ridge, program.lower, program.upper))
    sums = [program.start[g].sum() for g in program.groups()]
    return alpha @ program.K @ alpha / 2 + losses + r @ sums


def gap(program, alpha, r):
    """P(r) - f(alpha), which is never negative."""
    return primal(program, alpha, r) - program.objective(alpha)
