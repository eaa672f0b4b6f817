// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cinttypes>
#include <cstring>

#include "device/data_copy/blocks.h"
#include "device/data_copy/data_copy.h"
#include "device/data_copy/data_copy_slice.h"
#include "device/issue/issue.h"
#include "device/issue/range_list.h"
#include "device/lanes/arithmetic.h"

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

void CheckCount(const char* api, uint64_t bytes, uint32_t elementBytes) {
    const uint64_t count = bytes >> __builtin_ctz(elementBytes);
    if (__builtin_expect(count > INT32_MAX, 0)) {
        Fail("T408",
             "count out of range: %s of %d elements, of which the parameter's 32 bits make %" PRIu64
             "\n  try: no copy where nothing is left",
             api, static_cast<int32_t>(count), count);
    }
}

uint64_t WholeBlocks(const Core& core, const char* api, uint64_t bytes, uint32_t elementBytes) {
    CheckCount(api, bytes, elementBytes);
    const uint64_t tail = bytes % kBlockBytes;
    if (tail != 0 && core.strict) {
        Fail("T407",
             "length not a multiple of 32 B: %s of %" PRIu64
             " B; the chip silently drops the last %" PRIu64
             " B\n  try: DataCopyPad, which copies any number of bytes",
             api, bytes, tail);
    }
    return bytes - tail;
}

namespace {

constexpr uint32_t kStripe = 16;
constexpr uint32_t kRowsPerCopy = 4095;

/// Byte distances of one matrix.
struct Layout {
    uint64_t rows;
    uint64_t gmPitch;
    uint32_t stripeBytes;
};

void CopyStripe(GmOperand dst, Operand src, const Layout& layout, uint32_t elementBytes,
                Location where) {
    for (uint64_t row = 0; row < layout.rows; row += kRowsPerCopy) {
        AscendC::DataCopyExtParams params;
        params.blockCount =
            static_cast<uint16_t>(std::min<uint64_t>(kRowsPerCopy, layout.rows - row));
        params.blockLen = layout.stripeBytes;
        params.dstStride = static_cast<uint32_t>(layout.gmPitch) - layout.stripeBytes;
        CopyOutPad(dst, src, params, elementBytes, where);
        dst.address += kRowsPerCopy * layout.gmPitch;
        src = Advance(src, uint64_t{kRowsPerCopy} * layout.stripeBytes);
    }
}

}  // namespace

void CopyOutNz(const GmOperand& dst, const Operand& src, const AscendC::Nz2NdParamsFull& params,
               uint32_t elementBytes, Location where) {
    Core& core = Self();
    if (!core.BeginOn(CoreKind::Aiv, where)) {
        return;
    }
    if (params.dValue % kStripe != 0) {
        Fail("T408",
             "columns not whole stripes: DataCopy with Nz2NdParamsFull of %u columns, "
             "expected a multiple of 16",
             params.dValue);
    }
    if (params.dstDStride < kStripe) {
        Fail("T408",
             "rows overlap: DataCopy with Nz2NdParamsFull and dstDStride %u, expected at "
             "least 16",
             params.dstDStride);
    }
    const Steps steps(core, Opcode::DataCopy);
    const Layout layout = {params.nValue, uint64_t{params.dstDStride} * elementBytes,
                           kStripe * elementBytes};
    for (uint32_t matrix = 0; matrix < params.ndNum; ++matrix) {
        for (uint32_t stripe = 0; stripe < params.dValue / kStripe; ++stripe) {
            GmOperand to = dst;
            to.address +=
                (uint64_t{matrix} * params.dstNdMatrixStride + stripe * kStripe) * elementBytes;
            const uint64_t skip = (uint64_t{matrix} * params.srcNdMatrixStride * kStripe +
                                   uint64_t{stripe} * params.srcNStride) *
                                  kStripe * elementBytes;
            CopyStripe(to, Advance(src, skip), layout, elementBytes, where);
        }
    }
}

}  // namespace twin::copy
