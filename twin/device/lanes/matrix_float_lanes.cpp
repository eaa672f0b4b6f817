// SPDX-License-Identifier: Apache-2.0
// This file is compiled once per instruction set; see arithmetic_lanes.cpp.
#if defined(__FMA__)
#include <immintrin.h>
#elif defined(__ARM_NEON) && defined(__aarch64__)
#include <arm_neon.h>
#endif

#include <utility>

#include "device/lanes/convert.h"
#include "device/lanes/matrix.h"
#include "device/lanes/reduce.h"
#include "device/lanes/shuffle.h"

namespace {

using twin::lanes::MatrixFloatTable;

#if defined(__AVX512F__) && defined(__FMA__)
struct Vec {
    static constexpr uint32_t kLanes = 16;
    static constexpr uint32_t kRows = 8;
    static constexpr uint32_t kPanels = 3;
    __m512 v;
    static Vec Load(const float* p) { return {_mm512_loadu_ps(p)}; }
    static Vec Fill(float x) { return {_mm512_set1_ps(x)}; }
    template <bool exact>
    static Vec Fma(Vec a, Vec b, Vec c) {
        return {_mm512_fmadd_ps(a.v, b.v, c.v)};
    }
    void Store(float* p) const {
        const __mmask16 nan = _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q);
        _mm512_storeu_ps(p, _mm512_mask_mov_ps(v, nan, _mm512_set1_ps(__builtin_nanf(""))));
    }
};
#elif defined(__FMA__)
struct Vec {
    static constexpr uint32_t kLanes = 8;
    static constexpr uint32_t kRows = 4;
    static constexpr uint32_t kPanels = 1;
    __m256 v;
    static Vec Load(const float* p) { return {_mm256_loadu_ps(p)}; }
    static Vec Fill(float x) { return {_mm256_set1_ps(x)}; }
    template <bool exact>
    static Vec Fma(Vec a, Vec b, Vec c) {
        return {_mm256_fmadd_ps(a.v, b.v, c.v)};
    }
    void Store(float* p) const {
        const __m256 nan = _mm256_cmp_ps(v, v, _CMP_UNORD_Q);
        _mm256_storeu_ps(p, _mm256_blendv_ps(v, _mm256_set1_ps(__builtin_nanf("")), nan));
    }
};
#elif defined(__ARM_NEON) && defined(__aarch64__)
struct Vec {
    static constexpr uint32_t kLanes = 4;
    static constexpr uint32_t kRows = 4;
    static constexpr uint32_t kPanels = 1;
    float32x4_t v;
    static Vec Load(const float* p) { return {vld1q_f32(p)}; }
    static Vec Fill(float x) { return {vdupq_n_f32(x)}; }
    template <bool exact>
    static Vec Fma(Vec a, Vec b, Vec c) {
        return {vfmaq_f32(c.v, a.v, b.v)};
    }
    void Store(float* p) const {
        vst1q_f32(p, vbslq_f32(vceqq_f32(v, v), v, vdupq_n_f32(__builtin_nanf(""))));
    }
};
#else
// The host has no fused multiply-add instruction. Products of half numbers are exact in float and
// need no such instruction. For products of other types, the C library has an exact, slow function.
struct Vec {
    using Floats = float __attribute__((vector_size(16)));
    static constexpr uint32_t kLanes = 4;
    static constexpr uint32_t kRows = 2;
    static constexpr uint32_t kPanels = 1;
    Floats v;
    static Vec Load(const float* p) {
        Vec r;
        std::memcpy(&r.v, p, sizeof(r.v));
        return r;
    }
    static Vec Fill(float x) { return {Floats{x, x, x, x}}; }
    template <bool exact>
    static Vec Fma(Vec a, Vec b, Vec c) {
        if (exact) {
            return {a.v * b.v + c.v};
        }
        for (uint32_t i = 0; i < kLanes; ++i) {
            c.v[i] = __builtin_fmaf(a.v[i], b.v[i], c.v[i]);
        }
        return c;
    }
    void Store(float* p) const {
        for (uint32_t i = 0; i < kLanes; ++i) {
            p[i] = v[i] == v[i] ? v[i] : __builtin_nanf("");
        }
    }
};
#endif

constexpr uint32_t kVecs = kSide / Vec::kLanes;  ///< vectors in 16 columns

/// Computes kRows x (16 * kPanels) numbers of C, which stay in registers for all of k.
template <uint32_t kC0, bool exact, uint32_t kRows, uint32_t kPanels>
void FloatTile(const TileInput<float>& tile) {
    Vec sum[kRows][kPanels * kVecs];
    for (uint32_t r = 0; r < kRows; ++r) {
        for (uint32_t p = 0; p < kPanels * kVecs; ++p) {
            const uint32_t* c = tile.c + p / kVecs * tile.cColumnStride + r * kSide;
            sum[r][p] = tile.accumulate
                            ? Vec::Load(reinterpret_cast<const float*>(c) + p % kVecs * Vec::kLanes)
                            : Vec::Fill(0.0F);
        }
    }
    const float* b = static_cast<const float*>(tile.b);
    const size_t panel = tile.bPanelBytes / sizeof(float);
    const float* a = tile.a;
    for (uint32_t done = 0; done < tile.k; done += kC0, a += tile.aFractalStride) {
        const uint32_t steps = tile.k - done < kC0 ? tile.k - done : kC0;
#pragma GCC unroll 4
        for (uint32_t s = 0; s < steps; ++s, b += kSide) {
            Vec right[kPanels * kVecs];
            for (uint32_t p = 0; p < kPanels * kVecs; ++p) {
                right[p] = Vec::Load(b + p / kVecs * panel + p % kVecs * Vec::kLanes);
            }
            for (uint32_t r = 0; r < kRows; ++r) {
                const Vec left = Vec::Fill(a[r * kC0 + s]);
                for (uint32_t p = 0; p < kPanels * kVecs; ++p) {
                    sum[r][p] = Vec::Fma<exact>(left, right[p], sum[r][p]);
                }
            }
        }
    }
    for (uint32_t r = 0; r < kRows; ++r) {
        for (uint32_t p = 0; p < kPanels * kVecs; ++p) {
            uint32_t* c = tile.c + p / kVecs * tile.cColumnStride + r * kSide;
            sum[r][p].Store(reinterpret_cast<float*>(c) + p % kVecs * Vec::kLanes);
        }
    }
}

template <uint32_t kC0, bool exact, uint32_t... kIndex>
constexpr TileSet<float, Vec::kRows, Vec::kPanels> FloatTiles(
    std::integer_sequence<uint32_t, kIndex...>) {
    return {{FloatTile<kC0, exact, Vec::kRows, kIndex + 1>...}, FloatTile<kC0, exact, 1, 1>};
}

template <uint32_t kC0, bool exact>
void FloatProduct(void* c, const float* a, const float* b, const MatrixShape& shape) {
    static constexpr auto kTiles =
        FloatTiles<kC0, exact>(std::make_integer_sequence<uint32_t, Vec::kPanels>());
    const size_t rows = (shape.k + kC0 - 1) / kC0 * size_t{kC0};
    WalkTiles<float, kC0>(c, a, b, rows * kSide * sizeof(float), shape, kTiles);
}

/// Repacks B to panels of 16 columns, in the order of k; `convert` transposes one fractal.
template <uint32_t kC0, typename T, typename Convert>
void PackFloats(float* dst, const T* src, const MatrixShape& shape, Convert convert) {
    const uint32_t fractals = (shape.k + kC0 - 1) / kC0;
    const uint32_t panels = Fractals(shape.n);
    for (uint32_t panel = 0; panel < panels; ++panel) {
        for (uint32_t f = 0; f < fractals; ++f) {
            convert(dst + (size_t{panel} * fractals + f) * kC0 * kSide,
                    src + (size_t{f} * panels + panel) * kC0 * kSide);
        }
    }
}

/// Calls Widen out of line, because compilers warn about its last loop if they know the count.
template <typename T>
__attribute__((noinline)) void WidenAll(float* dst, const T* src, size_t count) {
    Widen(dst, src, count);
}

template <typename T, bool exact>
void Product16(void* c, const void* a, const void* b, const MatrixShape& shape,
               MatrixScratch& scratch) {
    auto* left = reinterpret_cast<float*>(scratch.a);
    auto* right = reinterpret_cast<float*>(scratch.b);
    WidenAll(left, static_cast<const T*>(a), CountA(shape, 16));
    PackFloats<16>(right, static_cast<const T*>(b), shape, [](float* dst, const T* src) {
        alignas(64) T turned[16 * kSide];
        TransposeBlock<uint16_t, kSide, 16>(turned, kSide * sizeof(T), src, 16 * sizeof(T));
        WidenAll(dst, turned, 16 * kSide);
    });
    FloatProduct<16, exact>(c, left, right, shape);
}

inline void Turn32(float* dst, const float* src) {
    TransposeBlock<uint32_t, kSide, 8>(dst, kSide * sizeof(float), src, 8 * sizeof(float));
}

void Product32(void* c, const void* a, const void* b, const MatrixShape& shape,
               MatrixScratch& scratch) {
    auto* right = reinterpret_cast<float*>(scratch.b);
    PackFloats<8>(right, static_cast<const float*>(b), shape, Turn32);
    FloatProduct<8, false>(c, static_cast<const float*>(a), right, shape);
}

/// Rounds the mantissa to 11 bits. Infinity stays infinity, and NaN stays NaN.
template <bool toEven>
inline uint32_t RoundHf32(uint32_t bits) {
    const uint32_t half = toEven ? 0x7FFU + (bits >> 12 & 1U) : 0x7FFU;
    const uint32_t rounded = (bits + half) & 0xFFFFF000U;
    const bool special = (bits & 0x7F800000U) == 0x7F800000U;
    const uint32_t kept = (bits & 0x7FFFFFU) != 0 ? bits | 0x400000U : bits;
    return special ? kept & 0xFFFFF000U : rounded;
}

template <bool toEven>
void RoundAll(float* dst, const void* src, size_t count) {
    const auto* from = static_cast<const uint32_t*>(src);
    auto* to = reinterpret_cast<uint32_t*>(dst);
    for (size_t i = 0; i < count; ++i) {
        to[i] = RoundHf32<toEven>(from[i]);
    }
}

template <bool toEven>
void ProductHf32(void* c, const void* a, const void* b, const MatrixShape& shape,
                 MatrixScratch& scratch) {
    auto* left = reinterpret_cast<float*>(scratch.a);
    auto* right = reinterpret_cast<float*>(scratch.b);
    RoundAll<toEven>(left, a, CountA(shape, 8));
    PackFloats<8>(right, static_cast<const float*>(b), shape, [](float* dst, const float* src) {
        Turn32(dst, src);
        RoundAll<toEven>(dst, dst, 8 * kSide);
    });
    FloatProduct<8, false>(c, left, right, shape);
}

}  // namespace

TWIN_LANES_TABLE(MatrixFloatTable, MatrixFloatLanes,
                 {Product16<F16, true>, Product16<Bf16, false>, Product32, ProductHf32<true>,
                  ProductHf32<false>})
