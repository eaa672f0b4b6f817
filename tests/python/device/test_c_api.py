# SPDX-License-Identifier: Apache-2.0
"""Tests the toolkit's C API on pointers, and arrays that a kernel declares in UB."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cannery
from cannery import KernelError
from cannery.compile.tokens import with_ub_arrays

N = 64
SOURCE = """
#include "c_api/asc_simd.h"

constexpr uint32_t N = 64;

template <typename T>
__aicore__ inline void Add(__gm__ T* x, __gm__ T* y, __gm__ T* z, uint32_t n) {
    __ubuf__ T a[N], b[N];
    __ubuf__ T sum[N];
    asc_copy_gm2ub_align(a, x, n * sizeof(T));
    asc_copy_gm2ub_align(b, y, n * sizeof(T));
    asc_sync_notify(PIPE_MTE2, PIPE_V, EVENT_ID0);
    asc_sync_wait(PIPE_MTE2, PIPE_V, EVENT_ID0);
    asc_add(sum, a, b, n);
    asc_sync_notify(PIPE_V, PIPE_MTE3, EVENT_ID0);
    asc_sync_wait(PIPE_V, PIPE_MTE3, EVENT_ID0);
    asc_copy_ub2gm_align(z, sum, n * sizeof(T));
    asc_sync();
}

extern "C" __global__ __aicore__ __vector__ void capi(GM_ADDR x, GM_ADDR y, GM_ADDR z) {
    asc_init();
    if (TILING_KEY_IS(0)) {
        Add((__gm__ float*)x, (__gm__ float*)y, (__gm__ float*)z, N);
    } else if (TILING_KEY_IS(1)) {
        Add((__gm__ half*)x, (__gm__ half*)y, (__gm__ half*)z, N - 3);
    } else if (TILING_KEY_IS(2)) {
        __gm__ float* out = (__gm__ float*)z;
        for (int i = 0; i < 2; ++i) {
            __ubuf__ float a[N];
            __ubuf__ float b[N];
            __ubuf__ half narrow[N];
            __ubuf__ int32_t rounded[N];
            asc_copy_gm2ub_sync(a, x, sizeof(a));
            asc_sub_scalar_sync(b, a, 1, N);
            asc_mul_scalar_sync(b, b, 2.0f, N);
            asc_duplicate(rounded, 7, N);
            asc_set_vector_mask(0, 0xF);
            asc_abs(b, b, 1, 1, 1, 8, 8);
            asc_set_vector_mask(-1, -1);
            asc_sync_pipe(PIPE_V);
            asc_float2half_rz_sync(narrow, b, N);
            asc_half2float_sync(b, narrow, N);
            asc_float2int32_rn_sync(rounded, b, N - 1);
            asc_copy_ub2gm(out + 2 * i * N, b, sizeof(b));
            asc_copy_ub2gm_sync(out + (2 * i + 1) * N, rounded, sizeof(rounded));
        }
    } else if (TILING_KEY_IS(3)) {
        __ubuf__ float a[N];
        __ubuf__ float b[N];
        for (uint32_t i = 0; i < N; ++i) {
            a[i] = i;
        }
        asc_sync();
        asc_set_mask_norm();
        asc_set_atomic_add_float();
        asc_copy_ub2gm_sync(z, a, sizeof(a));
        asc_set_atomic_none();
        asc_copy_ub2ub_sync(b, a, sizeof(a));
        asc_copy_ub2gm_sync(z + sizeof(a), b, sizeof(b));
    } else if (TILING_KEY_IS(4)) {
        __ubuf__ uint8_t a[200 * 1024];
        asc_copy_ub2gm_sync(z, a, 32);
    } else if (TILING_KEY_IS(5)) {
        float a[N];
        asc_copy_ub2gm_sync(z, a, 32);
    }
}
"""


@pytest.fixture(scope="module")
def capi() -> Any:
    return cannery.compile_kernel(SOURCE, "capi")


@pytest.mark.parametrize(("key", "dtype", "count"), [(0, np.float32, N), (1, np.float16, N - 3)])
def test_add(capi: Any, rng: np.random.Generator, key: int, dtype: Any, count: int) -> None:
    x, y = rng.integers(-9, 9, (2, N)).astype(dtype)
    z = np.full(N, 99, dtype)
    capi(1, x, y, z, tiling_key=key)
    np.testing.assert_array_equal(z[:count], (x + y)[:count])
    np.testing.assert_array_equal(z[count:], 99)


def test_scalars_masks_and_conversions(capi: Any, rng: np.random.Generator) -> None:
    x = rng.uniform(-9, 9, N).astype(np.float32)
    z = np.zeros((2, 2, N), np.float32)
    capi(1, x, x.copy(), z, tiling_key=2)
    expected = (x - 1) * 2
    expected[:4] = np.abs(expected[:4])
    narrow = expected.astype(np.float16)
    over = np.abs(narrow.astype(np.float32)) > np.abs(expected)
    narrow[over] = np.nextafter(narrow[over], np.float16(0))
    np.testing.assert_array_equal(z[:, 0], [narrow.astype(np.float32)] * 2)
    rounded = np.rint(narrow.astype(np.float32)).astype(np.int32)
    rounded[-1] = 7
    np.testing.assert_array_equal(z[:, 1].view(np.int32), [rounded] * 2)


def test_values_of_the_scalar_unit_and_atomic_copies(capi: Any) -> None:
    z = np.full(2 * N, 5, np.float32)
    capi(1, z.copy(), z.copy(), z, tiling_key=3)
    np.testing.assert_array_equal(z, [*(5 + np.arange(N)), *range(N)])


@pytest.mark.parametrize(
    ("key", "sentence"),
    [
        (4, "T106 UB full: the arrays that the kernel declares in UB take 204800 B"),
        (5, "T103 address outside the unified buffer: asc_copy_ub2gm is given a pointer"),
    ],
)
def test_what_is_no_memory_in_ub(capi: Any, key: int, sentence: str) -> None:
    z = np.zeros(N, np.float32)
    with pytest.raises(KernelError, match=sentence):
        capi(1, z, z.copy(), z.copy(), tiling_key=key)


@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        (
            "__twin_ubuf__ float x[64];",
            "auto& x = ::twin::UbArray<float [64]>([] {});",
        ),
        (
            "__twin_ubuf__ ns::Pair<int, 2> a[n], b[2][n + 1];",
            "auto& a = ::twin::UbArray<ns::Pair<int, 2> [n]>([] {}); "
            "auto& b = ::twin::UbArray<ns::Pair<int, 2> [2][n + 1]>([] {});",
        ),
        ("void f(__twin_ubuf__ float* x) {", "void f(float* x) {"),
        ("(__twin_ubuf__ T*)x[8];", "(T*)x[8];"),
        ("__twin_ubuf__ float* x = &y[8];", "float* x = &y[8];"),
    ],
)
def test_declarations_in_ub(declared: str, expected: str) -> None:
    assert with_ub_arrays(declared) == expected
