// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cube/load_data_2d.h"
#include "device/cube/load_data_3d.h"
#include "device/matmul/types.h"
#include "device/tensor/global_tensor.h"

namespace twin::matmul {

/// A rectangle of an operand in L1, stored as fractals: [columns / C0][rows][C0]. A row of the tile
/// is a part of a row of the source.
template <typename T>
struct Tile {
    AscendC::LocalTensor<T> data;
    int32_t rows = 0;     ///< number of rows of a stripe (C0 columns), rounded up to fractals
    int32_t columns = 0;  ///< number of valid columns
};

template <class TENSOR>
constexpr bool kIsLocal = false;
template <typename T>
constexpr bool kIsLocal<AscendC::LocalTensor<T>> = true;

/// Returns the unit to which a tile's rows are rounded up. Transposing loads need square blocks.
template <typename T>
constexpr int32_t RowUnit(bool alongK) {
    constexpr int32_t kSquare = kElementBits<T> <= 8 ? static_cast<int32_t>(kC0<T>) : 16;
    return alongK ? 16 : kSquare;
}

/// Returns the size in L1, in bytes, of a tile of `mn` x `k` elements.
template <typename T>
int64_t TileBytes(int32_t mn, int32_t k, bool alongK) {
    const int64_t rows = AlignUp(alongK ? mn : k, RowUnit<T>(alongK));
    const int64_t columns = AlignUp(alongK ? k : mn, static_cast<int32_t>(kC0<T>));
    return rows * columns * kElementBits<T> / 8;
}

template <typename T>
AscendC::GlobalTensor<T> At(const AscendC::GlobalTensor<T>& gm, int64_t element) {
    AscendC::GlobalTensor<T> view = gm;
    const int64_t bytes = element * static_cast<int64_t>(kElementBits<T>) / 8;
    view.address_ = reinterpret_cast<T*>(reinterpret_cast<uintptr_t>(gm.address_) +
                                         static_cast<uintptr_t>(bytes));
    view.oriAddress_ = view.address_;
    return view;
}

template <typename U, typename T>
AscendC::GlobalTensor<U> ViewAs(const AscendC::GlobalTensor<T>& gm) {
    AscendC::GlobalTensor<U> view;
    view.address_ = view.oriAddress_ = reinterpret_cast<U*>(gm.address_);
    view.origin_ = reinterpret_cast<U*>(gm.origin_);
    return view;
}

/// A part of a tile: `mn` x `k` elements from (mn0, k0).
struct Part {
    int32_t mn0, k0, mn, k;
};

/// Loads a part of a tile into L0 by an image-to-column load with a 1x1 filter: `height` x `width`
/// elements from (top, left) of a matrix of `tile.rows` x `channels`.
template <typename T>
void LoadMatrix(const AscendC::LocalTensor<T>& l0, const Tile<T>& tile, int32_t channels,
                int32_t top, int32_t left, int32_t height, int32_t width, bool transpose,
                Location where) {
    AscendC::LoadData3DParamsV2<T> params;
    params.l1H = 1;
    params.l1W = static_cast<uint16_t>(tile.rows);
    params.channelSize = static_cast<uint16_t>(channels);
    params.kExtension = static_cast<uint16_t>(width);
    params.mExtension = static_cast<uint16_t>(height);
    params.kStartPt = static_cast<uint16_t>(left);
    params.mStartPt = static_cast<uint16_t>(top);
    params.strideW = params.strideH = 1;
    params.filterW = params.filterH = 1;
    params.dilationFilterW = params.dilationFilterH = 1;
    params.enTranspose = transpose;
    AscendC::LoadData(l0, tile.data, params, where);
}

/// Loads `runs` runs of `repeat` fractals into L0 without transposing them. In L1, the first run
/// begins at fractal `start`. `fromStep` (between runs) and `srcStride` (in a run) count fractals.
template <typename T>
void LoadFractals(const AscendC::LocalTensor<T>& l0, const AscendC::LocalTensor<T>& l1,
                  int32_t runs, int32_t repeat, int32_t fromStep, int32_t srcStride, int32_t start,
                  Location where) {
    constexpr uint32_t kFractal = 512 * 8 / kElementBits<T>;
    for (int32_t i = 0; i < runs; ++i) {
        AscendC::LoadData2DParams params;
        params.startIndex = static_cast<uint16_t>(start + i * fromStep);
        params.repeatTimes = static_cast<uint8_t>(repeat);
        params.srcStride = static_cast<uint16_t>(srcStride);
        AscendC::LoadData(l0[static_cast<uint32_t>(i * repeat) * kFractal], l1, params, where);
    }
}

/// Source and destination of LoadSquares. A square is a block that one load instruction transposes.
struct SquareRuns {
    int32_t runs, repeat;         ///< `runs` runs of `repeat` squares
    int32_t start, step, stride;  ///< squares of L1: first; from run to run; from square to square
    int32_t dstStep;              ///< in L0: elements from run to run
    int32_t dstGap, dstFracGap;
};

/// Loads squares of 8-bit or 4-bit elements and transposes them. If the last square of a run is
/// only partly needed, the next run overwrites the rest of that square.
template <typename T>
void LoadSquares(const AscendC::LocalTensor<T>& l0, const AscendC::LocalTensor<T>& l1,
                 const SquareRuns& r, Location where) {
    for (int32_t i = 0; i < r.runs; ++i) {
        AscendC::LoadData2dTransposeParams params;
        params.startIndex = static_cast<uint16_t>(r.start + i * r.step);
        params.repeatTimes = static_cast<uint8_t>(r.repeat);
        params.srcStride = static_cast<uint16_t>(r.stride);
        params.dstGap = static_cast<uint16_t>(r.dstGap);
        params.dstFracGap = static_cast<uint16_t>(r.dstFracGap);
        AscendC::LoadDataWithTranspose(l0[static_cast<uint32_t>(i * r.dstStep)], l1, params, where);
    }
}

/// Loads a part of A's tile into L0A: [M / 16][K / C0] fractals of 16 x C0.
template <typename T>
void LoadA(const AscendC::LocalTensor<T>& l0, const Tile<T>& tile, const Part& part, bool alongK,
           Location where) {
    constexpr auto kStripe = static_cast<int32_t>(kC0<T>);
    if (alongK && kElementBits<T> == 4) {
        const int32_t rows16 = tile.rows / 16;
        LoadFractals(l0, tile.data, CeilDiv(part.mn, 16), CeilDiv(part.k, kStripe), 1, rows16,
                     part.k0 / kStripe * rows16 + part.mn0 / 16, where);
    } else if (alongK) {
        LoadMatrix(l0, tile, AlignUp(tile.columns, kStripe), part.mn0, part.k0,
                   AlignUp(part.mn, 16), AlignUp(part.k, kStripe), false, where);
    } else if constexpr (kElementBits<T> <= 8) {
        const int32_t deep = tile.rows / kStripe;
        const int32_t repeat = CeilDiv(part.k, kStripe);
        LoadSquares(
            l0, tile.data,
            {CeilDiv(part.mn, kStripe), repeat, part.mn0 / kStripe * deep + part.k0 / kStripe, deep,
             1, repeat * kStripe * kStripe, 0, repeat - 1},
            where);
    } else {
        LoadMatrix(l0, tile, AlignUp(tile.columns, 16), part.k0, part.mn0, AlignUp(part.k, 16),
                   AlignUp(part.mn, 16), true, where);
    }
}

/// Loads a vector of K elements into L0A. The cube unit reads it without a fractal layout.
template <typename T>
void LoadVector(const AscendC::LocalTensor<T>& l0, const Tile<T>& tile, const Part& part,
                Location where) {
    constexpr int32_t kPerFractal = 512 * 8 / static_cast<int32_t>(kElementBits<T>);
    AscendC::LoadData2DParams params;
    params.repeatTimes = static_cast<uint8_t>(CeilDiv(part.k, kPerFractal));
    params.srcStride = 1;
    AscendC::LoadData(l0, tile.data[static_cast<uint32_t>(part.k0)], params, where);
}

/// Loads a part of B's tile into L0B: [K / C0][N / 16] fractals of 16 (n) x C0 (k).
template <typename T>
void LoadB(const AscendC::LocalTensor<T>& l0, const Tile<T>& tile, const Part& part, bool alongK,
           Location where) {
    constexpr auto kStripe = static_cast<int32_t>(kC0<T>);
    const int32_t columns16 = CeilDiv(part.mn, 16);
    if (alongK) {
        const int32_t rows16 = tile.rows / 16;
        LoadFractals(l0, tile.data, CeilDiv(part.k, kStripe), columns16, rows16, 1,
                     part.k0 / kStripe * rows16 + part.mn0 / 16, where);
    } else if constexpr (kElementBits<T> <= 8) {
        const int32_t deep = tile.rows / kStripe;
        LoadSquares(l0, tile.data,
                    {CeilDiv(part.k, kStripe), CeilDiv(part.mn, kStripe),
                     part.mn0 / kStripe * deep + part.k0 / kStripe, 1, deep,
                     columns16 * 16 * kStripe, kStripe / 16 - 1, 0},
                    where);
    } else {
        LoadMatrix(l0, tile, AlignUp(tile.columns, 16), part.k0, part.mn0, AlignUp(part.k, 16),
                   AlignUp(part.mn, 16), false, where);
    }
}

}  // namespace twin::matmul
