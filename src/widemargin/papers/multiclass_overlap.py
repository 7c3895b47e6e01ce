"""Why codes repair so little: they err where one-vs-all does."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from widemargin.comparison import CorrelatedErrors, agreement, correlated_errors
from widemargin.papers.experiment import Experiment, Scope, say
from widemargin.papers.multiclass import NEEDS, Answers, codes_of, missing, studies, support_vectors
from widemargin.papers.table import Column, Table

MOST, HALF = 0.7, 0.5


class MulticlassOverlap(Experiment):
    """Shares of points, test points or left out ones, that SVMs with two codes give the same class: with the
    settings tuned for each code, and with those of OVA for all, with which some printed numbers agree better.
    "70 % err" is the share of the errors of OVA for which at least 70 % of the machines of the second code
    that separate the two classes err too, "half err" likewise."""

    title = "Several classes: where codes agree, and err"
    source = "Rifkin 2002, thesis, tables 4.6 and 4.7 and figures of section 4.3"
    needs = NEEDS
    columns = (
        Column("set"),
        Column("first"),
        Column("second"),
        Column("same", ".3f"),
        Column("same as OVA", ".3f", "set as OVA"),
        Column("printed", ".3f"),
        Column("70 % err", ".2f"),
        Column("half err", ".2f"),
    )

    def rows(self, scope: Scope) -> Iterator[tuple[Any, ...]]:
        for name, study, train, test in studies(scope):

            @cache
            def ask(
                code: str, sigma: float, C: float, name: str = name, data: Any = (train, test)
            ) -> Answers:
                say(f"{name}, {code}, C = {C:g}")
                return support_vectors(code, sigma, C, *data)

            codes = codes_of(study, scope)
            usual = study.svm["OVA"]
            for i, first in enumerate(codes):
                for second in codes[i + 1 :]:
                    a, b = (ask(code, *study.svm[code]) for code in (first, second))
                    alike = agreement([ask(code, *usual).predictions for code in (first, second)])
                    profile = errors_of(a, b) if first == "OVA" else None
                    yield (
                        name,
                        first,
                        second,
                        agreement([a.predictions, b.predictions]).matrix[0, 1],
                        alike.matrix[0, 1],
                        study.overlap.get((first, second)),
                        None if profile is None else profile.at_least(MOST),
                        None if profile is None else profile.at_least(HALF),
                    )

    def notes(self, table: Table, scope: Scope) -> list[str]:
        notes = [
            "The thesis finds, for DEN on satimage, 70 % of the machines in error for 80 % of OVA's errors."
        ]
        return notes + (missing(table, scope) if table.complete else [])


def errors_of(a: Answers, b: Answers) -> CorrelatedErrors:
    """How many machines of b err where a does."""
    assert b.code is not None and b.values is not None
    return correlated_errors(b.y, a.predictions, b.code, b.values)
