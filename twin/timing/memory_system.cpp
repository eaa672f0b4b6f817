// SPDX-License-Identifier: Apache-2.0
#include "timing/memory_system.h"

#include <algorithm>

#include "timing/costs.h"

namespace twin::timing {
namespace {

const Ticks kHbmTicks = Of(constant::kHbmLatency);
const Ticks kL2Ticks = Of(constant::kL2Latency);
const Ticks kPaddedTicks = Of(constant::kPaddedRow);
const Ticks kStoreTicks = Of(constant::kStoreLatency);
const Ticks kSameLineTicks = Of(constant::kSameLineTime);
const Ticks kAtomicTicks = Of(constant::kAtomicLine);
const uint64_t kSameLineBytes = Whole(constant::kSameLine);
const uint64_t kPartialBytes = Whole(constant::kPartialStore);
const uint64_t kRunBytes = Whole(constant::kRunOverhead);
const uint64_t kPastL2RunBytes = Whole(constant::kPastL2Overhead);
const uint64_t kRequestBytes = Whole(constant::kRequest);
const uint64_t kPastL2RequestBytes = Whole(constant::kPastL2Request);

/// Returns which granules of a line the `bytes` bytes at `begin` touch, one bit for each granule.
uint32_t Granules(uint64_t begin, uint64_t bytes) {
    const uint64_t first = begin % kLineBytes / kGranuleBytes;
    const uint64_t last = (begin % kLineBytes + bytes - 1) / kGranuleBytes;
    return (2U << last) - (1U << first);
}

uint64_t Bytes(uint32_t granules) {
    static_assert(kLineBytes / kGranuleBytes == 4, "");
    constexpr uint8_t kBits[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
    return kBits[granules] * kGranuleBytes;
}

constexpr uint32_t kAllGranules = (1U << (kLineBytes / kGranuleBytes)) - 1;

}  // namespace

void Transfer::Settle() {
    while (!Done() && access().runs.TotalBytes() == 0) {
        ++index_;
    }
}

Transfer::Piece Transfer::Next() {
    const GmAccess& touched = access();
    const Runs& runs = touched.runs;
    Piece piece;
    piece.access = &touched;
    piece.rowBegin = Start() + repeat_ * runs.repeat.stride + block_ * runs.block.stride;
    piece.rowEnd = piece.rowBegin + runs.bytes;
    piece.begin = piece.rowBegin + offset_;
    const uint64_t toLine = kLineBytes - piece.begin % kLineBytes;
    piece.bytes = std::min(runs.bytes - offset_, toLine);
    offset_ += piece.bytes;
    if (offset_ == runs.bytes) {
        offset_ = 0;
        if (++block_ == runs.block.count) {
            block_ = 0;
            if (++repeat_ == runs.repeat.count) {
                repeat_ = 0;
                ++index_;
                Settle();
            }
        }
    }
    return piece;
}

MemorySystem::MemorySystem(const SocInfo& soc)
    : cache_(soc.l2Bytes),
      hbm_(soc.hbmBytes, soc.hbmGBs * 1000.0 / soc.cubeMHz),
      l2ReadRate_(soc.l2ReadBytes * soc.aicCores),
      l2WriteRate_(soc.l2WriteBytes * soc.aicCores) {}

void MemorySystem::Warm(uint64_t begin, uint64_t bytes) {
    for (uint64_t at = begin / kLineBytes * kLineBytes; at < begin + bytes; at += kLineBytes) {
        cache_.Read(at, kAllGranules, true);
    }
}

void MemorySystem::Share(const Transfer::Piece& piece, uint32_t core, Ticks now, Cost* cost) {
    const uint64_t line = piece.begin / kLineBytes;
    if (lines_.empty()) {
        lines_.resize(kLineUses);
    }
    LineUse& use = lines_[(line * 0x9E3779B97F4A7C15ULL) >> 48];
    const bool others = use.line == line && use.core != core && now < use.last + kSameLineTicks;
    cost->shared = others && piece.access->pastL2 ? kSameLineBytes : 0;
    Ticks free = others ? use.free : 0;
    if (piece.access->atomic) {
        cost->start = std::max(cost->start, free);
        free = cost->start + kAtomicTicks;
    }
    use = {line, core, now, free};
}

void MemorySystem::Evict(const L2Cache::Found& found) {
    if (found.evicted != 0) {
        hbm_.Owe(found.evictedFrom, Bytes(found.evicted));
        totals_.hbmWritten += Bytes(found.evicted);
    }
}

void MemorySystem::Load(const Transfer::Piece& piece, bool partial, Cost* cost) {
    const uint32_t wanted = partial ? kAllGranules : Granules(piece.begin, piece.bytes);
    L2Cache::Found found;
    if (!piece.access->pastL2) {
        found = cache_.Read(piece.begin, wanted, !partial);
        Evict(found);
    }
    const uint64_t missed = Bytes(wanted & ~found.hits);
    if (missed != 0) {
        // Only the first piece of a run costs the overhead of a new row of the HBM.
        const uint64_t overhead = piece.access->pastL2 ? kPastL2RunBytes : kRunBytes;
        const uint64_t run = piece.begin == piece.rowBegin ? overhead : 0;
        const Ticks moved = hbm_.Take(piece.begin, missed + run + cost->shared, cost->start);
        cost->moved = std::max(cost->moved, moved);
        cost->missed = true;
    }
    totals_.hbmRead += missed;
    totals_.l2Read += Bytes(wanted);
    totals_.l2Hit += Bytes(found.hits);
    cost->l2Read += Bytes(wanted);
}

void MemorySystem::Store(const Transfer::Piece& piece, Cost* cost) {
    const uint32_t granules = Granules(piece.begin, piece.bytes);
    cost->store = true;
    if (piece.access->pastL2) {
        hbm_.Take(piece.begin, Bytes(granules) + cost->shared, cost->start);
        totals_.hbmWritten += Bytes(granules);
    } else {
        Evict(cache_.Write(piece.begin, granules));
        // Stores wait in a buffer until the channel has served the loads that came before.
        cost->drained = std::max(cost->drained, hbm_.ReadAt(piece.begin));
    }
    // An atomic copy reads the line to which it adds.
    cost->l2Read += piece.access->atomic ? Bytes(granules) : 0;
    cost->l2Written += Bytes(granules);
    // A part of a granule is merged into the granule. Few of these fit into a cycle.
    const bool partial = (piece.begin | piece.bytes) % kGranuleBytes != 0;
    cost->l2Written += partial && piece.rowEnd - piece.rowBegin < kGranuleBytes ? kPartialBytes : 0;
    totals_.l2Written += Bytes(granules);
}

uint64_t MemorySystem::Look(const Transfer::Piece& piece, uint32_t core, Ticks now, Cost* cost) {
    const bool crosses = piece.rowBegin / kLineBytes != (piece.rowEnd - 1) / kLineBytes;
    // A run that begins inside a granule and crosses a line fetches its first and last line in
    // full. These lines do not stay in the cache, so the neighbouring run fetches them again.
    const bool partial =
        crosses && piece.rowBegin % kGranuleBytes != 0 && piece.bytes != kLineBytes;
    cost->shared = 0;
    if (piece.access->pastL2 || piece.access->atomic) {
        Share(piece, core, now, cost);
    }
    if (piece.access->write) {
        Store(piece, cost);
    } else {
        Load(piece, partial, cost);
    }
    return partial ? kLineBytes : std::max(piece.bytes, kGranuleBytes);
}

Ticks MemorySystem::Queue(const Cost& cost) {
    const Ticks l2Time = l2ReadRate_.Of(cost.l2Read) + l2WriteRate_.Of(cost.l2Written);
    l2Free_ = std::max(l2Free_, cost.start) + l2Time;
    totals_.l2Busy += l2Time;
    const Ticks ready = std::max(l2Free_, cost.moved);
    if (cost.store) {
        return ready + kStoreTicks;
    }
    return ready + (cost.missed ? kHbmTicks : kL2Ticks);
}

void MemorySystem::CountPolls(uint64_t bytes) {
    totals_.loadBytes += bytes;
    totals_.l2Read += bytes;
    totals_.l2Hit += bytes;
    totals_.l2Busy += l2ReadRate_.Of(bytes);
}

MemorySystem::Served MemorySystem::Serve(Ticks now, uint32_t core, Transfer* transfer,
                                         LastRow* last) {
    Served served;
    Cost cost;
    cost.start = now;
    while (!transfer->Done() && served.window < kChunk) {
        const Transfer::Piece piece = transfer->Next();
        if (!piece.access->write) {
            // Two rows of DataCopyPad have bytes in this block. The second row waits for the first.
            if (last->end % kBlockBytes != 0 && piece.begin == piece.rowBegin &&
                piece.begin / kBlockBytes == last->end / kBlockBytes) {
                const Ticks padded = last->when + kPaddedTicks;
                served.waits += padded - std::min(padded, now + served.waits);
            }
            *last = {piece.begin + piece.bytes, now + served.waits};
        }
        const uint64_t fetched = Look(piece, core, now, &cost);
        served.bytes += fetched;
        served.window +=
            std::max(fetched, piece.access->pastL2 ? kPastL2RequestBytes : kRequestBytes);
        served.rows += piece.begin == piece.rowBegin ? 1 : 0;
        (piece.access->write ? totals_.storeBytes : totals_.loadBytes) += piece.bytes;
    }
    served.ready = Queue(cost) + served.waits;
    served.drained = std::max(served.ready, cost.drained + (cost.store ? kStoreTicks : 0));
    return served;
}

Ticks MemorySystem::ServeScalar(Ticks now, uint64_t address) {
    Cost cost;
    cost.start = now;
    Transfer::Piece piece;
    const GmAccess access;
    piece.begin = piece.rowBegin = address / kGranuleBytes * kGranuleBytes;
    piece.bytes = kGranuleBytes;
    piece.rowEnd = piece.begin + piece.bytes;
    piece.access = &access;
    Load(piece, false, &cost);
    return Queue(cost) + Of(constant::kCacheMiss) - kL2Ticks;
}

}  // namespace twin::timing
