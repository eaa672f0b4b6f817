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

/// The data of a launch before its first and after its last instruction.
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
    uint64_t registryReadBytes = 0;  ///< bytes that the checks of GM accesses have counted
    uint64_t registryWriteBytes = 0;
    BlockShape shape;
    uint32_t failedCore = UINT32_MAX;  ///< the core that `message` is about; lower ones have ended
    bool allStand = false;             ///< a deadlock of cores that have all begun
};

/// An observer's error about a launch, which ends the launch. No message means no error.
struct Verdict {
    std::string message;  ///< message, which starts with a stable code
    std::string hazards;  ///< findings for programs, as JSON
    CoreKind kind = CoreKind::Aiv;
};

/// Gets the records of one core, on the core's own thread and in program order.
class CoreRecorder {
public:
    virtual ~CoreRecorder() = default;
    /// OnOperands is called before the effect of an instruction, when memory contains the bytes
    /// that it reads; OnInstruction after the effect, when memory contains the bytes that it
    /// writes. In GM `begin` is a host address.
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
    virtual void OnReturn() {}
    /// Called after OnReturn, if the core left nothing that is an error.
    virtual void OnSuccess() {}
    /// Is called when the core ends with an error.
    virtual void OnFailure(const char* code, const char* text) {
        (void)code;
        (void)text;
    }
};

/// Watches a launch. `OnStart` is called once, before all others; `Recorder` once per core before
/// the core starts; `OnEnd` once, after all cores have stopped. Observers never change results.
class Observer {
public:
    virtual ~Observer() = default;
    virtual void OnStart(const LaunchInfo& info) { (void)info; }
    virtual CoreRecorder* Recorder(uint32_t block, uint32_t subBlock, CoreKind kind) = 0;
    /// Called before OnEnd.
    virtual Verdict Judge(const LaunchInfo& info) {
        (void)info;
        return {};
    }
    virtual void OnEnd(const LaunchInfo& info) = 0;
};

/// Makes an observer if the settings ask for it; otherwise returns nullptr.
using ObserverMaker = std::unique_ptr<Observer> (*)(const Settings& settings);
/// Adds an observer while the library is loaded; only code above twin/core calls this.
void AddObserverMaker(ObserverMaker maker);

/// Returns the observers that the settings ask for; throws std::runtime_error if a file cannot be
/// opened.
std::vector<std::unique_ptr<Observer>> MakeObservers(const Settings& settings);

}  // namespace twin
