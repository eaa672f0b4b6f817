# SPDX-License-Identifier: Apache-2.0
"""Tests TransData, NCDHW to NDC1HWC0 and FRACTAL_Z_3D and back, against transposes of NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cannery
from cannery import CompileError, KernelError

SOURCE = """
#include "kernel_operator.h"
using namespace AscendC;

constexpr TransDataConfig TO_C0 = {DataFormat::NCDHW, DataFormat::NDC1HWC0};
constexpr TransDataConfig FROM_C0 = {DataFormat::NDC1HWC0, DataFormat::NCDHW};
constexpr TransDataConfig TO_Z = {DataFormat::NCDHW, DataFormat::FRACTAL_Z_3D};
constexpr TransDataConfig FROM_Z = {DataFormat::FRACTAL_Z_3D, DataFormat::NCDHW};

struct Sizes {
    int32_t n, c, d, h, w, srcSize, dstSize, tmpBytes;
};

template <const TransDataConfig& config, typename T, class From, class To>
__aicore__ inline void Convert(const LocalTensor<T>& to, const LocalTensor<T>& from,
                               const LocalTensor<uint8_t>& tmp, const From& source,
                               const To& result) {
    TransDataParams<From, To> params = {source, result};
    TransData<config>(to, from, tmp, params);
}

extern "C" __global__ __aicore__ void convert(GM_ADDR x, GM_ADDR y, GM_ADDR tiling) {
    REGISTER_TILING_DEFAULT(Sizes);
    GET_TILING_DATA(s, tiling);
    TPipe pipe;
    TBuf<TPosition::VECCALC> source, result, scratch;
    pipe.InitBuffer(source, s.srcSize * 2);
    pipe.InitBuffer(result, s.dstSize * 2);
    pipe.InitBuffer(scratch, s.tmpBytes);
    LocalTensor<half> from = source.Get<half>(), to = result.Get<half>();
    GlobalTensor<half> in, out;
    in.SetGlobalBuffer((__gm__ half*)x);
    out.SetGlobalBuffer((__gm__ half*)y);
    DataCopy(from, in, s.srcSize);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    const LocalTensor<uint8_t> tmp = scratch.Get<uint8_t>();
    const int32_t c1 = (s.c + 15) / 16, n1 = (s.n + 15) / 16;
    Layout ncdhw = MakeLayout(MakeShape(s.n, s.c, s.d, s.h, s.w), MakeStride());
    Layout c0 = MakeLayout(MakeShape(s.n, s.d, c1, s.h, s.w, 16), MakeStride());
    Layout z = MakeLayout(MakeShape(s.d, c1, s.h, s.w, n1, 16, 16), MakeStride());
    if (TILING_KEY_IS(0)) {
        Convert<TO_C0>(to, from, tmp, ncdhw, c0);
    } else if (TILING_KEY_IS(1)) {
        Convert<FROM_C0>(to, from, tmp, c0, ncdhw);
    } else if (TILING_KEY_IS(2)) {
        Convert<TO_Z>(to, from, tmp, ncdhw, z);
    } else if (TILING_KEY_IS(3)) {
        Convert<FROM_Z>(to, from, tmp, z, ncdhw);
    }
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(out, to, s.dstSize);
}
"""
CASES = [(16, 16, 1, 4, 4), (2, 20, 3, 2, 8), (17, 5, 2, 1, 16)]


@pytest.fixture(scope="module")
def convert() -> Any:
    return cannery.compile_kernel(SOURCE, "convert")


def parts(length: int) -> int:
    return -(-length // 16)


def padded(x: np.ndarray[Any, Any], fractal: bool) -> np.ndarray[Any, Any]:
    n, c = x.shape[:2]
    rows = parts(n) * 16 - n if fractal else 0
    return np.pad(x, ((0, rows), (0, parts(c) * 16 - c), (0, 0), (0, 0), (0, 0)))


def divided(x: np.ndarray[Any, Any], fractal: bool) -> np.ndarray[Any, Any]:
    whole = padded(x, fractal)
    n, c, d, h, w = whole.shape
    if fractal:
        split = whole.reshape(n // 16, 16, c // 16, 16, d, h, w)
        return split.transpose(4, 2, 5, 6, 0, 1, 3)
    return whole.reshape(n, c // 16, 16, d, h, w).transpose(0, 3, 1, 4, 5, 2)


def scratch(shape: tuple[int, ...], split: bool, fractal: bool) -> int:
    """Returns the size that GetTransDataMaxMinTmpSize gives."""
    n, c, d, h, w = shape
    plane, whole = parts(h * w) * 16, d * parts(c) * 16 * parts(h * w) * 16
    rows = parts(n) * 16
    if not fractal:
        return 2 * (d * plane + whole) if split else 2 * whole + 512
    if split:
        return 2 * (max(c * d * plane, d * h * w * rows) + rows * whole)
    return 2 * rows * whole * (1 if (rows, parts(c) * 16) == (n, c) else 2)


@pytest.mark.parametrize("fractal", [False, True])
@pytest.mark.parametrize("split", [False, True])
@pytest.mark.parametrize("shape", CASES)
def test_conversions(convert: Any, shape: tuple[int, ...], split: bool, fractal: bool) -> None:
    x = np.arange(np.prod(shape)).reshape(shape).astype(np.float16)
    other = np.ascontiguousarray(divided(x, fractal))
    source, expected = (x, other) if split else (other, x)
    y = np.full(expected.shape, 99, np.float16)
    tmp = scratch(shape, split, fractal)
    sizes = np.array([*shape, source.size, y.size, tmp], np.int32)
    key = 2 * int(fractal) + int(not split)
    convert(1, source, y, tiling=sizes.tobytes(), tiling_key=key)
    np.testing.assert_array_equal(y, expected)
    sizes[-1] -= 32
    with pytest.raises(KernelError, match="T700"):
        convert(1, source, y, tiling=sizes.tobytes(), tiling_key=key)


def test_planes_are_padded_to_blocks(convert: Any) -> None:
    shape = (1, 16, 2, 3, 5)
    x = np.arange(np.prod(shape)).reshape(shape).astype(np.float16)
    planes = np.zeros((1, 16, 2, 16), np.float16)
    planes[..., :15] = x.reshape(1, 16, 2, 15)
    y = np.zeros((1, 2, 1, 3, 5, 16), np.float16)
    sizes = np.array([*shape, planes.size, y.size, scratch(shape, True, False)], np.int32)
    convert(1, planes, y, tiling=sizes.tobytes(), tiling_key=0)
    np.testing.assert_array_equal(y, divided(x, False))
    sizes[5:] = [y.size, planes.size, scratch(shape, False, False)]
    back = np.zeros_like(planes)
    with cannery.use(hazards="off"):  # the kernel also copies out the padding
        convert(1, y, back, tiling=sizes.tobytes(), tiling_key=1)
    np.testing.assert_array_equal(back[..., :15], planes[..., :15])


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("TO_C0 = {DataFormat::NCDHW", "TO_C0 = {DataFormat::ND", "NCDHW to or from NDC1HWC0"),
        ("MakeShape(s.n, s.d, c1, s.h, s.w, 16)", "MakeShape(s.n, s.d)", "as many axes as"),
    ],
)
def test_what_does_not_compile(old: str, new: str, sentence: str) -> None:
    with pytest.raises(CompileError, match=sentence):
        cannery.compile_kernel(SOURCE.replace(old, new), "convert")
