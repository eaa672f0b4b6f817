// SPDX-License-Identifier: Apache-2.0
#include "timing/program.h"

#include <algorithm>

#include "core/library_steps.h"

namespace twin::timing {
namespace {

uint64_t Bits(const void* pointer) { return reinterpret_cast<uintptr_t>(pointer); }

/// Appends what tells records of one kind apart; most have nothing.
struct KindWords {
    uint64_t* word;

    template <typename Kind>
    uint64_t* operator()(const Kind&) {
        return word;
    }
    uint64_t* operator()(const record::Flag& flag) {
        *word++ = Byte(flag.event) | Byte(flag.id) << 8 | Byte(flag.set) << 16;
        return word;
    }
    uint64_t* operator()(const record::CrossFlag& flag) {
        *word++ = Byte(flag.id) | Byte(flag.mode) << 8;
        return word;
    }
    uint64_t* operator()(const record::Meeting& meeting) {
        const CoreSync& sync = meeting.sync;
        *word++ = Byte(sync.what) | Byte(sync.which) << 8 | uint64_t{sync.count} << 32;
        *word++ = sync.object;
        *word++ = uint64_t{sync.member} << 32 | sync.first;
        *word++ = sync.round;
        return word;
    }
    uint64_t* operator()(const record::Call& call) {
        const CallShape& shape = *call.shape;
        *word++ = shape.scratch;
        *word++ = uint64_t{shape.form} << 32 | shape.rows;
        *word++ = uint64_t{shape.columns} << 32 | shape.valid;
        *word++ = uint64_t{shape.once} << 32 | shape.level;
        return word;
    }

    template <typename Value>
    static uint64_t Byte(Value value) {
        return static_cast<uint64_t>(static_cast<uint8_t>(value));
    }
};

/// There are two chains, so that one multiplication need not wait for the other.
uint64_t Hash(const uint64_t* words, size_t count) {
    constexpr uint64_t kFactor = 0x9E3779B97F4A7C15ULL;
    uint64_t even = count, odd = 0;
    size_t i = 0;
    for (; i + 1 < count; i += 2) {
        even = (even ^ words[i]) * kFactor;
        odd = (odd ^ words[i + 1]) * kFactor;
        even ^= even >> 32;
        odd ^= odd >> 32;
    }
    even = i < count ? (even ^ words[i]) * kFactor : even;
    const uint64_t hash = (even ^ odd >> 7) * kFactor;
    return hash ^ hash >> 32;
}

}  // namespace

uint8_t IndexOf(Pipe pipe) {
    switch (pipe) {
        case Pipe::V:
            return kV;
        case Pipe::M:
            return kM;
        case Pipe::Mte1:
            return kMte1;
        case Pipe::Mte2:
            return kMte2;
        case Pipe::Mte3:
            return kMte3;
        case Pipe::Fix:
            return kFix;
        default:
            return kS;
    }
}

const char* PipeName(uint32_t index) {
    static const char* const kNames[kPipes] = {"S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX"};
    return kNames[index];
}

OperationKey Program::KeyOf(const Instruction& i) {
    constexpr size_t kFixed = 14, kEachRange = 6;
    const auto byte = [](auto value) { return static_cast<uint64_t>(static_cast<uint8_t>(value)); };
    if (words_.size() < kFixed + kEachRange * i.ranges.size()) {
        words_.resize(2 * (kFixed + kEachRange * i.ranges.size()));
    }
    uint64_t* word = words_.data();
    *word++ = static_cast<uint64_t>(i.opcode) | static_cast<uint64_t>(i.call) << 16;
    *word++ = Bits(i.where.file);
    *word++ = uint64_t{i.where.line} << 32 | i.repeats;
    *word++ = i.elements;
    *word++ =
        byte(i.pipe) | byte(i.dtype.Known() ? 1 + static_cast<int>(i.dtype.Value()) : 0) << 8 |
        byte(i.kind.index()) << 16 | byte(i.pastL2) << 56 | byte(i.atomic != AtomicOp::None) << 57 |
        byte(i.reads.Has(Register::UnitFlags)) << 58 | byte(i.core) << 59;
    word = std::visit(KindWords{word}, i.kind);
    for (const ByteRange& range : i.ranges) {
        const Runs& runs = range.runs;
        const bool one = runs.block.count == 1 && runs.repeat.count == 1;
        // The places of operands in UB decide which banks they use. Profiles list the places of all
        // operands but those in GM and those that the scalar unit reads one by one.
        const bool placed = range.memory != Memory::Gm && i.pipe != Pipe::S;
        *word++ = byte(range.memory) | byte(range.write) << 8 | byte(range.filler) << 9 |
                  byte(one) << 10 | (placed ? range.begin : 0) << 16;
        *word++ = runs.bytes;
        if (!one) {
            *word++ = runs.block.count << 32 | runs.repeat.count;
            *word++ = runs.block.stride;
            *word++ = runs.repeat.stride;
        }
    }
    const auto count = static_cast<size_t>(word - words_.data());
    return {words_.data(), count, Hash(words_.data(), count)};
}

void Program::OnInstruction(const Instruction& instruction) {
    if (__builtin_expect(instruction.As<record::Call>() == nullptr, 1) || !TakeCall(instruction)) {
        Take(instruction);
    }
}

bool Program::TakeCall(const Instruction& call) {
    const OperationKey key = KeyOf(call);
    const auto same = calls_.equal_range(key.hash);
    auto found = std::find_if(same.first, same.second, [&key](const auto& each) {
        return each.second.key.size() == key.count &&
               std::equal(each.second.key.begin(), each.second.key.end(), key.words);
    });
    if (found != same.second) {
        const std::vector<uint32_t>& steps = found->second.steps;
        code.insert(code.end(), steps.begin(), steps.end());
        instructions += steps.size();
        return !steps.empty();
    }
    found = calls_.emplace(key.hash, Call{{key.words, key.words + key.count}, {}});
    steps_.clear();
    if (!ListSteps(call, &steps_)) {
        return false;
    }
    const size_t begin = code.size();
    for (const Instruction& step : steps_) {
        Take(step);
    }
    found->second.steps.assign(code.begin() + static_cast<ptrdiff_t>(begin), code.end());
    return true;
}

void Program::Take(const Instruction& instruction) {
    code.push_back(table.NumberOf(KeyOf(instruction), instruction));
    ++instructions;
    for (const ByteRange& range : instruction.ranges) {
        if (range.memory == Memory::Gm) {
            code.push_back(static_cast<uint32_t>(range.begin));
            code.push_back(static_cast<uint32_t>(range.begin >> 32));
        }
    }
}

}  // namespace twin::timing
