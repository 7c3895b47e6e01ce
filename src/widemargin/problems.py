"""Every machine as one quadratic program.

    maximise    linear'a - 1/2 a'(K + diag(ridge))a
    subject to  lower <= a <= upper,   sum of a over each group fixed

The variables are signed (a_i = y_i alpha_i in the textbooks' letters), so that the equality is a plain sum
and the quadratic term is the kernel matrix itself. A solver sees a `Problem` and a Gram, never labels, C or a
kernel.

The multiplier of a group's equality (`offset`, the gradient linear - (K + ridge)a at its free variables)
gives the bias; each builder says how.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "Problem",
    "enclosing_ball",
    "epsilon_regression",
    "hard_margin",
    "largest_nu",
    "least_squares",
    "nu_classification",
    "nu_regression",
    "one_class",
    "soft_margin",
    "squared_soft_margin",
    "without_bias",
]

Vector = NDArray[np.float64]

GROUNDED = -1
"""The point of a variable whose row and column of K are zero."""

FEW_BOUNDED = 0.6
"""Part of the number of free variables."""


@dataclass(frozen=True, eq=False)
class Problem:
    """maximise linear'a - 1/2 a'(K + diag(ridge))a, lower <= a <= upper, each group's sum as in `start`.

    Parameters
    ----------
    linear, lower, upper : array of shape (m,)
        Linear term and box; bounds may be infinite or equal.
    start : array of shape (m,)
        A feasible point; it fixes the sum of each group.
    ridge : array of shape (m,), optional
        Added to the diagonal of the quadratic term, variable by variable.
    points : integer array of shape (m,), optional
        The row of the Gram that belongs to each variable (default: its own index). Variables may share a row;
        -1 is a grounded variable, whose kernel row is zero.
    group_sizes : tuple of int, optional
        Sizes of the groups of consecutive variables with a fixed sum each (default: one group of all).

    Examples
    --------
    >>> problem = soft_margin([+1, -1], C=2.0)
    >>> problem.lower, problem.upper
    (array([ 0., -2.]), array([2., 0.]))
    """

    linear: Vector
    lower: Vector
    upper: Vector
    start: Vector
    ridge: Vector | None = None
    points: NDArray[np.int32] | None = None
    group_sizes: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        for name in ("linear", "lower", "upper", "start", "ridge"):
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, _vector(value, name))
        if self.points is not None:
            object.__setattr__(self, "points", np.ascontiguousarray(self.points, dtype=np.int32))
        self._check_shapes()
        self._check_values()

    def _check_shapes(self) -> None:
        m = self.linear.size
        if m == 0:
            raise ValueError("a problem needs at least one variable.")
        for name in ("lower", "upper", "start", "ridge", "points"):
            value = getattr(self, name)
            if value is not None and value.shape != (m,):
                raise ValueError(
                    f"{name} has shape {value.shape}, but linear has {m} entries: give one per variable."
                )
        if self.group_sizes is not None and (
            min(self.group_sizes, default=0) < 1 or sum(self.group_sizes) != m
        ):
            raise ValueError(
                f"group_sizes {self.group_sizes} must be positive and add up to the {m} variables."
            )

    def _is_sound(self) -> bool:
        sound = np.isfinite(self.linear) & np.isfinite(self.start)
        sound &= (self.lower <= self.start) & (self.start <= self.upper)
        if self.ridge is not None:
            sound &= (self.ridge >= 0) & (self.ridge < np.inf)
        if self.points is not None:
            sound &= self.points >= GROUNDED
        return bool(sound.all())

    def _check_values(self) -> None:
        if self._is_sound():
            return  # what is wrong takes longer to find
        for name in ("linear", "start", "ridge"):
            value = getattr(self, name)
            if value is not None:
                _refuse(~np.isfinite(value), value, name, "must be finite")
        for name in ("lower", "upper"):
            _refuse(np.isnan(getattr(self, name)), getattr(self, name), name, "must not be NaN")
        _refuse(self.lower > self.upper, self.lower, "lower", "must not exceed upper")
        _refuse(
            (self.start < self.lower) | (self.start > self.upper),
            self.start,
            "start",
            "must lie within the bounds",
        )
        if self.ridge is not None:
            _refuse(self.ridge < 0, self.ridge, "ridge", "must not be negative")
        if self.points is not None:
            _refuse(self.points < GROUNDED, self.points, "points", "must be a row of the Gram, or -1")

    @property
    def size(self) -> int:
        """Number of variables."""
        return self.linear.size

    @property
    def groups(self) -> list[slice]:
        """The variables of each group."""
        ends = np.cumsum(self.group_sizes or (self.size,)).tolist()
        return [slice(begin, end) for begin, end in zip([0, *ends[:-1]], ends, strict=True)]

    @property
    def rows(self) -> NDArray[np.int32]:
        """The row of the Gram of each variable: `points`, or its own index."""
        return np.arange(self.size, dtype=np.int32) if self.points is None else self.points

    def on(self, rows: ArrayLike) -> Problem:
        """The same problem on these rows of a larger Gram: point p becomes rows[p]."""
        rows = np.asarray(rows, dtype=np.int32)
        if self.points is None and rows.size == self.size:
            return self._with_points(rows)
        return self._with_points(np.where(self.rows == GROUNDED, np.int32(GROUNDED), rows[self.rows]))

    def among(self, rows: NDArray[np.integer]) -> Problem:
        """The same problem on a Gram of these rows only: point rows[p] becomes p."""
        place = np.empty(rows.max() + 1, dtype=np.int32)
        place[rows] = np.arange(rows.size)
        return self._with_points(np.where(self.rows == GROUNDED, np.int32(GROUNDED), place[self.rows]))

    def _with_points(self, points: NDArray[np.int32]) -> Problem:
        """The same problem on other points; what has been checked is not checked again."""
        _refuse(points < GROUNDED, points, "points", "must be a row of the Gram, or -1")
        other = object.__new__(Problem)
        other.__dict__.update(self.__dict__, points=np.ascontiguousarray(points))
        return other

    def by_point(self, a: ArrayLike, n: int) -> Vector:
        """Coefficients of the n points: the sum of the variables that share each point."""
        a, rows = np.asarray(a, dtype=np.float64), self.rows
        if rows.min() == GROUNDED:
            a, rows = a[rows != GROUNDED], rows[rows != GROUNDED]
        return np.bincount(rows, weights=a, minlength=n).astype(np.float64, copy=False)

    def feasible_near(self, a: ArrayLike) -> Vector:
        """A feasible point near `a`, for a warm start after the box has changed.

        The variables are clipped to their bounds, or set to them if they are within rounding of them. Then,
        group by group, the free ones (if they cannot do it, all that are not zero, or all) are shifted
        together until the sum is right, so that a sparse point stays sparse; a grounded one takes up all.
        """
        a = _vector(a, "a")
        if a.shape != self.start.shape:
            raise ValueError(f"a warm start of {a.size} variables does not fit a problem of {self.size}.")
        return self._near(a, self.lower, self.upper)

    def without(self, gone: NDArray[np.bool_], near: ArrayLike) -> Problem:
        """The same problem with some variables held at zero, and the same sums, starting near a point."""
        lower, upper = (np.where(gone, 0.0, bound) for bound in (self.lower, self.upper))
        return replace(self, lower=lower, upper=upper, start=self._near(_vector(near, "near"), lower, upper))

    def _near(self, a: Vector, lower: Vector, upper: Vector) -> Vector:
        """A point near `a` within these bounds that has the sums of this problem."""
        near = _snap(a, lower, upper)
        for group in self.groups:
            x, low, high = near[group], lower[group], upper[group]
            grounded = self.rows[group] == GROUNDED
            movable = [grounded] if grounded.any() else [(x > low) & (x < high), x != 0, x == x]
            near[group] = _with_sum(x, low, high, float(self.start[group].sum()), movable)
        return near

    def start_after(self, other: Problem, a: ArrayLike) -> Vector:
        """A feasible point near the solution `a` of a problem that differs from this one in its box only.

        What was at a bound other than zero goes to the new bound, and the others stay where they were as far
        as the sums allow. If those at a bound are few beside the free ones, they stay, too: whatever they do,
        all the free ones have to answer.
        """
        a = _vector(a, "a")
        at_lower, at_upper = a == other.lower, a == other.upper
        bounded, free = ((at_lower | at_upper) & (a != 0)).sum(), (~at_lower & ~at_upper).sum()
        if bounded > FEW_BOUNDED * free:
            a = np.where(at_lower & np.isfinite(self.lower), self.lower, a)
            a = np.where(at_upper & np.isfinite(self.upper), self.upper, a)
        return self.feasible_near(a)


def hard_margin(y: ArrayLike) -> Problem:
    """The maximum margin classifier.

    Primal:  min 1/2 |w|^2   s.t.  y_i (<w, x_i> + b) >= 1
    Dual:    max y'a - 1/2 a'Ka   s.t.  sum a = 0,  y_i a_i >= 0;    b = offset

    The dual is unbounded if the classes cannot be separated.

    Examples
    --------
    >>> hard_margin([+1, -1]).upper
    array([inf,  0.])
    """
    return soft_margin(y, np.inf)


def soft_margin(y: ArrayLike, C: ArrayLike) -> Problem:
    """The 1-norm soft margin classifier (hinge loss).

    Primal:  min 1/2 |w|^2 + sum C_i xi_i   s.t.  y_i (<w, x_i> + b) >= 1 - xi_i,  xi_i >= 0
    Dual:    max y'a - 1/2 a'Ka   s.t.  sum a = 0,  0 <= y_i a_i <= C_i;    b = offset

    Cortes and Vapnik, Support-vector networks, Machine Learning 20, 1995.

    Examples
    --------
    >>> soft_margin([+1, -1], C=[1.0, 5.0]).lower
    array([ 0., -5.])
    """
    y = _labels(y)
    C = _positive(C, "C", y.size)
    positive = y > 0
    return Problem(
        linear=y,
        lower=np.where(positive, 0.0, -C),
        upper=np.where(positive, C, 0.0),
        start=np.zeros(y.size),
    )


def squared_soft_margin(y: ArrayLike, C: ArrayLike) -> Problem:
    """The 2-norm soft margin classifier (squared hinge loss).

    Primal:  min 1/2 |w|^2 + 1/2 sum C_i xi_i^2   s.t.  y_i (<w, x_i> + b) >= 1 - xi_i
    Dual:    max y'a - 1/2 a'(K + diag(1/C))a   s.t.  sum a = 0,  y_i a_i >= 0;    b = offset

    Examples
    --------
    >>> squared_soft_margin([+1, -1], C=4.0).ridge
    array([0.25, 0.25])
    """
    problem = hard_margin(y)
    return replace(problem, ridge=1.0 / _positive(C, "C", problem.size))


def least_squares(y: ArrayLike, C: ArrayLike) -> Problem:
    """The least-squares machine: a linear system as a problem without a box; y may be any real targets.

    Primal:  min 1/2 |w|^2 + 1/2 sum C_i xi_i^2   s.t.  <w, x_i> + b = y_i - xi_i
    Dual:    max y'a - 1/2 a'(K + diag(1/C))a   s.t.  sum a = 0;    b = offset

    Suykens and Vandewalle, Least squares support vector machine classifiers, Neural Processing Letters, 1999.

    Examples
    --------
    >>> least_squares([+1, -1], C=4.0).lower
    array([-inf, -inf])
    """
    y = _finite(y, "y")
    unbounded = np.full(y.size, np.inf)
    ridge = 1.0 / _positive(C, "C", y.size)
    return Problem(linear=y, lower=-unbounded, upper=unbounded, start=np.zeros(y.size), ridge=ridge)


def epsilon_regression(t: ArrayLike, C: ArrayLike, epsilon: float) -> Problem:
    """Regression with the epsilon-insensitive loss, in 2n variables a = (alpha+; -alpha-) on n points.

    Primal:  min 1/2 |w|^2 + sum C_i (xi+_i + xi-_i)
             s.t.  -epsilon - xi-_i <= t_i - <w, x_i> - b <= epsilon + xi+_i,  xi >= 0
    Dual:    max (t - epsilon; t + epsilon)'a - 1/2 a'[K K; K K]a
             s.t.  sum a = 0,  0 <= alpha+_i, alpha-_i <= C_i;    b = offset

    The coefficient of point i is alpha+_i - alpha-_i.

    Examples
    --------
    >>> epsilon_regression([1.0, 3.0], C=1.0, epsilon=0.5).linear
    array([0.5, 2.5, 1.5, 3.5])
    """
    t = _finite(t, "t")
    if not (np.isfinite(epsilon) and epsilon >= 0):
        raise ValueError(f"epsilon must be a finite number >= 0, not {epsilon}.")
    zero, C = np.zeros(t.size), _positive(C, "C", t.size)
    return Problem(
        linear=np.concatenate([t - epsilon, t + epsilon]),
        lower=np.concatenate([zero, -C]),
        upper=np.concatenate([C, zero]),
        start=np.zeros(2 * t.size),
        points=np.tile(np.arange(t.size, dtype=np.int32), 2),
    )


def squared_epsilon_regression(t: ArrayLike, C: ArrayLike, epsilon: float) -> Problem:
    """Regression with half the square of the epsilon-insensitive loss, in variables as `epsilon_regression`.

    Primal:  min 1/2 |w|^2 + 1/2 sum C_i (xi+_i^2 + xi-_i^2)
             s.t.  -epsilon - xi-_i <= t_i - <w, x_i> - b <= epsilon + xi+_i
    Dual:    max (t - epsilon; t + epsilon)'a - 1/2 a'([K K; K K] + diag(1/C, 1/C))a
             s.t.  sum a = 0,  0 <= alpha+_i, alpha-_i;    b = offset

    Examples
    --------
    >>> squared_epsilon_regression([1.0, 3.0], C=4.0, epsilon=0.5).ridge
    array([0.25, 0.25, 0.25, 0.25])
    """
    problem = epsilon_regression(t, np.inf, epsilon)
    return replace(problem, ridge=np.tile(1.0 / _positive(C, "C", problem.size // 2), 2))


def nu_classification(y: ArrayLike, nu: float, weight: ArrayLike = 1.0) -> Problem:
    """The nu soft margin classifier; first the variables of class +1, then those of class -1.

    Primal:  min 1/2 |w|^2 - nu rho sum_i weight_i + sum weight_i xi_i
             s.t.  y_i (<w, x_i> + b) >= rho - xi_i,  xi_i >= 0,  rho >= 0
    Dual:    max -1/2 a'Ka
             s.t.  sum of y_i a_i over each class = nu/2 sum_i weight_i,  0 <= y_i a_i <= weight_i

    b = (offset+ + offset-) / 2 and rho = (offset- - offset+) / 2; dividing a and b by rho gives the soft
    margin machine with C = weight / rho.

    Schölkopf, Smola, Williamson and Bartlett, New support vector algorithms, Neural Computation 12, 2000.

    Examples
    --------
    >>> nu_classification([-1, +1], nu=0.5).points
    array([1, 0], dtype=int32)
    """
    y = _labels(y)
    weight = _positive(weight, "weight", y.size)
    largest = largest_nu(y, weight)
    if not 0 < nu <= largest * (1 + 1e-12):
        raise ValueError(
            f"nu = {nu} is infeasible: with these class sizes it must lie in (0, {largest:.6g}]."
        )
    plus, minus = np.flatnonzero(y > 0), np.flatnonzero(y < 0)
    total = nu * weight.sum() / 2
    return Problem(
        linear=np.zeros(y.size),
        lower=np.concatenate([np.zeros(plus.size), -weight[minus]]),
        upper=np.concatenate([weight[plus], np.zeros(minus.size)]),
        start=np.concatenate([_fill(weight[plus], total), -_fill(weight[minus], total)]),
        points=np.concatenate([plus, minus]),
        group_sizes=(plus.size, minus.size),
    )


def largest_nu(y: ArrayLike, weight: ArrayLike = 1.0) -> float:
    """The largest feasible nu of `nu_classification`: twice the lighter class's share of the weight.

    Examples
    --------
    >>> largest_nu([+1, -1, -1, -1])
    0.5
    """
    y = _labels(y)
    weight = _positive(weight, "weight", y.size)
    return float(2 * min(weight[y > 0].sum(), weight[y < 0].sum()) / weight.sum())


def nu_regression(t: ArrayLike, C: ArrayLike, nu: float) -> Problem:
    """Regression whose tube width is found by nu, in 2n variables a = (alpha+; -alpha-) on n points.

    Primal:  min 1/2 |w|^2 + sum C_i (nu epsilon + xi+_i + xi-_i)
             s.t.  -epsilon - xi-_i <= t_i - <w, x_i> - b <= epsilon + xi+_i,  epsilon >= 0
    Dual:    max (t; t)'a - 1/2 a'[K K; K K]a
             s.t.  sum alpha+ = sum alpha- = nu/2 sum_i C_i,  0 <= alpha+_i, alpha-_i <= C_i

    b = (offset+ + offset-) / 2 and epsilon = (offset+ - offset-) / 2.

    Examples
    --------
    >>> nu_regression([1.0, 3.0], C=1.0, nu=0.5).start
    array([ 0.5,  0. , -0.5, -0. ])
    """
    t = _finite(t, "t")
    _check_nu(nu)
    C = _finite(_positive(C, "C", t.size), "C")
    zero, start = np.zeros(t.size), _fill(C, nu * C.sum() / 2)
    return Problem(
        linear=np.concatenate([t, t]),
        lower=np.concatenate([zero, -C]),
        upper=np.concatenate([C, zero]),
        start=np.concatenate([start, -start]),
        points=np.tile(np.arange(t.size, dtype=np.int32), 2),
        group_sizes=(t.size, t.size),
    )


def one_class(n: int, nu: float, weight: ArrayLike = 1.0) -> Problem:
    """The support of a distribution: a half-space of feature space away from the origin.

    Primal:  min 1/2 |w|^2 - nu rho sum_i weight_i + sum weight_i xi_i
             s.t.  <w, x_i> >= rho - xi_i,  xi_i >= 0
    Dual:    max -1/2 a'Ka   s.t.  sum a = nu sum_i weight_i,  0 <= a_i <= weight_i;    rho = -offset

    The start has the first points at their bound, so that few kernel rows make its gradient.

    Schölkopf, Platt, Shawe-Taylor, Smola and Williamson, Estimating the support of a high-dimensional
    distribution, Neural Computation 13, 2001.

    Examples
    --------
    >>> one_class(4, nu=0.4).start
    array([1. , 0.6, 0. , 0. ])
    """
    _check_nu(nu)
    weight = _positive(weight, "weight", n)
    return Problem(
        linear=np.zeros(n), lower=np.zeros(n), upper=weight, start=_fill(weight, nu * weight.sum())
    )


def enclosing_ball(diagonal: ArrayLike, C: ArrayLike = np.inf) -> Problem:
    """The smallest ball around the points, hard (C infinite) or soft; `diagonal` holds K_ii.

    Primal:  min R^2 + sum C_i xi_i   s.t.  |x_i - c|^2 <= R^2 + xi_i,  xi_i >= 0
    Dual:    max 1/2 diag(K)'a - 1/2 a'Ka   s.t.  sum a = 1,  0 <= a_i <= C_i    (half of the usual dual)

    The centre is c = sum a_i x_i and R^2 = 2 offset + a'Ka.

    Tax and Duin, Support vector data description, Machine Learning 54, 2004.

    Examples
    --------
    >>> enclosing_ball([1.0, 1.0, 1.0], C=0.5).start
    array([0.5, 0.5, 0. ])
    """
    diagonal = _finite(diagonal, "diagonal")
    C = np.minimum(_positive(C, "C", diagonal.size), 1.0)
    if C.sum() < 1 - 1e-12:
        raise ValueError(f"C is too small: the sum over the points is {C.sum():.6g} and must be at least 1.")
    return Problem(linear=diagonal / 2, lower=np.zeros(C.size), upper=C, start=_fill(C, 1.0))


def without_bias(problem: Problem) -> Problem:
    """The machine without a bias: a grounded free variable absorbs the sum, whose multiplier is then zero.

    Examples
    --------
    >>> without_bias(soft_margin([+1, -1], C=1.0)).points
    array([ 0,  1, -1], dtype=int32)
    """
    if len(problem.groups) > 1:
        raise ValueError("only a problem with a single fixed sum can do without its bias.")

    def append(values: NDArray, value: float) -> NDArray:
        return np.append(values, values.dtype.type(value))

    return Problem(
        linear=append(problem.linear, 0.0),
        lower=append(problem.lower, -np.inf),
        upper=append(problem.upper, np.inf),
        start=append(problem.start, 0.0),
        ridge=None if problem.ridge is None else append(problem.ridge, 0.0),
        points=append(problem.rows, GROUNDED),
    )


def _fill(upper: Vector, total: float) -> Vector:
    """The first variables at their bounds until they add up to `total`."""
    if total >= upper.sum() * (1 - 1e-12):  # all at their bound, exactly
        return upper.copy()
    before = np.concatenate([[0.0], np.cumsum(upper)[:-1]])
    return np.clip(total - before, 0.0, upper)


def _snap(a: Vector, lower: Vector, upper: Vector) -> Vector:
    """a within its bounds, and at them where the distance is mere rounding."""
    with np.errstate(invalid="ignore"):  # inf - inf
        rounding = 1e-12 * np.abs(a)
        a = np.where(a - lower <= rounding, lower, a)
        return np.where(upper - a <= rounding, upper, a)


def _with_sum(
    x: Vector, lower: Vector, upper: Vector, total: float, candidates: list[NDArray[np.bool_]]
) -> Vector:
    """x with the first of the candidate sets of variables shifted that can make the sum `total`."""
    for movable in candidates:
        needed = total - x[~movable].sum()
        if lower[movable].sum() <= needed <= upper[movable].sum():
            break
    x = x.copy()
    x[movable] = _project(x[movable], lower[movable], upper[movable], needed)
    return x


def _project(x: Vector, lower: Vector, upper: Vector, total: float) -> Vector:
    """argmin |z - x|  s.t.  lower <= z <= upper,  sum z = total:  z = clip(x + shift) for the right shift."""
    z = x
    for _ in range(x.size + 1):
        lacking = total - z.sum()
        free = z < upper if lacking > 0 else z > lower
        if abs(lacking) <= 1e-15 * np.abs(z).sum() or not free.any():
            break
        # What would do if nothing were clipped; each pass succeeds or ends with fewer free variables.
        z = np.where(free, np.clip(z + lacking / free.sum(), lower, upper), z)
    return z


def _vector(value: ArrayLike, name: str) -> Vector:
    vector = np.ascontiguousarray(value, dtype=np.float64)
    if vector.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, not of shape {vector.shape}.")
    return vector


def _finite(value: ArrayLike, name: str) -> Vector:
    vector = _vector(value, name)
    _refuse(~np.isfinite(vector), vector, name, "must be finite")
    return vector


def _labels(y: ArrayLike) -> Vector:
    y = _vector(y, "y")
    _refuse(np.abs(y) != 1, y, "y", "must be -1 or +1")
    return y


def _positive(value: ArrayLike, name: str, size: int) -> Vector:
    """A positive number per variable, from one for all or one for each."""
    vector = np.asarray(value, dtype=np.float64)
    if vector.shape not in ((), (size,)):
        raise ValueError(
            f"{name} has shape {vector.shape}: give one number, or one for each of the {size} samples."
        )
    all_of_them = np.empty(size)
    all_of_them[:] = vector
    _refuse(~(all_of_them > 0), all_of_them, name, "must be positive")
    return all_of_them


def _check_nu(nu: float) -> None:
    if not 0 < nu <= 1:
        raise ValueError(f"nu = {nu} is infeasible: it must lie in (0, 1].")


def _refuse(bad: NDArray[np.bool_], values: NDArray, name: str, rule: str) -> None:
    if bad.any():
        i = int(np.argmax(bad))
        raise ValueError(f"{name} {rule}, but {name}[{i}] is {values[i]:g}.")
