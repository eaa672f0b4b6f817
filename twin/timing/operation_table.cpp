// SPDX-License-Identifier: Apache-2.0
#include "timing/operation_table.h"

#include <algorithm>
#include <new>

#include "core/files.h"
#include "timing/core_clock.h"

namespace twin::timing {
namespace {

constexpr size_t kFewest = 256;

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
        return found->number;  // another core was quicker
    }
    operation.syncAt = static_cast<uint32_t>(syncs.size());
    if (const auto* const meeting = i.As<record::Meeting>()) {
        syncs.push_back(meeting->sync);
    }
    operation.access = static_cast<uint32_t>(accesses.size());
    for (const ByteRange& range : i.ranges) {
        if (range.memory == Memory::Gm) {
            accesses.push_back({range.runs, range.write, i.pastL2, i.atomic != AtomicOp::None});
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

namespace {

const char* Name(Act act) {
    switch (act) {
        case Act::Work:
            return "work";
        case Act::Gm:
            return "copy";
        case Act::Scalar:
        case Act::ScalarGm:
            return "scalar";
        case Act::SetFlag:
            return "set";
        case Act::WaitFlag:
            return "wait";
        case Act::Barrier:
        case Act::BarrierAll:
            return "barrier";
        case Act::CrossSet:
            return "cross set";
        case Act::CrossWait:
            return "cross wait";
        default:
            return "all cores";
    }
}

std::string Signed(const char* name, int64_t value) {
    return "\"" + std::string(name) + "\": " + std::to_string(value);
}

std::string LevelJson(const Level& level) {
    return std::to_string(level.count) + ", " + std::to_string(level.stride);
}

/// Name, memory, whether it is written, begin (null: each instruction has its own), bytes of a run,
/// count and stride of the runs of a repeat, and of the repeats, queue or buffer, its slot.
std::string OperandJson(const ByteRange& range, bool scalar) {
    const bool begins = range.memory != Memory::Gm && !scalar;
    return "[" + JsonText(twin::Name(range.operand)) + ", \"" + twin::Name(range.memory) + "\", " +
           (range.write ? "1, " : "0, ") + (begins ? std::to_string(range.begin) : "null") + ", " +
           std::to_string(range.runs.bytes) + ", " + LevelJson(range.runs.block) + ", " +
           LevelJson(range.runs.repeat) + ", " + std::to_string(range.queue) + ", " +
           std::to_string(range.slot) + "]";
}

std::string Fields(const OperationTable& table, uint32_t number) {
    const Operation& operation = table.operations[number];
    const Description& is = table.descriptions[number];
    std::string operands;
    for (uint32_t i = 0; i < operation.operands; ++i) {
        operands += (i == 0 ? "" : ", ") +
                    OperandJson(table.operands[operation.operand + i], operation.pipe == kS);
    }
    return "\"opcode\": " + JsonText(twin::Name(is.opcode)) +
           ", \"call\": " + JsonText(twin::Name(is.call)) + ", \"dtype\": \"" + is.dtype.Text() +
           "\", \"pipe\": \"" + PipeName(is.pipe) + "\", \"file\": " + JsonText(is.where.file) +
           ", " + Field("line", is.where.line) + ", " +
           Field("estimated", is.basis == Basis::Guess ? 1 : 0) + ", " +
           Field("formula", is.basis == Basis::Formula ? 1 : 0) + ", \"act\": \"" +
           Name(operation.act) + "\", " + Signed("event", operation.event) + ", " +
           Signed("id", operation.id) + ", " + Signed("mode", operation.mode) + ", " +
           Field("issue", operation.issue) + ", " + Field("head", operation.head) +
           ", \"operands\": [" + operands + "]";
}

}  // namespace

std::string Field(const char* name, uint64_t value) {
    return "\"" + std::string(name) + "\": " + std::to_string(value);
}

uint32_t Operations::Add(uint32_t operation) {
    const auto added =
        numbers_.emplace(Fields(table_, operation), static_cast<uint32_t>(list_.size()));
    if (added.second) {
        list_.emplace_back();
        list_.back().fields = added.first->first;
    }
    return known_[operation] = added.first->second;
}

void Operations::Take(std::vector<Row>& rows) {
    for (Row& row : rows) {
        const Operation& operation = table_.operations[row.operation];
        row.operation = known_[row.operation] != kNone ? known_[row.operation] : Add(row.operation);
        Sum& sum = list_[row.operation];
        ++sum.count;
        sum.busy += row.busy;
        sum.ticks += row.ticks;
        sum.conflicts += operation.conflicts;
        sum.work += operation.work - operation.conflicts;
    }
}

std::string Operations::Json() const {
    std::string text;
    for (const Sum& sum : list_) {
        text += (text.empty() ? "{" : ", {") + sum.fields + ", " + Field("count", sum.count) +
                ", " + Field("busy", sum.busy) + ", " + Field("ticks", sum.ticks) + ", " +
                Field("conflicts", sum.conflicts) + ", " + Field("work", sum.work) + "}";
    }
    return "[" + text + "]";
}

}  // namespace twin::timing
