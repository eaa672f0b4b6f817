// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

namespace twin {

/// Reads numbers and texts from the bytes [begin, end) of a section. A read after `end` gives 0.
class DebugReader {
public:
    DebugReader(const std::string& bytes, uint64_t begin, uint64_t end)
        : bytes_(&bytes), at_(begin), end_(std::min<uint64_t>(end, bytes.size())) {}

    bool Done() const { return at_ >= end_; }
    uint64_t At() const { return at_; }
    void Skip(uint64_t count) { at_ = count < end_ - std::min(at_, end_) ? at_ + count : end_; }

    /// Reads a little-endian number of `count` bytes.
    uint64_t Number(uint32_t count) {
        uint64_t value = 0;
        for (uint32_t i = 0; i < count; ++i) {
            const uint64_t byte = Byte();
            value |= i < 8 ? byte << (8 * i) : 0;
        }
        return value;
    }
    /// Reads a number in LEB128, 7 bits per byte.
    uint64_t Unsigned() {
        uint32_t bits = 0;
        return Leb(&bits);
    }
    int64_t Signed() {
        uint32_t bits = 0;
        const uint64_t value = Leb(&bits);
        const bool negative = bits > 0 && bits < 64 && (value >> (bits - 1) & 1) != 0;
        return static_cast<int64_t>(negative ? value | (~uint64_t{0} << bits) : value);
    }
    std::string Text() {
        std::string text;
        for (auto byte = Byte(); byte != 0; byte = Byte()) {
            text += static_cast<char>(byte);
        }
        return text;
    }

private:
    uint8_t Byte() { return Done() ? 0 : static_cast<uint8_t>((*bytes_)[at_++]); }
    uint64_t Leb(uint32_t* bits) {
        uint64_t value = 0;
        for (uint8_t byte = 0x80; (byte & 0x80) != 0; *bits += 7) {
            byte = Byte();
            value |= *bits < 64 ? static_cast<uint64_t>(byte & 0x7f) << *bits : 0;
        }
        return value;
    }

    const std::string* bytes_;
    uint64_t at_;
    uint64_t end_;
};

}  // namespace twin
