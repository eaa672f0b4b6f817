# SPDX-License-Identifier: Apache-2.0
"""Compares the time of the high-level Matmul for a square product with NumPy's BLAS.

    .venv/bin/python benchmarks/bench_matmul.py [--size 2048] [--cores 24] [--rounds 5] [--json]

matmul_tiling.cpp computes the tiling, and the twin uses two threads. The twin multiplies half and
int8; NumPy multiplies the same numbers, converted to float32 before the measurement. Twin and NumPy
take turns in one process, and the best round counts. With --check, a ratio above its limit is a
failure.
"""

from __future__ import annotations

import argparse
import json
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import cannery
from cannery._runtime import twin_root

HERE = Path(__file__).resolve().parent
# For each type: NumPy types of input and output, their numbers in matmul_tiling::DataType, and the
# largest accepted ratio of the twin's time to BLAS's time.
ROWS = {"half": (np.float16, np.float32, 1, 0, 3.0), "int8": (np.int8, np.int32, 2, 3, 2.0)}


def tiling(size: int, cores: int, source: int, result: int) -> bytes:
    """Returns the bytes of the product's TCubeTiling."""
    twin = twin_root()  # an editable install has the twin outside of the source folder
    with tempfile.TemporaryDirectory() as folder:
        program = f"{folder}/matmul_tiling"
        libraries = [f"-L{twin}/lib", f"-Wl,-rpath,{twin}/lib", "-lnnopbase", "-lascendcl"]
        command = ["g++", "-std=c++11", f"-I{twin}/include", str(HERE / "matmul_tiling.cpp")]
        subprocess.run([*command, "-o", program, *libraries], check=True)
        numbers = [str(number) for number in (size, cores, source, result)]
        run = subprocess.run([program, *numbers], check=True, capture_output=True, text=True)
    return struct.pack("<50i", *map(int, run.stdout.split()))


def best(rounds: int, *sides: Callable[[], Any]) -> list[float]:
    """Returns the seconds of the best round of each function."""
    times = [float("inf")] * len(sides)
    for _ in range(rounds + 1):
        for i, side in enumerate(sides):
            start = time.perf_counter()
            side()
            times[i] = min(times[i], time.perf_counter() - start)
    return times


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=2048)
    parser.add_argument("--cores", type=int, default=24)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--check", action="store_true", help="fail above a limit")
    arguments = parser.parse_args()
    size = arguments.size
    kernel = cannery.compile_kernel(HERE / "matmul_square.cpp", "matmul_square")
    rng = np.random.default_rng(1)
    results = {}
    for key, (name, (source, result, source_id, result_id, limit)) in enumerate(ROWS.items()):
        a, b = (rng.integers(-8, 8, (size, size)).astype(source) for _ in range(2))
        c = np.zeros((size, size), result)
        data = tiling(size, arguments.cores, source_id, result_id)
        blocks = struct.unpack_from("<i", data)[0]
        wide_a, wide_b = a.astype(np.float32), b.astype(np.float32)
        with cannery.use(threads=2):
            twin, blas = best(
                arguments.rounds,
                lambda: kernel(blocks, a, b, c, tiling=data, tiling_key=key),  # noqa: B023
                lambda: wide_a @ wide_b,  # noqa: B023
            )
        if not np.array_equal(c, (wide_a @ wide_b).astype(result)):
            print(f"{name}: the products differ", file=sys.stderr)
            return 1
        results[name] = {"ratio": twin / blas, "limit": limit, "cores": blocks}
    if arguments.json:
        print(json.dumps(results))
    else:
        for name, row in results.items():
            print(
                f"{name:5} {row['cores']:3} cores: {row['ratio']:.2f} x, at most {row['limit']} x"
            )
    within = all(row["ratio"] <= row["limit"] for row in results.values())
    return 0 if within or not arguments.check else 1


if __name__ == "__main__":
    sys.exit(main())
