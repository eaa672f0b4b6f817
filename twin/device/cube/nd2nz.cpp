// SPDX-License-Identifier: Apache-2.0
#include "device/cube/nd2nz.h"

#include <cstring>

#include "device/cube/engine.h"
#include "device/data_copy/gm_access.h"

namespace twin::cube {
namespace {

constexpr char kApi[] = "DataCopy with Nd2NzParams";

/// Byte distances of one call.
struct Layout {
    uint64_t rows;
    uint64_t rowBytes;
    uint64_t pitch;
    uint64_t srcMatrix;
    uint64_t stripes;
    uint64_t dstStripe;
    uint64_t dstRow;
    uint64_t dstMatrix;

    uint64_t DstSpan() const { return (stripes - 1) * dstStripe + (rows - 1) * dstRow + kRowBytes; }
    uint64_t SrcSpan() const { return (rows - 1) * pitch + rowBytes; }
};

void CheckParams(Core& core, const AscendC::Nd2NzParams& params, const Layout& layout) {
    constexpr uint32_t kLimit = 16384;
    CheckRange(kApi, "ndNum", params.ndNum, 0, kMaxDimension);
    CheckRange(kApi, "nValue", params.nValue, 0, kLimit);
    CheckRange(kApi, "srcDValue", params.srcDValue, 1, UINT16_MAX);
    CheckRange(kApi, "dstNzC0Stride", params.dstNzC0Stride, 1, kLimit);
    CheckRange(kApi, "dstNzNStride", params.dstNzNStride, 1, kLimit);
    if (core.strict && layout.stripes > 1 && params.dstNzNStride == 1 &&
        params.dstNzC0Stride < params.nValue) {
        Fail("T451",
             "stripes overlap in L1: %s of %u rows with dstNzC0Stride %u; the order of overlapping "
             "writes is undefined\n  try: dstNzC0Stride = nValue rounded up to 16",
             kApi, params.nValue, params.dstNzC0Stride);
    }
    if (core.strict && params.dValue > params.srcDValue) {
        Fail("T451",
             "rows overlap in GM: %s with dValue %u and srcDValue %u, expected rows no longer than "
             "their pitch",
             kApi, params.dValue, params.srcDValue);
    }
}

void CopyMatrix(uint8_t* dst, const uint8_t* src, const Layout& layout) {
    const uint64_t whole = layout.rowBytes / kRowBytes;
    const uint64_t tail = layout.rowBytes % kRowBytes;
    for (uint64_t row = 0; row < layout.rows; ++row) {
        const uint8_t* from = src + row * layout.pitch;
        uint8_t* to = dst + row * layout.dstRow;
        for (uint64_t stripe = 0; stripe < whole; ++stripe) {
            std::memcpy(to + stripe * layout.dstStripe, from + stripe * kRowBytes, kRowBytes);
        }
        if (tail != 0) {
            uint8_t* last = to + whole * layout.dstStripe;
            std::memcpy(last, from + whole * kRowBytes, tail);
            std::memset(last + tail, 0, kRowBytes - tail);
        }
    }
}

void Record(Core& core, const Operand& dst, const GmOperand& src,
            const AscendC::Nd2NzParams& params, const Layout& layout, uint32_t elementBytes) {
    LegacyInstruction instruction;
    instruction.pipe = Pipe::Mte2;
    instruction.opcode = "DataCopyNd2Nz";
    instruction.repeats = params.ndNum;
    instruction.elements = params.ndNum * layout.rows * layout.rowBytes / elementBytes;
    const bool oneRun = params.ndNum == 1 || layout.srcMatrix == layout.rows * layout.pitch;
    instruction.Add(
        oneRun ? GmRuns(src, layout.rowBytes, params.ndNum * layout.rows, layout.pitch, false)
               : GmRuns(src, layout.SrcSpan(), params.ndNum, layout.srcMatrix, false));
    if (params.ndNum == 1 && layout.dstRow == kRowBytes) {
        instruction.Add(
            LocalRuns(core, dst, layout.rows * kRowBytes, layout.stripes, layout.dstStripe, true));
    } else if (params.ndNum == 1) {
        for (uint64_t stripe = 0; stripe < std::min<uint64_t>(layout.stripes, 4); ++stripe) {
            instruction.Add(LocalRuns(core, Advance(dst, stripe * layout.dstStripe), kRowBytes,
                                      layout.rows, layout.dstRow, true));
        }
    } else {
        instruction.Add(
            LocalRuns(core, dst, layout.DstSpan(), params.ndNum, layout.dstMatrix, true));
    }
    core.Record(instruction);
}

}  // namespace

void CopyNd2Nz(const Operand& dst, const GmOperand& src, const AscendC::Nd2NzParams& params,
               uint32_t elementBytes, Location where) {
    Core& core = Self();
    const bool here = core.BeginOn(CoreKind::Aic, where);
    RequireMemory(dst, Memory::L1, kApi, "dst");
    if (!here) {
        copy::RefuseTscm(dst, kApi);
        return;
    }
    if (params.ndNum == 0 || params.nValue == 0 || params.dValue == 0) {
        return;
    }
    const uint64_t rowBytes = uint64_t{params.dValue} * elementBytes;
    const Layout layout = {params.nValue,
                           rowBytes,
                           uint64_t{params.srcDValue} * elementBytes,
                           uint64_t{params.srcNdMatrixStride} * elementBytes,
                           CeilDiv(rowBytes, kRowBytes),
                           uint64_t{params.dstNzC0Stride} * kRowBytes,
                           uint64_t{params.dstNzNStride} * kRowBytes,
                           uint64_t{params.dstNzMatrixStride} * elementBytes};
    CheckParams(core, params, layout);
    const uint64_t last = params.ndNum - 1U;
    uint8_t* to = CheckLocalOperand(
        core, dst, Memory::L1, last * layout.dstMatrix + layout.DstSpan(), kRowBytes, kApi, "dst");
    core.CheckGm(src.origin, src.address, last * layout.srcMatrix + layout.SrcSpan(),
                 params.ndNum * layout.rows * rowBytes, false, kApi);
    for (uint64_t matrix = 0; matrix < params.ndNum; ++matrix) {
        const GmOperand from = {src.origin, src.address + matrix * layout.srcMatrix};
        copy::OrderRuns(core, from, layout.rows, rowBytes, layout.pitch, false, kApi);
        CopyMatrix(to + matrix * layout.dstMatrix, reinterpret_cast<const uint8_t*>(from.address),
                   layout);
    }
    if (core.Recording()) {
        Record(core, dst, src, params, layout, elementBytes);
    }
}

}  // namespace twin::cube
