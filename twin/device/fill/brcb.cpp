// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <iterator>

#include "device/fill/patterns.h"
#include "device/issue/issue.h"

namespace twin::fill {
namespace {

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

void RunBrcb(Dtype dtype, const Operand& dst, const Operand& src, uint8_t repeats,
             const AscendC::BrcbRepeatParams& strides, Location where) {
    Issue issue(Opcode::Brcb, CoreKind::Aiv, where);
    if (!issue) {
        return;
    }
    Core& core = issue.core();
    core.mask.low = core.mask.high = UINT64_MAX;  // the library resets the mask first
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
    const uint8_t* from =
        issue.Read(Arg::Src0, src, Memory::Ub, Runs{uint64_t{repeats} * kBlocks * size});
    if (!issue.Ready(Overlap::Apart)) {
        return;
    }
    const auto spread = size == 2 ? Spread<uint16_t> : Spread<uint32_t>;
    spread(to, from, repeats, step, block);
    issue.Done();
}

}  // namespace twin::fill
