// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/library/tmp.h"
#include "device/vec/shapes.h"

namespace AscendC {

/// Rows and row lengths of src and mask. Only the first srcLastAxis elements of a mask row count.
struct SelectWithBytesMaskShapeInfo {
    SelectWithBytesMaskShapeInfo() {}
    uint32_t firstAxis = 0;
    uint32_t srcLastAxis = 0;
    uint32_t maskLastAxis = 0;
};

}  // namespace AscendC

namespace twin::compare {

/// Parameters of one call. It selects the first source where the mask is 0, and the second source
/// elsewhere. One of the sources is a scalar.
struct ByteChoice {
    Dtype dtype;
    uint32_t maskSize;  ///< size of a mask element in bytes
    bool scalarFirst;
    bool reuseMask;
    Operand dst;
    Operand src;
    Operand mask;
    const void* scalar;
    AscendC::SelectWithBytesMaskShapeInfo shape;
};

TWIN_API void RunByteChoice(const ByteChoice& choice, const advanced::Tmp& tmp, Location where);

template <typename T, typename U>
constexpr void CheckByteChoice() {
    TWIN_REFUSE_DTYPE(SelectWithBytesMask, T, half, float);
    static_assert(kOneOf<U, bool, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t>,
                  "SelectWithBytesMask: the mask is bool or an integer of 8, 16 or 32 bits");
}

}  // namespace twin::compare

namespace AscendC {

#define TWIN_SELECT_BYTES(API, SRC0, SRC1, scalarFirst, src, scalar)                              \
    template <typename T, typename U, bool isReuseMask = true>                                    \
    inline void API(const LocalTensor<T>& dst, SRC0 src0, SRC1 src1, const LocalTensor<U>& mask,  \
                    const LocalTensor<uint8_t>& sharedTmpBuffer,                                  \
                    const SelectWithBytesMaskShapeInfo& info, TWIN_HERE) {                        \
        ::twin::compare::CheckByteChoice<T, U>();                                                 \
        ::twin::compare::RunByteChoice({::twin::kDtypeOf<T>, sizeof(U), scalarFirst, isReuseMask, \
                                        dst, src, mask, &scalar, info},                           \
                                       sharedTmpBuffer, here);                                    \
    }
#define TWIN_SELECT_BYTES_FORMS(API)                                    \
    TWIN_SELECT_BYTES(API, const LocalTensor<T>&, T, false, src0, src1) \
    TWIN_SELECT_BYTES(API, T, const LocalTensor<T>&, true, src1, src0)
/// Sets dst = mask == 0 ? src0 : src1. If isReuseMask is true and mask rows are longer than
/// source rows, the call moves the valid elements of the mask to the start of the mask.
TWIN_SELECT_BYTES_FORMS(SelectWithBytesMask)
/// The newer name of SelectWithBytesMask.
TWIN_SELECT_BYTES_FORMS(Select)

}  // namespace AscendC
