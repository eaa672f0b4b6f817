// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/byte_marks.h"
#include "core/byte_range.h"
#include "core/opcodes.h"

namespace twin::advanced {

/// An operand of a library call: its name, its bytes, and its host address.
struct Part {
    Arg name;
    uint32_t address;
    Runs runs;
    uint8_t* start;
    bool write;
    bool spent;
};

/// The rows of a call that computes each row of its results from the same row of its sources, and
/// from weights, which have one element per column.
struct RowTile {
    uint32_t rows;
    uint32_t columns;  ///< number of elements in a row, with padding
    uint32_t valid;    ///< number of elements in a row that the results depend on
    uint32_t size;     ///< bytes of an element
    bool fractals;     ///< each row has 16 consecutive elements in every fractal (NZ)
};

/// Moves marks (see ByteMarks) in such a call. If a valid element of a row has a mark, all results
/// of the row get the mark. Marks of padding only move to the padding of the same row. A mark of a
/// weight moves to the element of its column in every row.
class RowMarks {
public:
    RowMarks(const ByteMarks& marks, const RowTile& tile) : marks_(marks), tile_(tile) {}
    void Move(const Part* parts, uint32_t count);

private:
    /// The first mark in the row's valid elements, and the first mark in its padding.
    struct Row {
        uint8_t valid = 0;
        uint8_t padding = 0;
    };

    template <typename Visit>
    void EachPiece(const Part& part, uint32_t row, Visit visit) const;
    bool IsTile(const Part& part) const;
    void Read(const Part& part);
    void ReadWeights(const Part& part);
    void Write(const Part& part) const;

    const ByteMarks& marks_;
    const RowTile tile_;
    std::vector<Row> rows_;
    std::vector<uint8_t> columns_;  ///< by column: mark of a weight; empty: no weight has a mark
};

}  // namespace twin::advanced
