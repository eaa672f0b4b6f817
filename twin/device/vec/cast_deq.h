// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/tensor/local_tensor.h"
#include "device/types/parameters.h"
#include "device/vec/cast.h"
#include "device/vec/fused.h"

namespace twin::vec {

/// Sets the scale register. For DeqScaleKind::Tensor, `value` is the address of a table in UB.
TWIN_API void SetDeqScale(DeqScaleKind kind, uint64_t value, Location where);
/// Returns one parameter set of CastDeq as a 64-bit word: float scale, 9-bit offset, sign mode.
TWIN_API uint64_t PackDeqScale(float scale, int16_t offset, bool signMode);

/// Says where CastDeq reads its parameters, and where it writes the 16 results of a block.
struct DeqForm {
    bool isVector;   ///< true: UB has one set of parameters for each element of a block
    bool upperHalf;  ///< true: results go to the last 16 B of each block, false: to the first
};

TWIN_API void RunCastDeq(Dtype to, const Operand& dst, const Operand& src, const DeqForm& form,
                         const Extent& extent, const AscendC::UnaryRepeatParams& strides,
                         Location where);

template <typename T, typename U>
inline void CastDeq(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<U>& src,
                    const DeqForm& form, const Extent& extent,
                    const AscendC::UnaryRepeatParams& strides, Location where) {
    static_assert(std::is_same<U, int16_t>::value && kOneOf<T, int8_t, uint8_t>,
                  "CastDeq: takes int16_t to int8_t or uint8_t");
    RunCastDeq(kDtypeOf<T>, dst, src, form, extent, strides, where);
}

template <typename T, typename U>
inline void CastDequant(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<U>& src,
                        const DeqForm& form, const Extent& extent,
                        const AscendC::UnaryRepeatParams& strides, Location where) {
    if constexpr (std::is_same<U, int32_t>::value && std::is_same<T, half>::value) {
        RunDequant(Opcode::CastDequant, dst, src, extent, strides, where);
    } else {
        CastDeq(dst, src, form, extent, strides, where);
    }
}

inline uint64_t MaskCount(int32_t mask) { return static_cast<uint64_t>(mask < 0 ? 0 : mask); }

}  // namespace twin::vec

namespace AscendC {

constexpr int32_t VDEQ_TENSOR_SIZE = 16;

/// Scale, offset and sign mode of each of the 16 elements of a block.
struct VdeqInfo {
    VdeqInfo() = default;
    VdeqInfo(const float scales[VDEQ_TENSOR_SIZE], const int16_t offsets[VDEQ_TENSOR_SIZE],
             const bool signModes[VDEQ_TENSOR_SIZE]) {
        for (int32_t i = 0; i < VDEQ_TENSOR_SIZE; ++i) {
            vdeqScale[i] = scales[i];
            vdeqOffset[i] = offsets[i];
            vdeqSignMode[i] = signModes[i];
        }
    }

    float vdeqScale[VDEQ_TENSOR_SIZE] = {};
    int16_t vdeqOffset[VDEQ_TENSOR_SIZE] = {};
    bool vdeqSignMode[VDEQ_TENSOR_SIZE] = {};
};

/// Sets the scale for Cast from int32_t to half and for AddDeqRelu.
inline void SetDeqScale(half scale, TWIN_HERE) {
    twin::vec::SetDeqScale(twin::DeqScaleKind::Half, scale.Bits(), here);
}

/// Sets the parameters of CastDeq with isVecDeq = false.
inline void SetDeqScale(float scale, int16_t offset, bool signMode, TWIN_HERE) {
    twin::vec::SetDeqScale(twin::DeqScaleKind::Scalar,
                           twin::vec::PackDeqScale(scale, offset, signMode), here);
}

/// Sets the parameters of CastDeq with isVecDeq = true: writes to `vdeq` the 128 B that CastDeq
/// reads.
template <typename T>
inline void SetDeqScale(const LocalTensor<T>& vdeq, const VdeqInfo& vdeqInfo, TWIN_HERE) {
    static_assert(std::is_same<T, uint64_t>::value, "SetDeqScale: the tensor is of uint64_t");
    for (int32_t i = 0; i < VDEQ_TENSOR_SIZE; ++i) {
        vdeq.SetValue(i,
                      twin::vec::PackDeqScale(vdeqInfo.vdeqScale[i], vdeqInfo.vdeqOffset[i],
                                              vdeqInfo.vdeqSignMode[i]),
                      here);
    }
    twin::vec::SetDeqScale(twin::DeqScaleKind::Tensor, vdeq.address_.bufferAddr, here);
}

/// Computes dst = max(half((src0 + src1) * scale), 0) with the scale of SetDeqScale(half). The
/// instruction uses both sources and the 8 KiB after TMP_UB_OFFSET as scratch and overwrites them.
template <typename T, typename U, bool isSetMask = true>
inline void AddDeqRelu(const LocalTensor<T>& dst, const LocalTensor<U>& src0,
                       const LocalTensor<U>& src1, const ::twin::vec::Mask mask,
                       const ::twin::Narrow8 repeatTime, const BinaryRepeatParams& repeatParams,
                       TWIN_HERE) {
    TWIN_REFUSE_DTYPE(AddDeqRelu, T, half);
    TWIN_REFUSE_DTYPE(AddDeqRelu, U, int32_t);
    twin::vec::RunAddDeqRelu(dst, src0, src1, twin::vec::Extent::Mask(mask, repeatTime, isSetMask),
                             repeatParams, here);
}

template <typename T, typename U>
inline void AddDeqRelu(const LocalTensor<T>& dst, const LocalTensor<U>& src0,
                       const LocalTensor<U>& src1, const int32_t& calCount, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(AddDeqRelu, T, half);
    TWIN_REFUSE_DTYPE(AddDeqRelu, U, int32_t);
    twin::vec::RunAddDeqRelu(dst, src0, src1, twin::vec::Extent::Elements(calCount),
                             BinaryRepeatParams(), here);
}

template <bool isSetMask = true>
inline void AddDeqRelu(const LocalTensor<half>& dst, const LocalTensor<int32_t>& src0,
                       const LocalTensor<int32_t>& src1, const ::twin::vec::Mask mask,
                       const ::twin::Narrow8 repeatTime, const BinaryRepeatParams& repeatParams,
                       TWIN_HERE) {
    AddDeqRelu<half, int32_t, isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams, here);
}

inline void AddDeqRelu(const LocalTensor<half>& dst, const LocalTensor<int32_t>& src0,
                       const LocalTensor<int32_t>& src1, const int32_t& calCount, TWIN_HERE) {
    AddDeqRelu<half, int32_t>(dst, src0, src1, calCount, here);
}

#define TWIN_CAST_DEQ_MASKED(API, MASK, selected)                                                  \
    template <typename T1, typename T2, bool isSetMask = true, bool isVecDeq = true,               \
              bool halfBlock = true>                                                               \
    inline void API(const LocalTensor<T1>& dst, const LocalTensor<T2>& src, MASK,                  \
                    const ::twin::Narrow8 repeatTime, const UnaryRepeatParams& repeatParams,       \
                    TWIN_HERE) {                                                                   \
        ::twin::vec::API(dst, src, {isVecDeq, halfBlock},                                          \
                         ::twin::vec::Extent::Mask(selected, repeatTime, isSetMask), repeatParams, \
                         here);                                                                    \
    }
#define TWIN_CAST_DEQ(API)                                                                         \
    TWIN_CAST_DEQ_MASKED(API, const uint64_t mask[], mask)                                         \
    TWIN_CAST_DEQ_MASKED(API, const int32_t mask, ::twin::vec::MaskCount(mask))                    \
    template <typename T1, typename T2, bool isVecDeq = true, bool halfBlock = true>               \
    inline void API(const LocalTensor<T1>& dst, const LocalTensor<T2>& src,                        \
                    const uint32_t calCount, TWIN_HERE) {                                          \
        ::twin::vec::API(dst, src, {isVecDeq, halfBlock}, ::twin::vec::Extent::Elements(calCount), \
                         UnaryRepeatParams(), here);                                               \
    }

/// Computes dst = src * scale + offset with the parameters of SetDeqScale, rounded to nearest even
/// and saturated to 8 bits. 16 results fill 16 B of a block of dst: the last 16 B if halfBlock is
/// true, otherwise the first. The other 16 B do not change.
TWIN_CAST_DEQ(CastDeq)
/// The newer name of CastDeq. It also converts int32_t to half, like Cast with SetDeqScale(half).
TWIN_CAST_DEQ(CastDequant)

}  // namespace AscendC
