# SPDX-License-Identifier: Apache-2.0
"""Kernels of the device tests must leave the same bytes with 1 and 2 threads and any core order."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).resolve().parent
#: Modules with launches of several blocks, or with functions that share state inside a core.
QUICK = ("test_multicore.py", "test_determinism.py", "test_framework.py", "test_small_calls.py")
#: Argument of `pytest -k`. It excludes tests of refused calls: no kernel runs to its end there.
NO_LAUNCH = "not refused"


def replayed(
    modules: list[str], cache: Path, report: Path, every: bool, seconds: float
) -> list[dict[str, Any]]:
    """Runs test modules in a separate process and returns the objects that schedules.py writes."""
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        "SCHEDULE_REPORT": str(report),
        "SCHEDULE_ALL": "1" if every else "0",
        "KERNELS_FOR_TESTS": str(cache),
    }
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-k",
        NO_LAUNCH,
        *modules,
    ]
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False, timeout=seconds
    )
    # Status 1 is allowed: tests that count a kernel's output fail, as the kernel runs five times.
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return [json.loads(line) for line in report.read_text().splitlines()]


def check(rows: list[dict[str, Any]], several: int) -> None:
    assert sum(row["blocks"] > 1 for row in rows) >= several
    wrong = [row for row in rows if not row["same"]]
    assert not wrong, wrong


@pytest.mark.twin_only("schedules are the twin's")
@pytest.mark.release
def test_launches_of_several_blocks(shared_cache: Path, tmp_path: Path) -> None:
    modules = [str(HERE / name) for name in QUICK]
    check(replayed(modules, shared_cache, tmp_path / "report", every=False, seconds=120), 20)


@pytest.mark.release
def test_every_launch_of_the_suite(shared_cache: Path, tmp_path: Path) -> None:
    modules = [str(path) for path in sorted(HERE.glob("test_*.py")) if path != Path(__file__)]
    check(replayed(modules, shared_cache, tmp_path / "report", every=True, seconds=1800), 100)
