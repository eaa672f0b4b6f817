# SPDX-License-Identifier: Apache-2.0
"""Runs every reduction on fixed random bit patterns and prints a digest of each result. It is a
process of its own, because a process decides once which instruction set of the host the twin uses.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

import numpy as np

import cannery

from .reduce_machine import ReduceMachine, place
from .reduce_model import OPS, STEPS, Case

SHAPES = (
    {"form": "mask_count", "count": 64, "repeats": 40},
    {"form": "mask_count", "count": 13, "repeats": 9, "src_blk": 2, "src_rep": 17},
    {"form": "register", "counter": True, "low": 999},
    {"form": "count", "count": 4321},
)


def main(kernel: str) -> None:
    defines = {f"OP_{op}": i for i, op in enumerate(OPS)}
    machine = ReduceMachine(cannery.compile_kernel(Path(kernel), "reduce", defines))
    digests = {}
    for op in OPS:
        for dtype in ("half", "float"):
            for number, shape in enumerate(SHAPES):
                if shape["form"] == "count" and op not in STEPS:
                    continue
                if shape["form"] == "register" and op in STEPS:
                    continue
                index = op in ("ReduceMax", "ReduceMin")
                image, case = place(Case(op, dtype, index=index, **shape), np.random.default_rng(7))
                out = machine.run(image, case)
                digests[f"{op} {dtype} {number}"] = hashlib.sha256(out.tobytes()).hexdigest()
    print(json.dumps(digests))


if __name__ == "__main__":
    main(sys.argv[1])
