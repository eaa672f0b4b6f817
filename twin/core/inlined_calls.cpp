// SPDX-License-Identifier: Apache-2.0
// Reads from the section .debug_info (DWARF 4) which calls the compiler has inlined.
#include "core/inlined_calls.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/debug_reader.h"
#include "core/files.h"

namespace twin {
namespace {

constexpr uint64_t kInlinedSubroutine = 0x1d;  // DW_TAG_inlined_subroutine
enum Attribute : uint64_t {
    kStmtList = 0x10,
    kLowPc = 0x11,
    kHighPc = 0x12,
    kRanges = 0x55,
    kCallFile = 0x58,
    kCallLine = 0x59
};
constexpr uint64_t kAddress = 0x01;  // DW_FORM_addr

/// The sections that describe functions.
struct FunctionSections {
    std::string info;           ///< .debug_info
    std::string abbreviations;  ///< .debug_abbrev
    std::string ranges;         ///< .debug_ranges

    explicit FunctionSections(const std::string& path) {
        for (const Section& section : SectionsOf(path)) {
            std::string* const content = section.name == ".debug_info"     ? &info
                                         : section.name == ".debug_abbrev" ? &abbreviations
                                         : section.name == ".debug_ranges" ? &ranges
                                                                           : nullptr;
            if (content != nullptr) {
                *content = ContentOf(path, section);
            }
        }
    }
};

/// The attributes of one entry of .debug_info.
struct Entry {
    std::map<uint64_t, uint64_t> values;
    bool endIsAddress = false;

    bool Has(uint64_t attribute) const { return values.count(attribute) != 0; }
    uint64_t Of(uint64_t attribute) const {
        const auto found = values.find(attribute);
        return found == values.end() ? 0 : found->second;
    }
};

/// Describes the entries with one abbreviation code: their tag, and the form (data format) of each
/// attribute.
struct Abbreviation {
    uint64_t tag = 0;
    std::vector<std::pair<uint64_t, uint64_t>> forms;
};

/// Reads the entries of one compilation unit in .debug_info.
class Compilation {
public:
    Compilation(const FunctionSections& sections, uint64_t begin)
        : sections_(sections), reader_(sections.info, begin, UINT64_MAX) {
        const uint64_t bytes = reader_.Number(4);
        end_ = reader_.At() + std::min<uint64_t>(bytes, sections.info.size());
        reader_ = DebugReader(sections.info, reader_.At(), end_);
        known_ = reader_.Number(2) == 4;
        if (known_) {
            ReadAbbreviations(reader_.Number(4));
            known_ = reader_.Number(1) == sizeof(uint64_t);
        }
    }

    uint64_t End() const { return end_; }

    std::vector<InlinedCall> CallsAt(const DebugSections& lines, uint64_t address);

private:
    void ReadAbbreviations(uint64_t at);
    bool Next(uint64_t* tag, Entry* entry);
    uint64_t Value(uint64_t form);
    uint64_t Skipped(uint64_t bytes) {
        reader_.Skip(bytes);
        return 0;
    }
    bool Contains(const Entry& entry, uint64_t address) const;

    const FunctionSections& sections_;
    DebugReader reader_;
    uint64_t end_ = 0;
    bool known_ = false;
    uint64_t base_ = 0;  ///< base address of the ranges in .debug_ranges
    std::map<uint64_t, Abbreviation> abbreviations_;
};

void Compilation::ReadAbbreviations(uint64_t at) {
    DebugReader reader(sections_.abbreviations, at, UINT64_MAX);
    for (uint64_t code = reader.Unsigned(); code != 0; code = reader.Unsigned()) {
        Abbreviation& found = abbreviations_[code];
        found.tag = reader.Unsigned();
        reader.Skip(1);  // whether entries have children
        for (;;) {
            const uint64_t attribute = reader.Unsigned();
            const uint64_t form = reader.Unsigned();
            if (form == 0) {
                break;
            }
            found.forms.emplace_back(attribute, form);
        }
    }
}

/// Reads the next entry. Returns false at the end, and after a form that is not known.
bool Compilation::Next(uint64_t* tag, Entry* entry) {
    uint64_t code = 0;
    while (known_ && !reader_.Done() && code == 0) {
        code = reader_.Unsigned();  // 0 ends a list of children
    }
    const auto found = abbreviations_.find(code);
    if (!known_ || found == abbreviations_.end()) {
        return false;
    }
    *tag = found->second.tag;
    *entry = Entry();
    for (const auto& [attribute, form] : found->second.forms) {
        entry->values[attribute] = Value(form);
        entry->endIsAddress = entry->endIsAddress || (attribute == kHighPc && form == kAddress);
    }
    return known_;
}

/// Reads the value of an attribute in this form; returns 0 for a text or a block.
uint64_t Compilation::Value(uint64_t form) {
    switch (form) {
        case kAddress:
        case 0x07:  // DW_FORM_data8
        case 0x14:  // DW_FORM_ref8
        case 0x20:  // DW_FORM_ref_sig8
            return reader_.Number(8);
        case 0x03:  // DW_FORM_block2
            return Skipped(reader_.Number(2));
        case 0x04:  // DW_FORM_block4
            return Skipped(reader_.Number(4));
        case 0x05:  // DW_FORM_data2
        case 0x12:  // DW_FORM_ref2
            return reader_.Number(2);
        case 0x06:  // DW_FORM_data4
        case 0x0e:  // DW_FORM_strp
        case 0x10:  // DW_FORM_ref_addr
        case 0x13:  // DW_FORM_ref4
        case 0x17:  // DW_FORM_sec_offset
            return reader_.Number(4);
        case 0x08:  // DW_FORM_string
            reader_.Text();
            return 0;
        case 0x09:  // DW_FORM_block
        case 0x18:  // DW_FORM_exprloc
            return Skipped(reader_.Unsigned());
        case 0x0a:  // DW_FORM_block1
            return Skipped(reader_.Number(1));
        case 0x0b:  // DW_FORM_data1
        case 0x0c:  // DW_FORM_flag
        case 0x11:  // DW_FORM_ref1
            return reader_.Number(1);
        case 0x0d:  // DW_FORM_sdata
            return static_cast<uint64_t>(reader_.Signed());
        case 0x0f:  // DW_FORM_udata
        case 0x15:  // DW_FORM_ref_udata
            return reader_.Unsigned();
        case 0x19:  // DW_FORM_flag_present
            return 1;
        default:
            known_ = false;
            return 0;
    }
}

bool Compilation::Contains(const Entry& entry, uint64_t address) const {
    const uint64_t low = entry.Of(kLowPc);
    if (!entry.Has(kRanges)) {
        const uint64_t end = entry.Of(kHighPc) + (entry.endIsAddress ? 0 : low);
        return low != 0 && entry.Has(kHighPc) && low <= address && address < end;
    }
    uint64_t base = base_;
    DebugReader reader(sections_.ranges, entry.Of(kRanges), UINT64_MAX);
    for (;;) {
        const uint64_t begin = reader.Number(8);
        const uint64_t end = reader.Number(8);
        if (begin == 0 && end == 0) {
            return false;
        }
        if (begin == UINT64_MAX) {
            base = end;
        } else if (base + begin <= address && address < base + end) {
            return true;
        }
    }
}

std::vector<InlinedCall> Compilation::CallsAt(const DebugSections& lines, uint64_t address) {
    uint64_t tag = 0;
    Entry entry;
    if (!Next(&tag, &entry) || !entry.Has(kStmtList)) {
        return {};
    }
    base_ = entry.Of(kLowPc);
    if (!Contains(entry, address)) {
        return {};
    }
    const LineTable table(lines, entry.Of(kStmtList));
    std::vector<InlinedCall> calls;
    while (Next(&tag, &entry)) {
        if (tag == kInlinedSubroutine && Contains(entry, address)) {
            calls.push_back(
                {table.NameOf(entry.Of(kCallFile)), static_cast<uint32_t>(entry.Of(kCallLine))});
        }
    }
    std::reverse(calls.begin(), calls.end());
    return calls;
}

}  // namespace

std::vector<InlinedCall> InlinedCallsAt(const std::string& path, const DebugSections& lines,
                                        uint64_t address) {
    const FunctionSections sections(path);
    for (uint64_t at = 0; at < sections.info.size();) {
        Compilation compilation(sections, at);
        std::vector<InlinedCall> calls = compilation.CallsAt(lines, address);
        if (!calls.empty()) {
            return calls;
        }
        at = compilation.End();
    }
    return {};
}

}  // namespace twin
