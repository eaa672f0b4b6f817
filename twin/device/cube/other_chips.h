// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "device/cube/load_data_2d.h"
#include "device/cube/load_data_3d.h"

// The calls below do not compile: A2/A3 lack them. The toolkit declares them for all chips.

namespace twin::cube {

template <typename T>
constexpr bool kNotOnThisChip = false;

}  // namespace twin::cube

namespace AscendC {

struct LoadData2DParamsV2 {
    TWIN_MEMBERS((uint32_t, mStartPosition, 0), (uint32_t, kStartPosition, 0), (uint16_t, mStep, 0),
                 (uint16_t, kStep, 0), (int32_t, srcStride, 0), (uint16_t, dstStride, 0),
                 (bool, ifTranspose, false), (uint8_t, sid, 0))
};

struct LoadData2dTransposeParamsV2 {
    TWIN_MEMBERS((uint16_t, startIndex, 0), (uint8_t, repeatTimes, 0), (uint16_t, srcStride, 0),
                 (uint16_t, dstGap, 0), (uint16_t, dstFracGap, 0), (uint16_t, srcFracGap, 0),
                 (uint8_t, addrMode, 0))
};

template <typename T>
struct LoadData3DParamsV1 {};

template <typename T>
inline void LoadData(const LocalTensor<T>&, const LocalTensor<T>&, const LoadData2DParamsV2&) {
    static_assert(twin::cube::kNotOnThisChip<T>,
                  "LoadData with LoadData2DParamsV2: not on A2/A3; use LoadData2DParams");
}
template <typename T>
inline void LoadData(const LocalTensor<T>&, const GlobalTensor<T>&, const LoadData2DParamsV2&) {
    static_assert(twin::cube::kNotOnThisChip<T>,
                  "LoadData with LoadData2DParamsV2: not on A2/A3; use LoadData2DParams");
}
template <typename T>
inline void LoadData(const LocalTensor<T>&, const LocalTensor<T>&, const LoadData3DParamsV1<T>&) {
    static_assert(twin::cube::kNotOnThisChip<T>,
                  "LoadData with LoadData3DParamsV1: not on A2/A3; use LoadData3DParamsV2");
}
template <typename T>
inline void LoadDataWithTranspose(const LocalTensor<T>&, const LocalTensor<T>&,
                                  const LoadData2dTransposeParamsV2&) {
    static_assert(twin::cube::kNotOnThisChip<T>,
                  "LoadDataWithTranspose with LoadData2dTransposeParamsV2: not on A2/A3; use "
                  "LoadData2dTransposeParams");
}
template <typename T>
inline void LoadDataUnzip(const LocalTensor<T>&, const GlobalTensor<T>&) {
    static_assert(twin::cube::kNotOnThisChip<T>, "LoadDataUnzip: not on A2/A3");
}
template <typename T, typename U>
inline void BroadCastVecToMM(const LocalTensor<T>&, const LocalTensor<U>&, const int32_t,
                             const uint8_t, const uint8_t, const uint8_t) {
    static_assert(twin::cube::kNotOnThisChip<T>, "BroadCastVecToMM: not on A2/A3");
}
template <typename T = void>
inline void SetFixPipeClipRelu(uint64_t) {
    static_assert(twin::cube::kNotOnThisChip<T>, "SetFixPipeClipRelu: not on A2/A3");
}
template <typename T>
inline void SetFixPipeAddr(const LocalTensor<T>&, uint16_t) {
    static_assert(twin::cube::kNotOnThisChip<T>, "SetFixPipeAddr: not on A2/A3");
}

}  // namespace AscendC
