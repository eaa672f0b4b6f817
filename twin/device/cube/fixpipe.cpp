// SPDX-License-Identifier: Apache-2.0
#include "device/cube/fixpipe.h"

#include <cstring>

#include "device/cube/fixpipe_move.h"
#include "device/cube/params.h"
#include "device/cube/product.h"
#include "device/issue/operand.h"

namespace twin::cube {
namespace {

constexpr uint32_t kWordBytes = 8;          ///< size of a quantisation word in bytes
constexpr uint64_t kLineBytes = kSide * 4;  ///< size of a fractal's row in L0C in bytes

/// The bytes that one matrix fills in the destination: `runs` runs of `bytes` bytes, which start
/// `stride` bytes apart. `lastBytes` is the size of one more, shorter run; 0: there is none.
struct WrittenMatrix {
    uint64_t runs;
    uint64_t bytes;
    uint64_t stride;
    uint64_t lastBytes;
};

WrittenMatrix WrittenMatrixOf(const CopyOut& out) {
    const uint64_t size = SizeOf(out.to);
    if (out.rowMajor) {
        return {out.rows, out.columns * size, out.dstStride * size, 0};
    }
    const uint32_t width = StripeColumns(out);
    const uint64_t row = out.rows * size;
    return {out.columns / width, row * width, uint64_t{out.dstStride} * kRowBytes,
            row * (out.columns % width)};
}

/// Adds the destination of the copy, in GM or L1, to the operands of `issue`.
void NoteDestination(Issue& issue, const CopyOut& out, Destination* to) {
    const WrittenMatrix matrix = WrittenMatrixOf(out);
    const uint32_t size = SizeOf(out.to);
    const Level matrices = {out.ndNum, uint64_t{out.dstNdStride} * size};
    const auto note = [&](uint64_t offset, const Runs& runs) {
        if (to->gm != nullptr) {
            issue.WriteGm(Arg::Dst, to->gm->At(offset), runs, size, size);
        } else {
            to->start =
                issue.Write(Arg::Dst, Advance(*to->local, offset), Memory::L1, runs) - offset;
        }
    };
    if (matrix.runs != 0) {
        note(0, Runs{matrix.bytes, {matrix.runs, matrix.stride}, matrices});
    }
    if (matrix.lastBytes != 0) {
        note(matrix.runs * matrix.stride, Runs{matrix.lastBytes});
    }
}

/// Returns the decoded quantisation words of the copy; nullptr if the copy's mode needs none.
const QuantLines* QuantOf(Issue& issue, const CopyOut& out, QuantLines* lines) {
    Core& core = issue.core();
    if (IsScalarMode(out.quant)) {
        if (!core.state->cube.quantWordKnown) {
            Fail("T457",
                 "register not set: %s with %s reads the quantisation word, which this kernel has "
                 "not set\n  try: SetFixpipePreQuantFlag before it",
                 Name(out.api), ModeName(out.quant));
        }
        DecodeWords(core, out, &core.state->cube.quantWord, 1, lines);
        return lines;
    }
    if (!IsVectorMode(out.quant)) {
        return nullptr;
    }
    if (core.state->cube.quantAddress < 0) {
        Fail("T457",
             "register not set: %s with %s reads quantisation words whose address this kernel has "
             "not set\n  try: the form of Fixpipe with a vector in L1, or SetFixPipeConfig",
             Name(out.api), ModeName(out.quant));
    }
    if (out.columns > kLine) {
        Fail("T450", "parameter out of range: %s with %s of %u columns, expected at most %u",
             Name(out.api), ModeName(out.quant), out.columns, kLine);
    }
    const uint32_t bytes = out.columns * kWordBytes;
    const Operand place = {static_cast<uint32_t>(core.state->cube.quantAddress), bytes,
                           static_cast<uint8_t>(AscendC::TPosition::C2PIPE2GM)};
    uint64_t words[kLine];
    std::memcpy(words,
                issue.Read(Arg::QuantisationWords, place, Memory::Fb, Runs{bytes}, kWordBytes),
                bytes);
    issue.As(Dtype::U64);
    DecodeWords(core, out, words, out.columns, lines);
    return lines;
}

/// In a copy to L1, marks uninitialised bytes in L1. In a copy to GM, notes such bytes in `marks`.
void FollowCopyOut(ByteMarks& marks, const CopyOut& out, const Destination& to, const uint8_t* src,
                   uint64_t ndBytes, const uint8_t* words) {
    const uint8_t* const from = marks.Of(Memory::L0c, src);
    const uint8_t* const columns = words == nullptr ? nullptr : marks.Of(Memory::Fb, words);
    if (to.gm == nullptr) {
        MarkMatrix(marks.Of(Memory::L1, to.start), out, from, columns);
        return;
    }
    for (uint32_t nd = 0; nd < out.ndNum; ++nd) {
        for (uint32_t column = 0; column < out.columns; column += kSide) {
            const uint32_t count = std::min<uint32_t>(kSide, out.columns - column);
            for (uint32_t row = 0; row < out.rows; ++row) {
                const uint64_t line = uint64_t{column / kSide} * out.srcStride + row;
                marks.Take(Memory::L0c, from + nd * ndBytes + line * kLineBytes, count * 4);
            }
        }
    }
    if (columns != nullptr) {
        marks.Take(Memory::Fb, columns, uint64_t{out.columns} * kWordBytes);
    }
}

CopyOut FromParams(const AscendC::FixpipeParamsV220& params, AscendC::CO2Layout layout, bool toGm,
                   Dtype to, Dtype from) {
    const bool rows = layout == AscendC::CO2Layout::ROW_MAJOR && toGm;
    CopyOut out = CopyOutOf(Opcode::Fixpipe, params, rows, to, from);
    out.ndNum = rows ? params.ndNum : uint16_t{1};
    out.srcNdStride = params.srcNdStride;
    out.dstNdStride = params.dstNdStride;
    out.relu = params.reluEn;
    out.split = params.isChannelSplit;
    return out;
}

/// Sets the registers that the copy reads, as the library's Fixpipe does.
void SetRegisters(Core& core, const CopyOut& out, const AscendC::FixpipeParamsV220& params) {
    CubeState& state = core.state->cube;
    if (out.rowMajor) {
        state.ndNum = params.ndNum;
        state.srcNdStride = params.srcNdStride;
        state.dstNdStride = params.dstNdStride;
        state.ndKnown = true;
    }
    if (IsScalarMode(out.quant)) {
        state.quantWord = params.deqScalar;
        state.quantWordKnown = true;
    }
}

/// Copies the quantisation words of `out`'s columns from L1 to the start of the fixpipe buffer.
void LoadWords(Core& core, const CopyOut& out, const Operand& vector) {
    const Runs words{uint64_t{out.columns} * kWordBytes};
    Issue issue(Opcode::DataCopyToFb, core);
    issue.Called(Name(out.api));
    issue.Type(Dtype::U64);
    issue.Work(1, out.columns);
    issue.Writes(Register::Fixpipe);
    const uint8_t* from = issue.Read(Arg::Vector, vector, Memory::L1, words, kRowBytes);
    issue.Note(Arg::Dst, Memory::Fb, 0, words, true);
    issue.Ready();
    uint8_t* const to = core.memory[static_cast<size_t>(Memory::Fb)];
    const auto effect = [&](const auto& bytes) {
        std::memcpy(bytes.Of(Memory::Fb, to), bytes.Of(Memory::L1, from), words.bytes);
    };
    issue.Moves(effect);
    issue.Done();
}

/// Splits more than 256 columns into parts of 128, like the library; fewer columns are one part.
/// For each part, loads the quantisation words and calls step(part, first column).
template <typename Step>
void InParts(Core& core, CopyOut out, const Operand& vector, Step step) {
    const uint32_t all = out.columns;
    const uint32_t part = all <= kLine ? all : kLine / 2;
    const Steps steps(core, out.api);
    core.state->cube.quantAddress = 0;
    for (uint32_t first = 0; first < all; first += part) {
        out.columns = static_cast<uint16_t>(std::min(part, all - first));
        LoadWords(core, out, Advance(vector, uint64_t{first} * kWordBytes));
        step(out, first);
    }
}

/// Returns the byte offset in the destination at which the library puts columns from `first` on.
uint64_t PartOffset(const CopyOut& out, uint32_t first) {
    return out.rowMajor ? uint64_t{first} * SizeOf(out.to)
                        : uint64_t{first / kSide} * out.dstStride * kRowBytes;
}

void RunAll(Core& core, const CopyOut& out, const Destination& to, const Operand& src,
            const Operand* vector) {
    if (vector == nullptr) {
        RunCopyOut(core, out, to, src);
        return;
    }
    InParts(core, out, *vector, [&](const CopyOut& part, uint32_t first) {
        const uint64_t skip = uint64_t{first / kSide} * out.srcStride * kSide * 4;
        const uint64_t offset = PartOffset(out, first);
        Destination there;
        GmOperand gm = {};
        Operand local = {};
        if (to.gm != nullptr) {
            gm = to.gm->At(offset);
            there.gm = &gm;
        } else {
            local = Advance(*to.local, offset);
            there.local = &local;
        }
        RunCopyOut(core, part, there, Advance(src, skip));
    });
}

void RunFixpipe(const Destination& dst, const Operand& src, const Operand* vector,
                const AscendC::FixpipeParamsV220& params, AscendC::CO2Layout layout, Dtype to,
                Dtype from, Location where) {
    Core& core = Self();
    if (!core.BeginOn(CoreKind::Aic, where)) {
        return;
    }
    const bool toGm = dst.gm != nullptr;
    const CopyOut out = FromParams(params, layout, toGm, to, from);
    if (!toGm && core.strict && layout != AscendC::CO2Layout::NZ) {
        Fail("T462",
             "layout: Fixpipe to L1 with CFG_ROW_MAJOR, which this chip ignores\n  try: "
             "Fixpipe<DstT, SrcT, CFG_NZ>");
    }
    if (out.columns == 0 || out.rows == 0 || out.ndNum == 0) {
        return;
    }
    CheckCopyOut(core, out, vector != nullptr);
    SetRegisters(core, out, params);
    RunAll(core, out, dst, src, vector);
}

/// The modes for a given pair of types: with one quantisation word, or with one word per column.
struct Modes {
    QuantMode_t scalar;
    QuantMode_t vector;
};

Modes ModesOf(Dtype from, Dtype to) {
    if (from == to) {
        return {QuantMode_t::NoQuant, QuantMode_t::NoQuant};
    }
    if (to == Dtype::Bf16) {
        return {QuantMode_t::F322BF16, QuantMode_t::F322BF16};
    }
    if (to == Dtype::F16) {
        return from == Dtype::F32 ? Modes{QuantMode_t::F322F16, QuantMode_t::F322F16}
                                  : Modes{QuantMode_t::DEQF16, QuantMode_t::VDEQF16};
    }
    return from == Dtype::F32 ? Modes{QuantMode_t::QF322B8_PRE, QuantMode_t::VQF322B8_PRE}
                              : Modes{QuantMode_t::REQ8, QuantMode_t::VREQ8};
}

void CheckMode(const CopyOut& out, bool withVector) {
    const Modes modes = ModesOf(out.from, out.to);
    if (out.quant != modes.scalar && out.quant != modes.vector) {
        Fail("T464", "quantisation mode: %s from %s to %s with %s, expected %s%s%s", Name(out.api),
             Name(out.from), Name(out.to), ModeName(out.quant), ModeName(modes.scalar),
             modes.scalar == modes.vector ? "" : " or ",
             modes.scalar == modes.vector ? "" : ModeName(modes.vector));
    }
    if (withVector && !IsVectorMode(out.quant)) {
        Fail("T464",
             "quantisation mode: %s with a vector and %s copies nothing on the chip, expected a "
             "mode with one word per column\n  try: %s, or the form without a vector",
             Name(out.api), ModeName(out.quant), ModeName(modes.vector));
    }
}

void CheckSplit(const CopyOut& out) {
    if (out.split &&
        (out.from != Dtype::F32 || out.to != Dtype::F32 || out.rowMajor || out.unitFlag != 0)) {
        Fail("T462",
             "layout: %s with channel split, expected float to float in fractal order without unit "
             "flag",
             Name(out.api));
    }
    const uint32_t unit = out.split ? kSide / 2 : kSide;
    if (!out.rowMajor && out.columns % unit != 0) {
        Fail("T450",
             "parameter out of range: %s in fractal order with nSize %u, expected a "
             "multiple of %u",
             Name(out.api), out.columns, unit);
    }
}

void CheckStrides(Core& core, const CopyOut& out) {
    if (core.strict && out.columns > kSide &&
        (out.srcStride % kSide != 0 || out.srcStride < out.rows)) {
        Fail("T463",
             "stripes of L0C: %s of %u rows with srcStride %u, expected a multiple of 16 that is "
             "not smaller: Mmad writes whole fractals\n  try: srcStride = mSize rounded up to 16",
             Name(out.api), out.rows, out.srcStride);
    }
    const uint64_t size = SizeOf(out.to);
    const uint64_t stripe = uint64_t{out.rows} * StripeColumns(out) * size;
    const bool narrow = out.rowMajor ? out.dstStride < out.columns && out.rows > 1
                                     : uint64_t{out.dstStride} * kRowBytes < stripe &&
                                           out.columns > StripeColumns(out);
    if (core.strict && narrow) {
        Fail("T451",
             "%s overlap: %s of %u x %u with dstStride %u; the order of overlapping writes is "
             "undefined\n  try: dstStride = %llu",
             out.rowMajor ? "rows" : "stripes", Name(out.api), out.rows, out.columns, out.dstStride,
             static_cast<unsigned long long>(out.rowMajor ? out.columns
                                                          : CeilDiv(stripe, kRowBytes)));
    }
}

}  // namespace

void RunCopyOut(Core& core, const CopyOut& out, Destination to, const Operand& src) {
    const uint64_t stripes = CeilDiv(out.columns, kSide);
    const uint64_t ndBytes = uint64_t{out.srcNdStride} * kCellBytes;
    Issue issue(out.api, core);
    issue.Type(out.to);
    issue.Work(out.ndNum, uint64_t{out.ndNum} * out.rows * out.columns);
    issue.Reads(Register::Fixpipe);
    issue.Reads(Register::Ctrl);
    NoteUnits(issue, out.unitFlag);
    const uint8_t* from = ReadFractals(
        issue, Arg::Src, src, Memory::L0c,
        Runs{out.rows * kLineBytes, {stripes, out.srcStride * kLineBytes}, {out.ndNum, ndBytes}},
        kLineBytes,
        Unrounded(out.rows, Dtype::I8) * Unrounded(out.columns, Dtype::I8) * sizeof(uint32_t));
    issue.As(out.from);
    NoteDestination(issue, out, &to);
    QuantLines lines;
    const QuantLines* quant = QuantOf(issue, out, &lines);
    issue.Ready();
    for (uint32_t nd = 0; nd < out.ndNum; ++nd) {
        const uint64_t offset = uint64_t{nd} * out.dstNdStride * SizeOf(out.to);
        ReadUnits(core, static_cast<uint32_t>(src.address + nd * ndBytes), CeilDiv(out.rows, kSide),
                  stripes, out.srcStride / kSide, out.unitFlag, issue.api());
        MoveMatrix(core, out, to, offset, from + nd * ndBytes, quant);
    }
    const uint8_t* const words =
        IsVectorMode(out.quant)
            ? core.memory[static_cast<size_t>(Memory::Fb)] + core.state->cube.quantAddress
            : nullptr;
    const auto follow = [&](ByteMarks& marks) {
        FollowCopyOut(marks, out, to, from, ndBytes, words);
    };
    issue.Follow(follow);
    issue.Done();
}

void FixpipeToGm(const GmOperand& dst, const Operand& src, const Operand* vector,
                 const AscendC::FixpipeParamsV220& params, AscendC::CO2Layout layout, Dtype to,
                 Dtype from, Location where) {
    RunFixpipe({&dst}, src, vector, params, layout, to, from, where);
}

void FixpipeToL1(const Operand& dst, const Operand& src, const Operand* vector,
                 const AscendC::FixpipeParamsV220& params, AscendC::CO2Layout layout, Dtype to,
                 Dtype from, Location where) {
    RunFixpipe({nullptr, &dst}, src, vector, params, layout, to, from, where);
}

void CheckCopyOut(Core& core, const CopyOut& out, bool withVector) {
    CheckRange(Name(out.api), "nSize", out.columns, 1, kMaxDimension);
    CheckRange(Name(out.api), "mSize", out.rows, 1, out.rowMajor ? 8192 : UINT16_MAX);
    CheckRange(Name(out.api), "dstStride", out.dstStride, 1, UINT32_MAX);
    if (out.ndNum > 1) {
        CheckRange(Name(out.api), "srcNdStride", out.srcNdStride, 1, 512);
        CheckRange(Name(out.api), "dstNdStride", out.dstNdStride, 1, UINT16_MAX);
    }
    CheckMode(out, withVector);
    CheckSplit(out);
    CheckStrides(core, out);
    if (core.strict && withVector && !out.rowMajor && SizeOf(out.to) == 1 && out.columns > kLine) {
        Fail("T455",
             "not modelled: %s in fractal order to 8 bits with a vector of %u columns; the library "
             "leaves gaps between its parts of 128 columns\n  try: calls of at most 256 columns",
             Name(out.api), out.columns);
    }
}

}  // namespace twin::cube
