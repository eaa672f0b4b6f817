// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>  // sources expect <mutex> here, as in the toolkit

/// Architectures of the AI core; A2 and A3 are DAV_2201.
enum class NpuArch : uint32_t {
    DAV_1001 = 1001,
    DAV_2002 = 2002,
    DAV_2201 = 2201,
    DAV_3002 = 3002,
    DAV_3003 = 3003,
    DAV_3102 = 3102,
    DAV_3113 = 3113,
    DAV_3510 = 3510,
    DAV_5102 = 5102,
    DAV_RESV = 0xFFFF
};

namespace fe {
class PlatFormInfos;
}

namespace platform_ascendc {

/// Memories of a chip; FB and BT are newer than CANN 8.1.
enum class CoreMemType {
    L0_A = 0,
    L0_B = 1,
    L0_C = 2,
    L1 = 3,
    L2 = 4,
    UB = 5,
    HBM = 6,
    FB = 7,
    BT = 8,
    RESERVED
};

/// Versions of chips. A2 and A3 both are ASCEND910B; unit tests may name the other versions.
enum class SocVersion {
    ASCEND910 = 0,
    ASCEND910B,
    ASCEND310P,
    ASCEND310B,
    ASCEND910_93,
    ASCEND910_95,
    ASCEND950 = ASCEND910_95,
    ASCEND910_55,
    // Chips that the twin does not know: names for comparisons in tiling sources.
    AS31XM1,
    ASCEND031,
    ASCEND035,
    ASCEND310,
    ASCEND610,
    ASCEND610Lite,
    BS9SX1A,
    BS9SX2A,
    HI3796CV300CS,
    HI3796CV300ES,
    MC61AM21A,
    MC62,
    SD3403,
    KIRINX90,
    KIRIN9030,
    MC32DM11A,
    ASCEND350,
    RESERVED_VERSION = 99999
};

/// How many bytes of UB ReserveLocalMemory takes.
enum class ReservedSize { RESERVED_SIZE_8K, RESERVED_SIZE_16K, RESERVED_SIZE_32K };

/// Data of the chip for tiling. Sizes are in bytes, without the bytes that the system reserves.
class PlatformAscendC {
public:
    PlatformAscendC() = delete;
    explicit PlatformAscendC(fe::PlatFormInfos* platformInfo) : platformInfo_(platformInfo) {}
    ~PlatformAscendC() = default;

    uint32_t GetCoreNum() const;
    uint32_t GetCoreNumAic() const;
    uint32_t GetCoreNumAiv() const;
    /// Returns the number of vector cores outside the AI cores: none on A2 and A3.
    uint32_t GetCoreNumVector() const;
    /// Returns how many blocks a mix kernel needs so that `sliceNum` vector cores run it. A block
    /// has one cube core and aivCoreNum / aicCoreNum vector cores.
    uint32_t CalcTschBlockDim(uint32_t sliceNum, uint32_t aicCoreNum, uint32_t aivCoreNum) const;
    /// The newer name of CalcTschBlockDim.
    uint32_t CalcTschNumBlocks(uint32_t sliceNum, uint32_t aicCoreNum, uint32_t aivCoreNum) const {
        return CalcTschBlockDim(sliceNum, aicCoreNum, aivCoreNum);
    }
    uint32_t GetLibApiWorkSpaceSize() const;
    uint32_t GetResCubeGroupWorkSpaceSize() const;
    uint32_t GetResGroupBarrierWorkSpaceSize() const;
    void GetCoreMemSize(const CoreMemType& memType, uint64_t& size) const;
    /// Makes GetCoreMemSize report a smaller UB; only the last call counts. Newer than CANN 8.1.
    void ReserveLocalMemory(ReservedSize size);
    /// Gets the bandwidth in bytes per cycle and core.
    void GetCoreMemBw(const CoreMemType& memType, uint64_t& bytesPerCycle) const;
    SocVersion GetSocVersion() const;
    NpuArch GetCurNpuArch() const;

private:
    fe::PlatFormInfos* platformInfo_;
    uint32_t reservedBytes_ = 0;
};

/// Gives the platform to code outside a tiling function.
class PlatformAscendCManager {
public:
    /// Returns the platform of the chip that CANNERY_SOC names at the first call; nullptr if no
    /// chip has that name.
    static PlatformAscendC* GetInstance() { return GetInstance(nullptr); }
    /// Returns the platform; only the first call uses `customSocVersion`, as with the toolkit.
    static PlatformAscendC* GetInstance(const char* customSocVersion);

private:
    PlatformAscendCManager();
};

}  // namespace platform_ascendc
