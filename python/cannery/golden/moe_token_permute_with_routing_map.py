# SPDX-License-Identifier: Apache-2.0
"""Golden of MoeTokenPermuteWithRoutingMap: computes the expected outputs in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["moe_token_permute_with_routing_map"]

Array = npt.NDArray[Any]


def moe_token_permute_with_routing_map(
    tokens: Array,
    routing_map: Array,
    probs: Array | None = None,
    num_out_tokens: int | None = None,
    drop_and_pad: bool = False,
) -> tuple[Array, Array | None, Array]:
    """Returns the rows of `tokens` in the order of experts, `probs` in the same order (or None),
    and sorted_indices (int32).

    tokens: (T, H).   routing_map: (T, E), not zero if token t goes to expert e.   probs: (T, E).
    num_out_tokens: k * T, or with drop_and_pad C * E for C rows of each expert; a remainder is
    ignored. None means every routed token. Without drop_and_pad, sorted_indices lists the output
    rows of each token. With drop_and_pad, sorted_indices lists the token of each output row.
    Raises ValueError if a token does not have k experts, or drop_and_pad has no num_out_tokens.
    """
    count, experts = routing_map.shape
    # The output is ordered by expert, so the mask is transposed. The copy is small, compared with
    # the tokens.
    mask = np.ascontiguousarray(routing_map.T != 0)
    if num_out_tokens is None:
        if drop_and_pad:
            raise ValueError("num_out_tokens: required with drop_and_pad")
        num_out_tokens = int(np.count_nonzero(mask))
    if drop_and_pad:
        capacity = num_out_tokens // experts if experts else 0
        order = np.argsort(~mask, axis=1, kind="stable")[:, :capacity]
        picked = None if probs is None else np.take_along_axis(probs.T, order, 1).reshape(-1)
        flat = order.reshape(-1)
        return tokens[flat], picked, flat.astype(np.int32)
    slots = num_out_tokens // count if count else 0
    per_token = np.count_nonzero(mask, axis=0)
    if (per_token != slots).any():
        token = int(np.argmax(per_token != slots))
        raise ValueError(
            f"routing_map: expected {slots} experts for every token, "
            f"token {token} has {per_token[token]}"
        )
    first = np.nonzero(mask)[1]
    inverse = np.argsort(first, kind="stable").astype(np.int32)
    return tokens[first], None if probs is None else probs.T[mask], inverse
