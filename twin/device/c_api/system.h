// SPDX-License-Identifier: Apache-2.0
#pragma once

// The C API's functions for masks, atomic copies, synchronisation and the numbers of a core.
#include <cstdint>

#include "device/atomic/set_atomic.h"
#include "device/pipe/tbuf.h"
#include "device/sync/cross_core_flag.h"
#include "device/sync/events.h"
#include "device/sys/system.h"
#include "device/vec/mask.h"

/// Sets the core to the state in which a kernel begins.
inline void asc_init(TWIN_HERE) { AscendC::InitSocState(here); }

inline int64_t asc_get_block_idx() { return ::twin::BlockIdx(); }
inline int64_t asc_get_block_num() { return ::twin::BlockNum(); }
inline int64_t asc_get_sub_block_id() { return AscendC::GetSubBlockIdx(); }
inline int64_t asc_get_sub_block_num() { return AscendC::GetSubBlockNum(); }
inline int64_t asc_get_system_cycle(TWIN_HERE) { return AscendC::GetSystemCycle(here); }

inline void asc_set_mask_count(TWIN_HERE) { AscendC::SetMaskCount(here); }
inline void asc_set_mask_norm(TWIN_HERE) { AscendC::SetMaskNorm(here); }
inline void asc_set_vector_mask(uint64_t mask1, uint64_t mask0, TWIN_HERE) {
    AscendC::SetVectorMask<float>(mask1, mask0, here);
}

inline void asc_sync_notify(pipe_t pipe, pipe_t tpipe, int id, TWIN_HERE) {
    ::set_flag(pipe, tpipe, id, here);
}
inline void asc_sync_wait(pipe_t pipe, pipe_t tpipe, int id, TWIN_HERE) {
    ::wait_flag(pipe, tpipe, id, here);
}
inline void asc_sync_pipe(pipe_t pipe, TWIN_HERE) { ::pipe_barrier(pipe, here); }
inline void asc_sync(TWIN_HERE) { ::pipe_barrier(PIPE_ALL, here); }
inline void asc_sync_vec(TWIN_HERE) { ::pipe_barrier(PIPE_ALL, here); }

namespace twin::capi {

/// Makes MTE3 and V, or MTE2 and V, wait for `pipe` with the flags `id`.
inline void SyncCopies(pipe_t pipe, pipe_t other, int id, Location where) {
    ::set_flag(pipe, other, id, where);
    ::set_flag(pipe, PIPE_V, id, where);
    ::wait_flag(pipe, other, id, where);
    ::wait_flag(pipe, PIPE_V, id, where);
    ::pipe_barrier(pipe, where);
}

}  // namespace twin::capi

inline void asc_sync_mte2(int id, TWIN_HERE) {
    ::twin::capi::SyncCopies(PIPE_MTE2, PIPE_MTE3, id, here);
}
inline void asc_sync_mte3(int id, TWIN_HERE) {
    ::twin::capi::SyncCopies(PIPE_MTE3, PIPE_MTE2, id, here);
}

#define TWIN_C_ATOMIC(OP, CALL, NAME, T) \
    inline void asc_set_atomic_##OP##_##NAME(TWIN_HERE) { AscendC::SetAtomic##CALL<T>(here); }
#define TWIN_C_ATOMICS(OP, CALL)                \
    TWIN_C_ATOMIC(OP, CALL, float, float)       \
    TWIN_C_ATOMIC(OP, CALL, float16, half)      \
    TWIN_C_ATOMIC(OP, CALL, bfloat, bfloat16_t) \
    TWIN_C_ATOMIC(OP, CALL, int, int32_t)       \
    TWIN_C_ATOMIC(OP, CALL, int16, int16_t)     \
    TWIN_C_ATOMIC(OP, CALL, int8, int8_t)
TWIN_C_ATOMICS(add, Add)
TWIN_C_ATOMICS(max, Max)
TWIN_C_ATOMICS(min, Min)
inline void asc_set_atomic_none(TWIN_HERE) { AscendC::SetAtomicNone(here); }
