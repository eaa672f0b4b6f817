// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/matmul/bias.h"
#include "device/matmul/cube_step.h"
#include "device/matmul/form_check.h"
#include "device/matmul/l1_operand.h"
#include "device/matmul/walk.h"

namespace twin::matmul {

/// The operand that SetTensorA or SetTensorB has set.
template <typename T>
struct Input {
    GmMatrix<T> gm;
    AscendC::LocalTensor<T> local;  ///< the operand if the kernel keeps it in L1, as fractals
    bool inL1 = false;
    bool set = false;

    void Set(const AscendC::GlobalTensor<T>& tensor, CubeFormat format, bool alongK) {
        gm.gm = tensor;
        Note(format, alongK, false);
    }
    void Set(const AscendC::LocalTensor<T>& tensor, CubeFormat format, bool alongK) {
        local = tensor;
        Note(format, alongK, true);
    }

private:
    void Note(CubeFormat format, bool alongK, bool isInL1) {
        gm.format = format;
        gm.alongK = alongK;
        inL1 = isInL1;
        set = true;
    }
};

/// Computes base blocks of C: GM -> L1 -> L0A and L0B -> Mmad. Uses flags to synchronise the pipes.
template <class A_TYPE, class B_TYPE, class BIAS_TYPE, const auto& MM_CFG, class MM_CB>
class BlockProduct {
public:
    using T = typename A_TYPE::T;
    using Acc = typename Accumulator<T>::Type;
    using BiasT = typename BIAS_TYPE::T;
    static constexpr MatmulConfig kCfg = AscendC::ToMatmulConfig(MM_CFG);
    static constexpr bool kMdl = kCfg.doMultiDataLoad || kCfg.doSpecialMDL;
    static constexpr L1Form kForm =
        kMdl ? L1Form::Mdl : FormOf(kCfg, A_TYPE::layout != LayoutMode::NONE);
    static constexpr bool kSparse = kIsSparse<B_TYPE>;
    static constexpr int32_t kCopiesA = A_TYPE::ibShare && kCfg.enableDoubleCache ? 2 : 1;
    static constexpr int32_t kCopiesB = B_TYPE::ibShare && kCfg.enableDoubleCache ? 2 : 1;

    Input<T> a, b;
    AscendC::GlobalTensor<uint8_t> index;  ///< of a sparse B
    Bias<BiasT, Acc> bias;
    UserData user;
    Callbacks<MM_CB> callbacks;

    void Init(AscendC::TPipe& pipe, const TCubeTiling& t, Location where) {
        const int32_t loads = (t.singleCoreK + t.baseK - 1) / t.baseK;
        L1Range room = RoomInL1(pipe);
        if constexpr (!kInL1<A_TYPE>) {
            l1A_.Init(pipe, PlanOf(kForm, t.stepM, t.stepKa, t.depthA1, loads, kCopiesA), kForm,
                      room, t.baseM, t.baseK, A_TYPE::isTrans, where);
            room.begin += l1A_.Reserved();
        }
        if constexpr (!kInL1<B_TYPE>) {
            l1B_.Init(pipe, PlanOf(kForm, t.stepN, t.stepKb, t.depthB1, loads, kCopiesB), kForm,
                      room, t.baseN, t.baseK, B_TYPE::isTrans, where);
        }
        step_.Init(t.dbL0A == 2 && t.dbL0B == 2 ? 2 : 1, where);
    }

    /// Computes the current block of `walk`, or one K step of it if the problem is partial. If
    /// `accumulate` is true, adds it to the values in L0C.
    void Compute(const Problem& p, const Walk& walk, const AscendC::LocalTensor<Acc>& co1,
                 bool accumulate, Location where) {
        const Block& block = walk.At();
        const int32_t steps = p.StepsK();
        const bool withBias = bias.On() && !accumulate;
        AscendC::LocalTensor<Acc> table;
        if (withBias) {
            table = bias.Load(int64_t{block.n} * p.t.baseN, block.columns, where);
        }
        const int32_t first = walk.StepK(), end = p.partial ? first + 1 : steps;
        for (int32_t step = first; step < end; ++step) {
            const int32_t k = std::min(p.t.baseK, p.singleK - step * p.t.baseK);
            const Request ra{walk.PassA(), p.order == 1, block.m,   step,
                             p.t.baseM,    p.t.baseK,    p.singleM, p.singleK};
            const Request rb{walk.PassB(), p.order == 0, block.n,   step,
                             p.t.baseN,    p.t.baseK,    p.singleN, p.singleK};
            Part partA{0, 0, block.rows, k}, partB{0, 0, block.columns, k};
            const Tile<T> tileA = TileOfA(p, ra, &partA, where);
            const Tile<T> tileB = TileOfB(p, rb, &partB, where);
            const bool fromTable = withBias && step == 0;
            step_.Load(tileA, partA, a.gm.alongK, tileB, partB, b.gm.alongK, where);
            step_.Multiply(partA, partB.mn, !a.gm.alongK, co1, fromTable ? &table : nullptr,
                           accumulate || step > first, where);
            if (fromTable) {
                bias.Free(where);
            }
        }
        if (end == steps && !l1A_.HoldsK(steps)) {
            l1A_.Release(where);
        }
        if (end == steps && !l1B_.HoldsK(steps)) {
            l1B_.Release(where);
        }
    }

    /// Releases the copies of A and B in L1, because the operands change.
    void Drop(Location where) {
        l1A_.Release(where);
        l1B_.Release(where);
    }
    /// Releases the buffers in L1 and waits for their flags.
    void Drain(Location where) {
        l1A_.Drain(where);
        l1B_.Drain(where);
        bias.Drain(where);
    }

private:
    Tile<T> TileOfA(const Problem& p, const Request& r, Part* part, Location where) {
        return TileOf<kNamed<MM_CB::CopyA1Ptr>>(
            a, l1A_, r, p.singleM, p.singleK, part, where,
            [&](const auto& data, int32_t m0, int32_t k0, int32_t m, int32_t k) {
                callbacks.copyA1(data, a.gm.gm.GetPhyAddr(), m0 / p.t.baseM, k0 / p.t.baseK, m, k,
                                 user.tilingPtr, user.dataPtr);
            });
    }
    Tile<T> TileOfB(const Problem& p, const Request& r, Part* part, Location where) {
        if constexpr (kSparse) {
            return l1B_.Fetch(
                r, part,
                [&](Tile<T>& tile, int32_t n0, int32_t k0, int32_t n, int32_t k) {
                    CopySparse(tile, b.gm, index, p.orgN, n0, k0, n, k, kCfg.intrinsicsCheck,
                               where);
                },
                where);
        } else {
            return TileOf<kNamed<MM_CB::CopyB1Ptr>>(
                b, l1B_, r, p.singleN, p.singleK, part, where,
                [&](const auto& data, int32_t n0, int32_t k0, int32_t n, int32_t k) {
                    callbacks.copyB1(data, b.gm.gm.GetPhyAddr(), k0 / p.t.baseK, n0 / p.t.baseN, k,
                                     n, user.tilingPtr, user.dataPtr);
                });
        }
    }
    /// Returns the tile in L1 that `r` needs. If kOwn, the kernel's callback `own` fills the tile.
    template <bool kOwn, typename L1, typename Own>
    Tile<T> TileOf(const Input<T>& input, L1& l1, const Request& r, int32_t singleMn,
                   int32_t singleK, Part* part, Location where, const Own& own) {
        if (input.inL1) {
            return Resident(input, r, singleMn, singleK, part);
        }
        const auto copy = [&](Tile<T>& tile, int32_t mn0, int32_t k0, int32_t mn, int32_t k) {
            if constexpr (kOwn) {
                Describe(tile, input, mn, k);
                own(tile.data.template ReinterpretCast<int8_t>(), mn0, k0, mn, k);
            } else {
                CopyTile(tile, input.gm, mn0, k0, mn, k, kCfg.intrinsicsCheck, where);
            }
        };
        return l1.Fetch(r, part, copy, where);
    }

    /// Sets the shape of a tile that Matmul does not copy itself.
    static void Describe(Tile<T>& tile, const Input<T>& input, int32_t mn, int32_t k) {
        const bool alongK = input.gm.alongK;
        tile.columns = alongK ? k : mn;
        tile.rows = AlignUp(alongK ? mn : k, RowUnit<T>(alongK));
    }

    /// Returns a tile with the whole operand, which the kernel itself keeps in L1.
    static Tile<T> Resident(const Input<T>& input, const Request& r, int32_t mn, int32_t k,
                            Part* part) {
        Tile<T> tile;
        tile.data = input.local;
        Describe(tile, input, mn, k);
        if (input.gm.alongK) {
            tile.rows = AlignUp(mn, 16);
        }
        part->mn0 = r.mnBlock * r.baseMn;
        part->k0 = r.kStep * r.baseK;
        return tile;
    }

    L1Operand<T, AscendC::TPosition::A1> l1A_;
    L1Operand<T, AscendC::TPosition::B1> l1B_;
    CubeStep<T, Acc, A_TYPE::format == CubeFormat::VECTOR, kSparse> step_;
};

}  // namespace twin::matmul
