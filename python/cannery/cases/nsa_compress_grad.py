# SPDX-License-Identifier: Apache-2.0
"""Workloads of NsaCompressGrad: the compression branch of native sparse attention."""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType
from typing import Any

import ml_dtypes
import numpy as np

from cannery import golden, ops
from cannery.cases.case import Array, Block, Case, Workloads
from cannery.testing.random import normal

__all__ = ["NsaCompressGradRun", "NsaCompressGradWorkloads"]

_BLOCK_ELEMS = 1 << 22
_FLOAT_EPS = 2.0**-23
_ROUNDING = {"float16": 2.0**-11, "bfloat16": 2.0**-8}


class NsaCompressGradWorkloads(Workloads):
    """Workloads of T rows with N key-value heads of D standard normal values. The rows form
    `sequences` sequences of nearly equal length. Block size and stride are as in the NSA paper.
    """

    op = "nsa_compress_grad"
    type = "NsaCompressGrad"
    dtypes = (np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16))
    sizes = MappingProxyType(
        {
            "small": (1024, 4, 128),
            "medium": (8192, 4, 192),  # training: keys of a sequence of 8k
            "large": (65536, 4, 192),  # keys of a sequence of 64k
            "heads": (8192, 128, 192),  # one key-value head per query head
        }
    )
    axes = ("T", "N", "D")
    attrs = MappingProxyType({"compress_block_size": 32, "compress_stride": 16, "sequences": 1})
    # Terms of the sum can cancel, so the allowed error depends on the magnitudes of the terms. The
    # allowed error covers the rounding of the result and the error of sums in float32.
    rules = MappingProxyType({"weight_grad": "bound"})

    def prepare(self, case: Case, seed: int) -> NsaCompressGradRun:
        rng = np.random.default_rng(seed)
        rows, heads, dim = case.shape
        block, stride, sequences = (
            int(case.attrs[name])
            for name in ("compress_block_size", "compress_stride", "sequences")
        )
        if block < 1 or stride < 1 or sequences < 1:
            raise ValueError("compress_block_size, compress_stride, sequences: expected 1 or more")
        ends = None if sequences == 1 else [rows * i // sequences for i in range(1, sequences + 1)]
        windows = len(golden.nsa_compress_windows(rows, ends, block, stride))
        return NsaCompressGradRun(
            normal(rng, (windows, heads, dim), case.dtype),
            normal(rng, (rows, heads, dim), case.dtype),
            normal(rng, (block, heads), case.dtype),
            ends,
            stride,
        )


class NsaCompressGradRun:
    """Holds the inputs of one call; computes the operator's outputs and the golden outputs."""

    def __init__(
        self, output_grad: Array, x: Array, weight: Array, ends: list[int] | None, stride: int
    ) -> None:
        self.inputs = (output_grad, x, weight)
        self.ends = ends
        self.sizes: dict[str, Any] = {
            "compress_block_size": len(weight),
            "compress_stride": stride,
        }

    @property
    def ideal_bytes(self) -> int:
        # The operator reads every input and writes both gradients.
        output_grad, x, weight = self.inputs
        ends = 0 if self.ends is None else 8 * len(self.ends)
        return output_grad.nbytes + 2 * x.nbytes + 2 * weight.nbytes + ends

    def call(self) -> dict[str, Array | None]:
        input_grad, weight_grad = ops.nsa_compress_grad(*self.inputs, self.ends, **self.sizes)
        return {"input_grad": input_grad, "weight_grad": weight_grad}

    def golden(self) -> Iterator[Block]:
        weight = self.inputs[2]
        want = golden.nsa_compress_grad(*self.inputs, self.ends, **self.sizes)
        scale = golden.nsa_compress_grad_scale(*self.inputs, self.ends, **self.sizes)
        flat, flat_scale = want[0].reshape(-1), scale[0].reshape(-1)
        for begin in range(0, flat.size, _BLOCK_ELEMS):
            part = slice(begin, begin + _BLOCK_ELEMS)
            yield Block("input_grad", part, flat[part], flat_scale[part])
        bound = (
            np.abs(want[1]) * _ROUNDING[weight.dtype.name] * 1.001
            + scale[1] * 4 * _FLOAT_EPS
            + 2.0**-25
        )
        yield Block("weight_grad", slice(0, weight.size), want[1], bound=bound)

    def yardstick(self) -> tuple[Array, Array]:
        return golden.nsa_compress_grad(
            *self.inputs, self.ends, precision="float32", out_dtype=np.float32, **self.sizes
        )
