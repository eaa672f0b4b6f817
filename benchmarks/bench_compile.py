# SPDX-License-Identifier: Apache-2.0
"""Measures how long cannery.compile_kernel takes with an empty cache and with a filled one.

    .venv/bin/python benchmarks/bench_compile.py [FILE NAME] [--rounds 5] [--json]

FILE is an Ascend C source and NAME is its kernel. The default is a kernel of about 100 lines that
uses queues, masks, conversions, reductions and padded copies. Every round starts with an empty
cache, and the median counts. "headers" is the time for an empty kernel that only includes
kernel_operator.h. "cold" is the time for the kernel NAME, and "cached" is the time for the same
kernel once more. The program ends with exit code 1 if "cold" takes LIMIT_S or longer.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path

import cannery

DEFAULT = Path(__file__).with_name("compile_kernel.cpp")
HEADERS = """\
#include "kernel_operator.h"
extern "C" __global__ __aicore__ void nothing(GM_ADDR x) {}
"""
#: The seconds that a vector kernel of 100 lines may take without a cache, on an idle machine.
LIMIT_S = 1.5


def compile_seconds(text: str, name: str) -> float:
    started = time.perf_counter()
    cannery.compile_kernel(text, name)
    return time.perf_counter() - started


def measure(text: str, name: str, rounds: int) -> dict[str, float]:
    """Returns the median seconds of `headers`, `cold` and `cached`."""
    seconds: dict[str, list[float]] = {"headers": [], "cold": [], "cached": []}
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as folder, cannery.use(cache_dir=folder):
            seconds["headers"].append(compile_seconds(HEADERS, "nothing"))
            seconds["cold"].append(compile_seconds(text, name))
            seconds["cached"].append(compile_seconds(text, name))
    return {what: statistics.median(values) for what, values in seconds.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path, nargs="?", default=DEFAULT)
    parser.add_argument("name", nargs="?", default="row_softmax")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    text = options.file.read_text("utf-8")
    result = measure(text, options.name, options.rounds)
    if options.json:
        print(json.dumps({"lines": len(text.splitlines()), **result}))
    else:
        print(f"{options.name}: {len(text.splitlines())} lines")
        for what, seconds in result.items():
            print(f"  {what:8} {seconds:7.3f} s")
    return 0 if result["cold"] < LIMIT_S else 1


if __name__ == "__main__":
    sys.exit(main())
