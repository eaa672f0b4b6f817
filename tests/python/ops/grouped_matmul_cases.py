# SPDX-License-Identifier: Apache-2.0
"""Makes calls of GroupedMatmulFinalizeRouting for tests, and compares results with the golden."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt

import cannery
from cannery import golden, pack_int4
from cannery.testing import assert_within

Array = npt.NDArray[Any]


def scale_words(factors: Array) -> Array:
    """Returns int64 words (e, 1, n) with the bits of float32 factors."""
    return factors.astype(np.float32).view(np.uint32).astype(np.int64)[:, None]


def bias_of(weights: Array, factors: Array) -> Array:
    """Returns the bias 8 * sum(w) * s, with which the operator computes x * w * s."""
    sums = weights.sum(axis=1, dtype=np.int64)
    return (8.0 * sums * factors.astype(np.float64)).astype(np.float32)


def make(
    counts: list[int],
    *,
    m: int | None = None,
    k: int = 192,
    n: int = 72,
    bs: int = 5,
    shared: int = 2,
    seed: int = 0,
    weights: Array | None = None,
    **changes: Any,
) -> dict[str, Any]:
    """Returns random arguments. Expert i has `counts[i]` rows. x has `m` rows; `m` may
    be larger than the sum of `counts`."""
    rng = np.random.default_rng(seed)
    m = sum(counts) if m is None else m
    bs = min(bs, m)
    if weights is None:
        weights = rng.integers(-8, 8, (len(counts), k, n)).astype(np.int8)
    # float16 can store these factors, so they have no bit that the hardware drops.
    factors = np.abs(rng.standard_normal((len(counts), n)) * 0.01) + 2.0**-14
    factors = factors.astype(np.float16).astype(np.float32)
    arguments = {
        "x": rng.integers(-128, 128, (m, k)).astype(np.int8),
        "w": pack_int4(weights),
        "scale": scale_words(factors),
        "bias": bias_of(weights, factors),
        "pertoken_scale": rng.uniform(0.01, 1, m).astype(np.float32),
        "group_list": np.array(counts, np.int64),
        "shared_input": rng.standard_normal((min(shared, bs), n)).astype(ml_dtypes.bfloat16),
        "logit": rng.uniform(0, 1, m).astype(np.float32),
        "row_index": rng.integers(0, bs, m),
        "output_bs": bs,
    }
    return {**arguments, **changes}


def check(arguments: dict[str, Any]) -> Array:
    """Checks that the operator's result is within its error bound and its inputs are unchanged."""
    arrays = [value for value in arguments.values() if isinstance(value, np.ndarray)]
    before = [array.tobytes() for array in arrays]
    got = cannery.grouped_matmul_finalize_routing(**arguments)
    assert got.flags.c_contiguous
    assert before == [array.tobytes() for array in arrays]
    want, bound = golden.grouped_matmul_finalize_routing_bounded(**arguments)
    assert_within(got, want, bound, np.float32)
    return got
