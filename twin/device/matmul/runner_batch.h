// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/matmul/runner.h"

namespace twin::matmul {

/// Computes several matrix products, one after the other. A matrix that several products share is
/// read again for each of these products.
template <class A, class B, class C_TYPE, class BIAS, const auto& CFG, class CB, int TRI>
void Runner<A, B, C_TYPE, BIAS, CFG, CB, TRI>::IterateBatch(const AscendC::GlobalTensor<C>& gm,
                                                            bool partial, uint8_t enAtomic,
                                                            bool sequential,
                                                            const MatrixStrides& strides,
                                                            Location where) {
    constexpr auto kHasAxes = [](LayoutMode layout) {
        return layout != LayoutMode::NONE && layout != LayoutMode::NORMAL;
    };
    constexpr bool kOfAxes = kHasAxes(A::layout) && kHasAxes(B::layout);
    static_assert(kOfAxes || A::layout == B::layout || C_TYPE::layout == LayoutMode::NONE,
                  "IterateBatch: A and B are both NORMAL, or neither is");
    if (Idle(where)) {
        return;
    }
    const Steps steps(Self(), Opcode::IterateBatch);
    const BatchPlan plan = PlanBatch(A::layout, p_.t, batchA_, batchB_, where);
    const bool alongA = engine_.a.gm.alongK, alongB = engine_.b.gm.alongK;
    const int32_t m = p_.singleM, n = p_.singleN, k = p_.singleK;
    const BatchLayout a =
        LayoutOf(A::layout, AxesOfA(p_.t), alongA ? m : k, alongA ? k : m, strides.a, "A", where);
    const BatchLayout b = LayoutOf(kOfAxes ? B::layout : A::layout, AxesOfB(p_.t), alongB ? n : k,
                                   alongB ? k : n, strides.b, "B", where);
    const BatchLayout c =
        LayoutOf(C_TYPE::layout == LayoutMode::NONE ? LayoutMode::NORMAL : C_TYPE::layout,
                 AxesOfC(p_.t), m, n, strides.c, "C", where);
    const auto baseA = engine_.a.gm.gm, baseB = engine_.b.gm.gm;
    OutputShape shape = Shape(sequential);
    shape.pitch = c.pitch;
    shape.orgRows = c.rows;
    engine_.a.gm.pitch = a.pitch;
    engine_.b.gm.pitch = b.pitch;
    engine_.a.gm.orgRows = AlignUp(a.rows, 16);
    engine_.b.gm.orgRows = AlignUp(b.rows, 16);
    uint64_t place = 0;
    for (int64_t product = 0; product < plan.products; product += plan.reduce) {
        walk_.Restart();
        while (walk_.Next(p_)) {
            for (int64_t i = 0; i < plan.reduce; ++i) {
                engine_.Drop(where);
                engine_.a.gm.gm = At(baseA, plan.a.Of(product + i) * a.stride);
                engine_.b.gm.gm = At(baseB, plan.b.Of(product + i) * b.stride);
                engine_.bias.Shift(biasStart_ + (kCfg.isBiasBatch ? plan.bias.Of(product) * n : 0));
                ComputeBlock(partial || i > 0, where);
            }
            WriteBlock(
                gm[place +
                   (sequential ? 0 : static_cast<uint64_t>(product / plan.reduce * c.stride))],
                enAtomic, shape, where);
            if (sequential) {
                place += static_cast<uint64_t>(p_.t.baseM) * p_.t.baseN;
            }
        }
    }
    engine_.a.gm.gm = baseA;
    engine_.b.gm.gm = baseB;
    engine_.bias.Shift(0);
}

/// Computes `loops` batches, like `loops` calls of IterateBatch. Each batch uses the next matrices
/// along the batch axis, as in the toolkit.
template <class A, class B, class C_TYPE, class BIAS, const auto& CFG, class CB, int TRI>
void Runner<A, B, C_TYPE, BIAS, CFG, CB, TRI>::IterateBatches(uint32_t loops,
                                                              const AscendC::GlobalTensor<C>& gm,
                                                              uint8_t enAtomic, bool sequential,
                                                              const MatrixStrides& strides,
                                                              Location where) {
    static_assert(A::layout == LayoutMode::BSNGD || A::layout == LayoutMode::SBNGD ||
                      A::layout == LayoutMode::BNGS1S2,
                  "IterateNBatch: the layout is BSNGD, SBNGD or BNGS1S2");
    if (Idle(where)) {
        return;
    }
    const Steps steps(Self(), Opcode::IterateNBatch);
    const LayoutAxes a = AxesOfA(p_.t), b = AxesOfB(p_.t), c = AxesOfC(p_.t);
    const auto step = [](LayoutMode mode, const LayoutAxes& axes, int64_t matrices) {
        return matrices * axes.d * (mode == LayoutMode::SBNGD ? 1 : axes.s);
    };
    const int64_t products = std::max(batchA_, batchB_);
    const int64_t matricesC = c.g == 1 ? products / std::max(a.g, b.g) : products;
    const auto baseA = engine_.a.gm.gm, baseB = engine_.b.gm.gm;
    for (int64_t i = 0; i < loops; ++i) {
        engine_.a.gm.gm = At(baseA, i * step(A::layout, a, batchA_));
        engine_.b.gm.gm = At(baseB, i * step(A::layout, b, batchB_));
        biasStart_ = i * matricesC * c.d;
        IterateBatch(At(gm, i * step(C_TYPE::layout, c, matricesC)), false, enAtomic, sequential,
                     strides, where);
    }
    engine_.a.gm.gm = baseA;
    engine_.b.gm.gm = baseB;
    biasStart_ = 0;
}

/// Calls the kernel's callback that copies the block out of L0C.
template <class A, class B, class C_TYPE, class BIAS, const auto& CFG, class CB, int TRI>
void Runner<A, B, C_TYPE, BIAS, CFG, CB, TRI>::CallCopyOut(
    const AscendC::GlobalTensor<C>& destination, const OutputShape& shape, Location where) {
    const Block& at = walk_.At();
    AscendC::DataCopyOutParams params;
    params.cBurstNum = static_cast<uint16_t>(CeilDiv(at.columns, 16));
    params.burstLen = static_cast<uint16_t>(at.rows * 16 * 4 / 32);
    params.dstStride = output_.StrideFor(at, shape);
    params.oriNSize = static_cast<uint16_t>(Out::kNz ? 0 : at.columns);
    params.enUnitFlag = false;
    params.quantMode = static_cast<uint8_t>(output_.quant.Mode());
    params.quantScalar = output_.quant.Scalar();
    params.curM = at.m;
    params.curN = at.n;
    AscendC::LocalTensor<uint64_t> factors;
    const bool perColumn = output_.quant.PerColumn();
    if (perColumn) {
        factors = output_.quant.Load(int64_t{at.n} * p_.t.baseN, at.columns, where);
        params.cbufWorkspaceAddr = reinterpret_cast<uint64_t>(factors.GetPhyAddr());
    }
    engine_.callbacks.copyOut(destination.GetPhyAddr(), block_.template ReinterpretCast<int8_t>(),
                              &params, engine_.user.tilingPtr, engine_.user.dataPtr);
    if (perColumn) {
        output_.quant.Free(factors, where);
    }
}

}  // namespace twin::matmul
