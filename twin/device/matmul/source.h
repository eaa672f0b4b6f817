// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_MATMUL_SOURCE_H
#define TWIN_DEVICE_MATMUL_SOURCE_H

#include "device/matmul/types.h"
#include "device/tensor/global_tensor.h"

namespace twin::matmul {

/// A rectangle of an operand in L1, as fractals: [columns / C0][rows][C0]; columns run along the
/// source's rows.
template <typename T>
struct Tile {
    AscendC::LocalTensor<T> data;
    int32_t rows = 0;     ///< rows per stripe, whole fractals
    int32_t columns = 0;  ///< valid columns
};

template <class TENSOR>
constexpr bool kIsLocal = false;
template <typename T>
constexpr bool kIsLocal<AscendC::LocalTensor<T>> = true;

/// If loads into L0 transpose the rows of a stripe, they must be whole squares.
template <typename T>
constexpr int32_t RowUnit(bool alongK) {
    constexpr int32_t kSquare = kElementBits<T> <= 8 ? static_cast<int32_t>(kC0<T>) : 16;
    return alongK ? 16 : kSquare;
}

/// Bytes in L1 of a tile of `mn` x `k` elements.
template <typename T>
int64_t TileBytes(int32_t mn, int32_t k, bool alongK) {
    const int64_t rows = AlignUp(alongK ? mn : k, RowUnit<T>(alongK));
    const int64_t columns = AlignUp(alongK ? k : mn, static_cast<int32_t>(kC0<T>));
    return rows * columns * kElementBits<T> / 8;
}

template <typename T>
AscendC::GlobalTensor<T> At(const AscendC::GlobalTensor<T>& gm, int64_t element) {
    AscendC::GlobalTensor<T> view = gm;
    const int64_t bytes = element * static_cast<int64_t>(kElementBits<T>) / 8;
    view.address_ = reinterpret_cast<T*>(reinterpret_cast<uintptr_t>(gm.address_) +
                                         static_cast<uintptr_t>(bytes));
    view.oriAddress_ = view.address_;
    return view;
}

template <typename U, typename T>
AscendC::GlobalTensor<U> ViewAs(const AscendC::GlobalTensor<T>& gm) {
    AscendC::GlobalTensor<U> view;
    view.address_ = view.oriAddress_ = reinterpret_cast<U*>(gm.address_);
    view.origin_ = reinterpret_cast<U*>(gm.origin_);
    return view;
}

}  // namespace twin::matmul

#endif  // TWIN_DEVICE_MATMUL_SOURCE_H
