// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cinttypes>
#include <cstring>

#include "device/fill/patterns.h"
#include "device/vec/walk.h"

namespace twin::fill {
namespace {

constexpr uint32_t kMaxRepeatStride = 4095;  // the field has 12 bits

uint32_t RepeatStride(const Core& core, const char* name, uint32_t stride) {
    if (stride > kMaxRepeatStride && core.strict) {
        Fail("T427", "stride out of range: Copy with %s %u, the chip's field holds 0..%u", name,
             stride, kMaxRepeatStride);
    }
    return stride & kMaxRepeatStride;
}

/// Counter mode differs for Copy: the register holds the number of elements of each repeat, which
/// may exceed 256 B, and the repeat count counts.
void CopyCounted(Issue& issue, Dtype dtype, vec::VecOperand* operands, uint32_t repeats) {
    const Core& core = issue.core();
    const uint32_t size = SizeOf(dtype);
    const uint64_t bytes = core.mask.low * size;
    if (bytes == 0 || repeats == 0) {
        return;
    }
    if (core.mask.low > core.UbBytes()) {
        Fail("T402", "count out of range: Copy of %" PRIu64 " elements in counter mode",
             core.mask.low);
    }
    const uint64_t last = (bytes - 1) / kBlockBytes;
    issue.Type(dtype);
    const uint64_t passes = (bytes + kRepeatBytes - 1) / kRepeatBytes;
    issue.Work(static_cast<uint32_t>(passes * repeats), core.mask.low * repeats);
    issue.Reads(Register::Mask);
    // Copies whole blocks, and after them the rest.
    const auto pieces = [&](const vec::VecOperand& operand) {
        return [&operand, last, bytes, repeats](const PieceVisitor& visit) {
            for (uint32_t repeat = 0; repeat < repeats; ++repeat) {
                for (uint64_t block = 0; block <= last; ++block) {
                    visit(repeat,
                          operand.place.address +
                              uint64_t{repeat} * operand.repeatStride * kBlockBytes +
                              block * operand.blockStride * kBlockBytes,
                          std::min<uint64_t>(kBlockBytes, bytes - block * kBlockBytes));
                }
            }
        };
    };
    const auto dstPieces = pieces(operands[0]);
    const auto srcPieces = pieces(operands[1]);
    const auto frame = [&](const vec::VecOperand& operand) {
        return Runs{kBlockBytes,
                    {last + 1, uint64_t{operand.blockStride} * kBlockBytes},
                    {repeats, uint64_t{operand.repeatStride} * kBlockBytes}};
    };
    const auto span = [&](const vec::VecOperand& operand) {
        return frame(operand).Span() - (kBlockBytes - (bytes - last * kBlockBytes));
    };
    uint8_t* to = issue.Write(Arg::Dst, operands[0].place, Memory::Ub, frame(operands[0]),
                              span(operands[0]), dstPieces);
    const uint8_t* from = issue.Read(Arg::Src, operands[1].place, Memory::Ub, frame(operands[1]),
                                     span(operands[1]), srcPieces);
    if (!issue.Ready()) {
        return;
    }
    for (uint32_t repeat = 0; repeat < repeats; ++repeat) {
        uint8_t* dst = to + uint64_t{repeat} * operands[0].repeatStride * kBlockBytes;
        const uint8_t* src = from + uint64_t{repeat} * operands[1].repeatStride * kBlockBytes;
        for (uint64_t block = 0; block <= last; ++block) {
            std::memmove(dst + block * operands[0].blockStride * kBlockBytes,
                         src + block * operands[1].blockStride * kBlockBytes,
                         std::min<uint64_t>(kBlockBytes, bytes - block * kBlockBytes));
        }
    }
    issue.Done();
}

}  // namespace

void RunCopy(Dtype dtype, const Operand& dst, const Operand& src, const vec::Extent& extent,
             const AscendC::CopyRepeatParams& strides, Location where) {
    Issue issue(Opcode::Copy, CoreKind::Aiv, where);
    if (!issue) {
        return;
    }
    Core& core = issue.core();
    vec::VecOperand operands[] = {
        {Arg::Dst, dst, dtype, strides.dstStride,
         RepeatStride(core, "dstRepeatSize", strides.dstRepeatSize), true},
        {Arg::Src, src, dtype, strides.srcStride,
         RepeatStride(core, "srcRepeatSize", strides.srcRepeatSize), false}};
    if (core.mask.counter) {
        if (extent.form == vec::Extent::Form::MaskCount) {
            core.mask.low = extent.count;
            core.mask.high = 0;
        } else if (extent.form == vec::Extent::Form::MaskBits) {
            core.mask.low = extent.low;
            core.mask.high = extent.high;
        }
        CopyCounted(issue, dtype, operands, extent.repeats);
        return;
    }
    vec::Plan plan;
    if (vec::Prepare(issue, operands, 2, extent, &plan)) {
        const uint32_t size = SizeOf(dtype);
        vec::Walk(operands, 2, plan,
                  [size](uint8_t* const* p, uint64_t n) { std::memmove(p[0], p[1], n * size); });
        issue.Done();
    }
}

}  // namespace twin::fill
