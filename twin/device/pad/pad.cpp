// SPDX-License-Identifier: Apache-2.0
#include "device/pad/pad.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/library_steps.h"
#include "core/tmp_size.h"
#include "device/library/call.h"

namespace twin::advanced {
namespace {

[[noreturn]] void RefuseWidths(const char* api, uint32_t width, uint32_t left, uint32_t right,
                               uint32_t size, const char* rule) {
    Fail("T703",
         "shape not taken: %s of rows of %u elements of %u B with leftPad %u, rightPad %u; %s\n"
         "  try: check the tiling that the host made and the pads",
         api, width, size, left, right, rule);
}

/// For aligned rows, only columns after the valid ones may be set.
void CheckAligned(const AscendC::PadParams& params, const PadRows& tiling, uint32_t size) {
    const uint32_t spare = tiling.srcWidth - tiling.srcOriWidth;
    if (tiling.srcOriWidth >= tiling.srcWidth || params.leftPad != 0 || params.rightPad == 0 ||
        params.rightPad > spare || spare >= kBlockBytes / size) {
        RefuseWidths("Pad", tiling.srcWidth, params.leftPad, params.rightPad, size,
                     "aligned rows have spare columns in their last block, and only the right side "
                     "can be set");
    }
}

void CheckUnaligned(const AscendC::PadParams& params, const PadRows& tiling, uint32_t size) {
    const uint32_t bytes = (tiling.srcWidth + params.leftPad + params.rightPad) * size;
    if (bytes != RoundUp(uint64_t{tiling.srcWidth} * size, kBlockBytes)) {
        RefuseWidths("Pad", tiling.srcWidth, params.leftPad, params.rightPad, size,
                     "the padded row ends at the next multiple of 32 B");
    }
}

void Fill(uint8_t* dst, const void* value, uint32_t size, uint64_t count) {
    for (uint64_t i = 0; i < count; ++i) {
        std::memcpy(dst + i * size, value, size);
    }
}

}  // namespace

void RunPad(Dtype dtype, const Operand& dst, const Operand& src, const AscendC::PadParams& params,
            const void* value, const PadRows& tiling, const Tmp& tmp, Location where) {
    Call call(Opcode::Pad, where);
    if (!call || tiling.srcHeight == 0) {
        return;
    }
    const uint32_t size = SizeOf(dtype);
    const uint64_t rows = tiling.srcHeight;
    const uint64_t width = tiling.srcWidth;
    const bool aligned = width * size % kBlockBytes == 0;
    (aligned ? CheckAligned : CheckUnaligned)(params, tiling, size);
    const uint64_t pitch = aligned ? width : width + params.leftPad + params.rightPad;
    call.shape() = {0,
                    aligned ? 0U : 1U,
                    tiling.srcHeight,
                    tiling.srcWidth,
                    tiling.srcOriWidth,
                    tiling.srcWidth * size / kBlockBytes,
                    params.rightPad};
    uint8_t* row = call.Write(Arg::DstTensor, dst, rows * pitch * size);
    const uint8_t* from = call.Read(Arg::SrcTensor, src, rows * width * size);
    const TmpSize said = aligned ? TmpSize{} : PadTmp(rows, width);
    call.Take(tmp, {said.min, said.max});
    if (!call.Ready(dtype, rows * pitch, aligned ? Overlap::InPlace : Overlap::Library)) {
        return;
    }
    const uint64_t kept = aligned ? tiling.srcOriWidth : width;
    for (uint64_t i = 0; i < rows; ++i, row += pitch * size, from += width * size) {
        std::memmove(row + params.leftPad * size, from, width * size);
        Fill(row, value, size, params.leftPad);
        Fill(row + (params.leftPad + kept) * size, value, size, params.rightPad);
    }
    call.Done();
}

void RunUnPad(Dtype dtype, const Operand& dst, const Operand& src,
              const AscendC::UnPadParams& params, const PadRows& tiling, Location where) {
    Call call(Opcode::UnPad, where);
    if (!call || tiling.srcHeight == 0) {
        return;
    }
    const uint32_t size = SizeOf(dtype);
    const uint64_t rows = tiling.srcHeight;
    const uint64_t width = tiling.srcWidth;
    const bool aligned = width * size % kBlockBytes == 0;
    const uint64_t kept = params.rightPad < width ? width - params.rightPad : 0;
    if (!aligned || kept == 0 || kept * size % kBlockBytes == 0) {
        RefuseWidths("UnPad", tiling.srcWidth, params.leftPad, params.rightPad, size,
                     "rows are a multiple of 32 B, and what is left of them is none");
    }
    const uint64_t bytes = kept * size;
    call.shape() = {0,
                    0,
                    tiling.srcHeight,
                    tiling.srcWidth,
                    static_cast<uint32_t>(kept),
                    tiling.srcWidth * size / kBlockBytes,
                    0};
    uint8_t* to = call.Write(Arg::DstTensor, dst, rows * bytes);
    const uint8_t* from = call.Read(Arg::SrcTensor, src, Runs{bytes, Level{rows, width * size}});
    if (!call.Ready(dtype, rows * kept, Overlap::InPlace)) {
        return;
    }
    for (uint64_t i = 0; i < rows; ++i) {
        std::memmove(to + i * bytes, from + i * width * size, bytes);
    }
    call.Done();
}

}  // namespace twin::advanced

namespace twin {

void PadSteps(CallSteps s) {
    const View dst = s.Operand(0), src = s.Operand(1);
    if (s.Has(1)) {  // rows that are no multiple of 32 B
        return s.Unlisted({dst, src});
    }
    s.DataCopy(dst, src);
    InParts(s.Rows(), 255, [&](int64_t row, int64_t count) {
        const View behind = dst[row * s.Columns() + s.Valid()].By(1, s.Once());
        s.Repeats(count, s.Level()).NoBarrier().Duplicate(behind);
    });
}

void UnPadSteps(CallSteps s) {
    s.Count(s.Rows() * s.Valid()).NoBarrier().GatherMask(s.Operand(0), s.Operand(1));
}

}  // namespace twin
