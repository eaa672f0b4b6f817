// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cinttypes>
#include <cstring>

#include "device/fill/engine.h"
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

/// Counter mode means something else to Copy than to the rest: the register holds the elements of
/// each repeat, which may be more than 256 B, and the repeat count counts.
void CopyCounted(Core& core, Dtype dtype, const vec::VecOperand* operands, uint32_t repeats) {
    const uint32_t size = SizeOf(dtype);
    const uint64_t bytes = core.mask.low * size;
    if (bytes == 0 || repeats == 0) {
        return;
    }
    if (core.mask.low > core.ubBytes) {
        Fail("T402", "count out of range: Copy of %" PRIu64 " elements in counter mode",
             core.mask.low);
    }
    const uint64_t last = (bytes - 1) / kBlockBytes;
    Instruction instruction;
    instruction.pipe = Pipe::V;
    instruction.opcode = "Copy";
    instruction.dtype = dtype;
    instruction.repeats = repeats;
    instruction.elements = core.mask.low * repeats;
    for (uint32_t i = 0; i < 2; ++i) {
        const uint64_t step = uint64_t{operands[i].repeatStride} * kBlockBytes;
        const uint64_t one =
            last * operands[i].blockStride * kBlockBytes + (bytes - last * kBlockBytes);
        CheckOperand(core, operands[i].place, (repeats - 1) * step + one, kBlockBytes, "Copy",
                     operands[i].name);
        ByteRange range = core.Local(Memory::Ub, operands[i].place.address, one, i == 0);
        range.count = repeats;
        range.stride = step;
        instruction.Add(range);
    }
    if (core.Recording()) {
        core.Record(instruction);
    }
    for (uint32_t repeat = 0; repeat < repeats; ++repeat) {
        uint8_t* at[2];
        for (uint32_t i = 0; i < 2; ++i) {
            at[i] = core.ub + operands[i].place.address +
                    uint64_t{repeat} * operands[i].repeatStride * kBlockBytes;
        }
        for (uint64_t block = 0; block <= last; ++block) {
            std::memmove(at[0] + block * operands[0].blockStride * kBlockBytes,
                         at[1] + block * operands[1].blockStride * kBlockBytes,
                         std::min<uint64_t>(kBlockBytes, bytes - block * kBlockBytes));
        }
    }
}

}  // namespace

void RunCopy(Dtype dtype, const Operand& dst, const Operand& src, const vec::Extent& extent,
             const AscendC::CopyRepeatParams& strides, Location where) {
    Core& core = Self();
    if (!core.BeginOn(CoreKind::Aiv, where)) {
        return;
    }
    const vec::VecOperand operands[] = {
        {"dst", dst, dtype, strides.dstStride,
         RepeatStride(core, "dstRepeatSize", strides.dstRepeatSize), true},
        {"src", src, dtype, strides.srcStride,
         RepeatStride(core, "srcRepeatSize", strides.srcRepeatSize), false}};
    if (core.mask.counter) {
        if (extent.form == vec::Extent::Form::MaskCount) {
            core.mask.low = extent.count;
            core.mask.high = 0;
        } else if (extent.form == vec::Extent::Form::MaskBits) {
            core.mask.low = extent.low;
            core.mask.high = extent.high;
        }
        CopyCounted(core, dtype, operands, extent.repeats);
        return;
    }
    vec::Plan plan;
    if (vec::Prepare(core, "Copy", operands, 2, extent, &plan)) {
        const uint32_t size = SizeOf(dtype);
        vec::Walk(core, operands, 2, plan,
                  [size](uint8_t* const* p, uint64_t n) { std::memmove(p[0], p[1], n * size); });
    }
}

}  // namespace twin::fill
