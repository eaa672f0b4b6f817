// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <tuple>

#include "host/matmul/block_plan.h"
#include "host/op_call.h"
#include "soc/soc.h"
#include "tiling/matmul/matmul_tiling_base.h"

namespace matmul_tiling {
namespace {

using twin::host::matmul::NegativeWish;

constexpr int32_t kReservedL1 = 256;  // bytes of L1 that the system needs in mix kernels

BufferPool DefaultPool() {
    const twin::SocInfo& soc = *twin::FindSoc("Ascend910B2");
    BufferPool pool;
    pool.l1Size = static_cast<int32_t>(soc.l1Bytes) - kReservedL1;
    pool.l0CSize = static_cast<int32_t>(soc.l0cBytes);
    pool.ubSize = static_cast<int32_t>(soc.ubBytes) - kReservedL1;
    pool.l0ASize = static_cast<int32_t>(soc.l0aBytes);
    pool.l0BSize = static_cast<int32_t>(soc.l0bBytes);
    pool.btSize = static_cast<int32_t>(soc.btBytes);
    return pool;
}

int32_t SizeOf(const platform_ascendc::PlatformAscendC& platform,
               platform_ascendc::CoreMemType memory) {
    uint64_t bytes = 0;
    platform.GetCoreMemSize(memory, bytes);
    return static_cast<int32_t>(bytes);
}

}  // namespace

MatmulApiTilingBase::MatmulApiTilingBase()
    : oriBufferPool_(DefaultPool()), bufferPool_(oriBufferPool_) {}

MatmulApiTilingBase::MatmulApiTilingBase(const platform_ascendc::PlatformAscendC& ascendcPlatform)
    : MatmulApiTilingBase() {
    using platform_ascendc::CoreMemType;
    oriBufferPool_.l1Size = SizeOf(ascendcPlatform, CoreMemType::L1);
    oriBufferPool_.l0CSize = SizeOf(ascendcPlatform, CoreMemType::L0_C);
    oriBufferPool_.ubSize = SizeOf(ascendcPlatform, CoreMemType::UB);
    oriBufferPool_.l0ASize = SizeOf(ascendcPlatform, CoreMemType::L0_A);
    oriBufferPool_.l0BSize = SizeOf(ascendcPlatform, CoreMemType::L0_B);
    bufferPool_ = oriBufferPool_;
    socVersion = ascendcPlatform.GetSocVersion();
}

MatmulApiTilingBase::MatmulApiTilingBase(const PlatformInfo& platform) : MatmulApiTilingBase() {
    oriBufferPool_.l1Size = static_cast<int32_t>(platform.l1Size);
    oriBufferPool_.l0CSize = static_cast<int32_t>(platform.l0CSize);
    oriBufferPool_.ubSize = static_cast<int32_t>(platform.ubSize);
    oriBufferPool_.l0ASize = static_cast<int32_t>(platform.l0ASize);
    oriBufferPool_.l0BSize = static_cast<int32_t>(platform.l0BSize);
    bufferPool_ = oriBufferPool_;
    socVersion = platform.socVersion;
    if (socVersion != platform_ascendc::SocVersion::ASCEND910B) {
        Refuse("PlatformInfo: only SocVersion::ASCEND910B (A2 and A3) is modelled");
    }
}

MatmulApiTilingBase::~MatmulApiTilingBase() = default;

int32_t MatmulApiTilingBase::Refuse(const char* sentence) {
    if (refused_ == nullptr) {
        refused_ = sentence;
    }
    twin::host::SetRecentError("matmul_tiling: %s", sentence);
    return -1;
}

int32_t MatmulApiTilingBase::SetAType(TPosition pos, CubeFormat type, DataType dataType,
                                      bool isTrans) {
    aType_.pos = pos;
    aType_.type = type;
    aType_.dataType = dataType;
    aType_.isTrans = isTrans;
    return 0;
}

int32_t MatmulApiTilingBase::SetBType(TPosition pos, CubeFormat type, DataType dataType,
                                      bool isTrans) {
    bType_.pos = pos;
    bType_.type = type;
    bType_.dataType = dataType;
    bType_.isTrans = isTrans;
    return 0;
}

int32_t MatmulApiTilingBase::SetCType(TPosition pos, CubeFormat type, DataType dataType) {
    cType_.pos = pos;
    cType_.type = type;
    cType_.dataType = dataType;
    return 0;
}

int32_t MatmulApiTilingBase::SetBiasType(TPosition pos, CubeFormat type, DataType dataType) {
    biasType_.pos = pos;
    biasType_.type = type;
    biasType_.dataType = dataType;
    return 0;
}

int32_t MatmulApiTilingBase::SetDequantType(DequantType dequantType) {
    deqType = dequantType;
    return 0;
}

int32_t MatmulApiTilingBase::SetShape(int32_t m, int32_t n, int32_t k) {
    if (NegativeWish({m, n, k})) {
        return Refuse("SetShape: m, n and k are positive, or -1");
    }
    singleM = m;
    singleN = n;
    singleK = k;
    return 0;
}

int32_t MatmulApiTilingBase::SetOrgShape(int32_t orgMIn, int32_t orgNIn, int32_t orgKIn) {
    return SetOrgShape(orgMIn, orgNIn, orgKIn, orgKIn);
}

int32_t MatmulApiTilingBase::SetOrgShape(int32_t orgMIn, int32_t orgNIn, int32_t orgKaIn,
                                         int32_t orgKbIn) {
    if (NegativeWish({orgMIn, orgNIn, orgKaIn, orgKbIn})) {
        return Refuse("SetOrgShape: sizes are positive, or -1");
    }
    orgM = orgMIn;
    orgN = orgNIn;
    orgKa = orgKaIn;
    orgKb = orgKbIn;
    return 0;
}

int32_t MatmulApiTilingBase::SetALayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d) {
    std::tie(aLayoutInfoB, aLayoutInfoS, aLayoutInfoN, aLayoutInfoG, aLayoutInfoD) =
        std::tie(b, s, n, g, d);
    return 0;
}

int32_t MatmulApiTilingBase::SetBLayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d) {
    std::tie(bLayoutInfoB, bLayoutInfoS, bLayoutInfoN, bLayoutInfoG, bLayoutInfoD) =
        std::tie(b, s, n, g, d);
    return 0;
}

int32_t MatmulApiTilingBase::SetCLayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d) {
    std::tie(cLayoutInfoB, cLayoutInfoS1, cLayoutInfoN, cLayoutInfoG, cLayoutInfoS2) =
        std::tie(b, s, n, g, d);
    return 0;
}

int32_t MatmulApiTilingBase::SetBatchInfoForNormal(int32_t batchA, int32_t batchB, int32_t m,
                                                   int32_t n, int32_t k) {
    if (batchA <= 0 || batchB <= 0 || m <= 0 || n <= 0 || k <= 0) {
        return Refuse("SetBatchInfoForNormal: batches and sizes are positive");
    }
    SetALayout(batchA, m, 1, 1, k);
    SetBLayout(batchB, n, 1, 1, k);
    SetCLayout(std::max(batchA, batchB), m, 1, 1, n);
    batchNum = std::max(batchA, batchB);
    return 0;
}

int32_t MatmulApiTilingBase::SetBatchNum(int32_t batch) {
    if (batch <= 0) {
        return Refuse("SetBatchNum: the batch is positive");
    }
    batchNum = batch;
    return 0;
}

int32_t MatmulApiTilingBase::EnableBias(bool isBiasIn) { return SetBias(isBiasIn); }

int32_t MatmulApiTilingBase::SetBias(bool isBiasIn) {
    isBias = isBiasIn;
    return 0;
}

int32_t MatmulApiTilingBase::SetFixSplit(int32_t baseMIn, int32_t baseNIn, int32_t baseKIn) {
    if (NegativeWish({baseMIn, baseNIn, baseKIn})) {
        return Refuse("SetFixSplit: base sizes are positive, or -1");
    }
    fixBaseM_ = baseMIn;
    fixBaseN_ = baseNIn;
    fixBaseK_ = baseKIn;
    return 0;
}

int32_t MatmulApiTilingBase::SetBufferSpace(int32_t l1Size, int32_t l0CSize, int32_t ubSize,
                                            int32_t btSize) {
    const auto take = [](int32_t wish, int32_t chip, int32_t reserved, int32_t* size) {
        if (wish < -1 || wish > chip + reserved) {
            return false;
        }
        *size = wish == -1 ? chip : std::min(wish, chip);
        return true;
    };
    const BufferPool& chip = oriBufferPool_;
    if (!take(l1Size, chip.l1Size, kReservedL1, &bufferPool_.l1Size) ||
        !take(l0CSize, chip.l0CSize, 0, &bufferPool_.l0CSize) ||
        !take(ubSize, chip.ubSize, kReservedL1, &bufferPool_.ubSize) ||
        !take(btSize, chip.btSize, 0, &bufferPool_.btSize)) {
        return Refuse("SetBufferSpace: a size is negative or larger than the chip's memory");
    }
    return 0;
}

int32_t MatmulApiTilingBase::SetTraverse(MatrixTraverse traverse) {
    traverse_ = traverse;
    return 0;
}

int32_t MatmulApiTilingBase::SetMadType(MatrixMadType madType) {
    madType_ = madType;
    return 0;
}

int32_t MatmulApiTilingBase::SetSplitRange(int32_t maxBaseM, int32_t maxBaseN, int32_t maxBaseK,
                                           int32_t minBaseM, int32_t minBaseN, int32_t minBaseK) {
    if (NegativeWish({maxBaseM, maxBaseN, maxBaseK, minBaseM, minBaseN, minBaseK})) {
        return Refuse("SetSplitRange: limits are positive, or -1");
    }
    adjust_.maxBaseM = maxBaseM;
    adjust_.maxBaseN = maxBaseN;
    adjust_.maxBaseK = maxBaseK;
    adjust_.minBaseM = minBaseM;
    adjust_.minBaseN = minBaseN;
    adjust_.minBaseK = minBaseK;
    return 0;
}

int32_t MatmulApiTilingBase::SetDoubleBuffer(bool a, bool b, bool c, bool bias, bool transND2NZ,
                                             bool transNZ2ND) {
    aType_.isDB = doubleA_ = a;
    bType_.isDB = doubleB_ = b;
    cType_.isDB = doubleC_ = c;
    biasType_.isDB = bias;
    transND2NZ_ = transND2NZ;
    transNZ2ND_ = transNZ2ND;
    return 0;
}

void MatmulApiTilingBase::SetMatmulConfigParams(int32_t mmConfigTypeIn, bool enableL1CacheUBIn,
                                                ScheduleType scheduleTypeIn,
                                                MatrixTraverse traverseIn, bool enVecND2NZIn) {
    mmConfigType = mmConfigTypeIn;
    enableL1CacheUB = enableL1CacheUBIn;
    scheduleType = scheduleTypeIn;
    if (traverseIn != MatrixTraverse::NOSET) {
        traverse_ = traverseIn;
    }
    enVecND2NZ = enVecND2NZIn;
    if (mmConfigTypeIn != 0 && mmConfigTypeIn != 1) {
        Refuse("SetMatmulConfigParams: mmConfigType is 0 (Norm) or 1 (MDL)");
    }
}

void MatmulApiTilingBase::SetMatmulConfigParams(const MatmulConfigParams& configParams) {
    SetMatmulConfigParams(configParams.mmConfigType, configParams.enableL1CacheUB,
                          configParams.scheduleType, configParams.traverse,
                          configParams.enVecND2NZ);
}

int32_t MatmulApiTilingBase::SetSparse(bool isSparseIn) {
    isSparse_ = isSparseIn;
    return 0;
}

}  // namespace matmul_tiling
