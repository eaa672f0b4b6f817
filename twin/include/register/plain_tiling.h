// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_REGISTER_PLAIN_TILING_H
#define TWIN_INCLUDE_REGISTER_PLAIN_TILING_H

#include <cstddef>

namespace twin {

/// Calls `fill` with the class that op_host fills and copies its bytes to the plain struct, which
/// has the same bytes.
template <class Host, class Plain, class Fill>
bool FillPlain(Plain& plain, Fill fill) {
    Host host;
    const bool filled = fill(host);
    host.SaveToBuffer(&plain, sizeof(plain));
    return filled;
}

}  // namespace twin

#endif  // TWIN_INCLUDE_REGISTER_PLAIN_TILING_H
