# SPDX-License-Identifier: Apache-2.0
"""Workloads of NewOp."""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType

import ml_dtypes
import numpy as np

from cannery import golden, ops
from cannery.cases.case import Array, Block, Case, Workloads
from cannery.testing.random import normal

__all__ = ["NewOpRun", "NewOpWorkloads"]

_BLOCK_ELEMS = 1 << 22


class NewOpWorkloads(Workloads):
    """Workloads of standard normal inputs."""

    op = "new_op"
    type = "NewOp"
    dtypes = (np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16), np.dtype(np.float32))
    sizes = MappingProxyType({"small": (128, 2048), "medium": (4096, 4096), "large": (8192, 28672)})
    rules = MappingProxyType({"y": "exact"})

    def prepare(self, case: Case, seed: int) -> NewOpRun:
        return NewOpRun(normal(np.random.default_rng(seed), case.shape, case.dtype))


class NewOpRun:
    """Holds the inputs of one call; computes the operator's outputs and the golden outputs."""

    def __init__(self, x: Array) -> None:
        self.x = x

    @property
    def ideal_bytes(self) -> int:
        # The operator reads x and writes as many bytes to y.
        return self.x.nbytes * 2

    def call(self) -> dict[str, Array | None]:
        return {"y": ops.new_op(self.x)}

    def golden(self) -> Iterator[Block]:
        flat = self.x.reshape(-1)
        for first in range(0, flat.size, _BLOCK_ELEMS):
            part = slice(first, min(first + _BLOCK_ELEMS, flat.size))
            yield Block("y", part, golden.new_op(flat[part]))

    def yardstick(self) -> Array:
        return golden.new_op(self.x.astype(np.float32))
