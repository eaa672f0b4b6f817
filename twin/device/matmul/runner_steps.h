// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/matmul/runner.h"

namespace twin::matmul {

template <class A, class B, class C_TYPE, class BIAS, const auto& CFG, class CB, int TRI>
void Runner<A, B, C_TYPE, BIAS, CFG, CB, TRI>::Init(const TCubeTiling* cubeTiling,
                                                    AscendC::TPipe* tpipe, Location where) {
    if (Idle(where)) {
        return;
    }
    TCubeTiling tiling;
    if (cubeTiling != nullptr) {
        tiling = *cubeTiling;
    }
    if constexpr (std::is_same<std::decay_t<decltype(CFG)>, MatmulApiStaticTiling>::value) {
        Override(tiling, CFG);
    }
    Override(tiling, kCfg);
    CheckTiling(tiling, Traits(), where);
    p_ = MakeProblem(tiling, kCfg);
    pipe_ = tpipe != nullptr ? tpipe : GetTPipePtr();
    const SharedMemory shared(*pipe_, where);
    engine_.Init(*pipe_, tiling, where);
    if constexpr (!kInL0C<C_TYPE>) {
        pipe_->InitBuffer(co1_, static_cast<uint8_t>(tiling.dbL0C),
                          static_cast<uint32_t>(tiling.baseM * tiling.baseN * 4), where);
    }
    if (tiling.isBias != 0 && BiasFits(tiling, Traits())) {
        engine_.bias.Init(*pipe_, tiling.baseN, where);
    }
    if (BiasFits(tiling, Traits(), output_.quant.Bytes(tiling.baseN))) {
        output_.quant.Init(*pipe_, tiling.baseN, where);
    }
    batchA_ = batchB_ = tiling.BatchNum;
    walk_.Restart();
    RecordInit(std::is_same<std::decay_t<decltype(CFG)>, MatmulApiStaticTiling>::value);
}

template <class A, class B, class C_TYPE, class BIAS, const auto& CFG, class CB, int TRI>
void Runner<A, B, C_TYPE, BIAS, CFG, CB, TRI>::ResetPitches(Location where) {
    const auto place = [](Input<T>& input, bool fromUb, int32_t orgK, int32_t orgMn, int32_t k,
                          int32_t mn) {
        constexpr auto kUnit = static_cast<int32_t>(kC0<T>);
        const bool alongK = input.gm.alongK;
        input.gm.pitch = fromUb ? AlignUp(alongK ? k : mn, kUnit) : (alongK ? orgK : orgMn);
        const int32_t rows = fromUb ? (alongK ? mn : k) : (alongK ? orgMn : orgK);
        input.gm.orgRows = AlignUp(rows, 16);
    };
    using AscendC::GetPhyType;
    place(engine_.a, GetPhyType(A::pos) == AscendC::Hardware::UB, p_.orgKa, p_.orgM, p_.singleK,
          p_.singleM);
    constexpr int32_t kKept = kIsSparse<B> ? 2 : 1;  // a sparse B has half of the values along K
    place(engine_.b, GetPhyType(B::pos) == AscendC::Hardware::UB, p_.orgKb / kKept, p_.orgN,
          p_.singleK / kKept, p_.singleN);
    // Does not check operands that a callback copies: only the callback knows their layout.
    const auto inRows = [](auto type, bool called) {
        using Type = decltype(type);
        return !called && Type::format == CubeFormat::ND &&
               GetPhyType(Type::pos) != AscendC::Hardware::L1;
    };
    Self().Begin(where);
    if (inRows(A(), kNamed<CB::CopyA1Ptr>)) {
        CheckRow("A", engine_.a.gm.pitch, engine_.a.gm.alongK ? p_.singleK : p_.singleM);
    }
    if (inRows(B(), kNamed<CB::CopyB1Ptr>)) {
        CheckRow("B", engine_.b.gm.pitch, engine_.b.gm.alongK ? p_.singleK / kKept : p_.singleN);
    }
}

template <class A, class B, class C_TYPE, class BIAS, const auto& CFG, class CB, int TRI>
bool Runner<A, B, C_TYPE, BIAS, CFG, CB, TRI>::Ready(bool partial, Location where) {
    if (LeftOut()) {
        return false;
    }
    if (partial && p_.partial) {
        Fail("T484", "no block to add to: Iterate(true) with isPartialOutput");
    }
    if (!engine_.a.set || !engine_.b.set) {
        Fail("T489", "operand missing: Iterate before SetTensor%s", engine_.a.set ? "B" : "A");
    }
    if constexpr (kIsSparse<B>) {
        CheckIndex(engine_.index.GetPhyAddr() != nullptr, engine_.b.gm.alongK);
    }
    SharedMemory::Take(*pipe_, this, &Runner::Evict, where);
    return true;
}

template <class A, class B, class C_TYPE, class BIAS, const auto& CFG, class CB, int TRI>
void Runner<A, B, C_TYPE, BIAS, CFG, CB, TRI>::ComputeBlock(bool partial, Location where) {
    if (!Ready(partial, where)) {
        return;
    }
    const bool accumulate = partial && held_;
    if (held_ && !partial) {
        Fail("T484",
             "block lost: Iterate starts block (%d, %d), but nobody fetched the one before\n  "
             "try: GetTensorC after every Iterate, or Iterate(true) to add to it",
             walk_.At().m, walk_.At().n);
    }
    if (!held_) {
        block_ = co1_.template AllocTensor<Acc>(where);
    }
    held_ = true;
    engine_.Compute(p_, walk_, block_, accumulate, where);
}

template <class A, class B, class C_TYPE, class BIAS, const auto& CFG, class CB, int TRI>
bool Runner<A, B, C_TYPE, BIAS, CFG, CB, TRI>::Iterate(bool partial,
                                                       const AscendC::LocalTensor<Acc>& co1,
                                                       Location where) {
    if (Idle(where) || !walk_.Next(p_)) {
        return false;
    }
    const Steps steps(Self(), Opcode::Iterate);
    ResetPitches(where);
    if (Ready(partial, where)) {
        engine_.Compute(p_, walk_, co1, partial, where);
    }
    return true;
}

template <class A, class B, class C_TYPE, class BIAS, const auto& CFG, class CB, int TRI>
template <typename Destination>
void Runner<A, B, C_TYPE, BIAS, CFG, CB, TRI>::WriteBlock(const Destination& destination,
                                                          uint8_t enAtomic,
                                                          const OutputShape& shape,
                                                          Location where) {
    if (LeftOut()) {
        return;
    }
    if (!held_) {
        Fail("T484", "no block: GetTensorC without an Iterate before it");
    }
    co1_.EnQue(block_, where);
    block_ = co1_.template DeQue<Acc>(where);
    AtomicScope<C> atomic(enAtomic);
    const auto place = static_cast<uint64_t>(Out::PlaceOf(walk_.At(), p_, shape));
    if constexpr (kNamed<CB::DataCopyOutPtr>) {
        CallCopyOut(destination[place], shape, where);
    } else {
        output_.Write(destination[place], block_, walk_.At(), shape, p_.t.baseN, where);
    }
    atomic.End();
    co1_.FreeTensor(block_, where);
    held_ = false;
}

template <class A, class B, class C_TYPE, class BIAS, const auto& CFG, class CB, int TRI>
template <typename Destination>
void Runner<A, B, C_TYPE, BIAS, CFG, CB, TRI>::IterateAll(const Destination& destination,
                                                          uint8_t enAtomic, bool sequential,
                                                          Location where) {
    if (Idle(where)) {
        return;
    }
    const Steps steps(Self(), Opcode::IterateAll);
    walk_.Restart();
    ResetPitches(where);
    const OutputShape shape = Shape(sequential);
    uint64_t place = 0;
    while (walk_.Next(p_)) {
        ComputeBlock(false, where);
        WriteBlock(destination[place], enAtomic, shape, where);
        if (sequential) {
            place += static_cast<uint64_t>(p_.t.baseM) * p_.t.baseN;
        }
    }
}

template <class A, class B, class C_TYPE, class BIAS, const auto& CFG, class CB, int TRI>
int64_t Runner<A, B, C_TYPE, BIAS, CFG, CB, TRI>::SpanOfC() const {
    const OutputShape shape = Shape(false);
    if (C_TYPE::format != CubeFormat::NZ) {
        return (p_.singleM - 1) * shape.pitch + p_.singleN;
    }
    constexpr int64_t kStripe = kStripeOfC<C, kCfg.isEnableChannelSplit>;
    return ((p_.singleN - 1) / kStripe * shape.orgRows + p_.singleM) * kStripe;
}

template <class A, class B, class C_TYPE, class BIAS, const auto& CFG, class CB, int TRI>
void Runner<A, B, C_TYPE, BIAS, CFG, CB, TRI>::Evict(void* runner, Location where) {
    auto* const self = static_cast<Runner*>(runner);
    if (self->held_) {
        Fail("T484",
             "block lost: another Matmul object computes while L0C holds a block that nobody "
             "fetched\n  try: GetTensorC before the other object's Iterate");
    }
    self->Drain(where);
}

}  // namespace twin::matmul
