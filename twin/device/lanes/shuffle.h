// SPDX-License-Identifier: Apache-2.0
#pragma once

// Transposes small blocks with vectors of 16 B. The helpers have internal linkage, see convert.h.
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace {

using U16x8 = uint16_t __attribute__((vector_size(16)));
using U32x4 = uint32_t __attribute__((vector_size(16)));
using U8x16 = uint8_t __attribute__((vector_size(16)));

/// A vector of 16 B with elements of type T.
template <typename T>
struct VectorOf;
template <>
struct VectorOf<uint8_t> {
    using Type = U8x16;
};
template <>
struct VectorOf<uint16_t> {
    using Type = U16x8;
};
template <>
struct VectorOf<uint32_t> {
    using Type = U32x4;
};

#if defined(__clang__) || __GNUC__ >= 12
#define TWIN_SHUFFLE(type, a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define TWIN_SHUFFLE(type, a, b, ...) __builtin_shuffle(a, b, type{__VA_ARGS__})
#endif

inline U16x8 ZipLow(U16x8 a, U16x8 b) {
    return TWIN_SHUFFLE(U16x8, a, b, 0, 8, 1, 9, 2, 10, 3, 11);
}
inline U16x8 ZipHigh(U16x8 a, U16x8 b) {
    return TWIN_SHUFFLE(U16x8, a, b, 4, 12, 5, 13, 6, 14, 7, 15);
}
inline U32x4 ZipLow(U32x4 a, U32x4 b) { return TWIN_SHUFFLE(U32x4, a, b, 0, 4, 1, 5); }
inline U32x4 ZipHigh(U32x4 a, U32x4 b) { return TWIN_SHUFFLE(U32x4, a, b, 2, 6, 3, 7); }
inline U8x16 ZipLow(U8x16 a, U8x16 b) {
    return TWIN_SHUFFLE(U8x16, a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}
inline U8x16 ZipHigh(U8x16 a, U8x16 b) {
    return TWIN_SHUFFLE(U8x16, a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
}

/// Transposes a matrix of kRows vectors. Each round interleaves rows i and i + kRows / 2.
template <typename V, uint32_t kRows>
inline void TransposeVectors(V* rows) {
    for (uint32_t round = 1; round < kRows; round *= 2) {
        V next[kRows];
        for (uint32_t i = 0; i < kRows / 2; ++i) {
            next[2 * i] = ZipLow(rows[i], rows[i + kRows / 2]);
            next[2 * i + 1] = ZipHigh(rows[i], rows[i + kRows / 2]);
        }
        for (uint32_t i = 0; i < kRows; ++i) {
            rows[i] = next[i];
        }
    }
}

/// Sets dst[j][i] = src[i][j] for a square matrix with as many rows as a vector of 16 B has
/// elements. Strides are in bytes.
template <typename V, uint32_t kRows>
inline void TransposeSquare(uint8_t* dst, size_t dstStride, const uint8_t* src, size_t srcStride) {
    V rows[kRows];
    for (uint32_t i = 0; i < kRows; ++i) {
        std::memcpy(&rows[i], src + i * srcStride, sizeof(V));
    }
    TransposeVectors<V, kRows>(rows);
    for (uint32_t i = 0; i < kRows; ++i) {
        std::memcpy(dst + i * dstStride, &rows[i], sizeof(V));
    }
}

/// Transposes a block; kHeight and kWidth are multiples of the number of elements in 16 B.
template <typename T, uint32_t kHeight, uint32_t kWidth>
inline void TransposeBlock(void* dst, size_t dstStride, const void* src, size_t srcStride) {
    using V = typename VectorOf<T>::Type;
    constexpr uint32_t kSide = 16 / sizeof(T);
    for (uint32_t i = 0; i < kHeight; i += kSide) {
        for (uint32_t j = 0; j < kWidth; j += kSide) {
            TransposeSquare<V, kSide>(
                static_cast<uint8_t*>(dst) + j * dstStride + i * sizeof(T), dstStride,
                static_cast<const uint8_t*>(src) + i * srcStride + j * sizeof(T), srcStride);
        }
    }
}

}  // namespace

namespace twin::lanes {

/// Sets dst[i] to the element at `base` + offsets[i] bytes.
using GatherFn = void (*)(void* dst, const uint8_t* base, const uint32_t* offsets, size_t count);
/// Writes all elements of src whose bit is 1 to dst, without gaps; returns their number. Bit i of
/// `bits` belongs to src[i]. dst may be src or a lower address.
using PackFn = size_t (*)(void* dst, const void* src, const uint8_t* bits, size_t count);
/// Stores src[first], src[first + step], ... side by side and returns their number.
using PickFn = size_t (*)(void* dst, const void* src, size_t first, size_t step, size_t count);

/// Summary of a list of byte offsets, so that one check decides whether the list is legal.
struct OffsetFacts {
    uint32_t smallest;
    uint32_t largest;
    uint32_t anyBits;  ///< bitwise or of all offsets; shows if an offset is misaligned
};

struct GatherTable {
    OffsetFacts (*inspect)(const uint32_t* offsets, size_t count);
    GatherFn gather16, gather32;
    PackFn pack16, pack32;
    PickFn pick16, pick32;
    size_t (*countBits)(const uint8_t* bits, size_t count);
};

const GatherTable& BestGather();

/// Transposes a square matrix; `gap` is the distance in bytes between the fractals of 512 B into
/// which the result is split. The source is contiguous.
using TurnFn = void (*)(uint8_t* dst, size_t gap, const uint8_t* src);

/// Functions that transpose a square: 16 x 16 elements of 16 bits (one fractal) or of 32 bits (two
/// fractals side by side), 32 x 32 of 8 bits (two fractals one below the other), or 64 x 64 of 4
/// bits (four fractals one below the other).
struct FractalTable {
    TurnFn turn4;
    TurnFn turn8;
    TurnFn turn16;
    TurnFn turn32;
};

/// Returns the table that is compiled for the instruction set of this machine.
const FractalTable& BestFractal();

}  // namespace twin::lanes
