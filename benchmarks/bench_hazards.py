# SPDX-License-Identifier: Apache-2.0
"""Compares the time of launches at each level of the hazard checker with the time without it.

    .venv/bin/python benchmarks/bench_hazards.py [--size medium] [--op swi_glu_grad | patterns]

Launches the operators, and access patterns that are slow to check. The levels take turns in one
process, and the best round counts. The last column is the largest ratio; the aim is at most 3 for
the operators at medium size, and at most 10 for everything else.
"""

from __future__ import annotations

import argparse
import json
import struct
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import cannery
from cannery import cases
from cannery.testing import best_of

HERE = Path(__file__).resolve().parent
LEVELS = ("off", "auto-sync", "explicit")
#: Name and number of blocks of the patterns in hazard_patterns.cpp; the index is the tiling key.
PATTERNS = (
    ("columns of 4 B", 8),
    ("columns of 1 B", 8),
    ("columns of sums", 8),
    ("rows of 64 B", 8),
    ("scalar accesses", 8),
    ("cores that meet", 8),
    ("SyncAll of 48 cores", 48),
    ("reads of 32 B", 8),
)
PATTERN_BYTES = 50000 * 64
#: Values of TCubeTiling's fields for a product of 1152 x 120 x 96: singleCoreM is 48.
SHARE = [24, 1152, 120, 96, 96, 48, 120, 96, 32, 64, 32, 6, 6, 1, 2]
SHARE += [0] * 11 + [3, 3, 0, 0, 1, 1, 1] + [0] * 17


def at_level(call: Callable[[], Any], level: str) -> Callable[[], Any]:
    def checked() -> Any:
        with cannery.use(hazards=level):
            return call()

    return checked


def measure(op: str, size: str, rounds: int) -> list[dict[str, Any]]:
    workloads = cases.find(op)
    found = []
    for dtype in workloads.dtypes:
        run = workloads.prepare(workloads.case(size, dtype, {}), 0)
        calls = {level: at_level(run.call, level) for level in LEVELS}
        seconds = best_of(calls, rounds)
        worst = max(seconds[level] for level in LEVELS[1:]) / seconds["off"]
        found.append({"op": op, "dtype": dtype.name, "seconds": seconds, "ratio": worst})
    return found


def measure_patterns(rounds: int) -> list[dict[str, Any]]:
    """Returns the times of the access patterns, and of matrix products whose operands are shared by
    two vector cores.
    """
    kernel = cannery.compile_kernel(HERE / "hazard_patterns.cpp", "patterns")
    source = np.ones(PATTERN_BYTES, np.int8)
    calls: dict[str, Callable[[], Any]] = {
        name: partial(kernel, blocks, source, np.zeros_like(source), tiling_key=key)
        for key, (name, blocks) in enumerate(PATTERNS)
    }
    calls["shared operands"] = shared_operands()
    found = []
    for name, call in calls.items():
        seconds = best_of({level: at_level(call, level) for level in LEVELS}, rounds)
        worst = max(seconds[level] for level in LEVELS[1:]) / seconds["off"]
        found.append({"op": name, "dtype": "", "seconds": seconds, "ratio": worst})
    return found


def shared_operands() -> Callable[[], Any]:
    fixtures = HERE.parent / "tests" / "fixtures" / "kernels"
    kernel = cannery.compile_kernel(fixtures / "device" / "matmul_share.cpp", "matmul_share")
    a, b = np.ones((48 * 24, 96), np.float16), np.ones((96, 120), np.float16)
    c = np.zeros((len(a), b.shape[1]), np.float32)
    tiling = struct.pack("<50i", *SHARE)
    return lambda: kernel(24, a, b, c, workspace=4096, tiling=tiling, tiling_key=1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--op", choices=[*cases.names(), "patterns"])
    parser.add_argument("--size", default="medium", choices=cases.SIZES)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rows = []
    for op in [options.op] if options.op else [*cases.names(), "patterns"]:
        patterns = op == "patterns"
        rows += (
            measure_patterns(options.rounds)
            if patterns
            else measure(op, options.size, options.rounds)
        )
    if options.json:
        print(json.dumps(rows, indent=2))
        return
    for row in rows:
        times = "  ".join(f"{level} {row['seconds'][level] * 1e3:8.1f} ms" for level in LEVELS)
        print(f"{row['op']:36} {row['dtype']:9} {times}  x{row['ratio']:.1f}")


if __name__ == "__main__":
    main()
