// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_MATMUL_CALLBACKS_H
#define TWIN_DEVICE_MATMUL_CALLBACKS_H

#include <cstdint>
#include <type_traits>

namespace twin::matmul {

/// The numbers that callbacks of the kernel get.
struct UserData {
    uint64_t tilingPtr = 0;
    uint64_t dataPtr = 0;
};

/// True if a callback is a function. This tests the type, because with the checks for undefined
/// behaviour GCC does not accept a comparison of a function's address as a constant.
template <auto CALLBACK>
inline constexpr bool kNamed = !std::is_same_v<std::integral_constant<decltype(CALLBACK), CALLBACK>,
                                               std::integral_constant<decltype(CALLBACK), nullptr>>;

/// The kernel's own copies. They are the functions of the code that made the object: a cube core
/// executes requests of vector cores, whose functions were compiled for vector cores, so it uses
/// its own.
template <class MM_CB>
struct Callbacks {
    std::remove_const_t<decltype(MM_CB::CopyA1Ptr)> copyA1 = MM_CB::CopyA1Ptr;
    std::remove_const_t<decltype(MM_CB::CopyB1Ptr)> copyB1 = MM_CB::CopyB1Ptr;
    std::remove_const_t<decltype(MM_CB::DataCopyOutPtr)> copyOut = MM_CB::DataCopyOutPtr;
};

}  // namespace twin::matmul

#endif  // TWIN_DEVICE_MATMUL_CALLBACKS_H
