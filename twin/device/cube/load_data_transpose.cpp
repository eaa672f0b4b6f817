// SPDX-License-Identifier: Apache-2.0
#include "device/cube/load_data_2d.h"
#include "device/cube/product.h"
#include "device/lanes/shuffle.h"

namespace twin::cube {
namespace {

constexpr char kTransposeApi[] = "LoadDataWithTranspose";

/// Number of fractals in a square, and the function that transposes it.
struct Square {
    uint32_t fractals;
    lanes::TurnFn turn;
};

Square SquareOf(Dtype dtype) {
    const lanes::FractalTable& table = lanes::BestFractal();
    switch (SizeOf(dtype)) {
        case 0:
            return {4, table.turn4};
        case 1:
            return {2, table.turn8};
        case 2:
            return {1, table.turn16};
        default:
            return {2, table.turn32};
    }
}

/// Moves marks of 4-bit elements, two of which share one mark: a byte of the result gets the mark
/// of a byte if one of its halves comes from there.
void TurnMarks4(uint8_t* dst, size_t gap, const uint8_t* src) {
    constexpr size_t kFractals = 4;
    uint8_t halves[kFractals * kFractalBytes];
    uint8_t turned[kFractals * kFractalBytes];
    uint8_t mark = 0;
    for (size_t i = 0; i < sizeof(halves); ++i) {
        halves[i] = src[i] == 0 ? 0 : 0xFF;
        mark = src[i] == 0 ? mark : src[i];
    }
    lanes::BestFractal().turn4(turned, kFractalBytes, halves);
    for (size_t i = 0; i < sizeof(turned); ++i) {
        dst[i / kFractalBytes * gap + i % kFractalBytes] = turned[i] == 0 ? uint8_t{0} : mark;
    }
}

void CheckParams(const Core& core, const AscendC::LoadData2dTransposeParams& params, Memory memory,
                 Dtype dtype, const Square& square) {
    if (memory == Memory::L0a && dtype == Dtype::I4) {
        Fail("T452", "transpose not available: %s of int4_t into L0A, expected L0B", kTransposeApi);
    }
    if (params.addrMode > 1) {
        CheckRange(kTransposeApi, "addrMode", params.addrMode, 0, 1);
    }
    if (params.addrMode == 1 &&
        params.startIndex < (params.repeatTimes - 1U) * uint32_t{params.srcStride}) {
        Fail("T453",
             "source order: %s backwards from square %u over %u repeats of stride %u starts before "
             "the tensor",
             kTransposeApi, params.startIndex, params.repeatTimes, params.srcStride);
    }
    const uint32_t ahead = params.dstGap + 1U;
    const uint32_t inside = params.dstFracGap + 1U;
    // Squares may interleave, but no fractal may be written twice.
    for (uint32_t i = 1; core.strict && i < square.fractals; ++i) {
        const uint32_t place = i * inside;
        if (params.repeatTimes > 1 && place % ahead == 0 && place / ahead < params.repeatTimes) {
            Fail("T451",
                 "fractals overlap: %s with dstGap %u and dstFracGap %u writes fractal %u of the "
                 "destination twice",
                 kTransposeApi, params.dstGap, params.dstFracGap, place);
        }
    }
}

}  // namespace

void LoadTransposed(const Operand& dst, const Operand& src,
                    const AscendC::LoadData2dTransposeParams& params, Dtype dtype, Location where) {
    Issue issue(Opcode::LoadDataWithTranspose, CoreKind::Aic, where);
    if (!issue || params.repeatTimes == 0) {
        return;
    }
    const Memory memory = MemoryOf(dst.position);
    if (memory != Memory::L0a) {
        RequireMemory(dst, Memory::L0b, kTransposeApi, "dst");
    }
    const Square square = SquareOf(dtype);
    CheckParams(issue.core(), params, memory, dtype, square);
    const uint64_t steps = params.repeatTimes - 1U;
    const uint64_t ahead = (uint64_t{params.dstGap} + 1) * kFractalBytes;
    const uint64_t inside = (uint64_t{params.dstFracGap} + 1) * kFractalBytes;
    const uint64_t squareBytes = uint64_t{square.fractals} * kFractalBytes;
    const uint64_t stride = params.srcStride * squareBytes;
    const uint64_t start = params.startIndex * squareBytes;
    const bool down = params.addrMode == 1;
    issue.Type(dtype);
    issue.Work(params.repeatTimes,
               params.repeatTimes * squareBytes / kRowBytes * RowElements(dtype));
    uint8_t* to =
        WriteFractals(issue, Arg::Dst, dst, memory,
                      Runs{kFractalBytes, {square.fractals, inside}, {params.repeatTimes, ahead}});
    const uint8_t* from =
        issue.Read(Arg::Src, Advance(src, down ? start - steps * stride : start), Memory::L1,
                   Runs{squareBytes, {}, {params.repeatTimes, stride}}, kRowBytes);
    if (!issue.Ready()) {
        return;
    }
    const auto each = [&](uint8_t* target, const uint8_t* source, lanes::TurnFn turn) {
        for (uint64_t i = 0; i <= steps; ++i) {
            turn(target + i * ahead, inside, source + (down ? steps - i : i) * stride);
        }
    };
    each(to, from, square.turn);
    const auto follow = [&](ByteMarks& marks) {
        each(marks.Of(memory, to), marks.Of(Memory::L1, from),
             dtype == Dtype::I4 ? TurnMarks4 : square.turn);
    };
    issue.Follow(follow);
    issue.Done();
}

}  // namespace twin::cube
