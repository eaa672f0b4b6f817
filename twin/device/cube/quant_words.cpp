// SPDX-License-Identifier: Apache-2.0
#include "core/core_state.h"
#include "core/float16.h"
#include "device/cube/fixpipe.h"
#include "device/cube/fixpipe_move.h"
#include "device/cube/fixpipe_v1.h"
#include "device/cube/params.h"
#include "device/cube/product.h"

namespace twin::cube {
namespace {

/// Fields of a quantisation word.
struct Word {
    uint64_t bits;

    /// Returns the scale as a float. The pipe ignores the lower 13 bits of the mantissa.
    float Scale() const { return FloatOf(static_cast<uint32_t>(bits) & 0xFFFFE000U); }
    bool Shifts() const { return (bits >> 36 & 1) != 0; }
    int32_t Shift() const { return Shifts() ? static_cast<int32_t>(bits >> 32 & 15) + 1 : 0; }
    int32_t Offset() const {
        const auto raw = static_cast<int32_t>(bits >> 37 & 0x1FF);
        return raw >= 256 ? raw - 512 : raw;
    }
    bool Signed() const { return (bits >> 46 & 1) != 0; }
};

void CheckWord(Core& core, const CopyOut& out, const Word& word, uint32_t column) {
    const uint32_t exponent = BitsOf(word.Scale()) >> 23 & 0xFFU;
    const bool zero = (BitsOf(word.Scale()) & 0x7FFFFFFFU) == 0;
    if (exponent == 255 || (exponent == 0 && !zero)) {
        Fail("T466",
             "quantisation scale: %s with %s and a scale of bits 0x%08x in column %u, expected a "
             "finite normal float or zero\n  try: set deqScalar, or fill the vector, before the "
             "copy",
             Name(out.api), ModeName(out.quant), static_cast<uint32_t>(word.bits), column);
    }
    const bool byte = SizeOf(out.to) == 1;
    if (core.strict && byte && word.Signed() != (out.to == Dtype::I8)) {
        Fail("T466",
             "quantisation sign: %s with %s writes %s, but bit 46 of the word of column %u says "
             "%s",
             Name(out.api), ModeName(out.quant), Name(out.to), column,
             word.Signed() ? "signed" : "unsigned");
    }
}

constexpr uint8_t kKeep = 2;
constexpr uint8_t kChange = 3;

void CheckValue(uint8_t unitFlag, const char* api) {
    if (unitFlag != 0 && unitFlag != kKeep && unitFlag != kChange) {
        Fail("T461", "unit flag: %s with unitFlag %u, expected 0, 2 or 3", api, unitFlag);
    }
}

/// Refuses a fractal whose unit flag is not `wanted` (T461); inverts the flag if `change` is true.
void Pass(Core& core, uint64_t cell, bool wanted, bool change, const char* api) {
    uint64_t& word = core.state->cube.unitFlags[cell / 64];
    const uint64_t bit = uint64_t{1} << cell % 64;
    if (((word & bit) != 0) != wanted) {
        Fail("T461",
             "unit flag: %s with a unit flag waits for L0C+0x%llx to be %s, which no earlier call "
             "has done; the cube core would hang\n  try: unitFlag 2 on all but the last Mmad, 3 on "
             "the last one and on the Fixpipe that copies the same fractals",
             api, static_cast<unsigned long long>(cell * kCellBytes),
             wanted ? "written" : "copied out");
    }
    word ^= change ? bit : 0;
}

}  // namespace

const char* ModeName(QuantMode_t mode) {
    switch (mode) {
        case QuantMode_t::NoQuant:
            return "NoQuant";
        case QuantMode_t::F322F16:
            return "F322F16";
        case QuantMode_t::VREQ8:
            return "VREQ8";
        case QuantMode_t::REQ8:
            return "REQ8";
        case QuantMode_t::VDEQF16:
            return "VDEQF16";
        case QuantMode_t::DEQF16:
            return "DEQF16";
        case QuantMode_t::VSHIFTS322S16:
            return "VSHIFTS322S16";
        case QuantMode_t::SHIFTS322S16:
            return "SHIFTS322S16";
        case QuantMode_t::F322BF16:
            return "F322BF16";
        case QuantMode_t::VREQ4:
            return "VREQ4";
        case QuantMode_t::REQ4:
            return "REQ4";
        case QuantMode_t::VQF322B8_PRE:
            return "VQF322B8_PRE";
        case QuantMode_t::QF322B8_PRE:
            return "QF322B8_PRE";
        case QuantMode_t::VQF322S4_PRE:
            return "VQF322S4_PRE";
        case QuantMode_t::QF322S4_PRE:
            return "QF322S4_PRE";
        case QuantMode_t::VDEQS16:
            return "VDEQS16";
        case QuantMode_t::DEQS16:
            return "DEQS16";
    }
    return "an unknown mode";
}

void QuantLines::Repeat(const QuantLines& from, uint32_t column, uint32_t width) {
    perColumn = false;
    for (uint32_t i = 0; i < kLine; ++i) {
        const uint32_t at = from.perColumn ? column + i % width : 0;
        scale[i] = from.scale[at];
        negative[i] = from.negative[at];
        offset[i] = from.offset[at];
        low[i] = from.low[at];
        high[i] = from.high[at];
        shift[i] = from.shift[at];
    }
}

void DecodeWords(Core& core, const CopyOut& out, const uint64_t* words, uint32_t count,
                 QuantLines* lines) {
    lines->perColumn = IsVectorMode(out.quant);
    for (uint32_t i = 0; i < kLine; ++i) {
        const uint32_t column = lines->perColumn ? i % count : 0;
        const Word word = {words[column]};
        if (i < count) {
            CheckWord(core, out, word, column);
        }
        lines->scale[i] = word.Scale();
        lines->negative[i] = out.relu ? 0.0F : word.Scale();
        lines->offset[i] = static_cast<float>(word.Offset());
        lines->low[i] = word.Signed() ? -128.0F : 0.0F;
        lines->high[i] = word.Signed() ? 127.0F : 255.0F;
        lines->shift[i] = out.from == Dtype::I32 ? word.Shift() : 0;
    }
}

void WriteUnits(Core& core, uint32_t address, uint64_t cells, uint8_t unitFlag, const char* api) {
    CheckValue(unitFlag, api);
    for (uint64_t i = 0; unitFlag != 0 && i < cells; ++i) {
        Pass(core, address / kCellBytes + i, false, unitFlag == kChange, api);
    }
}

void ReadUnits(Core& core, uint32_t address, uint64_t cells, uint64_t stripes, uint64_t stride,
               uint8_t unitFlag, const char* api) {
    CheckValue(unitFlag, api);
    for (uint64_t stripe = 0; unitFlag != 0 && stripe < stripes; ++stripe) {
        for (uint64_t i = 0; i < cells; ++i) {
            Pass(core, address / kCellBytes + stripe * stride + i, true, unitFlag == kChange, api);
        }
    }
}

}  // namespace twin::cube
