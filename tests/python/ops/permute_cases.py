# SPDX-License-Identifier: Apache-2.0
"""Makes inputs of MoeTokenPermuteWithRoutingMap, and compares its results bit for bit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt

import cannery
from cannery import golden

Array = npt.NDArray[Any]

DTYPES = {"float16": np.float16, "bfloat16": ml_dtypes.bfloat16, "float32": np.float32}


@dataclass
class Call:
    """The arguments of one call."""

    tokens: Array
    mask: Array
    probs: Array | None = None
    num_out_tokens: int | None = None
    pad: bool = False

    def run(self) -> tuple[Array, Array | None, Array]:
        return cannery.moe_token_permute_with_routing_map(
            self.tokens, self.mask, self.probs, self.num_out_tokens, self.pad
        )

    def want(self) -> tuple[Array, Array | None, Array]:
        return golden.moe_token_permute_with_routing_map(
            self.tokens, self.mask, self.probs, self.num_out_tokens, self.pad
        )


def any_bits(rng: np.random.Generator, shape: tuple[int, ...], dtype: Any) -> Array:
    """Returns random bit patterns, among them infinities and NaNs with any payload."""
    size = np.dtype(dtype).itemsize
    raw: Array = rng.integers(0, 256, (*shape, size), np.uint8)
    return raw.view(dtype).reshape(shape)


def mask_of(rng: np.random.Generator, count: int, experts: int, slots: int) -> Array:
    """Returns a mask with `slots` random experts for each token."""
    mask = np.zeros((count, experts), np.bool_)
    chosen = np.argsort(rng.random((count, experts)), axis=1)[:, :slots]
    np.put_along_axis(mask, chosen, True, axis=1)
    return mask


def as_int8(rng: np.random.Generator, mask: Array) -> Array:
    """Returns the mask as int8, with any value except 0 for true."""
    values = rng.integers(1, 256, mask.shape).astype(np.uint8).view(np.int8)
    return np.where(mask, values, np.int8(0))


def make(
    count: int,
    experts: int,
    slots: int,
    hidden: int,
    dtype: Any = np.float16,
    *,
    pad: bool = False,
    rows: int | None = None,
    seed: int = 0,
) -> Call:
    rng = np.random.default_rng(seed)
    mask = as_int8(rng, mask_of(rng, count, experts, slots))
    tokens = any_bits(rng, (count, hidden), dtype)
    probs = any_bits(rng, (count, experts), dtype)
    return Call(tokens, mask, probs, count * slots if rows is None else rows, pad)


def same_bits(got: Array | None, want: Array | None) -> bool:
    if got is None or want is None:
        return got is want
    return (got.shape, got.dtype, got.tobytes()) == (want.shape, want.dtype, want.tobytes())


def check(call: Call) -> tuple[Array, Array | None, Array]:
    """Returns the operator's results, after a check that the golden's results have equal bits."""
    inputs = [each for each in (call.tokens, call.mask, call.probs) if each is not None]
    before = [each.tobytes() for each in inputs]
    got = call.run()
    assert before == [each.tobytes() for each in inputs]
    names = ("permute_tokens", "permute_probs", "sorted_indices")
    for name, result, want in zip(names, got, call.want(), strict=True):
        assert same_bits(result, want), name
    return got
