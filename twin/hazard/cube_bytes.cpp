// SPDX-License-Identifier: Apache-2.0
#include "hazard/cube_bytes.h"

#include <algorithm>
#include <cstring>

namespace twin::hazard {

void CubeBytes::Make(const Core& core, Memory memory) {
    const auto at = static_cast<size_t>(memory);
    if (images_[at].empty()) {
        const uint64_t bytes = core.memoryBytes[at] + kBlock;
        images_[at].assign(bytes, Never(memory));
        dirty_[at].assign(bytes / kBlock + 1, 1);
        marks.marks[at] = images_[at].data();
        marks.bytes[at] = core.memory[at];
    }
}

void CubeBytes::Write(Memory memory, uint64_t begin, uint64_t end) {
    const auto at = static_cast<size_t>(memory);
    for (uint64_t block = begin / kBlock; block * kBlock < end; ++block) {
        if (dirty_[at][block] != 0) {
            const uint64_t from = std::max(begin, block * kBlock);
            const uint64_t to = std::min(end, (block + 1) * kBlock);
            std::memset(marks.marks[at] + from, 0, to - from);
            dirty_[at][block] = to - from == kBlock ? 0 : 1;
        }
    }
}

bool CubeBytes::IsData(Memory memory, uint64_t begin, uint64_t end) {
    const auto at = static_cast<size_t>(memory);
    for (uint64_t block = begin / kBlock; block * kBlock < end; ++block) {
        if (dirty_[at][block] == 0) {
            continue;
        }
        const uint8_t* const bytes = marks.marks[at];
        const uint64_t from = std::max(begin, block * kBlock);
        const uint64_t to = std::min(end, (block + 1) * kBlock);
        if (ByteMarks::First(bytes + from, to - from) != 0) {
            return false;
        }
        dirty_[at][block] = ByteMarks::First(bytes + block * kBlock, kBlock) == 0 ? 0 : 1;
    }
    return true;
}

void CubeBytes::Touch(Memory memory, uint64_t begin, uint64_t end) {
    const auto at = static_cast<size_t>(memory);
    std::fill(dirty_[at].begin() + static_cast<ptrdiff_t>(begin / kBlock),
              dirty_[at].begin() + static_cast<ptrdiff_t>((end + kBlock - 1) / kBlock), uint8_t{1});
}

uint8_t CubeBytes::MarkOf(const Origin& origin) {
    size_t number = 0;
    while (number < origins_.size() && (origins_[number].reader.site != origin.reader.site ||
                                        origins_[number].memory != origin.memory)) {
        ++number;
    }
    if (number == origins_.size() && number < kMostOrigins) {
        origins_.push_back(origin);
    }
    return static_cast<uint8_t>(std::min(number + 1, origins_.size()));
}

void CubeBytes::Clear() {
    for (size_t i = 0; i < kMemories; ++i) {
        images_[i] = std::vector<uint8_t>();
        dirty_[i] = std::vector<uint8_t>();
    }
    marks = ByteMarks();
}

}  // namespace twin::hazard
