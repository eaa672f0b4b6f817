// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/atomic/set_atomic.h"
#include "device/matmul/bias.h"
#include "device/matmul/walk.h"

namespace twin::matmul {

/// The layout of C, without its address.
struct OutputShape {
    int64_t pitch = 0;        ///< distance between rows in elements (ND)
    int32_t orgRows = 0;      ///< number of rows of the whole matrix (NZ)
    bool sequential = false;  ///< each block is contiguous; the pitch is its width
};

/// Sets the atomic mode until End is called.
template <typename T>
class AtomicScope {
public:
    explicit AtomicScope(uint8_t mode) : mode_(mode) {
        if (mode == 1) {
            AscendC::SetAtomicAdd<T>();
        }
        if (mode == 2) {
            AscendC::SetAtomicMax<T>();
        }
        if (mode == 3) {
            AscendC::SetAtomicMin<T>();
        }
        if (mode > 3) {
            Fail("T485",
                 "unknown atomic mode: enAtomic is %u, expected 0 (write), 1 (add), 2 (maximum) or "
                 "3 (minimum)",
                 mode);
        }
    }
    void End() {
        if (mode_ != 0) {
            AscendC::SetAtomicNone();
        }
    }

private:
    uint8_t mode_;
};

/// The number of columns of one stripe of C in the NZ format.
template <typename T, bool channelSplit>
constexpr int32_t kStripeOfC = sizeof(T) == 1 ? 32 : (channelSplit && sizeof(T) == 4 ? 8 : 16);

/// Copies blocks from L0C to GM or L1 with Fixpipe.
template <typename C_TYPE, typename Acc, bool channelSplit>
class Output {
public:
    using T = typename C_TYPE::T;
    static constexpr bool kNz = C_TYPE::format == CubeFormat::NZ;

    Quant<Acc, T> quant;

    /// Returns the index in C of the first element of a block.
    static int64_t PlaceOf(const Block& block, const Problem& p, const OutputShape& shape) {
        if (shape.sequential) {
            return 0;
        }
        const int64_t row = int64_t{block.m} * p.t.baseM, column = int64_t{block.n} * p.t.baseN;
        if (!kNz) {
            return row * shape.pitch + column;
        }
        return column * shape.orgRows + row * kStripeOfC<T, channelSplit>;
    }

    /// Returns the distance between rows in elements (ND), or between stripes in 32 B units (NZ).
    static uint32_t StrideFor(const Block& block, const OutputShape& shape) {
        if (!kNz) {
            return static_cast<uint32_t>(shape.sequential ? block.columns : shape.pitch);
        }
        const int64_t rows = shape.sequential ? AlignUp(block.rows, 16) : shape.orgRows;
        return static_cast<uint32_t>(rows * kStripeOfC<T, channelSplit> *
                                     static_cast<int64_t>(sizeof(T)) / 32);
    }

    /// Writes a block of C to the start of `destination`, a GlobalTensor or a LocalTensor in L1.
    template <typename Destination>
    void Write(const Destination& destination, const AscendC::LocalTensor<Acc>& co1,
               const Block& block, const OutputShape& shape, int32_t baseN, Location where) {
        AscendC::FixpipeParamsV220 params;
        params.nSize = static_cast<uint16_t>(
            kNz ? AlignUp(block.columns, kStripeOfC<T, channelSplit> == 8 ? 8 : 16)
                : block.columns);
        params.mSize = static_cast<uint16_t>(block.rows);
        params.srcStride = static_cast<uint16_t>(AlignUp(block.rows, 16));
        params.dstStride = StrideFor(block, shape);
        params.quantPre = quant.Mode();
        params.deqScalar = quant.Scalar();
        params.isChannelSplit = channelSplit && kNz;
        if (quant.PerColumn()) {
            auto factors = quant.Load(int64_t{block.n} * baseN, block.columns, where);
            AscendC::Fixpipe<T, Acc, kConfig>(destination, co1, factors, params, where);
            quant.Free(factors, where);
        } else {
            AscendC::Fixpipe<T, Acc, kConfig>(destination, co1, params, where);
        }
    }

private:
    static constexpr const AscendC::FixpipeConfig& kConfig =
        kNz ? AscendC::CFG_NZ : AscendC::CFG_ROW_MAJOR;
};

}  // namespace twin::matmul
