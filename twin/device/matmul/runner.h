// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/issue/operand.h"
#include "device/matmul/block_product.h"
#include "device/matmul/form_check.h"
#include "device/matmul/output.h"
#include "device/matmul/walk.h"
#include "device/pipe/spm.h"

namespace twin::matmul {

/// State of one Matmul object on a cube core: settings, position in C, and current block in L0C.
template <class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE, const auto& MM_CFG,
          class MM_CB, int TRIANGLE>
class Runner {
    using Core_ = BlockProduct<A_TYPE, B_TYPE, BIAS_TYPE, MM_CFG, MM_CB>;
    using T = typename A_TYPE::T;
    using C = typename C_TYPE::T;
    using BiasT = typename BIAS_TYPE::T;

public:
    using Acc = typename Core_::Acc;
    static constexpr MatmulConfig kCfg = Core_::kCfg;
    static_assert(CheckForm<A_TYPE, B_TYPE, C_TYPE>() && CheckConfig<kCfg>() &&
                      CheckSparse<A_TYPE, B_TYPE, kCfg>(),
                  "");

    Runner() = default;
    Runner(const Runner&) = delete;
    ~Runner() { SharedMemory::Leave(pipe_, this); }

    void Init(const TCubeTiling* cubeTiling, AscendC::TPipe* tpipe, Location where);

    void SetOrgShape(int m, int n, int ka, int kb, int kc, Location where) {
        if (Idle(where)) {
            return;
        }
        p_.orgM = m;
        p_.orgN = n;
        p_.orgKa = ka;
        p_.orgKb = kb;
        p_.orgKc = kc;
    }
    void SetShare(int m, int n, int k, Location where) {
        if (Idle(where)) {
            return;
        }
        matmul::SetShare(p_, m, n, k, where);
    }
    template <typename Tensor>
    void SetA(const Tensor& tensor, bool transpose, Location where) {
        Set<A_TYPE>(engine_.a, tensor, transpose, !transpose, "A", where);
    }
    template <typename Tensor>
    void SetB(const Tensor& tensor, bool transpose, Location where) {
        Set<B_TYPE>(engine_.b, tensor, transpose, transpose, "B", where);
    }
    template <typename Tensor>
    void SetBias(const Tensor& tensor, Location where) {
        static_assert(IsBiasType<T, BiasT>(),
                      "Matmul: a bias is float or half, and int32_t for int8_t and int4b_t");
        if (Idle(where)) {
            return;
        }
        CheckBias(p_, Traits());
        engine_.bias.Set(tensor);
    }
    void ClearBias() { engine_.bias.Clear(); }
    void SetIndex(const AscendC::GlobalTensor<uint8_t>& index, Location where) {
        engine_.index = index;
        Restart(where);
    }
    auto& Quant() { return output_.quant; }
    UserData& User() { return engine_.user; }

    bool Iterate(bool partial, Location where) {
        if (Idle(where)) {
            return false;
        }
        if (!walk_.Next(p_)) {
            return false;
        }
        const Steps steps(Self(), Opcode::Iterate);
        ResetPitches(where);
        ComputeBlock(partial, where);
        return true;
    }

    /// Computes the next block into `co1`, which the kernel has allocated in L0C.
    bool Iterate(bool partial, const AscendC::LocalTensor<Acc>& co1, Location where);

    template <typename Destination>
    void GetC(const Destination& destination, uint8_t enAtomic, bool sequential, Location where) {
        if (Idle(where)) {
            return;
        }
        const Steps steps(Self(), Opcode::GetTensorC);
        const OutputShape shape = Shape(sequential);
        WriteBlock(destination, enAtomic, shape, where);
    }

    template <typename Destination>
    void IterateAll(const Destination& destination, uint8_t enAtomic, bool sequential,
                    Location where);

    void SetBatchNum(int32_t batchA, int32_t batchB) { batchA_ = batchA, batchB_ = batchB; }
    void IterateBatch(const AscendC::GlobalTensor<C>& gm, bool partial, uint8_t enAtomic,
                      bool sequential, const MatrixStrides& strides, Location where);

    void IterateBatches(uint32_t loops, const AscendC::GlobalTensor<C>& gm, uint8_t enAtomic,
                        bool sequential, const MatrixStrides& strides, Location where);

    int64_t SpanOfC() const;  ///< length in elements of the range that IterateAll writes
    MatrixOffset OffsetC() const {
        const Block& at = walk_.At();
        const int32_t row = at.m * p_.t.baseM, column = at.n * p_.t.baseN;
        return {row * p_.orgN + column, row, column, at.rows, at.columns};
    }
    void End(Location where) {
        if (Idle(where)) {
            return;
        }
        if (held_) {
            co1_.FreeTensor(block_, where);
        }
        held_ = false;
        Drain(where);
        walk_.Restart();
    }

private:
    /// Returns true on vector cores, for which the device compiler leaves Matmul calls out.
    static bool Idle(Location where) { return !Self().BeginOn(CoreKind::Aic, where); }

    static ProblemTraits Traits() {
        return {kElementBits<T>, sizeof(BiasT), A_TYPE::isTrans, B_TYPE::isTrans, kInL1<A_TYPE>,
                kInL1<B_TYPE>,   Core_::kForm,  Core_::kCopiesA, Core_::kCopiesB};
    }
    template <class TYPE, typename Operand_, typename Tensor>
    void Set(Operand_& operand, const Tensor& tensor, bool transpose, bool alongK, const char* name,
             Location where) {
        if (Idle(where)) {
            return;
        }
        CheckTranspose(transpose, TYPE::isTrans, name);
        CheckHome(kInL1<TYPE>, kIsLocal<Tensor>, name);
        operand.Set(tensor, TYPE::format, alongK);
        Restart(where);
    }
    void Restart(Location where) {
        walk_.Restart();
        engine_.Drop(where);
    }
    void Drain(Location where) {
        engine_.Drain(where);
        output_.quant.Drain(where);
        co1_.FreeAllEvent(where);
    }
    /// Makes `runner` release the memory that Matmul objects share, for use by another object.
    static void Evict(void* runner, Location where);
    void ResetPitches(Location where);
    OutputShape Shape(bool sequential) const {
        OutputShape shape;
        shape.sequential = sequential;
        shape.pitch = p_.orgKc != 0 ? p_.orgKc : p_.orgN;
        if (C_TYPE::format == CubeFormat::ND_ALIGN) {
            shape.pitch = AlignUp(static_cast<int32_t>(shape.pitch), 32 / sizeof(C));
        }
        shape.orgRows = kCfg.isEnableChannelSplit ? AlignUp(p_.orgM, 16) : p_.orgM;
        return shape;
    }
    /// Returns true if the triangular policy leaves the block out: it is not computed or written.
    bool LeftOut() const { return TRIANGLE * (walk_.At().m - walk_.At().n) > 0; }
    /// Returns true if the block is to be computed, and takes the shared memory for that.
    bool Ready(bool partial, Location where);
    void ComputeBlock(bool partial, Location where);
    template <typename Destination>
    void WriteBlock(const Destination& destination, uint8_t enAtomic, const OutputShape& shape,
                    Location where);
    void CallCopyOut(const AscendC::GlobalTensor<C>& destination, const OutputShape& shape,
                     Location where);

    using Out = Output<C_TYPE, Acc, kCfg.isEnableChannelSplit>;

    Problem p_;
    Walk walk_;
    Core_ engine_;
    Out output_;
    AscendC::TPipe* pipe_ = nullptr;
    AscendC::TQue<AscendC::TPosition::CO1, 1> co1_;
    AscendC::LocalTensor<Acc> block_;
    bool held_ = false;  ///< block_ is in L0C and was not copied out
    int32_t batchA_ = 0, batchB_ = 0;
    int64_t biasStart_ = 0;  ///< start of the current batch in the bias, in elements
};

}  // namespace twin::matmul
