// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_COMMON_COPY_H
#define OP_KERNEL_COMMON_COPY_H

#include "integers.h"
#include "kernel_operator.h"

namespace ops {

/// Bytes of a block: UB is addressed in blocks, and GM copies are padded to blocks.
constexpr uint32_t kBlockBytes = 32;
template <typename T>
constexpr uint32_t kElemsPerBlock = kBlockBytes / sizeof(T);

/// Returns parameters without a padding value: no kernel reads the padding of a row's last block.
template <typename T>
__aicore__ inline AscendC::DataCopyPadExtParams<T> NoPadding() {
    return AscendC::DataCopyPadExtParams<T>(false, 0, 0, T());
}

/// Rows of `elems` elements. In GM, the next row starts `pitch` elements after the start of the
/// previous row. In UB there are `gapBlocks` blocks of 32 B between two rows. If neither GM nor UB
/// has gaps, the rows are one long run.
struct Rows {
    uint32_t rows;
    uint32_t elems;
    int64_t pitch;
    uint32_t gapBlocks = 0;

    __aicore__ inline Rows(uint32_t rowCount, uint32_t rowElems, int64_t rowPitch,
                           uint32_t ubGapBlocks = 0)
        : rows(rowCount), elems(rowElems), pitch(rowPitch), gapBlocks(ubGapBlocks) {}

    /// Returns the bytes of the gap between two rows in GM. It is 0 for a single row, whose pitch
    /// may be too large for a copy's parameter.
    template <typename T>
    __aicore__ inline int64_t GapBytes() const {
        return rows > 1 ? (pitch - elems) * static_cast<int64_t>(sizeof(T)) : 0;
    }

    template <typename T>
    __aicore__ inline bool IsOneRun() const {
        return GapBytes<T>() == 0 && gapBlocks == 0 &&
               (rows == 1 || elems % kElemsPerBlock<T> == 0);
    }

    template <typename T>
    __aicore__ inline AscendC::DataCopyExtParams Params(bool gmIsSource) const {
        if (IsOneRun<T>()) {
            return AscendC::DataCopyExtParams(1, rows * elems * sizeof(T), 0, 0, 0);
        }
        const auto gap = static_cast<uint32_t>(GapBytes<T>());
        return AscendC::DataCopyExtParams(static_cast<uint16_t>(rows), elems * sizeof(T),
                                          gmIsSource ? gap : gapBlocks,
                                          gmIsSource ? gapBlocks : gap, 0);
    }
};

/// Copies rows from GM to UB. Input tensors are contiguous, so DataCopyPad supports every gap.
template <typename T>
__aicore__ inline void LoadRows(const AscendC::LocalTensor<T>& dst,
                                const AscendC::GlobalTensor<T>& src, const Rows& rows) {
    AscendC::DataCopyPad(dst, src, rows.Params<T>(true), NoPadding<T>());
}

/// Copies `elems` contiguous elements from GM to UB.
template <typename T>
__aicore__ inline void Load(const AscendC::LocalTensor<T>& dst, const AscendC::GlobalTensor<T>& src,
                            uint32_t elems) {
    LoadRows(dst, src, Rows(1, elems, elems));
}

/// Copies rows from UB to GM. An output may have any stride; if one copy cannot express it, the
/// rows are copied one by one.
template <typename T>
__aicore__ inline void StoreRows(const AscendC::GlobalTensor<T>& dst,
                                 const AscendC::LocalTensor<T>& src, const Rows& rows) {
    const int64_t gap = rows.GapBytes<T>();
    if (gap >= 0 && gap <= UINT32_MAX) {
        AscendC::DataCopyPad(dst, src, rows.Params<T>(false));
        return;
    }
    const Rows one(1, rows.elems, rows.elems);
    const uint32_t pitch =
        RoundUp(rows.elems, kElemsPerBlock<T>) + rows.gapBlocks * kElemsPerBlock<T>;
    for (uint32_t row = 0; row < rows.rows; ++row) {
        AscendC::DataCopyPad(dst[row * rows.pitch], src[row * pitch], one.Params<T>(false));
    }
}

/// Copies `elems` contiguous elements from UB to GM.
template <typename T>
__aicore__ inline void Store(const AscendC::GlobalTensor<T>& dst,
                             const AscendC::LocalTensor<T>& src, uint32_t elems) {
    StoreRows(dst, src, Rows(1, elems, elems));
}

}  // namespace ops

#endif  // OP_KERNEL_COMMON_COPY_H
