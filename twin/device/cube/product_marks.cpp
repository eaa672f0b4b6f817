// SPDX-License-Identifier: Apache-2.0
#include "device/cube/product_marks.h"

#include <cstring>
#include <vector>

namespace twin::cube {
namespace {

/// One entry per byte along k: 0 if it adds nothing, whatever the other operand has there;
/// otherwise all bits.
using Something = std::vector<uint8_t>;

/// Calls look(byte along k, offset, bytes) for the pieces of a line.
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

/// If all lines that count are zero, as integers, the numbers by which they are multiplied do not
/// matter.
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

/// Returns the first mark in a piece of a line, among the bytes that count.
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

/// The first mark of each line.
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
