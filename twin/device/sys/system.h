// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/core.h"
#include "device/tensor/global_tensor.h"
#include "device/types/dtype.h"
#include "device/types/enums.h"

namespace twin {

/// Stands for a variable of the toolkit that has another value on every core.
template <typename T, T (*read)()>
struct CoreVariable {
    operator T() const { return read(); }
};
inline uint64_t TilingKey() { return Self().tilingKey; }
inline int64_t BlockIdx() { return Self().blockIdx; }
inline int64_t BlockNum() { return Self().blockNum; }
/// The value of the core; outside of kernels MIX.
inline int32_t CoreType() {
    const Core* const self = SelfOrNull();
    if (self == nullptr) {
        return AscendC::MIX;
    }
    return self->kind == CoreKind::Aic ? AscendC::AIC : AscendC::AIV;
}

/// Ticks of the chip's 50 MHz counter since the process started.
TWIN_API int64_t SystemCycle(Location where);
[[noreturn]] TWIN_API void RaiseTrap(Location where);
TWIN_API uint8_t* SystemWorkspacePointer();

}  // namespace twin

#ifdef TWIN_BOTH_KINDS
constexpr twin::CoreVariable<int32_t, &twin::CoreType> g_coreType;
#define TWIN_IF_CORE(condition) (condition)
#else
// Kernels are compiled for one kind of core at a time. The parentheses belong to the macros, so
// that `if ASCEND_IS_AIV {` leaves the branch out of the other compilation.
#if defined(__DAV_C220_CUBE__)
constexpr int32_t g_coreType = AscendC::AIC;
#elif defined(__DAV_C220_VEC__)
constexpr int32_t g_coreType = AscendC::AIV;
#else
constexpr int32_t g_coreType = AscendC::MIX;
#endif
#define TWIN_IF_CORE(condition) constexpr(condition)
#endif
#define ASCEND_IS_AIV TWIN_IF_CORE(g_coreType == AscendC::AIV)
#define ASCEND_IS_AIC TWIN_IF_CORE(g_coreType == AscendC::AIC)
#define ASCEND_IS_NOT_AIV TWIN_IF_CORE(g_coreType != AscendC::AIV)
#define ASCEND_IS_NOT_AIC TWIN_IF_CORE(g_coreType != AscendC::AIC)

constexpr twin::CoreVariable<uint64_t, &twin::TilingKey> g_tilingKey;
// Variables of the device compiler, from which GetBlockIdx and GetBlockNum are made.
constexpr twin::CoreVariable<int64_t, &twin::BlockIdx> block_idx;
constexpr twin::CoreVariable<int64_t, &twin::BlockNum> block_num;

/// 16 MiB of global memory that the runtime keeps for the library.
inline __gm__ uint8_t* GetSysWorkSpacePtr() { return twin::SystemWorkspacePointer(); }

// Statements that give the toolkit's build information about a kernel. The twin prints, asserts and
// adds in a fixed order anyway, so they do nothing.
#define ENABLE_PRINTF() static_cast<void>(0)
#define ENABLE_PRINTF_DUMP_SIZE() static_cast<void>(0)
#define ENABLE_ASSERT() static_cast<void>(0)
#define ENABLE_ASSERT_DUMP_SIZE() static_cast<void>(0)
#define ENABLE_DETERMINISTIC() static_cast<void>(0)

// Marks for the toolkit's profiler, which are empty unless it traces.
#define TRACE_START(apid) static_cast<void>(0)
#define TRACE_STOP(apid) static_cast<void>(0)

namespace twin {

TWIN_API void PreloadInstructions(int64_t length, Location where);

}  // namespace twin

namespace AscendC {

/// Vector cores are counted over all blocks; cube cores have the number of their block.
inline int64_t GetBlockIdx() { return twin::Self().LogicalBlockIdx(); }
/// blockDim of the launch: in a mix kernel the number of cube cores, not of vector cores.
inline int64_t GetBlockNum() { return twin::Self().blockNum; }
inline int64_t GetSubBlockIdx() { return twin::Self().subBlockIdx; }
/// On a vector core: the number of vector cores of a block; on a cube core: 1.
inline int64_t GetSubBlockNum() { return twin::Self().taskRation; }
inline int64_t GetTaskRation() { return twin::Self().taskRation; }
inline int64_t GetTaskRatio() { return twin::Self().taskRation; }
inline constexpr int16_t GetDataBlockSizeInBytes() { return ONE_BLK_SIZE; }

/// Hexadecimal: 0x220 on the chips modelled here.
inline void GetArchVersion(uint32_t& coreVersion) { coreVersion = 0x220; }
/// 50 MHz: 20 ns per tick. This is the only call whose result differs from run to run.
inline int64_t GetSystemCycle(TWIN_HERE) { return twin::SystemCycle(here); }
/// An address in the caller's code, which distinguishes places.
__attribute__((noinline)) inline int64_t GetProgramCounter() {
    return static_cast<int64_t>(reinterpret_cast<uintptr_t>(__builtin_return_address(0)) &
                                0xFFFFFFFFFFFF);
}
/// Ends the kernel with an exception.
[[noreturn]] inline void Trap(TWIN_HERE) { twin::RaiseTrap(here); }

/// A packaged operator already gets its own part of the workspace; so does a kernel launched by
/// hand on the twin.
inline GM_ADDR GetUserWorkspace(GM_ADDR workspace) { return workspace; }
using ::GetSysWorkSpacePtr;
/// The generated entry of an operator passes its workspace on; here the launch has already done so.
inline void SetSysWorkspace(GM_ADDR workspace) { (void)workspace; }
inline void SetSysWorkspaceForce(GM_ADDR workspace) { (void)workspace; }

inline void MetricsProfStart() {}
inline void MetricsProfStop() {}

/// Newer than 8.1: lets the next kernel of a fused chain start early, or waits for the previous
/// one. A kernel that is launched separately has no neighbours.
template <pipe_t AIV_PIPE = PIPE_MTE3, pipe_t AIC_PIPE = PIPE_FIX, bool FORCE = false>
inline void SetNextTaskStart() {}
template <bool FORCE = false>
inline void WaitPreTaskEnd() {}

/// Loads the next `preFetchLen` * 2 KiB of code; less than the core's instruction cache, which has
/// 16 KiB on a vector core. It does not change results.
inline void ICachePreLoad(const int64_t preFetchLen, TWIN_HERE) {
    twin::PreloadInstructions(preFetchLen, here);
}
/// Returns 0: the preload has finished, which is always true on the twin.
inline int64_t GetICachePreloadStatus() { return 0; }

/// Reads the line of 64 B at byte `cacheOffset` into the scalar data cache: later GetValue calls
/// see its present contents.
template <typename T>
inline void DataCachePreload(const GlobalTensor<uint64_t>& src, const T cacheOffset, TWIN_HERE) {
    static_assert(std::is_integral<T>::value, "DataCachePreload: the offset counts bytes");
    twin::GmOperand place = src;
    place.address += static_cast<uintptr_t>(static_cast<int64_t>(cacheOffset));
    twin::GmScalar(place, 1, "DataCachePreload", here);
}

}  // namespace AscendC

#define PRELOAD(len) ::AscendC::ICachePreLoad(len)
