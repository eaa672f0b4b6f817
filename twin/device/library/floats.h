// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_LIBRARY_FLOATS_H
#define TWIN_DEVICE_LIBRARY_FLOATS_H

#include <cstddef>
#include <cstdint>

#include "core/types.h"
#include "device/lanes/cast.h"

// Steps on rows of floats, as the library's functions take them between the buffers of their
// element type. Same bits on every host.
namespace twin::advanced {

/// `elements` of half or float as floats.
void Load(float* row, const uint8_t* src, Dtype dtype, size_t elements);
/// Floats as half, rounded, or as they are.
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
/// x to the power of -0.5 by way of the logarithm, which some functions prefer.
float RsqrtByLn(float x);
/// 1 / sqrt(x)
float Rsqrt(float x);
float SumOf(const float* row, size_t elements);
float MaxOf(const float* row, size_t elements);
/// The larger of two, NaN if one is.
float Larger(float a, float b);

/// Memory for rows, kept between calls. `slot` is one of kSlots buffers; a slot's earlier pointer
/// is void after the next call for it. No call of the core's may stand in between.
constexpr uint32_t kSlots = 5;
float* Row(uint32_t slot, size_t elements);

}  // namespace twin::advanced

#endif  // TWIN_DEVICE_LIBRARY_FLOATS_H
