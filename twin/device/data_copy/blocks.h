// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/core.h"
#include "device/issue/operand.h"
#include "device/types/parameters.h"

namespace AscendC {

/// For DataCopy, blockLen and the strides, which are gaps, count blocks of 32 B. For DataCopyPad,
/// blockLen and the GM stride count bytes.
TWIN_PARAMETERS(DataCopyParams, (uint16_t, blockCount, 1), (uint16_t, blockLen, 0),
                (uint16_t, srcStride, 0), (uint16_t, dstStride, 0))

/// blockLen counts bytes (0..2097151). Strides are gaps: bytes in GM, blocks of 32 B in UB.
TWIN_PARAMETERS(DataCopyExtParams, (uint16_t, blockCount, 1), (uint32_t, blockLen, 0),
                (uint32_t, srcStride, 0), (uint32_t, dstStride, 0), (uint32_t, rsv, 0))

/// The padding of a copy. leftPadding and rightPadding count elements, at most 32 B each.
TWIN_PARAMETERS(DataCopyPadParams, (bool, isPad, false), (uint8_t, leftPadding, 0),
                (uint8_t, rightPadding, 0), (uint64_t, paddingValue, 0))

template <typename T>
TWIN_PARAMETERS(DataCopyPadExtParams, (bool, isPad, false), (uint8_t, leftPadding, 0),
                (uint8_t, rightPadding, 0), (T, paddingValue, T()))

}  // namespace AscendC

// Helpers that all copies from and to global memory use.

namespace twin::copy {

/// Refuses an element count that is negative as a 32-bit number (T408).
void CheckCount(const char* api, uint64_t bytes, uint32_t elementBytes);
/// Rounds `bytes` down to blocks of 32 B, as the hardware does; strict mode reports T407 instead.
uint64_t WholeBlocks(const Core& core, const char* api, uint64_t bytes, uint32_t elementBytes);

/// A copy of `count` blocks. Sizes and strides are in bytes. A stride is the distance between the
/// starts of two consecutive blocks.
struct Blocks {
    uint64_t count = 1;
    uint64_t bytes = 0;
    uint64_t gmStride = 0;
    uint64_t ubStride = 0;

    Runs Gm() const { return Runs{bytes, {}, {count, gmStride}}; }
    Runs Local() const { return Runs{bytes, {}, {count, ubStride}}; }
    bool Dense() const { return count == 1 || (gmStride == bytes && ubStride == bytes); }
};

/// The padding of each block in UB.
struct Padding {
    uint32_t leftBytes = 0;
    uint32_t rightBytes = 0;
    bool hasValue = false;
    uint64_t value = 0;  ///< value of the padding: one element, in the low bytes
};

TWIN_API void CopyIn(const Operand& dst, const GmOperand& src, uint64_t bytes,
                     uint32_t elementBytes, Location where);
TWIN_API void CopyOut(const GmOperand& dst, const Operand& src, uint64_t bytes,
                      uint32_t elementBytes, Location where);
TWIN_API void CopyLocal(const Operand& dst, const Operand& src,
                        const AscendC::DataCopyParams& params, uint32_t elementBytes,
                        Location where);
TWIN_API void CopyLocal(const Operand& dst, const Operand& src, uint64_t bytes,
                        uint32_t elementBytes, Location where);
TWIN_API void CopyIn(const Operand& dst, const GmOperand& src,
                     const AscendC::DataCopyParams& params, uint32_t elementBytes, Location where);
TWIN_API void CopyOut(const GmOperand& dst, const Operand& src,
                      const AscendC::DataCopyParams& params, uint32_t elementBytes, Location where);
TWIN_API void CopyInPad(const Operand& dst, const GmOperand& src,
                        const AscendC::DataCopyExtParams& params, const Padding& padding,
                        uint32_t elementBytes, Location where);
TWIN_API void CopyOutPad(const GmOperand& dst, const Operand& src,
                         const AscendC::DataCopyExtParams& params, uint32_t elementBytes,
                         Location where);

// The TSCM of a vector core is in L1 of the cube core of the same block. This cube core executes
// copies into TSCM while it serves Matmul requests.

/// Returns true if the cube core executes this core's copy into `dst`.
inline bool IsServed(const Operand& dst) {
    return static_cast<AscendC::TPosition>(dst.position) == AscendC::TPosition::TSCM &&
           Self().kind == CoreKind::Aiv;
}
/// Copies UB -> L1 through the library's workspace in GM, because the hardware has no direct path.
/// The gaps of the source are copied, too.
TWIN_API void ServeFromUb(const Operand& dst, const Operand& src,
                          const AscendC::DataCopyParams& params, Location where);

}  // namespace twin::copy
