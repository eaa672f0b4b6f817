// SPDX-License-Identifier: Apache-2.0
#include "core/library_steps.h"

#include "core/core_state.h"
#include "core/cross_core.h"

namespace twin {
namespace {

constexpr uint64_t kBitsPerByte = 8;
/// Event id of flags between vector and scalar unit: the last id, which kernels seldom use.
constexpr auto kFlagId = static_cast<int8_t>(kEventIds - 1);

/// The numbers of elements and repeats of one instruction.
struct Extent {
    uint64_t full;  ///< number of elements of a full repeat
    uint64_t perRepeat;
    uint64_t repeats;
    uint64_t elements;
};

/// Returns the number of results of one repeat; 0 if every element has a result.
uint32_t Results(Opcode opcode) {
    switch (opcode) {
        case Opcode::WholeReduceMax:
        case Opcode::WholeReduceSum:
        case Opcode::RepeatReduceSum:
            return 1;
        case Opcode::BlockReduceMax:
        case Opcode::BlockReduceSum:
            return kRepeatBytes / kBlockBytes;
        default:
            return 0;
    }
}

/// Returns the runs of a Copy in counter mode, whose repeat may have any number of blocks.
Runs CountedRuns(const View& view, uint64_t perRepeat, uint64_t repeats) {
    const uint64_t blocks = perRepeat * SizeOf(view.dtype) / kBlockBytes;
    return Runs{kBlockBytes,
                {blocks, static_cast<uint64_t>(view.block) * kBlockBytes},
                {repeats, static_cast<uint64_t>(view.repeat) * kBlockBytes}};
}

/// Returns the runs that a direct call of the instruction records. Adjacent runs become one run.
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

void Note(Arg name, const View& view, const Runs& runs, bool write, Instruction* step) {
    ByteRange& range = step->ranges.emplace_back();
    range.operand = name;
    range.write = write;
    range.type = view.dtype;
    range.begin = view.address;
    range.runs = runs;
}

/// Names of the operands of a step: the destination, then the sources.
constexpr Arg kNames[] = {Arg::Dst, Arg::Src0, Arg::Src1, Arg::Src2, Arg::Src3};

void NoteOperands(Opcode opcode, std::initializer_list<View> views, const Extent& extent,
                  bool masked, Instruction* step) {
    const bool brcb = opcode == Opcode::Brcb;
    const bool counted = masked && opcode == Opcode::Copy;
    size_t index = 0;
    for (const View& view : views) {
        const bool write = index == 0 && opcode != Opcode::SetCmpMask &&
                           opcode != Opcode::ReduceSum;  // SetCmpMask, ReduceSum write registers
        uint64_t each = extent.perRepeat, all = extent.elements;
        if ((write && Results(opcode) != 0) || (!write && brcb)) {
            each = brcb ? kRepeatBytes / kBlockBytes : Results(opcode);
            all = each * extent.repeats;
        } else if ((write && (opcode == Opcode::Compare || opcode == Opcode::CompareScalar)) ||
                   (index == 1 && opcode == Opcode::Select)) {
            each /= kBitsPerByte;  // a bit for each element
            all /= kBitsPerByte;
        }
        const Runs runs = counted ? CountedRuns(view, each, extent.repeats)
                                  : RunsOf(view, each, extent.repeats, all);
        Note(kNames[index], view, runs, write, step);
        ++index;
    }
}

}  // namespace

uint32_t CallOrder::BitOf(const ByteRange& range) const {
    if (range.operand == Arg::SharedTmpBuffer) {
        return 1U << kMaxOperands;
    }
    for (uint32_t i = 0; i < kMaxOperands; ++i) {
        if (operands[i] == range.operand) {
            return 1U << i;
        }
    }
    return 0;
}

StepList::StepList(const Instruction& call, std::vector<Instruction>* steps)
    : call(call),
      shape(*call.As<record::Call>()->shape),
      dtype(call.dtype.Known() ? call.dtype.Value() : Dtype::F32),
      steps_(steps) {
    for (const ByteRange& range : call.ranges) {
        bool known = false;
        for (uint32_t i = 0; i < operands; ++i) {
            known = known || order.operands[i] == range.operand;
        }
        if (range.operand == Arg::SharedTmpBuffer) {
            scratch.address = range.begin;
        } else if (!known && operands < CallOrder::kMaxOperands) {
            const Dtype own = range.type.Known() ? range.type.Value() : dtype;
            views[operands] = {range.begin, own, 1, -1, static_cast<int32_t>(operands)};
            order.operands[operands++] = range.operand;
        }
    }
}

Instruction* StepList::Add(Opcode opcode, Pipe pipe) {
    if (pipe == Pipe::V) {
        order.begins = started_ ? order.begins : order.orders;
        order.ends = false;
        started_ = true;
    }
    return Append(opcode, pipe);
}

Instruction* StepList::Append(Opcode opcode, Pipe pipe) {
    if (steps_ == nullptr) {
        return nullptr;
    }
    Instruction& step = steps_->emplace_back();
    step.block = call.block;
    step.subBlock = call.subBlock;
    step.core = call.core;
    step.pipe = pipe;
    step.opcode = opcode;
    step.call = call.call == Opcode::None ? call.opcode : call.call;
    step.where = call.where;
    return &step;
}

void StepList::Touch(const View& view) {
    const uint32_t bit =
        1U << (view.operand < 0 ? CallOrder::kMaxOperands : static_cast<uint32_t>(view.operand));
    order.late |= order.orders && (touched_ & bit) == 0 ? bit : 0;
    order.early &= ~bit;
    touched_ |= bit;
}

void StepList::Barrier() {
    if (Instruction* const step = Append(Opcode::PipeBarrier, Pipe::V)) {
        step->kind = record::Barrier();
    }
    Order();
}

void StepList::Order() {
    order.orders = true;
    order.ends = started_;
    order.early = touched_;
}

View CallSteps::Operand(size_t index) const {
    return index < list_->operands ? list_->views[index]
                                   : View{list_->scratch.address, list_->dtype};
}

View CallSteps::Work(Dtype dtype, int64_t elements) const {
    const View view = Buffer(dtype, list_->scratchUsed);
    list_->scratchUsed += elements * SizeOf(dtype);
    return view;
}

void CallSteps::Do(Opcode opcode, std::initializer_list<View> views) const {
    uint64_t widest = SizeOf(views.begin()->dtype);
    for (const View& view : views) {
        widest = std::max<uint64_t>(widest, SizeOf(view.dtype));
    }
    Extent extent;
    extent.full = kRepeatBytes / widest;
    const bool masked = repeats_ >= 0 && mask_ != 0;
    extent.perRepeat = masked ? static_cast<uint64_t>(mask_) : extent.full;
    extent.elements = repeats_ < 0 ? static_cast<uint64_t>(n)
                                   : extent.perRepeat * static_cast<uint64_t>(repeats_);
    extent.repeats = repeats_ < 0 ? (extent.elements + extent.full - 1) / extent.full
                                  : static_cast<uint64_t>(repeats_);
    if (extent.repeats != 0 && asked_) {
        for (const View& view : views) {
            list_->Touch(view);
        }
        if (Instruction* const step = list_->Add(opcode, Pipe::V)) {
            const uint64_t rounds = (extent.perRepeat + extent.full - 1) / extent.full;
            step->dtype = views.begin()->dtype;
            step->repeats = static_cast<uint32_t>(extent.repeats * rounds);
            step->elements = extent.elements;
            NoteOperands(opcode, views, extent, masked, step);
        }
    }
    if (barrier_) {
        Barrier();  // a step without elements ends with a barrier, too
    }
}

void CallSteps::Do(Opcode opcode, uint64_t repeats, uint64_t elements,
                   std::initializer_list<Place> places) const {
    if (asked_) {
        for (const Place& place : places) {
            list_->Touch(place.view);
        }
        if (Instruction* const step = list_->Add(opcode, Pipe::V)) {
            step->dtype = places.begin()->view.dtype;
            step->repeats = static_cast<uint32_t>(repeats);
            step->elements = elements;
            const Arg* name = kNames;
            for (const Place& place : places) {
                Note(*name, place.view, place.runs, name == kNames, step);
                ++name;
            }
        }
    }
    if (barrier_) {
        Barrier();
    }
}

void CallSteps::Flag(Pipe from, Pipe to) const {
    if (!asked_) {
        return;
    }
    uint32_t event = 0;
    while (EventInfo(event).source != from || EventInfo(event).destination != to) {
        ++event;
    }
    for (const bool set : {true, false}) {
        if (Instruction* const step =
                list_->Append(set ? Opcode::SetFlag : Opcode::WaitFlag, set ? from : to)) {
            step->kind = record::Flag{static_cast<int8_t>(event), kFlagId, set};
        }
    }
    if (from == Pipe::V) {
        list_->Order();  // the scalar unit issues later instructions after its wait
    }
}

void CallSteps::Scalar(Opcode opcode, Arg name, const View& place, bool write) const {
    if (!asked_) {
        return;
    }
    list_->Touch(place);
    if (Instruction* const step = list_->Add(opcode, Pipe::S)) {
        step->dtype = place.dtype;
        step->elements = 1;
        Note(name, place, Runs{SizeOf(place.dtype)}, write, step);
    }
}

void CallSteps::Unlisted(std::initializer_list<View> views) const {
    list_->timed = false;
    list_->Touch(View());  // the steps that are not listed may use the temporary buffer
    for (const View& view : views) {
        list_->Touch(view);
    }
    if (Instruction* const step = list_->Add(Opcode::None, Pipe::V)) {
        for (const View& view : views) {
            Note(Arg::Src, view, Runs{1}, false, step);
        }
    }
}

CallOrder OrderOf(const Instruction& call) {
    StepList list(call, nullptr);
    call.As<record::Call>()->library->steps(CallSteps(&list));
    return list.order;
}

bool KnownOrders::Same(const Known& known, const Instruction& call) {
    return known.shape == *call.As<record::Call>()->shape && known.dtype == call.dtype &&
           known.elements == call.elements &&
           std::equal(known.operands.begin(), known.operands.end(), call.ranges.begin(),
                      call.ranges.end(), [](const auto& operand, const ByteRange& range) {
                          return operand.first == range.operand && operand.second == range.type;
                      });
}

const CallOrder& KnownOrders::Of(const Instruction& call) {
    const record::Call& made = *call.As<record::Call>();
    auto found = std::find_if(calls_.begin(), calls_.end(),
                              [&](const Known& known) { return known.library == made.library; });
    if (found == calls_.end()) {
        found = calls_.emplace(calls_.end());
    } else if (Same(*found, call)) {
        return found->order;
    }
    *found = {made.library, *made.shape, call.dtype, call.elements, {}, OrderOf(call)};
    for (const ByteRange& range : call.ranges) {
        found->operands.emplace_back(range.operand, range.type);
    }
    return found->order;
}

bool ListSteps(const Instruction& call, std::vector<Instruction>* steps) {
    StepList list(call, steps);
    call.As<record::Call>()->library->steps(CallSteps(&list));
    return list.timed;
}

}  // namespace twin
