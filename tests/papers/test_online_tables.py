"""The claims about LASVM on a small chess board."""

import io

import pytest

from widemargin.papers import experiments


def rebuilt(name):
    return experiments[name].run(out=io.StringIO()).records()


def test_second_order_is_better_after_one_epoch():
    first, second, batch = rebuilt("lasvm")
    assert second["candidates"] < 0.7 * first["candidates"]
    assert first["dual"] < second["dual"] < batch["dual"]
    assert second["primal"] < first["primal"]
    assert batch["primal"] == pytest.approx(batch["dual"], rel=1e-3)


def test_epochs_bring_both_values_together():
    rows = rebuilt("lasvm-epochs")
    for name in ("MVP", "SO"):
        duals = [row[f"dual {name}"] for row in rows]
        assert duals == sorted(duals)
    assert rows[-1]["dual MVP"] < rows[-1]["dual SO"] <= 1.0 + 1e-6 <= rows[-1]["primal SO"] + 1e-6


def test_a_smaller_cache_costs_kernel_evaluations_and_nothing_else():
    rows = rebuilt("lasvm-cache")
    for name in ("MVP", "SO"):
        evaluations = [row[f"evaluations {name}"] for row in rows]
        assert evaluations == sorted(evaluations, reverse=True)
    assert rows[1]["evaluations SO"] < rows[1]["evaluations batch"]
