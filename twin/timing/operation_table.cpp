// SPDX-License-Identifier: Apache-2.0
#include "timing/operation_table.h"

#include <algorithm>
#include <new>

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

}  // namespace twin::timing
