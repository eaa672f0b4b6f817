# SPDX-License-Identifier: Apache-2.0
"""Probes of Fixpipe: how it rounds and saturates results of the cube to 8 bits."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from cannery.compile import compile_kernel
from cannery.selftest.probe import Array, Probe, differences

__all__ = ["PROBES"]

_SOURCE = Path(__file__).parent / "kernels" / "quant_probe.cpp"
_SIGNED = 1 << 46
_ONE = 0x3F800000  # the bits of 1.0f


def _quantized(values: Array, offset: int = 0) -> Array:
    """Multiplies the values by the unit matrix, and returns what Fixpipe makes of them as int8."""
    a = np.resize(values.astype(np.float16), (16, 16))
    b = np.concatenate([np.eye(16, dtype=np.float16)] * 2, axis=1)
    c = np.zeros((16, 32), np.int8)
    scale = _SIGNED | _ONE | ((offset & 0x1FF) << 37)
    compile_kernel(_SOURCE, "quant_probe", {"SCALE": f"{scale}ULL"})(1, a, b, c)
    return c[:, :16].reshape(-1)[: values.size]


def _halves() -> tuple[str, bool]:
    values = np.array([0.5, 1.5, 2.5, 3.5, -0.5, -1.5, -2.5, 0.75, -0.75])
    return differences(_quantized(values), np.array([0, 2, 2, 4, 0, -2, -2, 1, -1], np.int8))


def _limits() -> tuple[str, bool]:
    values = np.array([127.0, 127.5, 128.0, 300.0, 1000.0, -128.0, -128.5, -129.0, -1000.0])
    want = np.array([127, 127, 127, 127, 127, -128, -128, -128, -128], np.int8)
    return differences(_quantized(values), want)


def _offset() -> tuple[str, bool]:
    """Checks that Fixpipe saturates values to 9 bits before it adds the offset: 300 becomes 255."""
    values = np.array([300.0, -300.0, 10.5, 11.5])
    return differences(_quantized(values, -200), np.array([55, -128, -128, -128], np.int8))


PROBES = [
    Probe(
        "Fixpipe rounds 8-bit results",
        "twin-semantics/cube.md",
        "QF322B8_PRE rounds halves to even",
        _halves,
    ),
    Probe(
        "Fixpipe saturates 8-bit results",
        "twin-semantics/cube.md",
        "QF322B8_PRE saturates to -128 and 127",
        _limits,
    ),
    Probe(
        "Fixpipe's 9 bits before the offset",
        "twin-semantics/cube.md",
        "300 is cut to 255, and the offset -200 makes 55 of it",
        _offset,
    ),
]
