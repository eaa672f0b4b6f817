// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_COMMON_UB_SLICES_H
#define OP_KERNEL_COMMON_UB_SLICES_H

#include "copy.h"
#include "kernel_operator.h"

namespace ops {

/// Divides a buffer of UB into tensors. A start of a kernel takes longer with a buffer for each
/// tensor, because each call of InitBuffer is code that a core has to load.
class UbSlices {
public:
    __aicore__ inline void Init(uint32_t bytes, AscendC::TPipe* pipe) {
        pipe->InitBuffer(buffer_, bytes);
        used_ = 0;
    }

    /// Returns the next `elems` elements. They begin at a block of 32 B.
    template <typename T>
    __aicore__ inline AscendC::LocalTensor<T> Take(uint32_t elems) {
        const uint32_t begin = used_;
        used_ += Bytes<T>(elems);
        return buffer_.GetWithOffset<T>(elems, begin);
    }

    /// Returns the bytes that Take() needs.
    template <typename T>
    static __aicore__ inline constexpr uint32_t Bytes(uint32_t elems) {
        return (elems * static_cast<uint32_t>(sizeof(T)) + kBlockBytes - 1) / kBlockBytes *
               kBlockBytes;
    }

private:
    uint32_t used_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> buffer_;
};

}  // namespace ops

#endif  // OP_KERNEL_COMMON_UB_SLICES_H
