// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_CORE_ATOMICS_H
#define TWIN_CORE_ATOMICS_H

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/types.h"

namespace twin {

enum class AtomicOp : uint8_t { None, Add, Max, Min };

/// Atomic copies to global memory that one core has issued and that are not in memory yet.
///
/// The chip applies atomic copies in whatever order they arrive, so floating-point sums differ from
/// run to run there. The twin keeps them here and applies them in (block, sub-block, program) order
/// at the next full synchronisation: same inputs, same bits.
class AtomicLog {
public:
    void Append(AtomicOp op, Dtype dtype, uintptr_t address, const void* values, uint64_t bytes);
    /// What is pending goes into memory, in program order. Where it went stays known until Forget.
    void Apply();
    void Forget();
    bool Empty() const { return entries_.empty(); }
    /// Whether the core has copied atomically to these bytes since the last synchronisation.
    bool Overlaps(uintptr_t address, uint64_t bytes) const;

private:
    struct Entry {
        uintptr_t address;
        uint64_t bytes;
        uint64_t offset;  ///< of the values in `values_`
        AtomicOp op;
        Dtype dtype;
    };

    std::vector<Entry> entries_;
    size_t applied_ = 0;  ///< entries that are in memory already
    std::vector<uint8_t> values_;
    uintptr_t low_ = UINTPTR_MAX;
    uintptr_t high_ = 0;
};

/// memory[i] = memory[i] op values[i]. Floating-point types round once per element, integers wrap.
void ApplyAtomic(AtomicOp op, Dtype dtype, void* memory, const void* values, uint64_t bytes);

}  // namespace twin

#endif  // TWIN_CORE_ATOMICS_H
