// SPDX-License-Identifier: Apache-2.0
// Makes the observers of a launch. One of them is defined here: it writes the total numbers of
// bytes of the launch to a file.
#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <mutex>

#include "core/coverage.h"
#include "core/dump.h"
#include "core/files.h"
#include "core/memory_map.h"
#include "core/observer.h"
#include "core/types.h"

namespace twin {
namespace {

constexpr size_t kPipes = 11;

class CoreTotals : public CoreRecorder {
public:
    void OnInstruction(const Instruction& instruction) override {
        ++instructions[static_cast<size_t>(instruction.pipe)];
        if (instruction.opcode == Opcode::GetTilingData) {
            return;  // the totals are those of the operands
        }
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
        observers.push_back(MakeDumpObserver(settings.dumpFile, settings.dumpValues));
    }
    if (!settings.statsFile.empty()) {
        observers.push_back(std::make_unique<StatsObserver>(settings.statsFile));
    }
    if (!settings.ubMapFile.empty()) {
        observers.push_back(MakeMapObserver(settings.ubMapFile));
    }
    if (!settings.coverageFile.empty()) {
        observers.push_back(MakeCoverageObserver(settings.coverageFile));
    }
    for (const ObserverMaker maker : Makers()) {
        if (std::unique_ptr<Observer> observer = maker(settings)) {
            observers.push_back(std::move(observer));
        }
    }
    return observers;
}

}  // namespace twin
