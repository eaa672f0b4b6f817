# SPDX-License-Identifier: Apache-2.0
"""Workloads of SwiGluGrad, with the sizes of gate projections of real models."""

from __future__ import annotations

import math
from collections.abc import Iterator
from types import MappingProxyType

import ml_dtypes
import numpy as np

from cannery import golden, ops
from cannery.cases.case import Array, Block, Case, Workloads, in_parallel
from cannery.testing.random import normal

__all__ = ["SwiGluGradRun", "SwiGluGradWorkloads"]

_BLOCK_ELEMS = 1 << 18


class SwiGluGradWorkloads(Workloads):
    """Workloads of standard normal inputs of (rows, 2 * C), split along the last dimension."""

    op = "swi_glu_grad"
    type = "SwiGluGrad"
    dtypes = (np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16), np.dtype(np.float32))
    sizes = MappingProxyType(
        {
            "small": (128, 2 * 2048),  # a routed expert of DeepSeek-V3
            "medium": (4096, 2 * 11008),  # sizes of LLaMA-2-7B
            "large": (8192, 2 * 28672),  # sizes of LLaMA-3-70B
        }
    )
    attrs = MappingProxyType({"dim": -1})

    def prepare(self, case: Case, seed: int) -> SwiGluGradRun:
        rng = np.random.default_rng(seed)
        dim = int(case.attrs["dim"])
        x = normal(rng, case.shape, case.dtype)
        halved = list(case.shape)
        if -len(halved) <= dim < len(halved):
            halved[dim] //= 2
        return SwiGluGradRun(normal(rng, tuple(halved), case.dtype), x, dim)


class SwiGluGradRun:
    """Holds the inputs of one call; computes the operator's outputs and the golden outputs."""

    def __init__(self, y_grad: Array, x: Array, dim: int) -> None:
        self.y_grad = y_grad
        self.x = x
        self.dim = dim

    @property
    def ideal_bytes(self) -> int:
        # The operator reads x and y_grad, which has half the bytes of x, and writes as many bytes
        # as x has.
        return self.x.nbytes * 5 // 2

    def call(self) -> dict[str, Array | None]:
        return {"x_grad": ops.swi_glu_grad(self.y_grad, self.x, self.dim)}

    def golden(self) -> Iterator[Block]:
        axis = range(self.x.ndim)[self.dim]
        rows = math.prod(self.x.shape[:axis])
        x, y_grad = self.x.reshape(rows, -1), self.y_grad.reshape(rows, -1)
        columns = x.shape[1]
        step = max(1, _BLOCK_ELEMS // columns)

        def block(row: int) -> Block:
            part = slice(row, row + step)
            want, scale = golden.swi_glu_grad_scaled(y_grad[part], x[part])
            return Block("x_grad", slice(row * columns, row * columns + want.size), want, scale)

        return in_parallel(block, range(0, rows, step))

    def yardstick(self) -> Array:
        return golden.swi_glu_grad(
            self.y_grad, self.x, self.dim, precision="float32", out_dtype=np.float32
        )
