# SPDX-License-Identifier: Apache-2.0
"""Tests calls that no other file tests: helpers, newer names, static tensors, conversions."""

from __future__ import annotations

import struct
from collections.abc import Callable

import numpy as np
import pytest

from .conftest import Compile

pytestmark = pytest.mark.slow

ELEMS = 64
X = np.arange(ELEMS, dtype=np.float32) - 20
Run = Callable[[int], tuple[np.ndarray, np.ndarray]]


@pytest.fixture
def run(compile_device: Compile) -> Run:
    def call(key: int) -> tuple[np.ndarray, np.ndarray]:
        sums, result = np.ones(ELEMS, np.float32), np.zeros(ELEMS, np.float32)
        tiling = struct.pack("fI", 0.5, ELEMS)
        kernel = compile_device("small_calls", portable=False)  # ToFile is not portable
        kernel(1, X, sums, result, workspace=64, tiling=tiling, tiling_key=key)
        return result, sums

    return call


def test_scalars(run: Run) -> None:
    # ToBfloat16 truncates; rounding to nearest would give 1.0078125.
    assert run(0)[0][:5].tolist() == [1.0, 63.0, 1.0, 0.0, 1.0]


def test_masks_of_the_helper_class(run: Run) -> None:
    want = np.full(ELEMS, 8, np.float32)
    want[:5] += 1
    want[8] += 2
    want[:10] += 4
    np.testing.assert_array_equal(run(1)[0], want)


def test_places(run: Run) -> None:
    assert run(2)[0][:5].tolist() == [256.0, 1024.0, 8.0, -1.0, 1.0]


def test_copies(run: Run) -> None:
    result, sums = run(3)
    np.testing.assert_array_equal(result, X / 2)
    np.testing.assert_array_equal(sums, X / 2 + 1)


def test_registers(run: Run) -> None:
    assert run(4)[0][:3].tolist() == [43.0, 63.0, float(X.sum())]


def test_handles(run: Run) -> None:
    assert run(5)[0][:2].tolist() == [4096.0, ELEMS]


def test_dequantisation(run: Run) -> None:
    assert run(6)[0][0] == 4.0  # x * scale + offset is 6 * 0.5 + 1


def test_kernel_type_as_template_parameter(compile_device: Compile) -> None:
    out = np.zeros(16, np.int32)
    compile_device("small_template")(2, out, tiling_key=4)  # SyncAll needs MIX_AIV_1_0
    np.testing.assert_array_equal(out, 404)
