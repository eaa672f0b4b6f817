// SPDX-License-Identifier: Apache-2.0
// This file is compiled once per instruction set; see arithmetic_lanes.cpp.
#if defined(__SSE2__)
#include <immintrin.h>
#elif defined(__ARM_NEON) && defined(__aarch64__)
#include <arm_neon.h>
#endif

#include <cstring>
#include <utility>

#include "device/lanes/matrix.h"
#include "device/lanes/reduce.h"
#include "device/lanes/shuffle.h"

namespace {

using twin::lanes::MatrixIntTable;

#if defined(__AVX512BW__)
constexpr uint32_t kLanes = 16;
constexpr uint32_t kTileRows = 8;
constexpr uint32_t kTilePanels = 3;
#elif defined(__AVX2__)
constexpr uint32_t kLanes = 8;
constexpr uint32_t kTileRows = 4;
constexpr uint32_t kTilePanels = 1;
#else
constexpr uint32_t kLanes = 4;
constexpr uint32_t kTileRows = 2;
constexpr uint32_t kTilePanels = 1;
#endif
constexpr uint32_t kVecs = kSide / kLanes;
using Sums = uint32_t __attribute__((vector_size(kLanes * 4)));

inline Sums LoadSums(const void* from) {
    Sums sums;
    std::memcpy(&sums, from, sizeof(sums));
    return sums;
}

/// Operations that add two products of 16-bit integers to each 32-bit sum.
struct PairDot {
    using Element = int16_t;
    static constexpr uint32_t kGroup = 2;
    static Sums Mac(Sums sum, Sums a, Sums b) {
#if defined(__AVX512BW__)
        return (Sums)_mm512_add_epi32((__m512i)sum, _mm512_madd_epi16((__m512i)a, (__m512i)b));
#elif defined(__AVX2__)
        return (Sums)_mm256_add_epi32((__m256i)sum, _mm256_madd_epi16((__m256i)a, (__m256i)b));
#elif defined(__SSE2__)
        return (Sums)_mm_add_epi32((__m128i)sum, _mm_madd_epi16((__m128i)a, (__m128i)b));
#elif defined(__ARM_NEON) && defined(__aarch64__)
        const int16x8_t left = (int16x8_t)a;
        const int16x8_t right = (int16x8_t)b;
        const int32x4_t low = vmull_s16(vget_low_s16(left), vget_low_s16(right));
        const int32x4_t high = vmull_high_s16(left, right);
        return sum + (Sums)vpaddq_s32(low, high);
#else
        for (uint32_t i = 0; i < kLanes; ++i) {
            const auto low = [](uint32_t x) { return static_cast<int16_t>(x & 0xFFFFU); };
            const auto high = [](uint32_t x) { return static_cast<int16_t>(x >> 16); };
            sum[i] += static_cast<uint32_t>(low(a[i]) * low(b[i]) + high(a[i]) * high(b[i]));
        }
        return sum;
#endif
    }
    static void PackLeft(int16_t* dst, const int8_t* src, size_t count) {
        for (size_t i = 0; i < count; ++i) {
            dst[i] = src[i];
        }
    }
    /// Repacks one fractal of B to groups; a group has kGroup rows of 16 columns.
    template <uint32_t kC0>
    static void PackRight(uint8_t* dst, const int8_t* src) {
        alignas(64) int8_t pairs[kC0 * kSide];
        TransposeBlock<uint16_t, kSide, kC0 / 2>(pairs, kSide * 2, src, kC0);
        alignas(64) int16_t wide[kC0 * kSide];
        PackLeft(wide, pairs, kC0 * kSide);
        std::memcpy(dst, wide, sizeof(wide));
    }
    /// Sets the start values of the sums to 0, because PackLeft does not change the values of A.
    static void Start(uint8_t* start, const uint8_t*, uint32_t) {
        std::memset(start, 0, kSide * 4);
    }
};

#if defined(__AVX512BW__)
/// Operations that add four products of an unsigned and a signed byte to each 32-bit sum. PackLeft
/// adds 128 to the values of A, so each sum starts at -128 times the sum of its column of B.
struct ByteDot {
    using Element = uint8_t;
    static constexpr uint32_t kGroup = 4;
    static Sums Mac(Sums sum, Sums a, Sums b) {
        // Assembly, because this file is also compiled for processors without this instruction.
        __asm__("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b));
        return sum;
    }
    static void PackLeft(uint8_t* dst, const int8_t* src, size_t count) {
        for (size_t i = 0; i < count; ++i) {
            dst[i] = static_cast<uint8_t>(src[i]) ^ 0x80U;
        }
    }
    template <uint32_t kC0>
    static void PackRight(uint8_t* dst, const int8_t* src) {
        TransposeBlock<uint32_t, kSide, kC0 / 4>(dst, kSide * 4, src, kC0);
    }
    static void Start(uint8_t* start, const uint8_t* groups, uint32_t count) {
        Sums sum = {};
        for (uint32_t i = 0; i < count; ++i) {
            sum = Mac(sum, Sums{} + 0x80808080U, LoadSums(groups + i * kSide * 4));
        }
        sum = Sums{} - sum;
        std::memcpy(start, &sum, sizeof(sum));
    }
};
#endif

constexpr uint32_t kGroupBytes = kSide * 4;  ///< size of one group of B, or of 16 start values

/// Replaces numbers of C by the largest or smallest integer where the addition of `sum` overflowed.
inline void SaturateRow(uint32_t* c, Sums sum) {
    for (uint32_t i = 0; i < kLanes; ++i) {
        const auto added = static_cast<int32_t>(sum[i]);
        const auto old = static_cast<int32_t>(c[i] - sum[i]);
        const int64_t exact = int64_t{added} + old;
        const int64_t bounded =
            exact > INT32_MAX ? INT32_MAX : (exact < INT32_MIN ? INT32_MIN : exact);
        c[i] = static_cast<uint32_t>(bounded);
    }
}

inline bool AnyNegative(Sums bits) {
    uint32_t any = 0;
    for (uint32_t i = 0; i < kLanes; ++i) {
        any |= bits[i];
    }
    return any >> 31 != 0;
}

template <typename Element, uint32_t kRows, uint32_t kPanels>
void StoreSums(const TileInput<Element>& tile, const Sums (&sum)[kRows][kPanels * kVecs]) {
    Sums over = {};
    for (uint32_t r = 0; r < kRows; ++r) {
        for (uint32_t p = 0; p < kPanels * kVecs; ++p) {
            uint32_t* c = tile.c + p / kVecs * tile.cColumnStride + r * kSide + p % kVecs * kLanes;
            Sums total = sum[r][p];
            if (tile.accumulate) {
                const Sums old = LoadSums(c);
                total += old;
                over |= (sum[r][p] ^ total) & (old ^ total);
            }
            std::memcpy(c, &total, sizeof(total));
        }
    }
    if (__builtin_expect(tile.accumulate && AnyNegative(over), 0)) {
        for (uint32_t r = 0; r < kRows; ++r) {
            for (uint32_t p = 0; p < kPanels * kVecs; ++p) {
                SaturateRow(
                    tile.c + p / kVecs * tile.cColumnStride + r * kSide + p % kVecs * kLanes,
                    sum[r][p]);
            }
        }
    }
}

template <typename Dot, uint32_t kC0, uint32_t kRows, uint32_t kPanels>
void IntTile(const TileInput<typename Dot::Element>& tile) {
    const auto* b = static_cast<const uint8_t*>(tile.b);
    const auto place = [](uint32_t p) { return p % kVecs * sizeof(Sums); };
    Sums sum[kRows][kPanels * kVecs];
    for (uint32_t r = 0; r < kRows; ++r) {
        for (uint32_t p = 0; p < kPanels * kVecs; ++p) {
            sum[r][p] = LoadSums(b + p / kVecs * tile.bPanelBytes + place(p));
        }
    }
    b += kGroupBytes;
    const auto* a = tile.a;
    for (uint32_t done = 0; done < tile.k; done += kC0, a += tile.aFractalStride) {
        const uint32_t left = tile.k - done < kC0 ? tile.k - done : kC0;
        const uint32_t groups = (left + Dot::kGroup - 1) / Dot::kGroup;
#pragma GCC unroll 4
        for (uint32_t g = 0; g < groups; ++g, b += kGroupBytes) {
            Sums right[kPanels * kVecs];
            for (uint32_t p = 0; p < kPanels * kVecs; ++p) {
                right[p] = LoadSums(b + p / kVecs * tile.bPanelBytes + place(p));
            }
            for (uint32_t r = 0; r < kRows; ++r) {
                uint32_t group;
                std::memcpy(&group, a + r * kC0 + g * Dot::kGroup, sizeof(group));
                for (uint32_t p = 0; p < kPanels * kVecs; ++p) {
                    sum[r][p] = Dot::Mac(sum[r][p], Sums{} + group, right[p]);
                }
            }
        }
    }
    StoreSums<typename Dot::Element, kRows, kPanels>(tile, sum);
}

template <typename Dot, uint32_t kC0, uint32_t... kIndex>
constexpr TileSet<typename Dot::Element, kTileRows, kTilePanels> IntTiles(
    std::integer_sequence<uint32_t, kIndex...>) {
    return {{IntTile<Dot, kC0, kTileRows, kIndex + 1>...}, IntTile<Dot, kC0, 1, 1>};
}

/// Repacks B's fractals of 16 columns x kC0 bytes to panels; `unpack` returns a fractal as bytes.
template <typename Dot, uint32_t kC0, typename Unpack>
void PackPanels(uint8_t* dst, size_t panelBytes, const MatrixShape& shape, Unpack unpack) {
    const uint32_t panels = Fractals(shape.n);
    const uint32_t fractals = (shape.k + kC0 - 1) / kC0;
    const uint32_t groups = (shape.k + Dot::kGroup - 1) / Dot::kGroup;
    const uint32_t tail = shape.k % Dot::kGroup;
    const uint32_t kept = tail == 0 ? UINT32_MAX : (1U << tail * (32 / Dot::kGroup)) - 1U;
    for (uint32_t panel = 0; panel < panels; ++panel) {
        uint8_t* to = dst + panel * panelBytes;
        for (uint32_t f = 0; f < fractals; ++f) {
            Dot::template PackRight<kC0>(
                to + kGroupBytes + size_t{f} * (kC0 / Dot::kGroup) * kGroupBytes,
                unpack(size_t{f} * panels + panel));
        }
        auto* last = reinterpret_cast<uint32_t*>(to + size_t{groups} * kGroupBytes);
        for (uint32_t i = 0; i < kSide; ++i) {
            last[i] &= kept;  // B becomes zero from k on; values of A from k on have no effect
        }
        Dot::Start(to, to + kGroupBytes, groups);
    }
}

template <typename Dot, uint32_t kC0, typename Unpack>
void IntProduct(void* c, const typename Dot::Element* a, const MatrixShape& shape,
                MatrixScratch& scratch, Unpack unpack) {
    static constexpr auto kTiles =
        IntTiles<Dot, kC0>(std::make_integer_sequence<uint32_t, kTilePanels>());
    const size_t fractals = (shape.k + kC0 - 1) / kC0;
    const size_t panelBytes = kGroupBytes + fractals * (kC0 / Dot::kGroup) * kGroupBytes;
    PackPanels<Dot, kC0>(scratch.b, panelBytes, shape, unpack);
    WalkTiles<typename Dot::Element, kC0>(c, a, scratch.b, panelBytes, shape, kTiles);
}

/// Unpacks 4-bit integers to bytes; the low 4 bits of a byte come first.
inline void UnpackInt4(int8_t* dst, const uint8_t* src, size_t bytes) {
    for (size_t i = 0; i < bytes; i += sizeof(U8x16)) {
        U8x16 packed;
        std::memcpy(&packed, src + i, sizeof(packed));
        const U8x16 low = ((packed & 15) ^ 8) - 8;
        const U8x16 high = ((packed >> 4) ^ 8) - 8;
        const U8x16 both[2] = {ZipLow(low, high), ZipHigh(low, high)};
        std::memcpy(dst + 2 * i, both, sizeof(both));
    }
}

template <typename Dot>
void ProductInt8(void* c, const void* a, const void* b, const MatrixShape& shape,
                 MatrixScratch& scratch) {
    constexpr uint32_t kC0 = 32;
    auto* left = reinterpret_cast<typename Dot::Element*>(scratch.a);
    Dot::PackLeft(left, static_cast<const int8_t*>(a), CountA(shape, kC0));
    const auto* right = static_cast<const int8_t*>(b);
    IntProduct<Dot, kC0>(c, left, shape, scratch,
                         [right](size_t fractal) { return right + fractal * kC0 * kSide; });
}

template <typename Dot>
void ProductInt4(void* c, const void* a, const void* b, const MatrixShape& shape,
                 MatrixScratch& scratch) {
    constexpr uint32_t kC0 = 64;
    constexpr size_t kFractalBytes = kC0 / 2 * kSide;
    auto* left = reinterpret_cast<typename Dot::Element*>(scratch.a);
    const auto* packed = static_cast<const uint8_t*>(a);
    alignas(64) int8_t bytes[kC0 * kSide];
    const size_t count = CountA(shape, kC0);
    for (size_t done = 0; done < count; done += kC0 * kSide) {
        const size_t part = count - done < kC0 * kSide ? count - done : kC0 * kSide;
        UnpackInt4(bytes, packed + done / 2, part / 2);
        Dot::PackLeft(left + done, bytes, part);
    }
    const auto* right = static_cast<const uint8_t*>(b);
    IntProduct<Dot, kC0>(c, left, shape, scratch, [right, &bytes](size_t fractal) {
        UnpackInt4(bytes, right + fractal * kFractalBytes, kFractalBytes);
        return bytes;
    });
}

template <typename Dot>
constexpr MatrixIntTable IntTable() {
    return {ProductInt8<Dot>, ProductInt4<Dot>};
}

}  // namespace

#if defined(__AVX512BW__)
TWIN_LANES_TABLE(MatrixIntTable, MatrixIntLanes,
                 HasDotProducts() ? IntTable<ByteDot>() : IntTable<PairDot>())
#else
TWIN_LANES_TABLE(MatrixIntTable, MatrixIntLanes, IntTable<PairDot>())
#endif
