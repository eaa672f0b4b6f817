# SPDX-License-Identifier: Apache-2.0
"""Compares the time per element of vector instructions on the twin with NumPy.

    .venv/bin/python benchmarks/bench_api.py [--only Exp] [--elements 8192] [--json]

A kernel repeats one instruction on one tile in the unified buffer. The time of the launch cancels
out, because the time of few repetitions is subtracted from the time of many. NumPy uses arrays of
the same size, which stay in the cache, and reuses its output array. Twin and NumPy take turns in
one process, and the best of ROUNDS rounds counts. The hazard checker is off.
"""

from __future__ import annotations

import argparse
import functools
import json
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from ml_dtypes import bfloat16

import cannery

Array = np.ndarray[Any, Any]

TYPES: dict[str, Any] = {
    "half": np.float16,
    "bfloat16_t": bfloat16,
    "float": np.float32,
    "int16_t": np.int16,
    "int32_t": np.int32,
}
ROUNDS = 21
FEW, MANY = 100, 1100


class Row(NamedTuple):
    """Describes one instruction: how the kernel calls it and what NumPy does instead. In `call`,
    `d` is the destination, `a` and `b` are the sources and `n` is the count.
    """

    name: str
    dst: str
    src: str
    call: str
    numpy: Callable[[Array, Array, Array], Any]


def cast_to(kind: str) -> Callable[[Array, Array, Array], Any]:
    return lambda a, b, out: np.copyto(out, a, casting="unsafe")


def rounded_cast(a: Array, b: Array, out: Array) -> None:
    np.copyto(out, np.rint(a), casting="unsafe")


def times_three(a: Array, b: Array, out: Array) -> None:
    np.multiply(a, a.dtype.type(3), out=out)


def sum_rows(width: int) -> Callable[[Array, Array, Array], Any]:
    return lambda a, b, out: a.reshape(-1, width).sum(axis=1, out=out[: len(a) // width])


@functools.lru_cache
def every_other(count: int) -> Array:
    """Returns flags that choose about half of the elements at random."""
    return np.random.default_rng(2).random(count) < 0.5


ROWS = [
    *(
        Row("Add", t, t, "Add(d, a, b, n)", lambda a, b, out: np.add(a, b, out=out))
        for t in ("float", "half", "int16_t", "int32_t")
    ),
    *(
        Row("Mul", t, t, "Mul(d, a, b, n)", lambda a, b, out: np.multiply(a, b, out=out))
        for t in ("float", "half", "int16_t", "int32_t")
    ),
    *(
        Row("Div", t, t, "Div(d, a, b, n)", lambda a, b, out: np.divide(a, b, out=out))
        for t in ("float", "half")
    ),
    *(
        Row("Max", t, t, "Max(d, a, b, n)", lambda a, b, out: np.maximum(a, b, out=out))
        for t in ("float", "half", "int32_t")
    ),
    *(
        Row("Muls", t, t, f"Muls(d, a, ({t})3, n)", times_three)
        for t in ("float", "half", "int32_t")
    ),
    *(
        Row("Exp", t, t, "Exp(d, a, n)", lambda a, b, out: np.exp(a, out=out))
        for t in ("float", "half")
    ),
    *(
        Row("Ln", t, t, "Ln(d, a, n)", lambda a, b, out: np.log(a, out=out))
        for t in ("float", "half")
    ),
    *(
        Row("Sqrt", t, t, "Sqrt(d, a, n)", lambda a, b, out: np.sqrt(a, out=out))
        for t in ("float", "half")
    ),
    *(
        Row("Abs", t, t, "Abs(d, a, n)", lambda a, b, out: np.absolute(a, out=out))
        for t in ("float", "half")
    ),
    Row("Cast", "float", "half", "Cast(d, a, RoundMode::CAST_NONE, n)", cast_to("float")),
    Row("Cast", "half", "float", "Cast(d, a, RoundMode::CAST_NONE, n)", cast_to("half")),
    Row("Cast", "float", "bfloat16_t", "Cast(d, a, RoundMode::CAST_NONE, n)", cast_to("float")),
    Row("Cast", "bfloat16_t", "float", "Cast(d, a, RoundMode::CAST_RINT, n)", cast_to("bf16")),
    Row("Cast", "float", "int32_t", "Cast(d, a, RoundMode::CAST_NONE, n)", cast_to("float")),
    Row("Cast", "int32_t", "float", "Cast(d, a, RoundMode::CAST_TRUNC, n)", cast_to("int32_t")),
    Row("Cast RINT", "int32_t", "float", "Cast(d, a, RoundMode::CAST_RINT, n)", rounded_cast),
    Row("Cast", "int16_t", "half", "Cast(d, a, RoundMode::CAST_TRUNC, n)", cast_to("int16_t")),
    Row("Cast", "half", "int16_t", "Cast(d, a, RoundMode::CAST_NONE, n)", cast_to("half")),
    *(
        Row("ReduceSum", t, t, "ReduceSum(d, a, b, n)", lambda a, b, out: np.add.reduce(a))
        for t in ("float", "half")
    ),
    *(
        Row("WholeReduce", t, t, f"WholeReduceSum(d, a, {k}, n / {k}, 1, 1, 8)", sum_rows(k))
        for t, k in (("float", 64), ("half", 128))
    ),
    *(
        Row("ReduceMax", t, t, "ReduceMax(d, a, b, n, true)", lambda a, b, out: a.argmax())
        for t in ("float", "half")
    ),
    *(
        Row(
            "Compare", t, t, "Compare(d.ReinterpretCast<uint8_t>(), a, b, CMPMODE::LT, n)",
            lambda a, b, out: np.packbits(np.less(a, b), bitorder="little"),
        )
        for t in ("float", "half")
    ),
    *(
        Row(
            "Select", t, t,
            "Select(d, b.ReinterpretCast<uint8_t>(), a, b, SELMODE::VSEL_TENSOR_TENSOR_MODE, n)",
            lambda a, b, out: np.where(every_other(a.size), a, b),
        )
        for t in ("float", "half")
    ),
    *(
        Row(
            "GatherMask", t, t,
            f"uint64_t kept; GatherMask(d, a, b.ReinterpretCast<uint{w}_t>(), true, n, "
            "{1, 1, 8, 8}, kept)",
            lambda a, b, out: a[every_other(a.size)],
        )
        for t, w in (("float", 32), ("half", 16))
    ),
]  # fmt: skip

SOURCE = """
#include "kernel_operator.h"
using namespace AscendC;
struct Load {{ int32_t n; int32_t repeats; }};
extern "C" __global__ __aicore__ void bench(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR tiling) {{
    GET_TILING_DATA_WITH_STRUCT(Load, load, tiling);
    TPipe pipe;
    TBuf<TPosition::VECCALC> dst, src0, src1;
    const int32_t n = load.n;
    pipe.InitBuffer(dst, n * sizeof({dst}));
    pipe.InitBuffer(src0, n * sizeof({src}));
    pipe.InitBuffer(src1, n * sizeof({src}));
    LocalTensor<{dst}> d = dst.Get<{dst}>();
    LocalTensor<{src}> a = src0.Get<{src}>(), b = src1.Get<{src}>();
    GlobalTensor<{src}> gx, gy;
    GlobalTensor<{dst}> gz;
    gx.SetGlobalBuffer((__gm__ {src}*)x);
    gy.SetGlobalBuffer((__gm__ {src}*)y);
    gz.SetGlobalBuffer((__gm__ {dst}*)z);
    DataCopy(a, gx, n);
    DataCopy(b, gy, n);
    PipeBarrier<PIPE_ALL>();
    for (int32_t i = 0; i < load.repeats; i++) {{
        {call};
    }}
    PipeBarrier<PIPE_ALL>();
    DataCopy(gz, d, n);
}}
"""


def seconds_of(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def measure(row: Row, elements: int) -> dict[str, Any]:
    """Returns the nanoseconds per element on the twin and in NumPy, and their ratio."""
    rng = np.random.default_rng(1)
    kinds = [TYPES[t] for t in (row.src, row.src, row.dst)]
    numbers = [(rng.random(elements) * 9 + 0.5).astype(kind) for kind in kinds]
    kernel = cannery.compile_kernel(SOURCE.format(dst=row.dst, src=row.src, call=row.call), "bench")

    def launch(repeats: int) -> None:
        kernel(1, *numbers, tiling=np.array([elements, repeats], np.int32).tobytes())

    def numpy() -> None:
        for _ in range(MANY - FEW):
            row.numpy(*numbers)

    few = many = other = float("inf")
    with np.errstate(all="ignore"):
        for _ in range(ROUNDS):
            few = min(few, seconds_of(lambda: launch(FEW)))
            many = min(many, seconds_of(lambda: launch(MANY)))
            other = min(other, seconds_of(numpy))
    scale = 1e9 / elements / (MANY - FEW)
    twin_ns = (many - few) * scale
    numpy_ns = other * scale
    types = row.dst if row.dst == row.src else f"{row.src} -> {row.dst}"
    return {
        "api": row.name,
        "types": types,
        "twin_ns": twin_ns,
        "numpy_ns": numpy_ns,
        "ratio": numpy_ns / twin_ns,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="rows whose name contains this")
    parser.add_argument("--elements", type=int, default=8192, help="elements of the tile")
    parser.add_argument("--json", action="store_true", help="one JSON object per row")
    arguments = parser.parse_args()
    if not arguments.json:
        print(f"{'API':<12}{'types':<24}{'twin':>10}{'NumPy':>10}{'ratio':>8}   (ns per element)")
    for row in ROWS:
        if arguments.only not in row.name:
            continue
        with cannery.use(hazards="off"):
            result = measure(row, arguments.elements)
        if arguments.json:
            print(json.dumps(result))
        else:
            print(
                f"{result['api']:<12}{result['types']:<24}{result['twin_ns']:>10.3f}"
                f"{result['numpy_ns']:>10.3f}{result['ratio']:>7.1f}x"
            )
        sys.stdout.flush()


if __name__ == "__main__":
    main()
