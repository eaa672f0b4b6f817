// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_DATA_COPY_BLOCKS_H
#define TWIN_DEVICE_DATA_COPY_BLOCKS_H

#include <cstdint>

#include "core/core.h"
#include "device/data_copy/params.h"
#include "device/issue/operand.h"

namespace twin::copy {

/// A copy of `count` blocks; all numbers are bytes. Strides are distances from the start of one
/// block to the start of the next.
struct Blocks {
    uint64_t count = 1;
    uint64_t bytes = 0;
    uint64_t gmStride = 0;
    uint64_t ubStride = 0;

    Runs Gm() const { return Runs{bytes, {}, {count, gmStride}}; }
    Runs Local() const { return Runs{bytes, {}, {count, ubStride}}; }
    /// True if the blocks are contiguous.
    bool Dense() const { return count == 1 || (gmStride == bytes && ubStride == bytes); }
};

/// The padding of each block in UB.
struct Padding {
    uint32_t leftBytes = 0;
    uint32_t rightBytes = 0;
    bool hasValue = false;
    uint64_t value = 0;  ///< one element, in the low bytes
};

TWIN_API void CopyIn(const Operand& dst, const GmOperand& src, uint64_t bytes,
                     uint32_t elementBytes, Location where);
TWIN_API void CopyOut(const GmOperand& dst, const Operand& src, uint64_t bytes,
                      uint32_t elementBytes, Location where);
TWIN_API void CopyLocal(const Operand& dst, const Operand& src,
                        const AscendC::DataCopyParams& params, Location where);
TWIN_API void CopyLocal(const Operand& dst, const Operand& src, uint64_t bytes,
                        uint32_t elementBytes, Location where);
TWIN_API void CopyInBlocks(const Operand& dst, const GmOperand& src,
                           const AscendC::DataCopyParams& params, uint32_t elementBytes,
                           Location where);
TWIN_API void CopyOutBlocks(const GmOperand& dst, const Operand& src,
                            const AscendC::DataCopyParams& params, uint32_t elementBytes,
                            Location where);
TWIN_API void CopyInPad(const Operand& dst, const GmOperand& src,
                        const AscendC::DataCopyExtParams& params, const Padding& padding,
                        uint32_t elementBytes, Location where);
TWIN_API void CopyOutPad(const GmOperand& dst, const Operand& src,
                         const AscendC::DataCopyExtParams& params, uint32_t elementBytes,
                         Location where);

}  // namespace twin::copy

#endif  // TWIN_DEVICE_DATA_COPY_BLOCKS_H
