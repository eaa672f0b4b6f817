// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/data_copy/data_copy_pad.h"
#include "device/issue/operand.h"
#include "device/pipe/spm.h"
#include "device/sync/events.h"
#include "device/types/parameters.h"
#include "device/vec/duplicate.h"
#include "device/vec/shapes.h"

namespace AscendC {

/// Strides of Brcb's destination in blocks of 32 B; the other members have no effect.
TWIN_BLOCK_STRIDES(BrcbRepeatParams, uint16_t)

/// Strides of Copy in blocks of 32 B. The defaults of dstStride and srcStride are 0, not 1.
TWIN_PARAMETERS(CopyRepeatParams, (uint16_t, dstStride, 0), (uint16_t, srcStride, 0),
                (uint16_t, dstRepeatSize, DEFAULT_REPEAT_STRIDE),
                (uint16_t, srcRepeatSize, DEFAULT_REPEAT_STRIDE))

}  // namespace AscendC

namespace twin::fill {

/// Writes first, first + 1, ... to dst. The scalar unit writes one block, Adds writes the rest.
/// `first` points to one element of type `dtype`.
TWIN_API void RunVecIndex(Dtype dtype, const Operand& dst, const void* first,
                          const vec::Extent& extent, uint32_t blockStride, uint32_t repeatStride,
                          Location where);
/// Writes first, first + diff, first + 2 * diff, ... to dst.
TWIN_API void RunProgression(Dtype dtype, const Operand& dst, const void* first, const void* diff,
                             int32_t count, Location where);
TWIN_API void RunBrcb(Dtype dtype, const Operand& dst, const Operand& src, uint8_t repeats,
                      const AscendC::BrcbRepeatParams& strides, Location where);
TWIN_API void RunCopy(Dtype dtype, const Operand& dst, const Operand& src,
                      const vec::Extent& extent, const AscendC::CopyRepeatParams& strides,
                      Location where);

/// Fills `size` elements of GM with `value`. Each copy has at most `burstBytes` bytes and reads UB
/// that InitBuffer has not allocated. The function does not wait until the copies are done.
template <typename T>
inline void FillGlobal(const AscendC::GlobalTensor<T>& gm, uint64_t size, const T& value,
                       uint32_t burstBytes, Location here) {
    if (Self().kind != CoreKind::Aiv) {
        return;
    }
    AscendC::LocalTensor<T> pattern;
    AscendC::PopStackBuffer<T, AscendC::TPosition::LCM>(pattern, here);
    const uint64_t room = pattern.GetSize();
    const uint64_t burst = room < burstBytes / sizeof(T) ? room : burstBytes / sizeof(T);
    AscendC::Duplicate(pattern, value, static_cast<int32_t>(burst), here);
    SyncPipes(AscendC::HardEvent::V_MTE3, here);
    for (uint64_t done = 0; done < size; done += burst) {
        const uint64_t bytes = (burst < size - done ? burst : size - done) * sizeof(T);
        const AscendC::DataCopyExtParams params(1, static_cast<uint32_t>(bytes), 0, 0, 0);
        AscendC::DataCopyPad(gm[done], pattern, params, here);
    }
}

}  // namespace twin::fill

namespace AscendC {

/// Sets dst[i] = firstValue + i * diffValue. If there is more than one block, the last block is
/// filled to its end.
template <typename T>
inline void ArithProgression(const LocalTensor<T>& dst, const T firstValue, const T diffValue,
                             const int32_t count, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(ArithProgression, T, half, float, int16_t, int32_t);
    twin::fill::RunProgression(twin::kDtypeOf<T>, dst, &firstValue, &diffValue, count, here);
}

/// The newer name of ArithProgression.
template <typename T>
inline void Arange(const LocalTensor<T>& dst, const T firstValue, const T diffValue,
                   const int32_t count, TWIN_HERE) {
    ArithProgression<T>(dst, firstValue, diffValue, count, here);
}

/// Fills blocks of 32 B of dst, each with copies of one element of src0; eight blocks per repeat.
template <typename T>
inline void Brcb(const LocalTensor<T>& dst, const LocalTensor<T>& src0,
                 const ::twin::Narrow8 repeatTime, const BrcbRepeatParams& repeatParams,
                 TWIN_HERE) {
    TWIN_REFUSE_DTYPE(Brcb, T, half, bfloat16_t, float, int16_t, uint16_t, int32_t, uint32_t);
    twin::fill::RunBrcb(twin::kDtypeOf<T>, dst, src0, repeatTime, repeatParams, here);
}

#define TWIN_COPY_TYPES half, bfloat16_t, float, int16_t, uint16_t, int32_t, uint32_t

/// Copies src to dst on pipe V. In counter mode the mask register counts the elements of each
/// repeat, and the repeat count has an effect.
template <typename T, bool isSetMask = true>
inline void Copy(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                 const ::twin::vec::ConstMask mask, const ::twin::Narrow8 repeatTime,
                 const CopyRepeatParams& repeatParams, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(Copy, T, TWIN_COPY_TYPES);
    twin::fill::RunCopy(twin::kDtypeOf<T>, dst, src,
                        twin::vec::Extent::Mask(mask, repeatTime, isSetMask), repeatParams, here);
}

#undef TWIN_COPY_TYPES

/// Sets active elements to firstValue + i, where `i` counts all elements of all repeats.
template <typename T>
inline void CreateVecIndex(LocalTensor<T>& dst, const T& firstValue, const ::twin::vec::Mask mask,
                           const ::twin::Narrow8 repeatTime, uint16_t dstBlkStride,
                           uint8_t dstRepStride, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(CreateVecIndex, T, half, float, int16_t, int32_t);
    twin::fill::RunVecIndex(twin::kDtypeOf<T>, dst, &firstValue,
                            twin::vec::Extent::Mask(mask, repeatTime, true), dstBlkStride,
                            dstRepStride, here);
}

/// Sets dst[i] = firstValue + i for calCount elements, but always fills at least one block.
template <typename T>
inline void CreateVecIndex(LocalTensor<T> dst, const T& firstValue, uint32_t calCount, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(CreateVecIndex, T, half, float, int16_t, int32_t);
    twin::fill::RunVecIndex(twin::kDtypeOf<T>, dst, &firstValue,
                            twin::vec::Extent::Elements(calCount), 1, 8, here);
}

/// Sets `size` elements of global memory to `value` and waits for the copies. Other cores see the
/// values after a SyncAll.
template <typename T>
inline void InitGlobalMemory(GlobalTensor<T>& gmWorkspaceAddr, const uint64_t size, const T value,
                             TWIN_HERE) {
    TWIN_REFUSE_DTYPE(InitGlobalMemory, T, half, bfloat16_t, float, int16_t, uint16_t, int32_t,
                      uint32_t);
    constexpr uint32_t kBurstBytes = MAX_REPEAT_TIMES * ONE_REPEAT_BYTE_SIZE;
    const ::twin::Steps steps(::twin::Self(), ::twin::Opcode::InitGlobalMemory);
    twin::fill::FillGlobal(gmWorkspaceAddr, size, value, kBurstBytes, here);
    PipeBarrier<PIPE_MTE3>(here);
}

/// The newer name of InitGlobalMemory.
template <typename T>
inline void Fill(GlobalTensor<T>& gmWorkspaceAddr, const uint64_t size, const T value, TWIN_HERE) {
    InitGlobalMemory<T>(gmWorkspaceAddr, size, value, here);
}

/// Sets `size` elements of global memory to `value`. Other cores see the values after a SyncAll.
template <typename T>
inline void InitOutput(GlobalTensor<T> gmWorkspaceAddr, uint32_t size, T value = 0, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(InitOutput, T, half, bfloat16_t, float, int16_t, uint16_t, int32_t, uint32_t);
    constexpr uint32_t kBurstBytes = MAX_REPEAT_TIMES * ONE_BLK_SIZE;
    const ::twin::Steps steps(::twin::Self(), ::twin::Opcode::InitOutput);
    twin::fill::FillGlobal(gmWorkspaceAddr, size, value, kBurstBytes, here);
}

}  // namespace AscendC
