# SPDX-License-Identifier: Apache-2.0
"""Tests helpers that fill outputs with poison, or make them views into larger arrays."""

from __future__ import annotations

import warnings
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import cannery
from cannery.checked_operator import CheckedOperator, reported_to
from cannery.ops.arguments import output_array
from cannery.outputs import gap, refilled, untouched
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


@pytest.mark.parametrize(
    "dtype", [np.bool_, np.int8, np.float16, ml_dtypes.bfloat16, np.complex128]
)
@pytest.mark.parametrize("shape", [(), (7,), (3, 5)])
def test_untouched_elements(shape: tuple[int, ...], dtype: Any) -> None:
    with poisoned_outputs():
        array = output_array(shape, np.dtype(dtype))
    mask = untouched(array)
    assert mask is not None
    assert mask.all()
    array[...] = 1
    assert untouched(array) is None
    assert untouched(np.full(shape, 0xCB, np.uint8)) is None  # not from output_array
    again = refilled(array)
    assert (again.shape, again.dtype) == (array.shape, array.dtype)
    assert set(again.tobytes()) == {0x34}


def test_text_of_a_gap() -> None:
    mask = np.zeros(12, bool)
    mask[5:8] = mask[10] = True
    assert gap(mask, (3, 4)) == (
        "4 of 12 elements were never written; the first gap has 3 elements and begins at (1, 1)"
    )
    assert gap(np.ones(1, bool), ()) == (
        "1 of 1 elements were never written; the first gap has 1 element and begins at ()"
    )


@pytest.fixture
def checked() -> tuple[CheckedOperator, list[int]]:
    """Returns an operator that writes only elements 0 to 3 of `out`, and a list of its calls."""
    calls: list[int] = []

    def native(_: Any, out: Any, other: Any, settings: Any) -> None:
        calls.append(len(settings))
        out.reshape(-1)[:4] = -53  # the poison byte of an int8
        other[...] = 0

    kinds = {"x": "input", "out": "output", "other": "output"}
    params = [{"py_name": name, "value": value} for name, value in kinds.items()]
    return CheckedOperator(native, {"type": "Probe", "params": params}, {}), calls  # type: ignore[arg-type]


def test_unwritten_elements_are_told(checked: tuple[CheckedOperator, list[int]]) -> None:
    operator, calls = checked
    told: list[str] = []
    x = np.zeros(2)
    out, other = (output_array((2, 5), np.dtype(np.int8)) for _ in range(2))
    text = r"out of Probe: 6 of 10 .* first gap has 6 elements and begins at \(0, 4\)\n  try: "
    with pytest.warns(cannery.IncompleteOutputWarning, match=text):
        operator(x, out, other)
    assert len(calls) == 2
    # reported_to calls the function for a gap even if Python ignores warnings.
    with warnings.catch_warnings(), reported_to(lambda text, _: told.append(text)):
        warnings.simplefilter("ignore")
        operator(x, output_array((2, 5), np.dtype(np.int8)), other)
    assert [text.partition(": ")[0] for text in told] == ["output out of Probe"]
    calls.clear()
    # If the operator writes the value of the poison into an element, the element is no gap.
    operator(x, output_array((4,), np.dtype(np.int8)), other)
    assert len(calls) == 2
    # An array that output_array did not allocate is not checked for gaps.
    operator(x, np.full((2, 5), -53, np.int8), other)
    assert len(calls) == 3
