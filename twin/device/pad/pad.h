// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/library/tmp.h"
#include "device/types/parameters.h"
#include "device/vec/shapes.h"
#include "kernel_tiling/advanced_tilings.h"

namespace AscendC {

/// Numbers of columns that Pad adds on the left and on the right, and the value of these columns.
TWIN_PARAMETERS(PadParams, (uint16_t, leftPad, 0), (uint16_t, rightPad, 0), (int32_t, padValue, 0))

/// Numbers of columns that UnPad removes; the library reads only rightPad.
TWIN_PARAMETERS(UnPadParams, (uint16_t, leftPad, 0), (uint16_t, rightPad, 0))

}  // namespace AscendC

namespace twin::advanced {

/// The fields of the host's tiling that Pad and UnPad use.
struct PadRows {
    uint32_t srcHeight;
    uint32_t srcWidth;
    uint32_t srcOriWidth;  ///< number of columns with data
};

/// Executes a Pad; `value` points to one element of type `dtype`.
TWIN_API void RunPad(Dtype dtype, const Operand& dst, const Operand& src,
                     const AscendC::PadParams& params, const void* value, const PadRows& tiling,
                     const Tmp& tmp, Location where);
TWIN_API void RunUnPad(Dtype dtype, const Operand& dst, const Operand& src,
                       const AscendC::UnPadParams& params, const PadRows& tiling, Location where);

}  // namespace twin::advanced

#define TWIN_REFUSE_PAD_DTYPE(API) \
    TWIN_REFUSE_DTYPE(API, T, int16_t, uint16_t, half, int32_t, uint32_t, float)

namespace AscendC {

/// Pads rows to a multiple of 32 B by adding columns on both sides. If rows are already
/// aligned, only sets the columns after srcOriWidth.
#define TWIN_PAD(TMP, tmp)                                                                     \
    template <typename T>                                                                      \
    inline void Pad(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,          \
                    PadParams& padParams, TMP(const) PadTiling& tiling, TWIN_HERE) {           \
        TWIN_REFUSE_PAD_DTYPE(Pad);                                                            \
        const T value = static_cast<T>(padParams.padValue);                                    \
        ::twin::advanced::RunPad(::twin::kDtypeOf<T>, dstTensor, srcTensor, padParams, &value, \
                                 {tiling.srcHeight, tiling.srcWidth, tiling.srcOriWidth}, tmp, \
                                 here);                                                        \
    }
TWIN_TMP_FORMS(TWIN_PAD)

/// Removes the last rightPad columns of each row and packs the rows. Needs no scratch on A2/A3.
#define TWIN_UN_PAD(TMP)                                                                        \
    template <typename T>                                                                       \
    inline void UnPad(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,         \
                      UnPadParams& unPadParams, TMP() UnPadTiling& tiling, TWIN_HERE) {         \
        TWIN_REFUSE_PAD_DTYPE(UnPad);                                                           \
        ::twin::advanced::RunUnPad(::twin::kDtypeOf<T>, dstTensor, srcTensor, unPadParams,      \
                                   {tiling.srcHeight, tiling.srcWidth, tiling.srcWidth}, here); \
    }
#define TWIN_UNUSED_TMP() LocalTensor<uint8_t>&,
TWIN_UN_PAD(TWIN_UNUSED_TMP)
TWIN_UN_PAD(TWIN_NOTHING)

}  // namespace AscendC

// Broadcast: dim 1 expands [1] to [n]; dim 2 expands [1, n] (axis 0) or [m, 1] (axis 1) to [m, n].

#define TWIN_BROADCAST(TMP, tmp, API)                                                              \
    template <typename T, int32_t dim, int32_t axis, bool isReuseSource = false>                   \
    inline void API(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal,                \
                    const uint32_t dstShape[dim], const uint32_t srcShape[dim], TMP() TWIN_HERE) { \
        ::twin::advanced::CheckBroadcast<T, dim, axis>();                                          \
        ::twin::advanced::RunBroadcast(                                                            \
            ::twin::Opcode::API, ::twin::kDtypeOf<T>, dstLocal, srcLocal,                          \
            ::twin::advanced::ShapeOf<dim>(dstShape, srcShape, axis), tmp, here);                  \
    }

namespace twin::advanced {

/// Shapes of a broadcast. A shape [n] of one dimension is stored as [1, n].
struct BroadcastShape {
    uint32_t dst[2];
    uint32_t src[2];
    int32_t axis;
};

template <int32_t dim>
BroadcastShape ShapeOf(const uint32_t* dst, const uint32_t* src, int32_t axis) {
    return dim == 1 ? BroadcastShape{{1, dst[0]}, {1, src[0]}, 1}
                    : BroadcastShape{{dst[0], dst[1]}, {src[0], src[1]}, axis};
}

TWIN_API void RunBroadcast(Opcode api, Dtype dtype, const Operand& dst, const Operand& src,
                           const BroadcastShape& shape, const Tmp& tmp, Location where);

template <typename T, int32_t dim, int32_t axis>
constexpr void CheckBroadcast() {
    // The library moves bits, so it accepts 16-bit and 32-bit types that its documentation omits.
    TWIN_REFUSE_DTYPE(Broadcast, T, int8_t, uint8_t, half, bfloat16_t, int16_t, uint16_t, float,
                      int32_t, uint32_t);
    static_assert(dim == 1 || dim == 2, "Broadcast: dim is 1 or 2");
    static_assert(axis == 0 || axis == 1, "Broadcast: axis is 0 or 1");
}

}  // namespace twin::advanced

namespace AscendC {

TWIN_TMP_FORMS_OF(TWIN_BROADCAST, Broadcast)
/// The library's internal name of Broadcast, which public kernels also call.
TWIN_TMP_FORMS_OF(TWIN_BROADCAST, BroadCast)

}  // namespace AscendC
