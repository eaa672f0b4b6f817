// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "soc/soc.h"
#include "timing/hbm.h"
#include "timing/operation_table.h"

namespace twin::timing {

/// Splits the bytes that an instruction accesses in GM into pieces. No piece crosses an L2 line.
class Transfer {
public:
    Transfer() = default;
    /// `code` points to the instruction's addresses in Program::code.
    Transfer(const OperationTable& table, const Operation& operation, const uint32_t* code)
        : table_(&table), operation_(&operation), code_(code) {
        Settle();
    }

    struct Piece {
        uint64_t begin = 0;
        uint64_t bytes = 0;
        uint64_t rowBegin = 0;  ///< begin of the contiguous run to which the piece belongs
        uint64_t rowEnd = 0;
        const GmAccess* access = nullptr;
    };

    bool Done() const { return index_ == operation_->accesses; }
    /// Returns the address of the next piece.
    uint64_t Place() const {
        const Runs& runs = access().runs;
        return Start() + repeat_ * runs.repeat.stride + block_ * runs.block.stride + offset_;
    }
    /// Returns an estimate of the distance to the following piece, for Prepare().
    uint64_t Step() const {
        const Runs& runs = access().runs;
        return runs.bytes > kLineBytes ? kLineBytes : std::max(runs.block.stride, kLineBytes / 4);
    }
    /// Returns the next piece: the rest of the run, at most up to the end of a line.
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

/// Models HBM and L2, which all cores share. Requests are served in the order of time; a request
/// waits while HBM or L2 is busy.
class MemorySystem {
public:
    explicit MemorySystem(const SocInfo& soc);

    /// Puts these bytes into L2.
    void Warm(uint64_t begin, uint64_t bytes);

    /// Prefetches, on the host, what the next request of a transfer needs.
    void Prepare(const Transfer& transfer) const {
        const uint64_t begin = transfer.Place(), step = transfer.Step();
        for (uint64_t i = 0; i < kPrepared; ++i) {
            cache_.Prepare(begin + i * step);
        }
    }

    struct Served {
        Ticks ready = 0;      ///< time at which the data have arrived, or the store is finished
        Ticks drained = 0;    ///< time from which on the bytes no longer count towards the limit
        uint64_t bytes = 0;   ///< bytes that went through the core's port
        uint64_t window = 0;  ///< bytes that count towards the core's limit of bytes in flight
        uint64_t rows = 0;    ///< number of contiguous runs whose first piece was served
        Ticks waits = 0;  ///< waits of loaded rows that share a block of 32 B with the row before
    };
    /// The latest row that a pipe has loaded.
    struct LastRow {
        uint64_t end = 0;
        Ticks when = 0;
    };
    /// Serves the next requests of a transfer, about kChunk bytes, which `core` makes at `now`.
    /// `last` is the latest row that the pipe has loaded.
    Served Serve(Ticks now, uint32_t core, Transfer* transfer, LastRow* last);
    /// Counts `bytes` that a waiting core has read from L2 in unsuccessful polls.
    void CountPolls(uint64_t bytes);
    /// Serves a load of a line into the data cache; returns the time at which it has arrived.
    Ticks ServeScalar(Ticks now, uint64_t address);

    struct Totals {
        uint64_t hbmRead = 0, hbmWritten = 0;
        uint64_t l2Read = 0, l2Hit = 0;  ///< bytes that loads have requested, and have found in L2
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
    static constexpr uint64_t kPrepared = 4;  ///< number of lines to prefetch for a request

private:
    struct LineUse {
        uint64_t line = 0;
        uint32_t core = 0;
        Ticks last = 0;  ///< time of the latest request
        Ticks free = 0;  ///< time at which all atomic copies to the line are finished
    };
    struct Cost {
        uint64_t shared = 0;  ///< extra bytes for HBM because other cores use the line
        uint64_t l2Read = 0;
        uint64_t l2Written = 0;
        Ticks start = 0;  ///< start of the request, after other cores' atomic copies
        Ticks drained = 0;
        Ticks moved = 0;  ///< time at which HBM has moved the bytes that L2 did not have
        bool missed = false;
        bool store = false;
    };

    /// Loads or stores a piece, adds its cost, and returns the bytes that pass the core's port.
    uint64_t Look(const Transfer::Piece& piece, uint32_t core, Ticks now, Cost* cost);
    void Load(const Transfer::Piece& piece, bool partial, Cost* cost);
    void Store(const Transfer::Piece& piece, Cost* cost);
    void Evict(const L2Cache::Found& found);
    /// Sets the cost that arises because other cores use the line at the same time.
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
