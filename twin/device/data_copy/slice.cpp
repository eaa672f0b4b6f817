// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cinttypes>
#include <cstring>
#include <vector>

#include "device/data_copy/blocks.h"
#include "device/data_copy/data_copy.h"
#include "device/data_copy/data_copy_slice.h"
#include "device/issue/issue.h"
#include "device/issue/operand.h"
#include "device/lanes/arithmetic.h"

namespace twin::copy {
namespace {

using AscendC::SliceInfo;

[[noreturn]] void RefuseSlice(const char* side, uint32_t dimension, const SliceInfo& slice,
                              const char* rule) {
    Fail("T445",
         "slice that does not add up: DataCopy %s dimension %u {start %u, end %u, stride %u, "
         "burstLen %u, shape %u}: %s",
         side, dimension, slice.startIndex, slice.endIndex, slice.stride, slice.burstLen,
         slice.shapeValue, rule);
}

/// Returns the lengths of the dimensions, from the slices or from the tensor's ShapeInfo.
std::vector<uint32_t> Lengths(const SliceInfo* slices, const AscendC::ShapeInfo& shape,
                              bool fromSlices, uint32_t dimensions) {
    std::vector<uint32_t> lengths(dimensions);
    for (uint32_t i = 0; i < dimensions; ++i) {
        lengths[i] = fromSlices ? slices[i].shapeValue : shape.shape[i];
    }
    return lengths;
}

void CheckSide(const Core& core, const char* side, const SliceInfo* slices,
               const std::vector<uint32_t>& lengths, uint32_t elementBytes) {
    for (uint32_t i = 0; i < lengths.size(); ++i) {
        const SliceInfo& slice = slices[i];
        if (slice.endIndex < slice.startIndex) {
            RefuseSlice(side, i, slice, "the end lies before the start");
        }
        if (!core.strict) {
            continue;
        }
        if (slice.endIndex >= lengths[i]) {
            RefuseSlice(side, i, slice, "the end lies outside the shape");
        }
        const uint64_t piece = i == 0 ? uint64_t{slice.burstLen} * kBlockBytes / elementBytes : 1;
        const uint64_t covered = uint64_t{slice.endIndex} - slice.startIndex + 1 + slice.stride;
        if (piece == 0 || covered % (piece + slice.stride) != 0) {
            RefuseSlice(side, i, slice, "end - start + 1 is not N pieces with N - 1 gaps");
        }
    }
}

/// Returns the element offsets of the selected rows; each includes startIndex of dimension 0.
std::vector<uint64_t> Rows(const SliceInfo* slices, const std::vector<uint32_t>& lengths) {
    std::vector<uint64_t> rows = {slices[0].startIndex};
    uint64_t pitch = 1;
    for (uint32_t i = 1; i < lengths.size(); ++i) {
        pitch *= lengths[i - 1];
        std::vector<uint64_t> next;
        for (uint64_t at = slices[i].startIndex; at <= slices[i].endIndex;
             at += uint64_t{slices[i].stride} + 1) {
            for (const uint64_t row : rows) {
                next.push_back(row + at * pitch);
            }
        }
        rows.swap(next);
    }
    return rows;
}

/// A sliced copy as a list of DataCopyPad calls, one for each row.
struct Plan {
    std::vector<uint64_t> dstRows;
    std::vector<uint64_t> srcRows;
    AscendC::DataCopyExtParams params;
};

Plan MakePlan(const Slices& slices, bool toGm) {
    const Core& core = Self();
    if (slices.dimensions == 0 || slices.dimensions > kMaxShapeDim) {
        Fail("T445", "dimensions out of range: DataCopy of %u sliced dimensions, expected 1 to %d",
             slices.dimensions, kMaxShapeDim);
    }
    const bool fromSlices = slices.src[0].shapeValue != 0;
    const auto dst = Lengths(slices.dst, slices.dstShape, fromSlices, slices.dimensions);
    const auto src = Lengths(slices.src, slices.srcShape, fromSlices, slices.dimensions);
    CheckSide(core, "dst", slices.dst, dst, slices.elementBytes);
    CheckSide(core, "src", slices.src, src, slices.elementBytes);
    Plan plan{Rows(slices.dst, dst), Rows(slices.src, src), {}};
    const SliceInfo& from = slices.src[0];
    const SliceInfo& to = slices.dst[0];
    if (core.strict &&
        (plan.dstRows.size() < plan.srcRows.size() || from.burstLen != to.burstLen)) {
        Fail(
            "T445",
            "slices differ: DataCopy of %zu rows in pieces of %u blocks into %zu rows in pieces of "
            "%u",
            plan.srcRows.size(), from.burstLen, plan.dstRows.size(), to.burstLen);
    }
    const uint32_t size = slices.elementBytes;
    const uint32_t ubGap = (toGm ? from : to).stride * size;
    if (core.strict && ubGap % kBlockBytes != 0) {
        RefuseSlice(toGm ? "src" : "dst", 0, toGm ? from : to,
                    "the gap in UB is no multiple of 32 B");
    }
    const uint64_t pieceElements = uint64_t{from.burstLen} * kBlockBytes / size + from.stride;
    plan.params.blockLen = from.burstLen * kBlockBytes;
    plan.params.blockCount = static_cast<uint16_t>(
        pieceElements == 0
            ? 0
            : (uint64_t{from.endIndex} - from.startIndex + 1 + from.stride) / pieceElements);
    plan.params.srcStride = toGm ? ubGap / kBlockBytes : from.stride * size;
    plan.params.dstStride = toGm ? to.stride * size : ubGap / kBlockBytes;
    return plan;
}

GmOperand Advance(const GmOperand& tensor, uint64_t bytes) { return tensor.At(bytes); }

constexpr char kApi[] = "DataCopy from L1";
constexpr uint32_t kBiasBlock = 64;
constexpr uint32_t kFixpipeBlock = 128;

constexpr uint32_t kStripe = 16;
constexpr uint32_t kRowsPerCopy = 4095;

/// The rows of one matrix: their number, their distance in GM and the width of a stripe, in bytes.
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

void CopyInSlices(const Operand& dst, const GmOperand& src, const Slices& slices, Location where) {
    Core& core = Self();
    if (!core.BeginOn(CoreKind::Aiv, where)) {
        return;
    }
    const Steps steps(core, Opcode::DataCopy);
    const Plan plan = MakePlan(slices, false);
    for (size_t i = 0; i < plan.srcRows.size() && i < plan.dstRows.size(); ++i) {
        CopyInPad(Advance(dst, plan.dstRows[i] * slices.elementBytes),
                  Advance(src, plan.srcRows[i] * slices.elementBytes), plan.params, Padding(),
                  slices.elementBytes, where);
    }
}

void CopyOutSlices(const GmOperand& dst, const Operand& src, const Slices& slices, Location where) {
    Core& core = Self();
    if (!core.BeginOn(CoreKind::Aiv, where)) {
        return;
    }
    const Steps steps(core, Opcode::DataCopy);
    const Plan plan = MakePlan(slices, true);
    for (size_t i = 0; i < plan.srcRows.size() && i < plan.dstRows.size(); ++i) {
        CopyOutPad(Advance(dst, plan.dstRows[i] * slices.elementBytes),
                   Advance(src, plan.srcRows[i] * slices.elementBytes), plan.params,
                   slices.elementBytes, where);
    }
}

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
    issue.Ready();
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
            target[i] = source[widen ? i / 4 * 2 : i];  // mark of the source element
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
