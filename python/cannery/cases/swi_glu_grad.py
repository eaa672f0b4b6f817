# SPDX-License-Identifier: Apache-2.0
"""Workloads of SwiGluGrad: the gate projections of real models."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy as np

from cannery import golden, ops
from cannery.cases.case import Array, Block, Case
from cannery.testing.random import normal

__all__ = ["SwiGluGradWorkloads"]

_SHAPES = {
    "small": (128, 2 * 2048),  # a routed expert of DeepSeek-V3
    "medium": (4096, 2 * 11008),  # LLaMA-2-7B
    "large": (8192, 2 * 28672),  # LLaMA-3-70B
}
_BLOCK_ELEMS = 1 << 22


class SwiGluGradWorkloads:
    """Standard normal inputs of (rows, 2 * C), split along the last dimension."""

    op = "swi_glu_grad"
    type = "SwiGluGrad"
    dtypes: tuple[np.dtype[Any], ...] = (
        np.dtype(np.float16),
        np.dtype(ml_dtypes.bfloat16),
        np.dtype(np.float32),
    )

    def case(self, size: str, dtype: np.dtype[Any]) -> Case:
        if size not in _SHAPES:
            raise ValueError(f"size: expected one of {', '.join(_SHAPES)}, got {size!r}")
        return Case(self.op, dtype, _SHAPES[size], -1, size)

    def custom(self, shape: tuple[int, ...], dim: int, dtype: np.dtype[Any]) -> Case:
        return Case(self.op, dtype, shape, dim, "custom")

    def prepare(self, case: Case, seed: int) -> SwiGluGradRun:
        rng = np.random.default_rng(seed)
        x = normal(rng, case.shape, case.dtype)
        halved = list(case.shape)
        if -len(halved) <= case.dim < len(halved):
            halved[case.dim] //= 2
        return SwiGluGradRun(normal(rng, tuple(halved), case.dtype), x, case.dim)

    def ideal_bytes(self, case: Case) -> int:
        # Reads x and half as much gradient, writes as much as x.
        return math.prod(case.shape) * case.dtype.itemsize * 5 // 2


class SwiGluGradRun:
    """Inputs of one case."""

    def __init__(self, y_grad: Array, x: Array, dim: int) -> None:
        self.y_grad = y_grad
        self.x = x
        self.dim = dim

    def call(self) -> Array:
        return ops.swi_glu_grad(self.y_grad, self.x, self.dim)

    def golden(self) -> Iterator[Block]:
        axis = range(self.x.ndim)[self.dim]
        rows = math.prod(self.x.shape[:axis])
        x, y_grad = self.x.reshape(rows, -1), self.y_grad.reshape(rows, -1)
        columns = x.shape[1]
        step = max(1, _BLOCK_ELEMS // columns)
        for row in range(0, rows, step):
            part = slice(row, row + step)
            want = golden.swi_glu_grad(y_grad[part], x[part])
            scale = golden.swi_glu_grad_scale(y_grad[part], x[part])
            yield Block(slice(row * columns, row * columns + want.size), want, scale)
