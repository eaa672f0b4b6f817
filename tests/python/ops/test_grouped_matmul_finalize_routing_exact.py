# SPDX-License-Identifier: Apache-2.0
"""Tests that GroupedMatmulFinalizeRouting computes sums over k exactly, however the cores divide
them: the sums cancel, but their parts are large."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import cannery

from .grouped_matmul_cases import check, make

BORDERS = (-128, -1, 0, 7, 8, 127)
SHAPES = {
    "one row": ([1], 2048, 1032),
    "one row, one panel": ([1], 512, 1024),
    "longest k": ([3], 18432, 72),
    "one expert": ([64], 1024, 264),
    "two tiles of rows": ([130], 2112, 72),
    "few experts": ([9, 0, 33, 1, 2, 64, 17, 5], 1088, 136),
    "many columns": ([8, 31], 512, 4104),
    "many rows": ([700, 900], 512, 520),
    "unpacked weights": ([1200], 2048, 200),
    "unpacked weights, large k": ([1450], 4096, 72),
    "unpacked weights, groups of tiles": ([3300, 1], 4160, 136),
}


def cancelling(k: int, n: int, experts: int) -> np.ndarray[Any, Any]:
    """Returns weights whose columns have sums of 0. The first and the last steps of k have sums
    with different signs, which are as large as possible in some columns."""
    rng = np.random.default_rng(k + n)
    half = rng.integers(-7, 8, (experts, k // 2, n)).astype(np.int8)
    half[:, :, ::2] = rng.integers(5, 8, half[:, :, ::2].shape)
    half[:, :, ::16] = 7
    return np.concatenate([half, -half[:, ::-1]], axis=1)


def cancelling_call(shape: str, **changes: Any) -> dict[str, Any]:
    """Returns a call in which each row of x has equal elements."""
    counts, k, n = SHAPES[shape]
    rows = sum(counts)
    x = np.repeat(np.resize(np.array(BORDERS, np.int8), rows)[:, None], k, axis=1)
    return make(
        counts,
        k=k,
        n=n,
        bs=max(1, rows // 2),
        weights=cancelling(k, n, len(counts)),
        x=x,
        **changes,
    )


@pytest.mark.parametrize("shape", SHAPES)
def test_sums_that_cancel_are_zero(shape: str) -> None:
    """Without a bias, all results are zero, or the shared expert's row."""
    arguments = cancelling_call(shape, shared=1)
    arguments["bias"] = np.zeros_like(arguments["bias"])
    arguments["shared_input"] = (arguments["shared_input"] * 2.0**-12).astype(ml_dtypes.bfloat16)
    got = check(arguments)
    assert np.array_equal(got[:1], arguments["shared_input"].astype(np.float32))
    assert not got[1:].any()


@pytest.mark.parametrize("shape", SHAPES)
def test_sums_that_nearly_cancel_are_within_the_bound(shape: str) -> None:
    arguments = cancelling_call(shape)
    rng = np.random.default_rng(1)
    arguments["x"][:, rng.integers(0, arguments["x"].shape[1], 3)] += 1  # wraps from 127 to -128
    arguments["bias"] = (rng.standard_normal(arguments["bias"].shape) * 1e-3).astype(np.float32)
    check(arguments)
    check({**arguments, "bias": np.zeros_like(arguments["bias"])})


def test_the_parts_of_a_sum_are_added_in_any_order_of_cores() -> None:
    arguments = cancelling_call("one row")
    arguments["x"] = np.random.default_rng(2).integers(-128, 128, arguments["x"].shape, np.int8)
    results = {check(arguments).tobytes()}
    choices: list[dict[str, Any]] = [{"threads": 1}, {"threads": 2}]
    choices += [{"threads": 2, "core_order": 5}]
    for choice in choices:
        with cannery.use(hazards="explicit", **choice):
            results.add(check(arguments).tobytes())
    assert len(results) == 1
