# SPDX-License-Identifier: Apache-2.0
"""Compares the golden with examples computed by hand, and with the definition of each element."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from cannery.golden import moe_token_permute_with_routing_map as permute

Array = npt.NDArray[Any]

TOKENS = np.array([[1, 2], [3, 4], [5, 6], [7, 8]], np.float32)
MAP = np.array([[1, 0, 1], [0, 1, 1], [1, 1, 0], [1, 0, 1]], np.int8)
PROBS = np.array(
    [[0.5, 0, 0.25], [0, 0.75, 0.125], [0.375, 0.625, 0], [0.875, 0, 0.0625]], np.float32
)


def test_worked_example_without_padding() -> None:
    tokens, probs, indices = permute(TOKENS, MAP, PROBS, 8)
    assert tokens.tolist() == [[1, 2], [5, 6], [7, 8], [3, 4], [5, 6], [1, 2], [3, 4], [7, 8]]
    assert probs is not None
    assert probs.tolist() == [0.5, 0.375, 0.875, 0.75, 0.625, 0.25, 0.125, 0.0625]
    assert indices.tolist() == [0, 5, 3, 6, 1, 4, 2, 7]
    assert indices.dtype == np.int32


def test_worked_examples_with_padding() -> None:
    tokens, probs, indices = permute(TOKENS, MAP, PROBS, 9, True)
    assert indices.tolist() == [0, 2, 3, 1, 2, 0, 0, 1, 3]
    assert tokens.tolist() == [
        *([1, 2], [5, 6], [7, 8], [3, 4], [5, 6], [1, 2], [1, 2], [3, 4], [7, 8])
    ]
    assert probs is not None
    assert probs.tolist() == [0.5, 0.375, 0.875, 0.75, 0.625, 0, 0.25, 0.125, 0.0625]
    tokens, probs, indices = permute(TOKENS, MAP, PROBS, 8, True)
    assert indices.tolist() == [0, 2, 1, 2, 0, 1]
    assert tokens.tolist() == [[1, 2], [5, 6], [3, 4], [5, 6], [1, 2], [3, 4]]
    assert probs is not None
    assert probs.tolist() == [0.5, 0.375, 0.75, 0.625, 0.25, 0.125]


def by_definition(mask: Array, rows: int, pad: bool) -> tuple[list[tuple[int, int]], list[int]]:
    """Returns (token, expert) of every output row, and the indices, by the definition."""
    count, experts = mask.shape
    if pad:
        capacity = rows // experts
        pairs = []
        for e in range(experts):
            ones = [t for t in range(count) if mask[t, e]]
            zeros = [t for t in range(count) if not mask[t, e]]
            pairs += [(t, e) for t in (ones + zeros)[:capacity]]
        return pairs, [t for t, _ in pairs]
    pairs = [(t, e) for e in range(experts) for t in range(count) if mask[t, e]]
    return pairs, [pairs.index((t, e)) for t in range(count) for e in range(experts) if mask[t, e]]


@pytest.mark.parametrize("pad", [False, True])
@pytest.mark.parametrize(("count", "experts", "slots"), [(1, 1, 1), (7, 5, 2), (20, 9, 9)])
def test_agrees_with_the_definition(count: int, experts: int, slots: int, pad: bool) -> None:
    rng = np.random.default_rng(count)
    mask = np.zeros((count, experts), bool)
    for t in range(count):
        mask[t, rng.choice(experts, slots, replace=False)] = True
    tokens, probs = rng.standard_normal((count, 3)), rng.standard_normal((count, experts))
    for rows in {count * slots, count * experts, experts}:
        if not pad and rows != count * slots:
            continue
        pairs, want = by_definition(mask, rows, pad)
        got, weights, indices = permute(tokens, mask, probs, rows, pad)
        assert indices.tolist() == want
        np.testing.assert_array_equal(got, tokens[[t for t, _ in pairs]])
        np.testing.assert_array_equal(weights, [probs[pair] for pair in pairs])


def test_floor_default_and_no_probs() -> None:
    for rows in (8, 9, 11, None):
        assert len(permute(TOKENS, MAP, None, rows)[0]) == 8
    assert permute(TOKENS, MAP, None, 8)[1] is None
    assert len(permute(TOKENS, MAP, None, 2, True)[0]) == 0
    assert len(permute(TOKENS, MAP, None, 11, True)[0]) == 9


def test_refuses_what_is_not_defined() -> None:
    broken = MAP.copy()
    broken[2] = 1
    with pytest.raises(ValueError, match="expected 2 experts for every token, token 2 has 3"):
        permute(TOKENS, broken, None, 8)
    with pytest.raises(ValueError, match="token 0 has 2"):
        permute(TOKENS, MAP, None, 4)
    with pytest.raises(ValueError, match="num_out_tokens: required"):
        permute(TOKENS, MAP, None, None, True)
