// SPDX-License-Identifier: Apache-2.0
#include "timing/library_steps.h"

#include <algorithm>

#include "core/core.h"
#include "core/types.h"
#include "timing/hbm.h"

namespace twin::timing {
namespace {

constexpr uint64_t kBitsPerByte = 8;
/// Of the flags between the vector and the scalar unit: the last one, which kernels seldom take.
constexpr auto kFlagId = static_cast<int8_t>(kEventIds - 1);

/// Elements that a step leaves of one repeat, or takes of one; 0: as many as it works on.
uint32_t Results(Opcode opcode) {
    switch (opcode) {
        case Opcode::WholeReduceSum:
        case Opcode::WholeReduceMax:
        case Opcode::WholeReduceMin:
        case Opcode::RepeatReduceSum:
            return 1;
        case Opcode::BlockReduceSum:
        case Opcode::BlockReduceMax:
        case Opcode::BlockReduceMin:
            return kRepeatBytes / kBlockBytes;
        default:
            return 0;
    }
}

/// A Copy in counter mode, which has any number of blocks in a repeat.
bool IsCountedCopy(Opcode opcode, const StepExtent& extent) {
    return extent.mask != 0 && opcode == Opcode::Copy;
}

Runs CountedRuns(const View& view, uint64_t perRepeat, uint64_t repeats) {
    const uint64_t blocks = perRepeat * SizeOf(view.dtype) / kBlockBytes;
    return Runs{kBlockBytes,
                {blocks, static_cast<uint64_t>(view.block) * kBlockBytes},
                {repeats, static_cast<uint64_t>(view.repeat) * kBlockBytes}};
}

/// As the record of an instruction has it: what has no gaps is one run.
Runs RunsOf(const View& view, uint64_t perRepeat, uint64_t repeats, uint64_t elements) {
    const uint64_t size = SizeOf(view.dtype);
    const uint64_t bytes = perRepeat * size;
    const bool dense = view.repeat < 0 || uint64_t(view.repeat) * kBlockBytes == bytes;
    if (view.block == 1 && (dense || repeats == 1)) {
        return Runs{elements * size};
    }
    const uint64_t step =
        view.repeat < 0 ? bytes : static_cast<uint64_t>(view.repeat) * kBlockBytes;
    const Level apart{step == 0 ? 1 : repeats, repeats == 1 ? 0 : step};
    if (view.block == 1 || bytes <= kBlockBytes) {
        return Runs{bytes, apart};
    }
    const Level blocks{view.block == 0 ? 1 : bytes / kBlockBytes,
                       static_cast<uint64_t>(view.block) * kBlockBytes};
    return view.block == 0 ? Runs{kBlockBytes, apart} : Runs{kBlockBytes, blocks, apart};
}

}  // namespace

StepMaker::StepMaker(const Instruction& call, std::vector<Instruction>* steps)
    : call_(call), shape_(*call.As<record::Call>()->shape), steps_(steps) {
    std::vector<Arg> names;
    for (const ByteRange& range : call.ranges) {
        if (range.operand == Arg::SharedTmpBuffer) {
            scratchBegin_ = range.begin;
        } else if (std::find(names.begin(), names.end(), range.operand) == names.end()) {
            names.push_back(range.operand);
            operands_.push_back({range.begin, range.type.Known() ? range.type.Value() : Type()});
        }
    }
}

View StepMaker::Operand(size_t index) const {
    return index < operands_.size() ? operands_[index] : View{scratchBegin_, Type()};
}

View StepMaker::Work(Dtype dtype, int64_t elements) {
    const View view = Buffer(dtype, scratchUsed_);
    scratchUsed_ += elements * SizeOf(dtype);
    return view;
}

View StepMaker::Buffer(Dtype dtype, int64_t bytes) const {
    return {scratchBegin_ + static_cast<uint64_t>(bytes), dtype};
}

Instruction& StepMaker::Add(Opcode opcode, Pipe pipe) {
    steps_->emplace_back();
    Instruction& step = steps_->back();
    step.block = call_.block;
    step.subBlock = call_.subBlock;
    step.core = call_.core;
    step.pipe = pipe;
    step.opcode = opcode;
    step.call = call_.call == Opcode::None ? call_.opcode : call_.call;
    step.where = call_.where;
    return step;
}

void StepMaker::Note(Arg name, const View& view, const Runs& runs, bool write, Instruction* step) {
    step->ranges.emplace_back();
    ByteRange& range = step->ranges.back();
    range.operand = name;
    range.write = write;
    range.type = view.dtype;
    range.begin = view.address;
    range.runs = runs;
}

void StepMaker::Do(Opcode opcode, const StepExtent& extent, std::initializer_list<View> operands) {
    static constexpr Arg kNames[] = {Arg::Dst, Arg::Src0, Arg::Src1, Arg::Src2};
    const View& first = *operands.begin();
    uint64_t widest = SizeOf(first.dtype);
    for (const View& view : operands) {
        widest = std::max<uint64_t>(widest, SizeOf(view.dtype));
    }
    const uint64_t full = kRepeatBytes / widest;
    const uint64_t perRepeat = extent.mask == 0 ? full : static_cast<uint64_t>(extent.mask);
    const bool counted = extent.repeats < 0;
    const uint64_t elements =
        counted ? extent.elements : perRepeat * static_cast<uint64_t>(extent.repeats);
    const uint64_t repeats =
        counted ? (elements + full - 1) / full : static_cast<uint64_t>(extent.repeats);
    if (repeats == 0) {
        return;
    }
    Instruction& step = Add(opcode, Pipe::V);
    step.dtype = first.dtype;
    step.repeats = static_cast<uint32_t>(repeats * ((perRepeat + full - 1) / full));
    step.elements = elements;
    const bool brcb = opcode == Opcode::Brcb;
    size_t index = 0;
    for (const View& view : operands) {
        const bool write = index == 0 && opcode != Opcode::SetCmpMask &&
                           opcode != Opcode::ReduceSum;  // into a register
        uint64_t each = perRepeat, all = elements;
        if ((write && Results(opcode) != 0) || (!write && brcb)) {
            each = brcb ? kRepeatBytes / kBlockBytes : Results(opcode);
            all = each * repeats;
        } else if ((write && (opcode == Opcode::Compare || opcode == Opcode::CompareScalar)) ||
                   (index == 1 && opcode == Opcode::Select)) {
            each = perRepeat / kBitsPerByte;  // a bit for each element
            all = elements / kBitsPerByte;
        }
        const Runs runs = IsCountedCopy(opcode, extent) ? CountedRuns(view, each, repeats)
                                                        : RunsOf(view, each, repeats, all);
        Note(kNames[index], view, runs, write, &step);
        ++index;
    }
}

void StepMaker::Barrier() { Add(Opcode::PipeBarrier, Pipe::V).kind = record::Barrier{}; }

void StepMaker::Flag(Pipe from, Pipe to) {
    uint32_t event = 0;
    while (EventInfo(event).source != from || EventInfo(event).destination != to) {
        ++event;
    }
    for (const bool set : {true, false}) {
        Instruction& step = Add(set ? Opcode::SetFlag : Opcode::WaitFlag, set ? from : to);
        step.kind = record::Flag{static_cast<int8_t>(event), kFlagId, set};
    }
}

void StepMaker::Read(const View& place) {
    Instruction& step = Add(Opcode::GetValue, Pipe::S);
    step.dtype = place.dtype;
    step.elements = 1;
    Note(Arg::Src, place, Runs{SizeOf(place.dtype)}, false, &step);
}

void StepMaker::Write(const View& place) {
    Instruction& step = Add(Opcode::SetValue, Pipe::S);
    step.dtype = place.dtype;
    step.elements = 1;
    Note(Arg::Dst, place, Runs{SizeOf(place.dtype)}, true, &step);
}

bool ListSteps(const Instruction& call, std::vector<Instruction>* steps) {
    const LibrarySteps* const end = kLibrarySteps + kLibraryStepsCount;
    const LibrarySteps* const found = std::find_if(
        kLibrarySteps, end, [&call](const LibrarySteps& each) { return each.api == call.opcode; });
    if (found == end) {
        return false;
    }
    StepMaker maker(call, steps);
    found->make(maker);
    return !maker.formula();
}

}  // namespace twin::timing
