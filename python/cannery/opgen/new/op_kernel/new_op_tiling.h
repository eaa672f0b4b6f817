// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_NEW_OP_TILING_H
#define OP_KERNEL_NEW_OP_TILING_H

#include <cstdint>

/// Tiling data of NewOp, written by the host and read by the kernel.
///
/// The elements are cut into tiles of tileElems; the last one may be shorter. Tiles are dealt to
/// the blocks in contiguous, equal shares.
struct NewOpTilingData {
    int64_t elems;
    int64_t tiles;
    uint32_t tileElems;  ///< a multiple of 512 B
    uint32_t reserved;
};

namespace ops {
namespace NewOpOp {

/// UB bytes per byte of a tile: what comes in and what goes out, double buffered.
constexpr uint32_t kUbBytesPerByte = 4;

}  // namespace NewOpOp
}  // namespace ops

#endif  // OP_KERNEL_NEW_OP_TILING_H
