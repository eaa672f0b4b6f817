// SPDX-License-Identifier: Apache-2.0
// This file is compiled once per instruction set; see arithmetic_lanes.cpp.
#include "device/lanes/reduce.h"
#include "device/lanes/shuffle.h"

#if defined(__AVX512BW__)
#include <immintrin.h>
#endif

#include <cstring>

namespace {

using twin::lanes::OffsetFacts;

OffsetFacts Inspect(const uint32_t* offsets, size_t count) {
    OffsetFacts facts{UINT32_MAX, 0, 0};
    for (size_t i = 0; i < count; ++i) {
        facts.smallest = offsets[i] < facts.smallest ? offsets[i] : facts.smallest;
        facts.largest = offsets[i] > facts.largest ? offsets[i] : facts.largest;
        facts.anyBits |= offsets[i];
    }
    return facts;
}

template <typename T>
void Gather(void* dst, const uint8_t* base, const uint32_t* offsets, size_t count) {
    auto* d = static_cast<T*>(dst);
    for (size_t i = 0; i < count; ++i) {
        T element;
        std::memcpy(&element, base + offsets[i], sizeof(T));
        d[i] = element;
    }
}

inline uint64_t Word(const uint8_t* bits, size_t bytes) {
    uint64_t word = 0;
    std::memcpy(&word, bits, bytes);
    return word;
}

#if defined(__AVX512BW__)
constexpr size_t kPacked = 16;  ///< number of elements that PackOne reads

/// Writes all elements of src whose bit is 1 to dst, without gaps, and returns their number. Writes
/// nothing after these elements.
size_t PackOne(uint32_t* dst, const uint32_t* src, uint32_t bits) {
    const auto kept = static_cast<uint32_t>(__builtin_popcount(bits));
    _mm512_mask_storeu_epi32(
        dst, static_cast<__mmask16>((1U << kept) - 1),
        _mm512_maskz_compress_epi32(static_cast<__mmask16>(bits), _mm512_loadu_si512(src)));
    return kept;
}
size_t PackOne(uint16_t* dst, const uint16_t* src, uint32_t bits) {
    const auto kept = static_cast<uint32_t>(__builtin_popcount(bits));
    const __m512i wide =
        _mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(src)));
    _mm512_mask_cvtepi32_storeu_epi16(
        dst, static_cast<__mmask16>((1U << kept) - 1),
        _mm512_maskz_compress_epi32(static_cast<__mmask16>(bits), wide));
    return kept;
}
#endif

/// Packs the elements whose bits are set. No element moves to a higher index; dst may be src.
template <typename T>
size_t Pack(void* dst, const void* src, const uint8_t* bits, size_t count) {
    auto* d = static_cast<T*>(dst);
    const auto* s = static_cast<const T*>(src);
    size_t kept = 0;
    size_t i = 0;
#if defined(__AVX512BW__)
    for (; i + kPacked <= count; i += kPacked) {
        kept += PackOne(d + kept, s + i, static_cast<uint32_t>(Word(bits + i / 8, kPacked / 8)));
    }
#endif
    for (; i < count; i += 64) {
        const size_t n = count - i < 64 ? count - i : 64;
        uint64_t word = Word(bits + i / 8, (n + 7) / 8);
        word = n < 64 ? word & ((uint64_t{1} << n) - 1) : word;
        for (; word != 0; word &= word - 1) {
            d[kept++] = s[i + static_cast<size_t>(__builtin_ctzll(word))];
        }
    }
    return kept;
}

template <typename T, size_t kStep>
size_t PickEvery(T* d, const T* s, size_t first, size_t count) {
    const size_t kept = count > first ? (count - first + kStep - 1) / kStep : 0;
    for (size_t i = 0; i < kept; ++i) {
        d[i] = s[first + i * kStep];
    }
    return kept;
}

template <typename T>
size_t Pick(void* dst, const void* src, size_t first, size_t step, size_t count) {
    auto* d = static_cast<T*>(dst);
    const auto* s = static_cast<const T*>(src);
    if (step == 1) {
        std::memmove(d, s, count * sizeof(T));
        return count;
    }
    return step == 2 ? PickEvery<T, 2>(d, s, first, count) : PickEvery<T, 4>(d, s, first, count);
}

size_t CountBits(const uint8_t* bits, size_t count) {
    size_t set = 0;
    for (size_t i = 0; i < count; i += 64) {
        const size_t n = count - i < 64 ? count - i : 64;
        const uint64_t word = Word(bits + i / 8, (n + 7) / 8);
        set += static_cast<size_t>(
            __builtin_popcountll(n < 64 ? word & ((uint64_t{1} << n) - 1) : word));
    }
    return set;
}

constexpr size_t kFractalBytes = 512;

void Turn16(uint8_t* dst, size_t, const uint8_t* src) {
    alignas(16) uint8_t turned[kFractalBytes];
    TransposeBlock<uint16_t, 16, 16>(turned, 32, src, 32);
    std::memcpy(dst, turned, kFractalBytes);
}

/// Transposes a square of two fractals side by side; a fractal has 16 rows of 8 elements.
void Turn32(uint8_t* dst, size_t gap, const uint8_t* src) {
    alignas(16) uint8_t turned[2][kFractalBytes];
    for (uint32_t side = 0; side < 2; ++side) {
        // Columns of source fractal `side` are rows 8 * side to 8 * side + 7 of both results.
        const uint8_t* from = src + side * kFractalBytes;
        for (uint32_t half = 0; half < 2; ++half) {
            TransposeBlock<uint32_t, 8, 8>(turned[half] + side * 256, 32, from + half * 256, 32);
        }
    }
    std::memcpy(dst, turned[0], kFractalBytes);
    std::memcpy(dst + gap, turned[1], kFractalBytes);
}

void Turn8(uint8_t* dst, size_t gap, const uint8_t* src) {
    alignas(16) uint8_t turned[2][kFractalBytes];
    TransposeBlock<uint8_t, 32, 32>(turned, 32, src, 32);
    std::memcpy(dst, turned[0], kFractalBytes);
    std::memcpy(dst + gap, turned[1], kFractalBytes);
}

void Turn4(uint8_t* dst, size_t gap, const uint8_t* src) {
    constexpr uint32_t kSide = 64;
    alignas(16) uint8_t bytes[kSide * kSide];
    alignas(16) uint8_t turned[kSide * kSide];
    for (uint32_t i = 0; i < kSide * kSide / 2; ++i) {
        bytes[2 * i] = src[i] & 15U;
        bytes[2 * i + 1] = static_cast<uint8_t>(src[i] >> 4);
    }
    TransposeBlock<uint8_t, kSide, kSide>(turned, kSide, bytes, kSide);
    for (uint32_t fractal = 0; fractal < 4; ++fractal) {
        const uint8_t* from = turned + fractal * 2 * kFractalBytes;
        alignas(64) uint8_t packed[kFractalBytes];
        for (uint32_t i = 0; i < kFractalBytes; ++i) {
            packed[i] = static_cast<uint8_t>(from[2 * i] | from[2 * i + 1] << 4);
        }
        std::memcpy(dst + fractal * gap, packed, kFractalBytes);
    }
}

}  // namespace

TWIN_LANES_TABLE(GatherTable, GatherLanes,
                 {Inspect, Gather<uint16_t>, Gather<uint32_t>, Pack<uint16_t>, Pack<uint32_t>,
                  Pick<uint16_t>, Pick<uint32_t>, CountBits})
TWIN_LANES_TABLE(FractalTable, FractalLanes, {Turn4, Turn8, Turn16, Turn32})
