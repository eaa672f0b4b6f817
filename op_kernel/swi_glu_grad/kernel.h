// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_SWI_GLU_GRAD_KERNEL_H
#define OP_KERNEL_SWI_GLU_GRAD_KERNEL_H

#include "../common/copy.h"
#include "../common/shares.h"
#include "../swi_glu_grad_tiling.h"
#include "compute.h"
#include "kernel_operator.h"

namespace ops::SwiGluGradOp {

/// Computes the gradient of y = silu(a) * b with x = [a | b] along the columns. T: half, bfloat16_t
/// or float. With g = yGrad, the results are
///   gradB = silu(a) * g
///   gradA = slope(a) * g * b      (16-bit types)
///   gradA = slope(a) * b * g      (float)
/// The order of the factors decides which intermediate values overflow.
/// There are two buffers for inputs and two for results: MTE2 loads the next tile while V computes
/// this one and MTE3 stores the previous one. The kernel sets the flags itself and uses no
/// queues, because V can then begin as soon as `a` is in UB, and MTE2 can load the next `a` as soon
/// as V does not need the current one.
template <typename T>
class Kernel {
public:
    __aicore__ inline Kernel() {}

    __aicore__ inline void Init(GM_ADDR yGrad, GM_ADDR x, GM_ADDR xGrad,
                                const SwiGluGradTilingData* tiling, AscendC::TPipe* pipe) {
        tiling_ = *tiling;
        yGradGm_.SetGlobalBuffer((__gm__ T*)yGrad, tiling_.rows * tiling_.cols);
        xGm_.SetGlobalBuffer((__gm__ T*)x, tiling_.rows * tiling_.cols * 2);
        xGradGm_.SetGlobalBuffer((__gm__ T*)xGrad, tiling_.rows * tiling_.cols * 2);
        xGradPastL2_ = xGradGm_;
        xGradPastL2_.SetL2CacheHint(AscendC::CacheMode::CACHE_MODE_DISABLE);
        if (tiling_.readsPastL2 != 0) {
            yGradGm_.SetL2CacheHint(AscendC::CacheMode::CACHE_MODE_DISABLE);
            xGm_.SetL2CacheHint(AscendC::CacheMode::CACHE_MODE_DISABLE);
        }
        InitBuffers(pipe);
    }

    __aicore__ inline void Process() {
        const Range tiles = SkewedShareOfBlock(tiling_.tiles, tiling_.skew);
        const int64_t count = tiles.Size();
        if (count == 0) {
            return;
        }
        Tile next = TileAt(tiles.begin);
        CopyIn(next, 0, false);
        for (int64_t index = 0; index < count; ++index) {
            const Tile tile = next;
            const uint32_t buffer = static_cast<uint32_t>(index) % kBuffers;
            if (index + 1 < count) {
                next = TileAfter(tile);
                CopyIn(next, kBuffers - 1 - buffer, index > 0);
            }
            Compute(tile, buffer, index + kBuffers < count, index >= kBuffers);
            CopyOut(tile, buffer, index < tiling_.tilesThroughL2, index + kBuffers < count);
        }
    }

private:
    static constexpr uint32_t kBuffers = 2;
    static constexpr bool kConverts = sizeof(T) < sizeof(float);

    struct Tile {
        int64_t row;
        int64_t col;
        uint32_t rows;
        uint32_t cols;
        uint32_t pitch;  ///< elements from row to row in UB: cols rounded up to 32 B

        __aicore__ inline uint32_t Elems() const { return rows * pitch; }
    };

    /// Puts into UB: for 16-bit types, an operand and both results as floats; then the inputs and
    /// the results of two tiles. These start in other banks (kUbSetBytes) than the floats, because
    /// a Cast reads one and writes the other. The type float needs no other floats.
    __aicore__ inline void InitBuffers(AscendC::TPipe* pipe) {
        const uint32_t pitch = tiling_.tileElems;
        const uint32_t shift = kUbShiftBytes / sizeof(float);
        const uint32_t floats =
            kConverts ? Max(3 * pitch + shift, kUbSetBytes / static_cast<uint32_t>(sizeof(float)))
                      : 0;
        const uint32_t elems = (3 + 2) * kBuffers * pitch + (kConverts ? 0 : shift);
        pipe->InitBuffer(buffer_, floats * sizeof(float) + elems * sizeof(T));
        floats_ = buffer_.Get<float>();
        in_ = buffer_.Get<T>()[floats * sizeof(float) / sizeof(T)];
        out_ = in_[3 * kBuffers * pitch + (kConverts ? 0 : shift)];
    }

    __aicore__ inline Tile TileAt(int64_t index) const {
        Tile tile;
        tile.row = index / tiling_.colTiles * tiling_.rowsPerTile;
        tile.col = index % tiling_.colTiles * tiling_.colsPerTile;
        SetSizes(&tile);
        return tile;
    }

    __aicore__ inline Tile TileAfter(const Tile& tile) const {
        Tile next = tile;
        next.col += tiling_.colsPerTile;
        if (next.col >= tiling_.cols) {
            next.col = 0;
            next.row += tiling_.rowsPerTile;
        }
        SetSizes(&next);
        return next;
    }

    __aicore__ inline void SetSizes(Tile* tile) const {
        tile->rows = static_cast<uint32_t>(Min(tiling_.rows - tile->row, tiling_.rowsPerTile));
        tile->cols = static_cast<uint32_t>(Min(tiling_.cols - tile->col, tiling_.colsPerTile));
        tile->pitch = RoundUp(tile->cols, kElemsPerBlock<T>);
    }

    /// Loads a tile. `used` says that an earlier tile was in this buffer. The events 2 * buffer and
    /// 2 * buffer + 1 are those of a, and of b and g.
    __aicore__ inline void CopyIn(const Tile& tile, uint32_t buffer, bool used) {
        const uint32_t pitch = tiling_.tileElems;
        const AscendC::LocalTensor<T> in = in_[buffer * 3 * pitch];
        const Rows halves(tile.rows, tile.cols, 2 * tiling_.cols);
        const Rows grads(tile.rows, tile.cols, tiling_.cols);
        const int64_t gate = tile.row * tiling_.cols * 2 + tile.col;
        AwaitFree(2 * buffer, used);
        LoadApart(in, xGm_[gate], halves, tiling_.halfCopies);
        Loaded(2 * buffer);
        AwaitFree(2 * buffer + 1, used);
        LoadApart(in[pitch], xGm_[gate + tiling_.cols], halves, tiling_.halfCopies);
        LoadApart(in[2 * pitch], yGradGm_[tile.row * tiling_.cols + tile.col], grads,
                  tiling_.gradCopies);
        Loaded(2 * buffer + 1);
    }

    /// Loads rows with `copies` copies, each of which reads every `copies`-th row.
    __aicore__ inline void LoadApart(const AscendC::LocalTensor<T>& dst,
                                     const AscendC::GlobalTensor<T>& src, const Rows& rows,
                                     uint32_t copies) {
        if (copies == 1) {
            LoadRows(dst, src, rows);
            return;
        }
        const uint32_t blocks = CeilDiv(rows.elems, kElemsPerBlock<T>);
        for (uint32_t first = 0; first < Min(copies, rows.rows); ++first) {
            LoadRows(dst[first * blocks * kElemsPerBlock<T>], src[first * rows.pitch],
                     Rows((rows.rows - first + copies - 1) / copies, rows.elems,
                          copies * rows.pitch, (copies - 1) * blocks));
        }
    }

    /// `again` says that a later tile is loaded into this buffer, `used` that MTE3 has read the
    /// results of an earlier tile from it.
    __aicore__ inline void Compute(const Tile& tile, uint32_t buffer, bool again, bool used) {
        const uint32_t pitch = tiling_.tileElems;
        const int32_t elems = static_cast<int32_t>(tile.Elems());
        const AscendC::LocalTensor<T> in = in_[buffer * 3 * pitch];
        const AscendC::LocalTensor<T> out = out_[buffer * 2 * pitch];
        const AscendC::LocalTensor<float> a = Operand(in);
        const AscendC::LocalTensor<float> gradA = Result(out);
        const AscendC::LocalTensor<float> gradB = gradA[pitch];
        if constexpr (!kConverts) {
            AwaitStored(buffer, used);
        }
        AwaitLoaded(2 * buffer);
        Widen(a, in, elems);
        if constexpr (kConverts) {
            Free(2 * buffer, again);
        }
        Derive(gradA, gradB, a, elems);
        if constexpr (!kConverts) {
            Free(2 * buffer, again);
        }
        AwaitLoaded(2 * buffer + 1);
        const AscendC::LocalTensor<float> g = Operand(in[2 * pitch]);
        const AscendC::LocalTensor<float> b = Operand(in[pitch]);
        if constexpr (kConverts) {
            Widen(g, in[2 * pitch], elems);
            Multiply(gradB, g, elems);
            Multiply(gradA, g, elems);
            AwaitVector();
            Widen(b, in[pitch], elems);
            Free(2 * buffer + 1, again);
            Multiply(gradA, b, elems);
            AwaitVector();
            AwaitStored(buffer, used);
            Narrow(out, gradA, elems);
        } else {
            Multiply(gradB, g, elems);
            Multiply(gradA, b, elems);
            AwaitVector();
            Multiply(gradA, g, elems);
            Free(2 * buffer + 1, again);
        }
        AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(EventOf(buffer));
    }

    __aicore__ inline void CopyOut(const Tile& tile, uint32_t buffer, bool throughL2, bool again) {
        const uint32_t pitch = tiling_.tileElems;
        const AscendC::LocalTensor<T> out = out_[buffer * 2 * pitch];
        const AscendC::GlobalTensor<T>& gm = throughL2 ? xGradGm_ : xGradPastL2_;
        const Rows halves(tile.rows, tile.cols, 2 * tiling_.cols);
        const int64_t gate = tile.row * tiling_.cols * 2 + tile.col;
        AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(EventOf(buffer));
        StoreRows(gm[gate], out, halves);
        StoreRows(gm[gate + tiling_.cols], out[pitch], halves);
        if (again) {
            AscendC::SetFlag<AscendC::HardEvent::MTE3_V>(EventOf(buffer));
        }
    }

    /// Returns the floats of an input: those in its buffer, or the place to which it is converted.
    __aicore__ inline AscendC::LocalTensor<float> Operand(const AscendC::LocalTensor<T>& in) const {
        if constexpr (kConverts) {
            return floats_;
        } else {
            return in;
        }
    }

    /// Returns the floats of the results; gradB is tileElems after gradA.
    __aicore__ inline AscendC::LocalTensor<float> Result(const AscendC::LocalTensor<T>& out) const {
        if constexpr (kConverts) {
            return floats_[tiling_.tileElems + kUbShiftBytes / sizeof(float)];
        } else {
            return out;
        }
    }

    /// Converts an input to float; does nothing for float.
    __aicore__ inline void Widen(const AscendC::LocalTensor<float>& to,
                                 const AscendC::LocalTensor<T>& from, int32_t elems) {
        if constexpr (kConverts) {
            AscendC::Cast(to, from, AscendC::RoundMode::CAST_NONE, static_cast<uint32_t>(elems));
            AwaitVector();
        }
    }

    /// Rounds both results, with one instruction if there is no gap between them. Does not read a
    /// gap, because nothing has written it.
    __aicore__ inline void Narrow(const AscendC::LocalTensor<T>& out,
                                  const AscendC::LocalTensor<float>& gradA, int32_t elems) {
        const uint32_t pitch = tiling_.tileElems;
        const uint32_t count = static_cast<uint32_t>(elems);
        const uint32_t runs = count == pitch ? 1 : 2;
        for (uint32_t i = 0; i < runs; ++i) {
            AscendC::Cast(out[i * pitch], gradA[i * pitch], AscendC::RoundMode::CAST_RINT,
                          2 / runs * count);
        }
    }

    __aicore__ inline static void Multiply(const AscendC::LocalTensor<float>& result,
                                           const AscendC::LocalTensor<float>& factor,
                                           int32_t elems) {
        AscendC::Mul(result, result, factor, elems);
    }

    __aicore__ inline static event_t EventOf(uint32_t id) { return static_cast<event_t>(id); }

    __aicore__ inline static void Loaded(uint32_t id) {
        AscendC::SetFlag<AscendC::HardEvent::MTE2_V>(EventOf(id));
    }
    __aicore__ inline static void AwaitLoaded(uint32_t id) {
        AscendC::WaitFlag<AscendC::HardEvent::MTE2_V>(EventOf(id));
    }
    __aicore__ inline static void Free(uint32_t id, bool again) {
        if (again) {
            AscendC::SetFlag<AscendC::HardEvent::V_MTE2>(EventOf(id));
        }
    }
    __aicore__ inline static void AwaitFree(uint32_t id, bool used) {
        if (used) {
            AscendC::WaitFlag<AscendC::HardEvent::V_MTE2>(EventOf(id));
        }
    }
    __aicore__ inline static void AwaitStored(uint32_t buffer, bool used) {
        if (used) {
            AscendC::WaitFlag<AscendC::HardEvent::MTE3_V>(EventOf(buffer));
        }
    }

    SwiGluGradTilingData tiling_;
    AscendC::GlobalTensor<T> yGradGm_;
    AscendC::GlobalTensor<T> xGm_;
    AscendC::GlobalTensor<T> xGradGm_;
    AscendC::GlobalTensor<T> xGradPastL2_;  ///< the same tensor
    AscendC::TBuf<AscendC::TPosition::VECCALC> buffer_;
    AscendC::LocalTensor<float> floats_;  ///< an operand, then both results (16-bit types)
    AscendC::LocalTensor<T> in_;          ///< a, b and g of each buffer
    AscendC::LocalTensor<T> out_;         ///< both results of each buffer
};

}  // namespace ops::SwiGluGradOp

#endif  // OP_KERNEL_SWI_GLU_GRAD_KERNEL_H
