// SPDX-License-Identifier: Apache-2.0
#include "core/library_calls.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

namespace twin {

bool LibraryCall::Late(Arg operand, Dtype dtype, uint32_t form) const {
    return std::any_of(late, late + lateCount, [=](const LateOperand& each) {
        return each.when.Holds(dtype, form) && each.name == operand;
    });
}

const LibraryCall& FindLibraryCall(Opcode name) {
    static const auto* const rows = [] {
        auto* const made = new std::array<const LibraryCall*, kOpcodes>();
        for (size_t i = 0; i < kLibraryCallCount; ++i) {
            (*made)[static_cast<size_t>(kLibraryCalls[i].name)] = kLibraryCalls + i;
        }
        return made;
    }();
    const LibraryCall* const found = (*rows)[static_cast<size_t>(name)];
    if (found == nullptr) {
        std::fprintf(stderr, "cannery: %s has no row in twin/library_calls.toml\n", Name(name));
        std::abort();
    }
    return *found;
}

}  // namespace twin
