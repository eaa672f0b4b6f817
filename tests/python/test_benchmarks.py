# SPDX-License-Identifier: Apache-2.0
"""Runs every script of benchmarks/ at its smallest size. The scripts must end without an error."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks"

#: Arguments of each script that make it run in a few seconds.
SMALLEST = {
    "bench_api.py": ["--only", "Exp", "--elements", "64"],
    "bench_build.py": [],
    "bench_compile.py": ["--rounds", "1"],
    "bench_cube.py": ["--rounds", "1"],
    "bench_hazards.py": ["--size", "small", "--rounds", "1", "--op", "swi_glu_grad"],
    "bench_kernels.py": ["swi_glu_grad", "--kind", "small", "--check"],
    "bench_matmul.py": ["--size", "256", "--cores", "2", "--rounds", "1"],
    "bench_op.py": ["swi_glu_grad", "--size", "small", "--rounds", "1"],
    "bench_profile.py": ["--size", "small", "--rounds", "1"],
    "bench_swi_glu_grad.py": ["--size", "small", "--rounds", "1"],
    "bench_tiling.py": ["--shapes", "100"],
    "calibrate_timing.py": ["--points", "P"],
    "profile_pages.py": [],
}


def test_each_script_has_a_smallest_size() -> None:
    assert sorted(SMALLEST) == sorted(path.name for path in FOLDER.glob("*.py"))


@pytest.mark.slow
@pytest.mark.twin_only("measures the twin")
@pytest.mark.parametrize("script", SMALLEST)
def test_script_ends_without_an_error(script: str) -> None:
    command = [sys.executable, str(FOLDER / script), *SMALLEST[script]]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.strip(), "the script printed nothing"
