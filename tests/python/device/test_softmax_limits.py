# SPDX-License-Identifier: Apache-2.0
"""Tests Softmax with special values and any shape, and calls that must be refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from .conftest import Compile
from .rows_machine import (
    BASIC,
    WITH_TMP,
    RowsMachine,
    close,
)
from .softmax_case import (
    ALONE,
    ENOUGH,
    SOFTMAX,
    case_of,
    inputs,
    soft,
)


@pytest.fixture(scope="module")
def unit(compile_device: Compile) -> RowsMachine:
    return RowsMachine(compile_device("advanced_softmax"))


def test_special_values(unit: RowsMachine, rng: np.random.Generator) -> None:
    """NaN or infinity makes its row NaN. -inf adds nothing to the sum; a row of -inf is NaN."""
    x = np.zeros((4, 8), np.float32)
    x[0, 3] = np.nan
    x[1, :4] = -np.inf
    x[2] = -np.inf
    x[3, 5] = np.inf
    case = case_of(ALONE, "float", WITH_TMP, (4, 8, 8))
    (dst,) = unit.call(case, [x.nbytes, x], [0], rng, ENOUGH)
    got = dst.view(np.float32).reshape(x.shape)
    assert np.isnan(got[0]).all()
    np.testing.assert_array_equal(got[1], [0, 0, 0, 0, 0.25, 0.25, 0.25, 0.25])
    assert np.isnan(got[2]).all()
    assert np.isnan(got[3]).all()


@given(
    m=st.integers(1, 20), blocks=st.integers(1, 9), cut=st.integers(0, 7), split=st.integers(1, 20)
)
def test_any_shape(unit: RowsMachine, m: int, blocks: int, cut: int, split: int) -> None:
    rng = np.random.default_rng([m, blocks, cut, split])
    shape = (m, blocks * 8, blocks * 8 - cut)
    x = inputs(shape, "float", rng)
    case = case_of(ALONE, "float", WITH_TMP, shape, min(split, m))
    (dst,) = unit.call(case, [x.nbytes, x], [0], rng, ENOUGH)
    exps, total, _ = soft(x, shape[2])
    want = (exps / total[:, None])[:, : shape[2]]
    close(dst.view(np.float32).reshape(x.shape)[:, : shape[2]], want, "float")


def test_what_is_refused(unit: RowsMachine, rng: np.random.Generator) -> None:
    shape = (8, 64, 64)
    x = inputs(shape, "float", rng)
    tensors = [x.nbytes, x, 256, 256]
    case = case_of(SOFTMAX, "float", WITH_TMP, shape)
    unit.refused("T700", "SoftMax finds 512 B .*at least 2048", case, tensors, rng, 512)
    unit.refused(
        "T703",
        "8 x 63 float.*multiple of 32 B",
        replace(case, n=(8, 63, 8, 63)),
        tensors,
        rng,
        ENOUGH,
    )
    unit.refused("T703", "oriSrcK <= srcK", replace(case, n=(8, 64, 8, 65)), tensors, rng, ENOUGH)
    unit.refused("T703", "expected a shape", replace(case, n=(0, 0, 0, 0)), tensors, rng, ENOUGH)
    basic = replace(case_of(SOFTMAX, "float", WITH_TMP | BASIC, (8, 64, 60)))
    unit.refused("T703", "isBasicBlock", basic, tensors, rng, ENOUGH)
    wrong = list(case.tiling)
    wrong[8] += 1
    unit.refused(
        "T720", "splitSize = 513", replace(case, tiling=tuple(wrong)), tensors, rng, ENOUGH
    )
    zero = replace(case, tiling=(8, 64, *[0] * 14))
    unit.refused("T720", "splitM = 0 .*expected 1", zero, tensors, rng, ENOUGH)
    unit.refused("T702", "SoftMax writes sum .* max", case, tensors, rng, ENOUGH, alias={3: 2})


def test_hardware_mode_takes_what_there_is(
    unit: RowsMachine, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CANNERY_MODE", "hardware")
    shape = (8, 64, 64)
    x = inputs(shape, "float", rng)
    case = case_of(SOFTMAX, "float", WITH_TMP, shape)
    (dst, _, _) = unit.call(case, [x.nbytes, x, 256, 256], [0, 2, 3], rng, 512)
    exps, total, _ = soft(x, 64)
    close(dst.view(np.float32).reshape(x.shape), exps / total[:, None], "float")
