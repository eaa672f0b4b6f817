// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/core.h"
#include "core/instruction.h"
#include "hazard/access.h"

namespace twin::hazard {

/// Stores possible reasons for bytes that are no valid data, for messages. There are two reasons: a
/// DataCopyPad writes filler between its rows, and the mask of an instruction leaves elements out.
class Reasons {
public:
    /// Notes a vector instruction; call after the instruction has its effect.
    void Note(const Instruction& i, const Core& core) {
        if (__builtin_expect(i.reads.Has(Register::Mask), 0)) {
            NoteMask(i, core);
        }
    }
    /// Notes a DataCopyPad that writes filler.
    void NoteFiller(const Instruction& i, const Access& access, const Core& core);

    /// Returns a text about the rows that the DataCopyPad `filler` copies, such as "rows of 13
    /// elements are 16 elements apart in UB"; empty if it copies one row.
    std::string TextOfRows(const Access& filler) const;
    /// Returns the parameters with which the DataCopyPad `filler` pads its rows up to a multiple of
    /// 32 B, such as "isPad = true, a padding value and rightPadding = 3"; empty if there are none.
    std::string TextOfPadding(const Access& filler) const;
    /// Returns a text about the latest instruction from `sequence` on whose mask left out some of
    /// the bytes [begin, end) of UB; empty if there is none. `file` is the file that the message
    /// names.
    std::string TextOfMask(uint64_t begin, uint64_t end, uint64_t sequence,
                           const std::string& file) const;

private:
    static constexpr size_t kMost = 256;

    struct Rows {
        uint64_t count;
        uint64_t bytes;    ///< bytes of valid data in a row
        uint64_t stride;   ///< bytes of UB between the beginnings of two rows
        uint64_t element;  ///< bytes of an element
        uint64_t left;     ///< leftPadding in bytes
        uint64_t right;    ///< rightPadding in bytes
        bool hasValue;     ///< isPad, SetPadValue or an earlier call has set the padding value
    };
    /// An instruction that wrote only the elements that its mask selected.
    struct Masked {
        uint64_t begin;  ///< [begin, end): UB bytes that the instruction would write without mask
        uint64_t end;
        uint64_t written;  ///< number of selected elements
        uint64_t all;      ///< number of elements with a full mask; 0: unknown, in counter mode
        uint64_t sequence;
        Opcode opcode;
        Location where;
        Location mask;  ///< call that set the mask
    };

    void NoteMask(const Instruction& i, const Core& core);

    std::unordered_map<uint32_t, Rows> rows_;  ///< rows of the latest DataCopyPad of each site
    std::vector<Masked> masked_;               ///< ring buffer
    size_t oldest_ = 0;
};

}  // namespace twin::hazard
