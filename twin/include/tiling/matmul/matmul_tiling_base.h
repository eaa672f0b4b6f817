// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel_tiling/cube_tiling.h"
#include "tiling/matmul/matmul_tiling_types.h"
#include "tiling/matmul/matmul_tilingdata.h"
#include "tiling/platform/platform_ascendc.h"

namespace twin {
namespace host {
namespace matmul {
struct SplitRequest;
struct CoreSplit;
}  // namespace matmul
}  // namespace host
}  // namespace twin

namespace matmul_tiling {

/// Settings of a Matmul (operands, shapes, memories) for GetTiling. Setters return 0, or -1 for a
/// setting that no chip supports. Then GetTiling fails too, and aclGetRecentErrMsg gives the
/// reason.
class MatmulApiTilingBase {
public:
    MatmulApiTilingBase();
    explicit MatmulApiTilingBase(const platform_ascendc::PlatformAscendC& ascendcPlatform);
    explicit MatmulApiTilingBase(const PlatformInfo& platform);
    virtual ~MatmulApiTilingBase();

    int32_t SetAType(TPosition pos, CubeFormat type, DataType dataType, bool isTrans = false);
    int32_t SetBType(TPosition pos, CubeFormat type, DataType dataType, bool isTrans = false);
    int32_t SetCType(TPosition pos, CubeFormat type, DataType dataType);
    int32_t SetBiasType(TPosition pos, CubeFormat type, DataType dataType);
    int32_t SetDequantType(DequantType dequantType);

    /// Sets the sizes of the matrix product; -1 means the value of SetOrgShape.
    virtual int32_t SetShape(int32_t m, int32_t n, int32_t k);
    /// Sets the sizes of the whole matrices in GM, from which offsets are computed.
    int32_t SetOrgShape(int32_t orgMIn, int32_t orgNIn, int32_t orgKIn);
    int32_t SetOrgShape(int32_t orgMIn, int32_t orgNIn, int32_t orgKaIn, int32_t orgKbIn);
    int32_t SetALayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d);
    int32_t SetBLayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d);
    int32_t SetCLayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d);
    int32_t SetBatchInfoForNormal(int32_t batchA, int32_t batchB, int32_t m, int32_t n, int32_t k);
    int32_t SetBatchNum(int32_t batch);
    int32_t EnableBias(bool isBiasIn = false);
    int32_t SetBias(bool isBiasIn = false);

    /// Fixes the base block; -1 lets GetTiling choose.
    int32_t SetFixSplit(int32_t baseMIn = -1, int32_t baseNIn = -1, int32_t baseKIn = -1);
    /// Sets how many bytes the tiling may use of each memory; -1 means the chip's whole memory.
    int32_t SetBufferSpace(int32_t l1Size = -1, int32_t l0CSize = -1, int32_t ubSize = -1,
                           int32_t btSize = -1);
    int32_t SetTraverse(MatrixTraverse traverse);
    int32_t SetMadType(MatrixMadType madType);
    int32_t SetSplitRange(int32_t maxBaseM = -1, int32_t maxBaseN = -1, int32_t maxBaseK = -1,
                          int32_t minBaseM = -1, int32_t minBaseN = -1, int32_t minBaseK = -1);
    int32_t SetDoubleBuffer(bool a, bool b, bool c, bool bias, bool transND2NZ = true,
                            bool transNZ2ND = true);
    void SetMatmulConfigParams(int32_t mmConfigTypeIn = 1, bool enableL1CacheUBIn = false,
                               ScheduleType scheduleTypeIn = ScheduleType::INNER_PRODUCT,
                               MatrixTraverse traverseIn = MatrixTraverse::NOSET,
                               bool enVecND2NZIn = false);
    void SetMatmulConfigParams(const MatmulConfigParams& configParams);
    int32_t SetSparse(bool isSparseIn = false);

    int32_t GetBaseM() const { return baseM; }
    int32_t GetBaseN() const { return baseN; }
    int32_t GetBaseK() const { return baseK; }

    /// Computes a legal tiling and returns 0; returns -1 if there is none.
    virtual int64_t GetTiling(optiling::TCubeTiling& tiling);
    virtual int64_t GetTiling(::TCubeTiling& tiling);

public:
    optiling::TCubeTiling tiling_;  ///< result of the last GetTiling

    MatTilingType aType_;
    MatTilingType bType_;
    MatTilingType cType_;
    MatTilingType biasType_;
    bool isBias = false;
    bool isSupportL0c2Out = true;
    int32_t blockDim = 0;
    int32_t orgM = 0, orgN = 0, orgKa = 0, orgKb = 0;
    int32_t aLayoutInfoB = 0, aLayoutInfoS = 0, aLayoutInfoN = 0, aLayoutInfoG = 0,
            aLayoutInfoD = 0;
    int32_t bLayoutInfoB = 0, bLayoutInfoS = 0, bLayoutInfoN = 0, bLayoutInfoG = 0,
            bLayoutInfoD = 0;
    int32_t cLayoutInfoB = 0, cLayoutInfoS1 = 0, cLayoutInfoN = 0, cLayoutInfoG = 0,
            cLayoutInfoS2 = 0;
    int32_t batchNum = 0;
    int32_t singleM = 0, singleN = 0, singleK = 0;  ///< sizes that SetShape has set
    int32_t singleCoreM = 0, singleCoreN = 0,
            singleCoreK = 0;                  ///< sizes of one core in the last result
    int32_t baseM = 0, baseN = 0, baseK = 0;  ///< base block of the last result
    int32_t batchM = 0, batchN = 0, singleBatchM = 0, singleBatchN = 0;
    int32_t alignSingleM = 1, alignSingleN = 1, alignSingleK = 1;
    struct MnmAdjust {
        int32_t maxBaseM = -1, maxBaseN = -1, maxBaseK = -1;
        int32_t minBaseM = -1, minBaseN = -1, minBaseK = -1;
    } adjust_;
    BufferPool oriBufferPool_;
    BufferPool bufferPool_;
    MatrixTraverse traverse_ = MatrixTraverse::NOSET;
    MatrixMadType madType_ = MatrixMadType::NORMAL;
    ScheduleType scheduleType = ScheduleType::INNER_PRODUCT;
    bool transND2NZ_ = false;
    bool transNZ2ND_ = false;
    bool isSparse_ = false;
    int32_t maxSingleM = -1, maxSingleN = -1, maxSingleK = -1;
    int32_t minSingleM = -1, minSingleN = -1, minSingleK = -1;
    DequantType deqType = DequantType::SCALAR;
    bool enableSplitK_ = false;
    platform_ascendc::SocVersion socVersion = platform_ascendc::SocVersion::ASCEND910B;
    int32_t mmConfigType = 1;
    bool enableL1CacheUB = false;
    bool enVecND2NZ = false;

protected:
    /// Computes result_; returns 0, or -1 after a failure.
    virtual int64_t Compute() = 0;
    /// Computes the tiling, stores it, and copies it to the caller.
    int64_t Produce(optiling::TCubeTiling* classForm, ::TCubeTiling* structForm);
    /// Writes the settings to `request`; returns false if no chip supports them.
    bool Describe(twin::host::matmul::SplitRequest* request);
    /// Stores the result and returns 0; returns -1 if `why` gives a reason for a failure.
    int64_t Keep(const char* why, const twin::host::matmul::SplitRequest& request,
                 const twin::host::matmul::CoreSplit& split);
    /// Stores the sentence for aclGetRecentErrMsg and returns -1.
    int32_t Refuse(const char* sentence);

    int32_t fixBaseM_ = -1, fixBaseN_ = -1, fixBaseK_ = -1;        ///< settings of SetFixSplit
    int32_t fixSingleM_ = -1, fixSingleN_ = -1, fixSingleK_ = -1;  ///< settings of SetSingleShape
    bool doubleA_ = true, doubleB_ = true, doubleC_ = true;        ///< settings of SetDoubleBuffer
    bool layoutSet_ = false;
    int32_t mDim_ = 0, nDim_ = 0, kDim_ = 0;  ///< cores along each axis in the last result
    ::TCubeTiling result_;
    const char* refused_ = nullptr;  ///< error of the first illegal setting
};

}  // namespace matmul_tiling
