# SPDX-License-Identifier: Apache-2.0
"""Tests SoftmaxFlashV3 against its formulas in float64, and that parts give the whole softmax."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cannery
from cannery import KernelError

from .softmax_case import tiling_of

M = 8
ALPHA = 0.9375
SOURCE = """
#include "kernel_operator.h"
using namespace AscendC;

struct Given {
    SoftMaxTiling softmax;
    uint32_t m, k, loops, parts;
    float alpha;
};

template <typename T>
__aicore__ inline LocalTensor<T> Load(TPipe& pipe, TBuf<TPosition::VECCALC>& buffer, GM_ADDR gm,
                                      uint32_t size) {
    pipe.InitBuffer(buffer, size * sizeof(T));
    LocalTensor<T> local = buffer.Get<T>();
    GlobalTensor<T> from;
    from.SetGlobalBuffer((__gm__ T*)gm);
    DataCopy(local, from, size);
    return local;
}
template <typename T>
__aicore__ inline void Store(GM_ADDR gm, const LocalTensor<T>& local) {
    GlobalTensor<T> to;
    to.SetGlobalBuffer((__gm__ T*)gm);
    DataCopy(to, local, local.GetSize());
}

extern "C" __global__ __aicore__ void flash(GM_ADDR x, GM_ADDR inMean, GM_ADDR inSum,
                                            GM_ADDR inMax, GM_ADDR y, GM_ADDR mean, GM_ADDR sum,
                                            GM_ADDR max, GM_ADDR expMax, GM_ADDR tiling) {
    REGISTER_TILING_DEFAULT(Given);
    GET_TILING_DATA(t, tiling);
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffers[9];
    const uint32_t size = t.m * t.k, few = t.m * 8;
    const LocalTensor<half> src = Load<half>(pipe, buffers[0], x, size);
    const LocalTensor<float> oldMean = Load<float>(pipe, buffers[1], inMean, few);
    const LocalTensor<float> oldSum = Load<float>(pipe, buffers[2], inSum, few);
    const LocalTensor<float> oldMax = Load<float>(pipe, buffers[3], inMax, few);
    const LocalTensor<half> dst = Load<half>(pipe, buffers[4], y, size);
    const LocalTensor<float> newMean = Load<float>(pipe, buffers[5], mean, few);
    const LocalTensor<float> newSum = Load<float>(pipe, buffers[6], sum, few);
    const LocalTensor<float> newMax = Load<float>(pipe, buffers[7], max, few);
    const LocalTensor<half> grown = Load<half>(pipe, buffers[8], expMax, t.m * 16);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    const SoftMaxParams params = {t.m, t.k, t.m, t.k, t.loops, t.parts, t.alpha};
    if (TILING_KEY_IS(0)) {
        SoftmaxFlashV3<half, float>(dst, newMean, newSum, newMax, src, grown, oldMean, oldSum,
                                    oldMax, t.softmax, params);
    } else if (TILING_KEY_IS(1)) {
        SoftmaxFlashV3<half, float, true>(dst, newMean, newSum, newMax, src, grown, oldMean, oldSum,
                                          oldMax, t.softmax, params);
    }
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    Store(y, dst);
    Store(mean, newMean);
    Store(sum, newSum);
    Store(max, newMax);
    Store(expMax, grown);
}
"""


@pytest.fixture(scope="module")
def flash() -> Any:
    return cannery.compile_kernel(SOURCE, "flash")


Stats = dict[str, Any]


def blocks(values: Any) -> Any:
    return np.repeat(np.asarray(values, np.float32)[:, None], 8, axis=1)


def run(flash: Any, x: Any, old: Stats | None, loops: int, parts: int = 8) -> tuple[Any, Stats]:
    m, k = x.shape
    tiling = np.array([*tiling_of(m, k, "float"), m, k, loops, parts], np.uint32).tobytes()
    tiling += np.float32(ALPHA).tobytes()
    before = [blocks(np.zeros(m) if old is None else old[n]) for n in ("mean", "sum", "max")]
    y, grown = np.zeros((m, k), np.float16), np.zeros((m, 16), np.float16)
    after = [np.zeros((m, 8), np.float32) for _ in range(3)]
    flash(1, x, *before, y, *after, grown, tiling=tiling, tiling_key=int(old is not None))
    for stat in after:
        assert (stat == stat[:, :1]).all()
    stats = {n: a[:, 0] for n, a in zip(("mean", "sum", "max"), after, strict=True)}
    return y, {**stats, "grown": grown[:, 0]}


def golden(x: Any, old: Stats | None, loops: int) -> tuple[Any, Stats]:
    """The formulas of the page. The means of the eighths come from the first 512 columns, to which
    the others are added in groups of 64."""
    x = x.astype(np.float64)
    m, k = x.shape
    strength = ALPHA / (1 - ALPHA)
    first = x[:, :512].reshape(m, 64, 8).sum(2)
    rest = x[:, 512:].reshape(m, -1, 64).sum(1)
    means = (first + rest).reshape(m, 8, 8).sum(2) / (k // 8)
    mean = means.mean(1)
    moved = x - np.repeat((mean[:, None] - means) * strength, k // 8, axis=1)
    top = moved.max(1)
    if old is None:
        y = np.exp(moved - top[:, None])
        return y, {"mean": mean, "max": top, "sum": y.sum(1)}
    new = (mean + old["mean"] * (loops - 1)) / loops
    shift, before = (mean - new) * strength, (old["mean"] - new) * strength
    top = np.maximum(shift + top, before + old["max"])
    y = np.exp(moved - (top - shift)[:, None])
    grown = np.exp(old["max"] - top + before)
    return y, {"mean": new, "max": top, "sum": grown * old["sum"] + y.sum(1), "grown": grown}


@pytest.mark.parametrize("k", [512, 1024])
def test_formulas(flash: Any, rng: np.random.Generator, k: int) -> None:
    x = rng.normal(0.5, 1, (M, k)).astype(np.float16)
    y, stats = run(flash, x, None, 1)
    want, expected = golden(x, None, 1)
    np.testing.assert_allclose(y, want, rtol=2e-3, atol=1e-6)
    for name, value in expected.items():
        np.testing.assert_allclose(stats[name], value, rtol=2e-4, err_msg=name)
    more = rng.normal(0.25, 1, (M, k)).astype(np.float16)
    y, second = run(flash, more, stats, 2)
    want, expected = golden(more, stats, 2)
    np.testing.assert_allclose(y, want, rtol=2e-3, atol=1e-6)
    for name, value in expected.items():
        np.testing.assert_allclose(second[name], value, rtol=2e-3, err_msg=name)


@pytest.mark.parametrize(("m", "k", "parts"), [(8, 448, 8), (8, 512, 4), (4, 512, 8)])
def test_shapes_that_are_refused(flash: Any, m: int, k: int, parts: int) -> None:
    with pytest.raises(KernelError, match="T703 shape not taken: SoftmaxFlashV3"):
        run(flash, np.zeros((m, k), np.float16), None, 1, parts)
