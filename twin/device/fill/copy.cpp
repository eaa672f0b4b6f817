// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cinttypes>
#include <cstring>
#include <iterator>

#include "device/fill/patterns.h"
#include "device/issue/issue.h"
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

/// Executes a Copy in counter mode. Unlike in other instructions, the mask register counts the
/// elements of each repeat, and the repeat count has an effect. A repeat may exceed 256 B.
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
    issue.Work((bytes + kRepeatBytes - 1) / kRepeatBytes * repeats, core.mask.low * repeats);
    issue.Reads(Register::Mask);
    // Lists the pieces of an operand: in each repeat, the whole blocks, then an incomplete block.
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
    issue.Ready();
    const auto move = [&](const auto& places) {
        uint8_t* dst = places.Of(Memory::Ub, to);
        const uint8_t* src = places.Of(Memory::Ub, from);
        for (uint32_t repeat = 0; repeat < repeats; ++repeat) {
            for (uint64_t block = 0; block <= last; ++block) {
                std::memmove(dst + block * operands[0].blockStride * kBlockBytes,
                             src + block * operands[1].blockStride * kBlockBytes,
                             std::min<uint64_t>(kBlockBytes, bytes - block * kBlockBytes));
            }
            dst += uint64_t{operands[0].repeatStride} * kBlockBytes;
            src += uint64_t{operands[1].repeatStride} * kBlockBytes;
        }
    };
    issue.Moves(move);
    issue.Done();
}

constexpr uint32_t kBlocks = kRepeatBytes / kBlockBytes;

uint64_t BlockStride(const Core& core, uint16_t stride) {
    if (stride == 0 && core.strict) {
        Fail("T426",
             "undefined stride: Brcb with dstBlkStride 0; the chip's result is undefined\n  try: "
             "dstBlkStride 1 for blocks behind one another");
    }
    return stride == 0 ? 1 : stride;
}

template <typename T>
void Spread(uint8_t* dst, const uint8_t* src, uint32_t repeats, uint64_t step, uint64_t block) {
    for (uint32_t i = 0; i < repeats * kBlocks; ++i) {
        T value;
        std::memcpy(&value, src + i * sizeof(T), sizeof(T));
        T row[kBlockBytes / sizeof(T)];
        std::fill(std::begin(row), std::end(row), value);
        std::memcpy(dst + i / kBlocks * step + i % kBlocks * block, row, sizeof(row));
    }
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

void RunBrcb(Dtype dtype, const Operand& dst, const Operand& src, uint8_t repeats,
             const AscendC::BrcbRepeatParams& strides, Location where) {
    Issue issue(Opcode::Brcb, CoreKind::Aiv, where);
    if (!issue) {
        return;
    }
    Core& core = issue.core();
    core.mask.low = core.mask.high = UINT64_MAX;  // the library first sets the whole mask
    issue.Writes(Register::Mask);
    if (repeats == 0) {
        return;
    }
    const uint32_t size = SizeOf(dtype);
    const uint64_t block = BlockStride(core, strides.dstBlkStride) * kBlockBytes;
    const uint64_t step = uint64_t{strides.dstRepStride} * kBlockBytes;
    issue.Type(dtype);
    issue.Work(repeats, uint64_t{repeats} * kRepeatBytes / size);
    uint8_t* to = issue.Write(Arg::Dst, dst, Memory::Ub,
                              Runs{kBlockBytes, {kBlocks, block}, {repeats, step}});
    const uint8_t* from = issue.Read(  // one element fills a block of dst
        Arg::Src0, src, Memory::Ub,
        Runs{size, {kBlockBytes / size, 0}, {uint64_t{repeats} * kBlocks, size}});
    issue.Ready(Overlap::Apart);
    const auto spread = size == 2 ? Spread<uint16_t> : Spread<uint32_t>;
    spread(to, from, repeats, step, block);
    issue.Done();
}

}  // namespace twin::fill
