// SPDX-License-Identifier: Apache-2.0
#include "core/library_calls.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace twin {

bool LibraryCall::Late(const char* operand, Dtype dtype, uint32_t form) const {
    return std::any_of(late, late + lateCount, [=](const LateOperand& each) {
        return each.when.Holds(dtype, form) && std::strcmp(each.name, operand) == 0;
    });
}

const LibraryCall& FindLibraryCall(const char* name) {
    const LibraryCall* const end = kLibraryCalls + kLibraryCallCount;
    const LibraryCall* const found =
        std::lower_bound(kLibraryCalls, end, name, [](const LibraryCall& call, const char* wanted) {
            return std::strcmp(call.name, wanted) < 0;
        });
    if (found == end || std::strcmp(found->name, name) != 0) {
        std::fprintf(stderr, "cannery: %s has no row in twin/library_calls.toml\n", name);
        std::abort();
    }
    return *found;
}

}  // namespace twin
