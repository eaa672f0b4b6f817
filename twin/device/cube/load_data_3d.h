// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/uses.h"
#include "device/cube/params.h"
#include "device/tensor/local_tensor.h"

namespace twin::cube {

/// Parameters of an image-to-column load, from LoadData3DParamsV2 or LoadData3DParamsV2Pro.
struct ImageLoad {
    uint32_t channels;
    uint32_t columns;  ///< number of columns: kExtension
    uint32_t rows;     ///< number of rows: mExtension
    uint32_t firstColumn;
    uint32_t firstRow;
    uint32_t strideW;
    uint32_t strideH;
    uint32_t filterW;
    uint32_t filterH;
    uint32_t dilationW;
    uint32_t dilationH;
    bool transpose;
    bool smallK;
    bool right;  ///< uses the feature map register of the right matrix
};

TWIN_API void SetFeatureMap(uint16_t height, uint16_t width, const uint8_t* pads,
                            AscendC::FmatrixMode mode, Location where);
TWIN_API void SetPadding(uint32_t bits, Location where);
TWIN_API void SetRepeat(const AscendC::LoadDataRepeatParam& params, Location where);
TWIN_API void SetBoundary(uint32_t bytes, Location where);
TWIN_API void LoadImage(const Operand& dst, const Operand& src, const ImageLoad& load, Dtype dtype,
                        const char* api, Location where);

/// Returns a filter size, which is a number of 9 bits; `high` is the highest bit.
inline uint32_t FilterSize(uint32_t low, bool high) { return low + (high ? 256U : 0U); }

/// Returns the bits of a padding value. For 64-bit integers, which kernels use for zeros, this is
/// what the library passes to the chip: the value above a copy of its low byte.
template <typename T>
uint32_t PadBits(T value) {
    uint32_t bits = 0;
    if constexpr (sizeof(T) > sizeof(bits)) {
        static_assert(std::is_integral_v<T>,
                      "SetLoadDataPaddingValue: a type of 8 bytes is an "
                      "integer");
        bits = static_cast<uint32_t>(static_cast<uint64_t>(value) << 8 | (value & 0xFF));
    } else {
        std::memcpy(&bits, &value, sizeof(T));
    }
    return bits;
}

template <typename T>
constexpr bool kLoadData3dType =
    kOneOf<T, uint8_t, int8_t, half, bfloat16_t, float, uint32_t, int32_t, AscendC::int4b_t>;

}  // namespace twin::cube

namespace AscendC {

/// Sets the size and the padding widths of the feature map for later image-to-column loads.
inline void SetFmatrix(uint16_t l1H, uint16_t l1W, const uint8_t padList[PAD_SIZE],
                       const FmatrixMode& fmatrixMode, TWIN_HERE) {
    TWIN_USES_CUBE;
    twin::cube::SetFeatureMap(l1H, l1W, padList, fmatrixMode, here);
}
/// An inner name of SetFmatrix, which template libraries call.
inline void Load3DSetFMatrixCal(uint16_t l1H, uint16_t l1W, const uint8_t padList[PAD_SIZE],
                                TWIN_HERE) {
    SetFmatrix(l1H, l1W, padList, FmatrixMode::FMATRIX_LEFT, here);
}
inline void Load3DSetFMatrixBCal(uint16_t l1H, uint16_t l1W, const uint8_t padList[PAD_SIZE],
                                 TWIN_HERE) {
    SetFmatrix(l1H, l1W, padList, FmatrixMode::FMATRIX_RIGHT, here);
}
template <typename T>
inline void SetLoadDataPaddingValue(const T padValue, TWIN_HERE) {
    TWIN_USES_CUBE;
    twin::cube::SetPadding(twin::cube::PadBits(padValue), here);
}
inline void SetLoadDataRepeat(const LoadDataRepeatParam& repeatParams, TWIN_HERE) {
    TWIN_USES_CUBE;
    twin::cube::SetRepeat(repeatParams, here);
}
/// Sets the L1 address from which image-to-column loads wrap around to address 0; 0 turns this off.
inline void SetLoadDataBoundary(uint32_t boundaryValue, TWIN_HERE) {
    TWIN_USES_CUBE;
    twin::cube::SetBoundary(boundaryValue, here);
}

/// Loads a block of the image-to-column matrix of a feature map, L1 -> L0A or L0B, on pipe MTE1.
/// The feature map has the order (channel block, height, width, 32 B). For a filter of 1 x 1, this
/// order is fractal order. Loads into L0B and loads with enTranspose transpose the block.
template <typename T, const IsResetLoad3dConfig& defaultConfig = IS_RESER_LOAD3D_DEFAULT_CONFIG,
          typename U = T>
inline void LoadData(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                     const LoadData3DParamsV2<U>& p, TWIN_HERE) {
    static_assert(twin::cube::kLoadData3dType<T> && std::is_same<T, U>::value,
                  "LoadData with LoadData3DParamsV2: no such element type on A2/A3, or the padding "
                  "value has another");
    TWIN_USES_CUBE;
    if constexpr (defaultConfig.isSetFMatrix) {
        twin::cube::SetFeatureMap(p.l1H, p.l1W, p.padList, FmatrixMode::FMATRIX_LEFT, here);
    }
    if constexpr (defaultConfig.isSetPadding) {
        twin::cube::SetPadding(twin::cube::PadBits(p.padValue), here);
    }
    const uint32_t filterW = twin::cube::FilterSize(p.filterW, p.filterSizeW);
    const uint32_t filterH = twin::cube::FilterSize(p.filterH, p.filterSizeH);
    const twin::cube::ImageLoad load = {
        p.channelSize,     p.kExtension,  p.mExtension, p.kStartPt,   p.mStartPt,
        p.strideW,         p.strideH,     filterW,      filterH,      p.dilationFilterW,
        p.dilationFilterH, p.enTranspose, p.enSmallK,   p.fMatrixCtrl};
    twin::cube::LoadImage(dst, src, load, twin::kDtypeOf<T>, "LoadData with LoadData3DParamsV2",
                          here);
}

/// Loads bfloat16_t in calls whose only template argument is the configuration.
template <const IsResetLoad3dConfig& defaultConfig>
inline void LoadData(const LocalTensor<bfloat16_t>& dst, const LocalTensor<bfloat16_t>& src,
                     const LoadData3DParamsV2<bfloat16_t>& loadDataParams, TWIN_HERE) {
    LoadData<bfloat16_t, defaultConfig>(dst, src, loadDataParams, here);
}

/// Loads an image-to-column block with packed parameters; it does not set any registers first.
template <typename T>
inline void LoadData(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                     const LoadData3DParamsV2Pro& p, TWIN_HERE) {
    static_assert(twin::cube::kLoadData3dType<T>,
                  "LoadData with LoadData3DParamsV2Pro: no such element type on A2/A3");
    TWIN_USES_CUBE;
    const auto word = [&p](uint32_t shift) {
        return static_cast<uint32_t>(p.extConfig >> shift & 0xFFFFU);
    };
    const auto byte = [&p](uint32_t shift) {
        return static_cast<uint32_t>(p.filterConfig >> shift & 0xFFU);
    };
    const uint32_t filterW = twin::cube::FilterSize(byte(16), p.filterSizeW);
    const uint32_t filterH = twin::cube::FilterSize(byte(24), p.filterSizeH);
    const twin::cube::ImageLoad load = {
        p.channelSize, word(0), word(16), word(32), word(48),      byte(0),    byte(8),
        filterW,       filterH, byte(32), byte(40), p.enTranspose, p.enSmallK, p.fMatrixCtrl};
    twin::cube::LoadImage(dst, src, load, twin::kDtypeOf<T>, "LoadData with LoadData3DParamsV2Pro",
                          here);
}

}  // namespace AscendC
