// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/core.h"
#include "device/cube/fixpipe.h"
#include "device/lanes/arithmetic.h"

namespace twin {
class Core;
}

namespace twin::cube {

struct CopyOut;

constexpr uint32_t kLine = 256;  ///< largest number of elements that are converted at once

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
    /// Fills all kLine entries by repeating the entries [column, column + width) of `from`.
    void Repeat(const QuantLines& from, uint32_t column, uint32_t width);
};

/// Decodes `count` quantisation words; scalar modes have only one word. Refuses scales that
/// the pipe does not support (T466).
void DecodeWords(Core& core, const CopyOut& out, const uint64_t* words, uint32_t count,
                 QuantLines* lines);

/// Returns a CopyOut with the fields that FixpipeParamsV220 and DataCopyCO12DstParams share. Sets
/// ndNum to 1; callers that copy row-major matrices (`rows` is true) change ndNum.
template <typename Params>
CopyOut CopyOutOf(Opcode api, const Params& params, bool rows, Dtype to, Dtype from) {
    CopyOut out = {};
    out.api = api;
    out.from = from;
    out.to = to;
    out.rowMajor = rows;
    out.columns = params.nSize;
    out.rows = params.mSize;
    out.srcStride = params.srcStride;
    out.dstStride = params.dstStride;
    out.quant = params.quantPre;
    out.ndNum = 1;
    out.unitFlag = params.unitFlag;
    return out;
}

/// Refuses sizes, strides and modes that the pipe does not support. `withVector` is true if the
/// call passes quantisation words in L1.
void CheckCopyOut(Core& core, const CopyOut& out, bool withVector);

/// The destination of a copy out of L0C: GM or L1.
struct Destination {
    const GmOperand* gm = nullptr;   ///< destination in GM; nullptr: the destination is in L1
    const Operand* local = nullptr;  ///< destination in L1; nullptr: the destination is in GM
    uint8_t* start = nullptr;        ///< host address of the first byte in L1
};

/// Returns the number of columns of a stripe in NZ: 8 with channel split, 32 for 8 bits, else 16.
uint32_t StripeColumns(const CopyOut& out);
/// Converts and stores one matrix, whose first fractal is at `src`. `offset` is the distance of the
/// matrix from the start of the destination, in bytes.
void MoveMatrix(Core& core, const CopyOut& out, const Destination& to, uint64_t offset,
                const uint8_t* src, const QuantLines* quant);

/// Marks the uninitialised bytes of one matrix in L1 (`dst`). Reads the marks of the matrix in L0C
/// (`src`) and the marks of the quantisation words (`words`; nullptr if there are none).
void MarkMatrix(uint8_t* dst, const CopyOut& out, const uint8_t* src, const uint8_t* words);

/// Executes and records one copy out of L0C, whose parameters CheckCopyOut must have accepted.
void RunCopyOut(Core& core, const CopyOut& out, Destination to, const Operand& src);

}  // namespace twin::cube
