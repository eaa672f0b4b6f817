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
#include "core/gm.h"
#include "core/launch.h"
#include "core/observer.h"
#include "core/types.h"

extern "C" {

/// Sets data for this thread's next aclrtLaunchKernel. `types` are the element types of the
/// arguments (ACL_DT_UNDEFINED: unknown). `workspace` is the address of the user workspace (null:
/// there is none). The function fills its `bytes` bytes with kWorkspaceFill (core/gm.h). The
/// toolkit does not have this function, so callers look it up by name.
TWIN_API aclError twinSetArgumentTypes(const aclDataType* types, size_t count, void* workspace,
                                       uint64_t bytes);
/// Returns the name of a type ("float") if argument `index` is an array of another type, but the
/// kernel used it as this type; else nullptr. Call it after the launch that followed
/// twinSetArgumentTypes.
TWIN_API const char* twinArgumentTakenFor(size_t index);
}

namespace twin::host {

/// Returns argument names for error messages, from a call's text such as "x, (uint8_t*)(tiling),
/// nullptr". A name is the expression without type conversions, or the argument's index from 0.
std::vector<std::string> SpelledNames(const std::string& arguments, size_t count);

/// Element types that a caller declares for a launch's arguments, and types that the kernel uses.
struct ArgumentTypes {
    ArgumentTypes(const std::vector<aclDataType>& types, const void* workspace);

    /// Returns the argument's array; nullptr if its element type is not known.
    GivenArray* Array(size_t index) {
        return index < arrays.size() && arrays[index].dtype.Known() ? &arrays[index] : nullptr;
    }

    std::vector<GivenArray> arrays;
    const void* workspace;
    std::atomic<uint32_t> computed{0};  ///< LaunchSpec::computed
};

/// Removes and returns the types that this thread has declared for its next launch, or nullptr.
/// twinArgumentTakenFor then reports about this launch.
std::shared_ptr<ArgumentTypes> TakeArgumentTypes();

/// Adds the names of the pointer arguments to the launch. Errors and dumps show these names, not
/// names like "aclrtMalloc #3", whose numbers can differ from run to run.
void NameArguments(LaunchSpec* spec);

/// Kinds of access that the instructions of a launch make to a range of global memory.
struct GmRole {
    bool read = false;  ///< true also for an atomic copy, which reads the old value
    bool written = false;
};

/// Collects a GmRole for every memory range that a launch accesses, by the range's first address.
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

/// Launches a kernel, then repeats the launch on the same memory with other block orders, threads
/// and initial contents. Reports different results (T612), unwritten outputs (T611) and changed
/// inputs (T613). At the end, the memory contains the results of the first launch.
LaunchResult LaunchWithRepetitions(const LaunchSpec& spec);

}  // namespace twin::host
