// SPDX-License-Identifier: Apache-2.0
#include "timing/program.h"

#include <algorithm>

#include "timing/library_steps.h"
#include "timing/shared_costs.h"

namespace twin::timing {
namespace {

uint64_t Bits(const void* pointer) { return reinterpret_cast<uintptr_t>(pointer); }

/// Two chains, so that one multiplication need not wait for the other.
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

void Program::Describe(const Instruction& i) {
    constexpr size_t kFixed = 14, kEachRange = 6;
    const auto byte = [](auto value) { return static_cast<uint64_t>(static_cast<uint8_t>(value)); };
    if (key_.size() < kFixed + kEachRange * i.ranges.size()) {
        key_.resize(2 * (kFixed + kEachRange * i.ranges.size()));
    }
    uint64_t* word = key_.data();
    *word++ = Bits(i.opcode);
    *word++ = Bits(i.call);
    *word++ = Bits(i.where.file);
    *word++ = uint64_t{i.where.line} << 32 | i.repeats;
    *word++ = i.elements;
    *word++ = byte(i.pipe) |
              byte(i.dtype.Known() ? 1 + static_cast<int>(i.dtype.Value()) : 0) << 8 |
              byte(i.flagEvent) << 16 | byte(i.flagId) << 24 | byte(i.flagSet) << 32 |
              byte(i.crossFlagId) << 40 | byte(i.crossFlagMode) << 48 | byte(i.pastL2) << 56 |
              byte(i.atomic[0] != '\0') << 57 | byte(i.reads.Has(Register::UnitFlags)) << 58 |
              byte(i.core) << 59;
    *word++ = byte(i.sync.what) | byte(i.sync.which) << 8 | uint64_t{i.sync.count} << 32;
    if (i.sync.what != CoreSync::What::None) {
        *word++ = i.sync.object;
        *word++ = uint64_t{i.sync.member} << 32 | i.sync.first;
        *word++ = i.sync.round;
    }
    if (i.shape != nullptr) {
        *word++ = i.shape->scratch;
        *word++ = uint64_t{i.shape->form} << 32 | i.shape->rows;
        *word++ = uint64_t{i.shape->columns} << 32 | i.shape->valid;
        *word++ = uint64_t{i.shape->once} << 32 | i.shape->level;
    }
    for (const ByteRange& range : i.ranges) {
        *word++ = byte(range.memory) | byte(range.write) << 8 | byte(range.filler) << 9;
        // Where operands lie in UB decides which banks they meet in. Profiles name the places of
        // all but those of GM, and of what the scalar unit takes one by one.
        *word++ = range.memory != Memory::Gm && i.pipe != Pipe::S ? range.begin : 0;
        *word++ = range.runs.bytes;
        *word++ = range.runs.block.count << 32 | range.runs.repeat.count;
        *word++ = range.runs.block.stride;
        *word++ = range.runs.repeat.stride;
    }
    keyWords_ = static_cast<size_t>(word - key_.data());
}

uint32_t Program::Add(const Instruction& i, uint64_t hash) {
    SharedCosts::Cost cost;
    if (costs_ != nullptr) {
        cost = costs_->Of(i, hash, key_.data(), keyWords_);
    } else {
        SetCosts(i, &cost.operation, &cost.basis);
    }
    Operation operation = cost.operation;
    operation.shared = cost.number;
    operation.syncAt = static_cast<uint32_t>(syncs.size());
    if (i.sync.what != CoreSync::What::None) {
        syncs.push_back(i.sync);
    }
    operation.access = static_cast<uint32_t>(accesses.size());
    for (const ByteRange& range : i.ranges) {
        if (range.memory == Memory::Gm) {
            accesses.push_back({range.runs, range.write, i.pastL2, i.atomic[0] != '\0'});
            ++operation.accesses;
        }
    }
    operation.operand = static_cast<uint32_t>(operands.size());
    operation.operands = static_cast<uint32_t>(i.ranges.size());
    operands.insert(operands.end(), i.ranges.begin(), i.ranges.end());
    operation.name = static_cast<uint32_t>(descriptions.size());
    descriptions.push_back({i.opcode, i.call, i.dtype, operation.pipe, i.where, cost.basis});
    operations.push_back(operation);
    return static_cast<uint32_t>(operations.size() - 1);
}

uint32_t Program::Find(uint64_t hash) const {
    for (uint64_t slot = hash; !table_.empty(); ++slot) {
        const uint32_t number = table_[slot & (table_.size() - 1)];
        if (number == kNone) {
            break;
        }
        const size_t begin = number == 0 ? 0 : keyEnds_[number - 1];
        if (keyEnds_[number] - begin == keyWords_ &&
            std::equal(keys_.data() + begin, keys_.data() + keyEnds_[number], key_.data())) {
            return number;
        }
    }
    return kNone;
}

void Program::Keep(uint64_t hash, uint32_t number) {
    keys_.insert(keys_.end(), key_.data(), key_.data() + keyWords_);
    keyEnds_.push_back(keys_.size());
    hashes_.push_back(hash);
    if (2 * hashes_.size() > table_.size()) {
        table_.assign(std::max<size_t>(64, 2 * table_.size()), kNone);
        for (uint32_t i = 0; i < number; ++i) {
            Place(hashes_[i], i);
        }
    }
    Place(hash, number);
}

void Program::Place(uint64_t hash, uint32_t number) {
    uint64_t slot = hash;
    while (table_[slot & (table_.size() - 1)] != kNone) {
        ++slot;
    }
    table_[slot & (table_.size() - 1)] = number;
}

void Program::OnInstruction(const Instruction& instruction) {
    if (instruction.library == nullptr || !TakeCall(instruction)) {
        Take(instruction);
    }
}

bool Program::TakeCall(const Instruction& call) {
    Describe(call);
    const uint64_t hash = Hash(key_.data(), keyWords_);
    const auto same = calls_.equal_range(hash);
    auto found = std::find_if(same.first, same.second, [this](const auto& each) {
        return each.second.key.size() == keyWords_ &&
               std::equal(each.second.key.begin(), each.second.key.end(), key_.data());
    });
    if (found != same.second) {
        const std::vector<uint32_t>& steps = found->second.steps;
        code.insert(code.end(), steps.begin(), steps.end());
        instructions += steps.size();
        return !steps.empty();
    }
    found = calls_.emplace(hash, Call{{key_.data(), key_.data() + keyWords_}, {}});
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
    Describe(instruction);
    const uint64_t hash = Hash(key_.data(), keyWords_);
    uint32_t number = Find(hash);
    if (number == kNone) {
        number = Add(instruction, hash);
        Keep(hash, number);
    }
    code.push_back(number);
    ++instructions;
    if (operations[number].accesses != 0) {
        for (const ByteRange& range : instruction.ranges) {
            if (range.memory == Memory::Gm) {
                code.push_back(static_cast<uint32_t>(range.begin));
                code.push_back(static_cast<uint32_t>(range.begin >> 32));
            }
        }
    }
}

}  // namespace twin::timing
