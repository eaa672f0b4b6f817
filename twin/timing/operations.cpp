// SPDX-License-Identifier: Apache-2.0
#include "timing/operations.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "core/files.h"

namespace twin::timing {
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

/// Returns an operand as JSON: name, memory, 1 if written, begin (null if it is not part of the
/// operation), bytes of a run, count and stride of blocks and of repeats, queue, buffer number.
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

/// Returns the fields of the scalar work before the instructions of a source line.
std::string ScalarFields(const Location& where) {
    return "\"opcode\": \"scalar work\", \"call\": \"\", \"dtype\": \"\", \"pipe\": \"S\", "
           "\"file\": " +
           JsonText(where.file) + ", " + Field("line", where.line) +
           ", \"estimated\": 0, \"formula\": 0, \"act\": \"scalar\", \"event\": -1, \"id\": -1, "
           "\"mode\": -1, \"issue\": 0, \"head\": 0, \"operands\": []";
}

bool Waits(Act act) {
    return act == Act::WaitFlag || act == Act::Barrier || act == Act::BarrierAll ||
           act == Act::CrossWait || act == Act::SyncAll || act == Act::Tell;
}

}  // namespace

std::string Field(const char* name, uint64_t value) {
    return "\"" + std::string(name) + "\": " + std::to_string(value);
}

void Operations::Begin() { sums_.resize(table_.operations.size()); }

void Operations::Add(const Row& row, CoreKind kind, uint64_t number, Ticks drawn, Ticks idle) {
    const uint64_t place = uint64_t{row.core} << kNumberBits | number;
    Sum& sum = sums_[row.operation];
    sum.first = std::min(sum.first, place);
    ++sum.count;
    sum.busy += row.busy;
    sum.ticks += row.ticks;
    Waited& waited = sum.waited[kind == CoreKind::Aiv];
    if (drawn != 0 && Waits(table_.operations[row.operation].act)) {
        waited.own.Add(place, drawn);
        waited.why = row.why;
    }
    // A pipe that is idle and waits for nothing waits for the scalar unit.
    if (idle != 0 && row.pipe != kS) {
        waited.idle.Add(place, idle);
    }
}

void Operations::End() {
    std::vector<uint32_t> used;
    for (uint32_t i = 0; i < sums_.size(); ++i) {
        if (sums_[i].count != 0) {
            used.push_back(i);
        }
    }
    std::sort(used.begin(), used.end(),
              [this](uint32_t a, uint32_t b) { return sums_[a].first < sums_[b].first; });
    known_.resize(sums_.size());
    for (const uint32_t i : used) {
        known_[i] = list_.NumberOf(Fields(table_, i));
        const Operation& operation = table_.operations[i];
        const Sum& sum = sums_[i];
        Merged& merged = list_.items[known_[i]];
        merged.count += sum.count;
        merged.busy += sum.busy;
        merged.ticks += sum.ticks;
        merged.conflicts += sum.count * operation.conflicts;
        merged.work += sum.count * (operation.work - operation.conflicts);
        if (sum.scalar != 0) {
            const Location& where = table_.descriptions[i].where;
            Merged& before = scalar_.items[scalar_.NumberOf(ScalarFields(where))];
            before.busy += sum.scalar;
            before.ticks += sum.scalar;
            before.work += sum.scalar;
        }
    }
}

uint32_t Operations::List::NumberOf(std::string fields) {
    const auto added = numbers.emplace(std::move(fields), static_cast<uint32_t>(items.size()));
    if (added.second) {
        items.emplace_back().fields = added.first->first;
    }
    return added.first->second;
}

std::string Operations::Json() const {
    std::string text;
    const auto add = [&text](const Merged& merged) {
        text += (text.empty() ? "{" : ", {") + merged.fields + ", " + Field("count", merged.count) +
                ", " + Field("busy", merged.busy) + ", " + Field("ticks", merged.ticks) + ", " +
                Field("conflicts", merged.conflicts) + ", " + Field("work", merged.work) + "}";
    };
    std::for_each(list_.items.begin(), list_.items.end(), add);
    std::for_each(scalar_.items.begin(), scalar_.items.end(), add);
    return "[" + text + "]";
}

std::string Operations::WaitsJson() const {
    struct Item {
        bool idle;
        uint64_t first;
        Why why;
        std::string text;
    };
    std::vector<Item> items;
    const auto add = [&](uint32_t operation, CoreKind kind, Why why, const Wait& wait, bool idle) {
        const uint32_t pipe = why == kCode ? kS : table_.operations[operation].pipe;
        if (wait.ticks != 0) {
            items.push_back({idle, wait.first, why,
                             std::string("[\"") + twin::Name(kind) + "\", \"" + PipeName(pipe) +
                                 "\", " + std::to_string(why) + ", " +
                                 std::to_string(known_[operation]) + ", " +
                                 std::to_string(wait.ticks) + "]"});
        }
    };
    for (uint32_t i = 0; i < sums_.size(); ++i) {
        for (const CoreKind kind : {CoreKind::Aic, CoreKind::Aiv}) {
            const Waited& waited = sums_[i].waited[kind == CoreKind::Aiv];
            add(i, kind, waited.why, waited.own, false);
            add(i, kind, kIssue, waited.idle, true);
            add(i, kind, kCode, waited.code, false);
        }
    }
    std::sort(items.begin(), items.end(), [](const Item& a, const Item& b) {
        return std::tie(a.idle, a.first, a.why) < std::tie(b.idle, b.first, b.why);
    });
    std::string text;
    for (const Item& item : items) {
        text += (text.empty() ? "" : ", ") + item.text;
    }
    return "[" + text + "]";
}

}  // namespace twin::timing
