// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "core/core.h"
#include "device/tensor/local_tensor.h"

namespace twin::kfc {

/// A request of a vector core to its cube core. It runs on the cube core; `object` is the cube
/// core's Matmul with the number of the request.
using Work = std::function<void(void* object)>;

/// True if a request has a counterpart of the block's other vector core (IBSHARE).
enum class Pairing {
    kNone,
    kCounted,  ///< one operand is shared: both cores make equally many requests
    kOnce,     ///< both are shared: the first core's product serves the second core too
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

/// Vector core: from now on the cube core waits for its requests, until Quit.
TWIN_API void Begin(Location where);
TWIN_API void Quit();
/// Vector core: refuses calls that need a cube core that serves (T490).
TWIN_API void RequireServer(const char* api, Location where);
/// Vector core: posts a request for Matmul number `object`; returns its ticket.
TWIN_API uint64_t Post(uint32_t object, Work work, Pairing pairing, Location where);
/// Vector core: parks until the cube core has served the ticket.
TWIN_API void Await(uint64_t ticket, const char* api, Location where);
/// Vector core: returns memory for a copy of a local tensor in the system workspace. The memory
/// comes from a ring; when the ring wraps, the core first waits for all its requests so far.
TWIN_API void* Stage(uint64_t bytes, Location where);

/// Cube core: serves its vector cores in turn until all of them have quit.
TWIN_API void Serve(void* const* objects, uint32_t count, Location where);
/// Number of vector cores of a block of this launch.
TWIN_API uint32_t Clients();

/// Cube core: refuses TSCM of a vector core that overlaps the buffers of the Matmul objects.
TWIN_API void CheckTscm(const Operand& tensor, Location where);

}  // namespace twin::kfc
