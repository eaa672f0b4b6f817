// SPDX-License-Identifier: Apache-2.0
// Two observers: one writes the instructions of a launch to a file, the other the traffic totals.
#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <map>
#include <mutex>
#include <tuple>

#include "core/files.h"
#include "core/memory_map.h"
#include "core/observer.h"
#include "core/range_value.h"
#include "core/types.h"

namespace twin {
namespace {

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

class CoreDump : public CoreRecorder {
public:
    explicit CoreDump(int32_t firstElements) : firstElements_(firstElements) {}

    void OnOperands(const Instruction& next, const Core& core) override {
        if (firstElements_ >= 0) {
            taken_.assign(next.ranges.size(), RangeValue());
            Take(next, core, false);
        }
    }
    void OnResults(const Instruction& done, const Core& core) override {
        if (firstElements_ >= 0) {
            taken_.resize(done.ranges.size());
            Take(done, core, true);
            values.push_back(std::move(taken_));
            taken_.clear();
        }
    }
    void OnInstruction(const Instruction& instruction) override { stream.push_back(instruction); }
    /// Returns the value of an instruction's range; nullptr if values were not requested.
    const RangeValue* ValueOf(size_t instruction, size_t range) const {
        return instruction < values.size() ? &values[instruction][range] : nullptr;
    }

    std::vector<Instruction> stream;
    std::vector<std::vector<RangeValue>> values;

private:
    void Take(const Instruction& instruction, const Core& core, bool write) {
        for (size_t i = 0; i < instruction.ranges.size(); ++i) {
            if (instruction.ranges[i].write == write && HasValue(instruction, i)) {
                taken_[i] = ValueOfRange(instruction.ranges[i], core,
                                         static_cast<uint32_t>(firstElements_));
            }
        }
    }

    int32_t firstElements_;
    std::vector<RangeValue> taken_;  ///< values of the current instruction
};

/// Writes the launch's instructions in (block, sub-block, program) order, so that the file never
/// depends on timing.
class DumpObserver : public Observer {
public:
    DumpObserver(const std::string& path, int32_t firstElements)
        : path_(path),
          firstElements_(firstElements),
          file_(OpenAppend(path)),
          json_(path.size() > 6 && path.compare(path.size() - 6, 6, ".jsonl") == 0) {}

    CoreRecorder* Recorder(uint32_t block, uint32_t subBlock, CoreKind kind) override {
        const std::lock_guard<std::mutex> lock(mutex_);
        auto& core = cores_[{block, subBlock, kind}];
        core = std::make_unique<CoreDump>(firstElements_);
        return core.get();
    }

    void OnEnd(const LaunchInfo& info) override {
        if (json_) {
            std::fprintf(
                file_.get(),
                "{\"launch\": %s, \"kernel_type\": \"%s\", \"block_dim\": %u, \"status\": %d}\n",
                JsonText(info.kernel).c_str(), info.kernelType.c_str(), info.blockDim, info.status);
        } else {
            std::fprintf(file_.get(),
                         "# launch %s  %s  blockDim %u  tilingKey %" PRIu64
                         "  status %d\n"
                         "# core   seq pipe opcode       elements what\n",
                         info.kernel.c_str(), info.kernelType.c_str(), info.blockDim,
                         info.tilingKey, info.status);
        }
        for (const auto& core : cores_) {
            for (size_t i = 0; i < core.second->stream.size(); ++i) {
                json_ ? WriteJson(*core.second, i, info) : WriteText(*core.second, i, info);
            }
        }
        Finish(std::move(file_), path_);
    }

private:
    void WriteText(const CoreDump& core, size_t number, const LaunchInfo& info) {
        const Instruction& i = core.stream[number];
        std::string what;
        for (const ByteRange& range : i.ranges) {
            what += (range.write ? "write " : "read ") + Place(range, info) + Extent(range.runs);
            what += range.filler ? " filler" : "";
            if (range.queue >= 0) {
                char text[48];
                std::snprintf(text, sizeof(text), " [queue %d buffer %d]", range.queue, range.slot);
                what += text;
            }
            if (const RangeValue* value =
                    core.ValueOf(number, static_cast<size_t>(&range - i.ranges.data()))) {
                what += ValueText(*value, range.type);
            }
            what += "; ";
        }
        what += KindText(i);
        // The number distinguishes the second vector core of a block from the first one.
        const std::string name = Name(i.core) + (i.subBlock == 0 ? "" : std::to_string(i.subBlock));
        std::fprintf(file_.get(), "%3u %s %5" PRIu64 " %-4s %-12s %8" PRIu64 " %s%s:%u %s\n",
                     i.block, name.c_str(), i.sequence, Name(i.pipe), Name(i.opcode), i.elements,
                     what.c_str(), BaseName(i.where.file), i.where.line, i.where.function);
    }

    void WriteJson(const CoreDump& core, size_t number, const LaunchInfo& info) {
        const Instruction& i = core.stream[number];
        std::fprintf(file_.get(),
                     "{\"block\": %u, \"sub_block\": %u, \"core\": \"%s\", \"seq\": %" PRIu64
                     ", \"pipe\": \"%s\", \"opcode\": \"%s\", \"dtype\": \"%s\", \"repeats\": %u, "
                     "\"elements\": %" PRIu64 ", \"ranges\": [",
                     i.block, i.subBlock, Name(i.core), i.sequence, Name(i.pipe), Name(i.opcode),
                     i.dtype.Text(), i.repeats, i.elements);
        for (const ByteRange& range : i.ranges) {
            const Runs& runs = range.runs;
            std::fprintf(file_.get(),
                         "%s{\"operand\": \"%s\", \"memory\": \"%s\", \"write\": %s, "
                         "\"filler\": %s, \"place\": %s, \"bytes\": %" PRIu64
                         ", \"count\": %" PRIu64 ", \"stride\": %" PRIu64 ", \"repeats\": %" PRIu64
                         ", \"repeat_stride\": %" PRIu64 ", \"queue\": %d, \"buffer\": %d",
                         &range == i.ranges.data() ? "" : ", ", Name(range.operand),
                         Name(range.memory), range.write ? "true" : "false",
                         range.filler ? "true" : "false", JsonText(Place(range, info)).c_str(),
                         runs.bytes, runs.block.count, runs.block.stride, runs.repeat.count,
                         runs.repeat.stride, range.queue, range.slot);
            if (const RangeValue* value =
                    core.ValueOf(number, static_cast<size_t>(&range - i.ranges.data()))) {
                std::fprintf(file_.get(), "%s", ValueJson(*value, range.type).c_str());
            }
            std::fprintf(file_.get(), "}");
        }
        std::fprintf(file_.get(), "], \"reads\": [%s], \"writes\": [%s]",
                     Registers(i.reads).c_str(), Registers(i.writes).c_str());
        if (i.call != Opcode::None) {
            std::fprintf(file_.get(), ", \"call\": \"%s\", \"call_seq\": %" PRIu64, Name(i.call),
                         i.callBegin);
        }
        std::fprintf(file_.get(), "%s, \"file\": %s, \"line\": %u, \"function\": %s}\n",
                     KindJson(i).c_str(), JsonText(i.where.file).c_str(), i.where.line,
                     JsonText(i.where.function).c_str());
    }

    static const char* BaseName(const char* path) {
        const char* name = path;
        for (const char* c = path; *c != '\0'; ++c) {
            name = *c == '/' ? c + 1 : name;
        }
        return name;
    }

    std::string path_;
    int32_t firstElements_;
    File file_;
    bool json_;
    std::mutex mutex_;
    std::map<std::tuple<uint32_t, uint32_t, CoreKind>, std::unique_ptr<CoreDump>> cores_;
};

constexpr size_t kPipes = 11;

class CoreTotals : public CoreRecorder {
public:
    void OnInstruction(const Instruction& instruction) override {
        ++instructions[static_cast<size_t>(instruction.pipe)];
        for (const ByteRange& range : instruction.ranges) {
            if (range.memory == Memory::Gm) {
                (range.write ? writeBytes : readBytes) += range.runs.TotalBytes();
            }
        }
    }
    uint64_t readBytes = 0;
    uint64_t writeBytes = 0;
    uint64_t instructions[kPipes] = {};
};

class StatsObserver : public Observer {
public:
    explicit StatsObserver(const std::string& path) : path_(path), file_(OpenAppend(path)) {}

    CoreRecorder* Recorder(uint32_t, uint32_t, CoreKind) override {
        const std::lock_guard<std::mutex> lock(mutex_);
        return cores_.emplace_back(std::make_unique<CoreTotals>()).get();
    }

    void OnEnd(const LaunchInfo& info) override {
        CoreTotals sum;
        for (const auto& core : cores_) {
            sum.readBytes += core->readBytes;
            sum.writeBytes += core->writeBytes;
            std::transform(core->instructions, core->instructions + kPipes, sum.instructions,
                           sum.instructions, std::plus<uint64_t>());
        }
        std::string counts;
        for (const Pipe pipe :
             {Pipe::S, Pipe::V, Pipe::M, Pipe::Mte1, Pipe::Mte2, Pipe::Mte3, Pipe::Fix}) {
            counts += (counts.empty() ? "\"" : ", \"") + std::string(Name(pipe)) +
                      "\": " + std::to_string(sum.instructions[static_cast<size_t>(pipe)]);
        }
        std::fprintf(file_.get(),
                     "{\"kernel\": %s, \"block_dim\": %u, \"kernel_type\": \"%s\", "
                     "\"gm_read_bytes\": %" PRIu64 ", \"gm_write_bytes\": %" PRIu64
                     ", \"registry_read_bytes\": %" PRIu64 ", \"registry_write_bytes\": %" PRIu64
                     ", \"instructions\": {%s}, \"status\": %d}\n",
                     JsonText(info.kernel).c_str(), info.blockDim, info.kernelType.c_str(),
                     sum.readBytes, sum.writeBytes, info.registryReadBytes, info.registryWriteBytes,
                     counts.c_str(), info.status);
        Finish(std::move(file_), path_);
    }

private:
    std::string path_;
    File file_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<CoreTotals>> cores_;
};

std::vector<ObserverMaker>& Makers() {
    static auto* const makers = new std::vector<ObserverMaker>;
    return *makers;
}

}  // namespace

void AddObserverMaker(ObserverMaker maker) { Makers().push_back(maker); }

std::vector<std::unique_ptr<Observer>> MakeObservers(const Settings& settings) {
    std::vector<std::unique_ptr<Observer>> observers;
    if (!settings.dumpFile.empty()) {
        observers.push_back(std::make_unique<DumpObserver>(settings.dumpFile, settings.dumpValues));
    }
    if (!settings.statsFile.empty()) {
        observers.push_back(std::make_unique<StatsObserver>(settings.statsFile));
    }
    if (!settings.ubMapFile.empty()) {
        observers.push_back(MakeMapObserver(settings.ubMapFile));
    }
    for (const ObserverMaker maker : Makers()) {
        if (std::unique_ptr<Observer> observer = maker(settings)) {
            observers.push_back(std::move(observer));
        }
    }
    return observers;
}

}  // namespace twin
