// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_CUBE_LOAD3D_PARAMS_H
#define TWIN_DEVICE_CUBE_LOAD3D_PARAMS_H

#include <cstdint>
#include <cstring>

#include "device/types/constants.h"

// Parameters of the image-to-column loads, as in the 8.1.RC1 headers.

namespace AscendC {

/// Image to columns: rows are positions of the filter, columns are (channel block, filter row,
/// filter column, channel).
template <typename T>
struct LoadData3DParamsV2 {
    LoadData3DParamsV2() = default;
    LoadData3DParamsV2(const uint8_t padListIn[PAD_SIZE], const uint16_t l1HIn,
                       const uint16_t l1WIn, const uint16_t channelSizeIn,
                       const uint16_t kExtensionIn, const uint16_t mExtensionIn,
                       const uint16_t kStartPtIn, const uint16_t mStartPtIn,
                       const uint8_t strideWIn, const uint8_t strideHIn, const uint8_t filterWIn,
                       const uint8_t filterHIn, const uint8_t dilationFilterWIn,
                       const uint8_t dilationFilterHIn, const bool enTransposeIn,
                       const bool enSmallKIn, const T padValueIn, const bool filterSizeWIn = false,
                       const bool filterSizeHIn = false, const bool fMatrixCtrlIn = false)
        : l1H(l1HIn),
          l1W(l1WIn),
          channelSize(channelSizeIn),
          kExtension(kExtensionIn),
          mExtension(mExtensionIn),
          kStartPt(kStartPtIn),
          mStartPt(mStartPtIn),
          strideW(strideWIn),
          strideH(strideHIn),
          filterW(filterWIn),
          filterH(filterHIn),
          dilationFilterW(dilationFilterWIn),
          dilationFilterH(dilationFilterHIn),
          enTranspose(enTransposeIn),
          enSmallK(enSmallKIn),
          padValue(padValueIn),
          filterSizeW(filterSizeWIn),
          filterSizeH(filterSizeHIn),
          fMatrixCtrl(fMatrixCtrlIn) {
        std::memcpy(padList, padListIn, PAD_SIZE);
    }

    uint8_t padList[PAD_SIZE] = {0};  ///< left, right, top, bottom
    uint16_t l1H = 0;
    uint16_t l1W = 0;
    uint16_t channelSize = 0;
    uint16_t kExtension = 0;
    uint16_t mExtension = 0;
    uint16_t kStartPt = 0;
    uint16_t mStartPt = 0;
    uint8_t strideW = 1;
    uint8_t strideH = 1;
    uint8_t filterW = 1;
    uint8_t filterH = 1;
    uint8_t dilationFilterW = 1;
    uint8_t dilationFilterH = 1;
    bool enTranspose = false;
    bool enSmallK = false;
    T padValue = T();
    bool filterSizeW = false;
    bool filterSizeH = false;
    bool fMatrixCtrl = false;
};

/// The same parameters, packed: extConfig holds kExtension, mExtension, kStartPt and mStartPt in 16
/// bits each from the lowest; filterConfig holds strides, filter sizes and dilations in 8 bits, W
/// before H.
struct LoadData3DParamsV2Pro {
    LoadData3DParamsV2Pro() = default;
    LoadData3DParamsV2Pro(const uint16_t channelSizeIn, const bool enTransposeIn,
                          const bool enSmallKIn, const bool filterSizeWIn, const bool filterSizeHIn,
                          const bool fMatrixCtrlIn, const uint64_t extConfigIn,
                          const uint64_t filterConfigIn)
        : channelSize(channelSizeIn),
          enTranspose(enTransposeIn),
          enSmallK(enSmallKIn),
          filterSizeW(filterSizeWIn),
          filterSizeH(filterSizeHIn),
          fMatrixCtrl(fMatrixCtrlIn),
          extConfig(extConfigIn),
          filterConfig(filterConfigIn) {}

    uint16_t channelSize = 0;
    bool enTranspose = false;
    bool enSmallK = false;
    bool filterSizeW = false;
    bool filterSizeH = false;
    bool fMatrixCtrl = false;
    uint64_t extConfig = 0;
    uint64_t filterConfig = 0x10101010101;
};

enum class FmatrixMode : uint8_t { FMATRIX_LEFT = 0, FMATRIX_RIGHT = 1 };

struct LoadDataRepeatParam {
    LoadDataRepeatParam() = default;
    LoadDataRepeatParam(const uint16_t repeatStrideIn, const uint8_t repeatTimeIn,
                        const uint8_t repeatModeIn)
        : repeatStride(repeatStrideIn), repeatTime(repeatTimeIn), repeatMode(repeatModeIn) {}

    uint16_t repeatStride = 0;
    uint8_t repeatTime = 1;
    uint8_t repeatMode = 0;
    uint8_t reserved = 0;
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

#endif  // TWIN_DEVICE_CUBE_LOAD3D_PARAMS_H
