// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_KFC_CHANNEL_H
#define TWIN_DEVICE_KFC_CHANNEL_H

#include <cstdint>
#include <functional>

#include "core/core.h"

namespace twin::kfc {

/// What a vector core asks its cube core to do. Runs on the cube core; `object` is the cube core's
/// Matmul with the number that the request names.
using Work = std::function<void(void* object)>;

/// Whether a request has a counterpart of the block's other vector core (IBSHARE).
enum class Pairing {
    kNone,
    kCounted,  ///< one operand is shared: both cores ask equally often
    kOnce,     ///< both are: the first core's product serves the second core too
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
/// Vector core: refuses what only a cube core that serves can do (T490).
TWIN_API void RequireServer(const char* api, Location where);
/// Vector core: hands over a request for Matmul number `object`; its ticket.
TWIN_API uint64_t Post(uint32_t object, Work work, Pairing pairing, Location where);
/// Vector core: parks until the cube core has served the ticket.
TWIN_API void Await(uint64_t ticket, const char* api, Location where);
/// Vector core: room for a copy of a local tensor in the system workspace. Taken from a ring; where
/// it wraps, everything asked for so far is awaited first.
TWIN_API void* Stage(uint64_t bytes, Location where);

/// Cube core: serves its vector cores in turn until all of them have quit.
TWIN_API void Serve(void* const* objects, uint32_t count, Location where);
/// Vector cores of a block of this launch.
TWIN_API uint32_t Clients();

}  // namespace twin::kfc

#endif  // TWIN_DEVICE_KFC_CHANNEL_H
