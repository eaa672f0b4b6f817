// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_CUBE_FIXPIPE_MOVE_H
#define TWIN_DEVICE_CUBE_FIXPIPE_MOVE_H

#include "core/core.h"
#include "device/cube/fixpipe.h"
#include "device/cube/quant_words.h"

namespace twin::cube {

/// The destination of a copy out of L0C, and its layout.
struct Destination {
    const GmOperand* gm = nullptr;   ///< null: to L1
    const Operand* local = nullptr;  ///< null: to GM
    uint8_t* start = nullptr;        ///< host address of the first byte
};

/// Columns of one stripe of the fractal order: 8 if split, 32 of 8 bits, otherwise 16.
uint32_t StripeColumns(const CopyOut& out);
/// Converts and stores one matrix whose first fractal is at `src`; `offset` is in bytes of the
/// destination.
void MoveMatrix(Core& core, const CopyOut& out, const Destination& to, uint64_t offset,
                const uint8_t* src, const QuantLines* quant);

/// Sets the marks of one matrix in L1 from those of L0C at `src` and of the words of its columns;
/// null: none.
void MarkMatrix(uint8_t* dst, const CopyOut& out, const uint8_t* src, const uint8_t* words);

/// Makes the whole copy that the registers describe: checks, unit flags, matrices, record.
void RunCopyOut(Core& core, const CopyOut& out, Destination to, const Operand& src);

/// Refuses sizes, strides and modes that the pipe does not support; `withVector` means the form
/// with quantisation words in L1.
void CheckCopyOut(Core& core, const CopyOut& out, bool withVector);

}  // namespace twin::cube

#endif  // TWIN_DEVICE_CUBE_FIXPIPE_MOVE_H
