// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_CUBE_PRODUCT_H
#define TWIN_DEVICE_CUBE_PRODUCT_H

#include "core/core.h"
#include "device/cube/params.h"
#include "device/lanes/matrix.h"

namespace twin::cube {

/// A product of two matrices. It is described once: its result in L0C and the marks of that result
/// both follow from this description.
struct Product {
    Dtype dtype;
    lanes::MatrixShape shape;
    uint8_t* c;                      ///< in L0C
    const uint8_t* a;                ///< in L0A
    const uint8_t* b;                ///< in L0B
    const uint8_t* bias = nullptr;   ///< where the sums start from, if neither from C nor from zero
    Memory biasMemory = Memory::Bt;  ///< Bt: one row for all rows; L0c: a whole matrix
    const int8_t* fullB = nullptr;   ///< of a sparse product: B with its zeros

    /// Computes C. Saturates it where CTRL[48] asks for it, and poisons what lies beyond m and n.
    void Compute(const Core& core) const;
    /// Gives every element of C the mark of what it was made of.
    void Mark(const ByteMarks& marks) const;

private:
    /// Writes the values, or the marks, from which the sums start.
    void Start(uint8_t* to, const uint8_t* from) const;
};

/// Refuses sizes that do not fit their fields; returns true if there is nothing to multiply.
bool IsEmpty(const char* api, const AscendC::MmadParams& params);

}  // namespace twin::cube

#endif  // TWIN_DEVICE_CUBE_PRODUCT_H
