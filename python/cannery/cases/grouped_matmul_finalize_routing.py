# SPDX-License-Identifier: Apache-2.0
"""Workloads of GroupedMatmulFinalizeRouting: the down projections of DeepSeek-V3's experts."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from types import MappingProxyType
from typing import Any

import ml_dtypes
import numpy as np

from cannery import golden, ops
from cannery.cases.case import Array, Block, Case, Workloads
from cannery.int4 import unpack_int4
from cannery.testing.random import normal

__all__ = ["GroupedMatmulFinalizeRoutingRun", "GroupedMatmulFinalizeRoutingWorkloads"]


class GroupedMatmulFinalizeRoutingWorkloads(Workloads):
    """Workloads of m rows for e experts and bs tokens. Each token has about m / bs rows, in random
    order.
    """

    op = "grouped_matmul_finalize_routing"
    type = "GroupedMatmulFinalizeRouting"
    dtypes = (np.dtype(np.int8),)
    axes = ("e", "m", "k", "n", "bs")
    sizes = MappingProxyType(
        {
            "small": (8, 64, 2048, 7168, 8),  # decoding: reading the weights limits the speed
            "medium": (32, 1024, 2048, 7168, 128),
            "large": (8, 16384, 2048, 7168, 2048),  # prefill: the cube limits the speed
        }
    )
    attrs = MappingProxyType(
        {"shared_input_weight": 1.0, "shared_input_offset": 0, "group_list_type": 1}
    )
    rules = MappingProxyType({"y": "bound"})

    def prepare(self, case: Case, seed: int) -> GroupedMatmulFinalizeRoutingRun:
        rng = np.random.default_rng(seed)
        experts, rows, k, columns, tokens = case.shape
        if min(experts, tokens) < 1:
            raise ValueError(f"shape: e and bs must be at least 1, got {case.shape}")
        counts = rng.multinomial(rows, np.full(experts, 1 / experts))
        cumulative = case.attrs["group_list_type"] == 0
        shared_rows = max(1, tokens - int(case.attrs["shared_input_offset"]))
        w = rng.integers(-(2**31), 2**31, (experts, k, columns // 8), np.int32)
        factors = _factors(rng, (experts, columns // 8 * 8))
        arrays: dict[str, Any] = {
            "x": rng.integers(-128, 128, (rows, k), np.int8),
            "w": w,
            "scale": factors.view(np.uint32).astype(np.int64)[:, None],
            "bias": _offsets(w, factors),
            "pertoken_scale": rng.uniform(0.001, 0.02, rows).astype(np.float32),
            "group_list": np.cumsum(counts) if cumulative else counts,
            "shared_input": normal(rng, (shared_rows, factors.shape[1]), ml_dtypes.bfloat16),
            "logit": rng.uniform(0, 1, rows).astype(np.float32),
            "row_index": rng.permutation(np.arange(rows) % tokens),
        }
        return GroupedMatmulFinalizeRoutingRun(arrays, tokens, dict(case.attrs))


_PER_EXPERT = ("w", "scale", "bias")


class GroupedMatmulFinalizeRoutingRun:
    """Holds the inputs of one call; computes the operator's outputs and the golden outputs."""

    def __init__(self, arrays: dict[str, Any], tokens: int, attrs: dict[str, Any]) -> None:
        self.arrays = arrays
        self.options = {**attrs, "output_bs": tokens}

    @property
    def input_bytes(self) -> int:
        """Bytes of the inputs that the call needs: of each expert without rows, none."""
        counts = self.arrays["group_list"]
        if self.options["group_list_type"] == 0:
            counts = np.diff(counts, prepend=0)
        each = sum(self.arrays[name].nbytes for name in _PER_EXPERT) // counts.size
        others = sum(self.arrays[name].nbytes for name in self.arrays if name not in _PER_EXPERT)
        return int(each * np.count_nonzero(counts) + others)

    @property
    def ideal_bytes(self) -> int:
        # Inputs are read once. Every row of y is written once, and once more for each row of x that
        # is added to it.
        rows_written = self.options["output_bs"] + len(self.arrays["x"])
        return int(self.input_bytes + 4 * self.arrays["bias"].shape[1] * rows_written)

    def call(self) -> dict[str, Array | None]:
        return {"y": ops.grouped_matmul_finalize_routing(**self.arrays, **self.options)}

    def golden(self) -> Iterator[Block]:
        want, bound = golden.grouped_matmul_finalize_routing_bounded(**self.arrays, **self.options)
        yield Block("y", slice(None), want, bound=bound)

    @cached_property
    def _unpacked(self) -> dict[str, Any]:
        return {**self.arrays, "w": unpack_int4(self.arrays["w"])}

    def yardstick(self) -> Array:
        return golden.grouped_matmul_finalize_routing(
            **self._unpacked, **self.options, precision="float32"
        )


def _factors(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Returns random dequantisation factors, rounded to normal float16 values."""
    drawn = np.abs(rng.standard_normal(shape, np.float32)) * np.float32(0.01)
    smallest_normal = np.float32(2.0**-14)
    factors: Array = np.maximum(drawn, smallest_normal).astype(np.float16).astype(np.float32)
    return factors


def _offsets(w: Array, factors: Array) -> Array:
    """The operator computes the sum over k of (x - 8) * w * s, plus the bias. Returns the bias with
    which the result is the sum of x * w * s.
    """
    sums = [unpack_int4(words).sum(axis=0, dtype=np.int32) for words in w]
    offsets: Array = (8.0 * np.stack(sums) * factors).astype(np.float32)
    return offsets
