// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/tensor/global_tensor.h"
#include "device/tensor/local_tensor.h"
#include "device/tensor/operand.h"

namespace twin {

/// What DumpTensor prints besides the elements.
struct DumpRequest {
    uint32_t description;
    uint32_t count;
    Dtype dtype;
    const uint32_t* shape;  ///< nullptr: one row
    uint32_t dimensions;
};

TWIN_API void DumpLocal(const Operand& tensor, const DumpRequest& request, Location where);
TWIN_API void DumpGlobal(const GmOperand& tensor, const DumpRequest& request, Location where);
TWIN_API void PrintTimeStampLine(uint32_t description, Location where);

template <typename T>
DumpRequest MakeDump(uint32_t description, uint32_t count) {
    return DumpRequest{description, count, kDtypeOf<T>, nullptr, 0};
}
template <typename T>
DumpRequest MakeDump(uint32_t description, uint32_t count, const AscendC::ShapeInfo& shape) {
    return DumpRequest{description, count, kDtypeOf<T>, shape.shape, shape.shapeDim};
}

}  // namespace twin

#if defined(ASCENDC_DUMP) && ASCENDC_DUMP == 0
#define TWIN_DUMPS false
#else
#define TWIN_DUMPS true
#endif

namespace AscendC {

/// Prints the first `dumpSize` elements; `desc` is a number with which the user tells dumps apart.
/// ASCENDC_DUMP=0 turns it off, as in the toolkit.
template <typename T>
inline void DumpTensor(const LocalTensor<T>& tensor, uint32_t desc, uint32_t dumpSize, TWIN_HERE) {
    if constexpr (TWIN_DUMPS) {
        twin::DumpLocal(twin::Of(tensor), twin::MakeDump<T>(desc, dumpSize), here);
    }
}
template <typename T>
inline void DumpTensor(const GlobalTensor<T>& tensor, uint32_t desc, uint32_t dumpSize, TWIN_HERE) {
    if constexpr (TWIN_DUMPS) {
        twin::DumpGlobal(twin::Of(tensor), twin::MakeDump<T>(desc, dumpSize), here);
    }
}
/// Prints the brackets of the shape; places beyond `dumpSize` show "-".
template <typename T>
inline void DumpTensor(const LocalTensor<T>& tensor, uint32_t desc, uint32_t dumpSize,
                       const ShapeInfo& shapeInfo, TWIN_HERE) {
    if constexpr (TWIN_DUMPS) {
        twin::DumpLocal(twin::Of(tensor), twin::MakeDump<T>(desc, dumpSize, shapeInfo), here);
    }
}
template <typename T>
inline void DumpTensor(const GlobalTensor<T>& tensor, uint32_t desc, uint32_t dumpSize,
                       const ShapeInfo& shapeInfo, TWIN_HERE) {
    if constexpr (TWIN_DUMPS) {
        twin::DumpGlobal(twin::Of(tensor), twin::MakeDump<T>(desc, dumpSize, shapeInfo), here);
    }
}

/// DumpTensor from element `countOff` on.
template <typename T>
inline void DumpAccChkPoint(const LocalTensor<T>& tensor, uint32_t index, uint32_t countOff,
                            uint32_t dumpSize, TWIN_HERE) {
    DumpTensor(tensor[countOff], index, dumpSize, here);
}
template <typename T>
inline void DumpAccChkPoint(const GlobalTensor<T>& tensor, uint32_t index, uint32_t countOff,
                            uint32_t dumpSize, TWIN_HERE) {
    DumpTensor(tensor[countOff], index, dumpSize, here);
}

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
