# SPDX-License-Identifier: Apache-2.0
"""Tests the form of NsaCompressGrad in which cube cores compute most of weightGrad. Tiling chooses
this form for calls with much work."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cannery
from cannery.testing import strided_outputs

from .test_nsa_compress_grad import DTYPES, agree, check, make, sizes_of

# rows, heads, headDim, block, stride, ends: 1 to 4 stripes of a stride; overlaps 2 to 8; rows after
# the last window; sequences that are empty, shorter than a window, or shorter than `overlaps`.
CASES: list[tuple[int, int, int, int, int, list[int] | None]] = [
    (2048, 32, 64, 128, 16, None),
    (4099, 16, 192, 32, 16, None),
    (3000, 17, 80, 128, 16, [0, 0, 100, 1100, 1259, 2961]),
    (2500, 21, 112, 128, 32, [1300, 1400]),
    (4111, 24, 112, 48, 32, None),
    (4111, 24, 256, 112, 64, [2000, 4111]),
    (1500, 128, 16, 128, 16, [777, 1500]),
    (7000, 16, 192, 32, 16, [*range(0, 6900, 170), 6950]),
    (9000, 3, 256, 80, 16, None),
    # Short rows: the vector cores' two phases use the same bytes of UB for different things.
    (1500, 128, 16, 128, 16, None),
    (700, 128, 32, 112, 16, [350, 700]),
]


def uses_cube(inputs: Any, sizes: dict[str, int], ends: Any) -> bool:
    with cannery.profile() as profile:
        cannery.nsa_compress_grad(*inputs, ends, **sizes)
    return "AIC" in profile.launches[0].busy_us


@pytest.mark.parametrize("number", range(len(CASES)))
def test_values(number: int) -> None:
    rows, heads, dim, block, stride, ends = CASES[number]
    sizes = sizes_of(block, stride)
    inputs = make(rows, heads, dim, sizes, ends, list(DTYPES.values())[number % 2])
    with cannery.use(hazards="explicit"):
        check(inputs, sizes, ends)
    assert uses_cube(inputs, sizes, ends)


def test_small_calls_use_only_vector_cores() -> None:
    sizes = sizes_of(32, 16)
    assert not uses_cube(make(1024, 4, 128, sizes), sizes, None)


@pytest.mark.parametrize("soc", ["Ascend910B4", "Ascend910_9391"])
def test_other_chips(soc: str) -> None:
    sizes = sizes_of(128, 16)
    inputs = make(2048, 32, 64, sizes, [1000, 2048])
    with cannery.use(soc=soc):
        check(inputs, sizes, [1000, 2048])
        assert uses_cube(inputs, sizes, [1000, 2048])


def test_input_grad_is_the_same_in_both_forms() -> None:
    """It takes a cube core long to search many sequences, so tiling chooses vector cores."""
    sizes = sizes_of(48, 16)
    inputs = make(4096, 32, 64, sizes)
    with_cube, _ = check(inputs, sizes)
    assert uses_cube(inputs, sizes, None)
    ends = [0] * 2000 + [4096]
    assert not uses_cube(inputs, sizes, ends)
    without_cube, _ = check(inputs, sizes, ends)
    assert with_cube.tobytes() == without_cube.tobytes()


def test_determinism() -> None:
    sizes = sizes_of(128, 16)
    ends = [600, 2099]
    inputs = make(2100, 32, 64, sizes, ends)
    assert uses_cube(inputs, sizes, ends)
    reference = [array.tobytes() for array in check(inputs, sizes, ends)]
    for threads in (1, 2):
        for order in (0, 1, 123456789):
            with cannery.use(threads=threads, core_order=order):
                got = cannery.nsa_compress_grad(*inputs, ends, **sizes)
            assert [array.tobytes() for array in got] == reference


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("where", ["outputGrad", "input", "weight"])
def test_what_is_not_finite_stays_where_its_window_is(where: str, value: float) -> None:
    """Each such number must only change the results of its windows: at the ends of sequences, in
    rows of the cube cores, and where a core's tile ends."""
    sizes = sizes_of(128, 16)
    ends = [300, 2040]
    inputs = make(2048, 32, 64, sizes, ends)
    assert uses_cube(inputs, sizes, ends)
    index = ["outputGrad", "input", "weight"].index(where)
    rows = len(inputs[index])
    for row in (0, 7, rows // 3, rows - 9, rows - 1):
        changed = [array.copy() for array in inputs]
        changed[index][row, 3, ...] = value
        with np.errstate(invalid="ignore"):
            got = cannery.nsa_compress_grad(*changed, ends, **sizes)
            want = cannery.golden.nsa_compress_grad(*changed, ends, **sizes)
        for result, reference in zip(got, want, strict=True):
            finite = np.isfinite(result.astype(np.float64))
            np.testing.assert_array_equal(finite, np.isfinite(reference))


def test_strided_outputs() -> None:
    sizes = sizes_of(128, 16)
    inputs = make(2048, 32, 64, sizes)
    reference = check(inputs, sizes)
    with strided_outputs(2):
        got = cannery.nsa_compress_grad(*inputs, **sizes)
    assert uses_cube(inputs, sizes, None)
    assert not any(array.flags.c_contiguous for array in got)
    assert [a.tobytes() for a in got] == [b.tobytes() for b in reference]
    agree(got, inputs, sizes)


def test_weight_grad_does_not_depend_on_strides() -> None:
    """Half of the columns cancel the other half, so weightGrad has only what was rounded off. This
    depends on the order in which products are added, also at the ends of sequences."""
    sizes = sizes_of(128, 16)
    ends = [0, 100, 1100, 1259, 2961]
    output_grad, x, weight = make(3000, 17, 128, sizes, ends)
    x[..., 64:] = x[..., 63::-1]
    output_grad[..., 64:] = -output_grad[..., 63::-1]
    inputs = (output_grad, x, weight)
    reference = check(inputs, sizes, ends)
    assert reference[1].any()
    assert uses_cube(inputs, sizes, ends)
    with strided_outputs(2):
        got = cannery.nsa_compress_grad(*inputs, ends, **sizes)
    assert [a.tobytes() for a in got] == [b.tobytes() for b in reference]
