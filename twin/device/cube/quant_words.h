// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_CUBE_QUANT_WORDS_H
#define TWIN_DEVICE_CUBE_QUANT_WORDS_H

#include <cstdint>

#include "device/cube/fixpipe_params.h"
#include "device/lanes/quant.h"

namespace twin {
class Core;
}

namespace twin::cube {

struct CopyOut;

constexpr uint32_t kLine = 256;  ///< number of elements that are converted at once

inline bool IsVectorMode(QuantMode_t mode) {
    return mode == QuantMode_t::VDEQF16 || mode == QuantMode_t::VQF322B8_PRE ||
           mode == QuantMode_t::VREQ8;
}
inline bool IsScalarMode(QuantMode_t mode) {
    return mode == QuantMode_t::DEQF16 || mode == QuantMode_t::QF322B8_PRE ||
           mode == QuantMode_t::REQ8;
}
const char* ModeName(QuantMode_t mode);

/// Decoded quantisation words: one for all columns, or one per column (at most kLine).
struct QuantLines {
    bool perColumn;
    float scale[kLine];
    float negative[kLine];
    float offset[kLine];
    float low[kLine];
    float high[kLine];
    int32_t shift[kLine];

    lanes::QuantColumns From(uint32_t column) const {
        const uint32_t at = perColumn ? column : 0;
        return {scale + at, negative + at, offset + at, low + at, high + at, shift + at};
    }
    /// The words from `column` to `column + width`, repeated.
    void Repeat(const QuantLines& from, uint32_t column, uint32_t width);
};

/// Reads `count` words (`words`; only the first one for scalar modes), and refuses numbers that the
/// pipe does not support.
void DecodeWords(Core& core, const CopyOut& out, const uint64_t* words, uint32_t count,
                 QuantLines* lines);

}  // namespace twin::cube

#endif  // TWIN_DEVICE_CUBE_QUANT_WORDS_H
