// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_APART_ROWS_H
#define OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_APART_ROWS_H

#include "../common/copy.h"
#include "../common/integers.h"
#include "bits.h"
#include "kernel_operator.h"

namespace ops::MoeTokenPermuteWithRoutingMapOp {

/// Loads rows of a matrix. If rows are no multiple of 32 B, two rows share a block of GM, and MTE2
/// waits between two such rows of a copy. Then each copy loads only every second row, or fewer, so
/// that the rows of a copy lie apart.
template <typename T>
class ApartRows {
public:
    /// `pitch` is the number of columns of the matrix in GM.
    __aicore__ inline void Init(int64_t pitch) {
        pitch_ = pitch;
        const int64_t bytes = pitch * static_cast<int64_t>(sizeof(T));
        copies_ = 1;
        if (bytes % kBlockBytes != 0) {
            copies_ =
                2 + (bytes < kBlockBytes ? (kBlockBytes - 1) / static_cast<uint32_t>(bytes) : 0);
        }
    }

    /// Loads `rows` rows of `elems` elements. In UB the next row starts `ubPitch` elements after
    /// the start of the previous one.
    __aicore__ inline void Load(const AscendC::LocalTensor<T>& dst,
                                const AscendC::GlobalTensor<T>& src, uint32_t rows, uint32_t elems,
                                uint32_t ubPitch,
                                const AscendC::DataCopyPadExtParams<T>& padding) const {
        // Rows without gaps are one long row. There is one call of DataCopyPad for all cases,
        // because each call is code that a core has to load.
        const bool isOneRow = elems == pitch_ && elems == ubPitch;
        const uint32_t count = isOneRow ? 1 : rows;
        const uint32_t length = isOneRow ? rows * elems : elems;
        const bool apart = (pitch_ - elems) * static_cast<int64_t>(sizeof(T)) >= kBlockBytes;
        const uint32_t copies = apart || count < kLeastRows * copies_ ? 1 : copies_;
        const uint32_t gap = RoundUpTo<kElemsPerBlock<T>>(elems);
        AscendC::DataCopyExtParams params(
            1, length * sizeof(T),
            static_cast<uint32_t>((pitch_ * copies - elems) * static_cast<int64_t>(sizeof(T))),
            isOneRow ? 0 : (ubPitch * copies - gap) / kElemsPerBlock<T>, 0);
        const uint32_t least = copies == 1 ? count : count / copies;
        const uint32_t longer = count - least * copies;  // copies with one more row
        for (uint32_t i = 0; i < copies; ++i) {
            params.blockCount = static_cast<uint16_t>(i < longer ? least + 1 : least);
            AscendC::DataCopyPad(dst[i * ubPitch], src[i * pitch_], params, padding);
        }
    }

private:
    static constexpr uint32_t kLeastRows = 8;  ///< of a copy, which also costs time

    int64_t pitch_;
    uint32_t copies_;
};

}  // namespace ops::MoeTokenPermuteWithRoutingMapOp

#endif  // OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_APART_ROWS_H
