// SPDX-License-Identifier: Apache-2.0
#include "core/atomics.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "core/float16.h"

namespace twin {
namespace {

template <typename T>
T Combine(AtomicOp op, T memory, T value) {
    switch (op) {
        case AtomicOp::Max:
            return memory > value ? memory : value;
        case AtomicOp::Min:
            return memory < value ? memory : value;
        default:
            return static_cast<T>(memory + value);
    }
}

/// Computes memory[i] = combine(memory[i], values[i]) for each element.
template <typename T, typename Function>
void Each(void* memory, const void* values, uint64_t bytes, const Function& combine) {
    for (uint64_t i = 0; i + sizeof(T) <= bytes; i += sizeof(T)) {
        T a;
        T b;
        std::memcpy(&a, static_cast<const uint8_t*>(memory) + i, sizeof(T));
        std::memcpy(&b, static_cast<const uint8_t*>(values) + i, sizeof(T));
        const T result = combine(a, b);
        std::memcpy(static_cast<uint8_t*>(memory) + i, &result, sizeof(T));
    }
}

template <typename T, typename Wide>
void Integers(AtomicOp op, void* memory, const void* values, uint64_t bytes) {
    Each<T>(memory, values, bytes,
            [op](T a, T b) { return static_cast<T>(Combine<Wide>(op, a, b)); });
}

}  // namespace

void ApplyAtomic(AtomicOp op, Dtype dtype, void* memory, const void* values, uint64_t bytes) {
    switch (dtype) {
        case Dtype::F32:
            Integers<float, float>(op, memory, values, bytes);
            break;
        case Dtype::F16:
            Each<uint16_t>(memory, values, bytes, [op](uint16_t a, uint16_t b) {
                return FloatToHalf(Combine(op, HalfToFloat(a), HalfToFloat(b)));
            });
            break;
        case Dtype::Bf16:
            Each<uint16_t>(memory, values, bytes, [op](uint16_t a, uint16_t b) {
                return FloatToBfloat16(Combine(op, Bfloat16ToFloat(a), Bfloat16ToFloat(b)));
            });
            break;
        case Dtype::I32:  // in a wider type, so that overflow is defined
            Integers<int32_t, int64_t>(op, memory, values, bytes);
            break;
        case Dtype::I16:
            Integers<int16_t, int32_t>(op, memory, values, bytes);
            break;
        default:
            Integers<int8_t, int32_t>(op, memory, values, bytes);
            break;
    }
}

void Extents::Add(uintptr_t begin, uint64_t bytes) {
    uintptr_t end = begin + bytes;
    auto next = ends_.upper_bound(begin);
    if (next != ends_.begin() && std::prev(next)->second >= begin) {
        --next;
        begin = next->first;
    }
    while (next != ends_.end() && next->first <= end) {
        end = std::max(end, next->second);
        next = ends_.erase(next);
    }
    ends_.emplace_hint(next, begin, end);
}

bool Extents::Overlap(uintptr_t begin, uint64_t bytes) const {
    const auto next = ends_.lower_bound(begin + bytes);
    return next != ends_.begin() && std::prev(next)->second > begin;
}

void AtomicLog::Append(AtomicOp op, Dtype dtype, uintptr_t address, const void* values,
                       uint64_t bytes) {
    entries_.push_back(Entry{address, bytes, values_.size(), op, dtype, false});
    const auto* begin = static_cast<const uint8_t*>(values);
    values_.insert(values_.end(), begin, begin + bytes);
    unpublished_.Add(address, bytes);
    low_ = std::min(low_, address);
    high_ = std::max<uintptr_t>(high_, address + bytes);
}

void AtomicLog::Apply(Entry& entry) {
    if (!entry.applied) {
        ApplyAtomic(entry.op, entry.dtype, reinterpret_cast<void*>(entry.address),
                    values_.data() + entry.offset, entry.bytes);
        entry.applied = true;
    }
}

void AtomicLog::Apply() {
    for (Entry& entry : entries_) {
        Apply(entry);
    }
}

void AtomicLog::DropPending() {
    entries_ = {};
    values_ = {};
    published_ = 0;
}

void AtomicLog::ApplyTo(uintptr_t address, uint64_t bytes, bool publishedOnly) {
    if (address >= high_ || address + bytes <= low_) {
        return;
    }
    const size_t end = publishedOnly ? published_ : entries_.size();
    for (size_t i = 0; i < end; ++i) {
        if (entries_[i].Overlaps(address, bytes)) {
            Apply(entries_[i]);
        }
    }
}

}  // namespace twin
