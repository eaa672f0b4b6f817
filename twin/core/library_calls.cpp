// SPDX-License-Identifier: Apache-2.0
#include "core/library_calls.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace twin {

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
