// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "device/cube/mmad.h"
#include "device/matmul/copy_in.h"
#include "device/matmul/load.h"
#include "device/matmul/problem.h"
#include "device/pipe/tpipe.h"
#include "device/sync/events.h"

namespace twin::matmul {

/// The part of an operand that one Mmad needs.
struct Request {
    int64_t pass;  ///< number of the pass over the operand; a new pass copies it again
    int32_t mnBlock, kStep;
    int32_t baseMn, baseK;
    int32_t singleMn, singleK;
};

/// Operand A or B in L1. It has one or two buffers, each for `blocks` x `steps` base blocks. With
/// MDL, one copy fills a buffer; with Norm, each base block is copied separately.
template <typename T, AscendC::TPosition POSITION>
class L1Operand {
public:
    void Init(AscendC::TPipe& pipe, const L1Plan& plan, int32_t baseMn, int32_t baseK,
              bool mayTranspose, bool wholeBuffer, Location where) {
        plan_ = plan;
        whole_ = wholeBuffer;
        const int32_t mn = whole_ ? plan.blocks * baseMn : baseMn;
        const int32_t k = whole_ ? plan.steps * baseK : baseK;
        tileBytes_ = TileBytes<T>(mn, k, true);
        if (mayTranspose || POSITION == AscendC::TPosition::B1) {
            tileBytes_ = std::max(tileBytes_, TileBytes<T>(mn, k, false));
        }
        const int64_t tiles = whole_ ? 1 : int64_t{plan.blocks} * plan.steps;
        pipe.InitBuffer(queue_, static_cast<uint8_t>(plan.count),
                        static_cast<uint32_t>(tiles * tileBytes_), where);
        tiles_.assign(static_cast<size_t>(tiles), Tile<T>());
        live_ = false;
    }

    /// Returns the tile that contains the request. If the tile is not in L1, first copies it there.
    /// Sets the position of `part` in the tile. `copy(tile, mn0, k0, mn, k)` fills a tile.
    template <typename Copy>
    const Tile<T>& Fetch(const Request& r, Part* part, Copy&& copy, Location where) {
        const int32_t group = r.mnBlock / plan_.blocks, chunk = r.kStep / plan_.steps;
        if (!live_ || r.pass != pass_ || group != group_ || chunk != chunk_) {
            Release(where);
            data_ = queue_.template AllocTensor<T>(where);
            live_ = true;
            pass_ = r.pass;
            group_ = group;
            chunk_ = chunk;
            for (Tile<T>& tile : tiles_) {
                tile.rows = 0;
            }
        }
        const int32_t mnBlock = whole_ ? group * plan_.blocks : r.mnBlock;
        const int32_t kStep = whole_ ? chunk * plan_.steps : r.kStep;
        const int32_t mn0 = mnBlock * r.baseMn, k0 = kStep * r.baseK;
        part->mn0 = r.mnBlock * r.baseMn - mn0;
        part->k0 = r.kStep * r.baseK - k0;
        const int32_t index =
            whole_ ? 0 : (r.mnBlock % plan_.blocks) * plan_.steps + r.kStep % plan_.steps;
        Tile<T>& tile = tiles_[static_cast<size_t>(index)];
        if (tile.rows == 0) {
            tile.data = data_[static_cast<uint32_t>(index * tileBytes_ * 8 / kElementBits<T>)];
            const int32_t mn =
                std::min(whole_ ? plan_.blocks * r.baseMn : r.baseMn, r.singleMn - mn0);
            const int32_t k = std::min(whole_ ? plan_.steps * r.baseK : r.baseK, r.singleK - k0);
            copy(tile, mn0, k0, mn, k);
            queue_.EnQue(data_, where);
            data_ = queue_.template DeQue<T>(where);
        }
        return tile;
    }

    /// Returns true if one buffer has room for all of K. Other blocks of C can then reuse its data.
    bool HoldsK(int32_t steps) const { return plan_.steps >= steps; }
    void Release(Location where) {
        if (live_) {
            queue_.FreeTensor(data_, where);
        }
        live_ = false;
    }
    /// Releases the buffers, and waits for the flags of freed buffers.
    void Drain(Location where) {
        Release(where);
        queue_.FreeAllEvent(where);
    }

private:
    AscendC::TQue<POSITION, 1> queue_;
    AscendC::LocalTensor<T> data_;
    std::vector<Tile<T>> tiles_;
    L1Plan plan_;
    int64_t tileBytes_ = 0;
    bool whole_ = true;
    bool live_ = false;
    int64_t pass_ = 0;
    int32_t group_ = 0, chunk_ = 0;
};

/// One K step of a block: loads a base block of A into L0A and a base block of B into L0B, and
/// multiplies them. If L0A and L0B have two buffers each, a step loads while the previous step
/// multiplies. The buffers use the M_MTE1 flags 0 and 1, which TPipe reserves for the library.
template <typename T, typename Acc, bool kVector>
class CubeStep {
public:
    void Init(int32_t halves, Location where) {
        constexpr uint32_t kElements = kL0Bytes * 8 / kElementBits<T>;
        l0a_ = AscendC::LocalTensor<T>(AscendC::TPosition::A2, 0, kElements, where);
        l0b_ = AscendC::LocalTensor<T>(AscendC::TPosition::B2, 0, kElements, where);
        halves_ = halves;
        half_ = 0;
    }

    void Load(const Tile<T>& tileA, const Part& partA, bool alongA, const Tile<T>& tileB,
              const Part& partB, bool alongB, Location where) {
        using AscendC::HardEvent;
        AscendC::WaitFlag<HardEvent::M_MTE1>(half_, where);
        if constexpr (kVector) {
            LoadVector(Half(l0a_), tileA, partA, where);
        } else {
            LoadA(Half(l0a_), tileA, partA, alongA, where);
        }
        LoadB(Half(l0b_), tileB, partB, alongB, where);
        AscendC::SetFlag<HardEvent::MTE1_M>(half_, where);
        AscendC::WaitFlag<HardEvent::MTE1_M>(half_, where);
    }

    /// Multiplies the loaded base blocks. If `table` is not null, C starts from this bias table.
    void Multiply(const Part& partA, int32_t columns, bool transposedA,
                  const AscendC::LocalTensor<Acc>& co1, const AscendC::LocalTensor<Acc>* table,
                  bool accumulate, Location where) {
        AscendC::MmadParams params;
        // With m = 1 the cube unit would read A as a vector.
        params.m = static_cast<uint16_t>(!kVector && partA.mn == 1 ? 16 : partA.mn);
        params.n = static_cast<uint16_t>(columns);
        params.k = static_cast<uint16_t>(partA.k);
        params.kDirectionAlign = std::is_same<T, float>::value && transposedA;
        params.cmatrixInitVal = !accumulate && table == nullptr;
        params.cmatrixSource = table != nullptr;
        const Operand c = co1, a = Half(l0a_), b = Half(l0b_);
        // Does not call the public Mmad: for int4b_t, only the instruction itself accepts a bias.
        Operand bias = c;
        if (table != nullptr) {
            bias = *table;
        }
        cube::Multiply(c, a, b, table == nullptr ? nullptr : &bias, params, kDtypeOf<T>, where);
        if ((params.m / 16) * (params.n / 16) < kSmallProduct) {
            AscendC::PipeBarrier<PIPE_M>(where);
        }
        AscendC::SetFlag<AscendC::HardEvent::M_MTE1>(half_, where);
        half_ = (half_ + 1) % halves_;
    }

private:
    static constexpr uint32_t kL0Bytes = 65536;
    /// An Mmad with fewer fractals of C than this needs a barrier after it.
    static constexpr int32_t kSmallProduct = 10;

    AscendC::LocalTensor<T> Half(const AscendC::LocalTensor<T>& l0) const {
        return l0[static_cast<uint32_t>(half_) * (kL0Bytes / 2 * 8 / kElementBits<T>)];
    }

    AscendC::LocalTensor<T> l0a_, l0b_;  ///< tensors for all of L0A and L0B
    int32_t halves_ = 1;
    int32_t half_ = 0;
};

}  // namespace twin::matmul
