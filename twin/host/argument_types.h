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

/// What a caller says about the elements of a launch's arguments, and what the kernel makes of
/// them.
struct ArgumentTypes {
    explicit ArgumentTypes(const std::vector<aclDataType>& types)
        : given(types), takenFor(types.size()) {}

    /// GmRange::takenFor of an argument; nullptr where nothing is to be found out.
    std::atomic<uint32_t>* Collector(size_t index) {
        const bool wide = index < given.size() && given[index] == ACL_DOUBLE;
        return wide ? &takenFor[index] : nullptr;
    }

    const std::vector<aclDataType> given;
    std::vector<std::atomic<uint32_t>> takenFor;
};

/// What this thread has said since its last launch; nullptr: nothing. The launch that takes it is
/// the one that twinArgumentTakenFor tells about.
std::shared_ptr<ArgumentTypes> TakeArgumentTypes();

}  // namespace twin::host

extern "C" {

/// No function of the toolkit: callers look it up by name and do without on a card. The element
/// types of the arguments of this thread's next aclrtLaunchKernel; ACL_DT_UNDEFINED: not known.
TWIN_API aclError twinSetArgumentTypes(const aclDataType* types, size_t count);
/// When that launch has ended: the smaller type ("float") that the kernel took the elements of an
/// array of doubles for, nullptr when it did not.
TWIN_API const char* twinArgumentTakenFor(size_t index);
}

#endif  // TWIN_HOST_ARGUMENT_TYPES_H
