// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/types.h"
#include "device/lanes/arithmetic.h"

// Steps on rows of floats, which the library's functions take between the buffers of their element
// type. Every host gives the same bits.
namespace twin::advanced {

// Columns of the tables of lanes.
constexpr auto kF16 = static_cast<size_t>(Dtype::F16);
constexpr auto kF32 = static_cast<size_t>(Dtype::F32);

/// Reads `elements` of half or float as floats.
void Load(float* row, const uint8_t* src, Dtype dtype, size_t elements);
/// Stores floats as half, rounded, or unchanged.
void Store(uint8_t* dst, Dtype dtype, const float* row, size_t elements,
           lanes::Round round = lanes::Round::Rint);
float LoadOne(const uint8_t* src, Dtype dtype, size_t index);
void StoreOne(uint8_t* dst, Dtype dtype, size_t index, float value,
              lanes::Round round = lanes::Round::Rint);

void Exp(float* dst, const float* src, size_t elements);
void Ln(float* dst, const float* src, size_t elements);
void Add(float* dst, const float* a, const float* b, size_t elements);
void Sub(float* dst, const float* a, const float* b, size_t elements);
void Mul(float* dst, const float* a, const float* b, size_t elements);
void Adds(float* dst, const float* src, float scalar, size_t elements);
void Muls(float* dst, const float* src, float scalar, size_t elements);
/// dst[i] = src[i] / scalar
void Divs(float* dst, const float* src, float scalar, size_t elements);
float ExpOf(float x);
float LnOf(float x);
/// Computes x to the power of -0.5 with the logarithm, which some functions use.
float RsqrtByLn(float x);
/// 1 / sqrt(x)
float Rsqrt(float x);
float SumOf(const float* row, size_t elements);
float MaxOf(const float* row, size_t elements);
/// Returns the larger of two, or NaN if one is NaN.
float Larger(float a, float b);

/// Memory for rows, kept between calls. `slot` is one of kSlots buffers; the next call for a slot
/// makes its earlier pointer invalid. No call of the core may come in between.
constexpr uint32_t kSlots = 5;
float* Row(uint32_t slot, size_t elements);

}  // namespace twin::advanced
