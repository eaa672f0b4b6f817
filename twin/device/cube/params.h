// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "device/types/enums.h"
#include "device/types/parameters.h"

// Parameter structures of the cube instructions.

/// Values of `addrMode`, which the device compiler knows: each step of a load goes forward or back.
enum addr_cal_mode_t { inc = 0, dec = 1 };

namespace AscendC {

/// Describes `ndNum` row-major matrices of nValue rows and dValue columns. dstNzC0Stride and
/// dstNzNStride count units of 32 B; all other strides count elements.
TWIN_PARAMETERS(Nd2NzParams, (uint16_t, ndNum, 0), (uint16_t, nValue, 0), (uint16_t, dValue, 0),
                (uint16_t, srcNdMatrixStride, 0), (uint16_t, srcDValue, 0),
                (uint16_t, dstNzC0Stride, 0), (uint16_t, dstNzNStride, 0),
                (uint16_t, dstNzMatrixStride, 0))

/// All numbers count fractals of 512 B. Repeat r reads fractal startIndex + r * srcStride of the
/// source and writes fractal r * (1 + dstGap) of the destination.
struct LoadData2DParams {
    TWIN_DEFAULT(LoadData2DParams)
    TWIN_CONSTRUCTOR(LoadData2DParams, (uint16_t, startIndex), (uint8_t, repeatTimes),
                     (uint16_t, srcStride), (uint8_t, sid), (uint16_t, dstGap), (bool, ifTranspose),
                     (uint8_t, addrMode))
    TWIN_MEMBERS((uint16_t, startIndex, 0), (uint16_t, dstGap, 0), (uint16_t, srcStride, 0),
                 (bool, ifTranspose, false), (uint8_t, repeatTimes, 0), (uint8_t, sid, 0),
                 (uint8_t, addrMode, 0))
};
using LoadData2dParams = LoadData2DParams;

/// startIndex and srcStride count square blocks: one fractal of 16-bit, two of 8- or 32-bit, four
/// of 4-bit elements. The gaps count fractals of 512 B.
struct LoadData2dTransposeParams {
    TWIN_DEFAULT(LoadData2dTransposeParams)
    TWIN_CONSTRUCTOR(LoadData2dTransposeParams, (uint16_t, startIndex), (uint8_t, repeatTimes),
                     (uint16_t, srcStride), (uint16_t, dstGap), (uint16_t, dstFracGap),
                     (uint8_t, addrMode, = 0))
    TWIN_MEMBERS((uint16_t, startIndex, 0), (uint8_t, repeatTimes, 0), (uint16_t, srcStride, 0),
                 (uint16_t, dstGap, 0), (uint16_t, dstFracGap, 0), (uint8_t, addrMode, 0))
};

/// Describes repeatTimes runs of blockNum blocks (L1: 32 B, L0: 512 B) with gaps of dstGap blocks.
template <typename U>
struct InitConstValueParams {
    TWIN_DEFAULT(InitConstValueParams)
    TWIN_CONSTRUCTOR(InitConstValueParams, (uint16_t, repeatTimes), (uint16_t, blockNum),
                     (uint16_t, dstGap), (U, initValue))
    TWIN_CONSTRUCTOR(InitConstValueParams, (uint16_t, repeatTimes), (U, initValue))
    TWIN_MEMBERS((uint16_t, repeatTimes, 0), (uint16_t, blockNum, 0), (uint16_t, dstGap, 0),
                 (U, initValue, U()))
};

/// The sums of Mmad start from zero (cmatrixInitVal), the bias table (cmatrixSource), or the old C.
struct MmadParams {
    TWIN_DEFAULT(MmadParams)
    TWIN_CONSTRUCTOR(MmadParams, (uint16_t, m), (uint16_t, n), (uint16_t, k), (bool, isBias),
                     (int32_t, fmOffset), (bool, enSsparse), (bool, enWinogradA),
                     (bool, enWinogradB))
    TWIN_CONSTRUCTOR(MmadParams, (uint16_t, m), (uint16_t, n), (uint16_t, k), (uint8_t, unitFlag),
                     (bool, cmatrixSource), (bool, cmatrixInitVal))
    TWIN_MEMBERS((uint16_t, m, 0), (uint16_t, n, 0), (uint16_t, k, 0), (bool, isBias, false),
                 (int32_t, fmOffset, 0), (bool, enSsparse, false), (bool, enWinogradA, false),
                 (bool, enWinogradB, false), (uint8_t, unitFlag, 0), (bool, kDirectionAlign, false),
                 (bool, cmatrixSource, false), (bool, cmatrixInitVal, true))
};

}  // namespace AscendC

// Parameters of the image-to-column loads.

namespace AscendC {

/// Parameters of an image-to-column load. Rows of the loaded matrix are positions of the filter.
/// Columns are ordered by (channel block, filter row, filter column, channel).
template <typename T>
struct LoadData3DParamsV2 {
    TWIN_DEFAULT(LoadData3DParamsV2)
    TWIN_CONSTRUCTOR(LoadData3DParamsV2, (const uint8_t*, padList), (uint16_t, l1H),
                     (uint16_t, l1W), (uint16_t, channelSize), (uint16_t, kExtension),
                     (uint16_t, mExtension), (uint16_t, kStartPt), (uint16_t, mStartPt),
                     (uint8_t, strideW), (uint8_t, strideH), (uint8_t, filterW), (uint8_t, filterH),
                     (uint8_t, dilationFilterW), (uint8_t, dilationFilterH), (bool, enTranspose),
                     (bool, enSmallK), (T, padValue), (bool, filterSizeW, = false),
                     (bool, filterSizeH, = false), (bool, fMatrixCtrl, = false))

    uint8_t padList[PAD_SIZE] = {0};  ///< padding widths: left, right, top, bottom
    TWIN_MEMBERS((uint16_t, l1H, 0), (uint16_t, l1W, 0), (uint16_t, channelSize, 0),
                 (uint16_t, kExtension, 0), (uint16_t, mExtension, 0), (uint16_t, kStartPt, 0),
                 (uint16_t, mStartPt, 0), (uint8_t, strideW, 1), (uint8_t, strideH, 1),
                 (uint8_t, filterW, 1), (uint8_t, filterH, 1), (uint8_t, dilationFilterW, 1),
                 (uint8_t, dilationFilterH, 1), (bool, enTranspose, false), (bool, enSmallK, false),
                 (T, padValue, T()), (bool, filterSizeW, false), (bool, filterSizeH, false),
                 (bool, fMatrixCtrl, false))
};

/// The parameters of LoadData3DParamsV2 in packed form. From the lowest bit on, extConfig contains
/// kExtension, mExtension, kStartPt and mStartPt with 16 bits each. filterConfig contains strides,
/// filter sizes and dilations with 8 bits each, W before H.
TWIN_PARAMETERS(LoadData3DParamsV2Pro, (uint16_t, channelSize, 0), (bool, enTranspose, false),
                (bool, enSmallK, false), (bool, filterSizeW, false), (bool, filterSizeH, false),
                (bool, fMatrixCtrl, false), (uint64_t, extConfig, 0),
                (uint64_t, filterConfig, 0x10101010101))

enum class FmatrixMode : uint8_t { FMATRIX_LEFT = 0, FMATRIX_RIGHT = 1 };

struct LoadDataRepeatParam {
    TWIN_DEFAULT(LoadDataRepeatParam)
    TWIN_CONSTRUCTOR(LoadDataRepeatParam, (uint16_t, repeatStride), (uint8_t, repeatTime),
                     (uint8_t, repeatMode))
    TWIN_MEMBERS((uint16_t, repeatStride, 0), (uint8_t, repeatTime, 1), (uint8_t, repeatMode, 0),
                 (uint8_t, reserved, 0))
};

/// Selects the registers that LoadData sets from its LoadData3DParamsV2.
struct IsResetLoad3dConfig {
    constexpr IsResetLoad3dConfig(const bool isSetFMatrixIn, const bool isSetPaddingIn)
        : isSetFMatrix(isSetFMatrixIn), isSetPadding(isSetPaddingIn) {}

    bool isSetFMatrix = true;
    bool isSetPadding = true;
};
constexpr IsResetLoad3dConfig IS_RESER_LOAD3D_DEFAULT_CONFIG = {true, true};

}  // namespace AscendC
