# SPDX-License-Identifier: Apache-2.0
"""Runs every vector instruction on fixed random bit patterns and prints the results. It is a
process of its own, because a process decides once which instruction set of the host the twin uses.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

import cannery

from .cast_model import PAIRS
from .vector_machine import VectorMachine, operands_for, place
from .vector_model import BINARY, OPS, SCALAR, UNARY, Case
from .vector_shapes import shapes


def cases() -> list[Case]:
    """Yields long and short, contiguous and masked cases of every instruction and type."""
    rows = []
    for table in (BINARY, UNARY, SCALAR):
        for op, (_, dtypes) in table.items():
            for dtype in dtypes:
                rows.append(Case(op, dtype, count=9001, scalar=b"\x66\x2e\x45\x40"))
                if op != "Axpy":
                    shape = shapes(2 if dtype in ("half", "int16_t", "uint16_t") else 4)["bits"]
                    rows.append(Case(op, dtype, scalar=b"\x66\x2e\x45\x40", **shape))
    for (dst, src), modes in PAIRS.items():
        rows += [Case("Cast", dst, src, count=9001, mode=mode) for mode in modes]
    return rows


def main(kernel: str) -> None:
    machine = VectorMachine(
        cannery.compile_kernel(Path(kernel), "vector", {f"OP_{op}": i for i, op in enumerate(OPS)})
    )
    digests = {}
    for case in cases():
        rng = np.random.default_rng(7)
        image, placed = place(case, operands_for(case, rng), rng)
        out = machine.run(image, placed)
        name = f"{case.op} {case.dtype} {case.src_dtype} {case.mode} {case.form}"
        # Folds the operand's elements into 64 words, which are enough to say where two runs differ.
        words = out.view(np.uint32)
        padded = np.zeros((len(words) + 63) // 64 * 64, np.uint64)
        padded[: len(words)] = words * np.arange(1, len(words) + 1, dtype=np.uint64)
        digests[name] = [int(word) for word in padded.reshape(64, -1).sum(axis=1)]
    print(json.dumps(digests))


if __name__ == "__main__":
    main(sys.argv[1])
