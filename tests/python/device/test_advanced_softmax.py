# SPDX-License-Identifier: Apache-2.0
"""Compares the softmax family with NumPy in float64."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from .advanced_machine import TYPES, Array
from .conftest import Compile
from .rows_machine import (
    BASIC,
    FIXED,
    NZ,
    PACKED,
    REUSE,
    UPDATE,
    WITH_TMP,
    RowsCase,
    RowsMachine,
    close,
    typed,
)
from .softmax_case import (
    ADJUST,
    ALONE,
    ENOUGH,
    FLASH,
    FLASH_V2,
    GRAD,
    GRAD_FRONT,
    KINDS,
    LOG,
    SHAPES,
    SIMPLE,
    SOFTMAX,
    case_of,
    check_column,
    columns,
    inputs,
    nz,
    soft,
    stat_of,
    tiling_of,
)


@pytest.fixture(scope="module")
def unit(compile_device: Compile) -> RowsMachine:
    return RowsMachine(compile_device("advanced_softmax"))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("form", [0, WITH_TMP])
@pytest.mark.parametrize(("dtype", "wide"), KINDS)
def test_softmax_with_sums(
    unit: RowsMachine, rng: np.random.Generator, dtype: str, wide: int, form: int,
    shape: tuple[int, int, int],
) -> None:  # fmt: skip
    x, m, stat = inputs(shape, dtype, rng), shape[0], stat_of(dtype, wide)
    case = case_of(SOFTMAX, dtype, form | wide, shape, split=min(m, 4))
    tensors = [x.nbytes, x, m * 32, m * 32]
    dst, sums, tops = unit.call(case, tensors, [0, 2, 3], rng, ENOUGH if form else 0)
    exps, total, top = soft(x, shape[2])
    close(
        dst.view(x.dtype).reshape(x.shape)[:, : shape[2]],
        (exps / total[:, None])[:, : shape[2]],
        dtype,
    )
    check_column(sums, stat, total)
    check_column(tops, stat, top)


@pytest.mark.parametrize("form", [0, WITH_TMP, WITH_TMP | REUSE])
@pytest.mark.parametrize("dtype", ["float", "half"])
def test_softmax_alone(unit: RowsMachine, rng: np.random.Generator, dtype: str, form: int) -> None:
    for shape in SHAPES:
        x = inputs(shape, dtype, rng)
        case = case_of(ALONE, dtype, form, shape)
        gone = [1] if form & REUSE and dtype == "float" else []
        (dst,) = unit.call(case, [x.nbytes, x], [0], rng, ENOUGH if form else 0, lost=gone)
        exps, total, _ = soft(x, shape[2])
        close(
            dst.view(x.dtype).reshape(x.shape)[:, : shape[2]],
            (exps / total[:, None])[:, : shape[2]],
            dtype,
        )


def test_softmax_in_place(unit: RowsMachine, rng: np.random.Generator) -> None:
    shape = (6, 64, 64)
    x = inputs(shape, "float", rng)
    (dst,) = unit.call(
        case_of(ALONE, "float", WITH_TMP, shape), [x, x], [0], rng, ENOUGH, alias={1: 0}
    )
    exps, total, _ = soft(x, 64)
    close(dst.view(np.float32).reshape(x.shape), exps / total[:, None], "float")


@pytest.mark.parametrize(("dtype", "wide"), KINDS)
def test_another_shape_than_the_tilings(
    unit: RowsMachine, rng: np.random.Generator, dtype: str, wide: int
) -> None:
    """SoftMax replaces a tiling of a different shape; with isCheckTiling off, it reports T720."""
    shape = (7, 32, 30)
    x = inputs(shape, dtype, rng)
    case = replace(
        case_of(SOFTMAX, dtype, WITH_TMP | wide, shape),
        tiling=tiling_of(3, 64, stat_of(dtype, wide)),
    )
    tensors = [x.nbytes, x, 7 * 32, 7 * 32]
    dst, _, _ = unit.call(case, tensors, [0, 2, 3], rng, ENOUGH)
    exps, total, _ = soft(x, 30)
    close(dst.view(x.dtype).reshape(x.shape)[:, :30], (exps / total[:, None])[:, :30], dtype)
    fixed = replace(case, form=case.form | FIXED)
    unit.refused("T720", "SoftMax with srcM = 3 .*expected 7", fixed, tensors, rng, ENOUGH)


def test_columns_known_to_the_compiler(unit: RowsMachine, rng: np.random.Generator) -> None:
    shape = (5, 16, 9)
    x = inputs((5, 16, 13), "float", rng)
    case = case_of(SOFTMAX, "float", PACKED, shape)
    dst, sums, _ = unit.call(case, [x.nbytes, x, 160, 160], [0, 2, 3], rng)
    exps, total, _ = soft(x, 13)
    check_column(sums, "float", total)
    close(dst.view(np.float32).reshape(x.shape)[:, :13], (exps / total[:, None])[:, :13], "float")


@pytest.mark.parametrize("form", [0, WITH_TMP])
@pytest.mark.parametrize(("dtype", "wide"), KINDS)
def test_simple_softmax(
    unit: RowsMachine, rng: np.random.Generator, dtype: str, wide: int, form: int
) -> None:
    stat = stat_of(dtype, wide)
    for shape in SHAPES:
        x = inputs(shape, dtype, rng)
        exps, total, top = soft(x, shape[2])
        sums, tops = columns(total, stat), columns(top, stat)
        case = case_of(SIMPLE, dtype, form | wide, shape)
        (dst,) = unit.call(case, [x.nbytes, x, sums, tops], [0], rng, ENOUGH if form else 0)
        want = exps / sums[:, :1].astype(np.float64)
        close(dst.view(x.dtype).reshape(x.shape)[:, : shape[2]], want[:, : shape[2]], dtype)


def before(m: int, stat: str, rng: np.random.Generator) -> tuple[Array, Array]:
    """Returns the sums and maxima of earlier columns, which a flash softmax updates."""
    return columns(rng.uniform(1, 20, m), stat), columns(rng.normal(2, 3, m), stat)


FLASH_FORMS = [0, WITH_TMP, UPDATE, UPDATE | WITH_TMP]
FLASHES = [(op, form) for op in (FLASH, FLASH_V2) for form in FLASH_FORMS] + [
    (FLASH_V2, FIXED | WITH_TMP | UPDATE)
]


@pytest.mark.parametrize(("dtype", "wide"), KINDS)
@pytest.mark.parametrize(("op", "form"), FLASHES)
def test_flash(
    unit: RowsMachine, rng: np.random.Generator, op: int, dtype: str, wide: int, form: int
) -> None:
    stat = stat_of(dtype, wide)
    for shape in SHAPES[:4]:
        x, m, valid = inputs(shape, dtype, rng), shape[0], shape[2]
        in_sum, in_max = before(m, stat, rng)
        case = case_of(op, dtype, form | wide, shape, split=min(m, 8))
        tensors = [x.nbytes, x, m * 32, m * 32, m * 32, in_sum, in_max]
        results = [0, 2, 3, 4] if form & UPDATE else [0, 2, 3]
        dst, sums, tops, *decay = unit.call(
            case, tensors, results, rng, ENOUGH if form & WITH_TMP else 0
        )
        exps, total, top = soft(x, valid)
        if form & UPDATE:
            old_sum, old_max = (t[:, 0].astype(np.float64) for t in (in_sum, in_max))
            new_max = np.maximum(top, old_max)
            kept = np.exp(old_max - new_max) * old_sum
            scale = np.exp(top - new_max)
            total, top = kept + scale * total, new_max
            exps = exps * scale[:, None]
            want = kept / total if op == FLASH else np.exp(old_max - new_max)
            check_column(decay[0], dtype, want)
        want = exps / total[:, None] if op == FLASH else exps
        close(dst.view(x.dtype).reshape(x.shape)[:, :valid], want[:, :valid], dtype)
        check_column(sums, stat, total)
        check_column(tops, stat, top)


@pytest.mark.parametrize(("dtype", "wide"), KINDS)
def test_flash_v2_keeps_one_element_per_row(
    unit: RowsMachine, rng: np.random.Generator, dtype: str, wide: int
) -> None:
    stat = stat_of(dtype, wide)
    shape = (16, 64, 50)
    x = inputs(shape, dtype, rng)
    in_sum, in_max = (np.ascontiguousarray(t[:, 0]) for t in before(16, stat, rng))
    size = TYPES[stat].itemsize
    tensors = [x.nbytes, x, 16 * size, 16 * size, 16 * x.itemsize, in_sum, in_max]
    case = case_of(FLASH_V2, dtype, WITH_TMP | PACKED | UPDATE | wide, shape)
    dst, sums, tops, decay = unit.call(case, tensors, [0, 2, 3, 4], rng, ENOUGH)
    exps, total, top = soft(x, 50)
    new_max = np.maximum(top, in_max.astype(np.float64))
    old = np.exp(in_max.astype(np.float64) - new_max)
    close(tops.view(in_max.dtype), new_max, stat)
    close(decay.view(x.dtype), old, dtype)
    close(
        sums.view(in_max.dtype),
        old * in_sum.astype(np.float64) + total * np.exp(top - new_max),
        stat,
    )
    want = exps * np.exp(top - new_max)[:, None]
    close(dst.view(x.dtype).reshape(x.shape)[:, :50], want[:, :50], dtype)


@pytest.mark.parametrize("form", [0, WITH_TMP, UPDATE, UPDATE | WITH_TMP])
@pytest.mark.parametrize("dtype", ["float", "half"])
def test_flash_v2_with_the_maxima_of_its_rows(
    unit: RowsMachine, rng: np.random.Generator, dtype: str, form: int
) -> None:
    """With isUpdate, the call also returns the maxima without inMax; otherwise it does not."""
    x = inputs((16, 64, 50), dtype, rng)
    in_sum, in_max = (np.ascontiguousarray(t[:, 0]) for t in before(16, dtype, rng))
    size = TYPES[dtype].itemsize
    room = ENOUGH if form & WITH_TMP else 0
    outs = [x.nbytes, x, *[16 * size] * 3, in_sum, in_max]
    case = case_of(FLASH_V2, dtype, form | PACKED | BASIC, (16, 64, 50))
    results = [0, 2, 3, 4] if form & UPDATE else [0, 2, 3]
    filled = np.full(16, 7, TYPES[dtype])
    *found, row_max = unit.call(case, [*outs, filled], [*results, 7], rng, room)
    plain = case_of(FLASH_V2, dtype, form & UPDATE | WITH_TMP | PACKED, (16, 64, 50))
    for one, other in zip(found, unit.call(plain, outs, results, rng, ENOUGH), strict=True):
        assert one.tobytes() == other.tobytes()
    top = x[:, :50].max(axis=1) if form & UPDATE else filled
    np.testing.assert_array_equal(row_max.view(TYPES[dtype]), top)


def test_flash_v2_updates_in_place(unit: RowsMachine, rng: np.random.Generator) -> None:
    """The output tensors of sums and maxima may be the input tensors."""
    shape = (8, 64, 64)
    x = inputs(shape, "float", rng)
    in_sum, in_max = before(8, "float", rng)
    case = case_of(FLASH_V2, "float", WITH_TMP | BASIC | UPDATE, shape)
    tensors = [x, x, in_sum, in_max, 256, in_sum, in_max]
    results = unit.call(case, tensors, [0, 2, 3, 4], rng, ENOUGH, alias={1: 0, 5: 2, 6: 3})
    apart = unit.call(case, [x.nbytes, x, 256, 256, 256, in_sum, in_max], [0, 2, 3, 4], rng, ENOUGH)
    for one, other in zip(results, apart, strict=True):
        assert one.tobytes() == other.tobytes()


@pytest.mark.parametrize("dtype", ["float", "half"])
def test_log_softmax_is_a_decimal_logarithm(
    unit: RowsMachine, rng: np.random.Generator, dtype: str
) -> None:
    for shape in SHAPES:
        x, m = inputs(shape, dtype, rng), shape[0]
        case = case_of(LOG, dtype, WITH_TMP, shape)
        tensors = [x.nbytes, x, m * 32, m * 32]
        dst, sums, tops = unit.call(case, tensors, [0, 2, 3], rng, ENOUGH)
        exps, total, top = soft(x, shape[2])
        want = np.log10(exps / total[:, None])[:, : shape[2]]
        close(dst.view(x.dtype).reshape(x.shape)[:, : shape[2]], want, dtype, 4)
        check_column(sums, dtype, total)
        check_column(tops, dtype, top)


@pytest.mark.parametrize("form", [0, WITH_TMP, UPDATE, UPDATE | WITH_TMP])
@pytest.mark.parametrize("dtype", ["float", "half"])
@pytest.mark.parametrize("op", [GRAD, GRAD_FRONT])
def test_gradient(
    unit: RowsMachine, rng: np.random.Generator, op: int, dtype: str, form: int
) -> None:
    for shape in SHAPES:
        m, k, valid = shape
        y = typed(rng.uniform(0, 1, (m, k)), dtype)
        grad = typed(rng.normal(0, 1, (m, k)), dtype)
        front = op == GRAD_FRONT or bool(form & UPDATE)
        case = case_of(op, dtype, form, shape)
        tensors = [m * 32 if front else y.nbytes, y, grad]
        (dst,) = unit.call(case, tensors, [0], rng, ENOUGH if form & WITH_TMP else 0)
        wide_y, wide_grad = y.astype(np.float64), grad.astype(np.float64)
        dot = (wide_y * wide_grad)[:, :valid].sum(axis=1)
        if front:
            got = dst.view(y.dtype).reshape(m, -1)
            assert (got == got[:, :1]).all()
            close(got[:, 0], dot, dtype, 16)
        else:
            want = (wide_grad - dot[:, None]) * wide_y
            close(dst.view(y.dtype).reshape(m, k)[:, :valid], want[:, :valid], dtype, 16)


@pytest.mark.parametrize("op", [SOFTMAX, SIMPLE, FLASH_V2, GRAD])
@pytest.mark.parametrize("dtype", ["float", "half"])
def test_fractal_layout(unit: RowsMachine, rng: np.random.Generator, dtype: str, op: int) -> None:
    shape = (16, 48, 41)
    x, m = inputs(shape, dtype, rng), shape[0]
    exps, total, top = soft(x, 41)
    case = case_of(op, dtype, WITH_TMP | NZ, shape)
    grad = typed(rng.normal(0, 1, x.shape), dtype)
    stats: list[int | Array] = {
        SIMPLE: [columns(total, dtype), columns(top, dtype)], GRAD: [nz(grad), m * 32]
    }.get(op, [m * 32, m * 32])  # fmt: skip
    (dst, *_) = unit.call(
        case, [x.nbytes, nz(x), *stats, m * 32, m * 32, m * 32],
        [0, 2, 3] if op in (SOFTMAX, FLASH_V2) else [0], rng, ENOUGH,
    )  # fmt: skip
    want = exps if op == FLASH_V2 else exps / total[:, None]
    if op == GRAD:
        wide, wide_grad = x.astype(np.float64), grad.astype(np.float64)
        want = (wide_grad - (wide * wide_grad)[:, :41].sum(axis=1)[:, None]) * wide
    got = dst.view(x.dtype).reshape(3, m, 16).transpose(1, 0, 2).reshape(x.shape)
    close(got[:, :41], want[:, :41], dtype, 64 if op == GRAD else 1)


@pytest.mark.parametrize("form", [0, PACKED, NZ])
@pytest.mark.parametrize(("dtype", "wide"), KINDS)
def test_adjust(
    unit: RowsMachine, rng: np.random.Generator, dtype: str, wide: int, form: int
) -> None:
    stat = stat_of(dtype, wide)
    values = typed(rng.normal(0, 1, (6, 32)), dtype)
    tops = typed(np.array([1.0, -65504.0, 3.0, -65504.0, 0.0, 2.0]), stat)
    from_bits = int(typed(np.array([-65504.0]), stat).view(f"u{TYPES[stat].itemsize}")[0])
    kept = tops if form == PACKED else columns(tops, stat)
    case = RowsCase(
        op=ADJUST, dtype=dtype, form=form | wide, n=(6, 32, 6, 32, from_bits), scalar=(0.25,)
    )
    given_values = nz(values) if form == NZ else values
    got, found = unit.call(case, [given_values, kept, 32], [0, 2], rng)
    want = values.copy()
    want[[1, 3]] = 0.25
    assert got.tobytes() == (nz(want) if form == NZ else want).tobytes()
    assert found.view(np.int32)[0] == 1
    case = replace(case, n=(6, 32, 6, 32, 12345))
    got, found = unit.call(case, [given_values, kept, 32], [0, 2], rng)
    assert got.tobytes() == given_values.tobytes()
    assert found.view(np.int32)[0] == 0
