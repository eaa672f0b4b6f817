// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/kfc/channel.h"
#include "device/kfc/client_base.h"
#include "device/kfc/client_copies.h"
#include "device/kfc/client_requests.h"

namespace AscendC {

/// Matmul of a mix kernel. Vector cores call its methods. The cube core of their block computes the
/// matrix products inside REGIST_MATMUL_OBJ. C, and operands outside TSCM, go through GM.
template <
    class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE = C_TYPE,
    const auto& MM_CFG = CFG_NORM, class MM_CB = MatmulCallBackFunc<nullptr, nullptr, nullptr>,
    template <const auto& = MM_CFG, typename...> class MATMUL_POLICY = Impl::Detail::MatmulPolicy>
class MatmulClient
    : public twin::kfc::ClientBase<
          MatmulImpl<A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE, MM_CFG, MM_CB, MATMUL_POLICY>, A_TYPE,
          B_TYPE, C_TYPE, BIAS_TYPE, MM_CFG> {
    using Impl = MatmulImpl<A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE, MM_CFG, MM_CB, MATMUL_POLICY>;
    using Base = twin::kfc::ClientBase<Impl, A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE, MM_CFG>;
    using DstT = typename C_TYPE::T;
    static constexpr bool kInUb = GetPhyType(C_TYPE::pos) == Hardware::UB;

public:
    using AType = A_TYPE;
    using BType = B_TYPE;
    using CType = C_TYPE;
    using BiasType = BIAS_TYPE;

    /// Moves to the next block of C; returns false if none is left. With sync = false, the cube
    /// core computes all blocks and writes them to the workspace of SetWorkspace.
    template <bool sync = true>
    bool Iterate(bool enPartialSum = false, TWIN_HERE) {
        const bool first = this->walk_.AtStart();
        if (!this->walk_.Next(this->p_)) {
            return false;
        }
        this->async_ = !sync;
        if constexpr (sync) {
            this->Later([enPartialSum, here](Impl& impl) { impl.Iterate(enPartialSum, here); });
        } else if (first) {
            static_assert(kInUb, "Iterate<false>: C's position is VECIN");
            this->StartAll(here);
        }
        return true;
    }

    template <bool sync = true>
    void GetTensorC(const GlobalTensor<DstT>& gm, uint8_t enAtomic = 0,
                    bool enSequentialWrite = false, TWIN_HERE) {
        this->ticket_ = this->Send(
            [=](Impl& impl) { impl.GetTensorC(gm, enAtomic, enSequentialWrite, here); }, here);
        if constexpr (sync) {
            this->Wait("GetTensorC", here);
        }
    }
    /// Writes the current block of C to `gm`, then fills co2Local with the first elements of `gm`.
    template <bool sync = true>
    void GetTensorC(const GlobalTensor<DstT>& gm, const LocalTensor<DstT>& co2Local,
                    uint8_t enAtomic = 0, bool enSequentialWrite = false, TWIN_HERE) {
        GetTensorC<sync>(gm, enAtomic, enSequentialWrite, here);
        this->CopyRun(co2Local, gm, here);
    }
    /// Copies the current block of C to UB. height, width, srcGap and dstGap have no effect.
    template <bool sync = true, bool doPad = false>
    void GetTensorC(const LocalTensor<DstT>& c, uint8_t enAtomic = 0,
                    bool enSequentialWrite = false, uint32_t height = 0, uint32_t width = 0,
                    uint32_t srcGap = 0, uint32_t dstGap = 0, TWIN_HERE) {
        static_assert(kInUb, "GetTensorC into a LocalTensor: C's position is VECIN");
        static_assert(!doPad, "GetTensorC: doPad is not modelled");
        (void)enSequentialWrite;
        (void)height;
        (void)width;
        (void)srcGap;
        (void)dstGap;
        this->BlockToUb(c, enAtomic, here);
    }
    /// Returns the next block that Iterate<false> has put into the workspace.
    template <bool sync = true>
    GlobalTensor<DstT> GetTensorC(uint8_t enAtomic = 0, bool enSequentialWrite = false, TWIN_HERE) {
        (void)enAtomic;
        (void)enSequentialWrite;
        return this->NextCached(here);
    }
    void AsyncGetTensorC(const LocalTensor<DstT>& c, TWIN_HERE) { this->BlockToUb(c, 0, here); }
    void WaitGetTensorC() {}

    template <bool sync = true>
    void IterateAll(const GlobalTensor<DstT>& gm, uint8_t enAtomic = 0,
                    bool enSequentialWrite = false, bool waitIterateAll = false,
                    bool fakeMsg = false, TWIN_HERE) {
        this->ticket_ = this->Send(
            [=](Impl& impl) {
                impl.IterateAll(gm, enAtomic, enSequentialWrite, false, fakeMsg, here);
                impl.End(here);
            },
            here, true);
        this->answered_ = sync || waitIterateAll;
        if constexpr (sync) {
            this->Wait("IterateAll", here);
        }
    }
    /// Computes all of C and copies it to UB in the layout of GM. Fails if C does not fit (T496).
    template <bool sync = true>
    void IterateAll(const LocalTensor<DstT>& ubCmatrix, uint8_t enAtomic = 0, TWIN_HERE) {
        static_assert(kInUb, "IterateAll into a LocalTensor: C's position is VECIN");
        static_assert(sync, "IterateAll<false> into a LocalTensor: only the waiting form has one");
        this->AllToUb(ubCmatrix, enAtomic, here);
    }
    void WaitIterateAll(TWIN_HERE) { this->WaitAnswer("WaitIterateAll", here); }
    void WaitIterateBatch(TWIN_HERE) { this->WaitAnswer("WaitIterateBatch", here); }

    template <bool sync = true, bool waitIterateBatch = false>
    void IterateBatch(const GlobalTensor<DstT>& gm, uint32_t batchA, uint32_t batchB,
                      bool enSequentialWrite, const uint32_t matrixStrideA = 0,
                      const uint32_t matrixStrideB = 0, const uint32_t matrixStrideC = 0,
                      const bool enPartialSum = false, const uint8_t enAtomic = 0, TWIN_HERE) {
        static_assert(twin::kfc::CheckNotOnce<Base::kPairing>(), "");
        this->ticket_ = this->Send(
            [=](Impl& impl) {
                impl.SetBatchNum(static_cast<int32_t>(batchA), static_cast<int32_t>(batchB));
                impl.IterateBatch(gm, enPartialSum, enAtomic, enSequentialWrite, matrixStrideA,
                                  matrixStrideB, matrixStrideC, here);
                impl.End(here);
            },
            here);
        this->answered_ = sync || waitIterateBatch;
        if constexpr (sync) {
            this->Wait("IterateBatch", here);
        }
    }

    /// Computes `batchLoop` batches like IterateBatch, one after the other, and writes them to the
    /// workspace of SetWorkspace.
    template <bool sync = true, bool waitIterateBatch = false>
    void IterateNBatch(const uint32_t batchLoop, uint32_t batchA, uint32_t batchB,
                       bool enSequentialWrite, const uint32_t matrixStrideA = 0,
                       const uint32_t matrixStrideB = 0, const uint32_t matrixStrideC = 0,
                       const bool enPartialSum = false, const uint8_t enAtomic = 0, TWIN_HERE) {
        static_assert(Base::kCfg.isNBatch, "IterateNBatch: the configuration's isNBatch is false");
        static_assert(twin::kfc::CheckNotOnce<Base::kPairing>(), "");
        if (enPartialSum) {
            twin::Fail("T484", "no block to add to: IterateNBatch with enPartialSum");
        }
        const twin::matmul::MatrixStrides strides{matrixStrideA, matrixStrideB, matrixStrideC};
        this->StartBatches(batchLoop, batchA, batchB, enSequentialWrite, enAtomic, strides, here);
        this->batchesLeft_ = sync ? 0 : batchLoop;
        this->answered_ = sync || waitIterateBatch;
        if constexpr (sync) {
            this->Wait("IterateNBatch", here);
        }
    }
    /// Returns the next batch that IterateNBatch<false> has put into the workspace.
    template <bool sync = true>
    GlobalTensor<DstT> GetBatchTensorC(uint32_t batchA, uint32_t batchB,
                                       bool enSequentialWrite = false, TWIN_HERE) {
        (void)enSequentialWrite;
        return this->NextBatch(batchA > batchB ? batchA : batchB, here);
    }
    template <bool sync = true>
    void GetBatchTensorC(const LocalTensor<DstT>& c, uint32_t batchA, uint32_t batchB,
                         bool enSequentialWrite = false, TWIN_HERE) {
        this->CopyRun(c, GetBatchTensorC<sync>(batchA, batchB, enSequentialWrite, here), here);
    }
    template <bool sync = true>
    GlobalTensor<DstT> GetBatchC(uint32_t batchA, uint32_t batchB, bool enSequentialWrite = false,
                                 TWIN_HERE) {
        return GetBatchTensorC<sync>(batchA, batchB, enSequentialWrite, here);
    }
    template <bool sync = true>
    void GetBatchC(const LocalTensor<DstT>& c, uint32_t batchA, uint32_t batchB,
                   bool enSequentialWrite = false, TWIN_HERE) {
        GetBatchTensorC<sync>(c, batchA, batchB, enSequentialWrite, here);
    }

    void End(TWIN_HERE) {
        this->Send([here](Impl& impl) { impl.End(here); }, here);
        this->walk_.Restart();
    }
};

#ifndef ASCENDC_CUBE_ONLY
template <
    class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE = C_TYPE,
    const auto& MM_CFG = CFG_NORM, class MM_CB = MatmulCallBackFunc<nullptr, nullptr, nullptr>,
    template <const auto& = MM_CFG, typename...> class MATMUL_POLICY = Impl::Detail::MatmulPolicy>
using Matmul = MatmulClient<A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE, MM_CFG, MM_CB, MATMUL_POLICY>;
#endif

}  // namespace AscendC
