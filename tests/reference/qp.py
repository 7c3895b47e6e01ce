"""An independent judge: the interior-point solver Clarabel on the whole quadratic program."""

import clarabel
import numpy as np
from scipy import sparse


def solve(program, tolerance=1e-11):
    """Optimal alpha and objective of a `Program`; raises if the judge itself is not sure."""
    m = len(program.linear)
    eye = sparse.eye_array(m, format="csr")
    sums = sparse.csr_array(np.array([program.group == g for g in range(program.group.max() + 1)], float))
    fixed = program.lower == program.upper
    above = ~fixed & np.isfinite(program.upper)
    below = ~fixed & np.isfinite(program.lower)
    A = sparse.vstack([sums, eye[fixed], eye[above], -eye[below]], format="csc")
    b = np.concatenate(
        [sums @ program.start, program.lower[fixed], program.upper[above], -program.lower[below]]
    )
    x, value = minimise(program.Q, -program.linear, A, b, sums.shape[0] + int(fixed.sum()), tolerance)
    return np.clip(x, program.lower, program.upper), -value


def minimise(P, q, A, b, n_equal, tolerance=1e-11):
    """min 1/2 x'Px + q'x  s.t.  Ax = b in the first `n_equal` rows, Ax <= b in the others; (x, value)."""
    cones = [clarabel.ZeroConeT(n_equal), clarabel.NonnegativeConeT(A.shape[0] - n_equal)]
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = tolerance
    upper_triangle = sparse.csc_array(np.triu(P))
    solution = clarabel.DefaultSolver(upper_triangle, q, sparse.csc_array(A), b, cones, settings).solve()
    if "Solved" not in str(solution.status):
        raise RuntimeError(f"the judge gave up: {solution.status}")
    return np.array(solution.x), solution.obj_val
