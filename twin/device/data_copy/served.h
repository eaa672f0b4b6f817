// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_DATA_COPY_SERVED_H
#define TWIN_DEVICE_DATA_COPY_SERVED_H

#include <functional>

#include "core/core.h"
#include "device/data_copy/params.h"
#include "device/issue/operand.h"

// TSCM of a vector core is L1 of its block's cube core, which makes the copies into it while it
// serves Matmul objects.

namespace twin::copy {

/// Whether a copy of this core into `dst` is one that its cube core makes.
inline bool IsServed(const Operand& dst) {
    return static_cast<AscendC::TPosition>(dst.position) == AscendC::TPosition::TSCM &&
           Self().kind == CoreKind::Aiv;
}
/// Hands `copy` to the cube core, which makes it in the order of the requests for products.
TWIN_API void Serve(const char* api, std::function<void()> copy, Location where);
/// There is no way from UB to L1: through the library's workspace, with the source's gaps.
TWIN_API void ServeFromUb(const Operand& dst, const Operand& src,
                          const AscendC::DataCopyParams& params, Location where);

}  // namespace twin::copy

#endif  // TWIN_DEVICE_DATA_COPY_SERVED_H
