# SPDX-License-Identifier: Apache-2.0
"""Probes of vector instructions in edge cases that the documentation of CANN does not describe."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from cannery.compile import compile_kernel
from cannery.selftest.probe import Array, Probe, differences
from cannery.settings import use

__all__ = ["PROBES"]

_SOURCE = Path(__file__).parent / "kernels" / "vector_probe.cpp"
_TYPES = {"float32": "float", "float16": "half", "int16": "int16_t", "int32": "int32_t"}
_NAN = float("nan")
_INF = float("inf")


@dataclass(frozen=True)
class _Launch:
    """A launch of vector_probe. The inputs are repeated until they have 64 elements. Only the first
    elements of the output are compared, as many as `want` has.
    """

    operation: str
    x: Array
    y: Array
    want: Array
    out: str = ""  #: C++ type of the output, if it is not the type of the inputs

    def __call__(self) -> tuple[str, bool]:
        kind = _TYPES[self.x.dtype.name]
        defines = {"IN": kind, "OUT": self.out or kind, "OPERATION": self.operation}
        kernel = compile_kernel(_SOURCE, "vector_probe", defines)
        got = np.empty(64, self.want.dtype)
        # A probe must show what the hardware does, so no check of the twin may stop the kernel.
        with use(mode="hardware", hazards="off"):
            kernel(1, np.resize(self.x, 64), np.resize(self.y, 64), got)
        return differences(got[: self.want.size], self.want)


def _floats(*values: float, dtype: Any = np.float32) -> Array:
    return np.array(values, dtype)


def _random(seed: int) -> Array:
    return np.random.default_rng(seed).uniform(0.5, 2.0, 64).astype(np.float32)


def _twice_rounded(x: Array, y: Array, factor: float) -> Array:
    rounded: Array = y + x * np.float32(factor)
    return rounded


_FEW = _floats(1.0, _NAN, 3.0, -2.0)
_OTHER = _floats(_NAN, 1.0, _NAN, 5.0)
_PAD = (
    "DataCopyExtParams run{1, 20, 0, 0, 0}; "
    "DataCopyPadExtParams<float> padding{false, 0, 0, 0.0f}; "
    "DataCopyPad(z, xGm, run, padding)"
)

PROBES = [
    Probe(
        "int16 sums wrap",
        "twin-semantics.md",
        "32767 + 1 is -32768, and nothing saturates",
        _Launch(
            "Add(z, x, y, kElems)",
            np.array([32767, -32768, 5], np.int16),
            np.array([1, -1, 6], np.int16),
            np.array([-32768, 32767, 11], np.int16),
        ),
    ),
    Probe(
        "int32 sums wrap",
        "twin-semantics.md",
        "2147483647 + 1 is -2147483648, and nothing saturates",
        _Launch(
            "Add(z, x, y, kElems)",
            np.array([2**31 - 1, -(2**31)], np.int32),
            np.array([1, -1], np.int32),
            np.array([-(2**31), 2**31 - 1], np.int32),
        ),
    ),
    Probe(
        "Max keeps a NaN",
        "twin-semantics.md",
        "a NaN of either operand is the result",
        _Launch("Max(z, x, y, kElems)", _FEW, _OTHER, _floats(_NAN, _NAN, _NAN, 5.0)),
    ),
    Probe(
        "Min keeps a NaN",
        "twin-semantics.md",
        "a NaN of either operand is the result",
        _Launch("Min(z, x, y, kElems)", _FEW, _OTHER, _floats(_NAN, _NAN, _NAN, -2.0)),
    ),
    Probe(
        "Div is correctly rounded",
        "twin-semantics.md",
        "64 quotients have the bits of IEEE 754",
        _Launch("Div(z, x, y, kElems)", _random(1), _random(2), _random(1) / _random(2)),
    ),
    Probe(
        "Div by zero",
        "twin-semantics.md",
        "1/0 is infinity, -1/0 minus infinity, 0/0 NaN",
        _Launch(
            "Div(z, x, y, kElems)",
            _floats(1, -1, 0),
            _floats(0, 0, 0),
            _floats(_INF, -_INF, _NAN),
        ),
    ),
    Probe(
        "Exp underflows gradually",
        "twin-semantics.md",
        "exp(-100) is a denormal number, exp(-104) is 0",
        _Launch(
            "Exp(z, x, kElems)",
            _floats(-100, -104, -120, 89, _INF),
            _floats(0),
            _floats(np.exp(-100.0), 0, 0, _INF, _INF),
        ),
    ),
    Probe(
        "Axpy rounds twice",
        "twin-semantics/arithmetic.md",
        "the product is rounded before the sum",
        _Launch(
            "Axpy(y, x, 1.1f, kElems); PipeBarrier<PIPE_V>(); Adds(z, y, 0.0f, kElems)",
            _random(3),
            _random(4),
            _twice_rounded(_random(3), _random(4), 1.1),
        ),
    ),
    Probe(
        "NE with NaN",
        "twin-semantics/compare.md",
        "a NaN is unequal to everything: bits 1, 1, 1, 1 of four",
        _Launch(
            "Compare(z, x, y, CMPMODE::NE, kElems)",
            _FEW,
            _OTHER,
            np.full(8, 0xFF, np.uint8),
            out="uint8_t",
        ),
    ),
    Probe(
        "LT with NaN",
        "twin-semantics/compare.md",
        "a NaN is less than nothing: bits 0, 0, 0, 1 of four",
        _Launch(
            "Compare(z, x, y, CMPMODE::LT, kElems)",
            _FEW,
            _OTHER,
            np.full(8, 0x88, np.uint8),
            out="uint8_t",
        ),
    ),
    Probe(
        "ReduceMax with NaN",
        "twin-semantics/reduce.md",
        "the first NaN is the extreme",
        _Launch("ReduceMax(z, x, y, kElems, false)", _FEW, _FEW, _floats(_NAN)),
    ),
    Probe(
        "DataCopyPad's filler",
        "twin-semantics.md",
        "without padding, bytes behind the data repeat the run's first element",
        _Launch(_PAD, _floats(1, 2, 3, 4, 5, 6, 7, 8), _floats(0), _floats(1, 2, 3, 4, 5, 1, 1, 1)),
    ),
]
