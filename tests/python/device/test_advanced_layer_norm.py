# SPDX-License-Identifier: Apache-2.0
"""Compares LayerNorm and its gradients with NumPy in float64."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from . import norm_tilings as tilings
from .advanced_machine import Array
from .conftest import Compile
from .norm_case import (
    DTYPES,
    EPSILON,
    FORMS,
    GRAD,
    GRAD_BETA,
    LAYER_NORM,
    RSTD,
    block,
    normal,
    numbers,
    size_of,
    wide,
)
from .rows_machine import (
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


@pytest.mark.parametrize("form", [*FORMS, WITH_TMP | REUSE])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    ("b", "s", "h", "rows"), [(1, 1, 16, 1), (2, 5, 64, 3), (1, 7, 1040, 2), (3, 4, 80, 12)]
)
def test_layer_norm(
    unit: RowsMachine, rng: np.random.Generator, b: int, s: int, h: int, rows: int,
    dtype: str, form: int,
) -> None:  # fmt: skip
    x, gamma, beta = numbers(rng, dtype, b * s, h), numbers(rng, dtype, h), numbers(rng, dtype, h)
    reuse = form & REUSE and dtype == "float"
    words, scratch = tilings.bsh(b, s, h, h, size_of(dtype), rows, 2 if reuse else 3)
    case = RowsCase(op=LAYER_NORM, dtype=dtype, form=form, scalar=(EPSILON,), tiling=words)
    stats = b * s * size_of(dtype)
    y, mean, variance = unit.call(
        case, [x.nbytes, stats, stats, x, gamma, beta], [0, 1, 2], rng, scratch if form else 0,
        lost=[3] if reuse else [],
    )  # fmt: skip
    want = normal(*wide(x, gamma, beta))
    close(y.view(x.dtype).reshape(x.shape), want[0], dtype, 8)
    close(mean.view(x.dtype), want[1], dtype, 2)
    close(variance.view(x.dtype), want[2], dtype, 4)


def test_padding_of_layer_norm_takes_part(unit: RowsMachine, rng: np.random.Generator) -> None:
    """Padding of zeros changes the variance, but not the mean; other padding is refused (T721)."""
    valid, h = 13, 16
    x, gamma, beta = numbers(rng, "float", 4, h), numbers(rng, "float", h), numbers(rng, "float", h)
    x[:, valid:] = 0
    words, scratch = tilings.bsh(2, 2, h, valid, 4, 4)
    case = RowsCase(op=LAYER_NORM, scalar=(EPSILON,), tiling=words)
    tensors: list[int | Array] = [x.nbytes, 16, 16, x, gamma, beta]
    y, mean, variance = unit.call(case, tensors, [0, 1, 2], rng, scratch)
    wide_x = x.astype(np.float64)
    want_mean = wide_x.sum(1) / valid
    want_variance = ((wide_x - want_mean[:, None]) ** 2).sum(1) / valid
    close(mean.view(np.float32), want_mean, "float", 2)
    close(variance.view(np.float32), want_variance, "float", 2)
    want = (wide_x - want_mean[:, None]) / np.sqrt(want_variance + EPSILON)[:, None] * gamma + beta
    close(y.view(np.float32).reshape(x.shape), want, "float", 8)
    x[2, 14] = 0.5
    unit.refused(
        "T721", "element 14 is 0.5", case, [x.nbytes, 16, 16, x, gamma, beta], rng, scratch
    )


def test_a_tiling_is_spent_by_a_short_last_round(
    unit: RowsMachine, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A call with a short last part changes the tiling, which a second call then refuses (T720)."""
    x, ones = numbers(rng, "float", 5, 8), np.ones(8, np.float32)
    words, scratch = tilings.bsh(1, 5, 8, 8, 4, 2)
    case = RowsCase(op=LAYER_NORM, n=(1,), scalar=(EPSILON,), tiling=words)
    tensors: list[int | Array] = [x.nbytes, 20, 20, x, ones, ones]
    unit.refused("T720", "bshCurLength = 8 .*expected 16", case, tensors, rng, scratch)
    even, scratch = tilings.bsh(1, 5, 8, 8, 4, 5)
    unit.call(replace(case, tiling=even), tensors, [0, 1, 2], rng, scratch)


@pytest.mark.parametrize("form", [*FORMS, WITH_TMP | PACKED])
@pytest.mark.parametrize(("dtype", "weights"), [("float", 0), ("half", 0), ("half", WIDE)])
@pytest.mark.parametrize(("a", "r", "rows"), [(1, 16, 1), (7, 64, 3), (5, 29, 2), (9, 333, 4)])
def test_layer_norm_with_rstd(
    unit: RowsMachine, rng: np.random.Generator, a: int, r: int, rows: int, dtype: str,
    weights: int, form: int,
) -> None:  # fmt: skip
    kind = "float" if weights else dtype
    pitch = block(r, dtype)
    x, gamma, beta = numbers(rng, dtype, a, pitch), numbers(rng, kind, r), numbers(rng, kind, r)
    words, scratch = tilings.separate(a, r, pitch, rows)
    case = RowsCase(
        op=RSTD, dtype=dtype, form=form | weights, n=(a, r, pitch), scalar=(EPSILON,), tiling=words
    )
    y, mean, rstd = unit.call(
        case, [x.nbytes, 4 * a, 4 * a, x, gamma, beta], [0, 1, 2], rng,
        scratch if form & WITH_TMP else 0, lost=[] if pitch == r else [3],
    )  # fmt: skip
    wide_x, wide_gamma, wide_beta = wide(x[:, :r], gamma, beta)
    want = normal(wide_x, wide_gamma, 0 if form & PACKED else wide_beta)
    got = y.view(x.dtype).reshape(x.shape)
    close(got[:, :r], want[0], dtype, 8)
    assert np.isnan(got[:, r:].astype(np.float32)).any() or pitch == r
    close(mean.view(np.float32), want[1], "float", 4)
    close(rstd.view(np.float32), 1 / np.sqrt(want[2] + EPSILON), "float", 8)


def test_layer_norm_multiplies_padding_with_zero(
    unit: RowsMachine, rng: np.random.Generator
) -> None:
    x, ones = numbers(rng, "float", 2, 8), np.ones(5, np.float32)
    words, scratch = tilings.separate(2, 5, 8, 1)
    case = RowsCase(op=RSTD, n=(2, 5, 8), scalar=(EPSILON,), tiling=words)
    tensors: list[int | Array] = [x.nbytes, 8, 8, x, ones, ones]
    left = unit.call(case, tensors, [3], rng, scratch, lost=[0, 1, 2])[0].view(np.float32)
    np.testing.assert_array_equal(left.reshape(2, 8), np.where(np.arange(8) < 5, x, 0))
    x[1, 6] = np.nan
    unit.refused("T721", "in row 1 it is not finite", case, tensors, rng, scratch)


@pytest.mark.parametrize("form", [*FORMS, WITH_TMP | REUSE])
@pytest.mark.parametrize("dtype", DTYPES)
def test_layer_norm_gradient(
    unit: RowsMachine, rng: np.random.Generator, dtype: str, form: int
) -> None:
    reuse = bool(form & REUSE and dtype == "float")
    for b, s, h, rows in ((1, 3, 32, 8), (2, 9, 48, 16), (1, 40, 64, 16)):
        dy, x = numbers(rng, dtype, b * s, h), numbers(rng, dtype, b * s, h)
        gamma = numbers(rng, dtype, h)
        mean, variance = (
            typed(x.astype(np.float64).mean(1), dtype),
            typed(x.astype(np.float64).var(1), dtype),
        )
        words, scratch = tilings.grad(b, s, h, h, size_of(dtype), rows, reuse)
        case = RowsCase(op=GRAD, dtype=dtype, form=form, scalar=(EPSILON,), tiling=words)
        tensors: list[int | Array] = [x.nbytes, x.nbytes, dy, x, variance, mean, gamma]
        pd_x, result = unit.call(
            case, tensors, [0, 1], rng, scratch if form else 0, lost=[2, 3] if reuse else []
        )
        wdy, wx, wg, wm, wv = wide(dy, x, gamma, mean[:, None], variance[:, None])
        rstd = 1 / np.sqrt(wv + EPSILON)
        x1, x2 = wdy * wg, wx - wm
        pd_var = (-0.5 * x1 * x2 * rstd**3).sum(1, keepdims=True)
        pd_mean = (-x1 * rstd).sum(1, keepdims=True) + pd_var * (-2 * x2).sum(1, keepdims=True) / h
        want = x1 * rstd + pd_var * 2 / h * x2 + pd_mean / h
        close(pd_x.view(x.dtype).reshape(x.shape), want, dtype, 32)
        close(result.view(x.dtype).reshape(x.shape), x2 * rstd, dtype, 8)


@pytest.mark.parametrize("form", [*FORMS, WITH_TMP | REUSE])
@pytest.mark.parametrize("dtype", DTYPES)
def test_gradients_of_the_weights(
    unit: RowsMachine, rng: np.random.Generator, dtype: str, form: int
) -> None:
    for b, s, h, rows in ((1, 1, 16, 1), (2, 9, 48, 4), (3, 5, 128, 15)):
        dy, result = numbers(rng, dtype, b * s, h), numbers(rng, dtype, b * s, h)
        words, scratch = tilings.grad_beta(b, s, h, size_of(dtype), rows)
        case = RowsCase(op=GRAD_BETA, dtype=dtype, form=form, tiling=words)
        gamma, beta = unit.call(
            case, [h * dy.itemsize, h * dy.itemsize, result, dy], [0, 1], rng,
            scratch if form else 0,
            lost=[2] if form & REUSE and dtype == "float" else [],
        )  # fmt: skip
        wdy, wr = wide(dy, result)
        close(gamma.view(dy.dtype), (wdy * wr).sum(0), dtype, 32)
        close(beta.view(dy.dtype), wdy.sum(0), dtype, 32)
