# SPDX-License-Identifier: Apache-2.0
"""Compares normalizations with NumPy in float64."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from . import norm_tilings as tilings
from .advanced_machine import Array, is_poison
from .conftest import Compile
from .norm_case import (
    BATCH,
    DEEP,
    DTYPES,
    EPSILON,
    FINALIZE,
    FORMS,
    GRAD,
    GRAD_BETA,
    GROUP,
    NORMALIZE,
    RMS,
    UPDATE,
    block,
    normal,
    numbers,
    size_of,
    wide,
)
from .rows_machine import (
    BASIC,
    NZ,
    PACKED,
    REUSE,
    WIDE,
    WITH_TMP,
    RowsCase,
    RowsMachine,
    close,
    typed,
)


@pytest.fixture(scope="module")
def unit(compile_device: Compile) -> RowsMachine:
    return RowsMachine(compile_device("advanced_norm"))


@pytest.mark.parametrize("form", [*FORMS, WITH_TMP | BASIC])
@pytest.mark.parametrize("dtype", DTYPES)
def test_rms_norm(unit: RowsMachine, rng: np.random.Generator, dtype: str, form: int) -> None:
    for b, s, h, valid, rows in (
        (1, 1, 16, 16, 1),
        (2, 5, 64, 50, 3),
        (1, 7, 1040, 1033, 2),
        (2, 8, 128, 128, 8),
    ):
        if form & BASIC and (valid != h or h % 64 or b * s % 8):
            continue
        x, gamma = numbers(rng, dtype, b * s, h), numbers(rng, dtype, h)
        words, scratch = tilings.rms(b, s, h, valid, size_of(dtype), rows)
        case = RowsCase(op=RMS, dtype=dtype, form=form, scalar=(EPSILON,), tiling=words)
        (y,) = unit.call(case, [x.nbytes, x, gamma], [0], rng, scratch if form else 0)
        wx, wg = wide(x, gamma)
        mean = (wx[:, :valid] ** 2).mean(1, keepdims=True)
        close(y.view(x.dtype).reshape(x.shape), wx / np.sqrt(mean + EPSILON) * wg, dtype, 8)


@given(
    s=st.integers(1, 30), blocks=st.integers(1, 40), cut=st.integers(0, 6), rows=st.integers(1, 30)
)
def test_rms_norm_of_any_shape(unit: RowsMachine, s: int, blocks: int, cut: int, rows: int) -> None:
    rng = np.random.default_rng([s, blocks, cut, rows])
    h, valid = blocks * 8, blocks * 8 - cut
    x, gamma = numbers(rng, "float", s, h), numbers(rng, "float", h)
    words, scratch = tilings.rms(1, s, h, valid, 4, rows)
    case = RowsCase(op=RMS, scalar=(EPSILON,), tiling=words)
    (y,) = unit.call(case, [x.nbytes, x, gamma], [0], rng, scratch)
    wx, wg = wide(x, gamma)
    mean = (wx[:, :valid] ** 2).mean(1, keepdims=True)
    close(y.view(np.float32).reshape(x.shape), wx / np.sqrt(mean + EPSILON) * wg, "float", 8)


@pytest.mark.parametrize("form", [*FORMS, WITH_TMP | BASIC])
@pytest.mark.parametrize("dtype", DTYPES)
def test_batch_norm(unit: RowsMachine, rng: np.random.Generator, dtype: str, form: int) -> None:
    for b, columns, once in ((1, 16, 16), (5, 96, 32), (8, 192, 64), (3, 80, 32)):
        if form & BASIC and (b % 8 or columns % 64):
            continue
        x, gamma, beta = (
            numbers(rng, dtype, b, columns),
            numbers(rng, dtype, b),
            numbers(rng, dtype, b),
        )
        words, scratch = tilings.batch(b, columns, size_of(dtype), once)
        case = RowsCase(op=BATCH, dtype=dtype, form=form, scalar=(EPSILON,), tiling=words)
        row = columns * x.itemsize
        y, mean, variance = unit.call(
            case, [x.nbytes, row, row, x, gamma, beta], [0, 1, 2], rng, scratch if form else 0
        )
        wx, wg, wb = wide(x, gamma[:, None], beta[:, None])
        want = normal(wx, wg, wb, axis=0)
        close(y.view(x.dtype).reshape(x.shape), want[0], dtype, 16)
        close(mean.view(x.dtype), want[1], dtype, 2)
        close(variance.view(x.dtype), want[2], dtype, 4)


@pytest.mark.parametrize("form", [*FORMS, WITH_TMP | REUSE])
@pytest.mark.parametrize("dtype", DTYPES)
def test_group_norm(unit: RowsMachine, rng: np.random.Generator, dtype: str, form: int) -> None:
    for n, c, hw, g, rows in ((1, 4, 16, 2, 2), (2, 6, 27, 3, 4), (3, 8, 100, 1, 1)):
        align = block(hw, dtype)
        x, gamma, beta = (
            numbers(rng, dtype, n, c, align),
            numbers(rng, dtype, c),
            numbers(rng, dtype, c),
        )
        x[:, :, hw:] = 0
        reuse = form & REUSE and dtype == "float"
        words, scratch = tilings.group(n, c, hw, g, size_of(dtype), rows, 2 if reuse else 3)
        case = RowsCase(op=GROUP, dtype=dtype, form=form, scalar=(EPSILON,), tiling=words)
        stats = n * g * x.itemsize
        y, mean, variance = unit.call(
            case, [x.nbytes, stats, stats, x, gamma, beta], [0, 1, 2], rng, scratch if form else 0,
            lost=[3] if reuse else [],
        )  # fmt: skip
        wx, wg, wb = wide(x[:, :, :hw].reshape(n, g, c // g * hw), gamma, beta)
        want = normal(wx, 1, 0)
        out = want[0].reshape(n, c, hw) * wg[:, None] + wb[:, None]
        got = y.view(x.dtype).reshape(x.shape)
        close(got[:, :, :hw], out, dtype, 16)
        assert not got[:, :, hw:].any()
        close(mean.view(x.dtype), want[1].reshape(-1), dtype, 2)
        close(variance.view(x.dtype), want[2].reshape(-1), dtype, 4)
        if hw != align:
            x[0, 1, hw] = 1
            unit.refused(
                "T721",
                f"element {hw} is 1",
                case,
                [x.nbytes, stats, stats, x, gamma, beta],
                rng,
                scratch,
            )


@pytest.mark.parametrize("form", [*FORMS, WITH_TMP | REUSE, WITH_TMP | BASIC])
@pytest.mark.parametrize("dtype", DTYPES)
def test_deep_norm(unit: RowsMachine, rng: np.random.Generator, dtype: str, form: int) -> None:
    alpha = 0.75
    for b, s, h, valid, rows in ((1, 3, 16, 16, 2), (2, 4, 64, 64, 8), (2, 5, 96, 90, 4)):
        if form & BASIC and (h % 64 or valid != h or b * s % 8):
            continue
        x, gx = numbers(rng, dtype, b * s, h), numbers(rng, dtype, b * s, h)
        gamma, beta = numbers(rng, dtype, h), numbers(rng, dtype, h)
        reuse = form & REUSE and dtype == "float"
        words, scratch = tilings.bsh(b, s, h, valid, size_of(dtype), rows, 2 if reuse else 3)
        case = RowsCase(op=DEEP, dtype=dtype, form=form, scalar=(EPSILON, alpha), tiling=words)
        stats = b * s * x.itemsize
        y, mean, variance = unit.call(
            case, [x.nbytes, stats, stats, x, gx, beta, gamma], [0, 1, 2], rng,
            scratch if form & WITH_TMP else 0, lost=[3] if reuse else [],
        )  # fmt: skip
        wx, wgx, wg, wb = wide(x, gx, gamma, beta)
        want = normal((wx * alpha + wgx)[:, :valid], wg[:valid], wb[:valid])
        close(y.view(x.dtype).reshape(x.shape)[:, :valid], want[0], dtype, 8)
        close(mean.view(x.dtype), want[1], dtype, 2)
        close(variance.view(x.dtype), want[2], dtype, 4)


@pytest.mark.parametrize("form", [*FORMS, WITH_TMP | PACKED])
@pytest.mark.parametrize(("dtype", "weights"), [("float", 0), ("half", 0), ("half", WIDE)])
def test_normalize(
    unit: RowsMachine, rng: np.random.Generator, dtype: str, weights: int, form: int
) -> None:
    kind = "float" if weights else dtype
    for a, r in ((1, 8), (6, 50), (4, 640)):
        pitch = block(r, dtype)
        x, gamma, beta = numbers(rng, dtype, a, pitch), numbers(rng, kind, r), numbers(rng, kind, r)
        mean, variance = numbers(rng, "float", a), typed(rng.uniform(0.1, 3, a), "float")
        case = RowsCase(
            op=NORMALIZE, dtype=dtype, form=form | weights, n=(a, r, pitch), scalar=(EPSILON,)
        )
        y, rstd = unit.call(
            case, [x.nbytes, 4 * a, mean, variance, x, gamma, beta], [0, 1], rng,
            64 * 1024 if form & WITH_TMP else 0,
        )  # fmt: skip
        wx, wm, wv, wg, wb = wide(x[:, :r], mean[:, None], variance[:, None], gamma, beta)
        scale = 1 / np.sqrt(wv + EPSILON)
        want = (wx - wm) * scale * (1 if form & PACKED else wg) + wb
        close(y.view(x.dtype).reshape(x.shape)[:, :r], want, dtype, 8)
        close(rstd.view(np.float32), scale[:, 0], "float", 4)


@pytest.mark.parametrize("form", [*FORMS, WITH_TMP | REUSE, WITH_TMP | PACKED])
@pytest.mark.parametrize("dtype", DTYPES)
def test_welford_update(unit: RowsMachine, rng: np.random.Generator, dtype: str, form: int) -> None:
    for length, count in ((16, 16), (160, 150), (1024, 1001)):
        mean, variance = numbers(rng, "float", length), typed(rng.uniform(0, 9, length), "float")
        x = numbers(rng, dtype, length)
        case = RowsCase(op=UPDATE, dtype=dtype, form=form, n=(1, length, count), scalar=(0.25,))
        old = np.zeros(length, np.float32)
        lost = [4] if form & REUSE and dtype == "float" else []
        new_mean, new_variance = unit.call(
            case, [old, old, mean, variance, x], [0, 1], rng, 768 if form else 0, lost=lost
        )
        wx, wm, wv = wide(x, mean, variance)
        want_mean = wm + (wx - wm) * 0.25
        want_variance = wv + (wx - wm) * (wx - want_mean)
        got_mean, got_variance = new_mean.view(np.float32), new_variance.view(np.float32)
        close(got_mean[:count], want_mean[:count], "float", 4)
        close(got_variance[:count], want_variance[:count], "float", 8)
        rest = (mean, variance) if form & PACKED else (old, old)
        assert (got_mean[count:] == rest[0][count:]).all()
        assert (got_variance[count:] == rest[1][count:]).all()


@pytest.mark.parametrize("form", [0, WITH_TMP, PACKED, PACKED | WITH_TMP])
@pytest.mark.parametrize("head", [0, 40, 96])
def test_welford_finalize(
    unit: RowsMachine, rng: np.random.Generator, head: int, form: int
) -> None:
    """WelfordFinalize combines 96 means: the first `head` are means of 5 values, the rest of 4."""
    length = 96
    counts = np.where(np.arange(length) < head, 5, 4).astype(np.int32)
    if head == length:
        counts[:] = 5
    data = [rng.normal(1, 2, c) for c in counts]
    mean = np.array([d.mean() for d in data], np.float32)
    sums = np.array([d.var() * len(d) for d in data], np.float32)
    whole = np.concatenate(data)
    tail = length - head
    para = (5 if head == length else 4, length, 5 if head else 0, head, 4 if tail else 0, tail)
    case = RowsCase(op=FINALIZE, form=form, n=para, scalar=(1 / length, 1 / len(whole)))
    tensors: list[int | Array] = [32, 32, mean, sums, counts]
    got = unit.call(case, tensors, [0, 1], rng, 1024 if form & WITH_TMP else 0)
    for raw, want in zip(got, (whole.mean(), whole.var()), strict=True):
        values = raw.view(np.float32)
        close(values[:1], np.array([want]), "float", 16)
        assert not values[1:].any()


def test_what_is_refused(unit: RowsMachine, rng: np.random.Generator) -> None:
    x, gamma = numbers(rng, "float", 4, 16), numbers(rng, "float", 16)
    words, scratch = tilings.rms(1, 4, 16, 16, 4, 4)
    case = RowsCase(op=RMS, scalar=(EPSILON,), tiling=words)
    tensors: list[int | Array] = [x.nbytes, x, gamma]
    unit.refused("T700", "RmsNorm finds 256 B", case, tensors, rng, 256)
    wrong = (*words[:6], 3, *words[7:])
    unit.refused("T720", "mainBshLength = 64", replace(case, tiling=wrong), tensors, rng, scratch)
    unit.refused(
        "T703", "isBasicBlock", replace(case, form=WITH_TMP | BASIC), tensors, rng, scratch
    )
    unit.refused(
        "T703", "RmsNorm of 0 rows", replace(case, tiling=(0, 4, 16, 16)), tensors, rng, scratch
    )
    words, scratch = tilings.grad(1, 4, 16, 16, 4, 4, False)
    case = RowsCase(op=GRAD, form=WITH_TMP | NZ, tiling=words)
    stats = np.ones(4, np.float32)
    grads: list[int | Array] = [x.nbytes, x.nbytes, x, x, stats, stats, gamma]
    unit.refused("T722", "data format 1", case, grads, rng, scratch)
    padded = list(tilings.grad_beta(1, 4, 16, 4, 4)[0])
    padded[4] = 12
    case = RowsCase(op=GRAD_BETA, tiling=tuple(padded))
    unit.refused("T703", "originalHLength apart", case, [64, 64, x, x], rng, 1024)
    case = RowsCase(op=UPDATE, n=(2, 16, 16), scalar=(0.5,))
    unit.refused("T703", "rnLength is 1", case, [64, 64, gamma, gamma, gamma], rng, 512)
    case = RowsCase(op=FINALIZE, n=(1, 16, 1, 8, 1, 7), scalar=(1.0, 1.0))
    unit.refused("T703", "tailCountLength is abLength", case, [32, 32, gamma, gamma, 64], rng, 1024)
    case = RowsCase(op=NORMALIZE, n=(4, 17, 16), scalar=(EPSILON,))
    unit.refused(
        "T703", "17 of them valid", case, [256, 16, stats, stats, x, gamma, gamma], rng, 4096
    )


def test_scratch_is_poisoned(unit: RowsMachine, rng: np.random.Generator) -> None:
    x, gamma = numbers(rng, "float", 4, 16), numbers(rng, "float", 16)
    words, scratch = tilings.rms(1, 4, 16, 16, 4, 4)
    image, case = unit.layout(
        RowsCase(op=RMS, scalar=(EPSILON,), tiling=words), [x.nbytes, x, gamma], scratch, rng, {}
    )
    begin, size = case.tmp
    assert is_poison(unit.run(image, case)[begin : begin + size])
