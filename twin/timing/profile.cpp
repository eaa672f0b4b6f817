// SPDX-License-Identifier: Apache-2.0
// The observer that computes the times of a launch. It records the instructions of the cores,
// simulates them in modelled time when all cores have ended, and appends the results to a file.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <stdexcept>
#include <tuple>

#include "core/files.h"
#include "core/observer.h"
#include "core/types.h"
#include "timing/core_clock.h"
#include "timing/replay.h"

namespace twin::timing {
namespace {

/// Version of the model: profiles of different versions are not compared.
constexpr uint32_t kModelVersion = 8;

/// Returns, for cube and for vector cores, how long a core waits for a unit of code, and the part
/// of this time that grows with the number of cores.
std::string CodeJson(const StartupCosts& costs) {
    std::string text;
    for (const CoreKind kind : {CoreKind::Aic, CoreKind::Aiv}) {
        text += std::string(text.empty() ? "" : ", ") + "\"" + Name(kind) + "\": [" +
                std::to_string(costs.codeWait(kind)) + ", " + std::to_string(costs.codeTurn(kind)) +
                "]";
    }
    return "{" + text + "}";
}

std::string CoreJson(const CoreClock& core) {
    const Program& program = core.program();
    std::string busy;
    for (uint32_t pipe = 0; pipe < kPipes; ++pipe) {
        busy += (pipe == 0 ? "" : ", ") + std::to_string(core.busy(pipe));
    }
    std::string startup;
    for (const Ticks ticks : core.startup()) {
        startup += (startup.empty() ? "" : ", ") + std::to_string(ticks);
    }
    return "{" + Field("block", program.block) + ", " + Field("sub_block", program.subBlock) +
           ", \"kind\": \"" + Name(program.kind) + "\", " + Field("start", core.start()) + ", " +
           Field("end", core.end()) + ", " + Field("conflicts", core.conflicts()) + ", " +
           Field("instructions", program.instructions) + ", \"busy\": [" + busy +
           "], \"startup\": [" + startup + "]}";
}

/// Calls `look` with the GM addresses that the first `most` instructions of the program access, in
/// program order.
template <typename Look>
void ForEachAddress(const Program& program, uint64_t most, Look look) {
    const std::vector<uint32_t>& code = program.code;
    for (size_t at = 0; at < code.size() && most != 0;) {
        if ((code[at] & Program::kScalarWork) != 0) {
            ++at;
            continue;
        }
        --most;
        const size_t end = at + 1 + 2 * size_t{program.table.operations[code[at]].accesses};
        for (++at; at < end; at += 2) {
            look(code[at] | uint64_t{code[at + 1]} << 32);
        }
    }
}

/// Returns label, device address and bytes of each GM range that the launch has accessed. Labels
/// omit the number of the allocation, which depends on what the process did before.
std::string GmJson(const LaunchInfo& info, const Replay& replay) {
    std::map<uint64_t, const GmRange*> ranges;
    for (const GmRange& range : info.gm) {
        ranges[range.device] = &range;
    }
    std::map<uint64_t, const GmRange*> touched;
    uint64_t begin = 0, end = 0;  // bounds of the latest range found
    const auto look = [&](uint64_t address) {
        if (address >= begin && address < end) {
            return;
        }
        auto range = ranges.upper_bound(address);
        if (range != ranges.begin()) {
            --range;
            touched.insert(*range);
            begin = range->first;
            end = begin + range->second->bytes;
        }
    };
    for (const auto& core : replay.cores()) {
        ForEachAddress(core->program(), core->program().instructions, look);
    }
    std::string text;
    for (const auto& range : touched) {
        const std::string& label = range.second->label;
        text += (text.empty() ? "[" : ", [") + JsonText(label.substr(0, label.find(" #"))) + ", " +
                std::to_string(range.first) + ", " + std::to_string(range.second->bytes) + "]";
    }
    return "[" + text + "]";
}

/// Returns the files, or else the kernel, whose scalar work is not counted.
std::string UncountedJson(const LaunchInfo& info, const Replay& replay) {
    std::set<std::string> files;
    bool counted = false;
    for (const auto& core : replay.cores()) {
        const Program& program = core->program();
        counted = counted || program.counted;
        if (program.uncounted != nullptr) {
            files.insert(program.uncounted);
        }
    }
    if (!counted && files.empty()) {
        files.insert(info.kernel);
    }
    std::string text;
    for (const std::string& file : files) {
        text += (text.empty() ? "" : ", ") + JsonText(file);
    }
    return "[" + text + "]";
}

template <typename T>
bool WriteAll(std::FILE* file, const T* items, size_t count) {
    return std::fwrite(items, sizeof(T), count, file) == count;
}

/// Puts the arguments into L2 in the order of their modelled device addresses. Host addresses
/// differ from run to run, so they must not decide which arguments are in L2.
void Warm(const LaunchInfo& info, MemorySystem* memory) {
    std::map<uint64_t, uint64_t> ranges;
    for (const GmRange& range : info.gm) {
        if (range.label != "system workspace") {
            ranges[range.device] = range.bytes;
        }
    }
    for (const auto& range : ranges) {
        memory->Warm(range.first, range.second);
    }
}

std::string MemoryJson(const MemorySystem::Totals& t) {
    return "{" + Field("hbm_read", t.hbmRead) + ", " + Field("hbm_written", t.hbmWritten) + ", " +
           Field("l2_read", t.l2Read) + ", " + Field("l2_hit", t.l2Hit) + ", " +
           Field("l2_written", t.l2Written) + ", " + Field("load_bytes", t.loadBytes) + ", " +
           Field("store_bytes", t.storeBytes) + ", " + Field("hbm_busy", t.hbmBusy) + ", " +
           Field("l2_busy", t.l2Busy) + "}";
}

/// Returns the names of the values of Row::why from kFlagBase on.
std::string EventsJson() {
    std::string names;
    for (uint32_t event = 0; event < kHardEvents; ++event) {
        names += (event == 0 ? "\"" : ", \"") + std::string(EventInfo(event).name) + "\"";
    }
    return "[" + names + "]";
}

std::string SocJson(const SocInfo& soc) {
    char rates[96];
    std::snprintf(rates, sizeof(rates), "\"l2_read_bytes\": %.3f, \"l2_write_bytes\": %.3f",
                  soc.l2ReadBytes, soc.l2WriteBytes);
    return "{\"name\": \"" + std::string(soc.name) + "\", " + Field("mhz", soc.cubeMHz) + ", " +
           Field("aic", soc.aicCores) + ", " + Field("aiv", soc.aivCores) + ", " +
           Field("hbm_gbs", soc.hbmGBs) + ", " + Field("l2_bytes", soc.l2Bytes) + ", " + rates +
           "}";
}

class ProfileObserver : public Observer {
public:
    explicit ProfileObserver(const Settings& settings)
        : soc_(*FindSoc(settings.soc.c_str())),
          path_(settings.profileFile),
          warm_(settings.profileWarm),
          without_(settings.profileWithout),
          most_(settings.profileMost) {}

    CoreRecorder* Recorder(uint32_t block, uint32_t subBlock, CoreKind kind) override {
        const std::lock_guard<std::mutex> lock(mutex_);
        auto& program = programs_[{block, kind == CoreKind::Aiv, subBlock}];
        program = std::make_unique<Program>(block, subBlock, kind, table_);
        return program.get();
    }

    void OnEnd(const LaunchInfo& info) override {
        std::vector<const Program*> programs;
        programs.reserve(programs_.size());
        for (const auto& program : programs_) {
            programs.push_back(program.second.get());
        }
        Operations operations(table_);
        Replay replay(soc_, programs, operations, most_, without_, warm_);
        if (warm_) {
            Warm(info, &replay.memory());
        }
        // The time of a kernel that failed would mean nothing.
        if (info.status == 0) {
            replay.Run();
        }
        Write(info, replay, operations);
    }

private:
    void Write(const LaunchInfo& info, Replay& replay, const Operations& operations) {
        uint64_t rows = 0;
        std::vector<uint64_t> addresses;  // of the instructions whose rows are kept
        std::string cores;
        for (const auto& core : replay.cores()) {
            for (Row& row : core->rows()) {
                row.operation = operations.NumberOf(row.operation);
            }
            ForEachAddress(core->program(), core->rows().count,
                           [&addresses](uint64_t address) { addresses.push_back(address); });
            rows += core->rows().count;
            cores += (cores.empty() ? "" : ", ") + CoreJson(*core);
        }
        const std::string head =
            "{\"kernel\": " + JsonText(info.kernel) + ", \"kernel_type\": \"" + info.kernelType +
            "\", " + Field("block_dim", info.blockDim) + ", " +
            Field("tiling_key", info.tilingKey) + ", \"status\": " + std::to_string(info.status) +
            ", \"message\": " + JsonText(info.message) +
            ", \"stuck\": " + JsonText(replay.stuck()) + ", " + Field("model", kModelVersion) +
            ", " + Field("warm", warm_ ? 1 : 0) + ", " + Field("without", without_) +
            ", \"code\": " + CodeJson(replay.costs()) + ", " + Field("task", replay.task()) +
            ", \"uncounted\": " + UncountedJson(info, replay) + ", \"events\": " + EventsJson() +
            ", \"soc\": " + SocJson(soc_) +
            ", \"memory\": " + MemoryJson(replay.memory().totals()) + ", \"cores\": [" + cores +
            "], \"gm\": " + GmJson(info, replay) + ", " + Field("rows", rows) + ", " +
            Field("addresses", addresses.size()) + ", \"waits\": " + operations.WaitsJson() +
            "}\n" + operations.Json() + "\n";
        std::FILE* const file = std::fopen(path_.c_str(), "ab");
        bool good =
            file != nullptr && std::fwrite(head.data(), 1, head.size(), file) == head.size();
        for (size_t i = 0; good && i < replay.cores().size(); ++i) {
            const RowLog::Kept kept = replay.cores()[i]->rows();
            good = WriteAll(file, kept.first, kept.count);
        }
        good = good && WriteAll(file, addresses.data(), addresses.size());
        for (size_t i = 0; good && i < replay.cores().size(); ++i) {
            const CoreClock& core = *replay.cores()[i];
            good = WriteAll(file, core.scalarWork(), core.rows().count);
        }
        good = file != nullptr && std::fclose(file) == 0 && good;
        if (!good) {
            throw std::runtime_error("the profile " + path_ + " cannot be written: " +
                                     std::strerror(errno) + "\n  try: a disk with room for it");
        }
    }

    const SocInfo& soc_;
    const std::string path_;
    const bool warm_;
    const uint32_t without_;
    const uint64_t most_;
    OperationTable table_;
    std::mutex mutex_;
    std::map<std::tuple<uint32_t, bool, uint32_t>, std::unique_ptr<Program>> programs_;
};

std::unique_ptr<Observer> Make(const Settings& settings) {
    return settings.profileFile.empty() ? nullptr : std::make_unique<ProfileObserver>(settings);
}

[[maybe_unused]] const bool kAdded = (AddObserverMaker(&Make), true);

}  // namespace
}  // namespace twin::timing
