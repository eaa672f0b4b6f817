// SPDX-License-Identifier: Apache-2.0
// Reads the table of source lines that compilers write into the section .debug_line (DWARF 2 to 5).
#include "core/line_table.h"

#include <algorithm>
#include <utility>

#include "core/files.h"

namespace twin {

DebugSections::DebugSections(const std::string& path) {
    for (const Section& section : SectionsOf(path)) {
        std::string* const content = section.name == ".debug_line"       ? &lines
                                     : section.name == ".debug_line_str" ? &lineTexts
                                     : section.name == ".debug_str"      ? &sharedTexts
                                                                         : nullptr;
        if (content != nullptr) {
            *content = ContentOf(path, section);
        }
    }
}

bool LineTable::Find(uint64_t address, std::string* file, uint32_t* line) {
    while (known_ && !reader_.Done()) {
        const Row before = made_;
        // The linker gives address 0 to code that it has left out.
        if (Step() && rows_ > 1 && first_ != 0 && before.address <= address &&
            address < row_.address) {
            *file = NameOf(before.file);
            *line = static_cast<uint32_t>(before.line);
            return true;
        }
    }
    return false;
}

std::string LineTable::NameOf(uint64_t file) const {
    const uint64_t index = version_ < 5 ? file - 1 : file;
    if (index >= files_.size()) {
        return "";
    }
    // Folder 0 is the compiler's working directory, which messages leave out.
    const DebugEntry& found = files_[index];
    const uint64_t folder = version_ < 5 ? found.folder - 1 : found.folder;
    return found.folder == 0 || folder >= folders_.size() || found.name[0] == '/'
               ? found.name
               : folders_[folder].name + "/" + found.name;
}

void LineTable::ReadHead() {
    version_ = reader_.Number(2);
    if (version_ < 2 || version_ > 5) {
        return;
    }
    reader_.Skip(version_ == 5 ? 2 : 0);
    const uint64_t headBytes = reader_.Number(wide_);
    const uint64_t start = reader_.At() + headBytes;
    unit_ = reader_.Number(1);
    reader_.Skip(version_ >= 4 ? 2 : 1);
    lineBase_ = static_cast<int8_t>(reader_.Number(1));
    lineRange_ = reader_.Number(1);
    for (uint64_t opcodes = reader_.Number(1); operands_.size() + 1 < opcodes;) {
        operands_.push_back(reader_.Number(1));
    }
    folders_ = version_ == 5 ? ReadEntries() : ReadOldEntries(false);
    files_ = version_ == 5 ? ReadEntries() : ReadOldEntries(true);
    known_ = lineRange_ != 0;
    reader_ = DebugReader(sections_.lines, start, end_);
}

/// Reads a list of folders or files in DWARF 5. The list begins with the forms (data formats) of
/// its entries.
std::vector<DebugEntry> LineTable::ReadEntries() {
    constexpr uint64_t kPath = 1;
    constexpr uint64_t kFolder = 2;
    std::vector<std::pair<uint64_t, uint64_t>> forms(reader_.Number(1));
    for (auto& form : forms) {
        form.first = reader_.Unsigned();
        form.second = reader_.Unsigned();
    }
    std::vector<DebugEntry> entries;
    for (uint64_t left = forms.empty() ? 0 : reader_.Unsigned(); left > 0 && !reader_.Done();
         --left) {
        DebugEntry entry;
        for (const auto& form : forms) {
            uint64_t number = 0;
            const std::string text = ReadForm(form.second, &number);
            entry.name = form.first == kPath ? text : entry.name;
            entry.folder = form.first == kFolder ? number : entry.folder;
        }
        entries.push_back(entry);
    }
    return entries;
}

/// Reads a list of folders or files in DWARF 2 to 4. The list ends with an empty name.
std::vector<DebugEntry> LineTable::ReadOldEntries(bool files) {
    std::vector<DebugEntry> entries;
    for (std::string name = reader_.Text(); !name.empty(); name = reader_.Text()) {
        entries.push_back({name, files ? reader_.Unsigned() : 0});
        if (files) {
            reader_.Unsigned();  // time of the last change
            reader_.Unsigned();  // length of the file
        }
    }
    return entries;
}

/// Reads a value in this form. Returns a text; stores a number in `*number`.
std::string LineTable::ReadForm(uint64_t form, uint64_t* number) {
    switch (form) {
        case 0x08:  // DW_FORM_string
            return reader_.Text();
        case 0x1f:  // DW_FORM_line_strp
            return DebugReader(sections_.lineTexts, reader_.Number(wide_), UINT64_MAX).Text();
        case 0x0e:  // DW_FORM_strp
            return DebugReader(sections_.sharedTexts, reader_.Number(wide_), UINT64_MAX).Text();
        case 0x0b:  // DW_FORM_data1
            *number = reader_.Number(1);
            break;
        case 0x05:  // DW_FORM_data2
            *number = reader_.Number(2);
            break;
        case 0x06:  // DW_FORM_data4
            *number = reader_.Number(4);
            break;
        case 0x07:  // DW_FORM_data8
            *number = reader_.Number(8);
            break;
        case 0x1e:  // DW_FORM_data16
            reader_.Skip(16);
            break;
        case 0x09:  // DW_FORM_block
            reader_.Skip(reader_.Unsigned());
            break;
        default:  // DW_FORM_udata
            *number = reader_.Unsigned();
    }
    return "";
}

/// Runs one opcode of the line-number program. Returns true if the opcode has made a row.
bool LineTable::Step() {
    if (ended_) {
        row_ = Row();
        rows_ = 0;
    }
    const uint64_t opcode = reader_.Number(1);
    const uint64_t firstSpecial = operands_.size() + 1;
    bool made = true;
    ended_ = false;
    if (opcode >= firstSpecial) {
        Advance((opcode - firstSpecial) / lineRange_);
        row_.line += lineBase_ + static_cast<int64_t>((opcode - firstSpecial) % lineRange_);
    } else if (opcode == 0) {
        made = ended_ = ExtendedStep();
    } else {
        made = opcode == 1;
        StandardStep(opcode);
    }
    rows_ += made ? 1 : 0;
    first_ = rows_ == 1 && made ? row_.address : first_;
    made_ = made ? row_ : made_;
    return made;
}

/// Runs an extended opcode. Returns true if the opcode ends the sequence of rows.
bool LineTable::ExtendedStep() {
    const uint64_t bytes = reader_.Unsigned();
    const uint64_t end = reader_.At() + bytes;
    const uint64_t opcode = reader_.Number(1);
    if (opcode == 2) {  // DW_LNE_set_address
        row_.address = reader_.Number(static_cast<uint32_t>(std::min<uint64_t>(bytes - 1, 8)));
    }
    reader_ = DebugReader(sections_.lines, end, end_);
    return opcode == 1;  // DW_LNE_end_sequence
}

void LineTable::StandardStep(uint64_t opcode) {
    switch (opcode) {
        case 2:  // DW_LNS_advance_pc
            Advance(reader_.Unsigned());
            break;
        case 3:  // DW_LNS_advance_line
            row_.line += reader_.Signed();
            break;
        case 4:  // DW_LNS_set_file
            row_.file = reader_.Unsigned();
            break;
        case 8:  // DW_LNS_const_add_pc
            Advance((255 - operands_.size() - 1) / lineRange_);
            break;
        case 9:  // DW_LNS_fixed_advance_pc
            row_.address += reader_.Number(2);
            break;
        default:
            for (uint64_t left = operands_[opcode - 1]; left > 0; --left) {
                reader_.Unsigned();
            }
    }
}

}  // namespace twin
