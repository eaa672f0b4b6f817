# SPDX-License-Identifier: Apache-2.0
"""Measures how long the tilings of many shapes of one operator take.

    .venv/bin/python benchmarks/bench_tiling.py [--shapes 10000] [--json]

The shapes of SwiGluGrad all differ, from few short rows to many long ones. `cannery.tiling` makes
each tiling, and its fields are read. The first call, which loads the library, is not counted. The
program ends with exit code 1 if 10,000 shapes would take LIMIT_S or longer.
"""

from __future__ import annotations

import argparse
import json
import sys
import time

import cannery

#: The seconds that 10,000 shapes may take.
LIMIT_S = 5.0


def shapes(count: int) -> list[tuple[int, int]]:
    """Returns pairs of sizes: the number of rows, and the number of columns in half a row."""
    return [(1 + index % 331, 16 * (1 + index % 257) + index // 331) for index in range(count)]


def measure(count: int) -> float:
    """Returns the seconds for `count` shapes."""
    cases = shapes(count)
    tiles = 0
    cannery.tiling("SwiGluGrad", [((1, 16), "float16"), ((1, 32), "float16")]).fields["tiles"]
    started = time.perf_counter()
    for rows, cols in cases:
        inputs = [((rows, cols), "float16"), ((rows, 2 * cols), "float16")]
        tiles += cannery.tiling("SwiGluGrad", inputs, {"dim": -1})["tiles"]
    seconds = time.perf_counter() - started
    if tiles < count:
        raise RuntimeError("a tiling has no tiles")
    return seconds


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shapes", type=int, default=10_000)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    seconds = measure(options.shapes)
    if options.json:
        print(json.dumps({"shapes": options.shapes, "seconds": seconds}))
    else:
        each = 1e6 * seconds / options.shapes
        print(f"{options.shapes} shapes: {seconds:.2f} s, {each:.0f} us each")
    return 0 if seconds * 10_000 / options.shapes < LIMIT_S else 1


if __name__ == "__main__":
    sys.exit(main())
