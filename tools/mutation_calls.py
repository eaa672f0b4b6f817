# SPDX-License-Identifier: Apache-2.0
"""Calls of the operators, which together reach every synchronising call of the kernels. Most
synchronising calls run more than once per buffer. The calls have tails, several tiles per block,
experts without rows, and every tiling key.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np

HALF, BF16, FLOAT = np.float16, ml_dtypes.bfloat16, np.float32


class Call(NamedTuple):
    """The arguments of one call. inputs: in the order of the prototype, None for an absent input.

    spread: the distance from one element of an output to the next, in elements (1: dense).
    """

    inputs: list[Any]
    attrs: Mapping[str, Any]
    spread: int = 1


def _normal(shape: tuple[int, ...], dtype: Any, seed: int = 0) -> Any:
    return np.random.default_rng(seed).standard_normal(shape, np.float32).astype(dtype)


def swi_glu_grad() -> list[Call]:
    shapes = [
        ((48 * 8, 8192), HALF),
        ((100, 1000), BF16),
        ((300, 6002), FLOAT),
        ((96, 40000), FLOAT),
        ((200000, 10), HALF),  # rows of a few bytes
        ((150000, 10), FLOAT),
    ]
    return [
        Call([_normal((rows, columns // 2), kind, 1), _normal((rows, columns), kind)], {"dim": -1})
        for (rows, columns), kind in shapes
    ]


def moe_init_routing_v2_grad() -> list[Call]:
    calls = []
    for tokens, top_k, columns, kind in (
        (480, 8, 256, HALF),
        (200, 3, 7168, BF16),
        (200, 1, 20000, HALF),
        (96, 4, 20000, FLOAT),
        (2000, 2, 8, FLOAT),
        (50, 17, 512, BF16),
        (10, 64, 20000, FLOAT),
    ):
        count = tokens * top_k
        index = np.random.default_rng(2).permutation(count).astype(np.int32)
        calls.append(Call([_normal((count, columns), kind), index], {"top_k": top_k}))
        index = np.where(index % 5 == 0, np.int32(-1), index)
        padded = _normal((1, count, columns), kind)
        calls.append(Call([padded, index], {"top_k": top_k, "drop_pad_mode": 1}))
    return calls


def moe_token_permute_with_routing_map() -> list[Call]:
    calls = []
    # The cases have several tiles per block, several ranges of tokens, rows longer than a buffer,
    # more experts than fit into a tile, and runs of rows of a few elements and of many blocks.
    for tokens, experts, slots, hidden, kind, with_probs in (
        (240, 1000, 16, 64, HALF, True),
        (3000, 7, 2, 16, FLOAT, True),
        (100, 5, 5, 40000, HALF, False),
        (64, 5000, 128, 8, HALF, True),
        (4000, 7, 2, 3, HALF, True),
        (8000, 4, 2, 96, FLOAT, True),
        (31, 160, 9, 24, HALF, False),
        (3001, 33, 19, 2, FLOAT, True),
    ):
        rng = np.random.default_rng(3)
        mask = np.zeros((tokens, experts), np.int8)
        np.put_along_axis(mask, np.argsort(rng.random(mask.shape), axis=1)[:, :slots], 1, axis=1)
        # `fewer` has fewer ones than the output has rows; its rows have different numbers of ones.
        fewer = np.where(rng.random(mask.shape) < 0.7, mask, np.int8(0))
        values = _normal((tokens, hidden), kind)
        probs = _normal((tokens, experts), kind, 4) if with_probs else None
        attrs: dict[str, Any] = {"num_out_tokens": tokens * slots}
        apart = {
            "permute_tokens_strides": [2 * hidden, 2],
            "permute_probs_strides": [2],
            "sorted_indices_strides": [2],
        }
        for routed, pad in ((mask, False), (fewer, False), (mask, True)):
            inputs = [values, routed, probs]
            calls.append(Call(inputs, {**attrs, "drop_and_pad": pad}))
            if hidden < 100:  # small inputs are also tried with strided outputs
                calls.append(Call(inputs, {**attrs, "drop_and_pad": pad, **apart}, 2))
    return calls


def nsa_compress_grad() -> list[Call]:
    from cannery import golden

    calls = []
    for rows, heads, dim, block, stride, ends, kind in (
        (1024, 4, 128, 32, 16, None, HALF),
        (5000, 17, 64, 48, 32, [130, 260, 5000], BF16),
        (700, 128, 192, 64, 16, [35, 300, 700], HALF),
        (3000, 1, 16, 128, 112, [3000], BF16),
        (640, 5, 256, 64, 48, None, HALF),
        (300, 17, 16, 32, 16, [40, 300], HALF),
        (700, 3, 32, 32, 16, list(range(20, 701, 20)), BF16),
        # Cube cores compute weightGrad, and in the last three calls also inputGrad.
        (2600, 24, 192, 48, 32, [1300, 2600], BF16),
        (2048, 40, 64, 128, 16, [1000, 2048], HALF),
        (1500, 100, 32, 128, 16, None, BF16),
        (2100, 30, 128, 112, 32, None, HALF),
    ):
        windows = len(golden.nsa_compress_windows(rows, ends, block, stride))
        inputs = [
            _normal((windows, heads, dim), kind, 1),
            _normal((rows, heads, dim), kind, 2),
            _normal((block, heads), kind, 3),
            None if ends is None else np.array(ends, np.int64),
        ]
        attrs = {"compressBlockSize": block, "compressStride": stride, "actSeqLenType": 0}
        calls.append(Call(inputs, attrs))
        if rows * heads * dim < 100_000:  # small inputs are also tried with strided outputs
            strides = {
                "input_grad_strides": [2 * heads * dim, 2 * dim, 2],
                "weight_grad_strides": [2 * heads, 2],
            }
            calls.append(Call(inputs, {**attrs, **strides}, 2))
    return calls


def grouped_matmul_finalize_routing() -> list[Call]:
    calls = []
    # In the last case but one, experts have few rows, so a block computes several experts. In the
    # last case, rows are so long that two cores share a row.
    for counts, k, n, tokens, shared, kind in (
        ([13, 0, 27], 192, 72, 5, 2, 1),
        ([300, 200, 12, 70], 512, 520, 64, 30, 1),
        ([40, 600], 1024, 2056, 128, 128, 0),
        ([2000], 384, 264, 500, 7, 1),
        ([3] * 40, 576, 72, 100, 60, 1),
        ([100], 8192, 72, 100, 0, 1),
    ):
        rng = np.random.default_rng(5)
        m, experts = sum(counts), len(counts)
        factors = np.abs(rng.standard_normal((experts, n)) * 0.01 + 0.02).astype(HALF).astype(FLOAT)
        groups = np.cumsum(counts) if kind == 0 else np.array(counts)
        inputs = [
            rng.integers(-128, 128, (m, k), np.int8),
            rng.integers(-(2**31), 2**31, (experts, k, n // 8), np.int32),
            factors.view(np.uint32).astype(np.int64)[:, None],
            rng.standard_normal((experts, n)).astype(FLOAT),
            rng.uniform(0.01, 1, m).astype(FLOAT),
            groups.astype(np.int64),
            _normal((shared, n), BF16),
            rng.uniform(0, 1, m).astype(FLOAT),
            rng.permutation(np.arange(m) % tokens).astype(np.int64),
        ]
        attrs = {"output_bs": tokens, "group_list_type": kind}
        calls.append(Call(inputs, attrs))
    return calls


CALLS: dict[str, Callable[[], list[Call]]] = {
    each.__name__: each
    for each in (
        swi_glu_grad,
        moe_init_routing_v2_grad,
        moe_token_permute_with_routing_map,
        nsa_compress_grad,
        grouped_matmul_finalize_routing,
    )
}
