# SPDX-License-Identifier: Apache-2.0
"""Helpers that the tests of normalizations share."""

from __future__ import annotations

from typing import Any

import numpy as np

from .advanced_machine import TYPES, Array
from .rows_machine import WITH_TMP, typed

(LAYER_NORM, RSTD, GRAD, GRAD_BETA, RMS, BATCH, GROUP, DEEP, NORMALIZE, UPDATE, FINALIZE) = range(
    11
)
EPSILON = 2.0**-10
DTYPES = ["float", "half"]
FORMS = [0, WITH_TMP]


def block(n: int, dtype: str) -> int:
    per = 32 // TYPES[dtype].itemsize
    return (n + per - 1) // per * per


def numbers(rng: np.random.Generator, dtype: str, *shape: int) -> Array:
    return typed(rng.normal(0.5, 2, shape), dtype)


def wide(*arrays: Array) -> list[Array]:
    return [a.astype(np.float64) for a in arrays]


def size_of(dtype: str) -> int:
    return TYPES[dtype].itemsize


def normal(x: Array, gamma: Any, beta: Any, axis: int = -1) -> tuple[Array, Array, Array]:
    """Computes a normalization and returns y, mean and variance."""
    mean, variance = x.mean(axis, keepdims=True), x.var(axis, keepdims=True)
    y = (x - mean) / np.sqrt(variance + EPSILON) * gamma + beta
    return y, mean.squeeze(axis), variance.squeeze(axis)
