// SPDX-License-Identifier: Apache-2.0
#include "device/cube/load_data_2d.h"

#include <cstring>

#include "device/cube/product.h"
#include "device/lanes/shuffle.h"

namespace twin::cube {
namespace {

constexpr char kLoad2dApi[] = "LoadData with LoadData2DParams";

/// Returns the bytes that the repeats access: one fractal each, `distance` fractals apart.
Runs Every(const AscendC::LoadData2DParams& params, uint64_t distance) {
    return Runs{kFractalBytes, {}, {params.repeatTimes, distance * kFractalBytes}};
}

/// Adds opcode, type and destination to `issue`; returns the host address of the destination.
uint8_t* NoteTarget(Issue& issue, const Operand& dst, Memory memory,
                    const AscendC::LoadData2DParams& params, Dtype dtype) {
    if (params.ifTranspose) {
        issue.RecordAs(Opcode::LoadDataTranspose);
    }
    issue.Type(dtype);
    issue.Work(params.repeatTimes, uint64_t{params.repeatTimes} * kSide * RowElements(dtype));
    return issue.Write(Arg::Dst, dst, memory, Every(params, uint64_t{params.dstGap} + 1),
                       memory == Memory::L1 ? kRowBytes : kFractalBytes);
}

/// Copies the fractals of a load. `to` and `from` point to data, or to marks of uninitialised data.
void MoveFractals(uint8_t* to, const uint8_t* from, const AscendC::LoadData2DParams& params) {
    const uint64_t ahead = (uint64_t{params.dstGap} + 1) * kFractalBytes;
    const uint64_t stride = uint64_t{params.srcStride} * kFractalBytes;
    const lanes::TurnFn turn = lanes::BestFractal().turn16;
    for (uint32_t i = 0; i < params.repeatTimes; ++i, to += ahead, from += stride) {
        if (params.ifTranspose) {
            turn(to, 0, from);
        } else {
            std::memcpy(to, from, kFractalBytes);
        }
    }
}

constexpr char kTransposeApi[] = "LoadDataWithTranspose";

/// Number of fractals in a square block, and the function that transposes the block.
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

/// Transposes the marks of uninitialised bytes of a square of 4-bit elements. A byte of the result
/// gets a mark if one of its two elements comes from a marked byte.
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
    // The squares may be interleaved in the destination, but no fractal may be written twice.
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

void LoadFractals(const Operand& dst, const Operand& src, const AscendC::LoadData2DParams& params,
                  Dtype dtype, Location where) {
    Issue issue({Opcode::LoadData, Pipe::Mte1}, CoreKind::Aic, where);
    issue.Called(kLoad2dApi);
    if (!issue || params.repeatTimes == 0) {
        return;
    }
    const Memory memory = MemoryOf(dst.position);
    if (memory != Memory::L0a) {
        RequireMemory(dst, Memory::L0b, kLoad2dApi, "dst");
    }
    if (params.ifTranspose && SizeOf(dtype) != 2) {
        Fail("T452",
             "transpose not available: %s of %s with ifTranspose, expected elements of 16 bits\n  "
             "try: LoadDataWithTranspose, or LoadData with LoadData3DParamsV2",
             kLoad2dApi, Name(dtype));
    }
    uint8_t* to = NoteTarget(issue, dst, memory, params, dtype);
    const uint8_t* from =
        issue.Read(Arg::Src, Advance(src, uint64_t{params.startIndex} * kFractalBytes), Memory::L1,
                   Every(params, params.srcStride), kRowBytes);
    issue.Ready();
    const auto effect = [&](const auto& bytes) {
        MoveFractals(bytes.Of(memory, to), bytes.Of(Memory::L1, from), params);
    };
    issue.Moves(effect);
    issue.Done();
}

void LoadFractalsFromGm(const Operand& dst, const GmOperand& src,
                        const AscendC::LoadData2DParams& params, Dtype dtype, Location where) {
    Issue issue({Opcode::LoadData, Pipe::Mte2}, CoreKind::Aic, where);
    issue.Called(kLoad2dApi);
    if (!issue || params.repeatTimes == 0) {
        return;
    }
    const Memory memory = MemoryOf(dst.position);
    if (memory != Memory::L0a && memory != Memory::L0b) {
        RequireMemory(dst, Memory::L1, kLoad2dApi, "dst");
    }
    if (params.ifTranspose) {
        Fail("T452",
             "transpose not available: %s from GM with ifTranspose, expected a source in L1",
             kLoad2dApi);
    }
    const uint64_t stride = uint64_t{params.srcStride} * kFractalBytes;
    const uint64_t steps = params.repeatTimes - 1U;
    const bool down = params.addrMode != 0 && memory == Memory::L1;
    const uint64_t start = uint64_t{params.startIndex} * kFractalBytes;
    if (params.addrMode > 1 || (params.addrMode != 0 && !down) ||
        (down && start < steps * stride)) {
        Fail("T453",
             "source order: %s with addrMode %u from fractal %u over %u repeats, expected 0, or 1 "
             "into L1 with enough fractals before the start",
             kLoad2dApi, params.addrMode, params.startIndex, params.repeatTimes);
    }
    uint8_t* to = NoteTarget(issue, dst, memory, params, dtype);
    const GmOperand lowest = src.At(down ? start - steps * stride : start);
    const uint8_t* from = issue.ReadGm(Arg::Src, lowest, Every(params, params.srcStride));
    issue.Ready();
    const uint64_t ahead = (uint64_t{params.dstGap} + 1) * kFractalBytes;
    for (uint64_t i = 0; i <= steps; ++i) {
        std::memcpy(to + i * ahead, from + (down ? steps - i : i) * stride, kFractalBytes);
    }
    issue.Done();
}

void FillBlocks(const Operand& dst, uint32_t repeats, uint32_t blocks, uint32_t gap,
                uint32_t pattern, Dtype dtype, Location where) {
    static constexpr char kApi[] = "InitConstValue";
    constexpr uint32_t kLimit = 32767;
    const Memory memory = MemoryOf(dst.position);
    Issue issue({Opcode::InitConstValue, memory == Memory::L1 ? Pipe::Mte2 : Pipe::Mte1},
                CoreKind::Aic, where);
    if (!issue) {
        return;
    }
    if (memory != Memory::L0a && memory != Memory::L0b) {
        RequireMemory(dst, Memory::L1, kApi, "dst");
    }
    CheckRange(kApi, "repeatTimes", repeats, 0, kLimit);
    CheckRange(kApi, "blockNum", blocks, 0, kLimit);
    CheckRange(kApi, "dstGap", gap, 0, kLimit);
    if (repeats != 0 && blocks == 0 && issue.core().strict) {
        Fail("T459",
             "nothing to fill: %s with repeatTimes %u and blockNum 0 does nothing on this chip\n  "
             "try: InitConstValueParams(repeatTimes, blockNum, dstGap, value)",
             kApi, repeats);
    }
    if (repeats == 0 || blocks == 0) {
        return;
    }
    const uint32_t block = memory == Memory::L1 ? kRowBytes : kFractalBytes;
    const uint64_t bytes = uint64_t{blocks} * block;
    const uint64_t stride = bytes + uint64_t{gap} * block;
    issue.Type(dtype);
    issue.Work(repeats, repeats * bytes / SizeOf(dtype));
    uint8_t* to = issue.Write(Arg::Dst, dst, memory, Runs{bytes, {}, {repeats, stride}}, block);
    issue.Ready();
    for (uint32_t i = 0; i < repeats; ++i) {
        std::fill_n(reinterpret_cast<uint32_t*>(to + i * stride), bytes / sizeof(uint32_t),
                    pattern);
    }
    issue.Done();
}

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
    issue.Ready();
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
