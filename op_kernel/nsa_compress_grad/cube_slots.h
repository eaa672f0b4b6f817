// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_NSA_COMPRESS_GRAD_CUBE_SLOTS_H
#define OP_KERNEL_NSA_COMPRESS_GRAD_CUBE_SLOTS_H

#include "../common/copy.h"
#include "../common/shares.h"
#include "../nsa_compress_grad_tiling.h"
#include "kernel_operator.h"

namespace ops::NsaCompressGradOp {

/// Id of the flag that a cube core sets for the vector cores of its block: its slots are written.
constexpr uint16_t kFlagProducts = 0;

/// The slots of the cube cores in the workspace. A run of a cube core (its pieces of one group of
/// heads) writes its sums to slot block + head group: for each head 16 rows of `columns` floats.
struct CubeSlotLayout {
    __aicore__ inline void Init(const NsaCompressGradBaseTilingData& tiling) {
        columns = tiling.cube.groupsPerTile * tiling.stride;
        headFloats = kCubeWindows * columns;
        slotFloats = tiling.cube.heads * headFloats;
    }

    __aicore__ inline int64_t OffsetOf(int64_t slot) const { return slot * slotFloats; }

    uint32_t columns;
    uint32_t headFloats;
    uint32_t slotFloats;
};

/// Loads what the cube cores have computed of weightGrad, for one head.
class CubeSlots {
public:
    __aicore__ inline void Init(GM_ADDR slots, const NsaCompressGradBaseTilingData* tiling) {
        tiling_ = tiling;
        slotsGm_.SetGlobalBuffer((__gm__ float*)slots);
        layout_.Init(*tiling);
        const int64_t headGroups = CeilDiv(tiling->heads, tiling->cube.heads);
        // A block has one cube core and two vector cores.
        shares_ = Shares(tiling->cube.groups * headGroups, tiling->vectorBlocks / 2);
    }

    /// Returns the number of rows of blockSize floats that a slot has for a head. Their sum counts.
    __aicore__ inline uint32_t RowsOfSlot() const { return tiling_->cube.groupsPerTile; }

    /// Returns the first slot and the end of the slots of a head.
    __aicore__ inline Range SlotsOf(uint32_t head) const {
        const int64_t group = head / tiling_->cube.heads;
        const int64_t pieces = tiling_->cube.groups;
        return {shares_.PartOf(group * pieces) + group,
                shares_.PartOf((group + 1) * pieces - 1) + group + 1};
    }

    /// Loads the rows of a head from `slots` slots, from slot `slot` on. Each row has the products
    /// of a slot with one group of a tile. One copy loads rows of all slots, or else of all groups.
    __aicore__ inline void CopyIn(const AscendC::LocalTensor<float>& rows, uint32_t head,
                                  int64_t slot, uint32_t slots) const {
        const uint32_t stride = tiling_->stride;
        const uint32_t size = tiling_->blockSize;
        const uint32_t groups = RowsOfSlot();
        const uint32_t toGroup = layout_.columns + stride;
        const bool bySlot = slots < groups;
        const uint32_t copies = bySlot ? slots : groups;
        const uint32_t toCopy = bySlot ? layout_.slotFloats : toGroup;
        const uint32_t copyRows = bySlot ? groups : slots;
        const uint32_t toRow = bySlot ? toGroup : layout_.slotFloats;
        const int64_t first =
            layout_.OffsetOf(slot) + head % tiling_->cube.heads * layout_.headFloats;
        const uint32_t overlaps = CeilDiv(size, stride);
        for (uint32_t i = 0; i < overlaps; ++i) {
            // Rows [row, row + count) of the window that is i windows before the last one.
            const uint32_t row = i * stride;
            const uint32_t count = Min(stride, size - row);
            const AscendC::DataCopyExtParams params =
                Rows(copyRows, count, toRow, (size - count) / kElemsPerBlock<float>)
                    .template Params<float>(true);
            const int64_t from = first + (overlaps - 1 - i) * layout_.columns;
            for (uint32_t copy = 0; copy < copies; ++copy) {
                AscendC::DataCopyPad(rows[copy * copyRows * size + row],
                                     slotsGm_[from + copy * toCopy], params, NoPadding<float>());
            }
        }
    }

private:
    const NsaCompressGradBaseTilingData* tiling_;
    AscendC::GlobalTensor<float> slotsGm_;
    CubeSlotLayout layout_;
    Shares shares_;
};

}  // namespace ops::NsaCompressGradOp

#endif  // OP_KERNEL_NSA_COMPRESS_GRAD_CUBE_SLOTS_H
