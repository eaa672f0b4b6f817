// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "soc/soc.h"
#include "timing/hbm.h"
#include "timing/operation_table.h"

namespace twin::timing {

/// Goes through the bytes that an instruction touches in GM, piece by piece.
class Transfer {
public:
    Transfer() = default;
    /// `code` points to the addresses after the operation's number.
    Transfer(const OperationTable& table, const Operation& operation, const uint32_t* code)
        : table_(&table), operation_(&operation), code_(code) {
        Settle();
    }

    struct Piece {
        uint64_t begin = 0;
        uint64_t bytes = 0;
        uint64_t rowBegin = 0;  ///< begin of the contiguous run to which it belongs
        uint64_t rowEnd = 0;
        const GmAccess* access = nullptr;
    };

    bool Done() const { return index_ == operation_->accesses; }
    /// Returns the start of the next piece.
    uint64_t Place() const {
        const Runs& runs = access().runs;
        return Start() + repeat_ * runs.repeat.stride + block_ * runs.block.stride + offset_;
    }
    /// Moves from one line of the run to the next line.
    uint64_t Step() const {
        const Runs& runs = access().runs;
        return runs.bytes > kLineBytes ? kLineBytes : std::max(runs.block.stride, kLineBytes / 4);
    }
    /// Returns the rest of the run, but not beyond the end of a line.
    Piece Next();
    const Operation& operation() const { return *operation_; }

private:
    const GmAccess& access() const { return table_->accesses[operation_->access + index_]; }
    uint64_t Start() const { return code_[2 * index_] | uint64_t{code_[2 * index_ + 1]} << 32; }
    /// Skips empty accesses.
    void Settle();

    const OperationTable* table_ = nullptr;
    const Operation* operation_ = nullptr;
    const uint32_t* code_ = nullptr;
    uint32_t index_ = 0;
    uint64_t repeat_ = 0;
    uint64_t block_ = 0;
    uint64_t offset_ = 0;
};

/// HBM and the second-level cache, which all cores share. Each serves requests in the order of
/// their time; a request waits while it is busy.
class MemorySystem {
public:
    explicit MemorySystem(const SocInfo& soc);

    /// Puts these bytes into the cache.
    void Warm(uint64_t begin, uint64_t bytes);

    /// Prepares the host's cache for the next request of a transfer.
    void Prepare(const Transfer& transfer) const {
        const uint64_t begin = transfer.Place(), step = transfer.Step();
        for (uint64_t i = 0; i < kPrepared; ++i) {
            cache_.Prepare(begin + i * step);
        }
    }

    struct Served {
        Ticks ready = 0;      ///< time at which the data have arrived, or the store is finished
        uint64_t bytes = 0;   ///< bytes that went through the core's port
        uint64_t window = 0;  ///< bytes that count for the core's limit of bytes in flight
        uint64_t rows = 0;    ///< number of runs that began
    };
    /// Serves the next requests of a transfer, about kChunk bytes, which `core` makes at `now`.
    Served Serve(Ticks now, uint32_t core, Transfer* transfer);
    /// Counts `bytes` of L2 that a core which waits for others has read without success.
    void CountPolls(uint64_t bytes);
    /// Serves a load of a line of the scalar unit's cache; returns the time at which the line is
    /// there.
    Ticks ServeScalar(Ticks now, uint64_t address);

    struct Totals {
        uint64_t hbmRead = 0, hbmWritten = 0;
        uint64_t l2Read = 0, l2Hit = 0;  ///< bytes that loads asked for, and those found
        uint64_t l2Written = 0;
        uint64_t loads = 0, loadBytes = 0, stores = 0, storeBytes = 0;
        Ticks hbmBusy = 0, l2Busy = 0;
    };
    Totals totals() const {
        Totals totals = totals_;
        totals.hbmBusy = hbm_.busy();
        return totals;
    }

    static constexpr uint64_t kChunk = 1024;
    static constexpr uint64_t kPrepared = 4;  ///< usual number of lines of a request

private:
    struct LineUse {
        uint64_t line = 0;
        uint32_t core = 0;
        Ticks last = 0;  ///< time of the latest request
        Ticks free = 0;  ///< time at which the atomic copies are finished
    };
    struct Cost {
        uint64_t shared = 0;  ///< additional time of HBM because others use the line, in bytes
        uint64_t l2Read = 0;
        uint64_t l2Written = 0;
        Ticks start = 0;  ///< start of the request, which is late if other cores use its line
        Ticks moved = 0;  ///< time at which HBM has moved the bytes that L2 did not have
        bool missed = false;
        bool store = false;
    };

    /// Returns the bytes that the piece fetches from memory, or stores there.
    uint64_t Look(const Transfer::Piece& piece, uint32_t core, Ticks now, Cost* cost);
    void Load(const Transfer::Piece& piece, bool partial, Cost* cost);
    void Store(const Transfer::Piece& piece, Cost* cost);
    void Evict(const L2Cache::Found& found);
    /// Computes the cost of other cores that use the line at the same time.
    void Share(const Transfer::Piece& piece, uint32_t core, Ticks now, Cost* cost);
    Ticks Queue(const Cost& cost);

    static constexpr uint32_t kLineUses = 1U << 16;

    L2Cache cache_;
    std::vector<LineUse> lines_;
    Hbm hbm_;
    Rate l2ReadRate_, l2WriteRate_;
    Ticks l2Free_ = 0;
    Totals totals_;
};

}  // namespace twin::timing
