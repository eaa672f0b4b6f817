# SPDX-License-Identifier: Apache-2.0
"""Strict mode must refuse some reductions; tests in hardware mode show what the hardware does."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import cannery

from .reduce_machine import ReduceMachine, place
from .reduce_model import Case, simulate

ERRORS: list[tuple[str, dict[str, Any]]] = [
    ("T430", {"op": "WholeReduceSum", "form": "mask_count", "count": 64, "repeats": 256}),
    ("T430", {"op": "BlockReduceMax", "form": "mask_count", "count": 64, "repeats": -1}),
    ("T430", {"op": "ReduceSum", "form": "mask_count", "count": 64, "repeats": -1}),
    ("T430", {"op": "ReduceMax", "form": "mask_count", "count": 64, "repeats": -1}),
    ("T430", {
        "op": "ReduceSum", "form": "mask_count", "count": 8, "repeats": 4097, "src_rep": 0,
        "work_bytes": 16416,
    }),
    ("T431", {"op": "WholeReduceMax", "form": "mask_count", "count": 64, "src_rep": 65536}),
    ("T431", {"op": "PairReduceSum", "form": "mask_count", "count": 64, "dst_rep": -1}),
    ("T431", {"op": "BlockReduceSum", "form": "mask_count", "count": 64, "src_blk": 70000}),
    ("T403", {"op": "WholeReduceSum", "form": "mask_count", "count": 65}),
    ("T403", {"op": "WholeReduceMin", "form": "mask_count", "count": -1}),
    ("T403", {"op": "ReduceMax", "form": "mask_bits", "low": 1, "high": 1}),
    ("T402", {"op": "ReduceSum", "count": -1}),
    ("T402", {"op": "ReduceMin", "count": 60000}),
    ("T432", {"op": "ReduceMax", "count": 100, "counter": True}),
    ("T432", {"op": "ReduceSum", "form": "mask_count", "count": 8, "counter": True}),
    ("T434", {"op": "WholeReduceSum", "form": "mask_count", "count": 8, "registers": 1}),
    ("T434", {"op": "WholeReduceSum", "form": "mask_count", "count": 8, "registers": 2}),
    ("T434", {
        "op": "WholeReduceMax", "form": "mask_count", "count": 8, "repeats": 2, "src_rep": 9,
        "registers": 1,
    }),
    ("T104", {"op": "WholeReduceSum", "form": "mask_count", "count": 8, "src": 520}),
    ("T104", {"op": "WholeReduceMax", "form": "mask_count", "count": 8, "dst": 4}),
    ("T104", {"op": "BlockReduceSum", "form": "mask_count", "count": 8, "dst": 16}),
    ("T107", {"op": "WholeReduceSum", "form": "mask_count", "count": 64, "src_bytes": 252}),
    ("T107", {"op": "WholeReduceSum", "form": "mask_count", "count": 64, "repeats": 2,
              "dst_bytes": 4}),
    ("T107", {"op": "ReduceMax", "count": 640, "work_bytes": 16}),
    ("T405", {"op": "WholeReduceSum", "form": "mask_count", "count": 64, "repeats": 3,
              "dst": 512 + 256, "dst_bytes": 64}),
    ("T405", {"op": "PairReduceSum", "form": "mask_count", "count": 64, "repeats": 3,
              "dst": 512 + 704, "dst_bytes": 384}),
]  # fmt: skip


@pytest.mark.parametrize(("code", "fields"), ERRORS)
def test_errors(reduce: ReduceMachine, code: str, fields: dict[str, Any]) -> None:
    layout = {
        "dst": 0, "src": 512, "work": 8192, "dst_bytes": 512, "src_bytes": 4096, "work_bytes": 4096,
    }  # fmt: skip
    case = Case(**{"dtype": "float", **layout, **fields})
    with pytest.raises(cannery.KernelError) as caught:
        reduce.run(np.zeros(40960, np.uint8), case)
    assert caught.value.code == code, str(caught.value)


def test_index_beyond_half(reduce: ReduceMachine, rng: np.random.Generator) -> None:
    source = np.zeros(70016, np.float16)
    source[66000] = 1
    case = Case("ReduceMax", "half", count=len(source), index=True)
    with pytest.raises(cannery.KernelError, match="T433"):
        reduce.check(case, rng, source)
    cannery.use(mode="hardware")
    got = reduce.check(case, rng, source)
    assert got[2:4].view(np.uint16)[0] == 66000 - 65536


def test_hardware_wraps_repeats(reduce: ReduceMachine, rng: np.random.Generator) -> None:
    case = Case("WholeReduceSum", "float", form="mask_count", count=64, repeats=3)
    image, case = place(case, rng, rng.standard_normal(192).astype(np.float32))
    want = simulate(image, case)
    cannery.use(mode="hardware")
    assert (reduce.run(image, replace(case, repeats=256 + 3)) == want).all()


def test_hardware_reads_results_of_earlier_repeats(
    reduce: ReduceMachine, rng: np.random.Generator
) -> None:
    """Strict mode refuses the overlap. Hardware mode runs the repeats one after another."""
    source = rng.standard_normal(64 * 40).astype(np.float32)
    case = Case("WholeReduceSum", "float", form="mask_count", count=64, repeats=40)
    image, case = place(case, rng, source)
    cannery.use(mode="hardware")
    reduce.compare(image, replace(case, dst=case.src + 1024, dst_bytes=256))
