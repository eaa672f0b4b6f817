// SPDX-License-Identifier: Apache-2.0
#include "core/dump_text.h"

#include <cinttypes>
#include <cstdarg>
#include <cstdio>

#include "core/files.h"
#include "core/formatted.h"
#include "core/types.h"

namespace twin {
namespace {

/// Appends formatted text.
__attribute__((format(printf, 2, 3))) void Append(std::string* out, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    AppendFormatted(out, format, arguments);
    va_end(arguments);
}

/// Returns a text such as "input x+0x1200" for GM, or "UB+0x00400" for local memory.
std::string Place(const ByteRange& range, const LaunchInfo& info) {
    char text[64];
    if (range.memory != Memory::Gm) {
        std::snprintf(text, sizeof(text), "%s+0x%05" PRIx64, Name(range.memory), range.begin);
        return text;
    }
    for (const GmRange& gm : info.gm) {
        if (gm.ContainsDevice(range.begin)) {
            std::snprintf(text, sizeof(text), "+0x%" PRIx64, range.begin - gm.device);
            return gm.label + text;
        }
    }
    std::snprintf(text, sizeof(text), "GM 0x%" PRIx64, range.begin);
    return text;
}

/// Returns a text such as " 4x32 B every 256", then " x8 every 1024" if there are repeats.
std::string Extent(const Runs& runs) {
    char text[128];
    if (runs.block.count == 1) {
        std::snprintf(text, sizeof(text), " %" PRIu64 " B", runs.bytes);
        return text;
    }
    int length = std::snprintf(text, sizeof(text), " %" PRIu64 "x%" PRIu64 " B every %" PRIu64,
                               runs.block.count, runs.bytes, runs.block.stride);
    if (runs.repeat.count > 1) {
        std::snprintf(text + length, sizeof(text) - static_cast<size_t>(length),
                      " x%" PRIu64 " every %" PRIu64, runs.repeat.count, runs.repeat.stride);
    }
    return text;
}

/// Returns the names of the registers as members of a JSON list, such as "MASK", "CTRL".
std::string Registers(RegisterSet set) {
    std::string names;
    for (uint32_t i = 0; i < kRegisters; ++i) {
        if (set.Has(static_cast<Register>(i))) {
            names +=
                std::string(names.empty() ? "\"" : ", \"") + Name(static_cast<Register>(i)) + "\"";
        }
    }
    return names;
}

/// Returns the atomic mode of a copy, or the mode that SetAtomic sets; otherwise "".
const char* AtomicText(const Instruction& i) {
    return i.atomic == AtomicOp::None && i.opcode != Opcode::SetAtomic ? "" : Name(i.atomic);
}

/// Returns a text for the data that depend on the record's kind.
std::string KindText(const Instruction& i) {
    if (const auto* const cross = i.As<record::CrossFlag>()) {
        return "flag " + std::to_string(cross->id) + "; ";
    }
    const auto* const flag = i.As<record::Flag>();
    if (flag == nullptr) {
        return *AtomicText(i) == '\0' ? "" : std::string("atomic ") + AtomicText(i) + "; ";
    }
    const std::string cause = flag->cause == QueueEvent::None ? "" : Name(flag->cause);
    return std::string(EventInfo(flag->event).name) + " id " + std::to_string(flag->id) +
           (cause.empty() ? "" : " by " + cause) + "; ";
}

std::string KindJson(const Instruction& i) {
    const auto* const cross = i.As<record::CrossFlag>();
    std::string text = std::string(", \"atomic\": \"") + AtomicText(i) +
                       "\", \"cross_flag\": " + std::to_string(cross == nullptr ? -1 : cross->id);
    if (const auto* const flag = i.As<record::Flag>()) {
        text += std::string(", \"flag\": \"") + EventInfo(flag->event).name +
                "\", \"flag_id\": " + std::to_string(flag->id) +
                ", \"flag_set\": " + (flag->set ? "true" : "false") + ", \"cause\": \"" +
                Name(flag->cause) + "\"";
    }
    return text;
}

const char* BaseName(const char* path) {
    const char* name = path;
    for (const char* c = path; *c != '\0'; ++c) {
        name = *c == '/' ? c + 1 : name;
    }
    return name;
}

}  // namespace

void AddDumpText(const Instruction& i, const RangeValue* values, const LaunchInfo& info,
                 std::string* out) {
    std::string what;
    for (const ByteRange& range : i.ranges) {
        what += (range.write ? "write " : "read ") + Place(range, info) + Extent(range.runs);
        what += range.filler ? " filler" : "";
        if (range.queue >= 0) {
            char text[48];
            std::snprintf(text, sizeof(text), " [queue %d buffer %d]", range.queue, range.slot);
            what += text;
        }
        if (values != nullptr) {
            const RangeValue& value = values[&range - i.ranges.data()];
            what += ValueText(value, range.type);
        }
        what += "; ";
    }
    what += KindText(i);
    // The number distinguishes the second vector core of a block from the first one.
    const std::string name = Name(i.core) + (i.subBlock == 0 ? "" : std::to_string(i.subBlock));
    Append(out, "%3u %s %5" PRIu64 " %-4s %-12s %8" PRIu64 " %s%s:%u %s\n", i.block, name.c_str(),
           i.sequence, Name(i.pipe), Name(i.opcode), i.elements, what.c_str(),
           BaseName(i.where.file), i.where.line, i.where.function);
}

void AddDumpJson(const Instruction& i, const RangeValue* values, const LaunchInfo& info,
                 std::string* out) {
    Append(out,
           "{\"block\": %u, \"sub_block\": %u, \"core\": \"%s\", \"seq\": %" PRIu64
           ", \"pipe\": \"%s\", \"opcode\": \"%s\", \"dtype\": \"%s\", \"repeats\": %u, "
           "\"elements\": %" PRIu64 ", \"ranges\": [",
           i.block, i.subBlock, Name(i.core), i.sequence, Name(i.pipe), Name(i.opcode),
           i.dtype.Text(), i.repeats, i.elements);
    for (const ByteRange& range : i.ranges) {
        const Runs& runs = range.runs;
        Append(out,
               "%s{\"operand\": \"%s\", \"memory\": \"%s\", \"write\": %s, "
               "\"filler\": %s, \"place\": %s, \"bytes\": %" PRIu64 ", \"count\": %" PRIu64
               ", \"stride\": %" PRIu64 ", \"repeats\": %" PRIu64 ", \"repeat_stride\": %" PRIu64
               ", \"queue\": %d, \"buffer\": %d",
               &range == i.ranges.data() ? "" : ", ", Name(range.operand), Name(range.memory),
               range.write ? "true" : "false", range.filler ? "true" : "false",
               JsonText(Place(range, info)).c_str(), runs.bytes, runs.block.count,
               runs.block.stride, runs.repeat.count, runs.repeat.stride, range.queue, range.slot);
        if (values != nullptr) {
            const RangeValue& value = values[&range - i.ranges.data()];
            Append(out, "%s", ValueJson(value, range.type).c_str());
        }
        Append(out, "}");
    }
    Append(out, "], \"reads\": [%s], \"writes\": [%s]", Registers(i.reads).c_str(),
           Registers(i.writes).c_str());
    if (i.call != Opcode::None) {
        Append(out, ", \"call\": \"%s\", \"call_seq\": %" PRIu64, Name(i.call), i.callBegin);
    }
    Append(out, "%s, \"file\": %s, \"line\": %u, \"function\": %s}\n", KindJson(i).c_str(),
           JsonText(i.where.file).c_str(), i.where.line, JsonText(i.where.function).c_str());
}

}  // namespace twin
