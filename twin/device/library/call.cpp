// SPDX-License-Identifier: Apache-2.0
#include "device/library/call.h"

#include <algorithm>
#include <cinttypes>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include "core/library_steps.h"
#include "device/lanes/arithmetic.h"
#include "device/library/scratch_overlap.h"
#include "device/pipe/tpipe.h"

namespace twin::advanced {
namespace {

void PoisonRuns(uint8_t* start, const Runs& runs) {
    for (uint64_t repeat = 0; repeat < runs.repeat.count; ++repeat) {
        for (uint64_t block = 0; block < runs.block.count; ++block) {
            Poison(start + repeat * runs.repeat.stride + block * runs.block.stride, runs.bytes);
        }
    }
}

/// Returns true if a call moves elements and does not compute with them.
bool MovesOnly(Opcode api) {
    static constexpr Opcode kMoves[] = {
        Opcode::BroadCast, Opcode::Broadcast, Opcode::ConfusionTranspose,  Opcode::DropOut,
        Opcode::Pad,       Opcode::UnPad,     Opcode::SelectWithBytesMask, Opcode::TransData};
    return std::find(std::begin(kMoves), std::end(kMoves), api) != std::end(kMoves);
}

/// Returns true if the page of a call does not forbid that sharedTmpBuffer overlaps a source.
bool MayShareScratch(Opcode api) {
    static constexpr Opcode kNotForbidden[] = {Opcode::AscendAntiQuant,
                                               Opcode::AscendDequant,
                                               Opcode::AscendQuant,
                                               Opcode::BatchNorm,
                                               Opcode::BroadCast,
                                               Opcode::Broadcast,
                                               Opcode::ConfusionTranspose,
                                               Opcode::CumSum,
                                               Opcode::DeepNorm,
                                               Opcode::DropOut,
                                               Opcode::Erf,
                                               Opcode::Frac,
                                               Opcode::GroupNorm,
                                               Opcode::LayerNorm,
                                               Opcode::LayerNormGrad,
                                               Opcode::LayerNormGradBeta,
                                               Opcode::Log,
                                               Opcode::Log10,
                                               Opcode::Normalize,
                                               Opcode::Pad,
                                               Opcode::Power,
                                               Opcode::RmsNorm,
                                               Opcode::SelectWithBytesMask,
                                               Opcode::TopK};
    return std::find(std::begin(kNotForbidden), std::end(kNotForbidden), api) !=
           std::end(kNotForbidden);
}

}  // namespace

void Poison(uint8_t* start, uint64_t bytes) {
    // The value of a byte depends on its address, so a buffer can be filled in several parts.
    const auto one = [](uint8_t* at) {
        *at = static_cast<uint8_t>(kPoison >>
                                   (reinterpret_cast<uintptr_t>(at) % sizeof(kPoison) * 8));
    };
    uint8_t* const end = start + bytes;
    for (; start < end && reinterpret_cast<uintptr_t>(start) % sizeof(kPoison) != 0; ++start) {
        one(start);
    }
    for (; start + sizeof(kPoison) <= end; start += sizeof(kPoison)) {
        std::memcpy(start, &kPoison, sizeof(kPoison));
    }
    for (; start < end; ++start) {
        one(start);
    }
}

uint8_t* Call::Keep(Arg name, const Operand& place, const Runs& runs, bool write, uint8_t* start,
                    bool spent) {
    if (partCount_ == kMaxParts) {
        std::abort();  // an API has more operands than this file expects
    }
    parts_[partCount_++] = Part{name, place.address, runs, start, write, spent};
    return start;
}

uint8_t* Call::Write(Arg name, const Operand& place, const Runs& runs) {
    return Keep(name, place, runs, true, issue_.Write(name, place, Memory::Ub, runs));
}

const uint8_t* Call::Read(Arg name, const Operand& place, const Runs& runs, bool spent) {
    const uint8_t* start = issue_.Read(name, place, Memory::Ub, runs);
    if (spent) {
        issue_.Note(name, Memory::Ub, place.address, runs, true);
    }
    return Keep(name, place, runs, false, const_cast<uint8_t*>(start), spent);
}

void Call::Take(const Tmp& tmp, const TmpNeed& need) {
    if (need.use == 0) {
        return;
    }
    Operand scratch = tmp.place;
    if (!tmp.given) {
        const AscendC::TBuffAddr left = StackBuffer(AscendC::TPosition::LCM, core().where);
        scratch = Operand{left.bufferAddr, left.dataLen, left.logicPos};
    }
    if (scratch.bytes < need.min && core().strict) {
        Fail("T700",
             "scratch too small: %s finds %u B %s, it takes at least %" PRIu64
             " B and uses %" PRIu64 " B\n  try: %s",
             api(), scratch.bytes,
             tmp.given ? "in sharedTmpBuffer" : "behind the last buffer of the TPipe", need.min,
             need.use, "the size that the Get...MaxMinTmpSize function of the host side gives");
    }
    shape_.scratch = scratch.bytes;
    scratchBytes_ = std::min<uint64_t>(scratch.bytes, need.use);
    if (scratchBytes_ == 0) {
        Fail("T700", "scratch too small: %s has no scratch, it takes at least %" PRIu64 " B", api(),
             need.min);
    }
    scratch_ = issue_.Write(Arg::SharedTmpBuffer, scratch, Memory::Ub, Runs{scratchBytes_});
    scratchAddress_ = scratch.address;
    for (uint32_t i = 0; i < partCount_; ++i) {
        const Part& part = parts_[i];
        if (part.address < scratch.address + scratchBytes_ &&
            scratch.address < part.address + part.runs.Span()) {
            if (part.write || part.spent || core().pedantic || !MayShareScratch(issue_.opcode())) {
                RefuseScratch(part);
            }
            shared_ = true;
        }
    }
}

/// Fails if the scratch overlaps a source, and the library may overwrite bytes before it reads
/// them.
void Call::CheckScratch(Dtype dtype, uint64_t elements) const {
    Instruction call;
    call.opcode = issue_.opcode();
    call.pipe = Pipe::V;
    call.dtype = dtype;
    call.elements = elements;
    call.kind = record::Call{&FindLibraryCall(issue_.opcode()), &shape_};
    for (uint32_t i = 0; i < partCount_; ++i) {
        ByteRange& range = call.ranges.emplace_back();
        range.operand = parts_[i].name;
        range.write = parts_[i].write;
        range.begin = parts_[i].address;
        range.runs = parts_[i].runs;
    }
    const UbSpan scratch{scratchAddress_, scratchAddress_ + scratchBytes_};
    for (uint32_t i = 0; i < partCount_; ++i) {
        const Part& part = parts_[i];
        const UbSpan span{part.address, part.address + part.runs.Span()};
        if (span.begin < scratch.end && scratch.begin < span.end &&
            SpoilsSource(call, scratch, span)) {
            RefuseScratch(part);
        }
    }
}

void Call::RefuseScratch(const Part& part) const {
    Fail("T701",
         "scratch over an operand: %s writes scratch at UB+0x%" PRIx64 " (%" PRIu64
         " B), where %s lies (UB+0x%x, %" PRIu64
         " B)\n  try: a buffer of its own for sharedTmpBuffer",
         api(), scratchAddress_, scratchBytes_, Name(part.name), part.address, part.runs.Span());
}

bool Call::Ready(Dtype dtype, uint64_t elements, Overlap rule) {
    uint64_t widest = 0;
    for (uint32_t i = 0; i < partCount_; ++i) {
        const Runs& runs = parts_[i].runs;  // may contain the same bytes several times
        widest = std::max(widest, std::min(runs.TotalBytes(), runs.Span()));
    }
    issue_.Type(dtype);
    if (!MovesOnly(issue_.opcode())) {
        issue_.core().ComputesWith(dtype);
    }
    issue_.Work((widest + kRepeatBytes - 1) / kRepeatBytes, elements);
    if (shared_) {
        CheckScratch(dtype, elements);
    }
    return issue_.Ready(rule);
}

void Call::Spoil() {
    for (uint32_t i = 0; i < partCount_; ++i) {
        if (parts_[i].write) {
            PoisonRuns(parts_[i].start, parts_[i].runs);
        }
    }
}

void Call::Saturate(uint8_t* results, Dtype dtype, uint64_t elements) {
    issue_.Reads(Register::Ctrl);
    const lanes::ClampFn clamp = lanes::BestCasts().clamp[static_cast<size_t>(dtype)];
    if (clamp != nullptr && !core().CtrlBit(kCtrlInfNan)) {
        clamp(results, elements);
    }
}

void Call::Done() {
    for (uint32_t i = 0; i < partCount_; ++i) {
        if (parts_[i].spent) {
            PoisonRuns(parts_[i].start, parts_[i].runs);
        }
    }
    Poison(scratch_, scratchBytes_);
    core().mask = MaskState();
    if (core().recording) {
        issue_.Is(record::Call{&FindLibraryCall(issue_.opcode()), &shape_});
    }
    issue_.Writes(Register::Mask);
    issue_.Done();
}

}  // namespace twin::advanced
