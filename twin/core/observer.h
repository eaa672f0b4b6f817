// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/cross_core.h"
#include "core/gm.h"
#include "core/instruction.h"
#include "core/settings.h"
#include "core/types.h"

namespace twin {

class Core;
class KernelImage;

/// Data of a launch that observers get before its first and after its last instruction.
struct LaunchInfo {
    std::string kernel;
    std::string kernelType;
    uint32_t blockDim = 0;
    uint64_t tilingKey = 0;
    const KernelImage* image = nullptr;
    std::vector<GmRange> gm;  ///< every range that the launch may touch, sorted by address
    int32_t status = 0;
    std::string message;
    const char* soc = "";
    MemorySizes memoryBytes{};       ///< bytes of each memory that a kernel of this type may use
    uint64_t registryReadBytes = 0;  ///< bytes that cores have read, as CheckGm counts them
    uint64_t registryWriteBytes = 0;
    BlockShape shape;
    uint32_t failedCore = UINT32_MAX;  ///< core that `message` is about; lower cores have ended
    bool allStand = false;             ///< there is a deadlock, and all cores have started
};

/// An error that an observer has found; the launch fails with it. No message means no error.
struct Verdict {
    std::string message;  ///< message, which starts with a stable code
    std::string hazards;  ///< the findings as JSON, for programs
    CoreKind kind = CoreKind::Aiv;
};

/// Receives the instruction records of one core, on the core's own thread and in program order.
class CoreRecorder {
public:
    virtual ~CoreRecorder() = default;
    /// OnOperands is called before an instruction has its effect: memory contains the bytes that it
    /// reads. OnResults is called after the effect: memory contains the bytes that it has written.
    /// In both calls, `begin` of a GM range is a host address; in OnInstruction, a device address.
    virtual void OnOperands(const Instruction& next, const Core& core) {
        (void)next;
        (void)core;
    }
    virtual void OnResults(const Instruction& done, const Core& core) {
        (void)done;
        (void)core;
    }
    virtual void OnInstruction(const Instruction& instruction) = 0;
    virtual void OnBuffer(const BufferEvent& event) { (void)event; }
    /// Is called when the kernel has returned on this core.
    virtual void OnReturn(const Core& core) { (void)core; }
    /// Is called after OnReturn, if the checks at the end of the kernel have found no error.
    virtual void OnSuccess() {}
    /// Is called for an error that does not end the core: the hazard checker reports the error.
    virtual void OnMistake(const char* code, const char* text) {
        (void)code;
        (void)text;
    }
    /// Is called when the core ends with an error.
    virtual void OnFailure(const char* code, const char* text) {
        (void)code;
        (void)text;
    }
};

/// Watches a launch and never changes its results. `OnStart` is called first. `Recorder` is
/// called once per core, before the core starts. `OnEnd` is called after all cores have stopped.
class Observer {
public:
    virtual ~Observer() = default;
    virtual void OnStart(const LaunchInfo& info) { (void)info; }
    virtual CoreRecorder* Recorder(uint32_t block, uint32_t subBlock, CoreKind kind) = 0;
    /// Returns the error that the observer has found, if any. Is called before OnEnd.
    virtual Verdict Judge(const LaunchInfo& info) {
        (void)info;
        return {};
    }
    virtual void OnEnd(const LaunchInfo& info) = 0;
};

/// Function that makes an observer, or returns nullptr if the settings do not ask for it.
using ObserverMaker = std::unique_ptr<Observer> (*)(const Settings& settings);
/// Registers `maker`. Code outside of twin/core calls this while the twin's library is loaded.
void AddObserverMaker(ObserverMaker maker);

/// Returns the observers that the settings ask for; throws std::runtime_error if a file cannot be
/// opened.
std::vector<std::unique_ptr<Observer>> MakeObservers(const Settings& settings);

}  // namespace twin
