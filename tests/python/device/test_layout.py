# SPDX-License-Identifier: Apache-2.0
"""Tests Layout, Coord and Crd2Idx, and structs from constant bytes (convert_from_bytes)."""

from __future__ import annotations

import numpy as np
import pytest

import cannery
from cannery import CompileError

SOURCE = """
#include "kernel_operator.h"
using namespace AscendC;

struct Sizes {
    int32_t rows = 0;
    uint8_t flag = 0;
};
static constexpr uint8_t BYTES[] = {5, 1, 0, 0, 7, 0, 0, 0};
template <const uint8_t* bytes>
struct Holder {
    static constexpr Sizes value = convert_from_bytes<Sizes>(bytes);
};
static_assert(Holder<BYTES>::value.rows == 261 && Holder<BYTES>::value.flag == 7);

// The examples of the page about Crd2Idx.
constexpr auto NESTED = MakeLayout(
    MakeShape(MakeShape(Std::Int<13>{}, Std::Int<0>{}), MakeShape(Std::Int<14>{}, Std::Int<0>{})),
    MakeStride(MakeStride(Std::Int<14>{}, Std::Int<182>{}),
               MakeStride(Std::Int<1>{}, Std::Int<154>{})));
static_assert(NESTED(MakeCoord(Std::Int<20>{}, Std::Int<30>{})) == 590);
static_assert(is_layout_v<Layout<Shape<int>, Stride<int>>> && !is_layout<int>::value);
constexpr SortConfig ASCENDING = {SortType::RADIX_SORT, false};  // for a Sort of other chips
static_assert(!ASCENDING.isDescend && DEFAULT_SORT_CONFIG.type == SortType::RADIX_SORT);

extern "C" __global__ __aicore__ void layout(GM_ADDR x) {
    auto* out = (__gm__ int64_t*)x;
    const Layout flat = MakeLayout(MakeShape(3, 4, 5), MakeStride(20, 5, 1));
    const Coord<int, int, int> at = MakeCoord(1, 2, 3);
    out[0] = flat.layout()(at);
    out[1] = Crd2Idx(at, flat) + flat(at);
    out[2] = Crd2Idx(MakeCoord(11, 12), MakeShape(MakeShape(2, 4), MakeShape(3, 5)),
                     MakeStride(MakeStride(3, 6), MakeStride(1, 24)));
    out[3] = Std::get<1>(flat.GetShape()) * 100 + Std::get<0>(flat.GetStride<1, 2>());
}
"""


def test_layouts() -> None:
    kernel = cannery.compile_kernel(SOURCE, "layout")
    x = np.zeros(4, np.int64)
    kernel(1, x)
    assert x.tolist() == [33, 66, 129, 405]


def test_numbers_of_axes_differ() -> None:
    wrong = SOURCE.replace("MakeCoord(1, 2, 3);", "MakeCoord(1, 2);").replace(
        "Coord<int, int, int>", "auto"
    )
    with pytest.raises(CompileError, match="the same number of axes"):
        cannery.compile_kernel(wrong, "layout")
