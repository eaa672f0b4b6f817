// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_CORE_OBSERVER_H
#define TWIN_CORE_OBSERVER_H

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/gm.h"
#include "core/instruction.h"
#include "core/settings.h"

namespace twin {

/// What is known about a launch before its first and after its last instruction.
struct LaunchInfo {
    std::string kernel;
    std::string kernelType;
    uint32_t blockDim = 0;
    uint64_t tilingKey = 0;
    std::vector<GmRange> gm;  ///< every range the launch may touch, sorted by address
    int32_t status = 0;
    std::string message;
    uint64_t registryReadBytes = 0;  ///< counted by the GM access checks
    uint64_t registryWriteBytes = 0;
};

/// One core's recorder: called on the core's own thread, in program order.
class CoreRecorder {
public:
    virtual ~CoreRecorder() = default;
    virtual void OnInstruction(const Instruction& instruction) = 0;
};

/// Watches a launch. `Recorder` is called once per core before the core starts; `OnEnd` once, after
/// all cores stopped. Semantics never depend on observers.
class Observer {
public:
    virtual ~Observer() = default;
    virtual CoreRecorder* Recorder(uint32_t block, uint32_t subBlock, CoreKind kind) = 0;
    virtual void OnEnd(const LaunchInfo& info) = 0;
};

/// The observers that the settings ask for; throws std::runtime_error when a file cannot be opened.
std::vector<std::unique_ptr<Observer>> MakeObservers(const Settings& settings);

}  // namespace twin

#endif  // TWIN_CORE_OBSERVER_H
