// SPDX-License-Identifier: Apache-2.0
#include "core/launch.h"

#include <algorithm>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "core/launch_state.h"
#include "core/process_calls.h"
#include "core/types.h"
#include "core/worker.h"
#include "soc/soc.h"

namespace twin {
namespace {

const char* KindName(KernelKind kind) {
    static const char* const kNames[] = {"KERNEL_TYPE_AIV_ONLY",    "KERNEL_TYPE_AIC_ONLY",
                                         "KERNEL_TYPE_MIX_AIV_1_0", "KERNEL_TYPE_MIX_AIC_1_0",
                                         "KERNEL_TYPE_MIX_AIC_1_1", "KERNEL_TYPE_MIX_AIC_1_2"};
    const int index = static_cast<int>(kind);
    return index >= 0 && index < 6 ? kNames[index] : "unknown";
}

LaunchResult Invalid(std::string message) {
    return LaunchResult{kLaunchInvalid, std::move(message)};
}

/// Returns the result of a launch that has failed on a core of this kind.
LaunchResult Failed(std::string message, CoreKind kind) {
    const bool aic = kind == CoreKind::Aic;
    switch (HowItEnds(message.c_str())) {
        case Ends::Refused:
            return Invalid(std::move(message));
        case Ends::Timeout:
            return LaunchResult{aic ? kLaunchAicTimeout : kLaunchAivTimeout, std::move(message)};
        default:
            return LaunchResult{aic ? kLaunchAicException : kLaunchAivException,
                                std::move(message)};
    }
}

/// Returns an error if the kernel's type needs a kind of core for which no code exists, else "".
std::string MissingCode(const LaunchState& launch) {
    const KernelImage& image = *launch.spec.image;
    const bool noAiv = launch.shape.aiv != 0 && image.CodeFor(CoreKind::Aiv) == nullptr;
    const bool noAic = launch.shape.aic != 0 && image.CodeFor(CoreKind::Aic) == nullptr;
    if (!noAiv && !noAic) {
        return "";
    }
    return "T606 no code for this kind of core: kernel " + std::string(image.Binary().name) +
           " is " + KindName(launch.kind) + " under tiling key " +
           std::to_string(launch.spec.tilingKey) + ", but was compiled for " +
           (noAiv ? "cube" : "vector") +
           " cores only\n  try: KERNEL_TASK_TYPE_DEFAULT for the tiling keys that name no type";
}

/// Returns a list for a message: all keys, or the first keys and the number of all keys.
std::string ListOf(const std::set<uint64_t>& keys) {
    constexpr size_t kShown = 12;
    std::string list;
    size_t count = 0;
    for (const uint64_t key : keys) {
        if (count++ == kShown) {
            return list + ", ... (" + std::to_string(keys.size()) + " keys)";
        }
        list += (list.empty() ? "" : ", ") + std::to_string(key);
    }
    return list;
}

/// Returns the error (T614) of a launch whose tiling key the kernel does not name. `result` is the
/// consequence, for the message. Returns "" if the kernel names the key, or may have a branch for
/// every key.
std::string UnknownKey(const LaunchSpec& spec, const std::string& result) {
    const std::set<uint64_t>& keys = spec.image->TilingKeys();
    if (spec.image->ReadsTilingKey() || keys.count(spec.tilingKey) != 0) {
        return "";
    }
    const std::string key = std::to_string(spec.tilingKey);
    return "T614 no branch for tiling key " + key + ": kernel " +
           std::string(spec.image->Binary().name) + " names " +
           (keys.empty() ? "no key" : "the keys " + ListOf(keys)) + " (TILING_KEY_IS), " + result +
           "\n  try: a branch `if (TILING_KEY_IS(" + key + "))` in the kernel" +
           (spec.packaged
                ? " (an `else` does not count), or another key in the tiling function, SetTilingKey"
                : ", or a launch with another key");
}

/// Returns an error if a card would have no code for the tiling key of a packaged operator, else
/// "". A kernel that belongs to no package is compiled for the key of the launch, so a card has
/// code for this key.
std::string MissingKey(const LaunchSpec& spec) {
    const bool only0 = spec.image->TilingKeys().empty();
    if (!spec.packaged || (only0 && spec.tilingKey == 0)) {
        return "";
    }
    return UnknownKey(spec, only0 ? "so a card has code for key 0 alone"
                                  : "and a card has code for these keys only");
}

/// Returns an error if the launch had no effect because the kernel has no branch for its tiling
/// key, else "".
std::string NothingDone(const LaunchState& launch) {
    const bool names = !launch.spec.image->TilingKeys().empty();
    return names && launch.gmWriteBytes == 0 && !launch.output.Printed()
               ? UnknownKey(launch.spec, "and wrote nothing to global memory with this key")
               : "";
}

uint32_t ThreadCount(const LaunchState& launch) {
    uint32_t count = launch.spec.settings.threads;
    if (count == 0) {
        count = std::max(1U, std::thread::hardware_concurrency());
    }
    return std::min(count, static_cast<uint32_t>(launch.order.size()));
}

/// Adds an observer's error to the result; a launch that has failed keeps its status.
void Apply(const Verdict& verdict, LaunchResult* result) {
    if (verdict.message.empty()) {
        return;
    }
    const LaunchResult judged = Failed(verdict.message, verdict.kind);
    result->status = result->status == kLaunchOk ? judged.status : result->status;
    result->message = verdict.message;
    result->hazards = verdict.hazards;
}

/// Returns the data of the launch that are known before its first instruction.
LaunchInfo InfoOf(const LaunchState& launch) {
    const LaunchSpec& spec = launch.spec;
    LaunchInfo info;
    info.shape = launch.shape;
    info.image = spec.image.get();
    info.kernel = spec.image->Binary().name;
    info.kernelType = KindName(launch.kind);
    info.blockDim = spec.blockDim;
    info.tilingKey = spec.tilingKey;
    info.gm = launch.gm;
    info.soc = launch.soc.name;
    info.memoryBytes = SizesOf(launch.soc);
    return info;
}

LaunchResult RunLaunch(LaunchState& launch) {
    LaunchInfo info = InfoOf(launch);
    for (const auto& observer : launch.observers) {
        observer->OnStart(info);
    }
    InstallFaultHandlers();
    WatchProcessCalls();
    RunOnWorkers(launch, ThreadCount(launch));
    launch.output.Flush();
    if (launch.divided.load()) {
        std::fprintf(stderr,
                     "cannery: kernel %s: warning: an integer was divided by zero after %s:%u; the "
                     "result is -1 here and undefined on a card (T503 in pedantic mode)\n",
                     info.kernel.c_str(), launch.divisionAfter.file, launch.divisionAfter.line);
    }
    launch.ApplyAtomics();
    LaunchResult result;
    if (const Failure* failure = launch.FirstFailure()) {
        result = Failed(failure->text, failure->kind);
    } else if (launch.outOfMemory) {
        result = Invalid(
            "T605 the launch could not go on: this machine has no memory left for its "
            "cores\n  try: fewer blocks at a time, or CANNERY_THREADS=1");
    } else if (launch.cancelled) {
        result = Failed("T509 cancelled: the stream was aborted while the kernel ran",
                        launch.shape.aic != 0 ? CoreKind::Aic : CoreKind::Aiv);
    } else if (std::string nothing = NothingDone(launch); !nothing.empty()) {
        result = Invalid(std::move(nothing));
    }
    if (const Failure* failure = launch.FirstFailure()) {
        info.failedCore = failure->coreIdx;
        info.allStand = failure->allStand;
    }
    info.status = result.status;
    info.message = result.message;
    info.registryReadBytes = launch.gmReadBytes;
    info.registryWriteBytes = launch.gmWriteBytes;
    for (const auto& observer : launch.observers) {
        try {
            Apply(observer->Judge(info), &result);
            info.status = result.status;
            info.message = result.message;
        } catch (const std::exception& error) {
            result = Invalid(std::string("T609 not recorded: ") + error.what());
        }
    }
    for (const auto& observer : launch.observers) {
        try {
            observer->OnEnd(info);
        } catch (const std::exception& error) {
            if (result.status == kLaunchOk) {
                result = Invalid(std::string("T609 not recorded: ") + error.what());
            }
        }
    }
    return result;
}

}  // namespace

LaunchResult Launch(const LaunchSpec& spec) {
    // The twin models one device that runs one kernel at a time, so that results and errors do not
    // depend on what else the process runs.
    static std::mutex* const oneAtATime = new std::mutex;
    const std::lock_guard<std::mutex> lock(*oneAtATime);
    const SocInfo* soc = FindSoc(spec.settings.soc.c_str());
    if (spec.image == nullptr || soc == nullptr) {
        return Invalid("T601 launch without a kernel or a known SoC");
    }
    const KernelBinary& binary = spec.image->Binary();
    if (spec.blockDim == 0 || spec.blockDim > 65535) {
        return Invalid("T601 blockDim is " + std::to_string(spec.blockDim) +
                       ", expected 1 to 65535");
    }
    if (!binary.TakesBytes(spec.args.size() * sizeof(void*))) {
        return Invalid("T602 wrong number of arguments: kernel " + std::string(binary.name) +
                       " takes " + std::to_string(binary.argCount) + " arguments of " +
                       std::to_string(binary.ArgBytes()) + " bytes, got " +
                       std::to_string(spec.args.size() * sizeof(void*)) + " bytes");
    }
    const std::string missingKey = MissingKey(spec);
    if (!missingKey.empty()) {
        return Invalid(missingKey);
    }
    const KernelKind kind = spec.image->KindOf(spec.tilingKey);
    if (kind < KernelKind::AivOnly || kind > KernelKind::MixAic12) {
        return Invalid("T604 kernel " + std::string(binary.name) + " is of type " +
                       std::to_string(static_cast<int>(kind)) +
                       ", which A2 and A3 do not have: expected KERNEL_TYPE_AIV_ONLY, AIC_ONLY or "
                       "one of MIX_*");
    }
    if (spec.image->Code().Closed()) {
        return Invalid(
            "T608 the kernel cannot run again in this process: a thread of an earlier "
            "launch of it hangs in a call that it does not come back from");
    }
    try {
        auto launch = std::make_unique<LaunchState>(spec, *soc, kind);
        const std::string missing = MissingCode(*launch);
        if (!missing.empty()) {
            return Invalid(missing);
        }
        launch->observers = MakeObservers(spec.settings);
        if (spec.observer) {
            launch->observers.push_back(spec.observer());
        }
        LaunchResult result = RunLaunch(*launch);
        if (launch->abandoned) {
            // A thread of the launch hangs and still uses this object, which is therefore kept.
            static auto* const kept = new std::vector<std::unique_ptr<LaunchState>>;
            kept->push_back(std::move(launch));
        }
        return result;
    } catch (const std::bad_alloc&) {
        return Invalid("T605 no memory");  // short enough for a string without allocation
    } catch (const std::exception& error) {
        return Invalid(std::string("T605 the launch could not start: ") + error.what());
    }
}

}  // namespace twin
