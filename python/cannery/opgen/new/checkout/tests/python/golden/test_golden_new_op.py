# SPDX-License-Identifier: Apache-2.0
"""Compares the golden with examples worked by hand."""

from __future__ import annotations

import numpy as np

from cannery import golden


def test_worked_example() -> None:
    x = np.array([[1.5, -0.0], [np.inf, np.nan]], np.float32)
    got = golden.new_op(x)
    assert got is not x
    assert got.tobytes() == x.tobytes()


def test_result_is_contiguous() -> None:
    x = np.arange(12, dtype=np.float16).reshape(3, 4).T
    got = golden.new_op(x)
    assert got.flags.c_contiguous
    np.testing.assert_array_equal(got, x)
