// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/core.h"
#include "device/issue/operand.h"
#include "device/types/parameters.h"

namespace AscendC {

/// blockLen and strides (gaps) count blocks of 32 B for DataCopy; for DataCopyPad, blockLen and the
/// GM stride count bytes.
TWIN_PARAMETERS(DataCopyParams, (uint16_t, blockCount, 1), (uint16_t, blockLen, 0),
                (uint16_t, srcStride, 0), (uint16_t, dstStride, 0))

/// blockLen is in bytes (0..2097151); the GM side's stride is in bytes, the UB side's in blocks of
/// 32 B; both are gaps.
TWIN_PARAMETERS(DataCopyExtParams, (uint16_t, blockCount, 1), (uint32_t, blockLen, 0),
                (uint32_t, srcStride, 0), (uint32_t, dstStride, 0), (uint32_t, rsv, 0))

/// The padding of a copy, in elements: at most 32 B on each side.
TWIN_PARAMETERS(DataCopyPadParams, (bool, isPad, false), (uint8_t, leftPadding, 0),
                (uint8_t, rightPadding, 0), (uint64_t, paddingValue, 0))

template <typename T>
TWIN_PARAMETERS(DataCopyPadExtParams, (bool, isPad, false), (uint8_t, leftPadding, 0),
                (uint8_t, rightPadding, 0), (T, paddingValue, T()))

}  // namespace AscendC

// Helpers that all copies from and to global memory use.

namespace twin::copy {

/// Refuses a number of elements that was computed below 0.
void CheckCount(const char* api, uint64_t bytes, uint32_t elementBytes);
/// Returns the bytes without the tail that the chip drops; strict mode refuses a tail.
uint64_t WholeBlocks(const Core& core, const char* api, uint64_t bytes, uint32_t elementBytes);

/// A copy of `count` blocks; all numbers are bytes. Strides are distances from the start of one
/// block to the start of the next.
struct Blocks {
    uint64_t count = 1;
    uint64_t bytes = 0;
    uint64_t gmStride = 0;
    uint64_t ubStride = 0;

    Runs Gm() const { return Runs{bytes, {}, {count, gmStride}}; }
    Runs Local() const { return Runs{bytes, {}, {count, ubStride}}; }
    /// Returns true if the blocks are contiguous.
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

// TSCM of a vector core is in L1 of its block's cube core. The cube core makes the copies into it
// while it serves Matmul objects.

/// Returns true if the cube core makes this core's copy into `dst`.
inline bool IsServed(const Operand& dst) {
    return static_cast<AscendC::TPosition>(dst.position) == AscendC::TPosition::TSCM &&
           Self().kind == CoreKind::Aiv;
}
/// Copies UB -> L1 through the library's workspace, because the chip has no direct path; the
/// source's gaps are copied, too.
TWIN_API void ServeFromUb(const Operand& dst, const Operand& src,
                          const AscendC::DataCopyParams& params, Location where);

}  // namespace twin::copy
