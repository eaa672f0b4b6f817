// SPDX-License-Identifier: Apache-2.0
#ifndef CANNERY_COPY_H
#define CANNERY_COPY_H

#include <cstdint>
#include <vector>

#include "acl_api.h"

namespace cannery {

struct Copy {
    void* to;
    const void* from;
    uint64_t bytes;
};

/// Makes all copies with the GIL released, on several threads if they are large. Throws AclFailure
/// with the status of the first copy that failed.
void CopyAll(const std::vector<Copy>& copies, aclrtMemcpyKind kind);

}  // namespace cannery

#endif  // CANNERY_COPY_H
