// SPDX-License-Identifier: Apache-2.0
#include "device/pad/pad.h"

#include <algorithm>
#include <cstring>
#include <type_traits>
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

/// Checks that a Pad of aligned rows sets only columns from srcOriWidth on (T703).
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

struct BroadcastForm {
    static constexpr uint32_t kBytes = 1, kNarrow = 2, kRagged = 4;
};

void CheckShape(const char* api, const BroadcastShape& s, uint32_t size) {
    for (int i = 0; i < 2; ++i) {
        if (s.dst[i] == 0 || (s.src[i] != s.dst[i] && s.src[i] != 1)) {
            Fail("T703",
                 "shape not taken: %s from [%u, %u] to [%u, %u]; a dimension of src is that of dst "
                 "or 1\n  try: check the two shape arrays",
                 api, s.src[0], s.src[1], s.dst[0], s.dst[1]);
        }
    }
    const uint32_t srcElements = s.src[0] * s.src[1];
    const bool spread = srcElements != 1 && srcElements != s.dst[0] * s.dst[1];
    if (spread && s.src[s.axis] != 1) {
        Fail("T703",
             "shape not taken: %s along axis %d from [%u, %u] to [%u, %u]; src has %u there, "
             "expected 1\n  try: the other axis",
             api, s.axis, s.src[0], s.src[1], s.dst[0], s.dst[1], s.src[s.axis]);
    }
    // The library first converts 8-bit elements to half.
    const uint32_t rowBytes = s.dst[1] * std::max(size, 2U);
    if (spread && s.axis == 0 && rowBytes % kBlockBytes != 0) {
        Fail("T703",
             "shape not taken: %s along axis 0 of rows of %u elements, %u B%s; the library copies "
             "whole blocks of 32 B and drops the rest\n  try: pad the rows",
             api, s.dst[1], rowBytes, size == 1 ? " as half" : "");
    }
}

void SpreadRow(uint8_t* dst, const uint8_t* row, uint64_t rows, uint64_t rowBytes) {
    std::memmove(dst, row, rowBytes);
    for (uint64_t i = 1; i < rows; ++i) {
        std::memcpy(dst + i * rowBytes, dst, rowBytes);
    }
}

template <typename T>
void SpreadColumn(uint8_t* dst, const uint8_t* column, uint64_t rows, uint64_t columns) {
    for (uint64_t i = 0; i < rows; ++i) {
        T value;
        std::memcpy(&value, column + i * sizeof(T), sizeof(T));
        T* to = reinterpret_cast<T*>(dst) + i * columns;
        std::fill(to, to + columns, value);
    }
}

void SpreadColumn(uint8_t* dst, const uint8_t* src, uint64_t rows, uint64_t columns,
                  uint32_t size) {
    if (size == 1) {  // copies src, because dst may be src
        const std::vector<uint8_t> column(src, src + rows);
        SpreadColumn<uint8_t>(dst, column.data(), rows, columns);
    } else if (size == 2) {
        SpreadColumn<uint16_t>(dst, src, rows, columns);
    } else {
        SpreadColumn<uint32_t>(dst, src, rows, columns);
    }
}

/// Returns the scratch size. A broadcast along axis 0 needs one block of zeros and room for casts.
TmpNeed NeedOf(const BroadcastShape& s, uint32_t size) {
    const uint64_t srcElements = uint64_t{s.src[0]} * s.src[1];
    const TmpSize said = BroadcastTmp(size, srcElements, s.dst[0], s.dst[1]);
    if (s.axis != 0 || said.min == 0) {
        return {said.min, said.max};
    }
    const uint64_t bytes =
        kBlockBytes + BroadcastCasts(size, srcElements, uint64_t{s.dst[0]} * s.dst[1]);
    return {bytes, bytes};
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
    const uint32_t blocks = tiling.srcWidth * size / kBlockBytes;
    call.shape() = {
        0,      aligned ? 0U : 1U, tiling.srcHeight, tiling.srcWidth, tiling.srcOriWidth,
        blocks, params.rightPad};
    uint8_t* to = call.Write(Arg::DstTensor, dst, rows * pitch * size);
    const uint8_t* from = call.Read(Arg::SrcTensor, src, rows * width * size);
    const TmpSize said = aligned ? TmpSize{} : PadTmp(rows, width);
    call.Take(tmp, {said.min, said.max});
    const auto move = [&](const auto& bytes) {
        constexpr bool kMarks = !std::is_same_v<std::decay_t<decltype(bytes)>, OwnBytes>;
        constexpr uint64_t kNone = 0;  // the padding is data, so its marks are 0
        const void* const padding = kMarks ? &kNone : value;
        uint8_t* row = bytes.Of(Memory::Ub, to);
        const uint8_t* source = bytes.Of(Memory::Ub, from);
        const uint64_t kept = aligned ? tiling.srcOriWidth : width;
        for (uint64_t i = 0; i < rows; ++i, row += pitch * size, source += width * size) {
            std::memmove(row + params.leftPad * size, source, width * size);
            Fill(row, padding, size, params.leftPad);
            Fill(row + (params.leftPad + kept) * size, padding, size, params.rightPad);
        }
    };
    call.RunMoving(dtype, rows * pitch, aligned ? Overlap::InPlace : Overlap::Library, move);
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
    const uint32_t blocks = tiling.srcWidth * size / kBlockBytes;
    call.shape() = {0,      0, tiling.srcHeight, tiling.srcWidth, static_cast<uint32_t>(kept),
                    blocks, 0};
    uint8_t* to = call.Write(Arg::DstTensor, dst, rows * bytes);
    const uint8_t* from = call.Read(Arg::SrcTensor, src, Runs{bytes, Level{rows, width * size}});
    const auto move = [&](const auto& places) {
        uint8_t* const rowsTo = places.Of(Memory::Ub, to);
        const uint8_t* const rowsFrom = places.Of(Memory::Ub, from);
        for (uint64_t i = 0; i < rows; ++i) {
            std::memmove(rowsTo + i * bytes, rowsFrom + i * width * size, bytes);
        }
    };
    call.RunMoving(dtype, rows * kept, Overlap::InPlace, move);
}

void RunBroadcast(Opcode api, Dtype dtype, const Operand& dst, const Operand& src,
                  const BroadcastShape& shape, const Tmp& tmp, Location where) {
    Call call(api, where);
    if (!call) {
        return;
    }
    const uint32_t size = SizeOf(dtype);
    CheckShape(call.api(), shape, size);
    const uint64_t rows = shape.dst[0];
    const uint64_t columns = shape.dst[1];
    const uint64_t srcElements = uint64_t{shape.src[0]} * shape.src[1];
    const bool ragged = shape.axis == 1 && columns * size % kBlockBytes != 0;
    CallShape& form = call.shape();
    form.form =
        (size == 1 ? BroadcastForm::kBytes : 0) | (size == 2 ? BroadcastForm::kNarrow : 0) |
        (ragged && srcElements != 1 && srcElements != rows * columns ? BroadcastForm::kRagged : 0);
    form.rows = shape.dst[0];
    form.columns = shape.dst[1];
    form.valid = static_cast<uint32_t>(srcElements);
    form.level = static_cast<uint32_t>(shape.axis);
    uint8_t* to = call.Write(Arg::DstLocal, dst, rows * columns * size);
    const bool byColumn = srcElements != 1 && srcElements != rows * columns && shape.axis == 1;
    const Runs order = byColumn ? Runs{size, {columns, 0}, {rows, size}}
                                : Runs{srcElements * size, {rows * columns / srcElements, 0}};
    const uint8_t* from = call.Read(Arg::SrcLocal, src, order);
    call.Take(tmp, NeedOf(shape, size));
    call.Run(dtype, rows * columns, byColumn && size != 1 ? Overlap::Library : Overlap::InPlace,
             [&] {
                 if (srcElements == 1) {
                     SpreadColumn(to, from, 1, rows * columns, size);
                 } else if (srcElements == rows * columns) {
                     std::memmove(to, from, srcElements * size);
                 } else if (byColumn) {
                     SpreadColumn(to, from, rows, columns, size);
                 } else {
                     SpreadRow(to, from, rows, columns * size);
                 }
             });
}

}  // namespace twin::advanced

namespace twin {

void PadSteps(CallSteps s) {
    const View dst = s.Operand(0), src = s.Operand(1);
    if (s.Has(1)) {  // the row size is not a multiple of 32 B
        return s.Unlisted({dst, src});
    }
    s.DataCopy(dst, src);
    InParts(s.Rows(), 255, [&](int64_t row, int64_t count) {
        const View behind = dst[row * s.Columns() + s.Valid()].By(1, s.Once());
        s.Repeats(count, s.Level()).NoBarrier().Duplicate(behind);
    });
}

void UnPadSteps(CallSteps s) {
    const auto rows = static_cast<uint64_t>(s.Rows()), valid = static_cast<uint64_t>(s.Valid());
    const uint64_t size = SizeOf(s.Type()), pitch = static_cast<uint64_t>(s.Columns()) * size;
    s.NoBarrier().Do(Opcode::GatherMask, rows, rows * valid,
                     {{s.Operand(0), Runs{rows * valid * size}},
                      {s.Operand(1), Runs{valid * size, {rows, pitch}}}});
}

namespace {

/// Lists the steps that replace each of `rows` elements of `from` by a block of 32 B in `tmp`.
void BlockPerElement(CallSteps s, View tmp, View from, int64_t rows, int64_t per) {
    const int64_t most = per == 8 ? 255 : 254;
    InParts(Up(rows, 8), most, [&](int64_t at, int64_t count) {
        s.Repeats(count).NoBarrier().Brcb(tmp[8 * at * per], from[8 * at]);
    });
    s.Barrier();
}

/// Rows are no multiple of 32 B. The library spreads some of them in the scratch, then packs them.
void SpreadRaggedColumn(CallSteps s, View dst, View src, int64_t per) {
    const int64_t blocks = Up(s.Columns(), per) + 1;  // of a row in the scratch
    const int64_t once = std::max<int64_t>(s.Scratch() / (32 * per * blocks), 1) * per;
    InParts(s.Rows(), once, [&](int64_t row, int64_t m) {
        BlockPerElement(s, s.Buffer(s.Type()), src[row], m, per);
        s.Unlisted({dst});
        s.Barrier();
    });
}

void SpreadColumn(CallSteps s, View dst, View src, int64_t per) {
    const View tmp = s.Buffer(s.Type());
    const int64_t columns = s.Columns(),
                  once = std::max<int64_t>(s.Scratch() / (32 * per), 1) * per;
    InParts(s.Rows(), once, [&](int64_t row, int64_t m) {
        BlockPerElement(s, tmp, src[row], m, per);
        InParts(m, 255, [&](int64_t at, int64_t count) {
            const View to = dst[(row + at) * columns].By(1, columns / per);
            s.Repeats(count, columns).NoBarrier().Copy(to, tmp[at * per].By(0, 1));
        });
        s.Barrier();
    });
}

void SpreadRow(CallSteps s, View dst, View src, int64_t per) {
    const View from = src.As(Dtype::U16), none = s.Buffer(Dtype::U16);
    const int64_t columns = s.Columns(), words = columns * 16 / per;
    s.Count(16).Duplicate(none);
    InParts(s.Rows(), columns >= 255 * per ? 1 : 8, [&](int64_t row, int64_t m) {
        const View to = dst[row * columns].As(Dtype::U16);
        if (columns >= 255 * per) {
            s.Count(words).NoBarrier().Or(to, from, none.By(0, 0));
        } else {
            const CallSteps rows = s.Repeats(words / 16, 16 * m).NoBarrier();
            rows.Or(to.By(words / 16, 1), from.By(0, 1), none.By(0, 0));
        }
    });
    s.Barrier();
}

}  // namespace

void BroadcastSteps(CallSteps s) {
    using Form = advanced::BroadcastForm;
    const View dst = s.Operand(0), src = s.Operand(1);
    const int64_t n = s.Rows() * s.Columns(), per = s.Has(Form::kNarrow) ? 16 : 8;
    if (s.Has(Form::kBytes)) {
        s.Count(s.Valid()).Cast(s.Buffer(Dtype::F16), src);
        s.Unlisted({dst});
        s.Barrier();
    } else if (s.Has(Form::kRagged)) {
        SpreadRaggedColumn(s, dst, src, per);
    } else if (s.Valid() == n) {
        s.Count(n).Copy(dst, src);
    } else if (s.Valid() == 1) {
        s.ToScalar();
        s.Read(src);
        s.ToVector();
        s.Count(n).Duplicate(dst);
    } else {
        (s.Level() == 1 ? SpreadColumn : SpreadRow)(s, dst, src, per);
    }
}

void BroadCastSteps(CallSteps s) { BroadcastSteps(s); }

}  // namespace twin
