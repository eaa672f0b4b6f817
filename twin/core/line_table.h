// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "core/debug_reader.h"

namespace twin {

/// The sections of a program or library that LineTable reads.
struct DebugSections {
    std::string lines;        ///< .debug_line
    std::string lineTexts;    ///< .debug_line_str
    std::string sharedTexts;  ///< .debug_str

    explicit DebugSections(const std::string& path);
};

/// A folder or a file in the lists of a line table.
struct DebugEntry {
    std::string name;
    uint64_t folder = 0;
};

/// The line table of one compilation. It consists of a header and of a line-number program (a term
/// of DWARF). The opcodes of this program make the rows of the table.
class LineTable {
public:
    LineTable(const DebugSections& sections, uint64_t begin)
        : sections_(sections), reader_(sections.lines, begin, UINT64_MAX) {
        uint64_t bytes = reader_.Number(4);
        if (bytes == 0xffffffff) {
            wide_ = 8;
            bytes = reader_.Number(8);
        }
        end_ = reader_.At() + std::min<uint64_t>(bytes, sections.lines.size());
        reader_ = DebugReader(sections.lines, reader_.At(), end_);
        ReadHead();
    }

    uint64_t End() const { return end_; }

    /// Returns the name of the file with this number; "" if the table has no such file.
    std::string NameOf(uint64_t file) const;

    /// Finds the row of the address; returns false if the compilation has no code at this address.
    bool Find(uint64_t address, std::string* file, uint32_t* line);

private:
    struct Row {
        uint64_t address = 0;
        uint64_t file = 1;
        int64_t line = 1;
    };

    void ReadHead();
    std::vector<DebugEntry> ReadEntries();
    std::vector<DebugEntry> ReadOldEntries(bool files);
    std::string ReadForm(uint64_t form, uint64_t* number);
    bool Step();
    bool ExtendedStep();
    void StandardStep(uint64_t opcode);
    void Advance(uint64_t operations) { row_.address += operations * unit_; }

    const DebugSections& sections_;
    DebugReader reader_;
    uint64_t end_ = 0;
    uint64_t version_ = 0;
    uint32_t wide_ = 4;  ///< bytes of an offset
    uint64_t unit_ = 1;  ///< bytes of the shortest instruction
    int64_t lineBase_ = 0;
    uint64_t lineRange_ = 1;
    std::vector<uint64_t> operands_;  ///< number of operands of each standard opcode
    std::vector<DebugEntry> folders_, files_;
    Row row_;             ///< registers of the line-number program: the next row
    Row made_;            ///< the row that was made last
    uint64_t first_ = 0;  ///< address of the first row of the current sequence
    uint64_t rows_ = 0;   ///< number of rows of the current sequence so far
    bool ended_ = false;  ///< the last opcode has ended a sequence
    bool known_ = false;  ///< the header could be read
};

}  // namespace twin
