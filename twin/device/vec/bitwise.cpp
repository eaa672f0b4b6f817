// SPDX-License-Identifier: Apache-2.0
#include "device/vec/bitwise.h"

namespace twin::vec {

void RunBitwise32(const char* api, lanes::BinaryOp op, const Operand& dst, const Operand& src0,
                  const Operand& src1, int32_t count, Location where) {
    Core& core = Self();
    core.Begin(where);
    if (core.strict) {
        Fail("T409",
             "half of the tensor: %s of %d 32-bit elements; the chip's library takes the count for "
             "16-bit elements and"
             " leaves the second half out\n  try: ReinterpretCast<int16_t>() and twice the count",
             api, count);
    }
    RunBinary(api, op, Dtype::I16, dst, src0, src1, Extent::Elements(count),
              AscendC::BinaryRepeatParams(), where);
}

}  // namespace twin::vec
