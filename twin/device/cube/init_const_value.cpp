// SPDX-License-Identifier: Apache-2.0
#include "device/cube/init_const_value.h"

#include "device/cube/fractals.h"

namespace twin::cube {

void FillBlocks(const Operand& dst, uint32_t repeats, uint32_t blocks, uint32_t gap,
                uint32_t pattern, Dtype dtype, Location where) {
    static constexpr char kApi[] = "InitConstValue";  // records keep this pointer
    constexpr uint32_t kLimit = 32767;
    const Memory memory = MemoryOf(dst.position);
    Issue issue({Opcode::InitConstValue, memory == Memory::L1 ? Pipe::Mte2 : Pipe::Mte1},
                CoreKind::Aic, where);
    if (!issue) {
        return;
    }
    if (memory != Memory::L0a && memory != Memory::L0b) {
        RequireMemory(dst, Memory::L1, kApi, "dst");
    }
    CheckRange(kApi, "repeatTimes", repeats, 0, kLimit);
    CheckRange(kApi, "blockNum", blocks, 0, kLimit);
    CheckRange(kApi, "dstGap", gap, 0, kLimit);
    if (repeats != 0 && blocks == 0 && issue.core().strict) {
        Fail("T459",
             "nothing to fill: %s with repeatTimes %u and blockNum 0 does nothing on this chip\n  "
             "try: InitConstValueParams(repeatTimes, blockNum, dstGap, value)",
             kApi, repeats);
    }
    if (repeats == 0 || blocks == 0) {
        return;
    }
    const uint32_t block = memory == Memory::L1 ? kRowBytes : kFractalBytes;
    const uint64_t bytes = uint64_t{blocks} * block;
    const uint64_t stride = bytes + uint64_t{gap} * block;
    issue.Type(dtype);
    issue.Work(repeats, repeats * bytes / SizeOf(dtype));
    uint8_t* to = issue.Write(Arg::Dst, dst, memory, Runs{bytes, {}, {repeats, stride}}, block);
    if (!issue.Ready()) {
        return;
    }
    for (uint32_t i = 0; i < repeats; ++i) {
        std::fill_n(reinterpret_cast<uint32_t*>(to + i * stride), bytes / sizeof(uint32_t),
                    pattern);
    }
    issue.Done();
}

}  // namespace twin::cube
