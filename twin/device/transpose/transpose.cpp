// SPDX-License-Identifier: Apache-2.0
#include "device/transpose/transpose.h"

#include <algorithm>
#include <cinttypes>
#include <cstring>

#include "device/issue/issue.h"
#include "device/issue/operand.h"
#include "device/library/call.h"
#include "device/sync/events.h"

namespace twin::transpose {
namespace {

using AscendC::TransposeParamsExt;
using AscendC::TransposeType;

constexpr uint32_t kMaxSize = 4095;
constexpr Opcode kTransposeApi = Opcode::Transpose;

void Describe(Issue& issue, Dtype dtype, uint64_t bytes) {
    issue.Type(dtype);
    issue.Work((bytes + kRepeatBytes - 1) / kRepeatBytes, bytes / SizeOf(dtype));
}

/// Transposes each of `outer` matrices of rows x columns.
template <typename T>
void TurnPlanes(uint8_t* dst, const uint8_t* src, uint64_t outer, uint64_t rows, uint64_t columns) {
    for (uint64_t matrix = 0; matrix < outer; ++matrix) {
        const uint64_t start = matrix * rows * columns;
        for (uint64_t column = 0; column < columns; ++column) {
            for (uint64_t row = 0; row < rows; ++row) {
                std::memcpy(dst + (start + column * rows + row) * sizeof(T),
                            src + (start + row * columns + column) * sizeof(T), sizeof(T));
            }
        }
    }
}

void CheckShape(const TransposeParamsExt& params, uint32_t size) {
    const uint32_t image = uint32_t{params.hSize} * params.wSize;
    if (params.cSize <= kMaxSize && image <= kMaxSize && image * size % kBlockBytes == 0) {
        return;
    }
    Fail("T402",
         "size out of range: Transpose of N = %u, C = %u, H = %u, W = %u with elements of %u B; "
         "expected C and H * W of at most %u, and H * W * %u a multiple of %u B\n  try: pad H * W",
         params.nSize, params.cSize, params.hSize, params.wSize, size, kMaxSize, size, kBlockBytes);
}

/// Returns how many bytes of scratch memory the library's tiles need.
uint64_t ScratchBytes(const TransposeParamsExt& params, uint32_t size) {
    const uint64_t tile = (size == 1 ? 32U : 16U) * kBlockBytes;
    return params.transposeType == TransposeType::TRANSPOSE_NCHW2NHWC
               ? (params.cSize + 2U) * tile
               : (params.cSize * 2U + 1U) * tile;
}

void RunImages(Issue& issue, Dtype dtype, const Operand& dst, const Operand& src,
               const Operand& scratch, const TransposeParamsExt& params) {
    const uint32_t size = SizeOf(dtype);
    const uint64_t image = uint64_t{params.hSize} * params.wSize;
    const uint64_t bytes = params.nSize * params.cSize * image * size;
    if (bytes == 0) {
        return;
    }
    CheckShape(params, size);
    // An image with a single channel is only copied, without scratch.
    const uint64_t scratchBytes = params.cSize == 1 ? 0 : ScratchBytes(params, size);
    uint8_t* to = issue.Write(Arg::Dst, dst, Memory::Ub, Runs{bytes});
    const uint8_t* from = issue.Read(Arg::Src, src, Memory::Ub, Runs{bytes});
    uint8_t* tiles = scratchBytes == 0 ? nullptr
                                       : issue.Write(Arg::SharedTmpBuffer, scratch, Memory::Ub,
                                                     Runs{scratchBytes});
    Describe(issue, dtype, bytes);
    issue.Ready(Overlap::Apart);
    const auto turn = size == 1   ? TurnPlanes<uint8_t>
                      : size == 2 ? TurnPlanes<uint16_t>
                                  : TurnPlanes<uint32_t>;
    const bool toLast = params.transposeType == TransposeType::TRANSPOSE_NCHW2NHWC;
    const auto move = [&](const auto& bytes) {
        turn(bytes.Of(Memory::Ub, to), bytes.Of(Memory::Ub, from), params.nSize,
             toLast ? params.cSize : image, toLast ? image : params.cSize);
    };
    issue.Moves(move);
    advanced::Poison(tiles, scratchBytes);
    issue.Done();
}

using AscendC::TransDataTo5HDParams;

constexpr Opcode kTo5HdApi = Opcode::TransDataTo5HD;

/// Computes one repeat. Row r of `out` has element r of the rows of `in` (r / 2 if T has 32 bits).
template <typename T>
void TurnRows(uint8_t (*out)[kBlockBytes], const uint8_t (*in)[kBlockBytes]) {
    constexpr uint32_t kPer = kBlockBytes / sizeof(T);
    T from[kRows][kPer];
    std::memcpy(from, in, sizeof(from));
    for (uint32_t row = 0; row < kRows; ++row) {
        T to[kPer] = {};
        for (uint32_t i = 0; i < std::min(kPer, kRows); ++i) {
            if constexpr (sizeof(T) == 4) {
                to[i] = from[row % 2 * kPer + i][row / 2];
            } else {
                to[i] = from[i][row];
            }
        }
        std::memcpy(out[row], to, kBlockBytes);
    }
}

/// Returns the byte at which repeat 0 starts. If there is only one repeat, the hardware starts
/// one stride later.
uint64_t Start(uint8_t repeats, uint16_t stride) {
    return repeats == 1 ? uint64_t{stride} * kBlockBytes : 0;
}

/// The sixteen source or destination rows, and the part of them that each repeat accesses. The call
/// operator passes these parts to a visitor.
struct Side {
    const Operand* rows;
    uint64_t first;  ///< distance in bytes from the start of a row to the data of repeat 0
    uint64_t step;   ///< distance in bytes from one repeat to the next
    uint32_t repeats;
    uint32_t width;
    Operand place = {};  ///< memory from the lowest row to the end of the highest row
    Runs frame = {};
    uint8_t* start[kRows] = {};

    /// With `halves` (8-bit types), only 16 B of each block are used: the upper 16 B if `upper`.
    Side(const Issue& issue, Arg name, const Operand* rows, uint8_t repeats, uint16_t stride,
         bool halves, bool upper)
        : rows(rows),
          first(Start(repeats, stride) + (halves && upper ? kBlockBytes / 2 : 0)),
          step(uint64_t{stride} * kBlockBytes),
          repeats(repeats),
          width(halves ? kBlockBytes / 2 : kBlockBytes) {
        const uint64_t end = Start(repeats, stride) + (repeats - 1U) * step + kBlockBytes;
        uint32_t low = UINT32_MAX;
        uint32_t high = 0;
        for (uint32_t i = 0; i < kRows; ++i) {
            start[i] = first + CheckLocalOperand(issue.core(), rows[i], Memory::Ub, end,
                                                 kBlockBytes, issue.api(), Name(name));
            low = std::min(low, rows[i].address);
            high = std::max(high, rows[i].address);
        }
        frame = Runs{uint64_t{high} - low + width, Level(), {repeats, step}};
        place = UbPlace(low + first, frame.Span());
    }
    uint8_t* At(uint32_t repeat, uint32_t row) const { return start[row] + repeat * step; }
    void operator()(const PieceVisitor& visit) const {
        for (uint32_t repeat = 0; repeat < repeats; ++repeat) {
            for (uint32_t i = 0; i < kRows; ++i) {
                visit(repeat, rows[i].address + first + repeat * step, width);
            }
        }
    }
};

Operand AtAddress(const Core& core, uint64_t address, Arg name, uint32_t index) {
    const uint8_t* ub = core.memory[static_cast<size_t>(Memory::Ub)];
    const uint64_t offset = address - reinterpret_cast<uintptr_t>(ub);
    if (offset >= core.UbBytes()) {
        Fail("T424",
             "address outside the unified buffer: %s %s[%u] = 0x%" PRIx64
             "\n  try: fill the list with GetPhyAddr() of local tensors; a list in local memory is "
             "overwritten by the call, fill it again for the next one",
             Name(kTo5HdApi), Name(name), index, address);
    }
    return UbPlace(offset, core.UbBytes() - offset);
}

}  // namespace

void RunTranspose(Dtype dtype, const Operand& dst, const Operand& src, Location where) {
    Issue issue(kTransposeApi, CoreKind::Aiv, where);
    if (!issue) {
        return;
    }
    constexpr uint32_t kBytes = kRows * kRows * sizeof(uint16_t);
    uint8_t* to = issue.Write(Arg::Dst, dst, Memory::Ub, Runs{kBytes});
    const uint8_t* from = issue.Read(Arg::Src, src, Memory::Ub, Runs{kBytes});
    Describe(issue, dtype, kBytes);
    issue.Ready(to == from ? Overlap::Free : Overlap::Apart);
    const auto move = [&](const auto& bytes) {
        uint8_t matrix[kBytes];
        std::memcpy(matrix, bytes.Of(Memory::Ub, from), kBytes);
        TurnPlanes<uint16_t>(bytes.Of(Memory::Ub, to), matrix, 1, kRows, kRows);
    };
    issue.Moves(move);
    issue.Done();
}

void RunTranspose(Dtype dtype, const Operand& dst, const Operand& src, const Operand& scratch,
                  const TransposeParamsExt& params, Location where) {
    Issue issue(kTransposeApi, CoreKind::Aiv, where);
    if (!issue) {
        return;
    }
    switch (params.transposeType) {
        case TransposeType::TRANSPOSE_TYPE_NONE:
            return;
        case TransposeType::TRANSPOSE_ND2ND_B16:
            if (SizeOf(dtype) != sizeof(uint16_t)) {
                Fail("T404", "dtype not supported: Transpose with TRANSPOSE_ND2ND_B16 of %s",
                     Name(dtype));
            }
            return RunTranspose(dtype, dst, src, where);
        case TransposeType::TRANSPOSE_NCHW2NHWC:
        case TransposeType::TRANSPOSE_NHWC2NCHW:
            return RunImages(issue, dtype, dst, src, scratch, params);
        default:
            Fail("T421",
                 "transpose type not supported: Transpose with transposeType %u; the chip has "
                 "TRANSPOSE_ND2ND_B16 (10), TRANSPOSE_NCHW2NHWC (11) and TRANSPOSE_NHWC2NCHW (12)",
                 static_cast<unsigned>(params.transposeType));
    }
}

void RunTo5hd(Dtype dtype, const Rows& rows, const TransDataTo5HDParams& params, Location where) {
    Issue issue(kTo5HdApi, CoreKind::Aiv, where);
    if (!issue || params.repeatTimes == 0) {
        return;
    }
    const uint32_t size = SizeOf(dtype);
    const uint8_t repeats = params.repeatTimes;
    const bool halves = size == 1;
    const Side dst(issue, Arg::DstList, rows.dst, repeats, params.dstRepStride, halves,
                   params.dstHighHalf);
    const Side src(issue, Arg::SrcList, rows.src, repeats, params.srcRepStride, halves,
                   params.srcHighHalf);
    issue.Type(dtype);
    issue.Work(repeats, uint64_t{repeats} * kRows * kBlockBytes / size);
    issue.Write(Arg::DstList, dst.place, Memory::Ub, dst.frame, dst.place.bytes, dst, dst.width);
    issue.Read(Arg::SrcList, src.place, Memory::Ub, src.frame, src.place.bytes, src, src.width);
    issue.Ready();
    const auto turn = size == 1   ? TurnRows<uint8_t>
                      : size == 2 ? TurnRows<uint16_t>
                                  : TurnRows<uint32_t>;
    const auto move = [&](const auto& bytes) {
        uint8_t in[kRows][kBlockBytes] = {};
        uint8_t out[kRows][kBlockBytes];
        for (uint32_t repeat = 0; repeat < repeats; ++repeat) {
            for (uint32_t i = 0; i < kRows; ++i) {
                std::memcpy(in[i], bytes.Of(Memory::Ub, src.At(repeat, i)), src.width);
            }
            turn(out, in);
            for (uint32_t i = 0; i < kRows; ++i) {
                std::memcpy(bytes.Of(Memory::Ub, dst.At(repeat, i)), out[i], dst.width);
            }
        }
    };
    issue.Moves(move);
    issue.Done();
}

void RunTo5hd(Dtype dtype, const uint64_t* dst, const uint64_t* src,
              const TransDataTo5HDParams& params, Location where) {
    Core& core = Self();
    if (!core.BeginOn(CoreKind::Aiv, where)) {
        return;
    }
    Rows rows;
    for (uint32_t i = 0; i < kRows; ++i) {
        rows.dst[i] = AtAddress(core, dst[i], Arg::DstList, i);
        rows.src[i] = AtAddress(core, src[i], Arg::SrcList, i);
    }
    RunTo5hd(dtype, rows, params, where);
}

void RunTo5hdLists(Dtype dtype, const Operand& dst, const Operand& src,
                   const TransDataTo5HDParams& params, Location where) {
    Core& core = Self();
    if (!core.BeginOn(CoreKind::Aiv, where)) {
        return;
    }
    const Steps steps(core, kTo5HdApi);
    const Operand* lists[] = {&dst, &src};
    const Arg names[] = {Arg::Dst, Arg::Src};
    uint64_t addresses[2][kRows];
    for (uint32_t side = 0; side < 2; ++side) {
        Issue issue({kTo5HdApi, Pipe::S}, core);
        issue.RecordAs(Opcode::SetValue);
        issue.Type(Dtype::U64);
        uint64_t packed[4] = {};
        issue.Work(0, 4);
        const Arg name = names[side];
        issue.Read(name, *lists[side], Memory::Ub, Runs{sizeof(addresses[side])});
        uint8_t* list = issue.Write(name, *lists[side], Memory::Ub, Runs{sizeof(packed)});
        issue.Ready(Overlap::Free);
        std::memcpy(addresses[side], list, sizeof(addresses[side]));
        for (uint32_t i = 0; i < kRows; ++i) {
            const Operand row = AtAddress(core, addresses[side][i], name, i);
            packed[i / 4] |= uint64_t{row.address / kBlockBytes & 0x1FFFU} << (i % 4 * 16);
        }
        std::memcpy(list, packed, sizeof(packed));
        issue.Done();
    }
    SyncPipes(AscendC::HardEvent::S_V, where);
    RunTo5hd(dtype, addresses[0], addresses[1], params, where);
}

}  // namespace twin::transpose
