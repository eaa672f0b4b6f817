// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "device/issue/operand.h"
#include "device/lanes/arithmetic.h"
#include "device/tensor/local_tensor.h"
#include "device/types/enums.h"
#include "device/types/parameters.h"

namespace AscendC {

/// Strides of an instruction with one source, in blocks of 32 B: between the blocks of a repeat,
/// and between repeats.
struct UnaryRepeatParams {
    TWIN_DEFAULT(UnaryRepeatParams)
    TWIN_CONSTRUCTOR(UnaryRepeatParams, (uint16_t, dstBlkStride), (uint16_t, srcBlkStride),
                     (twin::Narrow8, dstRepStride), (twin::Narrow8, srcRepStride),
                     (bool, halfBlock, = false))

    TWIN_MEMBERS((uint32_t, blockNumber, DEFAULT_BLK_NUM),
                 (uint16_t, dstBlkStride, DEFAULT_BLK_STRIDE),
                 (uint16_t, srcBlkStride, DEFAULT_BLK_STRIDE),
                 (uint8_t, dstRepStride, DEFAULT_REPEAT_STRIDE),
                 (uint8_t, srcRepStride, DEFAULT_REPEAT_STRIDE), (bool, repeatStrideMode, false),
                 (bool, strideSizeMode, false), (bool, halfBlock, false))
};

/// Strides of an instruction with two sources, in blocks of 32 B. All these strides have 8 bits.
struct BinaryRepeatParams {
    TWIN_DEFAULT(BinaryRepeatParams)
    TWIN_CONSTRUCTOR(BinaryRepeatParams, (twin::Narrow8, dstBlkStride),
                     (twin::Narrow8, src0BlkStride), (twin::Narrow8, src1BlkStride),
                     (twin::Narrow8, dstRepStride), (twin::Narrow8, src0RepStride),
                     (twin::Narrow8, src1RepStride))

    TWIN_MEMBERS((uint32_t, blockNumber, DEFAULT_BLK_NUM),
                 (uint8_t, dstBlkStride, DEFAULT_BLK_STRIDE),
                 (uint8_t, src0BlkStride, DEFAULT_BLK_STRIDE),
                 (uint8_t, src1BlkStride, DEFAULT_BLK_STRIDE),
                 (uint8_t, dstRepStride, DEFAULT_REPEAT_STRIDE),
                 (uint8_t, src0RepStride, DEFAULT_REPEAT_STRIDE),
                 (uint8_t, src1RepStride, DEFAULT_REPEAT_STRIDE), (bool, repeatStrideMode, false),
                 (bool, strideSizeMode, false))
};

}  // namespace AscendC

namespace twin {

class Issue;

}  // namespace twin

namespace twin::vec {

/// The mask argument of a call: a number of elements, or an array of mask bits. `Bits` is uint64_t
/// or const uint64_t, as the API declares the array.
template <typename Bits>
struct MaskArgument {
    template <typename Count, std::enable_if_t<std::is_convertible_v<Count, uint64_t>, bool> = true>
    MaskArgument(Count elements) : count(static_cast<uint64_t>(elements)) {}
    MaskArgument(Bits* mask) : bits(mask), hasBits(true) {}

    uint64_t count = 0;
    Bits* bits = nullptr;
    bool hasBits = false;
};
using Mask = MaskArgument<uint64_t>;
using ConstMask = MaskArgument<const uint64_t>;

/// Says how an instruction selects its elements: by a count of contiguous elements, or by repeats
/// with a mask.
struct Extent {
    enum class Form : uint8_t { Count, MaskCount, MaskBits, MaskRegister };
    Form form = Form::Count;
    uint64_t count = 0;  ///< Count: number of elements; MaskCount: elements per repeat
    uint64_t low = 0;    ///< MaskBits: mask of elements 0 to 63 of a repeat
    uint64_t high = 0;   ///< MaskBits: mask of elements 64 to 127
    uint32_t repeats = 0;

    static Extent Elements(int64_t count) {
        Extent extent;
        extent.count = count < 0 ? UINT64_MAX : static_cast<uint64_t>(count);
        return extent;
    }
    /// Returns the extent for a count. Without `setMask`, the mask register selects the elements.
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
    template <typename Bits>
    static Extent Mask(const MaskArgument<Bits>& mask, uint8_t repeats, bool setMask) {
        return mask.hasBits ? Mask(mask.bits, repeats, setMask)
                            : Mask(mask.count, repeats, setMask);
    }
};

inline constexpr uint8_t kBitWidths[kDtypeCount] = {16, 16, 32, 8,  8, 16, 16,
                                                    32, 32, 64, 64, 4, 64, 8};
/// Returns the number of bits of an element.
constexpr uint32_t BitWidth(Dtype dtype) { return kBitWidths[static_cast<uint32_t>(dtype)]; }

/// Runs an arithmetic instruction with two sources; error messages use the name `api`.
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

constexpr uint64_t kScratchBegin = 184U << 10;  ///< start of the scratch region: TMP_UB_OFFSET
constexpr uint64_t kScratchBytes = 8U << 10;

/// Overwrites `bytes` bytes of the scratch region at the end of UB with zeros, as the instruction
/// does. Fails in strict mode if a buffer of the kernel is in this region (T415).
void UseScratch(Issue& issue, uint64_t bytes);

}  // namespace twin::vec
