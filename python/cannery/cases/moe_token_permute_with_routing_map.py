# SPDX-License-Identifier: Apache-2.0
"""Workloads of MoeTokenPermuteWithRoutingMap, with sizes of real mixture-of-experts models."""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType

import ml_dtypes
import numpy as np

from cannery import golden, ops
from cannery.cases.case import Array, Block, Case, Workloads
from cannery.testing.random import normal

__all__ = ["MoeTokenPermuteWithRoutingMapRun", "MoeTokenPermuteWithRoutingMapWorkloads"]

_BLOCK_ELEMS = 1 << 22


class MoeTokenPermuteWithRoutingMapWorkloads(Workloads):
    """Workloads of standard normal tokens. Every token goes to k different experts, which are
    chosen with equal probability.
    """

    op = "moe_token_permute_with_routing_map"
    type = "MoeTokenPermuteWithRoutingMap"
    dtypes = (np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16), np.dtype(np.float32))
    sizes = MappingProxyType(
        {
            "small": (256, 8, 2, 4096),  # sizes of Mixtral
            "medium": (4096, 128, 8, 2048),  # sizes of Qwen3-30B-A3B
            "large": (8192, 256, 8, 7168),  # sizes of DeepSeek-V3
        }
    )
    axes = ("T", "E", "k", "H")
    attrs = MappingProxyType({"drop_and_pad": False, "probs": True})
    rules = MappingProxyType(dict.fromkeys(("permute_tokens", "permute_probs"), "exact"))

    def prepare(self, case: Case, seed: int) -> MoeTokenPermuteWithRoutingMapRun:
        count, experts, slots, hidden = case.shape
        if slots > experts:
            raise ValueError(f"shape: {slots} experts for a token, but there are {experts}")
        rng = np.random.default_rng(seed)
        tokens = normal(rng, (count, hidden), case.dtype)
        probs = normal(rng, (count, experts), case.dtype) if case.attrs["probs"] else None
        mask = np.zeros((count, experts), np.int8)
        chosen = np.argsort(rng.random((count, experts)), axis=1)[:, :slots]
        np.put_along_axis(mask, chosen, 1, axis=1)
        pad = bool(case.attrs["drop_and_pad"])
        return MoeTokenPermuteWithRoutingMapRun(tokens, mask, probs, count * slots, pad)


class MoeTokenPermuteWithRoutingMapRun:
    """Holds the inputs of one call; computes the operator's outputs and the golden outputs."""

    def __init__(
        self, tokens: Array, mask: Array, probs: Array | None, num_out_tokens: int, pad: bool
    ) -> None:
        self.tokens = tokens
        self.mask = mask
        self.probs = probs
        self.num_out_tokens = num_out_tokens
        self.pad = pad

    @property
    def ideal_bytes(self) -> int:
        # The operator reads tokens, map and probs once, and writes every output once.
        (count, hidden), unit = self.tokens.shape, self.mask.shape[1 if self.pad else 0]
        rows = self.num_out_tokens // unit * unit if unit else 0
        size = self.tokens.itemsize
        probs = 0 if self.probs is None else self.probs.nbytes + rows * size
        return int((count + rows) * hidden * size + self.mask.nbytes + rows * 4 + probs)

    def call(self) -> dict[str, Array | None]:
        tokens, probs, indices = ops.moe_token_permute_with_routing_map(
            self.tokens, self.mask, self.probs, self.num_out_tokens, self.pad
        )
        return {"permute_tokens": tokens, "permute_probs": probs, "sorted_indices": indices}

    def golden(self) -> Iterator[Block]:
        # The golden permutes only the token numbers. The rows are then copied block by block, which
        # needs less memory.
        numbers = np.arange(self.tokens.shape[0])[:, None]
        order, probs, indices = golden.moe_token_permute_with_routing_map(
            numbers, self.mask, self.probs, self.num_out_tokens, self.pad
        )
        yield Block("sorted_indices", slice(0, indices.size), indices)
        if probs is not None:
            yield Block("permute_probs", slice(0, probs.size), probs)
        hidden = self.tokens.shape[1]
        step = max(1, _BLOCK_ELEMS // max(1, hidden))
        for row in range(0, order.size, step):
            rows = self.tokens[order[row : row + step, 0]]
            yield Block("permute_tokens", slice(row * hidden, row * hidden + rows.size), rows)

    def yardstick(self) -> object:
        return golden.moe_token_permute_with_routing_map(
            self.tokens, self.mask, self.probs, self.num_out_tokens, self.pad
        )
