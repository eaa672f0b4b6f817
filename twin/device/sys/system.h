// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/core.h"
#include "device/sys/tiling.h"
#include "device/tensor/global_tensor.h"
#include "device/types/dtype.h"
#include "device/types/enums.h"

namespace twin {

/// Replaces a variable of the toolkit whose value depends on the core.
template <typename T, T (*read)()>
struct CoreVariable {
    operator T() const { return read(); }
};
inline int64_t BlockIdx() { return Self().blockIdx; }
inline int64_t BlockNum() { return Self().blockNum; }
/// Returns AIC or AIV for the core that runs; returns MIX outside of kernels.
inline int32_t CoreType() {
    const Core* const self = SelfOrNull();
    if (self == nullptr) {
        return AscendC::MIX;
    }
    return self->kind == CoreKind::Aic ? AscendC::AIC : AscendC::AIV;
}

/// Returns ticks of the chip's 50 MHz counter, which starts at the first call in the process.
TWIN_API int64_t SystemCycle(Location where);
/// Returns the C library's clock(), for a file in which clock() is the chip's counter.
TWIN_API int64_t HostClock();
[[noreturn]] TWIN_API void RaiseTrap(Location where);
TWIN_API uint8_t* SystemWorkspacePointer();

}  // namespace twin

#ifdef TWIN_BOTH_KINDS
constexpr twin::CoreVariable<int32_t, &twin::CoreType> g_coreType;
// Names of the toolkit's CPU debug build, which unit tests and their kernels compare with.
namespace AscendC {
constexpr int MIX_TYPE = MIX;
constexpr int AIC_TYPE = AIC;
constexpr int AIV_TYPE = AIV;
}  // namespace AscendC
#define TWIN_CONSTANT
#define TWIN_IF_CORE(condition) (condition)
#else
// A kernel is compiled for one kind of core at a time. The macros expand to `constexpr(...)`, so
// that `if ASCEND_IS_AIV {` leaves its branch out of the compilation for cube cores.
#if defined(__DAV_C220_CUBE__)
constexpr int32_t g_coreType = AscendC::AIC;
#elif defined(__DAV_C220_VEC__)
constexpr int32_t g_coreType = AscendC::AIV;
#else
constexpr int32_t g_coreType = AscendC::MIX;
#endif
#define TWIN_CONSTANT constexpr
#define TWIN_IF_CORE(condition) constexpr(condition)
#endif
namespace twin {
inline TWIN_CONSTANT bool TwinIsAiv() { return g_coreType == AscendC::AIV; }
inline TWIN_CONSTANT bool TwinIsAic() { return g_coreType == AscendC::AIC; }
}  // namespace twin
#undef TWIN_CONSTANT
#define ASCEND_IS_AIV TWIN_IF_CORE(::twin::TwinIsAiv())
#define ASCEND_IS_AIC TWIN_IF_CORE(::twin::TwinIsAic())
#define ASCEND_IS_NOT_AIV TWIN_IF_CORE(!::twin::TwinIsAiv())
#define ASCEND_IS_NOT_AIC TWIN_IF_CORE(!::twin::TwinIsAic())

constexpr twin::CoreVariable<uint64_t, &twin::TwinTilingKey> g_tilingKey;
// Variables of the device compiler, on which GetBlockIdx and GetBlockNum are based.
constexpr twin::CoreVariable<int64_t, &twin::BlockIdx> block_idx;
constexpr twin::CoreVariable<int64_t, &twin::BlockNum> block_num;

/// Returns the 16 MiB of global memory that the runtime reserves for the library.
inline __gm__ uint8_t* GetSysWorkSpacePtr() { return twin::SystemWorkspacePointer(); }

// These statements request features from the toolkit's build. They do nothing here: the twin
// always prints and asserts, and always applies atomic copies in a fixed order.
#define ENABLE_PRINTF() static_cast<void>(0)
#define ENABLE_PRINTF_DUMP_SIZE() static_cast<void>(0)
#define ENABLE_ASSERT() static_cast<void>(0)
#define ENABLE_ASSERT_DUMP_SIZE() static_cast<void>(0)
#define ENABLE_DETERMINISTIC() static_cast<void>(0)

// Start and stop statements for the toolkit's profiler, which do nothing on the twin. Newer
// toolkits take a pipe as well.
#define TRACE_START(...) static_cast<void>(0)
#define TRACE_STOP(...) static_cast<void>(0)
inline void asc_prof_start() {}
inline void asc_prof_stop() {}

namespace twin {

TWIN_API void TwinPreloadInstructions(int64_t length, Location where);

}  // namespace twin

namespace AscendC {

/// Returns a vector core's number, counted over all blocks; on a cube core, the block's number.
inline int64_t GetBlockIdx() { return twin::Self().LogicalBlockIdx(); }
/// Returns blockDim of the launch, which in a mix kernel is the number of cube cores.
inline int64_t GetBlockNum() { return twin::Self().blockNum; }
inline int64_t GetSubBlockIdx() { return twin::Self().subBlockIdx; }
/// An inner name of GetSubBlockIdx, which kernels call.
inline int64_t GetSubBlockIdxImpl() { return GetSubBlockIdx(); }
/// Returns the number of vector cores of a block on a vector core, and 1 on a cube core.
inline int64_t GetSubBlockNum() { return twin::Self().taskRation; }
inline int64_t GetTaskRation() { return twin::Self().taskRation; }
inline int64_t GetTaskRatio() { return twin::Self().taskRation; }
inline constexpr int16_t GetDataBlockSizeInBytes() { return ONE_BLK_SIZE; }

/// Tells the toolkit's memory checker of memory that a kernel may read; the twin knows the memory.
template <typename T>
inline void OOMCheckAddrRange(__gm__ T* /*gmAddr*/, const uint64_t /*gmSize*/) {}

/// Sets `coreVersion` to the version of the chip's architecture: 0x220 on A2 and A3.
inline void GetArchVersion(uint32_t& coreVersion) { coreVersion = 0x220; }
/// Returns ticks of 20 ns. This is the only call whose result differs from run to run.
inline int64_t GetSystemCycle(TWIN_HERE) { return twin::SystemCycle(here); }
/// Returns an address in the caller's code, so calls at different places give different results.
__attribute__((noinline)) inline int64_t GetProgramCounter() {
    return static_cast<int64_t>(reinterpret_cast<uintptr_t>(__builtin_return_address(0)) &
                                0xFFFFFFFFFFFF);
}
/// Ends the kernel with an exception.
[[noreturn]] inline void Trap(TWIN_HERE) { twin::RaiseTrap(here); }

/// Returns `workspace` itself: on the twin, a kernel gets only its own part of the workspace.
inline GM_ADDR GetUserWorkspace(GM_ADDR workspace) { return workspace; }
using ::GetSysWorkSpacePtr;
/// Does nothing, because the launch has already set the library's workspace.
inline void SetSysWorkspace(GM_ADDR workspace) { (void)workspace; }
inline void SetSysWorkspaceForce(GM_ADDR workspace) { (void)workspace; }

inline void MetricsProfStart() {}
inline void MetricsProfStop() {}

/// The kind of core on which Async calls its function.
enum class EngineType : int32_t { AIC = 1, AIV = 2 };

/// Calls `funPtr` on cores of one kind and does nothing on the others. It is newer than CANN 8.1.
template <EngineType engine, auto funPtr, class... Args>
inline void Async(Args... args) {
    if constexpr (engine == EngineType::AIV) {
        if ASCEND_IS_AIV {
            funPtr(args...);
        }
    } else if constexpr (engine == EngineType::AIC) {
        if ASCEND_IS_AIC {
            funPtr(args...);
        }
    }
}

/// Does nothing, like WaitPreTaskEnd. Both calls are newer than CANN 8.1. On the chip, they order
/// the kernels of a fused chain. The twin launches these kernels separately.
template <pipe_t AIV_PIPE = PIPE_MTE3, pipe_t AIC_PIPE = PIPE_FIX, bool FORCE = false>
inline void SetNextTaskStart() {}
template <bool FORCE = false>
inline void WaitPreTaskEnd() {}

/// Records a preload of `preFetchLen` * 2 KiB of code. A vector core's instruction cache has 16
/// KiB, so in strict mode `preFetchLen` must be below 8 (T402).
inline void ICachePreLoad(const int64_t preFetchLen, TWIN_HERE) {
    twin::TwinPreloadInstructions(preFetchLen, here);
}
/// Returns 0: the preload has finished, which is always true on the twin.
inline int64_t GetICachePreloadStatus() { return 0; }

/// Reads the line of 64 B at byte `cacheOffset` into the scalar data cache: later GetValue calls
/// return the line's present contents.
template <typename T>
inline void DataCachePreload(const GlobalTensor<uint64_t>& src, const T cacheOffset, TWIN_HERE) {
    static_assert(std::is_integral<T>::value, "DataCachePreload: the offset counts bytes");
    twin::GmOperand place = src;
    place.address += static_cast<uintptr_t>(static_cast<int64_t>(cacheOffset));
    twin::GmPreload(place, here);
}

}  // namespace AscendC

/// The device compiler's own name of ICachePreLoad.
inline void icache_preload(int64_t preFetchLen, TWIN_HERE) {
    twin::TwinPreloadInstructions(preFetchLen, here);
}

#define PRELOAD(len) ::twin::TwinPreloadInstructions(len, ::twin::TwinHere())
