// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_HOST_ARGUMENT_TYPES_H
#define TWIN_HOST_ARGUMENT_TYPES_H

#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

#include "acl/acl.h"
#include "core/export.h"

namespace twin::host {

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

}  // namespace twin::host

extern "C" {

/// The toolkit does not have this function: callers look it up by name and do without it on a card.
/// It sets the element types of the arguments of this thread's next aclrtLaunchKernel;
/// ACL_DT_UNDEFINED means unknown.
TWIN_API aclError twinSetArgumentTypes(const aclDataType* types, size_t count);
/// Call this when that launch has ended. It returns the smaller type ("float") as which the kernel
/// read the elements of an array of doubles, or nullptr if it did not.
TWIN_API const char* twinArgumentTakenFor(size_t index);
}

#endif  // TWIN_HOST_ARGUMENT_TYPES_H
