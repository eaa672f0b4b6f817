# SPDX-License-Identifier: Apache-2.0
"""Workloads of MoeInitRoutingV2Grad, with the sizes of mixture-of-experts layers of real models."""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType

import ml_dtypes
import numpy as np

from cannery import golden, ops
from cannery.cases.case import Array, Block, Case, Workloads, in_parallel
from cannery.testing.random import normal

__all__ = ["MoeInitRoutingV2GradRun", "MoeInitRoutingV2GradWorkloads"]

_BLOCK_ELEMS = 1 << 18


class MoeInitRoutingV2GradWorkloads(Workloads):
    """Workloads of N tokens with K copies each. The copies are rows of H standard normal values, in
    random order.

    If active_num is not 0, only that many rows exist. In drop/pad mode the rows are divided among
    `experts` experts, and each expert has room for 4/5 of its copies.
    """

    op = "moe_init_routing_v2_grad"
    type = "MoeInitRoutingV2Grad"
    dtypes = (np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16), np.dtype(np.float32))
    sizes = MappingProxyType(
        {
            "small": (64, 2, 4096),  # sizes of Mixtral-8x7B
            "medium": (4096, 8, 2048),  # sizes of Qwen3-30B-A3B
            "large": (8192, 8, 7168),  # sizes of DeepSeek-V3
        }
    )
    axes = ("N", "K", "H")
    attrs = MappingProxyType({"drop_pad_mode": 0, "active_num": 0, "experts": 8})

    def prepare(self, case: Case, seed: int) -> MoeInitRoutingV2GradRun:
        rng = np.random.default_rng(seed)
        tokens, slots, columns = case.shape
        mode, active, experts = (
            int(case.attrs[name]) for name in ("drop_pad_mode", "active_num", "experts")
        )
        index = rng.permutation(tokens * slots).astype(np.int32)
        lead: tuple[int, ...] = (active if active > 0 else index.size,)
        if mode == 1:
            if experts <= 0:
                raise ValueError(f"experts: expected 1 or more, got {experts}")
            lead, index = _limit_capacity(index, experts)
        rows = normal(rng, (*lead, columns), case.dtype)
        return MoeInitRoutingV2GradRun(rows, index, slots, mode, active)


def _limit_capacity(index: Array, experts: int) -> tuple[tuple[int, int], Array]:
    """Returns (experts, rows per expert), and the index of each copy in drop/pad mode, or -1 for a
    copy that gets no row. The argument `index` has the index of each copy in mode 0.
    """
    share = max(1, -(-index.size // experts))
    capacity = max(1, share * 4 // 5)
    expert, place = np.divmod(index, share)
    return (experts, capacity), np.where(place < capacity, expert * capacity + place, np.int32(-1))


class MoeInitRoutingV2GradRun:
    """Holds the inputs of one call; computes the operator's outputs and the golden outputs."""

    def __init__(self, rows: Array, index: Array, top_k: int, mode: int, active: int) -> None:
        self.rows = rows
        self.index = index
        self.top_k = top_k
        self.mode = mode
        self.active = active

    @property
    def ideal_bytes(self) -> int:
        # The operator reads every index and every row that an index refers to, and writes one row
        # per token.
        columns = self.rows.shape[-1]
        count = self.rows.size // columns
        used = int(np.count_nonzero((self.index >= 0) & (self.index < count)))
        moved = used + self.index.size // self.top_k
        return int(self.index.nbytes + moved * columns * self.rows.itemsize)

    def call(self) -> dict[str, Array | None]:
        result = ops.moe_init_routing_v2_grad(
            self.rows, self.index, self.top_k, self.mode, self.active
        )
        return {"grad_x": result}

    def golden(self) -> Iterator[Block]:
        columns = self.rows.shape[-1]
        tokens = self.index.size // self.top_k
        step = max(1, _BLOCK_ELEMS // columns)

        def block(token: int) -> Block:
            part = self.index[token * self.top_k : (token + step) * self.top_k]
            want = golden.moe_init_routing_v2_grad(self.rows, part, self.top_k)
            scale = golden.moe_init_routing_v2_grad_scale(self.rows, part, self.top_k)
            begin = token * columns
            return Block("grad_x", slice(begin, begin + want.size), want, scale)

        return in_parallel(block, range(0, tokens, step))

    def yardstick(self) -> Array:
        return golden.moe_init_routing_v2_grad(
            self.rows, self.index, self.top_k, precision="float32", out_dtype=np.float32
        )
