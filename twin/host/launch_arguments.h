// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "core/launch.h"
#include "core/observer.h"
#include "core/types.h"

extern "C" {

/// The toolkit does not have this function: callers look it up by name and do without it on a card.
/// It sets the element types of the arguments of this thread's next aclrtLaunchKernel;
/// ACL_DT_UNDEFINED means unknown.
TWIN_API aclError twinSetArgumentTypes(const aclDataType* types, size_t count);
/// Call this when that launch has ended. It returns the smaller type ("float") as which the kernel
/// read the elements of an array of doubles, or nullptr if it did not.
TWIN_API const char* twinArgumentTakenFor(size_t index);
}

namespace twin::host {

/// Finds the names of arguments for errors, from the text of a call: "x, (uint8_t*)(tiling),
/// nullptr". The name is the converted expression, or else the position of the argument, from 0.
std::vector<std::string> SpelledNames(const std::string& arguments, size_t count);

/// The element types that a caller declares for the arguments of a launch, and the types as which
/// the kernel reads them.
struct ArgumentTypes {
    explicit ArgumentTypes(const std::vector<aclDataType>& types)
        : given(types), takenFor(types.size()) {}

    /// GmRange::takenFor of an argument; nullptr if nobody wants to know it.
    std::atomic<uint32_t>* Collector(size_t index) {
        const bool wide = index < given.size() && given[index] == ACL_DOUBLE;
        return wide ? &takenFor[index] : nullptr;
    }

    const std::vector<aclDataType> given;
    std::vector<std::atomic<uint32_t>> takenFor;
};

/// The types that this thread has declared since its last launch; nullptr if it has not. The next
/// launch takes them, and twinArgumentTakenFor reports about that launch.
std::shared_ptr<ArgumentTypes> TakeArgumentTypes();

/// Errors and dumps name memory by the argument that points to it, because the number of an
/// allocation would differ from run to run.
void NameArguments(LaunchSpec* spec);

/// Says which kinds of access the instructions of a launch make to a range of global memory.
struct GmRole {
    bool read = false;  ///< an atomic copy reads, too
    bool written = false;
};

/// Collects the role of every range, by its first byte.
class GmRoles : public Observer {
public:
    explicit GmRoles(std::map<uintptr_t, GmRole>* roles);
    ~GmRoles() override;

    CoreRecorder* Recorder(uint32_t block, uint32_t subBlock, CoreKind kind) override;
    void OnEnd(const LaunchInfo& info) override;

private:
    class Recording;

    std::map<uintptr_t, GmRole>* roles_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<Recording>> cores_;
};

/// Launches, then launches again on the same memory with changes that must not matter: the order of
/// the blocks, the number of threads, the contents of outputs and workspaces before. T611 to T613
/// report differences. Afterwards the memory has the results of the first launch.
LaunchResult LaunchWithRepetitions(const LaunchSpec& spec);

}  // namespace twin::host
