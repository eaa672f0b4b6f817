// SPDX-License-Identifier: Apache-2.0
#include "device/normalization/rows.h"

#include "device/library/call.h"
#include "device/library/floats.h"

namespace twin::norm {

void CheckPadding(const advanced::Call& call, const char* name, const float* row,
                  const RowShape& shape) {
    if (!call.core().strict) {
        return;
    }
    for (uint32_t i = shape.valid; i < shape.pitch; ++i) {
        if (row[i] != 0) {
            Fail(
                "T721",
                "padding counts: %s adds up whole rows of %s, %u elements of which %u are valid, "
                "and "
                "element %u is %g\n  try: zeros behind the valid elements, by Duplicate before the "
                "copy or by the padding of DataCopyPad",
                call.api(), name, shape.pitch, shape.valid, i, static_cast<double>(row[i]));
        }
    }
}

void CheckShape(const advanced::Call& call, bool sound, uint32_t rows, const RowShape& shape,
                Dtype dtype, const char* rule) {
    const bool padded = shape.pitch > 0 && shape.pitch * SizeOf(dtype) % kBlockBytes == 0 &&
                        shape.valid > 0 && shape.valid <= shape.pitch;
    if (sound && padded && rows > 0) {
        return;
    }
    Fail("T703",
         "shape not taken: %s of %u rows of %u %s, %u of them valid; rows are multiples of 32 "
         "B%s%s\n"
         "  try: the tiling that the host makes for this shape",
         call.api(), rows, shape.pitch, Name(dtype), shape.valid, sound ? "" : ", ",
         sound ? "" : rule);
}

Moments Center(float* x, uint32_t elements, uint32_t count, float share) {
    float* products = advanced::Row(1, elements);
    Moments moments;
    advanced::Muls(products, x, share, count);
    moments.mean = advanced::SumOf(products, count);
    advanced::Adds(x, x, -moments.mean, elements);
    advanced::Mul(products, x, x, count);
    advanced::Muls(products, products, share, count);
    moments.variance = advanced::SumOf(products, count);
    return moments;
}

const float* Weights(const uint8_t* from, Dtype dtype, uint32_t slot, uint32_t elements) {
    if (from == nullptr) {
        return nullptr;
    }
    float* row = advanced::Row(slot, elements);
    advanced::Load(row, from, dtype, elements);
    return row;
}

void Scale(float* x, uint32_t elements, float scale, const float* gamma, const float* beta) {
    advanced::Muls(x, x, scale, elements);
    if (gamma != nullptr) {
        advanced::Mul(x, x, gamma, elements);
    }
    if (beta != nullptr) {
        advanced::Add(x, x, beta, elements);
    }
}

}  // namespace twin::norm
