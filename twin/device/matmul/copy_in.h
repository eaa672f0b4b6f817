// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "device/cube/load_data_2d.h"
#include "device/data_copy/data_copy.h"
#include "device/matmul/load.h"

namespace twin::matmul {

constexpr int32_t kMaxPitch = 65535;  ///< limit of Nd2NzParams::srcDValue
constexpr int32_t kMaxNdRows = 16384;

[[noreturn]] TWIN_API void RefusePitch(int64_t pitch);

/// An operand in GM and its layout. If `alongK` is true, the rows of the matrix run along K (A not
/// transposed, or B transposed). Otherwise the rows run along M or N.
template <typename T>
struct GmMatrix {
    AscendC::GlobalTensor<T> gm;
    CubeFormat format = CubeFormat::ND;
    bool alongK = true;
    int64_t pitch = 0;    ///< distance between rows in elements (ND)
    int32_t orgRows = 0;  ///< number of rows of the whole matrix, rounded up to fractals (NZ)
};

/// Copies rows of an ND matrix to L1 as fractals. If the rows are too far apart for one DataCopy,
/// copies each row separately if `rowByRow` is true, and otherwise fails (T495).
template <typename T>
void CopyNdTile(const Tile<T>& to, const GmMatrix<T>& from, int32_t row, int32_t column,
                int32_t rows, bool rowByRow, Location where) {
    // Pairs of int4b_t are copied as bytes.
    using Unit = std::conditional_t<kElementBits<T> == 4, int8_t, T>;
    constexpr int32_t kPack = kElementBits<T> == 4 ? 2 : 1;
    const auto destination = to.data.template ReinterpretCast<Unit>();
    const auto source = ViewAs<Unit>(At(from.gm, row * from.pitch + column));
    const int64_t pitch = from.pitch / kPack;
    const bool single = rowByRow && pitch > kMaxPitch;
    const int32_t step = single ? 1 : std::min(rows, kMaxNdRows);
    for (int32_t i = 0; i < rows; i += step) {
        AscendC::Nd2NzParams params;
        params.ndNum = 1;
        params.nValue = static_cast<uint16_t>(std::min(step, rows - i));
        params.dValue = static_cast<uint16_t>(to.columns / kPack);
        params.srcNdMatrixStride = 0;
        params.srcDValue = static_cast<uint16_t>(single ? params.dValue : pitch);
        if (!single && pitch > kMaxPitch) {
            RefusePitch(pitch);
        }
        params.dstNzC0Stride = static_cast<uint16_t>(to.rows);
        params.dstNzNStride = 1;
        params.dstNzMatrixStride = 0;
        const auto place = static_cast<uint32_t>(i) * kC0<Unit>;
        AscendC::DataCopy(destination[place], source[static_cast<uint64_t>(i * pitch)], params,
                          where);
    }
}

/// Copies a tile of a matrix that GM already contains as fractals.
template <typename T>
void CopyNzTile(const Tile<T>& to, const GmMatrix<T>& from, int32_t row, int32_t column,
                int32_t rows, Location where) {
    using Unit = std::conditional_t<kElementBits<T> == 4, int8_t, T>;
    constexpr int32_t kStripe = static_cast<int32_t>(kC0<T>);
    const auto destination = to.data.template ReinterpretCast<Unit>();
    const int64_t start =
        int64_t{column / kStripe} * from.orgRows * kStripe + int64_t{row} * kStripe;
    const int32_t length = std::min(AlignUp(rows, 16), from.orgRows - row);
    const int32_t stripes = CeilDiv(to.columns, kStripe);
    const int32_t gap = from.orgRows - length;
    const int32_t step = gap > kMaxPitch ? 1 : stripes;
    for (int32_t i = 0; i < stripes; i += step) {
        const auto source = ViewAs<Unit>(At(from.gm, start + int64_t{i} * from.orgRows * kStripe));
        const AscendC::DataCopyParams params(
            static_cast<uint16_t>(step), static_cast<uint16_t>(length),
            static_cast<uint16_t>(step == 1 ? 0 : gap),
            static_cast<uint16_t>(step == 1 ? 0 : to.rows - length));
        const auto place = static_cast<uint32_t>(i * to.rows) * kC0<Unit>;
        AscendC::DataCopy(destination[place], source, params, where);
    }
}

/// Copies `mn` x `k` elements, from (mn0, k0) on, to the tile `to`. Sets rows and columns of `to`.
template <typename T>
void CopyTile(Tile<T>& to, const GmMatrix<T>& from, int32_t mn0, int32_t k0, int32_t mn, int32_t k,
              bool rowByRow, Location where) {
    const int32_t rows = from.alongK ? mn : k;
    to.columns = from.alongK ? k : mn;
    to.rows = AlignUp(rows, RowUnit<T>(from.alongK));
    if (from.format == CubeFormat::VECTOR) {
        to.rows = 1;
    }
    const int32_t row = from.alongK ? mn0 : k0;
    const int32_t column = from.alongK ? k0 : mn0;
    if (from.format == CubeFormat::NZ) {
        CopyNzTile(to, from, row, column, rows, where);
    } else {
        CopyNdTile(to, from, row, column, rows, rowByRow, where);
    }
}

}  // namespace twin::matmul
