// SPDX-License-Identifier: Apache-2.0
#include "timing/operation_table.h"

#include <algorithm>
#include <new>

#include "core/core.h"
#include "core/library_steps.h"
#include "timing/program.h"

namespace twin::timing {
namespace {

constexpr size_t kFewest = 256;

uint64_t Bits(const void* pointer) { return reinterpret_cast<uintptr_t>(pointer); }

/// Appends those words of a key that depend on Instruction::Kind; most kinds need no words.
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

/// Returns the rows of an access to GM. If the rows of a copy lie behind each other in GM, the
/// record has them as one run; then the operand in UB tells their number.
Runs RowsOf(const Instruction& i, const Runs& gm) {
    for (const ByteRange& range : i.ranges) {
        const uint64_t rows = range.runs.block.count * range.runs.repeat.count;
        if (range.memory == Memory::Ub && !range.filler && rows > 1 && gm.bytes % rows == 0 &&
            gm.block.count == 1 && gm.repeat.count == 1) {
            return Runs(gm.bytes / rows, {rows, gm.bytes / rows});
        }
    }
    return gm;
}

/// Returns the hash of the words. Hashes even and odd words separately, because this is faster.
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

OperationTable::OperationTable() {
    all_.push_back(std::make_unique<Slots>(kFewest));
    slots_.store(all_.back().get(), std::memory_order_release);
}

const OperationTable::Node* OperationTable::Find(const Slots& slots, const OperationKey& key) {
    for (uint64_t slot = key.hash;; ++slot) {
        const Node* const node = slots[slot & (slots.size() - 1)].load(std::memory_order_acquire);
        if (node == nullptr || (node->hash == key.hash && node->count == key.count &&
                                std::equal(key.words, key.words + key.count, node->words()))) {
            return node;
        }
    }
}

void OperationTable::Place(Slots& slots, const Node& node) {
    uint64_t slot = node.hash;
    while (slots[slot & (slots.size() - 1)].load(std::memory_order_relaxed) != nullptr) {
        ++slot;
    }
    slots[slot & (slots.size() - 1)].store(&node, std::memory_order_release);
}

void OperationTable::Grow() {
    all_.push_back(std::make_unique<Slots>(2 * all_.back()->size()));
    for (const Node* const node : nodes_) {
        Place(*all_.back(), *node);
    }
    slots_.store(all_.back().get(), std::memory_order_release);
}

uint32_t OperationTable::Add(const OperationKey& key, const Instruction& i) {
    Operation operation;
    Basis basis = Basis::Table;
    SetCosts(i, &operation, &basis);
    const std::lock_guard<std::mutex> lock(mutex_);
    if (const Node* const found = Find(*all_.back(), key)) {
        return found->number;  // another thread has just added it
    }
    operation.place = PlaceOf(i);
    operation.syncAt = static_cast<uint32_t>(syncs.size());
    if (const auto* const meeting = i.As<record::Meeting>()) {
        syncs.push_back(meeting->sync);
    }
    operation.access = static_cast<uint32_t>(accesses.size());
    for (const ByteRange& range : i.ranges) {
        if (range.memory == Memory::Gm) {
            accesses.push_back(
                {RowsOf(i, range.runs), range.write, i.pastL2, i.atomic != AtomicOp::None});
            ++operation.accesses;
        }
    }
    operation.operand = static_cast<uint32_t>(operands.size());
    operation.operands = static_cast<uint32_t>(i.ranges.size());
    operands.insert(operands.end(), i.ranges.begin(), i.ranges.end());
    descriptions.push_back({i.opcode, i.call, i.dtype, operation.pipe, i.where, basis});
    operations.push_back(operation);
    Keep(key);
    return nodes_.back()->number;
}

uint32_t OperationTable::PlaceOf(const Instruction& i) {
    const auto next = static_cast<uint32_t>(places_.size());
    return places_.insert({{i.opcode, i.call, i.where.file, i.where.line}, next}).first->second;
}

void OperationTable::Keep(const OperationKey& key) {
    constexpr size_t kHead = sizeof(Node) / sizeof(uint64_t);
    memory_.push_back(std::make_unique<uint64_t[]>(kHead + key.count));
    uint64_t* const place = memory_.back().get();
    std::copy(key.words, key.words + key.count, place + kHead);
    nodes_.push_back(new (place) Node{key.hash, static_cast<uint32_t>(nodes_.size()),
                                      static_cast<uint32_t>(key.count)});
    if (2 * nodes_.size() > all_.back()->size()) {
        Grow();
    } else {
        Place(*all_.back(), *nodes_.back());
    }
}

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
        // The key has local addresses, because they decide bank conflicts and profiles list them.
        // Addresses in GM and of scalar accesses are left out: they differ in each instruction.
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
    TakeScalar(instruction.scalarWork);
    if (__builtin_expect(instruction.As<record::Call>() == nullptr, 1) || !TakeCall(instruction)) {
        Take(instruction);
    }
}

void Program::OnReturn(const Core& core) { TakeScalar(core.scalarWork); }

void Program::TakeScalar(const ScalarWork& work) {
    constexpr Ticks kMost = kScalarWork - 1;
    uncounted = work.uncounted != nullptr ? work.uncounted : uncounted;
    Ticks ticks = PriceOf(work);
    counted = counted || ticks != 0;
    for (; ticks != 0; ticks -= std::min(ticks, kMost)) {
        code.push_back(kScalarWork | static_cast<uint32_t>(std::min(ticks, kMost)));
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
        last = steps.empty() ? last : steps.back();
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
    last = table.NumberOf(KeyOf(instruction), instruction);
    code.push_back(last);
    ++instructions;
    for (const ByteRange& range : instruction.ranges) {
        if (range.memory == Memory::Gm) {
            code.push_back(static_cast<uint32_t>(range.begin));
            code.push_back(static_cast<uint32_t>(range.begin >> 32));
        }
    }
}

}  // namespace twin::timing
