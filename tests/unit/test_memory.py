"""What is free, what an automatic budget takes of it, and that fits keep to their budget."""

import subprocess
import sys

import joblib
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris

import widemargin as wm
from widemargin import memory
from widemargin.memory import MEGABYTE, available_bytes, cache_bytes

GIGABYTE = 2**30
MACHINES = [wm.SVC, wm.NuSVC, wm.SVR, wm.NuSVR, wm.OneClassSVM, wm.EnclosingBall]


@pytest.fixture
def system(tmp_path, monkeypatch):
    """Files of a system to be filled in: call it with their contents."""
    monkeypatch.setattr(memory, "MEMINFO", tmp_path / "meminfo")
    monkeypatch.setattr(memory, "CGROUPS", tmp_path / "cgroup")
    monkeypatch.setattr(memory, "OWN_CGROUP", tmp_path / "self")

    def write(files):
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(str(text))

    write({"meminfo": "MemTotal: 16777216 kB\nMemFree: 10 kB\nMemAvailable:    8388608 kB\n"})
    return write


def test_what_the_system_can_give_is_available(system):
    assert available_bytes() == 8 * GIGABYTE


@pytest.mark.parametrize(
    "own, group, limit, use, stat",
    [
        ("0::/a/b", "cgroup/a/b", "memory.max", "memory.current", "inactive_file"),
        ("0::/a/b", "cgroup/a", "memory.max", "memory.current", "inactive_file"),
        ("0::/host/path", "cgroup", "memory.max", "memory.current", "inactive_file"),
        (
            "3:cpu:/\n4:memory:/a/b\n0::/",
            "cgroup/memory/a/b",
            "memory.limit_in_bytes",
            "memory.usage_in_bytes",
            "total_inactive_file",
        ),
    ],
)
def test_control_groups_around_the_process_limit_what_is_available(system, own, group, limit, use, stat):
    system({"self": own, f"{group}/{limit}": 2 * GIGABYTE, f"{group}/{use}": GIGABYTE})
    assert available_bytes() == GIGABYTE
    system({f"{group}/memory.stat": f"anon 5\n{stat} 4096\n"})
    assert available_bytes() == GIGABYTE + 4096
    system({f"{group}/{use}": 3 * GIGABYTE})
    assert available_bytes() == 0


def test_a_control_group_without_a_limit_limits_nothing(system):
    system({"self": "0::/a", "cgroup/a/memory.max": "max", "cgroup/a/memory.current": GIGABYTE})
    assert available_bytes() == 8 * GIGABYTE


def test_other_systems_are_asked_in_other_ways(tmp_path, monkeypatch):
    monkeypatch.setattr(memory, "MEMINFO", tmp_path / "nothing")
    monkeypatch.setattr(memory, "OWN_CGROUP", tmp_path / "nothing")
    monkeypatch.setattr(memory.os, "sysconf", {"SC_PAGE_SIZE": 4096, "SC_AVPHYS_PAGES": 1000}.__getitem__)
    assert available_bytes() == 4_096_000

    def unknown(name):
        raise ValueError

    monkeypatch.setattr(memory.os, "sysconf", unknown)
    assert available_bytes() == memory.UNKNOWN


def test_a_number_is_megabytes():
    assert cache_bytes(1.5, n=10) == 1.5 * MEGABYTE
    assert cache_bytes(0, n=10) == 0


def test_auto_is_half_of_what_is_free_and_no_more_than_the_whole_matrix(system):
    assert cache_bytes("auto", n=10) == 1200
    assert cache_bytes("auto", n=10_000) == 1_200_000_000
    assert cache_bytes("auto", n=1_000_000) == 4 * GIGABYTE


def test_auto_never_falls_below_a_few_rows_worth(system):
    system({"meminfo": "MemAvailable: 0 kB\n"})
    assert cache_bytes("auto", n=1_000_000) == memory.ALWAYS


def test_many_fits_in_a_row_share_a_look_at_what_is_free(system, monkeypatch):
    looks, clock = [], [100.0]
    monkeypatch.setattr(memory, "available_bytes", lambda: looks.append(0) or GIGABYTE * len(looks))
    monkeypatch.setattr(memory.time, "monotonic", lambda: clock[0])
    assert [cache_bytes("auto", n=1_000_000) for _ in range(5)] == [GIGABYTE // 2] * 5
    clock[0] += memory.A_MOMENT
    assert cache_bytes("auto", n=1_000_000) == GIGABYTE


def test_workers_of_joblib_share_the_half(system):
    with joblib.parallel_config("threading", n_jobs=2):
        inside = joblib.Parallel()(joblib.delayed(cache_bytes)("auto", n) for n in (1_000_000, 2_000_000))
    assert inside == [4 * GIGABYTE // joblib.cpu_count()] * 2


@pytest.mark.parametrize("Machine", MACHINES)
def test_every_machine_takes_auto_by_default_and_still_a_number(Machine):
    X, y = load_iris(return_X_y=True)
    assert Machine().get_params()["cache_size"] == clone(Machine()).cache_size == "auto"
    assert Machine(cache_size=1).fit(X, y).status_ is Machine().fit(X, y).status_


MEASURE = """
import warnings, numpy as np, scipy.linalg, scipy.sparse, widemargin as wm
from sklearn.datasets import make_classification

def peak():
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024

warnings.simplefilter("ignore")
X, y = make_classification(6000, 10, n_informative=5, flip_y=0.1, random_state=0)
sparse = scipy.sparse.csr_matrix(np.where(abs(X) > 1, X, 0))
budget = {"cache_size": 20, "max_iter": 1000, "n_jobs": 2}
wm.SVC().fit(X[:100], y[:100]).predict(X)
before = peak()
for machine, points, targets in [
    (wm.SVC(**budget), X, y),
    (wm.SVC(**budget), sparse, y),
    (wm.SVR(**budget), X, X[:, 0]),
    (wm.OneClassSVM(nu=0.1, **budget), X, None),
    (wm.SVC(probability=True, **budget), X, np.arange(6000) % 3),
    (wm.SVC(**budget | {"max_iter": 1}), X, np.arange(6000) % 60),
]:
    machine.fit(points, targets).predict(points)
    print(peak() - before)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_fits_keep_to_their_budget_and_a_hundred_megabytes():
    # The whole kernel matrix, or the coefficients of all 1770 pairs, would take much more.
    run = subprocess.run([sys.executable, "-c", MEASURE], capture_output=True, text=True, check=True)
    peaks = [float(line) for line in run.stdout.split()]
    assert len(peaks) == 6 and max(peaks) <= 20 + 100, peaks
