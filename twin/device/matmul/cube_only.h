// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/matmul/matmul_impl.h"

namespace AscendC {

template <
    class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE = C_TYPE,
    const auto& MM_CFG = CFG_NORM, class MM_CB = MatmulCallBackFunc<nullptr, nullptr, nullptr>,
    template <const auto& = MM_CFG, typename...> class MATMUL_POLICY = Impl::Detail::MatmulPolicy>
using Matmul = MatmulImpl<A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE, MM_CFG, MM_CB, MATMUL_POLICY>;

}  // namespace AscendC

namespace twin::matmul {

/// Initialises objects with their tilings. If the tiling pointer of an object is null and its type
/// contains no constant tiling, skips the object: the kernel itself calls Init for this object.
inline void TwinInitObjects(AscendC::TPipe*) {}
template <typename Object>
void TwinInitObjects(AscendC::TPipe*, Object&) {}
template <typename Object, typename Tiling, typename... Rest>
void TwinInitObjects(AscendC::TPipe* pipe, Object& object, Tiling tiling, Rest&&... rest) {
    object.SetSubBlockIdx(0);
    if (tiling != nullptr || object.Constant()) {
        object.Init(tiling, pipe);
    }
    TwinInitObjects(pipe, rest...);
}

}  // namespace twin::matmul

/// The macro below uses this name, because a kernel may have a macro `matmul`.
namespace twin_matmul = twin::matmul;

/// Initialises the objects on cube cores; a vector core leaves the kernel here.
#define REGIST_CUBE_OBJ(tpipe, workspace, ...) \
    TWIN_USES_CUBE;                            \
    if (!::twin::TwinOnCube()) {               \
        return;                                \
    }                                          \
    ::twin_matmul::TwinInitObjects(tpipe, __VA_ARGS__)
#define REGIST_MATMUL_OBJ REGIST_CUBE_OBJ
#define REGIST_MATMUL_OBJ_STATIC REGIST_CUBE_OBJ
