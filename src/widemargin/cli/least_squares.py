"""What `train` says of a machine of least squares."""

from __future__ import annotations

from typing import Any

from sklearn.base import is_classifier


def account(fitted: Any) -> str:
    """The size, the regularisation and the leave-one-out error of a machine."""
    n, d = fitted.shape_fit_
    size = [f"{n:,} points", f"{d:,} features"]
    size += [f"{fitted.centres.size:,} centres"] if fitted.centres is not None else []
    chosen = " (by leave-one-out)"
    lines = [
        ", ".join(size),
        f"lam {fitted.lam_:.6g}{chosen if isinstance(fitted.lam, str) else ''}{_gamma(fitted, chosen)}",
        _leave_one_out(fitted, n),
    ]
    if fitted.solver_ == "cg":
        lines.append(f"{fitted.n_iter_:,} steps of conjugate gradients")
    return "\n".join(lines)


def _gamma(fitted: Any, chosen: str) -> str:
    gamma = getattr(fitted.kernel_, "gamma", None)
    return "" if gamma is None else f", gamma {gamma:.6g}{chosen if fitted.gamma == 'loo' else ''}"


def _leave_one_out(fitted: Any, n: int) -> str:
    error = getattr(fitted, "loo_error_", None)
    if error is None:
        return "leave-one-out error not computed"
    if not is_classifier(fitted):
        return f"leave-one-out: mean squared error {error:.4g}"
    count = f" ({round((1 - error) * n)}/{n})" if fitted.class_weight is None else ", by class weight"
    return f"leave-one-out: accuracy {1 - error:.4g}{count}"
