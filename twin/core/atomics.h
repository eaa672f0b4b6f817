// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "core/types.h"

namespace twin {

/// A set of bytes of memory.
class Extents {
public:
    void Add(uintptr_t begin, uint64_t bytes);
    bool Overlap(uintptr_t begin, uint64_t bytes) const;
    void Clear() { ends_.clear(); }
    bool Empty() const { return ends_.empty(); }

private:
    /// Maps the begin of each range to its end; ranges that touch are merged.
    std::map<uintptr_t, uintptr_t> ends_;
};

/// Atomic floating-point copies to GM that one core has issued and that are not in memory yet. The
/// hardware applies atomic copies in the order of their arrival, so sums differ from run to run.
/// The twin applies the copies in (block, sub-block, program) order: the same inputs give the same
/// bits. The copies are applied at the next full synchronisation, or earlier if a core reads the
/// bytes and must see the result.
class AtomicLog {
public:
    void Append(AtomicOp op, Dtype dtype, uintptr_t address, const void* values, uint64_t bytes);
    /// Applies the pending copies to memory, in program order.
    void Apply();
    /// Removes the pending copies. This does not change the result of OverlapsUnpublished.
    void DropPending();
    /// Applies the copies that overlap the bytes. With `publishedOnly`, applies only those that the
    /// core had issued before the last Publish().
    void ApplyTo(uintptr_t address, uint64_t bytes, bool publishedOnly);
    /// Makes all copies so far visible to other cores, as a flag between cores does.
    void Publish() {
        published_ = entries_.size();
        unpublished_.Clear();
    }
    bool Empty() const { return entries_.empty() && unpublished_.Empty(); }
    uint64_t PendingBytes() const { return values_.size() + entries_.size() * sizeof(Entry); }
    /// Returns true if the core has an atomic copy to these bytes, and no flag between cores has
    /// made the copy visible to other cores yet.
    bool OverlapsUnpublished(uintptr_t address, uint64_t bytes) const {
        return address < high_ && low_ < address + bytes && unpublished_.Overlap(address, bytes);
    }

private:
    struct Entry {
        uintptr_t address;
        uint64_t bytes;
        uint64_t offset;  ///< offset of the values in `values_`
        AtomicOp op;
        Dtype dtype;
        bool applied;

        bool Overlaps(uintptr_t from, uint64_t count) const {
            return from < address + bytes && address < from + count;
        }
    };

    void Apply(Entry& entry);

    std::vector<Entry> entries_;
    size_t published_ = 0;  ///< number of entries that other cores can see
    std::vector<uint8_t> values_;
    Extents unpublished_;
    uintptr_t low_ = UINTPTR_MAX;  ///< lowest address in `entries_` and `unpublished_`
    uintptr_t high_ = 0;
};

/// Computes memory[i] = memory[i] op values[i]. Floating-point types round once per element,
/// integers wrap.
void ApplyAtomic(AtomicOp op, Dtype dtype, void* memory, const void* values, uint64_t bytes);

}  // namespace twin
