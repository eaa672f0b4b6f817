// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_CUBE_PARAMS_H
#define TWIN_DEVICE_CUBE_PARAMS_H

#include <cstdint>

// Parameter structures of the cube side: names, member order and constructors as in the 8.1.RC1
// headers.

namespace AscendC {

/// `ndNum` row-major matrices of nValue rows and dValue columns. Source strides count elements;
/// dstNzC0Stride and dstNzNStride count 32 B, dstNzMatrixStride elements.
struct Nd2NzParams {
    Nd2NzParams() = default;
    Nd2NzParams(const uint16_t ndNumIn, const uint16_t nValueIn, const uint16_t dValueIn,
                const uint16_t srcNdMatrixStrideIn, const uint16_t srcDValueIn,
                const uint16_t dstNzC0StrideIn, const uint16_t dstNzNStrideIn,
                const uint16_t dstNzMatrixStrideIn)
        : ndNum(ndNumIn),
          nValue(nValueIn),
          dValue(dValueIn),
          srcNdMatrixStride(srcNdMatrixStrideIn),
          srcDValue(srcDValueIn),
          dstNzC0Stride(dstNzC0StrideIn),
          dstNzNStride(dstNzNStrideIn),
          dstNzMatrixStride(dstNzMatrixStrideIn) {}

    uint16_t ndNum = 0;
    uint16_t nValue = 0;
    uint16_t dValue = 0;
    uint16_t srcNdMatrixStride = 0;
    uint16_t srcDValue = 0;
    uint16_t dstNzC0Stride = 0;
    uint16_t dstNzNStride = 0;
    uint16_t dstNzMatrixStride = 0;
};

/// Counts fractals of 512 B: repeat r reads startIndex + r * srcStride, writes r * (1 + dstGap).
struct LoadData2DParams {
    LoadData2DParams() = default;
    LoadData2DParams(const uint16_t startIndexIn, const uint8_t repeatTimesIn,
                     const uint16_t srcStrideIn, const uint8_t sidIn, const uint16_t dstGapIn,
                     const bool ifTransposeIn, const uint8_t addrModeIn)
        : startIndex(startIndexIn),
          dstGap(dstGapIn),
          srcStride(srcStrideIn),
          ifTranspose(ifTransposeIn),
          repeatTimes(repeatTimesIn),
          sid(sidIn),
          addrMode(addrModeIn) {}

    uint16_t startIndex = 0;
    uint16_t dstGap = 0;
    uint16_t srcStride = 0;
    bool ifTranspose = false;
    uint8_t repeatTimes = 0;
    uint8_t sid = 0;
    uint8_t addrMode = 0;
};
using LoadData2dParams = LoadData2DParams;

/// startIndex and srcStride count squares (one fractal of 16-bit, two of 8- and 32-bit, four of
/// 4-bit elements), the gaps count fractals of 512 B.
struct LoadData2dTransposeParams {
    LoadData2dTransposeParams() = default;
    LoadData2dTransposeParams(const uint16_t startIndexIn, const uint8_t repeatTimesIn,
                              const uint16_t srcStrideIn, const uint16_t dstGapIn,
                              const uint16_t dstFracGapIn, const uint8_t addrModeIn = 0)
        : startIndex(startIndexIn),
          repeatTimes(repeatTimesIn),
          srcStride(srcStrideIn),
          dstGap(dstGapIn),
          dstFracGap(dstFracGapIn),
          addrMode(addrModeIn) {}

    uint16_t startIndex = 0;
    uint8_t repeatTimes = 0;
    uint16_t srcStride = 0;
    uint16_t dstGap = 0;
    uint16_t dstFracGap = 0;
    uint8_t addrMode = 0;
};

/// repeatTimes runs of blockNum blocks (32 B in L1, 512 B in L0A and L0B), dstGap blocks apart.
template <typename U>
struct InitConstValueParams {
    InitConstValueParams() = default;
    InitConstValueParams(const uint16_t repeatTimesIn, const uint16_t blockNumIn,
                         const uint16_t dstGapIn, const U initValueIn)
        : repeatTimes(repeatTimesIn),
          blockNum(blockNumIn),
          dstGap(dstGapIn),
          initValue(initValueIn) {}
    InitConstValueParams(const uint16_t repeatTimesIn, const U initValueIn)
        : repeatTimes(repeatTimesIn), initValue(initValueIn) {}

    uint16_t repeatTimes = 0;
    uint16_t blockNum = 0;
    uint16_t dstGap = 0;
    U initValue = U();
};

struct MmadParams {
    MmadParams() = default;
    MmadParams(const uint16_t mIn, const uint16_t nIn, const uint16_t kIn, const bool isBiasIn,
               const int32_t fmOffsetIn, const bool enSsparseIn, const bool enWinogradAIn,
               const bool enWinogradBIn)
        : m(mIn),
          n(nIn),
          k(kIn),
          isBias(isBiasIn),
          fmOffset(fmOffsetIn),
          enSsparse(enSsparseIn),
          enWinogradA(enWinogradAIn),
          enWinogradB(enWinogradBIn) {}
    MmadParams(const uint16_t mIn, const uint16_t nIn, const uint16_t kIn, const uint8_t unitFlagIn,
               const bool cmatrixSourceIn, const bool cmatrixInitValIn)
        : m(mIn),
          n(nIn),
          k(kIn),
          unitFlag(unitFlagIn),
          cmatrixSource(cmatrixSourceIn),
          cmatrixInitVal(cmatrixInitValIn) {}

    uint16_t m = 0;
    uint16_t n = 0;
    uint16_t k = 0;
    bool isBias = false;
    int32_t fmOffset = 0;
    bool enSsparse = false;
    bool enWinogradA = false;
    bool enWinogradB = false;
    uint8_t unitFlag = 0;
    bool kDirectionAlign = false;
    bool cmatrixSource = false;  ///< C starts from the bias table instead of L0C
    bool cmatrixInitVal = true;  ///< C starts at zero
};

}  // namespace AscendC

#endif  // TWIN_DEVICE_CUBE_PARAMS_H
