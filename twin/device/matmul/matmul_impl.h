// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cube/mmad.h"
#include "device/matmul/runner.h"
#include "device/matmul/runner_batch.h"
#include "device/matmul/runner_steps.h"
#include "device/sync/cross_core_flag.h"

namespace AscendC {

/// Computes C = A x B + bias on the calling cube core. The order of calls is: Init;
/// SetTensorA and SetTensorB; Iterate with GetTensorC, or IterateAll, or IterateBatch; End.
template <
    class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE = C_TYPE,
    const auto& MM_CFG = CFG_NORM, class MM_CB = MatmulCallBackFunc<nullptr, nullptr, nullptr>,
    template <const auto& = MM_CFG, typename...> class MATMUL_POLICY = Impl::Detail::MatmulPolicy>
class MatmulImpl {
    using Runner = twin::matmul::Runner<
        A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE, MM_CFG, MM_CB,
        MATMUL_POLICY<MM_CFG, void, A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE>::kTriangle>;
    using SrcT = typename A_TYPE::T;
    using SrcBT = typename B_TYPE::T;
    using DstT = typename C_TYPE::T;
    using BiasT = typename BIAS_TYPE::T;

public:
    using AType = A_TYPE;
    using BType = B_TYPE;
    using CType = C_TYPE;
    using BiasType = BIAS_TYPE;
    using CallBack = MM_CB;

    /// `cubeTiling` may be null if the configuration contains the tiling.
    void Init(const TCubeTiling* cubeTiling, TPipe* tpipe = nullptr, TWIN_HERE) {
        TWIN_USES_CUBE;
        runner_.Init(cubeTiling, tpipe, here);
    }
    /// Returns true if the configuration contains all of the tiling.
    static constexpr bool Constant() {
        return Runner::kCfg.singleCoreM != 0 && Runner::kCfg.basicM != 0;
    }
    void SetOrgShape(int orgM, int orgN, int orgK, TWIN_HERE) {
        runner_.SetOrgShape(orgM, orgN, orgK, orgK, 0, here);
    }
    void SetOrgShape(int orgM, int orgN, int orgKa, int orgKb, int orgKc = 0, TWIN_HERE) {
        runner_.SetOrgShape(orgM, orgN, orgKa, orgKb, orgKc, here);
    }
    void SetSingleShape(int singleM, int singleN, int singleK, TWIN_HERE) {
        runner_.SetShare(singleM, singleN, singleK, here);
    }
    void SetTail(int tailM = -1, int tailN = -1, int tailK = -1, TWIN_HERE) {
        runner_.SetShare(tailM, tailN, tailK, here);
    }
    void SetTensorA(const GlobalTensor<SrcT>& gm, bool isTransposeA = false, TWIN_HERE) {
        runner_.SetA(gm, isTransposeA, here);
    }
    void SetTensorB(const GlobalTensor<SrcBT>& gm, bool isTransposeB = false, TWIN_HERE) {
        runner_.SetB(gm, isTransposeB, here);
    }
    /// Sets A to fractals that are already in L1.
    void SetTensorA(const LocalTensor<SrcT>& leftMatrix, bool isTransposeA = false, TWIN_HERE) {
        runner_.SetA(leftMatrix, isTransposeA, here);
    }
    void SetTensorB(const LocalTensor<SrcBT>& rightMatrix, bool isTransposeB = false, TWIN_HERE) {
        runner_.SetB(rightMatrix, isTransposeB, here);
    }
    void SetBias(const GlobalTensor<BiasT>& biasGlobal, TWIN_HERE) {
        runner_.SetBias(biasGlobal, here);
    }
    void SetBias(const LocalTensor<BiasT>& inputBias, TWIN_HERE) {
        runner_.SetBias(inputBias, here);
    }
    /// Sets the index of a sparse B: fractals of 16 rows (N) x 8 bytes, two bits for a kept value.
    void SetSparseIndex(const GlobalTensor<uint8_t>& indexGlobal, TWIN_HERE) {
        static_assert(twin::matmul::kIsSparse<B_TYPE>, "SetSparseIndex: B is a SparseMatmulType");
        runner_.SetIndex(indexGlobal, here);
    }
    void DisableBias() { runner_.ClearBias(); }
    void ClearBias() { runner_.ClearBias(); }
    void SetQuantScalar(const uint64_t quantScalar) { runner_.Quant().Set(quantScalar); }
    /// Sets factors in GM or, newer than CANN 8.1, in L1.
    void SetQuantVector(const GlobalTensor<uint64_t>& factors) { runner_.Quant().Set(factors); }
    void SetQuantVector(const LocalTensor<uint64_t>& factors) { runner_.Quant().Set(factors); }
    void SetSelfDefineData(const uint64_t dataPtr) { runner_.User().dataPtr = dataPtr; }
    void SetUserDefInfo(const uint64_t tilingPtr) { runner_.User().tilingPtr = tilingPtr; }
    /// Turns rounding of float to HF32 on or off; transMode 0 rounds ties to even.
    void SetHF32(bool enableHF32 = false, int32_t transMode = 0, TWIN_HERE) {
        SetHF32Mode(enableHF32, here);
        SetHF32TransMode(transMode != 0, here);
    }
    void SetSubBlockIdx(uint8_t subBlockIdx) { subBlockIdx_ = subBlockIdx; }
    uint8_t GetSubBlockIdx() { return subBlockIdx_; }
    /// Does nothing, because Matmul on a cube core needs no scratch in UB.
    void SetLocalWorkspace(const LocalTensor<uint8_t>& tmpBuffer) { (void)tmpBuffer; }
    template <class T>
    void SetWorkspace(__gm__ const T* addr, int size) {
        (void)addr;
        (void)size;
    }
    template <class T>
    void SetWorkspace(GlobalTensor<T>& /*addr*/) {}

    /// Computes the next block of C; returns false if no block is left. If `enPartialSum` is true,
    /// adds the result to the block in L0C.
    template <bool sync = true>
    bool Iterate(bool enPartialSum = false, TWIN_HERE) {
        static_assert(Runner::kCfg.scheduleType == ScheduleType::INNER_PRODUCT,
                      "Iterate: scheduleType OUTER_PRODUCT is modelled for IterateAll only");
        static_assert(kManaged, "Iterate: C's position is CO1; pass a tensor in CO1");
        TWIN_USES_CUBE;
        return runner_.Iterate(enPartialSum, here);
    }
    /// Computes the next block of C into the kernel's own memory in L0C, for Fixpipe.
    template <bool sync = true, typename T>
    bool Iterate(bool enPartialSum, const LocalTensor<T>& localCmatrix, TWIN_HERE) {
        static_assert(std::is_same_v<T, typename Runner::Acc>,
                      "Iterate into CO1: the tensor has the type of the sums, float or int32_t");
        TWIN_USES_CUBE;
        return runner_.Iterate(enPartialSum, localCmatrix, here);
    }
    template <bool sync = true>
    void GetTensorC(const GlobalTensor<DstT>& gm, uint8_t enAtomic = 0,
                    bool enSequentialWrite = false, TWIN_HERE) {
        static_assert(kManaged, "GetTensorC: C's position is CO1; copy C out with Fixpipe");
        runner_.GetC(gm, enAtomic, enSequentialWrite, here);
    }
    /// Copies the current block of C to L1, because there is no path from L0C to UB.
    template <bool sync = true>
    void GetTensorC(const LocalTensor<DstT>& co2Local, uint8_t enAtomic = 0,
                    bool enSequentialWrite = false, TWIN_HERE) {
        static_assert(GetPhyType(C_TYPE::pos) == Hardware::L1,
                      "MatmulImpl::GetTensorC into a LocalTensor: A2 and A3 have no way from L0C "
                      "to UB; let Matmul of a mix kernel do it, or take C through GM");
        runner_.GetC(co2Local, enAtomic, enSequentialWrite, here);
    }
    template <bool sync = true>
    void IterateAll(const GlobalTensor<DstT>& gm, uint8_t enAtomic = 0,
                    bool enSequentialWrite = false, bool waitIterateAll = false,
                    bool fakeMsg = false, TWIN_HERE) {
        static_assert(kManaged, "IterateAll: C's position is CO1; use Iterate with a tensor");
        static_assert(!Runner::kCfg.isPartialOutput, "IterateAll: isPartialOutput is for Iterate");
        TWIN_USES_CUBE;
        (void)waitIterateAll;
        if (!fakeMsg) {
            runner_.IterateAll(gm, enAtomic, enSequentialWrite, here);
        }
    }
    template <bool sync = true>
    void IterateAll(const LocalTensor<DstT>& ubCmatrix, uint8_t enAtomic = 0, TWIN_HERE) {
        TWIN_USES_CUBE;
        static_assert(GetPhyType(C_TYPE::pos) == Hardware::L1,
                      "MatmulImpl::IterateAll into a LocalTensor: C's position must be in L1");
        runner_.IterateAll(ubCmatrix, enAtomic, false, here);
    }
    /// Returns the number of elements from the first to the last one that IterateAll writes.
    int64_t SpanOfC() const { return runner_.SpanOfC(); }
    void WaitIterateAll() {}

    void SetBatchNum(int32_t batchA, int32_t batchB) { runner_.SetBatchNum(batchA, batchB); }
    /// Of the library's copies out of L0C, this sets how many batches each has. The result is the
    /// same for any number.
    void SetNBatchOutNum(int32_t) {}
    void IterateBatch(const GlobalTensor<DstT>& gm, bool enPartialSum, uint8_t enAtomic,
                      bool enSequentialWrite, const uint32_t matrixStrideA = 0,
                      const uint32_t matrixStrideB = 0, const uint32_t matrixStrideC = 0,
                      TWIN_HERE) {
        static_assert(!Runner::kCfg.isPartialOutput,
                      "IterateBatch: isPartialOutput is for Iterate");
        TWIN_USES_CUBE;
        runner_.IterateBatch(gm, enPartialSum, enAtomic, enSequentialWrite,
                             {matrixStrideA, matrixStrideB, matrixStrideC}, here);
    }
    /// Computes the batches that vector cores request with IterateNBatch.
    void IterateBatches(uint32_t loops, const GlobalTensor<DstT>& gm, uint8_t enAtomic,
                        bool enSequentialWrite, const twin::matmul::MatrixStrides& strides,
                        twin::Location here) {
        runner_.IterateBatches(loops, gm, enAtomic, enSequentialWrite, strides, here);
    }
    /// Returns position and size of the block that Iterate has computed.
    template <bool isTurnOnDebug = true>
    MatrixOffset GetOffsetC() {
        return runner_.OffsetC();
    }
    void End(TWIN_HERE) { runner_.End(here); }

private:
    /// True if Matmul allocates the memory in L0C for the blocks of C.
    static constexpr bool kManaged = !twin::matmul::kInL0C<C_TYPE>;

    Runner runner_;
    uint8_t subBlockIdx_ = 0;
};

}  // namespace AscendC

namespace matmul = AscendC;
