// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_DATA_COPY_COPY_TO_TABLE_H
#define TWIN_DEVICE_DATA_COPY_COPY_TO_TABLE_H

#include "core/uses.h"
#include "device/data_copy/params.h"
#include "device/tensor/local_tensor.h"

namespace twin::copy {

/// Unit of blockLen in the memory of `dst`, in bytes: 64 in the bias table, 128 in the fixpipe
/// buffer.
TWIN_API uint32_t TableBlock(const Operand& dst);
/// Copies L1 -> bias table (pipe MTE1; `widen`: converts half to float) or fixpipe buffer (pipe
/// FIX).
TWIN_API void CopyToTable(const Operand& dst, const Operand& src,
                          const AscendC::DataCopyParams& params, bool widen, Location where);

}  // namespace twin::copy

namespace AscendC {

/// Copies L1 -> bias table and converts half to float. blockLen and dstStride count 64 B of the
/// table.
template <typename DstT, typename SrcT,
          typename = std::enable_if_t<!std::is_same<DstT, SrcT>::value>>
inline void DataCopy(const LocalTensor<DstT>& dst, const LocalTensor<SrcT>& src,
                     const DataCopyParams& repeatParams, TWIN_HERE) {
    static_assert(std::is_same<DstT, float>::value && std::is_same<SrcT, half>::value,
                  "DataCopy between tensors of two types: from half in C1 to float in C2 only");
    TWIN_USES_CUBE;
    twin::copy::CopyToTable(twin::Of(dst), twin::Of(src), repeatParams, true, here);
}

}  // namespace AscendC

#endif  // TWIN_DEVICE_DATA_COPY_COPY_TO_TABLE_H
