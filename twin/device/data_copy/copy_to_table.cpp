// SPDX-License-Identifier: Apache-2.0
#include "device/data_copy/copy_to_table.h"

#include <cstring>

#include "device/issue/issue.h"
#include "device/lanes/cast.h"

namespace twin::copy {
namespace {

constexpr char kApi[] = "DataCopy from L1";
constexpr uint32_t kBiasBlock = 64;
constexpr uint32_t kFixpipeBlock = 128;

}  // namespace

uint32_t TableBlock(const Operand& dst) {
    return MemoryOf(dst.position) == Memory::Fb ? kFixpipeBlock : kBiasBlock;
}

void CopyToTable(const Operand& dst, const Operand& src, const AscendC::DataCopyParams& params,
                 bool widen, Location where) {
    const Memory memory = MemoryOf(dst.position);
    const bool bias = memory == Memory::Bt;
    Issue issue(bias ? Opcode::DataCopyToBt : Opcode::DataCopyToFb, CoreKind::Aic, where);
    issue.Called(kApi);
    if (memory != Memory::Fb || widen) {
        RequireMemory(dst, Memory::Bt, kApi, "dst");
    }
    RequireMemory(src, Memory::L1, kApi, "src");
    if (!issue || params.blockCount == 0 || params.blockLen == 0) {
        return;
    }
    if (params.blockCount != 1) {
        Fail("T455",
             "not modelled: %s to %s of %u blocks, expected 1; documents contradict each other "
             "about the gaps\n  try: one DataCopy per block",
             kApi, Name(memory), params.blockCount);
    }
    const uint32_t block = TableBlock(dst);
    const uint64_t bytes = uint64_t{params.blockLen} * block;
    const uint64_t srcBytes = widen ? bytes / 2 : bytes;
    issue.Type(widen ? Dtype::F32 : Dtype::U8);
    issue.Work(1, widen ? bytes / 4 : bytes);
    uint8_t* to = issue.Write(Arg::Dst, dst, memory, Runs{bytes}, block);
    const uint8_t* from = issue.Read(Arg::Src, src, Memory::L1, Runs{srcBytes}, kBlockBytes);
    if (!issue.Ready()) {
        return;
    }
    if (widen) {
        const auto row = static_cast<size_t>(Dtype::F32);
        lanes::BestCasts().cast[row][static_cast<size_t>(Dtype::F16)](to, from, srcBytes / 2,
                                                                      lanes::Round::None);
    } else {
        std::memcpy(to, from, bytes);
    }
    const auto follow = [&](ByteMarks& marks) {
        const uint8_t* const source = marks.Of(Memory::L1, from);
        uint8_t* const target = marks.Of(memory, to);
        for (uint64_t i = 0; i < bytes; ++i) {
            target[i] = source[widen ? i / 4 * 2 : i];  // a half becomes a float
        }
    };
    issue.Follow(follow);
    issue.Done();
}

}  // namespace twin::copy
