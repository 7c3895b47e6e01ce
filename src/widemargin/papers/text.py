"""Linear machines on text: support vectors against least squares by conjugate gradients."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.preprocessing import normalize

from widemargin.codes import bch
from widemargin.datasets import Sample, archive
from widemargin.estimators import SVC, RLSClassifier
from widemargin.papers.experiment import Experiment, Scope, say
from widemargin.papers.table import Column, Table

Machines = Callable[[int], Mapping[str, Any]]

C, RIDGE = 10.0, 1.0
"""Of the SVM, which the thesis does not print, and of least squares, lam n."""


def machines_of(code: str) -> Machines:
    """Both machines with a code, for n documents."""
    return lambda n: {
        "SVM": SVC(kernel="linear", C=C, multiclass=code),
        "RLS": RLSClassifier(kernel="linear", lam=RIDGE / n, solver="cg", tol=1e-4, multiclass=code),
    }


@dataclass(frozen=True)
class Scheme:
    """How several classes are made of two-class machines, how many those are, and the splits of a quick
    table."""

    machines: Machines
    columns: Callable[[int], int]
    quick_splits: int


SCHEMES = {
    "OVA": Scheme(machines_of("one-vs-all"), lambda classes: classes, 2),
    "BCH 63": Scheme(machines_of("bch"), lambda classes: bch(classes, random_state=0).n_columns, 1),
}


@dataclass(frozen=True)
class Corpus:
    """Documents, how they are split, and what is printed about them.

    `errors` has the shares of wrong test documents of SVM and RLS by scheme and documents per class,
    `seconds` those per classifier by scheme, of the largest training sets.
    """

    file: str
    share: float
    sizes: tuple[int, ...]
    errors: Mapping[tuple[str, int], tuple[float, float]] = field(default_factory=dict)
    seconds: Mapping[str, tuple[float, float]] = field(default_factory=dict)


CORPORA = {
    "20newsgroups": Corpus(
        "20newsgroups",
        0.8,
        (800, 250, 100, 30),
        {
            ("OVA", 800): (0.131, 0.129),
            ("OVA", 250): (0.167, 0.165),
            ("OVA", 100): (0.214, 0.211),
            ("OVA", 30): (0.311, 0.309),
            ("BCH 63", 800): (0.125, 0.129),
            ("BCH 63", 250): (0.164, 0.165),
            ("BCH 63", 100): (0.213, 0.213),
            ("BCH 63", 30): (0.312, 0.316),
        },
        {"OVA": (50, 6.5), "BCH 63": (165, 6.2)},
    ),
    "sector105": Corpus(
        "sector",
        0.5,
        (52, 20, 10, 3),
        {
            ("OVA", 52): (0.072, 0.066),
            ("OVA", 20): (0.176, 0.169),
            ("OVA", 10): (0.341, 0.335),
            ("OVA", 3): (0.650, 0.648),
            ("BCH 63", 52): (0.067, 0.069),
            ("BCH 63", 20): (0.176, 0.178),
            ("BCH 63", 10): (0.343, 0.344),
            ("BCH 63", 3): (0.653, 0.654),
        },
        {"OVA": (1.6, 3.5), "BCH 63": (7.3, 4.5)},
    ),
}
OWN_WORDS = 0.2
GENERATED = Corpus("", 0.5, (40, 20, 10, 3))


class Text(Experiment):
    """Shares of wrong test documents, and seconds of training for each two-class machine (all classes of
    RLS are one fit), means over random splits within classes: half of sector105 for training, four fifths
    of 20newsgroups, of which so many per class. Rows have length one; the other preprocessing and the C
    of the study are not printed: here C = 10, and lam n = 1 as there. BCH 63 is a code of 63 columns, fewer
    for few classes, with rows out of the words of a BCH code; which ones the study took is not printed."""

    title = "Least squares beside the SVM: text"
    source = "Rifkin 2002, thesis, tables 3.1 to 3.3"
    needs = (
        "sector.npz and 20newsgroups.npz in the data folder (counts or weights of words as CSR arrays "
        "train_data, train_indices, train_indptr, train_shape, the same with test_, and classes y_train, "
        "y_test); without them generated documents."
    )
    columns = (
        Column("set"),
        Column("scheme"),
        Column("per class"),
        Column("n"),
        Column("splits"),
        Column("SVM", ".3f"),
        Column("printed SVM", ".3f", "printed"),
        Column("RLS", ".3f"),
        Column("printed RLS", ".3f", "printed"),
        Column("SVM s", ".4f"),
        Column("printed SVM s", ".1f", "printed"),
        Column("RLS s", ".4f"),
        Column("printed RLS s", ".1f", "printed"),
    )

    def rows(self, scope: Scope) -> Iterator[tuple[Any, ...]]:
        for name, corpus, documents in corpora(scope):
            for scheme in SCHEMES:
                splits = 10 if scope.full else SCHEMES[scheme].quick_splits
                for size in corpus.sizes:
                    say(f"{name}, {scheme}, {size} documents per class")
                    runs = [run(documents, corpus, SCHEMES[scheme], size, seed) for seed in range(splits)]
                    n, svm, rls, svm_seconds, rls_seconds = np.mean(runs, axis=0)
                    errors = corpus.errors.get((scheme, size), (None, None))
                    seconds = corpus.seconds.get(scheme) if size == corpus.sizes[0] else None
                    svm_printed, rls_printed = seconds or (None, None)
                    yield (
                        name,
                        scheme,
                        size,
                        n,
                        splits,
                        svm,
                        errors[0],
                        rls,
                        errors[1],
                        svm_seconds,
                        svm_printed,
                        rls_seconds,
                        rls_printed,
                    )

    def notes(self, table: Table, scope: Scope) -> list[str]:
        missing = [
            f"{each.file}.npz" for each in CORPORA.values() if not archive.is_here(each.file, scope.data_dir)
        ]
        notes = [f"Not found in the data folder: {', '.join(missing)}."] if missing else []
        if len(missing) == len(CORPORA):
            notes.append("The documents are generated: words of a class are drawn from its own distribution.")
        return notes


def corpora(scope: Scope) -> Iterator[tuple[str, Corpus, Sample]]:
    """The corpora at hand, or a generated one."""
    here = {name: each for name, each in CORPORA.items() if archive.is_here(each.file, scope.data_dir)}
    if not here:
        yield "generated", GENERATED, generated_documents(20, 80, seed=0)
    for name, corpus in here.items():
        sample = archive.merged(archive.parts(corpus.file, scope.data_dir))
        yield name, corpus, Sample(normalize(sample.X.astype(np.float64)), sample.y)


def run(documents: Sample, corpus: Corpus, scheme: Scheme, size: int, seed: int) -> tuple[float, ...]:
    """n, the errors of SVM and RLS, and their seconds for each two-class machine, on one random split."""
    rows, test = split(documents.y, corpus.share, size, np.random.default_rng(seed))
    columns = scheme.columns(len(np.unique(documents.y)))
    errors, seconds = [], []
    for machine in scheme.machines(len(rows)).values():
        begin = time.perf_counter()
        machine.fit(documents.X[rows], documents.y[rows])
        seconds.append((time.perf_counter() - begin) / columns)
        errors.append(1 - machine.score(documents.X[test], documents.y[test]))
    return len(rows), *errors, *seconds


def split(
    y: np.ndarray, share: float, size: int, random: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Rows of a share of every class, of which at most `size` are for training; the other shares are for
    test.

    The test rows of a seed do not depend on the size, and training rows of a smaller size are among those
    of a larger one.
    """
    train, test = [], []
    for name in np.unique(y):
        rows = random.permutation(np.flatnonzero(y == name))
        end = int(share * len(rows))
        train.append(rows[: min(end, size)])
        test.append(rows[end:])
    return np.concatenate(train), np.concatenate(test)


def generated_documents(
    classes: int, per_class: int, *, words: int = 2000, length: int = 60, seed: int
) -> Sample:
    """Counts of words, scaled to length one. A word follows the distribution of the class with probability
    OWN_WORDS, else one that all classes share; they are Zipf's, in different orders."""
    random = np.random.default_rng(seed)
    zipf = 1 / np.arange(1, words + 1)
    zipf /= zipf.sum()
    y = np.repeat(np.arange(classes), per_class)
    orders = np.array([random.permutation(words) for _ in range(classes)])
    ranks = random.choice(words, (len(y), length), p=zipf)
    own = np.take_along_axis(orders[y], ranks, axis=1)
    drawn = np.where(random.random(ranks.shape) < OWN_WORDS, own, ranks)
    rows = np.repeat(np.arange(len(y)), length)
    counts = sparse.csr_matrix((np.ones(drawn.size), (rows, drawn.ravel())), shape=(len(y), words))
    return Sample(normalize(counts), y)
