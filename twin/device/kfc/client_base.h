// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "device/data_copy/data_copy.h"
#include "device/data_copy/data_copy_pad.h"
#include "device/kfc/channel.h"
#include "device/matmul/matmul_impl.h"

namespace twin::kfc {

/// The part of a Matmul client that communicates with the cube core. Settings are sent with the
/// next request. On the cube core, the object contains one Matmul implementation per vector core.
template <class Impl, class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE, const auto& MM_CFG>
class ClientBase {
    using SrcT = typename A_TYPE::T;
    using DstT = typename C_TYPE::T;
    using BiasT = typename BIAS_TYPE::T;
    template <typename T>
    using Gm = AscendC::GlobalTensor<T>;
    template <typename T>
    using Local = AscendC::LocalTensor<T>;

public:
    static constexpr Pairing kPairing = PairingOf(A_TYPE::ibShare, B_TYPE::ibShare);
    static constexpr MatmulConfig kCfg = AscendC::ToMatmulConfig(MM_CFG);
    static_assert(matmul::CheckServed<A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE, kCfg>(), "");

    ClientBase() = default;
    ClientBase(const ClientBase&) = delete;
    ClientBase& operator=(const ClientBase&) = delete;

    void Init(const TCubeTiling* cubeTiling, AscendC::TPipe* tpipe = nullptr, TWIN_HERE) {
        if (Self().kind == CoreKind::Aic) {
            for (Impl& one : impl_) {
                one.Init(cubeTiling, tpipe, here);
            }
            return;
        }
        TCubeTiling tiling;
        if (cubeTiling != nullptr) {
            tiling = *cubeTiling;
        }
        Later([tiling, here](Impl& impl) { impl.Init(&tiling, nullptr, here); });
        Prepare(tiling);
    }
    void SetSubBlockIdx(uint8_t subBlockIdx) { (void)subBlockIdx; }
    void SetOrgShape(int orgM, int orgN, int orgK, TWIN_HERE) {
        SetOrgShape(orgM, orgN, orgK, orgK, 0, here);
    }
    void SetOrgShape(int orgM, int orgN, int orgKa, int orgKb, int orgKc = 0, TWIN_HERE) {
        Later([=](Impl& impl) { impl.SetOrgShape(orgM, orgN, orgKa, orgKb, orgKc, here); });
    }
    void SetSingleShape(int singleM, int singleN, int singleK, TWIN_HERE) {
        SetTail(singleM, singleN, singleK, here);
    }
    void SetTail(int tailM = -1, int tailN = -1, int tailK = -1, TWIN_HERE) {
        matmul::SetShare(p_, tailM, tailN, tailK, here);
        Later([=](Impl& impl) { impl.SetTail(tailM, tailN, tailK, here); });
    }
    void SetTensorA(const Gm<SrcT>& gm, bool isTransposeA = false, TWIN_HERE) {
        walk_.Restart();
        Later([=](Impl& impl) { impl.SetTensorA(gm, isTransposeA, here); });
    }
    void SetTensorB(const Gm<SrcT>& gm, bool isTransposeB = false, TWIN_HERE) {
        walk_.Restart();
        Later([=](Impl& impl) { impl.SetTensorB(gm, isTransposeB, here); });
    }
    /// Sets matrix A from a local tensor. A tensor in UB is first copied to the system workspace; a
    /// tensor in TSCM is used in place.
    void SetTensorA(const Local<SrcT>& leftMatrix, bool isTransposeA = false, TWIN_HERE) {
        const auto set = [=](auto& to, const auto& a) { to.SetTensorA(a, isTransposeA, here); };
        SetLocal<A_TYPE>(leftMatrix, set, here);
    }
    void SetTensorB(const Local<SrcT>& rightMatrix, bool isTransposeB = false, TWIN_HERE) {
        const auto set = [=](auto& to, const auto& b) { to.SetTensorB(b, isTransposeB, here); };
        SetLocal<B_TYPE>(rightMatrix, set, here);
    }
    void SetTensorAWithCopy(const Gm<SrcT>& gm, const Local<SrcT>& leftMatrix,
                            bool isTransposeA = false, TWIN_HERE) {
        CopyOut(gm, leftMatrix, here);
        SetTensorA(gm, isTransposeA, here);
    }
    void SetTensorBWithCopy(const Gm<SrcT>& gm, const Local<SrcT>& rightMatrix,
                            bool isTransposeB = false, TWIN_HERE) {
        CopyOut(gm, rightMatrix, here);
        SetTensorB(gm, isTransposeB, here);
    }
    void SetSparseIndex(const Gm<uint8_t>& indexGlobal, TWIN_HERE) {
        (void)indexGlobal;
        twin::matmul::RefuseSparse(here);
    }
    void SetBias(const Gm<BiasT>& biasGlobal, TWIN_HERE) {
        Later([=](Impl& impl) { impl.SetBias(biasGlobal, here); });
    }
    void SetBias(const Local<BiasT>& inputBias, TWIN_HERE) {
        SetBias(Staged(inputBias, here), here);
    }
    void DisableBias() {
        Later([](Impl& impl) { impl.ClearBias(); });
    }
    void ClearBias() { DisableBias(); }
    void SetQuantScalar(const uint64_t quantScalar) {
        Later([=](Impl& impl) { impl.SetQuantScalar(quantScalar); });
    }
    void SetQuantVector(const Gm<uint64_t>& quantTensor) {
        Later([=](Impl& impl) { impl.SetQuantVector(quantTensor); });
    }
    void SetQuantVector(const Local<uint64_t>& quantTensor, TWIN_HERE);
    void SetSelfDefineData(const uint64_t dataPtr) {
        Later([=](Impl& impl) { impl.SetSelfDefineData(dataPtr); });
    }
    void SetUserDefInfo(const uint64_t tilingPtr) {
        Later([=](Impl& impl) { impl.SetUserDefInfo(tilingPtr); });
    }
    void SetHF32(bool enableHF32 = false, int32_t transMode = 0, TWIN_HERE) {
        Later([=](Impl& impl) { impl.SetHF32(enableHF32, transMode, here); });
    }
    void SetLocalWorkspace(const Local<uint8_t>& tmpBuffer) { (void)tmpBuffer; }
    /// Sets the workspace for the results of Iterate<false> and of IterateNBatch.
    template <class T>
    void SetWorkspace(__gm__ const T* addr, int size) {
        (void)size;
        cache_.SetGlobalBuffer(reinterpret_cast<__gm__ DstT*>(const_cast<__gm__ T*>(addr)));
        cacheOffset_ = 0;
    }
    template <class T>
    void SetWorkspace(Gm<T>& addr) {
        SetWorkspace(addr.GetPhyAddr(), 0);
    }

    // REGIST_MATMUL_OBJ uses the next functions.
    void Register(uint32_t number) { number_ = number; }
    void* ForServer() { return this; }
    /// Returns true if the configuration contains the whole tiling.
    static constexpr bool Constant() { return kCfg.singleCoreM != 0 && kCfg.basicM != 0; }
    /// Sets the client's tiling; REGIST_MATMUL_OBJ also gives this tiling to the cube core.
    void Adopt(const TCubeTiling* cubeTiling) {
        TCubeTiling tiling;
        if (cubeTiling != nullptr) {
            tiling = *cubeTiling;
        }
        Prepare(tiling);
    }

protected:
    /// Makes the next request run `step` on the cube core, for example a setting such as SetTail.
    void Later(std::function<void(Impl&)> step) { steps_.push_back(std::move(step)); }

    /// Posts a request that runs all functions from `Later`, then `last`; returns its number.
    /// `all` (true for IterateAll): with IBSHARE, the request belongs to a pair.
    uint64_t Send(std::function<void(Impl&)> last, Location where, bool all = false);
    void Wait(const char* api, Location where) { Await(ticket_, api, where); }
    void WaitAnswer(const char* api, Location where);

    int64_t BlockElements() const { return int64_t{p_.t.baseM} * p_.t.baseN; }

    void StartAll(Location where);
    Gm<DstT> NextCached(Location where);
    void StartBatches(uint32_t loops, uint32_t batchA, uint32_t batchB, bool sequential,
                      uint8_t enAtomic, const matmul::MatrixStrides& strides, Location where);
    Gm<DstT> NextBatch(uint32_t products, Location where);
    void BlockToUb(const Local<DstT>& c, uint8_t enAtomic, Location where);
    void AllToUb(const Local<DstT>& c, uint8_t enAtomic, Location where);
    /// Copies the current block of C to UB; in GM the block is contiguous.
    void CopyIn(const Local<DstT>& c, const Gm<DstT>& gm, Location where);
    /// Copies as many elements from GM as the local tensor `c` has.
    void CopyRun(const Local<DstT>& c, const Gm<DstT>& gm, Location where);
    template <typename T>
    void CopyOut(const Gm<T>& gm, const Local<T>& local, Location where);
    template <typename T>
    Gm<T> Staged(const Local<T>& local, Location where) {
        Gm<T> gm;
        gm.SetGlobalBuffer(static_cast<__gm__ T*>(Stage(local.GetLength(), where)));
        CopyOut(gm, local, where);
        return gm;
    }
    template <class X, typename Set>
    void SetLocal(const Local<SrcT>& tensor, Set set, Location where);
    void Prepare(TCubeTiling tiling);

    matmul::Problem p_;
    matmul::Walk walk_;     ///< the block of C that Iterate has reached
    matmul::Walk fetched_;  ///< the last block of C that was fetched from the workspace
    uint64_t ticket_ = 0;
    bool answered_ = true;
    bool async_ = false;
    uint32_t batchesLeft_ = 0;  ///< number of batches of IterateNBatch<false> not yet fetched

private:
    Impl impl_[2];  ///< on the cube core: one implementation per vector core
    std::vector<std::function<void(Impl&)>> steps_;
    Gm<DstT> cache_;
    int64_t cacheOffset_ = 0;
    uint32_t number_ = 0;
};

}  // namespace twin::kfc
