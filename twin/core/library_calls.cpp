// SPDX-License-Identifier: Apache-2.0
#include "core/library_calls.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace twin {

bool LibraryCall::Late(const char* operand, Dtype dtype) const {
    return std::any_of(late, late + lateCount, [=](const LateOperand& each) {
        return (each.types >> static_cast<uint32_t>(dtype) & 1) != 0 &&
               std::strcmp(each.name, operand) == 0;
    });
}

const LibraryCall& FindLibraryCall(const char* name) {
    const LibraryCall* const end = kLibraryCalls + kLibraryCallCount;
    const LibraryCall* const found =
        std::lower_bound(kLibraryCalls, end, name, [](const LibraryCall& call, const char* wanted) {
            return std::strcmp(call.name, wanted) < 0;
        });
    if (found == end || std::strcmp(found->name, name) != 0) {
        std::abort();  // an API that twin/library_calls.toml does not have
    }
    return *found;
}

}  // namespace twin
