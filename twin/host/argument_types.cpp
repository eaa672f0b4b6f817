// SPDX-License-Identifier: Apache-2.0
#include "host/argument_types.h"

#include <utility>

#include "core/types.h"
#include "host/error.h"

namespace twin::host {
namespace {

thread_local std::shared_ptr<ArgumentTypes> next;
thread_local std::shared_ptr<ArgumentTypes> launched;

}  // namespace

std::shared_ptr<ArgumentTypes> TakeArgumentTypes() {
    launched = std::exchange(next, nullptr);
    return launched;
}

}  // namespace twin::host

extern "C" {

aclError twinSetArgumentTypes(const aclDataType* types, size_t count) {
    return twin::host::Guard("twinSetArgumentTypes", [&]() -> int {
        if (types == nullptr && count > 0) {
            return twin::host::Fail(ACL_ERROR_INVALID_PARAM,
                                    "twinSetArgumentTypes: types is null, expected %zu", count);
        }
        twin::host::next = std::make_shared<twin::host::ArgumentTypes>(
            std::vector<aclDataType>(types, types + count));
        return ACL_SUCCESS;
    });
}

const char* twinArgumentTakenFor(size_t index) {
    const auto& launched = twin::host::launched;
    if (launched == nullptr || index >= launched->takenFor.size()) {
        return nullptr;
    }
    const uint32_t types = launched->takenFor[index];
    return types == 0 ? nullptr : twin::Name(static_cast<twin::Dtype>(__builtin_ctz(types)));
}

}  // extern "C"
