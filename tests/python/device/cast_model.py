# SPDX-License-Identifier: Apache-2.0
"""Models Cast in NumPy: every rounding mode by exact arithmetic in float64 or on integers."""

from __future__ import annotations

from typing import Any

import numpy as np

from .vector_model import DTYPES

Array = np.ndarray[Any, Any]

_DIRECTED = ("RINT", "FLOOR", "CEIL", "ROUND", "TRUNC")

#: Rounding modes for each (dst, src), as listed for A2/A3 in the documentation of Cast.
PAIRS: dict[tuple[str, str], tuple[str, ...]] = {
    ("float", "half"): ("NONE",),
    ("float", "bfloat16_t"): ("NONE",),
    ("float", "int16_t"): ("NONE",),
    ("float", "int32_t"): ("NONE", *_DIRECTED),
    ("float", "float"): _DIRECTED,
    ("half", "float"): ("NONE", *_DIRECTED, "ODD"),
    ("bfloat16_t", "float"): _DIRECTED,
    ("int16_t", "float"): _DIRECTED,
    ("int32_t", "float"): _DIRECTED,
    ("int16_t", "half"): _DIRECTED,
    ("int32_t", "half"): _DIRECTED,
    ("int32_t", "bfloat16_t"): _DIRECTED,
}

#: Formats: (bits of the mantissa with the hidden bit, smallest exponent, largest number).
_FORMATS = {
    "half": (11, -14, 65504.0),
    "bfloat16_t": (8, -126, float.fromhex("0x1.fep127")),
    "float": (24, -126, float(np.finfo(np.float32).max)),
}


def round_integral(x: Array, mode: str) -> Array:
    """Rounds float64 values to integral float64 values."""
    down = np.floor(x)
    if mode in ("NONE", "RINT"):
        return np.rint(x)
    if mode == "FLOOR":
        return down
    if mode == "CEIL":
        return np.ceil(x)
    if mode == "TRUNC":
        return np.trunc(x)
    if mode == "ROUND":
        toward = np.trunc(x)
        return toward + np.where(np.abs(x - toward) >= 0.5, np.copysign(1.0, x), 0.0)
    toward = np.trunc(x)  # mode ODD: inexact results get an odd last bit
    even = np.mod(toward, 2.0) == 0
    return np.where((x != toward) & even, toward + np.copysign(1.0, x), toward)


def to_float(x: Array, dtype: str, mode: str) -> Array:
    """Rounds float64 values once to the float type `dtype`, with rounding mode `mode`."""
    digits, smallest, largest = _FORMATS[dtype]
    finite = np.isfinite(x)
    _, exponent = np.frexp(np.where(finite, x, 0.0))
    unit = np.ldexp(1.0, np.maximum(exponent - 1, smallest) - (digits - 1))
    rounded = round_integral(np.where(finite, x, 0.0) / unit, mode) * unit
    limit = np.full_like(rounded, np.inf)
    if mode in ("TRUNC", "ODD"):
        limit[:] = largest
    elif mode in ("FLOOR", "CEIL"):
        limit[(rounded > 0) == (mode == "FLOOR")] = largest
    rounded = np.where(np.abs(rounded) > largest, np.copysign(limit, rounded), rounded)
    # Rounding may lose the sign of a zero, so the sign comes from the input.
    result = np.where(finite, np.copysign(rounded, x), x)
    with np.errstate(all="ignore"):
        return result.astype(DTYPES[dtype])


def to_integer(x: Array, dtype: str, mode: str) -> Array:
    """Rounds float64 values to an integer type and saturates them; NaN gives 0."""
    info = np.iinfo(DTYPES[dtype])
    rounded = round_integral(np.where(np.isfinite(x), x, 0.0), mode)
    rounded = np.where(np.isinf(x), x, rounded)
    return np.clip(rounded, info.min, info.max).astype(DTYPES[dtype])


def cast(values: Array, dst: str, src: str, mode: str) -> Array:
    with np.errstate(all="ignore"):
        exact = values.astype(np.float64)
        if dst.startswith("int"):
            return to_integer(exact, dst, mode)
        if dst == src == "float":
            finite = np.isfinite(exact)
            integral = np.where(finite, round_integral(np.where(finite, exact, 0), mode), exact)
            return np.copysign(integral, exact).astype(np.float32)
        return to_float(exact, dst, mode)
