"""What the baselines with a kernel share."""

from __future__ import annotations

from typing import Any, ClassVar

from widemargin import kernels
from widemargin.codes.scored import ScoredClassifier
from widemargin.estimators import parameters, sample
from widemargin.estimators.base import KernelMachine
from widemargin.problems import Vector


class KernelBaseline(ScoredClassifier, KernelMachine):
    """A classifier with a kernel and no problem to solve."""

    _rules: ClassVar[dict[str, parameters.Rule]] = {
        name: KernelMachine._rules[name] for name in ("kernel", "degree", "gamma", "coef0", "n_jobs")
    }

    def _check_parameters(self) -> None:
        parameters.check(self, self._rules)

    def _bind(self, X: Any, weight: Vector) -> tuple[kernels.Kernel, Any]:
        """The kernel and its matrix on X, which may well be indefinite: nothing is minimised here."""
        kernel = sample.choose_kernel(
            self.kernel, X, weight, degree=self.degree, gamma=self.gamma, coef0=self.coef0
        )
        if sample.is_precomputed(kernel):
            kernels.Precomputed.check_training_matrix(X)
        return kernel, kernel.bind(X)
