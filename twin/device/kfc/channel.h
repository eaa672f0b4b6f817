// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "core/core.h"
#include "device/pipe/tpipe.h"
#include "device/tensor/local_tensor.h"
#include "kernel_tiling/cube_tiling.h"

namespace twin::kfc {

/// A request of a vector core to its cube core. It runs on the cube core; `object` is the cube
/// core's Matmul with the number of the request.
using Work = std::function<void(void* object)>;

/// Says whether a request has a counterpart of the block's other vector core (IBSHARE).
enum class Pairing {
    kNone,
    kCounted,  ///< the cores share one operand: both make the same number of requests
    kOnce,  ///< the cores share both operands: the product for the first core is also that of the
            ///< second
};

constexpr Pairing PairingOf(bool sharesA, bool sharesB) {
    if (sharesA && sharesB) {
        return Pairing::kOnce;
    }
    return sharesA || sharesB ? Pairing::kCounted : Pairing::kNone;
}
/// With IBSHARE for A and B there is one product for both vector cores, and it goes to GM.
template <Pairing pairing>
constexpr bool CheckNotOnce() {
    static_assert(pairing != Pairing::kOnce,
                  "Matmul with IBSHARE for A and B: C goes to GM, by IterateAll or GetTensorC; UB "
                  "and batches are not possible");
    return true;
}

/// On a vector core: makes the cube core wait for its requests, until Quit.
TWIN_API void Begin(Location where);
TWIN_API void Quit();
/// On a vector core: refuses calls that need a cube core which serves requests (T490).
TWIN_API void RequireServer(const char* api, Location where);
/// On a vector core: posts a request for Matmul number `object`; returns its ticket.
TWIN_API uint64_t Post(uint32_t object, Work work, Pairing pairing, Location where);
/// On a vector core: waits until the cube core has served the ticket.
TWIN_API void Await(uint64_t ticket, const char* api, Location where);
/// Vector core: returns memory for a copy of a local tensor in the system workspace. The memory
/// comes from a ring; when the ring wraps, the core first waits for all its requests so far.
TWIN_API void* Stage(uint64_t bytes, Location where);

/// On a cube core: serves its vector cores in turn until all of them have called Quit.
TWIN_API void Serve(void* const* objects, uint32_t count, Location where);
/// Returns the number of vector cores of a block of this launch.
TWIN_API uint32_t Clients();

/// On a cube core: refuses TSCM of a vector core that overlaps the buffers of the Matmul objects.
TWIN_API void CheckTscm(const Operand& tensor, Location where);

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
