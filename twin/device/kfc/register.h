// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/kfc/channel.h"
#include "device/pipe/tpipe.h"
#include "kernel_tiling/cube_tiling.h"

namespace twin::kfc {

constexpr uint32_t kMaxObjects = 8;  ///< as in the toolkit

/// Vector core: a client while this object exists.
class ClientScope {
public:
    explicit ClientScope(Location where) { Begin(where); }
    ~ClientScope() { Quit(); }
    ClientScope(const ClientScope&) = delete;
    ClientScope& operator=(const ClientScope&) = delete;
};

/// Pairs of objects and tilings; an object with a null tiling, or without one, is left to its own
/// Init.
template <typename Visit>
void EachObject(Visit&&, uint32_t) {}
template <typename Visit, typename Object>
void EachObject(Visit&& visit, uint32_t number, Object& object) {
    visit(number, object, static_cast<const TCubeTiling*>(nullptr));
}
template <typename Visit, typename Object, typename Tiling, typename... Rest>
void EachObject(Visit&& visit, uint32_t number, Object& object, Tiling tiling, Rest&&... rest) {
    visit(number, object, static_cast<const TCubeTiling*>(tiling));
    EachObject(visit, number + 1, rest...);
}

template <typename... Args>
void ServeObjects(AscendC::TPipe* pipe, Location where, Args&&... args) {
    static_assert((sizeof...(Args) + 1) / 2 <= kMaxObjects,
                  "REGIST_MATMUL_OBJ: at most eight Matmul objects");
    void* objects[kMaxObjects] = {};
    uint32_t count = 0;
    EachObject(
        [&](uint32_t number, auto& object, const TCubeTiling* tiling) {
            objects[number] = object.ForServer();
            count = number + 1;
            if (tiling != nullptr || object.Constant()) {
                object.Init(tiling, pipe, where);
            }
        },
        0, args...);
    Serve(objects, count, where);
}

template <typename... Args>
void AdoptObjects(Args&&... args) {
    EachObject(
        [](uint32_t number, auto& object, const TCubeTiling* tiling) {
            object.Register(number);
            object.Adopt(tiling);
        },
        0, args...);
}

}  // namespace twin::kfc

/// On the cube core: serves the vector cores until they end, and leaves the kernel. On vector
/// cores: the objects become clients.
#define REGIST_CUBE_OBJ(tpipe, workspace, ...)                                   \
    TWIN_USES_CUBE;                                                              \
    static_cast<void>(workspace);                                                \
    if (::twin::Self().kind == ::twin::CoreKind::Aic) {                          \
        ::twin::kfc::ServeObjects(tpipe, ::twin::Location::Here(), __VA_ARGS__); \
        return;                                                                  \
    }                                                                            \
    ::twin::kfc::ClientScope twinMatmulClient(::twin::Location::Here());         \
    ::twin::kfc::AdoptObjects(__VA_ARGS__)
#define REGIST_MATMUL_OBJ REGIST_CUBE_OBJ
#define REGIST_MATMUL_OBJ_STATIC REGIST_CUBE_OBJ
