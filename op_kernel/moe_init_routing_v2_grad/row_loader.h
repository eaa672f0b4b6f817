// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_MOE_INIT_ROUTING_V2_GRAD_ROW_LOADER_H
#define OP_KERNEL_MOE_INIT_ROUTING_V2_GRAD_ROW_LOADER_H

#include "../common/copy.h"
#include "index_window.h"
#include "kernel_operator.h"

namespace ops::MoeInitRoutingV2GradOp {

/// What the loads of a step's rows have in common. It is a local variable of the functions with
/// loops over rows, so that its fields can be in registers.
struct RowForm {
    uint32_t rows;      ///< number of rows; others do not exist
    uint32_t pairRows;  ///< rows below this number can be in one copy; 0 if a distance is too long
    uint32_t pitch;     ///< elements from row to row in GM
    uint32_t pitchBytes;
    uint32_t bytes;     ///< bytes to load of a row
    uint32_t elems;     ///< elements of a loaded row in UB, with padding
    uint32_t distance;  ///< least distance, in rows, of two rows that one copy loads
    uint32_t leastGap;  ///< bytes between two rows of this distance that the copy skips

    /// Returns the form of whole rows.
    template <typename T>
    __aicore__ inline static RowForm Of(int64_t rows, int64_t cols) {
        RowForm form;
        form.rows = static_cast<uint32_t>(Min(rows, int64_t{1} << 31));
        form.pairRows = rows * cols * static_cast<int64_t>(sizeof(T)) <= UINT32_MAX ? form.rows : 0;
        form.pitch = static_cast<uint32_t>(cols);
        form.pitchBytes = form.pitch * static_cast<uint32_t>(sizeof(T));
        return Part<T>(form, form.pitch);
    }

    /// Returns the form of `cols` columns of the rows of `whole`.
    template <typename T>
    __aicore__ inline static RowForm Part(const RowForm whole, uint32_t cols) {
        RowForm form = whole;
        form.bytes = cols * static_cast<uint32_t>(sizeof(T));
        form.elems = RoundUp(cols, kElemsPerBlock<T>);
        form.SetDistance();
        return form;
    }

private:
    /// If two rows have bytes in the same 32 B of GM, and the first row is loaded before the second
    /// one, the second row waits for the first. So one copy loads only rows that are far enough
    /// apart. Two copies load other rows, the second row first.
    __aicore__ inline void SetDistance() {
        const uint32_t skipped = pitchBytes - bytes;
        const bool apart = pitchBytes % kBlockBytes == 0 || skipped >= kBlockBytes;
        distance = 1 + (apart ? 0 : CeilDiv(kBlockBytes - skipped, pitchBytes));
        leastGap = skipped + (distance - 1) * pitchBytes;
    }
};

/// Loads row `row` to `dst`. Returns false if the row does not exist. Then V writes zeros to `dst`
/// if kFills is true. `gm` is the first column in row 0.
template <bool kFills, typename T>
__aicore__ inline bool LoadRow(const RowForm form, const AscendC::GlobalTensor<T>& gm,
                               const AscendC::LocalTensor<T>& dst, uint32_t row) {
    if (row < form.rows) {
        AscendC::DataCopyPad(dst, gm[static_cast<uint64_t>(row) * form.pitch],
                             AscendC::DataCopyExtParams(1, form.bytes, 0, 0, 0), NoPadding<T>());
        return true;
    }
    if constexpr (kFills) {
        AscendC::Duplicate(dst, T(0.0f), static_cast<int32_t>(form.elems));
    }
    return false;
}

}  // namespace ops::MoeInitRoutingV2GradOp

#endif  // OP_KERNEL_MOE_INIT_ROUTING_V2_GRAD_ROW_LOADER_H
