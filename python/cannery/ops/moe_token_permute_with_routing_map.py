# SPDX-License-Identifier: Apache-2.0
"""MoeTokenPermuteWithRoutingMap: orders tokens by expert, and returns the inverse mapping."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from cannery import vendor_folder
from cannery.errors import from_status
from cannery.ops.arguments import Array, boolean, input_array, int64, output_array
from cannery.ops.limits import limits

__all__ = ["moe_token_permute_with_routing_map"]

_API = "aclnnMoeTokenPermuteWithRoutingMapGetWorkspaceSize"
_PARAM_INVALID = 161002
_OP = "moe_token_permute_with_routing_map"


def moe_token_permute_with_routing_map(
    tokens: Array | None,
    routing_map: Array | None,
    probs: Array | None = None,
    num_out_tokens: Any = None,
    drop_and_pad: Any = False,
) -> tuple[Array, Array | None, Array]:
    """Returns the tokens in the order of the experts to which a mask routes them.

    tokens: (T, H), float16, bfloat16 (ml_dtypes) or float32.   routing_map: (T, E), bool or int8,
    not zero if token t goes to expert e; T and E below 16777215.   probs: (T, E), dtype of tokens.
    All may have any strides.
    num_out_tokens: 0 to T * E. Without drop_and_pad every token has k = num_out_tokens // T
    experts, k <= 512, and M = k * T; None means every routed token. With drop_and_pad it is
    required; every expert gets C = num_out_tokens // E rows and M = C * E.

    Returns permute_tokens (M, H), permute_probs (M,) or None without probs, sorted_indices (M,)
    int32. Without drop_and_pad sorted_indices[t * k + j] is the output row of the j-th expert of
    token t; with drop_and_pad sorted_indices[p] is the token of output row p. Copies keep every
    bit. If H is 0, nothing runs; sorted_indices is then -1 and permute_probs 0. If the map does not
    give k experts to every token, rows without a token are 0, indices without an expert are -1.

    Raises AclnnError with status 161001 (None for tokens or routing_map), 161002 (dtype, rank,
    shape of probs, T or E, num_out_tokens) or 561002 (first dimensions that differ, k above 512, M
    of 16777215 or more); TypeError if an argument is not an array of numbers, not a whole number or
    not a bool; KernelError if the kernel fails.
    """
    source = input_array("tokens", tokens)
    mask = input_array("routing_map", routing_map)
    weights = input_array("probs", probs)
    pad = boolean("drop_and_pad", drop_and_pad)
    count = _out_tokens(None if source is None else mask, num_out_tokens, pad)
    rows = _rows(mask, count, pad)
    permuted = None if source is None else _matrix(rows, source, mask, pad)
    picked = None if weights is None else output_array((rows,), weights.dtype)
    indices = output_array((rows,), np.dtype(np.int32))
    if permuted is not None and permuted.size == 0:
        indices[...] = -1
        if picked is not None:
            picked[...] = 0
    vendor_folder.operator("moe_token_permute_with_routing_map")(
        source, mask, weights, count, pad, permuted, picked, indices
    )
    return cast("Array", permuted), picked, indices


def _out_tokens(mask: Array | None, value: Any, pad: bool) -> int:
    if value is not None:
        return int64(_API, "num_out_tokens", value)
    if mask is None:  # the API reports a missing map before anything else
        return 0
    if pad:
        raise from_status(
            _PARAM_INVALID,
            _API,
            "num_out_tokens is None; with drop_and_pad expected a number, C * E for C rows per "
            "expert",
        )
    return int(np.count_nonzero(mask))


def _rows(mask: Array | None, count: int, pad: bool) -> int:
    """Returns M, the number of output rows; 0 if the API refuses the call before it uses M."""
    if mask is None or mask.ndim != 2 or not 0 <= count <= mask.size:
        return 0
    if max(mask.shape) >= limits(_OP)["extent_below"]:
        return 0
    unit = mask.shape[1] if pad else mask.shape[0]
    return count // unit * unit if unit else 0


def _matrix(rows: int, source: Array, mask: Array | None, pad: bool) -> Array:
    """Returns the output for the tokens. The array needs almost no memory if the API will refuse
    the call because M or k is too large.
    """
    shape = (rows, source.shape[1] if source.ndim == 2 else 0)
    slots = rows // mask.shape[0] if mask is not None and rows else 0
    bounds = limits(_OP)
    if not pad and (slots > bounds["max_slots"] or rows >= bounds["extent_below"]):
        return np.lib.stride_tricks.as_strided(np.empty(1, source.dtype), shape, (0, 0))
    return output_array(shape, source.dtype)
