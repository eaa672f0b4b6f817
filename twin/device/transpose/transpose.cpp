// SPDX-License-Identifier: Apache-2.0
#include <cinttypes>
#include <cstring>

#include "device/transpose/engine.h"

namespace twin::transpose {
namespace {

using AscendC::TransposeParamsExt;
using AscendC::TransposeType;

constexpr uint32_t kMaxSize = 4095;

void CheckApart(const Operand& dst, const Operand& src, uint64_t bytes) {
    if (uint64_t{dst.address} + bytes <= src.address ||
        uint64_t{src.address} + bytes <= dst.address) {
        return;
    }
    Fail("T405",
         "operands overlap: Transpose writes dst at UB+0x%x (%" PRIu64
         " B) over its source at UB+0x%x\n  try: separate buffers",
         dst.address, bytes, src.address);
}

void RecordTranspose(Core& core, Dtype dtype, const Operand& dst, const Operand& src,
                     uint64_t bytes, const Operand* scratch, uint64_t scratchBytes) {
    LegacyInstruction instruction;
    instruction.pipe = Pipe::V;
    instruction.opcode = "Transpose";
    instruction.dtype = dtype;
    instruction.elements = bytes / SizeOf(dtype);
    instruction.repeats = static_cast<uint32_t>((bytes + kRepeatBytes - 1) / kRepeatBytes);
    instruction.Add(core.Local(Memory::Ub, dst.address, bytes, true));
    instruction.Add(core.Local(Memory::Ub, src.address, bytes, false));
    if (scratch != nullptr) {
        instruction.Add(core.Local(Memory::Ub, scratch->address, scratchBytes, true));
    }
    core.Record(instruction);
}

/// `outer` matrices of rows x columns, each turned.
template <typename T>
void Turn(uint8_t* dst, const uint8_t* src, uint64_t outer, uint64_t rows, uint64_t columns) {
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

/// What the library's tiles take.
uint64_t ScratchBytes(const TransposeParamsExt& params, uint32_t size) {
    const uint64_t tile = (size == 1 ? 32U : 16U) * kBlockBytes;
    return params.transposeType == TransposeType::TRANSPOSE_NCHW2NHWC
               ? (params.cSize + 2U) * tile
               : (params.cSize * 2U + 1U) * tile;
}

void SpoilScratch(Core& core, const Operand& scratch, uint64_t bytes) {
    const uint32_t poison = kPoison;
    for (uint64_t i = 0; i < bytes; i += sizeof(poison)) {
        std::memcpy(core.ub + scratch.address + i, &poison, sizeof(poison));
    }
}

void RunImages(Core& core, Dtype dtype, const Operand& dst, const Operand& src,
               const Operand& scratch, const TransposeParamsExt& params) {
    const uint32_t size = SizeOf(dtype);
    const uint64_t image = uint64_t{params.hSize} * params.wSize;
    const uint64_t bytes = params.nSize * params.cSize * image * size;
    if (bytes == 0) {
        return;
    }
    CheckShape(params, size);
    CheckOperand(core, dst, bytes, kBlockBytes, "Transpose", "dst");
    CheckOperand(core, src, bytes, kBlockBytes, "Transpose", "src");
    if (core.strict) {
        CheckApart(dst, src, bytes);
    }
    const bool plain = params.cSize == 1;  // the library copies, without scratch
    const uint64_t scratchBytes = plain ? 0 : ScratchBytes(params, size);
    if (!plain) {
        CheckOperand(core, scratch, scratchBytes, kBlockBytes, "Transpose", "sharedTmpBuffer");
    }
    if (core.Recording()) {
        RecordTranspose(core, dtype, dst, src, bytes, plain ? nullptr : &scratch, scratchBytes);
    }
    const auto turn = size == 1 ? Turn<uint8_t> : size == 2 ? Turn<uint16_t> : Turn<uint32_t>;
    const bool toLast = params.transposeType == TransposeType::TRANSPOSE_NCHW2NHWC;
    turn(core.ub + dst.address, core.ub + src.address, params.nSize, toLast ? params.cSize : image,
         toLast ? image : params.cSize);
    SpoilScratch(core, scratch, scratchBytes);
}

}  // namespace

void RunTranspose(Dtype dtype, const Operand& dst, const Operand& src, Location where) {
    Core& core = Self();
    if (!core.BeginOn(CoreKind::Aiv, where)) {
        return;
    }
    constexpr uint32_t kBytes = kRows * kRows * sizeof(uint16_t);
    CheckOperand(core, dst, kBytes, kBlockBytes, "Transpose", "dst");
    CheckOperand(core, src, kBytes, kBlockBytes, "Transpose", "src");
    if (core.strict && dst.address != src.address) {
        CheckApart(dst, src, kBytes);
    }
    if (core.Recording()) {
        RecordTranspose(core, dtype, dst, src, kBytes, nullptr, 0);
    }
    uint8_t matrix[kBytes];
    std::memcpy(matrix, core.ub + src.address, kBytes);
    Turn<uint16_t>(core.ub + dst.address, matrix, 1, kRows, kRows);
}

void RunTranspose(Dtype dtype, const Operand& dst, const Operand& src, const Operand& scratch,
                  const TransposeParamsExt& params, Location where) {
    Core& core = Self();
    if (!core.BeginOn(CoreKind::Aiv, where)) {
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
            return RunImages(core, dtype, dst, src, scratch, params);
        default:
            Fail("T421",
                 "transpose type not supported: Transpose with transposeType %u; the chip has "
                 "TRANSPOSE_ND2ND_B16 (10), TRANSPOSE_NCHW2NHWC (11) and TRANSPOSE_NHWC2NCHW (12)",
                 static_cast<unsigned>(params.transposeType));
    }
}

}  // namespace twin::transpose
