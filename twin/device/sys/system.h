// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_SYS_SYSTEM_H
#define TWIN_DEVICE_SYS_SYSTEM_H

#include <cstdint>

#include "core/core.h"
#include "device/types/enums.h"
#include "device/types/qualifiers.h"

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

}  // namespace AscendC

#endif  // TWIN_DEVICE_SYS_SYSTEM_H
