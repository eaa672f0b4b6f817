// SPDX-License-Identifier: Apache-2.0
#include "device/cube/fixpipe.h"

#include <cstring>

#include "device/cube/engine.h"
#include "device/cube/fixpipe_check.h"
#include "device/cube/fixpipe_move.h"
#include "device/cube/unit_flags.h"
#include "device/data_copy/gm_access.h"

namespace twin::cube {
namespace {

constexpr uint32_t kWordBytes = 8;  ///< a quantisation word

/// Runs of bytes that one matrix takes in its destination.
struct Runs {
    uint64_t count;
    uint64_t bytes;
    uint64_t stride;
    uint64_t lastBytes;  ///< of the last run

    uint64_t Span() const { return (count - 1) * stride + lastBytes; }
    uint64_t TotalBytes() const { return (count - 1) * bytes + lastBytes; }
};

Runs RunsOf(const CopyOut& out) {
    const uint64_t size = SizeOf(out.to);
    if (out.rowMajor) {
        return {out.rows, out.columns * size, out.dstStride * size, out.columns * size};
    }
    const uint32_t width = StripeColumns(out);
    const uint64_t stripes = CeilDiv(out.columns, width);
    const uint64_t row = out.rows * size;
    return {stripes, row * width, uint64_t{out.dstStride} * kRowBytes,
            row * (out.columns - (stripes - 1) * width)};
}

void Record(Core& core, const CopyOut& out, const Destination& to, const Operand& src,
            const Runs& runs, const char* atomic) {
    LegacyInstruction instruction;
    instruction.pipe = Pipe::Fix;
    instruction.opcode = out.api;
    instruction.dtype = out.to;
    instruction.repeats = out.ndNum;
    instruction.elements = uint64_t{out.ndNum} * out.rows * out.columns;
    instruction.atomic = atomic;
    const uint64_t matrix = uint64_t{out.dstNdStride} * SizeOf(out.to);
    const bool one = out.ndNum == 1;
    const uint64_t count = one ? runs.count : out.ndNum;
    const uint64_t bytes = one && count > 1 ? runs.bytes : runs.Span();
    const uint64_t stride = one ? runs.stride : matrix;
    instruction.Add(to.gm != nullptr ? GmRuns(*to.gm, bytes, count, stride, true)
                                     : LocalRuns(core, *to.local, bytes, count, stride, true));
    const uint64_t stripes = CeilDiv(out.columns, kSide);
    const uint64_t row = kSide * 4;
    for (uint32_t nd = 0; nd < std::min<uint32_t>(out.ndNum, 3); ++nd) {
        instruction.Add(LocalRuns(core, Advance(src, uint64_t{nd} * out.srcNdStride * kCellBytes),
                                  out.rows * row, stripes, out.srcStride * row, false));
    }
    if (IsVectorMode(out.quant)) {
        LegacyRange words = core.Local(Memory::Fb, static_cast<uint64_t>(core.cube.quantAddress),
                                       uint64_t{out.columns} * kWordBytes, false);
        instruction.Add(words);
    }
    core.Record(instruction);
}

/// Decoded words of the copy; null when it converts without any.
const QuantLines* QuantOf(Core& core, const CopyOut& out, QuantLines* lines) {
    if (IsScalarMode(out.quant)) {
        if (!core.cube.quantWordKnown) {
            Fail("T457",
                 "register not set: %s with %s reads the quantisation word, which this kernel has "
                 "not set\n  try: SetFixpipePreQuantFlag before it",
                 out.api, ModeName(out.quant));
        }
        DecodeWords(core, out, &core.cube.quantWord, 1, lines);
        return lines;
    }
    if (!IsVectorMode(out.quant)) {
        return nullptr;
    }
    if (core.cube.quantAddress < 0) {
        Fail("T457",
             "register not set: %s with %s reads quantisation words whose address this kernel has "
             "not set\n  try: the form of Fixpipe with a vector in L1, or SetFixPipeConfig",
             out.api, ModeName(out.quant));
    }
    if (out.columns > kLine) {
        Fail("T450", "parameter out of range: %s with %s of %u columns, expected at most %u",
             out.api, ModeName(out.quant), out.columns, kLine);
    }
    const auto begin = static_cast<uint64_t>(core.cube.quantAddress);
    core.CheckLocal(Memory::Fb, begin, uint64_t{out.columns} * kWordBytes, kWordBytes, out.api,
                    "quantisation words");
    uint64_t words[kLine];
    std::memcpy(words, core.memory[static_cast<size_t>(Memory::Fb)] + begin,
                size_t{out.columns} * kWordBytes);
    DecodeWords(core, out, words, out.columns, lines);
    return lines;
}

void CheckDestination(Core& core, const CopyOut& out, Destination* to, const Runs& runs) {
    const uint64_t span =
        (out.ndNum - 1U) * uint64_t{out.dstNdStride} * SizeOf(out.to) + runs.Span();
    if (to->gm != nullptr) {
        copy::CheckGmAlignment(*to->gm, SizeOf(out.to), out.api);
        core.CheckGm(to->gm->origin, to->gm->address, span, uint64_t{out.ndNum} * runs.TotalBytes(),
                     true, out.api);
    } else {
        to->start =
            CheckLocalOperand(core, *to->local, Memory::L1, span, kRowBytes, out.api, "dst");
    }
}

}  // namespace

void RunCopyOut(Core& core, const CopyOut& out, Destination to, const Operand& src) {
    const uint64_t stripes = CeilDiv(out.columns, kSide);
    const uint64_t ndBytes = uint64_t{out.srcNdStride} * kCellBytes;
    const uint64_t srcSpan =
        (((stripes - 1) * out.srcStride + out.rows) * kSide) * 4 + (out.ndNum - 1U) * ndBytes;
    const uint8_t* from = CheckFractals(core, src, Memory::L0c, srcSpan, 64, out.api, "src");
    const Runs runs = RunsOf(out);
    CheckDestination(core, out, &to, runs);
    const char* atomic = to.gm != nullptr ? copy::AtomicName(core, SizeOf(out.to), out.api) : "";
    QuantLines lines;
    const QuantLines* quant = QuantOf(core, out, &lines);
    for (uint32_t nd = 0; nd < out.ndNum; ++nd) {
        const uint64_t offset = uint64_t{nd} * out.dstNdStride * SizeOf(out.to);
        ReadUnits(core, static_cast<uint32_t>(src.address + nd * ndBytes), CeilDiv(out.rows, kSide),
                  stripes, out.srcStride / kSide, out.unitFlag, out.api);
        if (to.gm != nullptr) {
            copy::OrderRuns(core, {to.gm->origin, to.gm->address + offset}, runs.count,
                            std::min(runs.bytes, runs.Span()), runs.stride, true, out.api);
        }
        MoveMatrix(core, out, to, offset, from + nd * ndBytes, quant);
    }
    if (core.Recording()) {
        Record(core, out, to, src, runs, atomic);
    }
}

namespace {

CopyOut FromParams(const AscendC::FixpipeParamsV220& params, AscendC::CO2Layout layout, bool toGm,
                   Dtype to, Dtype from) {
    const bool rows = layout == AscendC::CO2Layout::ROW_MAJOR && toGm;
    CopyOut out = {};
    out.api = "Fixpipe";
    out.from = from;
    out.to = to;
    out.rowMajor = rows;
    out.columns = params.nSize;
    out.rows = params.mSize;
    out.srcStride = params.srcStride;
    out.dstStride = params.dstStride;
    out.quant = params.quantPre;
    out.ndNum = rows ? params.ndNum : uint16_t{1};
    out.srcNdStride = params.srcNdStride;
    out.dstNdStride = params.dstNdStride;
    out.relu = params.reluEn;
    out.unitFlag = params.unitFlag;
    out.split = params.isChannelSplit;
    return out;
}

/// The library's part of a Fixpipe: sets the registers that the copy reads.
void SetRegisters(Core& core, const CopyOut& out, const AscendC::FixpipeParamsV220& params) {
    CubeState& state = core.cube;
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

/// The library's vector form: words go through the start of FB, 256 columns or, beyond that, 128 at
/// a time.
template <typename Step>
void InParts(Core& core, CopyOut out, const Operand& vector, Step step) {
    const uint32_t all = out.columns;
    const uint32_t part = all <= kLine ? all : kLine / 2;
    const uint8_t* words = CheckLocalOperand(core, vector, Memory::L1, uint64_t{all} * kWordBytes,
                                             kRowBytes, out.api, "vector");
    core.cube.quantAddress = 0;
    for (uint32_t first = 0; first < all; first += part) {
        out.columns = static_cast<uint16_t>(std::min(part, all - first));
        const uint64_t bytes = uint64_t{out.columns} * kWordBytes;
        std::memcpy(core.memory[static_cast<size_t>(Memory::Fb)],
                    words + uint64_t{first} * kWordBytes, bytes);
        if (core.Recording()) {
            LegacyInstruction instruction;
            instruction.pipe = Pipe::Fix;
            instruction.opcode = "DataCopyToFb";
            instruction.dtype = Dtype::U64;
            instruction.repeats = 1;
            instruction.elements = out.columns;
            instruction.Add(core.Local(Memory::Fb, 0, bytes, true));
            instruction.Add(
                LocalRuns(core, Advance(vector, uint64_t{first} * kWordBytes), bytes, 1, 0, false));
            core.Record(instruction);
        }
        step(out, first);
    }
}

/// Bytes from the first stripe to the one of column `first`, as the library counts them.
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
            gm = {to.gm->origin, to.gm->address + offset};
            there.gm = &gm;
        } else {
            local = Advance(*to.local, offset);
            there.local = &local;
        }
        RunCopyOut(core, part, there, Advance(src, skip));
    });
}

}  // namespace

void FixpipeToGm(const GmOperand& dst, const Operand& src, const Operand* vector,
                 const AscendC::FixpipeParamsV220& params, AscendC::CO2Layout layout, Dtype to,
                 Dtype from, Location where) {
    Core& core = Self();
    if (!core.BeginOn(CoreKind::Aic, where)) {
        return;
    }
    const CopyOut out = FromParams(params, layout, true, to, from);
    if (out.columns == 0 || out.rows == 0 || out.ndNum == 0) {
        return;
    }
    CheckCopyOut(core, out, vector != nullptr);
    SetRegisters(core, out, params);
    Destination destination;
    destination.gm = &dst;
    RunAll(core, out, destination, src, vector);
}

void FixpipeToL1(const Operand& dst, const Operand& src, const Operand* vector,
                 const AscendC::FixpipeParamsV220& params, AscendC::CO2Layout layout, Dtype to,
                 Dtype from, Location where) {
    Core& core = Self();
    if (!core.BeginOn(CoreKind::Aic, where)) {
        return;
    }
    const CopyOut out = FromParams(params, layout, false, to, from);
    if (core.strict && layout != AscendC::CO2Layout::NZ) {
        Fail("T462",
             "layout: Fixpipe to L1 with CFG_ROW_MAJOR, which this chip ignores\n  try: "
             "Fixpipe<DstT, SrcT, CFG_NZ>");
    }
    if (out.columns == 0 || out.rows == 0) {
        return;
    }
    CheckCopyOut(core, out, vector != nullptr);
    SetRegisters(core, out, params);
    Destination destination;
    destination.local = &dst;
    RunAll(core, out, destination, src, vector);
}

}  // namespace twin::cube
