// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "device/data_copy/data_copy_slice.h"
#include "device/issue/range_list.h"

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

/// Lengths of the dimensions: from the slices, or from the tensor.
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

/// Element offsets of the selected rows, including the start of the first dimension.
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

/// A sliced copy as a list of plain copies.
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

}  // namespace twin::copy
