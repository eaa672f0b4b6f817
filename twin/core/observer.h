// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_CORE_OBSERVER_H
#define TWIN_CORE_OBSERVER_H

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/buffer.h"
#include "core/cross_core.h"
#include "core/gm.h"
#include "core/instruction.h"
#include "core/settings.h"

namespace twin {

class Core;
class KernelImage;

/// What is known about a launch before its first and after its last instruction.
struct LaunchInfo {
    std::string kernel;
    std::string kernelType;
    uint32_t blockDim = 0;
    uint64_t tilingKey = 0;
    const KernelImage* image = nullptr;
    std::vector<GmRange> gm;  ///< every range the launch may touch, sorted by address
    int32_t status = 0;
    std::string message;
    const char* soc = "";
    MemorySizes memoryBytes{};       ///< what a kernel of its type may use
    uint64_t registryReadBytes = 0;  ///< counted by the GM access checks
    uint64_t registryWriteBytes = 0;
    BlockShape shape;
    uint32_t failedCore = UINT32_MAX;  ///< whose failure `message` tells of; lower ones have ended
    bool allStand = false;             ///< it is a deadlock, of cores that have all begun
};

/// What an observer has against a launch: it ends with it. No message: nothing.
struct Verdict {
    std::string message;  ///< starts with a stable code
    std::string hazards;  ///< for programs, JSON
    CoreKind kind = CoreKind::Aiv;
};

/// One core's recorder: called on the core's own thread, in program order.
class CoreRecorder {
public:
    virtual ~CoreRecorder() = default;
    /// Before the effect of the next instruction, and after it: bytes in memory are what it finds,
    /// and what it leaves. In GM `begin` is a host address.
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
    /// The kernel has returned on this core.
    virtual void OnReturn() {}
    /// After OnReturn, where nothing was left that is an error.
    virtual void OnSuccess() {}
    /// The core ends with an error here.
    virtual void OnFailure(const char* code, const char* text) {
        (void)code;
        (void)text;
    }
};

/// Watches a launch. `OnStart` is called once, before all others; `Recorder` once per core before
/// the core starts; `OnEnd` once, after all cores stopped. Semantics never depend on observers.
class Observer {
public:
    virtual ~Observer() = default;
    virtual void OnStart(const LaunchInfo& info) { (void)info; }
    virtual CoreRecorder* Recorder(uint32_t block, uint32_t subBlock, CoreKind kind) = 0;
    /// Before OnEnd.
    virtual Verdict Judge(const LaunchInfo& info) {
        (void)info;
        return {};
    }
    virtual void OnEnd(const LaunchInfo& info) = 0;
};

/// Makes an observer where the settings ask for it; nullptr where they do not.
using ObserverMaker = std::unique_ptr<Observer> (*)(const Settings& settings);
/// What lies above the core adds its observers while the library is loaded.
void AddObserverMaker(ObserverMaker maker);

/// The observers that the settings ask for; throws std::runtime_error when a file cannot be opened.
std::vector<std::unique_ptr<Observer>> MakeObservers(const Settings& settings);

}  // namespace twin

#endif  // TWIN_CORE_OBSERVER_H
