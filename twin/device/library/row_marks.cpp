// SPDX-License-Identifier: Apache-2.0
#include "device/library/row_marks.h"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace twin::advanced {
namespace {

bool IsOneOf(Arg name, const Arg* first, const Arg* last) {
    return std::find(first, last, name) != last;
}

bool IsWeights(Arg name) {
    static constexpr Arg kNames[] = {Arg::Gamma, Arg::Beta, Arg::GammaLocal, Arg::BetaLocal,
                                     Arg::InputGamma};
    return IsOneOf(name, std::begin(kNames), std::end(kNames));
}

/// Sets `mark` to the first mark among `count` marks, unless `mark` is set already.
void Merge(const uint8_t* marks, uint64_t count, uint8_t* mark) {
    *mark = *mark != 0 ? *mark : ByteMarks::First(marks, count);
}

}  // namespace

/// Calls visit(bytes, first, count) for each contiguous piece of a row: `first` is the number of
/// the piece's first byte in the row.
template <typename Visit>
void RowMarks::EachPiece(const Part& part, uint32_t row, Visit visit) const {
    const Runs& runs = part.runs;
    uint8_t* const start = marks_.Of(Memory::Ub, part.start);
    if (runs.block.count == 1) {
        const uint64_t bytes = runs.bytes / tile_.rows;
        visit(start + row * bytes, uint64_t{0}, bytes);
    } else if (!tile_.fractals) {
        visit(start + row * runs.block.stride, uint64_t{0}, runs.bytes);
    } else {
        const uint64_t bytes = runs.bytes / tile_.rows;
        for (uint64_t i = 0; i < runs.block.count; ++i) {
            visit(start + i * runs.block.stride + row * bytes, i * bytes, bytes);
        }
    }
}

/// Returns true if the operand has all columns. Other operands have the same value in all elements
/// of a row, such as the sum.
bool RowMarks::IsTile(const Part& part) const {
    static constexpr Arg kNames[] = {Arg::Dst,     Arg::Src,       Arg::Grad,       Arg::Output,
                                     Arg::InputX,  Arg::DstLocal,  Arg::SrcLocal,   Arg::GxLocal,
                                     Arg::InputDy, Arg::OutputPdX, Arg::ResForGamma};
    return IsOneOf(part.name, std::begin(kNames), std::end(kNames));
}

void RowMarks::Read(const Part& part) {
    const uint64_t valid = IsTile(part) ? uint64_t{tile_.valid} * tile_.size : UINT64_MAX;
    for (uint32_t i = 0; i < tile_.rows; ++i) {
        EachPiece(part, i, [&](const uint8_t* marks, uint64_t first, uint64_t count) {
            const uint64_t some = std::min(count, valid - std::min(first, valid));
            Merge(marks, some, &rows_[i].valid);
            Merge(marks + some, count - some, &rows_[i].padding);
        });
    }
}

void RowMarks::ReadWeights(const Part& part) {
    const uint64_t bytes = part.runs.TotalBytes();
    const uint8_t* const marks = marks_.Of(Memory::Ub, part.start);
    if (ByteMarks::First(marks, bytes) == 0) {
        return;
    }
    const bool wide = bytes == uint64_t{tile_.columns} * 4 || bytes == uint64_t{tile_.valid} * 4;
    const uint64_t size = wide ? 4 : 2;
    columns_.resize(tile_.columns);
    for (uint64_t i = 0; i < std::min<uint64_t>(columns_.size(), bytes / size); ++i) {
        Merge(marks + i * size, size, &columns_[i]);
    }
}

void RowMarks::Write(const Part& part) const {
    const bool tile = IsTile(part);
    const uint64_t valid = tile ? uint64_t{tile_.valid} * tile_.size : UINT64_MAX;
    for (uint32_t i = 0; i < tile_.rows; ++i) {
        EachPiece(part, i, [&](uint8_t* marks, uint64_t first, uint64_t count) {
            const uint64_t some = std::min(count, valid - std::min(first, valid));
            std::memset(marks, rows_[i].valid, some);
            std::memset(marks + some, rows_[i].valid != 0 ? rows_[i].valid : rows_[i].padding,
                        count - some);
            for (uint64_t at = 0; tile && at < count; at += tile_.size) {
                const uint64_t column = (first + at) / tile_.size;
                if (column < columns_.size() && columns_[column] != 0) {
                    std::memset(marks + at, columns_[column], tile_.size);
                }
            }
        });
    }
}

void RowMarks::Move(const Part* parts, uint32_t count) {
    rows_.resize(tile_.rows);
    for (uint32_t i = 0; i < count; ++i) {
        if (!parts[i].write) {
            IsWeights(parts[i].name) ? ReadWeights(parts[i]) : Read(parts[i]);
        }
    }
    for (uint32_t i = 0; i < count; ++i) {
        if (parts[i].write) {
            Write(parts[i]);
        }
    }
}

}  // namespace twin::advanced
