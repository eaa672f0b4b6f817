# SPDX-License-Identifier: Apache-2.0
"""Compares NewOp on the twin with its golden: dtypes, shapes, strides, chips and schedules."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cannery
from cannery import golden
from cannery.testing import normal, with_strides

Array = npt.NDArray[Any]

DTYPES = {"float16": np.float16, "bfloat16": ml_dtypes.bfloat16, "float32": np.float32}

# Sizes near a block of 32 bytes and near a tile; also one element, and a shape of rank 8.
SHAPES = [(1,), (7,), (15,), (16,), (17,), (3, 65), (49152,), (49153,), (1, 2, 3, 1, 2, 7, 4, 5)]


def make(shape: tuple[int, ...], dtype: Any, seed: int = 0) -> Array:
    return normal(np.random.default_rng(seed), shape, dtype)


def check(x: Array) -> Array:
    """Returns the operator's result after comparing it with the golden."""
    before = x.tobytes()
    got = cannery.new_op(x)
    assert (got.shape, got.dtype) == (x.shape, x.dtype)
    assert got.flags.c_contiguous
    assert before == x.tobytes()
    assert got.tobytes() == golden.new_op(x).tobytes()
    return got


@pytest.mark.parametrize("name", DTYPES)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_shapes(shape: tuple[int, ...], name: str) -> None:
    check(make(shape, DTYPES[name]))


@pytest.mark.parametrize("name", DTYPES)
@pytest.mark.parametrize("soc", cannery.settings.SOCS)
def test_every_chip_gives_the_same_bits(soc: str, name: str) -> None:
    x = make((67, 333), DTYPES[name])
    reference = check(x)
    with cannery.use(soc=soc):
        assert cannery.new_op(x).tobytes() == reference.tobytes()


def test_every_declared_row_and_chip_family_is_tested() -> None:
    from cannery.cli.catalog import operators

    (model,) = [each for each in operators() if each["snake"] == "new_op"]
    assert set(model["inputs"][0]["dtypes"]) == set(DTYPES)
    assert model["socs"] == ["ascend910b", "ascend910_93"]


@pytest.mark.parametrize("name", DTYPES)
def test_determinism(name: str) -> None:
    x = make((203, 777), DTYPES[name])
    reference = check(x).tobytes()
    for threads in (1, 2):
        for order in (0, 1, 2, 123456789):
            with cannery.use(threads=threads, core_order=order):
                assert cannery.new_op(x).tobytes() == reference


@st.composite
def calls(draw: st.DrawFn) -> Array:
    """Draws arrays of any rank, dtype and memory layout."""
    rank = draw(st.integers(1, 8))
    largest = {1: 3000, 2: 80, 3: 24}.get(rank, 5)
    shape = tuple(draw(st.integers(1, largest)) for _ in range(rank))
    x = make(shape, DTYPES[draw(st.sampled_from(sorted(DTYPES)))], draw(st.integers(0, 2**32)))
    order = tuple(draw(st.permutations(range(rank))))
    gaps = tuple(draw(st.integers(1, 3)) for _ in range(rank))
    return with_strides(x, order, gaps) if draw(st.booleans()) else x


@given(calls())
def test_random_calls(x: Array) -> None:
    check(x)
