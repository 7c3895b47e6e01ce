"""The final boards of tic-tac-toe, by playing every game."""

from __future__ import annotations

import numpy as np

from .sample import Sample

LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))

Board = tuple[int, ...]


def tic_tac_toe() -> Sample:
    """The 958 boards at which a game begun by x (1) against o (-1) can end; +1 if x has won (626).

    Examples
    --------
    >>> sample = tic_tac_toe()
    >>> sample.X.shape, int((sample.y > 0).sum())
    ((958, 9), 626)
    """
    finals: set[Board] = set()
    play((0,) * 9, 1, finals, set())
    boards = sorted(finals, reverse=True)
    y = np.array([1.0 if won(board, 1) else -1.0 for board in boards])
    return Sample(np.array(boards, dtype=float), y, 0.0, None)


def play(board: Board, player: int, finals: set[Board], seen: set[Board]) -> None:
    """Collect the final boards reachable from `board` with `player` to move."""
    if board in seen:
        return
    seen.add(board)
    if won(board, -player) or 0 not in board:
        finals.add(board)
        return
    for field in range(9):
        if board[field] == 0:
            play(board[:field] + (player,) + board[field + 1 :], -player, finals, seen)


def won(board: Board, player: int) -> bool:
    """Whether `player` owns a whole line."""
    return any(all(board[field] == player for field in line) for line in LINES)
