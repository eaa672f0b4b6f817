// SPDX-License-Identifier: Apache-2.0
#include "device/library/call.h"

#include <algorithm>
#include <cinttypes>
#include <cstring>

#include "device/lanes/cast.h"
#include "device/pipe/tpipe.h"

namespace twin::advanced {
namespace {

bool Apart(uint64_t a, uint64_t aBytes, uint64_t b, uint64_t bBytes) {
    return a + aBytes <= b || b + bBytes <= a;
}

}  // namespace

void Poison(Core& core, uint64_t address, uint64_t bytes) {
    // The pattern by its place, so that pieces of one buffer fit together.
    uint64_t at = address;
    for (; at < address + bytes && at % sizeof(kPoison) != 0; ++at) {
        core.ub[at] = static_cast<uint8_t>(kPoison >> (at % sizeof(kPoison) * 8));
    }
    for (; at + sizeof(kPoison) <= address + bytes; at += sizeof(kPoison)) {
        std::memcpy(core.ub + at, &kPoison, sizeof(kPoison));
    }
    for (; at < address + bytes; ++at) {
        core.ub[at] = static_cast<uint8_t>(kPoison >> (at % sizeof(kPoison) * 8));
    }
}

Call::Call(const char* api, Location where)
    : core_(Self()), api_(api), runs_(core_.BeginOn(CoreKind::Aiv, where)) {}

void Call::Add(const Part& part) { parts_[partCount_++] = part; }

void Call::CheckOverlap(const Part& dst, const Part& src, InPlace inPlace, bool* lost) const {
    if (Apart(dst.place.address, dst.bytes, src.place.address, src.bytes)) {
        return;
    }
    const bool exact = dst.place.address == src.place.address;
    if (exact && !src.write && inPlace == InPlace::Works) {
        return;
    }
    if (core_.strict) {
        Fail("T702",
             "source overwritten: %s writes %s at UB+0x%x (%" PRIu64
             " B) before it has read %s at "
             "UB+0x%x (%" PRIu64 " B)\n  try: a separate destination",
             api_, dst.name, dst.place.address, dst.bytes, src.name, src.place.address, src.bytes);
    }
    *lost = true;
}

bool Call::Check(InPlace inPlace) {
    bool lost = false;
    for (uint32_t i = 0; i < partCount_; ++i) {
        CheckOperand(core_, parts_[i].place, parts_[i].bytes, kBlockBytes, api_, parts_[i].name);
    }
    for (uint32_t i = 0; i < partCount_; ++i) {
        for (uint32_t other = 0; parts_[i].write && other < partCount_; ++other) {
            if (other > i || !parts_[other].write) {
                CheckOverlap(parts_[i], parts_[other], inPlace, &lost);
            }
        }
    }
    return !lost;
}

void Call::Take(const Tmp& tmp, const TmpNeed& need) {
    if (need.use == 0) {
        return;
    }
    if (tmp.given) {
        scratch_ = tmp.place;
    } else {
        const AscendC::TBuffAddr left = StackBuffer(AscendC::TPosition::LCM, core_.where);
        scratch_ = Operand{left.bufferAddr, left.dataLen, left.logicPos};
    }
    if (scratch_.bytes < need.min && core_.strict) {
        Fail("T700",
             "scratch too small: %s finds %u B %s, it takes at least %" PRIu64
             " B and uses %" PRIu64 " B\n  try: %s",
             api_, scratch_.bytes,
             tmp.given ? "in sharedTmpBuffer" : "behind the last buffer of the TPipe", need.min,
             need.use, "the size that the Get...MaxMinTmpSize function of the host side gives");
    }
    scratchBytes_ = std::min<uint64_t>(scratch_.bytes, need.use);
    if (scratchBytes_ == 0) {
        Fail("T700", "scratch too small: %s has no scratch, it takes at least %" PRIu64 " B", api_,
             need.min);
    }
    CheckOperand(core_, scratch_, scratchBytes_, kBlockBytes, api_, "sharedTmpBuffer");
    for (uint32_t i = 0; i < partCount_; ++i) {
        const Part& part = parts_[i];
        if (!Apart(part.place.address, part.bytes, scratch_.address, scratchBytes_)) {
            Fail("T701",
                 "scratch over an operand: %s writes scratch at UB+0x%x (%" PRIu64
                 " B), where %s "
                 "lies (UB+0x%x, %" PRIu64 " B)\n  try: a buffer of its own for sharedTmpBuffer",
                 api_, scratch_.address, scratchBytes_, part.name, part.place.address, part.bytes);
        }
    }
}

void Call::Saturate(Dtype dtype, uint64_t elements) {
    const lanes::ClampFn clamp = lanes::BestCasts().clamp[static_cast<size_t>(dtype)];
    if (clamp != nullptr && !core_.CtrlBit(kCtrlInfNan)) {
        clamp(At(0), elements);
    }
}

LegacyInstruction Call::Describe(Dtype dtype, uint64_t elements) const {
    uint64_t widest = 0;
    for (uint32_t i = 0; i < partCount_; ++i) {
        widest = std::max(widest, parts_[i].bytes);
    }
    LegacyInstruction instruction;
    instruction.pipe = Pipe::V;
    instruction.opcode = api_;
    instruction.dtype = dtype;
    instruction.repeats = static_cast<uint32_t>((widest + kRepeatBytes - 1) / kRepeatBytes);
    instruction.elements = elements;
    return instruction;
}

void Call::Finish(Dtype dtype, uint64_t elements) {
    if (core_.Recording()) {
        LegacyInstruction instruction = Describe(dtype, elements);
        const auto add = [&](const Operand& place, uint64_t bytes, bool write) {
            instruction.Add(core_.Local(Memory::Ub, place.address, bytes, write));
        };
        for (uint32_t i = 0; i < partCount_; ++i) {
            add(parts_[i].place, parts_[i].bytes, parts_[i].write);
            if (parts_[i].lost) {
                add(parts_[i].place, parts_[i].bytes, true);
            }
        }
        if (scratchBytes_ != 0) {
            add(scratch_, scratchBytes_, true);
        }
        core_.Record(instruction);
    }
    for (uint32_t i = 0; i < partCount_; ++i) {
        if (parts_[i].lost) {
            Poison(core_, parts_[i].place.address, parts_[i].bytes);
        }
    }
    Poison(core_, scratch_.address, scratchBytes_);
    core_.mask = MaskState();
}

void Call::Spoil() {
    for (uint32_t i = 0; i < partCount_; ++i) {
        if (parts_[i].write) {
            Poison(core_, parts_[i].place.address, parts_[i].bytes);
        }
    }
}

}  // namespace twin::advanced
