// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_VEC_EXTENT_H
#define TWIN_DEVICE_VEC_EXTENT_H

#include <cstdint>

#include "device/lanes/arithmetic.h"
#include "device/tensor/local_tensor.h"
#include "device/vec/repeat_params.h"

namespace twin::vec {

/// How an instruction selects its elements: the contiguous form with a count, or repeats under a
/// mask.
struct Extent {
    enum class Form : uint8_t { Count, MaskCount, MaskBits, MaskRegister };
    Form form = Form::Count;
    uint64_t count = 0;  ///< elements (Count) or elements per repeat (MaskCount)
    uint64_t low = 0;    ///< MaskBits: elements 0..63 of a repeat
    uint64_t high = 0;   ///< MaskBits: elements 64..127
    uint32_t repeats = 0;

    static Extent Elements(int64_t count) {
        Extent extent;
        extent.count = count < 0 ? UINT64_MAX : static_cast<uint64_t>(count);
        return extent;
    }
    /// If a count form leaves the mask to the caller, it ignores its count.
    static Extent Elements(int64_t count, bool setMask) {
        return setMask ? Elements(count) : Mask(uint64_t{0}, 1, false);
    }
    static Extent Mask(uint64_t mask, uint8_t repeats, bool setMask) {
        Extent extent;
        extent.form = setMask ? Form::MaskCount : Form::MaskRegister;
        extent.count = mask;
        extent.repeats = repeats;
        return extent;
    }
    static Extent Mask(const uint64_t* mask, uint8_t repeats, bool setMask) {
        Extent extent;
        extent.form = setMask ? Form::MaskBits : Form::MaskRegister;
        if (setMask) {
            extent.low = mask[0];
            extent.high = mask[1];
        }
        extent.repeats = repeats;
        return extent;
    }
};

inline constexpr uint8_t kBitWidths[kDtypeCount] = {16, 16, 32, 8,  8, 16, 16,
                                                    32, 32, 64, 64, 4, 64, 8};
/// Number of bits of an element.
constexpr uint32_t BitWidth(Dtype dtype) { return kBitWidths[static_cast<uint32_t>(dtype)]; }

/// The arithmetic instructions; errors and records use the name `api`.
TWIN_API void RunBinary(Opcode api, lanes::BinaryOp op, Dtype dtype, const Operand& dst,
                        const Operand& src0, const Operand& src1, const Extent& extent,
                        const AscendC::BinaryRepeatParams& strides, Location where);
TWIN_API void RunUnary(Opcode api, lanes::UnaryOp op, Dtype dtype, const Operand& dst,
                       const Operand& src, const Extent& extent,
                       const AscendC::UnaryRepeatParams& strides, Location where);
TWIN_API void RunScalar(Opcode api, lanes::ScalarOp op, Dtype dtype, const Operand& dst,
                        const Operand& src, const void* scalar, const Extent& extent,
                        const AscendC::UnaryRepeatParams& strides, Location where);
TWIN_API void RunDuplicate(Dtype dtype, const Operand& dst, const void* scalar,
                           const Extent& extent, uint32_t blockStride, uint32_t repeatStride,
                           Location where);

}  // namespace twin::vec

#endif  // TWIN_DEVICE_VEC_EXTENT_H
