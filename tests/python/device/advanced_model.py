# SPDX-License-Identifier: Apache-2.0
"""Models the advanced API's elementwise functions in NumPy: in float64, or each instruction."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Kind = Any


def digamma(x: float) -> float:
    """Computes digamma: by reflection below 0, by recurrence below 30, and by a series above."""
    if math.isnan(x) or x == -math.inf:
        return math.nan
    if x == 0:
        return -math.inf
    if x < 0:
        if x == math.floor(x):
            return math.nan
        return digamma(1 - x) - math.pi / math.tan(math.pi * (x - round(x)))
    total = 0.0
    while x < 30:
        total -= 1 / x
        x += 1
    if math.isinf(x):
        return x
    return total + math.log(x) - 1 / (2 * x) - 1 / (12 * x**2) + 1 / (120 * x**4)


def lgamma(x: float) -> float:
    if math.isinf(x) or (x <= 0 and x == math.floor(x)):
        return math.inf
    return math.lgamma(x)


def each(function: Callable[[float], float]) -> Callable[[Array], Array]:
    return lambda x: np.array([function(float(v)) for v in x], np.float64)


def limited(function: Callable[[Array], Array]) -> Callable[[Array], Array]:
    """Returns a function whose result is NaN for inputs beyond the documented limits of +-65504."""
    return lambda x: np.where(np.abs(x) <= 65504, function(x), np.nan)


#: Functions that are computed in float64; the caller rounds their results once.
EXACT: dict[str, Callable[[Array], Array]] = {
    "Tanh": np.tanh, "Sin": limited(np.sin), "Cos": limited(np.cos), "Tan": limited(np.tan),
    "Asin": np.arcsin, "Acos": np.arccos, "Atan": np.arctan, "Sinh": np.sinh, "Cosh": np.cosh,
    "Asinh": np.arcsinh, "Acosh": np.arccosh, "Atanh": np.arctanh, "Erf": each(math.erf),
    "Erfc": each(math.erfc), "Lgamma": each(lgamma), "Digamma": each(digamma), "Log": np.log,
}  # fmt: skip

#: Functions whose results are exact in every type.
WHOLE: dict[str, Callable[[Array], Array]] = {
    "Round": np.rint, "Floor": np.floor, "Ceil": np.ceil, "Trunc": np.trunc,
    "Frac": lambda x: x - np.trunc(x), "Sign": lambda x: np.where(np.isnan(x), 0, np.sign(x)),
}  # fmt: skip


def sigmoid(x: Array, kind: Kind) -> Array:
    return (kind(1) / (np.exp(-x) + kind(1))).astype(kind)


def swish(x: Array, kind: Kind, beta: float) -> Array:
    return x / (np.exp(x * kind(-kind(beta))).astype(kind) + kind(1))


def quotient(x: Array, y: Array, fast: bool) -> Array:
    return x * (x.dtype.type(1) / y) if fast else x / y


def gelu(x: Array, kind: Kind, fast: bool) -> Array:
    y = (x + x * (x * x) * kind(0.044715)) * kind(1.5957691216057308)
    gate = quotient(x, np.exp(-np.abs(y)).astype(kind) + kind(1), fast)
    return gate * np.exp(np.minimum(y, kind(0))).astype(kind)


def faster_gelu(x: Array, kind: Kind, fast: bool) -> Array:
    return quotient(x, np.exp(x * kind(-1.702)).astype(kind) + kind(1), fast)


def faster_gelu_v2(x: Array, kind: Kind, fast: bool) -> Array:
    bent = np.minimum(np.abs(x * kind(0.7071)), kind(1.769)) - kind(1.769)
    curve = bent * bent * kind(-0.1444) + kind(0.5)
    moved = x + kind(1e-12)
    return x * (curve * quotient(moved, np.abs(moved), fast) + kind(0.5))


def exp_taylor(x: Array, level: int) -> Array:
    """Computes exp in float32 as the library call does; `level` 0 models the instruction Exp."""
    if level == 0:
        return np.exp(x.astype(np.float64))
    x = x.astype(np.float32)
    whole = np.floor(x)
    rest = x - whole
    power, total = rest, np.float32(1) + rest
    for k in range(2, level + 1):
        power = rest * power * (np.float32(1) / np.float32(k))
        total = total + power
    return total * np.exp(whole.astype(np.float64)).astype(np.float32)


def int_power(base: int, exponent: int) -> int:
    """Returns base ** exponent wrapped to 32 bits. A negative exponent gives the integer part of
    the reciprocal."""
    value = pow(base, abs(exponent), 1 << 32)
    value -= (value >> 31) << 32
    if exponent >= 0:
        return value
    return value if value in (1, -1) else 0
