// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "device/types/enums.h"
#include "device/types/parameters.h"

// Parameters of the image-to-column loads.

namespace AscendC {

/// Image to columns: rows are positions of the filter, columns are (channel block, filter row,
/// filter column, channel).
template <typename T>
struct LoadData3DParamsV2 {
    LoadData3DParamsV2() = default;
    TWIN_CONSTRUCTOR(LoadData3DParamsV2, (const uint8_t*, padList), (uint16_t, l1H),
                     (uint16_t, l1W), (uint16_t, channelSize), (uint16_t, kExtension),
                     (uint16_t, mExtension), (uint16_t, kStartPt), (uint16_t, mStartPt),
                     (uint8_t, strideW), (uint8_t, strideH), (uint8_t, filterW), (uint8_t, filterH),
                     (uint8_t, dilationFilterW), (uint8_t, dilationFilterH), (bool, enTranspose),
                     (bool, enSmallK), (T, padValue), (bool, filterSizeW, = false),
                     (bool, filterSizeH, = false), (bool, fMatrixCtrl, = false))

    uint8_t padList[PAD_SIZE] = {0};  ///< left, right, top, bottom
    TWIN_MEMBERS((uint16_t, l1H, 0), (uint16_t, l1W, 0), (uint16_t, channelSize, 0),
                 (uint16_t, kExtension, 0), (uint16_t, mExtension, 0), (uint16_t, kStartPt, 0),
                 (uint16_t, mStartPt, 0), (uint8_t, strideW, 1), (uint8_t, strideH, 1),
                 (uint8_t, filterW, 1), (uint8_t, filterH, 1), (uint8_t, dilationFilterW, 1),
                 (uint8_t, dilationFilterH, 1), (bool, enTranspose, false), (bool, enSmallK, false),
                 (T, padValue, T()), (bool, filterSizeW, false), (bool, filterSizeH, false),
                 (bool, fMatrixCtrl, false))
};

/// The same parameters, packed: extConfig holds kExtension, mExtension, kStartPt and mStartPt in 16
/// bits each from the lowest; filterConfig holds strides, filter sizes and dilations in 8 bits, W
/// before H.
TWIN_PARAMETERS(LoadData3DParamsV2Pro, (uint16_t, channelSize, 0), (bool, enTranspose, false),
                (bool, enSmallK, false), (bool, filterSizeW, false), (bool, filterSizeH, false),
                (bool, fMatrixCtrl, false), (uint64_t, extConfig, 0),
                (uint64_t, filterConfig, 0x10101010101))

enum class FmatrixMode : uint8_t { FMATRIX_LEFT = 0, FMATRIX_RIGHT = 1 };

struct LoadDataRepeatParam {
    LoadDataRepeatParam() = default;
    TWIN_CONSTRUCTOR(LoadDataRepeatParam, (uint16_t, repeatStride), (uint8_t, repeatTime),
                     (uint8_t, repeatMode))
    TWIN_MEMBERS((uint16_t, repeatStride, 0), (uint8_t, repeatTime, 1), (uint8_t, repeatMode, 0),
                 (uint8_t, reserved, 0))
};

/// The registers that LoadData with LoadData3DParamsV2 sets from its parameters.
struct IsResetLoad3dConfig {
    constexpr IsResetLoad3dConfig(const bool isSetFMatrixIn, const bool isSetPaddingIn)
        : isSetFMatrix(isSetFMatrixIn), isSetPadding(isSetPaddingIn) {}

    bool isSetFMatrix = true;
    bool isSetPadding = true;
};
constexpr IsResetLoad3dConfig IS_RESER_LOAD3D_DEFAULT_CONFIG = {true, true};

}  // namespace AscendC
