// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "device/matmul/copy_in.h"
#include "device/matmul/load.h"
#include "device/matmul/problem.h"
#include "device/pipe/tpipe.h"

namespace twin::matmul {

/// The part of an operand that one Mmad needs.
struct Request {
    int64_t pass;  ///< number of the pass over the operand; a new pass copies it again
    bool fast;     ///< true: the next block of C needs other rows of A, or other columns of B
    int32_t mnBlock, kStep;
    int32_t baseMn, baseK;
    int32_t singleMn, singleK;
};

/// Operand A or B in L1. It has one or two buffers, each for `blocks` x `steps` base blocks. With
/// MDL, one copy fills a buffer; with Norm, each base block is copied separately.
///
/// If the library reserves addresses behind the end of L1 (a tight operand), the object has one
/// buffer, the rest of L1, and checks each copy against the address to which the library copies.
template <typename T, AscendC::TPosition POSITION>
class L1Operand {
public:
    /// `room`: from where on the library reserves addresses, and the end of L1.
    void Init(AscendC::TPipe& pipe, const L1Plan& plan, L1Form form, const L1Range& room,
              int32_t baseMn, int32_t baseK, bool mayTranspose, Location where) {
        plan_ = plan;
        room_ = room;
        whole_ = form == L1Form::Mdl;
        mayTranspose_ = mayTranspose || POSITION == AscendC::TPosition::B1;
        blockBytes_ = SizeOf(baseMn, baseK);
        tight_ = room.begin + Reserved() > room.end;
        if (tight_ && form == L1Form::Batch) {
            plan_ = {};
            tight_ = false;
        }
        tileBytes_ = whole_ ? SizeOf(plan_.blocks * baseMn, plan_.steps * baseK) : blockBytes_;
        live_ = false;
        const int64_t tiles = whole_ ? 1 : int64_t{plan_.blocks} * plan_.steps;
        tiles_.assign(static_cast<size_t>(tight_ ? std::max(plan_.kept, 1) : tiles), Tile<T>());
        const uint64_t left = room.end - RoomInL1(pipe).begin;
        const uint64_t bytes = tight_ ? left : static_cast<uint64_t>(tiles * tileBytes_);
        if (bytes != 0) {
            pipe.InitBuffer(queue_, static_cast<uint8_t>(tight_ ? 1 : plan_.count),
                            static_cast<uint32_t>(bytes), where);
        }
    }
    /// Returns the size of the part of L1 for which the library reserves addresses.
    uint64_t Reserved() const { return static_cast<uint64_t>(plan_.reserved * blockBytes_); }

    /// Returns the tile that contains the request. If the tile is not in L1, first copies it there.
    /// Sets the position of `part` in the tile. `copy(tile, mn0, k0, mn, k)` fills a tile.
    template <typename Copy>
    const Tile<T>& Fetch(const Request& r, Part* part, Copy&& copy, Location where) {
        if (tight_ && !whole_) {
            plan_.steps = (r.singleK + r.baseK - 1) / r.baseK;
        }
        const int32_t blocks = tight_ && !whole_ && !r.fast ? 1 : plan_.blocks;
        const int32_t group = r.mnBlock / blocks, chunk = r.kStep / plan_.steps;
        const bool fresh = !live_ || r.pass != pass_ || group != group_ || chunk != chunk_ ||
                           (tight_ && plan_.kept == 0);
        const int32_t mnBlock = whole_ ? group * blocks : r.mnBlock;
        const int32_t kStep = whole_ ? chunk * plan_.steps : r.kStep;
        const int32_t mn0 = mnBlock * r.baseMn, k0 = kStep * r.baseK;
        const int32_t mn = std::min(whole_ ? blocks * r.baseMn : r.baseMn, r.singleMn - mn0);
        const int32_t k = std::min(whole_ ? plan_.steps * r.baseK : r.baseK, r.singleK - k0);
        const int32_t index = whole_ || (tight_ && plan_.kept == 0)
                                  ? 0
                                  : (r.mnBlock % blocks) * plan_.steps + r.kStep % plan_.steps;
        if (tight_) {
            CheckPlace(fresh, index, SizeOf(mn, k));
        }
        if (fresh) {
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
        part->mn0 = r.mnBlock * r.baseMn - mn0;
        part->k0 = r.kStep * r.baseK - k0;
        Tile<T>& tile = tiles_[static_cast<size_t>(index)];
        if (tile.rows == 0) {
            tile.data = data_[static_cast<uint32_t>(index * tileBytes_ * 8 / kElementBits<T>)];
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
    /// Returns the size in L1, in bytes, of a tile of `mn` x `k` elements in any layout of GM.
    int64_t SizeOf(int32_t mn, int32_t k) const {
        const int64_t bytes = TileBytes<T>(mn, k, true);
        return mayTranspose_ ? std::max(bytes, TileBytes<T>(mn, k, false)) : bytes;
    }

    /// Refuses a copy of `bytes` to base block `index` if the library copies it behind the end of
    /// L1. The buffers of MDL, and base blocks that do not stay in L1, take turns.
    void CheckPlace(bool fresh, int32_t index, int64_t bytes) {
        const bool turns = whole_ || plan_.kept == 0;
        turn_ = fresh ? (turn_ + 1) % (whole_ ? plan_.count : plan_.reserved) : turn_;
        const int64_t place = turns ? turn_ * tileBytes_ : index * blockBytes_;
        const uint64_t begin = room_.begin + static_cast<uint64_t>(place);
        const L1Range to{begin, begin + static_cast<uint64_t>(bytes)};
        if (to.end > room_.end || (!turns && index >= plan_.kept)) {
            RefuseL1(POSITION == AscendC::TPosition::A1 ? 'A' : 'B', to, room_.end);
        }
    }

    AscendC::TQue<POSITION, 1> queue_;
    AscendC::LocalTensor<T> data_;
    std::vector<Tile<T>> tiles_;
    L1Plan plan_;
    L1Range room_;
    int64_t tileBytes_ = 0;
    int64_t blockBytes_ = 0;
    bool whole_ = true;
    bool mayTranspose_ = false;
    bool tight_ = false;
    bool live_ = false;
    int32_t turn_ = -1;
    int64_t pass_ = 0;
    int32_t group_ = 0, chunk_ = 0;
};

}  // namespace twin::matmul
