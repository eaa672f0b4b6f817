// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "device/cube/mmad.h"
#include "device/matmul/copy_in.h"
#include "device/matmul/load.h"

// A sparse B keeps two of every four values along K. Its index has two bits for each kept value, in
// fractals of 16 rows (N) x 8 bytes, the size of the index of 16 x 32 kept values.
namespace twin::matmul {

constexpr int32_t kSparseK = 64;       ///< length along K of a fractal of kept values
constexpr int32_t kIndexRowBytes = 8;  ///< bytes of index for a row of a fractal

/// Returns the place of a tile's index: behind its values.
template <typename T>
AscendC::LocalTensor<uint8_t> IndexOf(const Tile<T>& tile) {
    const int32_t stripe = static_cast<int32_t>(kC0<T>);
    const auto values = static_cast<uint32_t>(tile.rows * AlignUp(tile.columns, stripe));
    return tile.data[values].template ReinterpretCast<uint8_t>();
}

/// Copies the kept values of `n` x `k` elements of B, from (n0, k0) on, and their index, which is a
/// matrix of `allN` rows in fractals, to the tile `to`.
template <typename T>
void CopySparse(Tile<T>& to, const GmMatrix<T>& from, const AscendC::GlobalTensor<uint8_t>& index,
                int32_t allN, int32_t n0, int32_t k0, int32_t n, int32_t k, bool rowByRow,
                Location where) {
    CopyTile(to, from, n0, k0 / 2, n, k / 2, rowByRow, where);
    const int32_t pitch = AlignUp(allN, 16);
    const int32_t rows = std::min(to.rows, pitch - n0);
    const auto blocks = [](int32_t count) {
        return static_cast<uint16_t>(count * kIndexRowBytes / static_cast<int32_t>(kBlockBytes));
    };
    const AscendC::DataCopyParams params(static_cast<uint16_t>(CeilDiv(k, kSparseK)), blocks(rows),
                                         blocks(pitch - rows), blocks(to.rows - rows));
    const int64_t start = (int64_t{k0 / kSparseK} * pitch + n0) * kIndexRowBytes;
    AscendC::DataCopy(IndexOf(to), At(index, start), params, where);
}

/// Loads a part of a sparse B's tile into L0B, and its index into the memory for it.
template <typename T>
void LoadSparse(const AscendC::LocalTensor<T>& l0, const Tile<T>& tile, const Part& part,
                Location where) {
    const int32_t columns16 = CeilDiv(part.mn, 16), rows16 = tile.rows / 16;
    for (int32_t i = 0; i < CeilDiv(part.k, kSparseK); ++i) {
        AscendC::LoadData2DParams params;
        params.startIndex =
            static_cast<uint16_t>((part.k0 / kSparseK + i) * rows16 + part.mn0 / 16);
        params.repeatTimes = static_cast<uint8_t>(columns16);
        const auto place = static_cast<uint32_t>(i * columns16) * 512;
        AscendC::LoadDataWithSparse(l0[place], tile.data, IndexOf(tile), params, where);
    }
}

}  // namespace twin::matmul
