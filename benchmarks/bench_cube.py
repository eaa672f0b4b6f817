# SPDX-License-Identifier: Apache-2.0
"""Compares the time of cube instructions on the twin with NumPy, each on one thread.

    OPENBLAS_NUM_THREADS=1 python benchmarks/bench_cube.py [--only Mmad] [--rounds 15] [--json]

A kernel repeats one instruction. The time of the launch cancels out, because the time of few
repetitions is subtracted from the time of many. Mmad of any type is compared with NumPy's float32
matrix product of the same shape. Twin and NumPy take turns; the best round counts. The hazard
checker is off: it would need time, and it would report that repetitions overwrite their results.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

for _name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(_name, "1")  # BLAS reads the variable when NumPy is loaded

import numpy as np  # noqa: E402

import cannery  # noqa: E402

FEW, MANY = 20, 220
M, N = 128, 256
BITS = {"half": 16, "bfloat16_t": 16, "float": 32, "int8_t": 8, "int4b_t": 4}


class Row(NamedTuple):
    """Describes one instruction: `call` is the kernel's statement; `numpy()` does the same work."""

    name: str
    left: str
    sums: str
    k: int
    call: str
    numpy: Callable[[], Any]


def product(k: int) -> Callable[[], Any]:
    a, b = np.ones((M, k), np.float32), np.ones((k, N), np.float32)
    out = np.empty((M, N), np.float32)
    return lambda: np.matmul(a, b, out=out)


def to_stripes() -> Callable[[], Any]:
    a, out = np.ones((M, N), np.float16), np.empty((N // 16, M, 16), np.float16)
    return lambda: np.copyto(out, a.reshape(M, N // 16, 16).transpose(1, 0, 2))


def turned() -> Callable[[], Any]:
    a, out = np.ones((64, 16, 16), np.float16), np.empty((64, 16, 16), np.float16)
    return lambda: np.copyto(out, a.transpose(0, 2, 1))


def to_half() -> Callable[[], Any]:
    a, out = np.ones((N // 16, M, 16), np.float32), np.empty((M, N), np.float16)
    return lambda: np.copyto(out.reshape(M, N // 16, 16), a.transpose(1, 0, 2), casting="same_kind")


ROWS = [
    *(
        Row("Mmad", left, sums, k, f"Mmad(c, a, b, MmadParams({M}, {N}, {k}, 0, false, true))",
            product(k))
        for left, sums, k in (
            ("half", "float", 64), ("bfloat16_t", "float", 64), ("float", "float", 32),
            ("int8_t", "int32_t", 64), ("int8_t", "int32_t", 128), ("int4b_t", "int32_t", 256),
        )
    ),
    Row("Nd2Nz", "half", "float", 64,
        f"DataCopy(l1, gx, Nd2NzParams(1, {M}, {N}, 0, {N}, {M}, 1, 0))", to_stripes()),
    Row("LoadData", "half", "float", 64,
        "LoadData(b, l1, LoadData2DParams(0, 64, 1, 0, 0, true, 0))", turned()),
    Row("Fixpipe", "half", "float", 64,
        f"Fixpipe(gz, c, FixpipeParamsV220({N}, {M}, {M}, {N}, false, QuantMode_t::F322F16, 0, 1, "
        "0, 0, 0))", to_half()),
]  # fmt: skip

SOURCE = """
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void bench(GM_ADDR x, GM_ADDR z, GM_ADDR repeats) {{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    TPipe pipe;
    GlobalTensor<{left}> gx;
    GlobalTensor<half> gz;
    GlobalTensor<int32_t> count;
    gx.SetGlobalBuffer((__gm__ {left}*)x);
    gz.SetGlobalBuffer((__gm__ half*)z);
    count.SetGlobalBuffer((__gm__ int32_t*)repeats);
    LocalTensor<{left}> l1(TPosition::A1, 0, {fits});
    LocalTensor<{left}> a(TPosition::A2, 0, {fits});
    LocalTensor<{left}> b(TPosition::B2, 0, {fits});
    LocalTensor<{sums}> c(TPosition::CO1, 0, 32768);
    InitConstValue(a.template ReinterpretCast<half>(), InitConstValueParams<half>(1, 128, 0, 0));
    InitConstValue(b.template ReinterpretCast<half>(), InitConstValueParams<half>(1, 128, 0, 0));
    PipeBarrier<PIPE_ALL>();
    Mmad(c, a, b, MmadParams({m}, {n}, {k}, 0, false, true));
    PipeBarrier<PIPE_ALL>();
    const int32_t n = count.GetValue(0);
    for (int32_t i = 0; i < n; i++) {{
        {call};
    }}
}}
"""


def seconds_of(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def measure(row: Row, rounds: int) -> dict[str, Any]:
    """Returns the microseconds per repetition on the twin and in NumPy, and their ratio."""
    fits = 65536 * 8 // BITS[row.left]  # number of elements that fit into L0A or L0B
    text = SOURCE.format(fits=fits, left=row.left, sums=row.sums, call=row.call, m=M, n=N, k=row.k)
    kernel = cannery.compile_kernel(text, "bench")
    data, out = np.zeros(65536, np.uint8), np.zeros(M * N, np.float16)

    def numpy() -> None:
        for _ in range(MANY - FEW):
            row.numpy()

    few = many = other = float("inf")
    with cannery.use(threads=1, hazards="off"):
        for _ in range(rounds):
            few = min(few, seconds_of(lambda: kernel(1, data, out, np.array([FEW], np.int32))))
            many = min(many, seconds_of(lambda: kernel(1, data, out, np.array([MANY], np.int32))))
            other = min(other, seconds_of(numpy))
    twin_us, numpy_us = ((many - few) / (MANY - FEW) * 1e6, other / (MANY - FEW) * 1e6)
    return {
        "api": row.name,
        "types": f"{row.left}, k {row.k}",
        "twin_us": twin_us,
        "numpy_us": numpy_us,
        "ratio": numpy_us / twin_us,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="rows whose name contains this")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--json", action="store_true", help="one JSON object per row")
    arguments = parser.parse_args()
    if not arguments.json:
        print(f"{'API':<12}{'A':<20}{'twin':>10}{'NumPy':>10}{'ratio':>8}   (us)")
    for row in ROWS:
        if arguments.only not in row.name:
            continue
        result = measure(row, arguments.rounds)
        if arguments.json:
            print(json.dumps(result))
        else:
            print(
                f"{result['api']:<12}{result['types']:<20}{result['twin_us']:>10.1f}"
                f"{result['numpy_us']:>10.1f}{result['ratio']:>7.2f}x"
            )
        sys.stdout.flush()


if __name__ == "__main__":
    main()
