# SPDX-License-Identifier: Apache-2.0
"""Tests helpers that fill outputs with poison, or make them views into larger arrays."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import cannery
from cannery.ops.arguments import output_array
from cannery.testing import poisoned_outputs, strided_outputs


@pytest.mark.parametrize("dtype", [np.int8, np.bool_, np.float16, ml_dtypes.bfloat16, np.int64])
def test_poison_fills_every_byte(dtype: Any) -> None:
    with poisoned_outputs(0x5A):
        array = output_array((3, 5), np.dtype(dtype))
    assert (array.view(np.uint8) == 0x5A).all()


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("shape", [(), (4,), (3, 5), (2, 0, 3)])
def test_strided_outputs(shape: tuple[int, ...], reverse: bool) -> None:
    with strided_outputs(gap=3, reverse=reverse):
        array = output_array(shape, np.dtype(np.float32))
        array[...] = 7
    assert array.shape == shape
    assert (array == 7).all()
    if array.ndim == 2:
        assert array.strides == ((12, 3 * 4 * 9) if reverse else (3 * 4 * 15, 12))


def test_a_write_between_the_elements_is_found() -> None:
    def write_a_gap() -> None:
        with strided_outputs(gap=2):
            array = output_array((6,), np.dtype(np.float32))
            array[...] = 1
            assert array.base is not None
            array.base.reshape(-1)[3] = 1

    with pytest.raises(AssertionError, match=r"4 bytes between .* of shape \(6,\)"):
        write_a_gap()


def test_an_operator_without_strided_outputs_refuses_them() -> None:
    y_grad, x = np.ones((4, 3), np.float32), np.ones((4, 6), np.float32)
    with strided_outputs(), pytest.raises(cannery.AclnnError, match="strides") as caught:
        cannery.swi_glu_grad(y_grad, x)
    assert caught.value.status == 161002
