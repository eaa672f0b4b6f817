// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/tensor/global_tensor.h"
#include "device/tensor/local_tensor.h"
#include "device/tensor/operand.h"

namespace twin {

/// The parameters of a DumpTensor call besides the tensor.
struct DumpRequest {
    uint32_t description;
    uint32_t count;
    Dtype dtype;
    const uint32_t* shape = nullptr;  ///< dimensions to print; nullptr: one row
    uint32_t dimensions = 0;
};

TWIN_API void DumpElements(const Operand& tensor, const DumpRequest& request, Location where);
TWIN_API void DumpElements(const GmOperand& tensor, const DumpRequest& request, Location where);
TWIN_API void PrintTimeStampLine(uint32_t description, Location where);

}  // namespace twin

#if defined(ASCENDC_DUMP) && ASCENDC_DUMP == 0
#define TWIN_DUMPS false
#else
#define TWIN_DUMPS true
#endif

namespace AscendC {

/// Does nothing: in the toolkit, these functions set the memory into which DumpTensor writes.
inline void InitDump(bool /*mixFlag*/, uint32_t /*gmLen*/) {}
inline void InitDump(bool /*mixFlag*/, __gm__ uint8_t* /*dumpStartAddr*/, uint32_t /*gmLen*/) {}

/// DumpTensor prints the first `dumpSize` elements, and `desc`, a number that identifies the
/// output. With a shape, DumpTensor prints brackets, and "-" for elements beyond `dumpSize`.
/// ASCENDC_DUMP=0 turns dumps off, as in the toolkit. DumpAccChkPoint starts at element `countOff`.
#define TWIN_DUMP_TENSOR(TENSOR)                                                                   \
    template <typename T>                                                                          \
    inline void DumpTensor(const TENSOR<T>& tensor, uint32_t desc, uint32_t dumpSize, TWIN_HERE) { \
        if constexpr (TWIN_DUMPS) {                                                                \
            twin::DumpElements(tensor, {desc, dumpSize, twin::kDtypeOf<T>}, here);                 \
        }                                                                                          \
    }                                                                                              \
    template <typename T>                                                                          \
    inline void DumpTensor(const TENSOR<T>& tensor, uint32_t desc, uint32_t dumpSize,              \
                           const ShapeInfo& shapeInfo, TWIN_HERE) {                                \
        if constexpr (TWIN_DUMPS) {                                                                \
            twin::DumpElements(                                                                    \
                tensor, {desc, dumpSize, twin::kDtypeOf<T>, shapeInfo.shape, shapeInfo.shapeDim},  \
                here);                                                                             \
        }                                                                                          \
    }                                                                                              \
    template <typename T>                                                                          \
    inline void DumpAccChkPoint(const TENSOR<T>& tensor, uint32_t index, uint32_t countOff,        \
                                uint32_t dumpSize, TWIN_HERE) {                                    \
        DumpTensor(tensor[countOff], index, dumpSize, here);                                       \
    }
TWIN_DUMP_TENSOR(LocalTensor)
TWIN_DUMP_TENSOR(GlobalTensor)

/// Prints the cycle counter if ASCENDC_TIME_STAMP_ON is defined, as in the toolkit.
inline void PrintTimeStamp(uint32_t descId, TWIN_HERE) {
#ifdef ASCENDC_TIME_STAMP_ON
    twin::PrintTimeStampLine(descId, here);
#else
    (void)descId;
    (void)here;
#endif
}

}  // namespace AscendC

/// The newer name of PrintTimeStamp.
inline void asc_time_stamp(uint32_t desc_id, TWIN_HERE) { AscendC::PrintTimeStamp(desc_id, here); }
