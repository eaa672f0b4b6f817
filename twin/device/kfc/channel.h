// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "core/core.h"
#include "device/pipe/tpipe.h"
#include "device/tensor/local_tensor.h"
#include "kernel_tiling/cube_tiling.h"

namespace twin::kfc {

/// The function of a vector core's request, which the cube core runs. `object` is the cube core's
/// Matmul object for which the request was posted.
using Work = std::function<void(void* object)>;

/// How requests of the two vector cores of a block form pairs (IBSHARE).
enum class Pairing {
    kNone,
    kCounted,  ///< the cores share one operand and make the same number of requests
    kOnce,     ///< the cores share both operands: one matrix product serves both cores
};

constexpr Pairing PairingOf(bool sharesA, bool sharesB) {
    if (sharesA && sharesB) {
        return Pairing::kOnce;
    }
    return sharesA || sharesB ? Pairing::kCounted : Pairing::kNone;
}
/// Refuses, at compile time, calls that are not possible with IBSHARE for both A and B.
template <Pairing pairing>
constexpr bool CheckNotOnce() {
    static_assert(pairing != Pairing::kOnce,
                  "Matmul with IBSHARE for A and B: C goes to GM, by IterateAll or GetTensorC; UB "
                  "and batches are not possible");
    return true;
}

/// Makes the cube core wait for requests of the calling vector core, until this core calls Quit.
TWIN_API void Begin(Location where);
TWIN_API void Quit();
/// Fails if no cube core serves requests of the calling vector core (T490).
TWIN_API void RequireServer(const char* api, Location where);
/// Posts a request of the calling vector core for Matmul `object`; returns the request's number.
TWIN_API uint64_t Post(uint32_t object, Work work, Pairing pairing, Location where);
/// Waits until the cube core has served request number `ticket` of the calling vector core.
TWIN_API void Await(uint64_t ticket, const char* api, Location where);
/// Returns memory for a copy of a local tensor, in the vector core's part of the system workspace.
/// If the part is full, first waits until all requests of the core are served, and then reuses it.
TWIN_API void* Stage(uint64_t bytes, Location where);

/// Serves the requests of the calling cube core's vector cores until all have called Quit.
TWIN_API void Serve(void* const* objects, uint32_t count, Location where);
/// Returns the number of vector cores of a block of this launch.
TWIN_API uint32_t Clients();

/// Refuses a vector core's TSCM that overlaps buffers of the cube core's Matmul objects (T481).
TWIN_API void CheckTscm(const Operand& tensor, Location where);

constexpr uint32_t kMaxObjects = 8;  ///< largest number of Matmul objects, as in the toolkit

/// Makes the vector core a client of its cube core while this object exists.
class TwinClientScope {
public:
    explicit TwinClientScope(Location where) { Begin(where); }
    ~TwinClientScope() { Quit(); }
    TwinClientScope(const TwinClientScope&) = delete;
    TwinClientScope& operator=(const TwinClientScope&) = delete;
};

/// Calls visit(number, object, tiling) for each Matmul object of the arguments. The tiling is
/// nullptr for an object on which the kernel itself calls Init.
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
void TwinServeObjects(AscendC::TPipe* pipe, Location where, Args&&... args) {
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
void TwinAdoptObjects(Args&&... args) {
    EachObject(
        [](uint32_t number, auto& object, const TCubeTiling* tiling) {
            object.Register(number);
            object.Adopt(tiling);
        },
        0, args...);
}

}  // namespace twin::kfc

/// The macro below uses this name, because a kernel may have a macro `kfc`.
namespace twin_kfc = twin::kfc;

/// On the cube core, serves the vector cores until they end, and then returns from the kernel. On
/// vector cores, makes the Matmul objects clients of the cube core.
#define REGIST_CUBE_OBJ(tpipe, workspace, ...)                                \
    TWIN_USES_CUBE;                                                           \
    static_cast<void>(workspace);                                             \
    if (::twin::TwinOnCube()) {                                               \
        ::twin_kfc::TwinServeObjects(tpipe, ::twin::TwinHere(), __VA_ARGS__); \
        return;                                                               \
    }                                                                         \
    ::twin_kfc::TwinClientScope twinMatmulClient(::twin::TwinHere());         \
    ::twin_kfc::TwinAdoptObjects(__VA_ARGS__)
#define REGIST_MATMUL_OBJ REGIST_CUBE_OBJ
#define REGIST_MATMUL_OBJ_STATIC REGIST_CUBE_OBJ
