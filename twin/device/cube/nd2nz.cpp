// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "device/cube/load_data_2d.h"
#include "device/cube/product.h"
#include "device/data_copy/blocks.h"
#include "device/data_copy/serve.h"

namespace twin::cube {
namespace {

constexpr char kNd2NzApi[] = "DataCopy with Nd2NzParams";

/// Numbers of rows and stripes of a matrix. All other members are sizes or distances in bytes.
struct Layout {
    uint64_t rows;
    uint64_t rowBytes;
    uint64_t pitch;
    uint64_t srcMatrix;
    uint64_t stripes;
    uint64_t dstStripe;
    uint64_t dstRow;
    uint64_t dstMatrix;
};

/// Lists the bytes in L1 that a call writes for all its matrices.
struct Nd2NzImage {
    const Layout& layout;
    uint64_t matrices;
    uint64_t begin;

    Runs Frame() const {
        return Runs{kRowBytes, {layout.rows, layout.dstRow}, {matrices, layout.dstMatrix}};
    }
    uint64_t Span() const { return Frame().Span() + (layout.stripes - 1) * layout.dstStripe; }
    void operator()(const PieceVisitor& visit) const {
        const bool dense = layout.dstRow == kRowBytes;  // a stripe is contiguous
        for (uint64_t matrix = 0; matrix < matrices; ++matrix) {
            for (uint64_t stripe = 0; stripe < layout.stripes; ++stripe) {
                const uint64_t at = begin + matrix * layout.dstMatrix + stripe * layout.dstStripe;
                for (uint64_t row = 0; row < (dense ? 1 : layout.rows); ++row) {
                    visit(static_cast<uint32_t>(matrix), at + row * layout.dstRow,
                          dense ? layout.rows * kRowBytes : kRowBytes);
                }
            }
        }
    }
};

void CheckParams(const Core& core, const AscendC::Nd2NzParams& params, const Layout& layout) {
    constexpr uint32_t kLimit = 16384;
    CheckRange(kNd2NzApi, "ndNum", params.ndNum, 0, kMaxDimension);
    CheckRange(kNd2NzApi, "nValue", params.nValue, 0, kLimit);
    CheckRange(kNd2NzApi, "srcDValue", params.srcDValue, 1, UINT16_MAX);
    CheckRange(kNd2NzApi, "dstNzC0Stride", params.dstNzC0Stride, 1, kLimit);
    CheckRange(kNd2NzApi, "dstNzNStride", params.dstNzNStride, 1, kLimit);
    if (core.strict && layout.stripes > 1 && params.dstNzNStride == 1 &&
        params.dstNzC0Stride < params.nValue) {
        Fail("T451",
             "stripes overlap in L1: %s of %u rows with dstNzC0Stride %u; the order of overlapping "
             "writes is undefined\n  try: dstNzC0Stride = nValue rounded up to 16",
             kNd2NzApi, params.nValue, params.dstNzC0Stride);
    }
    if (core.strict && params.dValue > params.srcDValue) {
        Fail("T451",
             "rows overlap in GM: %s with dValue %u and srcDValue %u, expected rows no longer than "
             "their pitch",
             kNd2NzApi, params.dValue, params.srcDValue);
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

}  // namespace

void CopyNd2Nz(const Operand& dst, const GmOperand& src, const AscendC::Nd2NzParams& params,
               uint32_t elementBytes, Location where) {
    if (copy::IsServed(dst)) {
        return copy::Serve(
            kNd2NzApi, [=] { CopyNd2Nz(dst, src, params, elementBytes, where); }, where);
    }
    Issue issue(Opcode::DataCopyNd2Nz, CoreKind::Aic, where);
    issue.Called(kNd2NzApi);
    RequireMemory(dst, Memory::L1, kNd2NzApi, "dst");
    if (!issue) {
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
    CheckParams(issue.core(), params, layout);
    const Runs matrices{rowBytes, {layout.rows, layout.pitch}, {params.ndNum, layout.srcMatrix}};
    const Nd2NzImage written = {layout, params.ndNum, dst.address};
    issue.Work(params.ndNum, params.ndNum * layout.rows * params.dValue);
    uint8_t* to =
        issue.Write(Arg::Dst, dst, Memory::L1, written.Frame(), written.Span(), written, kRowBytes);
    const uint8_t* from = issue.ReadGm(Arg::Src, src, matrices);
    const auto copy = [&](uint8_t* target, const uint8_t* source) {
        for (uint64_t matrix = 0; matrix < params.ndNum; ++matrix) {
            CopyMatrix(target + matrix * layout.dstMatrix, source + matrix * layout.srcMatrix,
                       layout);
        }
    };
    const auto follow = [&](const ByteMarks& marks) {
        copy(marks.Of(Memory::L1, to), marks.Of(Memory::Gm, from));
    };
    issue.Follow(follow);
    issue.Ready();
    copy(to, from);
    issue.Done();
}

}  // namespace twin::cube
