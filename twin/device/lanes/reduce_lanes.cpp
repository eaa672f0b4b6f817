// SPDX-License-Identifier: Apache-2.0
// This file is compiled once per instruction set; see arithmetic_lanes.cpp.
#include "device/lanes/convert.h"
#include "device/lanes/reduce.h"

namespace {

using twin::kRepeatBytes;
using twin::lanes::kReduceBatch;

constexpr size_t kMaxElements = kReduceBatch * kRepeatBytes / 2;
constexpr uint32_t kMinusZero = 0x80000000U;  // adding it changes no number, not even a zero
constexpr uint32_t kQuietNan = 0x7FC00000U;   // hosts return different NaN for NaN + NaN

inline float Leaf(uint32_t bits, uint32_t active) {
    return twin::FloatOf((bits & active) | (kMinusZero & ~active));
}

/// Computes one level of the tree for all groups at once. Each group gets the same sums as if it
/// were computed alone, and compilers vectorise this loop.
void AddPairs(float* __restrict dst, const float* __restrict src, size_t pairs) {
    for (size_t i = 0; i < pairs; ++i) {
        dst[i] = src[2 * i] + src[2 * i + 1];
    }
}

/// Sums groups of the `elements` numbers in `level`; returns the buffer that contains the sums.
template <typename Round>
const float* Tree(const float* level, float* a, float* b, size_t elements, size_t group,
                  Round round) {
    float* next = a;
    for (; group > 1; group /= 2) {
        elements /= 2;
        AddPairs(next, level, elements);
        round(next, elements);
        level = next;
        next = next == a ? b : a;
    }
    return level;
}

void SumFloat(void* dst, const void* src, const void* active, size_t repeats, size_t group, bool) {
    constexpr size_t kPerRepeat = kRepeatBytes / sizeof(float);
    alignas(64) float masked[kMaxElements / 2];
    alignas(64) float a[kMaxElements / 4];
    alignas(64) float b[kMaxElements / 8];
    const size_t elements = repeats * kPerRepeat;
    const auto* level = static_cast<const float*>(src);
    if (active != nullptr) {
        const auto* keep = static_cast<const uint32_t*>(active);
        for (size_t repeat = 0; repeat < repeats; ++repeat) {
            const auto* bits = static_cast<const uint32_t*>(src) + repeat * kPerRepeat;
            for (size_t i = 0; i < kPerRepeat; ++i) {
                masked[repeat * kPerRepeat + i] = Leaf(bits[i], keep[i]);
            }
        }
        level = masked;
    }
    const float* sums = Tree(level, a, b, elements, group, [](float*, size_t) {});
    auto* d = static_cast<float*>(dst);
    for (size_t i = 0; i < elements / group; ++i) {
        d[i] = sums[i] != sums[i] ? twin::FloatOf(kQuietNan) : sums[i];
    }
}

void Saturate(F16* values, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        const auto magnitude = static_cast<uint16_t>(values[i].bits & 0x7FFFU);
        const auto largest = static_cast<uint16_t>((values[i].bits & 0x8000U) | 0x7BFFU);
        const uint16_t finite = magnitude == 0x7C00U ? largest : values[i].bits;
        values[i].bits = magnitude > 0x7C00U ? uint16_t{0} : finite;
    }
}

void SumHalf(void* dst, const void* src, const void* active, size_t repeats, size_t group,
             bool saturate) {
    constexpr size_t kPerRepeat = kRepeatBytes / sizeof(F16);
    alignas(64) float level[kMaxElements];
    alignas(64) float a[kMaxElements / 2];
    alignas(64) float b[kMaxElements / 4];
    alignas(64) F16 narrow[kMaxElements / 2];
    const size_t elements = repeats * kPerRepeat;
    WidenHalf(level, static_cast<const F16*>(src), elements);
    if (active != nullptr) {
        const auto* keep = static_cast<const int16_t*>(active);
        for (size_t repeat = 0; repeat < repeats; ++repeat) {
            float* values = level + repeat * kPerRepeat;
            for (size_t i = 0; i < kPerRepeat; ++i) {
                values[i] = Leaf(twin::BitsOf(values[i]), static_cast<uint32_t>(int32_t{keep[i]}));
            }
        }
    }
    const auto round = [&narrow, saturate](float* values, size_t count) {
        NarrowHalf(narrow, values, count);
        if (saturate) {
            Saturate(narrow, count);
        }
        WidenHalf(values, narrow, count);
    };
    const float* sums = Tree(level, a, b, elements, group, round);
    NarrowHalf(static_cast<F16*>(dst), sums, elements / group);
    for (size_t i = 0; i < elements / group; ++i) {
        static_cast<F16*>(dst)[i].bits =
            sums[i] != sums[i] ? uint16_t{0x7E00} : static_cast<F16*>(dst)[i].bits;
    }
}

/// Converts a number to an integer key. NaN gets the largest key. Among numbers, the extreme number
/// gets the largest key. Only elements that the mask excludes have the smallest key.
template <typename Key, bool smallest>
inline Key KeyOf(Key bits, Key active) {
    constexpr Key kMax = sizeof(Key) == 2 ? INT16_MAX : INT32_MAX;
    constexpr Key kInfinity = sizeof(Key) == 2 ? 0x7C00 : 0x7F800000;
    const Key magnitude = static_cast<Key>(bits & kMax);
    const Key sign = static_cast<Key>(bits >> (sizeof(Key) * 8 - 1));
    Key key = static_cast<Key>(static_cast<Key>(magnitude ^ sign) - sign);  // -0 becomes 0
    key = static_cast<Key>(smallest ? -key : key);
    key = magnitude > kInfinity ? kMax : key;
    return static_cast<Key>((key & active) | (~kMax & ~active));
}

/// Finds the extreme value of each group. `group` is a template argument, so that the compiler
/// makes loops of whole vectors.
template <typename Key, bool smallest, size_t group>
void BestOf(uint32_t* place, const Key* bits, const Key* active, size_t repeats) {
    constexpr size_t kPerRepeat = kRepeatBytes / sizeof(Key);
    constexpr Key kLowest = sizeof(Key) == 2 ? INT16_MIN : INT32_MIN;
    constexpr Key kNowhere = kPerRepeat;
    Key keys[kPerRepeat];
    for (size_t repeat = 0; repeat < repeats; ++repeat, bits += kPerRepeat) {
        for (size_t i = 0; i < kPerRepeat; ++i) {
            keys[i] = KeyOf<Key, smallest>(bits[i], active != nullptr ? active[i] : Key{-1});
        }
        for (const Key* first = keys; first < keys + kPerRepeat; first += group) {
            Key best = kLowest;
            for (size_t i = 0; i < group; ++i) {
                best = first[i] > best ? first[i] : best;
            }
            Key at = kNowhere;
            for (size_t i = 0; i < group; ++i) {
                const Key here = first[i] == best ? static_cast<Key>(i) : kNowhere;
                at = here < at ? here : at;
            }
            *place++ = static_cast<uint32_t>(at);
        }
    }
}

template <typename Key, bool smallest>
void Best(uint32_t* place, const void* src, const void* active, size_t repeats, size_t group) {
    constexpr size_t kPerRepeat = kRepeatBytes / sizeof(Key);
    constexpr size_t kPerBlock = twin::kBlockBytes / sizeof(Key);
    const auto* bits = static_cast<const Key*>(src);
    const auto* keep = static_cast<const Key*>(active);
    if (group == kPerRepeat) {
        BestOf<Key, smallest, kPerRepeat>(place, bits, keep, repeats);
    } else {
        BestOf<Key, smallest, kPerBlock>(place, bits, keep, repeats);
    }
}

}  // namespace

namespace twin::lanes::TWIN_LANES_ISA {

const ReduceTable& ReduceLanes() {
    static const ReduceTable table = [] {
        ReduceTable lanes = {};
        constexpr auto kF16 = static_cast<size_t>(Dtype::F16);
        constexpr auto kF32 = static_cast<size_t>(Dtype::F32);
        lanes.sum[kF16] = SumHalf;
        lanes.sum[kF32] = SumFloat;
        lanes.best[static_cast<size_t>(Extreme::Max)][kF16] = Best<int16_t, false>;
        lanes.best[static_cast<size_t>(Extreme::Max)][kF32] = Best<int32_t, false>;
        lanes.best[static_cast<size_t>(Extreme::Min)][kF16] = Best<int16_t, true>;
        lanes.best[static_cast<size_t>(Extreme::Min)][kF32] = Best<int32_t, true>;
        return lanes;
    }();
    return table;
}

}  // namespace twin::lanes::TWIN_LANES_ISA
