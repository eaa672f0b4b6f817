// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_DATA_COPY_SERVED_H
#define TWIN_DEVICE_DATA_COPY_SERVED_H

#include <functional>

#include "core/core.h"
#include "device/data_copy/params.h"
#include "device/issue/operand.h"

// TSCM of a vector core is in L1 of its block's cube core. The cube core makes the copies into it
// while it serves Matmul objects.

namespace twin::copy {

/// True if this core's copy into `dst` is made by its cube core.
inline bool IsServed(const Operand& dst) {
    return static_cast<AscendC::TPosition>(dst.position) == AscendC::TPosition::TSCM &&
           Self().kind == CoreKind::Aiv;
}
/// Passes `copy` to the cube core, which makes it in the order of the requests for products.
TWIN_API void Serve(const char* api, std::function<void()> copy, Location where);
/// UB and L1 have no direct path: the copy goes through the library's workspace, with the source's
/// gaps.
TWIN_API void ServeFromUb(const Operand& dst, const Operand& src,
                          const AscendC::DataCopyParams& params, Location where);

}  // namespace twin::copy

#endif  // TWIN_DEVICE_DATA_COPY_SERVED_H
