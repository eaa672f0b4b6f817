# SPDX-License-Identifier: Apache-2.0
"""Does what isa_digest does, for compound arithmetic and the remaining conversions."""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

import numpy as np

import cannery

from .arithmetic_model import OPS, TYPES, ExtCase, ExtMachine
from .test_arithmetic_ext import AXPY, PAIRS, SHIFTED, random_values
from .test_cast_full import ROWS
from .vector_machine import place

COUNT = 5002  # tails of every vector length; even, for int4b_t


def cases() -> list[ExtCase]:
    def scalar(number: float, dtype: str) -> bytes:
        return np.array([number], TYPES[dtype]).tobytes()

    scale = (1, 0.3125, 0)
    return [
        *(ExtCase(op, dst, src, count=COUNT, deq=scale) for op, dst, src in PAIRS),
        *(ExtCase("Axpy", d, s, count=COUNT, scalar=scalar(1.7, s)) for d, s in AXPY),
        *(
            ExtCase(op, dtype, count=COUNT, scalar=scalar(5, dtype))
            for op in ("ShiftLeft", "ShiftRight")
            for dtype in SHIFTED
        ),
        *(
            ExtCase("Cast", dst, src, count=COUNT, mode=mode, saturation=switches)
            for dst, src, mode in ROWS
            for switches in (0, 3)
        ),
    ]


def main(kernel: str) -> None:
    defines = {f"OP_{op}": i for i, op in enumerate(OPS)}
    machine = ExtMachine(cannery.compile_kernel(Path(kernel), "arithmetic_ext", defines))
    digests = {}
    for case in cases():
        rng = np.random.default_rng(7)
        names = (case.dtype, case.src_name, case.src_name)
        image, placed = place(case, [random_values(name, COUNT, rng) for name in names], rng)
        name = f"{case.op} {case.dtype} {case.src_name} {case.mode} {case.saturation}"
        digests[name] = hashlib.sha256(machine.run(image, placed).tobytes()).hexdigest()
    print(json.dumps(digests))


if __name__ == "__main__":
    main(sys.argv[1])
