// SPDX-License-Identifier: Apache-2.0
#include "device/transpose/transpose.h"

#include <cstring>

#include "device/library/call.h"

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

/// Returns the bytes of the library's tiles.
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
    // A single channel is copied, without scratch.
    const uint64_t scratchBytes = params.cSize == 1 ? 0 : ScratchBytes(params, size);
    uint8_t* to = issue.Write(Arg::Dst, dst, Memory::Ub, Runs{bytes});
    const uint8_t* from = issue.Read(Arg::Src, src, Memory::Ub, Runs{bytes});
    uint8_t* tiles = scratchBytes == 0 ? nullptr
                                       : issue.Write(Arg::SharedTmpBuffer, scratch, Memory::Ub,
                                                     Runs{scratchBytes});
    Describe(issue, dtype, bytes);
    if (!issue.Ready(Overlap::Apart)) {
        return;
    }
    const auto turn = size == 1   ? TurnPlanes<uint8_t>
                      : size == 2 ? TurnPlanes<uint16_t>
                                  : TurnPlanes<uint32_t>;
    const bool toLast = params.transposeType == TransposeType::TRANSPOSE_NCHW2NHWC;
    turn(to, from, params.nSize, toLast ? params.cSize : image, toLast ? image : params.cSize);
    advanced::Poison(tiles, scratchBytes);
    issue.Done();
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
    if (!issue.Ready(to == from ? Overlap::Free : Overlap::Apart)) {
        return;
    }
    uint8_t matrix[kBytes];
    std::memcpy(matrix, from, kBytes);
    TurnPlanes<uint16_t>(to, matrix, 1, kRows, kRows);
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

}  // namespace twin::transpose
