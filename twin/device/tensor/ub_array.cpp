// SPDX-License-Identifier: Apache-2.0
#include "device/tensor/ub_array.h"

#include "core/core_state.h"

namespace twin {

void* PlaceInUb(const void* declaration, uint64_t bytes, Location where) {
    Core& core = Self();
    core.Begin(where);
    UbArrays& arrays = core.state->ubArrays;
    const auto [place, fresh] = arrays.places.try_emplace(declaration, arrays.end);
    if (fresh) {
        arrays.end += (bytes + kBlockBytes - 1) / kBlockBytes * kBlockBytes;
        if (arrays.end > core.UbBytes()) {
            Fail("T106", "UB full: the arrays that the kernel declares in UB take %llu B of %llu",
                 static_cast<unsigned long long>(arrays.end),
                 static_cast<unsigned long long>(core.UbBytes()));
        }
    }
    return core.memory[static_cast<size_t>(Memory::Ub)] + place->second;
}

}  // namespace twin
