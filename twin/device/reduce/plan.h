// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstring>

#include "device/issue/issue.h"
#include "device/lanes/reduce.h"
#include "device/reduce/request.h"
#include "device/vec/walk.h"

namespace twin::reduce {

/// Number, size and alignment of the results of a repeat.
struct Shape {
    uint32_t size = 0;           ///< bytes of an element
    uint32_t groupElements = 0;  ///< elements per result
    uint32_t groups = 0;         ///< results per repeat
    uint32_t resultBytes = 0;    ///< bytes of the results of a repeat, the unit of dstRepStride
    uint32_t alignment = 0;      ///< required alignment of dst in bytes
};

/// A reduction whose parameters have been checked.
struct Work {
    vec::Plan plan;
    Shape shape;
    uint32_t dstRepStride = 0;
    uint32_t srcBlkStride = 0;
    uint32_t srcRepStride = 0;
    uint64_t dstBytes = 0;  ///< bytes from dst to the end of the last result
    uint64_t srcBytes = 0;
    bool ordered = false;  ///< dst overlaps src, so repeats run one at a time
    uint8_t* dst = nullptr;
    const uint8_t* src = nullptr;

    uint64_t DstOffset(uint32_t repeat) const {
        return uint64_t{repeat} * dstRepStride * shape.resultBytes;
    }
    uint64_t SrcOffset(uint32_t repeat) const {
        return uint64_t{repeat} * srcRepStride * kBlockBytes;
    }
    bool Contiguous() const {
        return srcBlkStride == 1 && (plan.repeats == 1 || srcRepStride == 8);
    }
};

/// The active elements of a repeat, one bit each.
struct ActiveSet {
    uint64_t low = 0;
    uint64_t high = 0;

    bool Any(uint32_t first, uint32_t count) const {
        for (uint32_t i = first; i < first + count; ++i) {
            if (Has(i)) {
                return true;
            }
        }
        return false;
    }
    bool Has(uint32_t element) const {
        return ((element < 64 ? low >> element : high >> (element - 64)) & 1) != 0;
    }
    uint32_t Last() const {
        return high != 0 ? 127 - static_cast<uint32_t>(__builtin_clzll(high))
                         : 63 - static_cast<uint32_t>(__builtin_clzll(low));
    }
};

ActiveSet ActiveOf(const vec::Plan& plan, uint32_t repeat);

/// Cuts `value` to the width of the instruction's field, which is narrower than int32_t. In strict
/// mode, fails if the cut changes the value (T430 for repeats, T431 for strides).
uint32_t Narrow(Core& core, const char* api, const char* name, int32_t value, uint32_t largest);

/// Checks a request, adds operands to `issue`, fills `work`; returns false if nothing is active.
bool Resolve(Issue& issue, const Request& request, Work* work);

/// Input of one call of a function in device/lanes: `count` repeats from `first` on, whose data are
/// contiguous at `src`.
struct Batch {
    uint32_t first;
    uint32_t count;
    const uint8_t* src;
    const void* active;  ///< mask of one repeat, as lanes::SumFn expects; null: all elements
    ActiveSet set;
};

/// Splits a reduction into batches of repeats with the same mask, and calls run(batch) for each.
/// Sources that are not contiguous are copied to a buffer first.
template <typename Run>
void ForBatches(const Work& work, Run run) {
    const vec::Plan& plan = work.plan;
    const uint32_t size = work.shape.size;
    alignas(64) uint8_t stage[lanes::kReduceBatch * kRepeatBytes];
    alignas(64) uint8_t active[kRepeatBytes];
    const uint32_t whole = plan.lastCount != 0 ? plan.repeats - 1 : plan.repeats;
    const auto limit = static_cast<uint32_t>(work.ordered ? 1 : lanes::kReduceBatch);
    Batch batch = {};
    for (; batch.first < plan.repeats; batch.first += batch.count) {
        const bool tail = batch.first == whole;
        batch.count = tail ? 1 : std::min(limit, whole - batch.first);
        batch.src = work.src + work.SrcOffset(batch.first);
        batch.set = ActiveOf(plan, batch.first);
        const bool full =
            batch.set.low == UINT64_MAX && (plan.perRepeat == 64 || batch.set.high == UINT64_MAX);
        for (uint32_t i = 0; !full && i < plan.perRepeat; ++i) {
            std::memset(active + i * size, batch.set.Has(i) ? 0xFF : 0, size);
        }
        batch.active = full ? nullptr : active;
        if (!full || !work.Contiguous()) {
            for (uint32_t i = 0; i < batch.count * 8; ++i) {
                if (batch.set.Any(i % 8 * plan.perRepeat / 8, plan.perRepeat / 8)) {
                    std::memcpy(stage + i * kBlockBytes,
                                work.src + work.SrcOffset(batch.first + i / 8) +
                                    uint64_t{i % 8} * work.srcBlkStride * kBlockBytes,
                                kBlockBytes);
                }
            }
            batch.src = stage;
        }
        run(batch);
    }
}

}  // namespace twin::reduce
