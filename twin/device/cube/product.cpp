// SPDX-License-Identifier: Apache-2.0
#include "device/cube/product.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "device/lanes/arithmetic.h"

namespace twin::cube {
namespace {

bool IsInteger(Dtype dtype) { return dtype == Dtype::I8 || dtype == Dtype::I4; }
uint32_t FractalsOf(uint32_t extent) { return static_cast<uint32_t>(CeilDiv(extent, kSide)); }

/// Returns this thread's buffers for repacked operands.
lanes::MatrixScratch& ProductScratch() {
    static thread_local std::unique_ptr<lanes::MatrixScratch> scratch;
    if (scratch == nullptr) {
        scratch = std::make_unique<lanes::MatrixScratch>();
    }
    return *scratch;
}

/// Returns the function that multiplies matrices of `dtype`; for float the HF32 mode decides.
lanes::MatrixFn ProductOf(const Core& core, Dtype dtype) {
    const lanes::MatrixFloatTable& floats = lanes::BestMatrixFloat();
    switch (dtype) {
        case Dtype::F16:
            return floats.half;
        case Dtype::Bf16:
            return floats.bfloat16;
        case Dtype::I8:
            return lanes::BestMatrixInt().int8;
        case Dtype::I4:
            return lanes::BestMatrixInt().int4;
        default:
            break;
    }
    if (!core.CtrlBit(kCtrlHf32)) {
        return floats.float32;
    }
    return core.CtrlBit(kCtrlHf32ToZero) ? floats.hf32ToZero : floats.hf32ToEven;
}

/// Fills rows from m on and columns from n on with kPoison: no document defines their values.
void PoisonTails(uint32_t* c, uint32_t m, uint32_t n) {
    const uint64_t height = uint64_t{FractalsOf(m)} * kSide;
    const uint64_t tailRows = height - m;
    for (uint32_t column = 0; column < FractalsOf(n) && tailRows != 0; ++column) {
        std::fill_n(c + (column * height + m) * kSide, tailRows * kSide, kPoison);
    }
    const uint32_t tailColumns = FractalsOf(n) * kSide - n;
    if (tailColumns != 0) {
        uint32_t* const last = c + (FractalsOf(n) - 1) * height * kSide;
        for (uint32_t row = 0; row < m; ++row) {
            std::fill_n(last + row * kSide + (kSide - tailColumns), tailColumns, kPoison);
        }
    }
}

/// One entry per byte along k. The entry is 0 if this byte is zero in all rows of A (or columns of
/// B); such a byte adds nothing to any sum. All other entries are 0xFF.
using Something = std::vector<uint8_t>;

/// Calls look(byte along k, offset, bytes) for each contiguous piece of a row of A or column of B.
template <typename Look>
void EachPiece(const ProductLines& side, uint32_t line, Look&& look) {
    for (uint64_t at = 0; at < side.bytes; at += kRowBytes) {
        look(at, side.Offset(line, at / kRowBytes), std::min<uint64_t>(kRowBytes, side.bytes - at));
    }
}

bool AnyMark(const ProductLines& side) {
    for (uint32_t line = 0; line < side.computed; ++line) {
        bool any = false;
        EachPiece(side, line, [&](uint64_t, uint64_t offset, uint64_t bytes) {
            any = any || ByteMarks::First(side.marks + offset, bytes) != 0;
        });
        if (any) {
            return true;
        }
    }
    return false;
}

/// Returns which bytes along k can change a sum. A zero of an integer type cannot change a sum. For
/// types that are not integers, all bytes can change a sum; the result is then empty.
Something SomethingOf(const ProductLines& side) {
    if (side.data == nullptr) {
        return {};
    }
    Something found(side.bytes);
    for (uint32_t line = 0; line < side.lines; ++line) {
        EachPiece(side, line, [&](uint64_t at, uint64_t offset, uint64_t bytes) {
            uint8_t* const to = found.data() + at;
            const uint8_t* const marks = side.marks + offset;
            const uint8_t* const data = side.data + offset;
            for (uint64_t i = 0; i < bytes; ++i) {
                to[i] |= static_cast<uint8_t>(marks[i] | data[i]);
            }
        });
    }
    for (uint8_t& byte : found) {
        byte = byte == 0 ? 0 : UINT8_MAX;
    }
    return found;
}

/// Returns the first mark that is not 0, among the bytes whose entry in `counts` is not 0.
uint8_t FirstOf(const uint8_t* marks, const uint8_t* counts, uint64_t bytes) {
    uint8_t any = 0;
    for (uint64_t i = 0; i < bytes; ++i) {
        any |= static_cast<uint8_t>(marks[i] & counts[i]);
    }
    for (uint64_t i = 0; any != 0; ++i) {
        if ((marks[i] & counts[i]) != 0) {
            return marks[i];
        }
    }
    return 0;
}

/// Returns for each row of A or column of B the first mark of a byte that can change a sum, or 0.
std::vector<uint8_t> MarksOf(const ProductLines& side, const ProductLines& other) {
    std::vector<uint8_t> found(side.computed);
    if (!AnyMark(side)) {
        return found;
    }
    const Something counts = SomethingOf(other);
    for (uint32_t line = 0; line < side.computed; ++line) {
        EachPiece(side, line, [&](uint64_t at, uint64_t offset, uint64_t bytes) {
            if (found[line] != 0) {
                return;
            }
            const uint8_t* const marks = side.marks + offset;
            found[line] = counts.empty() ? ByteMarks::First(marks, bytes)
                                         : FirstOf(marks, counts.data() + at, bytes);
        });
    }
    return found;
}

}  // namespace

void Product::Start(uint8_t* to, const uint8_t* from) const {
    const uint32_t columns = FractalsOf(shape.n);
    const uint32_t rows = FractalsOf(shape.m) * kSide;
    if (biasMemory != Memory::Bt) {
        std::memmove(to, from, uint64_t{columns} * rows * kSide * sizeof(uint32_t));
        return;
    }
    for (uint32_t column = 0; column < columns; ++column) {
        uint32_t row[kSide] = {};
        const uint32_t count = std::min<uint32_t>(kSide, shape.n - column * kSide);
        std::memcpy(row, from + column * sizeof(row), count * sizeof(uint32_t));
        for (uint32_t r = 0; r < rows; ++r, to += sizeof(row)) {
            std::memcpy(to, row, sizeof(row));
        }
    }
}

void Product::Compute(const Core& core) const {
    if (bias != nullptr) {
        Start(c, bias);
    }
    const void* const right = fullB != nullptr ? static_cast<const void*>(fullB) : b;
    ProductOf(core, dtype)(c, a, right, shape, ProductScratch());
    if (!IsInteger(dtype) && !core.CtrlBit(kCtrlInfNan)) {
        lanes::BestCasts().clampFloat(
            c, uint64_t{FractalsOf(shape.m)} * FractalsOf(shape.n) * kSide * kSide);
    }
    PoisonTails(reinterpret_cast<uint32_t*>(c), shape.m, shape.n);
}

void Product::Mark(const ByteMarks& marks) const {
    // An integer times zero is zero, so marks do not matter where the other factor is zero.
    const bool zeros = IsInteger(dtype) && fullB == nullptr;
    const uint64_t bytes = CeilDiv(uint64_t{shape.k} * kRowBytes, RowElements(dtype));
    const ProductLines left = {marks.Of(Memory::L0a, a),
                               zeros ? a : nullptr,
                               shape.m,
                               shape.vector ? 1 : FractalsOf(shape.m) * kSide,
                               uint64_t{shape.aFractals} * kFractalBytes,
                               shape.vector ? kRowBytes : kFractalBytes,
                               bytes};
    const ProductLines right = {marks.Of(Memory::L0b, b),
                                zeros ? b : nullptr,
                                shape.n,
                                FractalsOf(shape.n) * kSide,
                                kFractalBytes,
                                uint64_t{FractalsOf(shape.n)} * kFractalBytes,
                                fullB == nullptr ? bytes : bytes / 2};
    uint8_t* const to = marks.Of(Memory::L0c, c);
    if (bias != nullptr) {
        Start(to, marks.Of(biasMemory, bias));
    }
    MarkProduct(to, left, right, shape.accumulate);
}

void MarkProduct(uint8_t* c, const ProductLines& a, const ProductLines& b, bool keeps) {
    constexpr uint32_t kWord = 4;
    const std::vector<uint8_t> rows = MarksOf(a, b);
    const std::vector<uint8_t> columns = MarksOf(b, a);
    const auto height = static_cast<uint32_t>(Align(a.lines, kSide));
    for (uint32_t first = 0; first < b.computed; first += kSide) {
        const bool plain = ByteMarks::First(columns.data() + first, kSide) == 0;
        for (uint32_t row = 0; row < height; ++row, c += kSide * kWord) {
            if (row >= a.computed || !keeps) {
                std::memset(c, 0, size_t{kSide} * kWord);
            }
            if (row >= a.computed || (plain && rows[row] == 0)) {
                continue;
            }
            for (uint32_t i = 0; i < kSide; ++i) {
                const uint8_t mark = rows[row] != 0 ? rows[row] : columns[first + i];
                if (mark != 0 && c[size_t{i} * kWord] == 0) {
                    std::memset(c + size_t{i} * kWord, mark, kWord);
                }
            }
        }
    }
}

}  // namespace twin::cube
