// SPDX-License-Identifier: Apache-2.0
#include "hazard/reasons.h"

#include <algorithm>

#include "hazard/finding.h"

namespace twin::hazard {
namespace {

std::string Count(uint64_t number, const char* what) {
    return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
}

/// Returns "line 12" for a call. Adds the name of the call's file if this file is a header or
/// differs from `file`.
std::string LineIn(const Location& where, const std::string& file) {
    const std::string own = where.file;
    return "line " + std::to_string(where.line) +
           (own == file && !IsHeader(own) ? "" : " of " + own.substr(own.rfind('/') + 1));
}

/// The elements at the edges of a repeat that the mask does not select: the number of elements
/// before the first selected element, and behind the last one.
struct Edges {
    uint32_t before;
    uint32_t behind;
};

Edges EdgesOf(const MaskState& mask, uint32_t perRepeat) {
    const auto selects = [&mask](uint32_t element) {
        return ((element < 64 ? mask.low : mask.high) >> element % 64 & 1U) != 0;
    };
    Edges edges{0, 0};
    while (edges.before < perRepeat && !selects(edges.before)) {
        ++edges.before;
    }
    while (edges.behind < perRepeat && !selects(perRepeat - 1 - edges.behind)) {
        ++edges.behind;
    }
    return edges;
}

}  // namespace

void Reasons::NoteFiller(const Instruction& i, const Access& access, const Core& core) {
    const auto find = [&i](auto&& which) {
        return std::find_if(i.ranges.begin(), i.ranges.end(), which);
    };
    const auto source = find([](const ByteRange& range) { return range.memory == Memory::Gm; });
    const auto filler = find([](const ByteRange& range) { return range.filler; });
    if (source == i.ranges.end() || filler == i.ranges.end() || i.elements == 0) {
        return;
    }
    // Each row has one run of filler bytes, so the number of runs is the number of rows.
    const Runs& runs = filler->runs;
    const uint64_t rows = runs.block.count * runs.repeat.count;
    const uint64_t bytes = source->runs.TotalBytes();
    rows_[access.site] = {rows,
                          bytes / rows,
                          runs.block.count > 1 ? runs.block.stride : runs.repeat.stride,
                          bytes / i.elements,
                          core.padLeftBytes,
                          core.padRightBytes,
                          core.padValueKnown};
}

std::string Reasons::TextOfPadding(const Access& filler) const {
    const auto found = rows_.find(filler.site);
    if (found == rows_.end() || found->second.element == 0) {
        return "";
    }
    const Rows& rows = found->second;
    const uint64_t asked = rows.left + rows.bytes + rows.right;
    const uint64_t missing = (kBlockBytes - asked % kBlockBytes) % kBlockBytes;
    const uint64_t right = rows.right + missing;
    if (right > kBlockBytes || missing % rows.element != 0) {
        return "";  // DataCopyPad refuses such a padding
    }
    if (missing == 0) {
        return rows.hasValue
                   ? ""
                   : "isPad = true and a padding value for leftPadding = " +
                         std::to_string(rows.left / rows.element) +
                         " and rightPadding = " + std::to_string(rows.right / rows.element);
    }
    return (rows.hasValue ? "" : "isPad = true, a padding value and ") +
           std::string("rightPadding = ") + std::to_string(right / rows.element) +
           (rows.right == 0 ? "" : ", not " + std::to_string(rows.right / rows.element)) + " (" +
           Count(missing / rows.element, "element") + " behind each row " +
           (missing == rows.element ? "is" : "are") + " filler)";
}

std::string Reasons::TextOfRows(const Access& filler) const {
    const auto found = rows_.find(filler.site);
    if (found == rows_.end() || found->second.count <= 1 || found->second.element == 0) {
        return "";
    }
    const Rows& rows = found->second;
    std::string apart = std::to_string(rows.stride) + " B apart";
    if (rows.stride % rows.element == 0) {
        apart = Count(rows.stride / rows.element, "element") + " apart";
    }
    return "each row starts at a multiple of 32 B in UB: rows of " +
           Count(rows.bytes / rows.element, "element") + " are " + apart + " there";
}

void Reasons::NoteMask(const Instruction& i, const Core& core) {
    if (KindOf(i.opcode) != OpcodeKind::Elementwise) {
        return;  // the mask does not select elements of the destination
    }
    uint32_t widest = 1;
    for (const ByteRange& range : i.ranges) {
        widest = std::max(widest, range.type.Known() ? SizeOf(range.type.Value()) : 1);
    }
    const uint32_t perRepeat = kRepeatBytes / widest;
    const uint64_t all = uint64_t{perRepeat} * i.repeats;
    if (!core.mask.counter && i.elements >= all) {
        return;
    }
    const Edges edges = EdgesOf(core.mask, perRepeat);
    for (const ByteRange& range : i.ranges) {
        if (!range.write || range.memory != Memory::Ub || !range.type.Known()) {
            continue;
        }
        const uint64_t size = SizeOf(range.type.Value());
        Masked masked{range.begin - std::min(range.begin, edges.before * size),
                      range.begin + range.runs.Span() + edges.behind * size,
                      i.elements,
                      all,
                      i.sequence,
                      i.opcode,
                      i.where,
                      i.writes.Has(Register::Mask) ? i.where : core.modesSetAt.mask};
        if (core.mask.counter) {
            const BufferRecord* const buffer = core.FindBuffer(Memory::Ub, range.begin);
            masked.begin = range.begin;
            masked.end = buffer == nullptr ? range.begin + range.runs.Span()
                                           : uint64_t{buffer->begin} + buffer->bytes;
            masked.all = 0;
        }
        if (masked_.size() < kMost) {
            masked_.push_back(masked);
        } else {
            masked_[oldest_] = masked;
            oldest_ = (oldest_ + 1) % kMost;
        }
    }
}

std::string Reasons::TextOfMask(uint64_t begin, uint64_t end, uint64_t sequence,
                                const std::string& file) const {
    for (size_t i = masked_.size(); i-- != 0;) {
        const Masked& masked = masked_[(oldest_ + i) % masked_.size()];
        if (masked.sequence < sequence || begin >= masked.end || end <= masked.begin) {
            continue;
        }
        const bool own = masked.mask.line == 0 || (masked.mask.line == masked.where.line &&
                                                   masked.mask.file == masked.where.file);
        std::string text = Name(masked.opcode);
        text += " in " + LineIn(masked.where, file) + " wrote only ";
        text += masked.all == 0
                    ? Count(masked.written, "element")
                    : std::to_string(masked.written) + " of " + Count(masked.all, "element");
        text += own ? ": its mask" : ": the mask of " + LineIn(masked.mask, file);
        return text + " excludes the others";
    }
    return "";
}

}  // namespace twin::hazard
