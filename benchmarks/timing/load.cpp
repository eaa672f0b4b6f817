// SPDX-License-Identifier: Apache-2.0
// Only copies a matrix of half from global memory to one local buffer, without flags. The matrix
// has ROWS x COLUMNS elements, and one copy has TILE_ROWS x TILE_COLUMNS. The columns are divided
// into SLICES slices; each slice is read TIMES times before the next one. With EVERYTHING, every
// core reads the whole matrix. With ROTATE, each core starts at another tile. With BYPASS, the
// copies bypass the L2 cache.
#include "kernel_operator.h"

using namespace AscendC;

namespace {

constexpr uint32_t kTileRows = TILE_ROWS;
constexpr uint32_t kTileColumns = TILE_COLUMNS;
constexpr uint32_t kSliceColumns = COLUMNS / SLICES;

__aicore__ inline void Load(const LocalTensor<half>& to, const GlobalTensor<half>& from,
                            uint32_t rows, uint32_t columns) {
#ifdef ND2NZ
    const Nd2NzParams params(1, rows, columns, 0, COLUMNS, kTileRows, 1, 0);
    DataCopy(to, from, params);  // hazard-ok: T803 nobody reads what is loaded
#else
    const DataCopyExtParams params(rows, columns * sizeof(half), (COLUMNS - columns) * sizeof(half),
                                   0, 0);
    const DataCopyPadExtParams<half> pad(false, 0, 0, 0);
    DataCopyPad(to, from, params, pad);  // hazard-ok: T803 nobody reads what is loaded
#endif
}

__aicore__ inline void Slice(const LocalTensor<half>& to, const GlobalTensor<half>& from,
                             uint32_t firstRow, uint32_t rows, uint32_t firstColumn) {
    const uint32_t tiles = rows / kTileRows;
    for (uint32_t i = 0; i < tiles; ++i) {
#ifdef ROTATE
        const uint32_t tile = (i + GetBlockIdx()) % tiles;
#else
        const uint32_t tile = i;
#endif
        const uint32_t row = firstRow + tile * kTileRows;
        for (uint32_t column = 0; column < kSliceColumns; column += kTileColumns) {
            const uint32_t left = kSliceColumns - column;
            Load(to, from[uint64_t(row) * COLUMNS + firstColumn + column], kTileRows,
                 left < kTileColumns ? left : kTileColumns);
        }
    }
}

}  // namespace

extern "C" __global__ __aicore__ void load_tiles(GM_ADDR x) {
#ifdef ND2NZ
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
#endif
    GlobalTensor<half> from;
    from.SetGlobalBuffer((__gm__ half*)x, uint64_t(ROWS) * COLUMNS);
#ifdef BYPASS
    from.SetL2CacheHint(CacheMode::CACHE_MODE_DISABLE);
#endif
#ifdef ND2NZ
    LocalTensor<half> to(TPosition::A1, 0, kTileRows * kTileColumns);
#else
    LocalTensor<half> to(TPosition::VECIN, 0, kTileRows * kTileColumns);
#endif
#ifdef EVERYTHING
    const uint32_t rows = ROWS, first = 0;
#else
    const uint32_t rows = ROWS / GetBlockNum(), first = rows * GetBlockIdx();
#endif
    for (uint32_t slice = 0; slice < SLICES; ++slice) {
        for (uint32_t time = 0; time < TIMES; ++time) {
            Slice(to, from, first, rows, slice * kSliceColumns);
        }
    }
    PipeBarrier<PIPE_ALL>();
}
