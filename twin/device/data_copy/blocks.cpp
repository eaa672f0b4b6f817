// SPDX-License-Identifier: Apache-2.0
#include "device/data_copy/blocks.h"

#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "device/data_copy/data_copy_slice.h"
#include "device/data_copy/serve.h"
#include "device/issue/issue.h"

namespace twin::copy {
namespace {

constexpr uint64_t kMaxBlockBytes = 2097151;
constexpr uint32_t kMaxBlockCount = 4095;

uint64_t RoundUp(uint64_t bytes) { return (bytes + kBlockBytes - 1) / kBlockBytes * kBlockBytes; }

/// Returns the memory of the local operand of a DataCopy: L1 or UB.
Memory LocalSide(const Operand& operand) {
    return MemoryOf(operand.position) == Memory::L1 ? Memory::L1 : Memory::Ub;
}

/// Returns the kind of core that executes the copy: vector cores use UB, cube cores use L1.
CoreKind CoreOf(const Operand& local) {
    return LocalSide(local) == Memory::Ub ? CoreKind::Aiv : CoreKind::Aic;
}

/// Checks the memory of the local operand; returns false if this kind of core lacks the DataCopy.
bool Begins(const Issue& issue, const Operand& local, const char* name) {
    if (LocalSide(local) == Memory::Ub) {
        RequireMemory(local, Memory::Ub, issue.api(), name);
    }
    return static_cast<bool>(issue);
}

/// Sets the numbers of blocks and elements of `issue`; returns false if there is nothing to copy.
bool SetWork(Issue& issue, const Blocks& blocks, uint32_t elementBytes) {
    // elementBytes is a power of two, so a shift replaces a slow division.
    issue.Work(blocks.count, blocks.count * blocks.bytes >> __builtin_ctz(elementBytes));
    return blocks.count != 0 && blocks.bytes != 0;
}

void MoveIn(Issue& issue, const Operand& dst, const GmOperand& src, const Blocks& blocks,
            uint32_t elementBytes, uint32_t gmAlignment) {
    if (!SetWork(issue, blocks, elementBytes)) {
        return;
    }
    uint8_t* to = issue.Write(Arg::Dst, dst, LocalSide(dst), blocks.Local());
    const uint8_t* from = issue.ReadGm(Arg::Src, src, blocks.Gm(), gmAlignment);
    issue.Ready();
    if (blocks.Dense()) {
        std::memcpy(to, from, blocks.count * blocks.bytes);
    } else {
        for (uint64_t i = 0; i < blocks.count; ++i) {
            std::memcpy(to + i * blocks.ubStride, from + i * blocks.gmStride, blocks.bytes);
        }
    }
    issue.Done();
}

void MoveOut(Issue& issue, const GmOperand& dst, const Operand& src, const Blocks& blocks,
             uint32_t elementBytes, uint32_t gmAlignment) {
    if (!SetWork(issue, blocks, elementBytes)) {
        return;
    }
    const uint8_t* from = issue.Read(Arg::Src, src, LocalSide(src), blocks.Local());
    issue.WriteGm(Arg::Dst, dst, blocks.Gm(), elementBytes, gmAlignment);
    issue.Ready();
    Core& core = issue.core();
    if (blocks.Dense()) {
        core.StoreGm(dst.address, from, blocks.count * blocks.bytes);
    } else {
        for (uint64_t i = 0; i < blocks.count; ++i) {
            core.StoreGm(dst.address + i * blocks.gmStride, from + i * blocks.ubStride,
                         blocks.bytes);
        }
    }
    issue.Done();
}

/// Text of a field for an error message. A value with the top bit set is also shown as negative.
struct FieldText {
    FieldText(uint32_t value, uint32_t bits) {
        const bool cut = value >> (bits - 1) != 0;
        std::snprintf(text, sizeof(text), cut ? "%u (%lld cut to %u bits)" : "%u", value,
                      int64_t{value} - (1LL << bits), bits);
    }
    char text[48];
};

void CheckBlockCount(const char* api, uint16_t count) {
    if (count > kMaxBlockCount) {
        Fail("T408", "block count out of range: %s of %s blocks, expected 0 to %u", api,
             FieldText(count, 16).text, kMaxBlockCount);
    }
}

Blocks FromParams(const AscendC::DataCopyParams& params, uint64_t gmGap, uint64_t ubGap) {
    CheckBlockCount("DataCopy", params.blockCount);
    const uint64_t bytes = uint64_t{params.blockLen} * kBlockBytes;
    return {params.blockCount, bytes, bytes + gmGap * kBlockBytes, bytes + ubGap * kBlockBytes};
}

/// Returns the only block of a DataCopy that has an element count instead of DataCopyParams.
Blocks FromCount(const Issue& issue, uint64_t bytes, uint32_t elementBytes) {
    return {1, WholeBlocks(issue.core(), "DataCopy", bytes, elementBytes)};
}

void CheckPadParams(const Core& core, const AscendC::DataCopyExtParams& params,
                    uint32_t elementBytes) {
    CheckBlockCount("DataCopyPad", params.blockCount);
    if (params.blockLen > kMaxBlockBytes) {
        Fail("T408",
             "block length out of range: DataCopyPad with blockLen %s B, expected 0 to %" PRIu64,
             FieldText(params.blockLen, 32).text, kMaxBlockBytes);
    }
    if (params.blockLen % elementBytes != 0 && core.strict) {
        Fail("T408",
             "block length not whole elements: DataCopyPad with blockLen %u B, expected a multiple "
             "of %u B (blockLen"
             " counts bytes, not elements)",
             params.blockLen, elementBytes);
    }
}

/// Fills memory with copies of a value of 1, 2, 4 or 8 B.
void Fill(uint8_t* from, const uint8_t* end, const void* value, size_t valueBytes) {
    uint8_t eight[8];  // memory is filled 8 B at a time
    for (size_t at = 0; at < sizeof(eight); at += valueBytes) {
        std::memcpy(eight + at, value, valueBytes);
    }
    for (; from + sizeof(eight) <= end; from += sizeof(eight)) {
        std::memcpy(from, eight, sizeof(eight));
    }
    std::memcpy(from, eight, static_cast<size_t>(end - from));
}

/// Writes the padding of one run. If both padding counts are 0, the bytes after the run repeat its
/// first element. Strict mode poisons padding whose value was never set.
void Pad(const Core& core, uint8_t* block, const Padding& padding, uint64_t bytes, uint64_t padded,
         uint32_t elementBytes) {
    const uint8_t* const data = block + padding.leftBytes;
    uint8_t* const tail = block + padding.leftBytes + bytes;
    const uint8_t* const end = block + padded;
    if (padding.leftBytes == 0 && padding.rightBytes == 0) {
        Fill(tail, end, data, elementBytes);
        return;
    }
    const bool poisoned = core.strict && !core.padValueKnown;
    const void* const value = poisoned ? static_cast<const void*>(&kPoison) : &core.padValue;
    const size_t valueBytes = poisoned ? sizeof(kPoison) : elementBytes;
    Fill(block, data, value, valueBytes);
    Fill(tail, end, value, valueBytes);
}

/// Copies runs to UB. Each run fills `padded` bytes: data with padding, then filler.
void MoveInPadded(Issue& issue, const Operand& dst, const GmOperand& src, const Blocks& blocks,
                  const Padding& padding, uint64_t padded, uint32_t elementBytes) {
    const bool known = issue.core().padValueKnown;
    const uint64_t left = known ? 0 : padding.leftBytes;  // undefined if no padding value was set
    const uint64_t asked = blocks.bytes + (known ? padding.leftBytes + padding.rightBytes : 0);
    const Level runs = {blocks.count, blocks.ubStride};
    const auto data = [&](const PieceVisitor& visit) {
        for (uint64_t i = 0; i < blocks.count; ++i) {
            visit(0, dst.address + left + i * blocks.ubStride, asked);
        }
    };
    const Runs image{padded, runs};
    SetWork(issue, blocks, elementBytes);
    uint8_t* block = issue.Write(Arg::Dst, dst, Memory::Ub, image, image.Span(), data);
    if (left != 0) {
        issue.Note(Arg::Dst, Memory::Ub, dst.address, Runs{left, runs}, true, true);
    }
    const uint64_t end = left + asked;
    if (end != padded) {
        issue.Note(Arg::Dst, Memory::Ub, dst.address + end, Runs{padded - end, runs}, true, true);
    }
    const uint8_t* from = issue.ReadGm(Arg::Src, src, blocks.Gm());
    if (padding.leftBytes != 0 || padding.rightBytes != 0) {
        issue.Reads(Register::PadValue);
    }
    issue.Ready();
    for (uint64_t i = 0; i < blocks.count; ++i, block += blocks.ubStride) {
        std::memcpy(block + padding.leftBytes, from + i * blocks.gmStride, blocks.bytes);
        Pad(issue.core(), block, padding, blocks.bytes, padded, elementBytes);
    }
    issue.Done();
}

bool BeginsLocal(const Issue& issue, const Operand& dst) {
    RequireMemory(dst, Memory::Ub, issue.api(), "dst");
    return static_cast<bool>(issue);
}

/// Returns a callable that lists one operand's blocks of 32 B, in the order of the vector unit.
auto PiecesOf(uint64_t begin, const Blocks& blocks, uint64_t stride) {
    return [=](const PieceVisitor& visit) {
        uint32_t number = 0;
        for (uint64_t i = 0; i < blocks.count; ++i) {
            for (uint64_t at = 0; at < blocks.bytes; at += kBlockBytes) {
                visit(number++, begin + i * stride + at, kBlockBytes);
            }
        }
    };
}

/// Copies UB -> UB; `blocks.gmStride` is the stride of the source.
void MoveLocal(Issue& issue, const Operand& dst, const Operand& src, const Blocks& blocks) {
    if (!SetWork(issue, blocks, 1)) {
        return;
    }
    const Runs into = blocks.Local();
    const Runs outOf = blocks.Gm();
    const auto toPieces = PiecesOf(dst.address, blocks, blocks.ubStride);
    const auto fromPieces = PiecesOf(src.address, blocks, blocks.gmStride);
    uint8_t* to = issue.Write(Arg::Dst, dst, Memory::Ub, into, into.Span(), toPieces);
    const uint8_t* from = issue.Read(Arg::Src, src, Memory::Ub, outOf, outOf.Span(), fromPieces);
    issue.Ready();
    const uint64_t step = issue.Mixed() ? kBlockBytes : blocks.bytes;
    for (uint64_t i = 0; i < blocks.count; ++i) {
        for (uint64_t at = 0; at < blocks.bytes; at += step) {
            std::memmove(to + i * blocks.ubStride + at, from + i * blocks.gmStride + at, step);
        }
    }
    issue.Done();
}

void CopyCountToTable(const Operand& dst, const Operand& src, uint64_t bytes, uint32_t elementBytes,
                      Location where) {
    Core& core = Self();
    core.Begin(where);
    CheckCount("DataCopy", bytes, elementBytes);
    const uint32_t block = TableBlock(dst);
    if (bytes % block != 0 && core.strict) {
        Fail("T407",
             "length not a multiple of %u B: DataCopy of %" PRIu64
             " B out of L1; the chip silently drops the last %" PRIu64 " B",
             block, bytes, bytes % block);
    }
    if (bytes / block > UINT16_MAX) {
        Fail("T408", "length out of range: DataCopy of %" PRIu64 " B out of L1, expected 0 to %u",
             bytes, UINT16_MAX * block);
    }
    AscendC::DataCopyParams params;
    params.blockLen = static_cast<uint16_t>(bytes / block);
    CopyToTable(dst, src, params, false, where);
}

}  // namespace

void CopyIn(const Operand& dst, const GmOperand& src, uint64_t bytes, uint32_t elementBytes,
            Location where) {
    if (IsServed(dst)) {
        return Serve("DataCopy", [=] { CopyIn(dst, src, bytes, elementBytes, where); }, where);
    }
    Issue issue({Opcode::DataCopy, Pipe::Mte2}, CoreOf(dst), where);
    if (Begins(issue, dst, "dst")) {
        const Blocks blocks = FromCount(issue, bytes, elementBytes);
        MoveIn(issue, dst, src, blocks, elementBytes, elementBytes);
    }
}

void CopyOut(const GmOperand& dst, const Operand& src, uint64_t bytes, uint32_t elementBytes,
             Location where) {
    Issue issue({Opcode::DataCopy, Pipe::Mte3}, CoreOf(src), where);
    if (Begins(issue, src, "src")) {
        const Blocks blocks = FromCount(issue, bytes, elementBytes);
        MoveOut(issue, dst, src, blocks, elementBytes, elementBytes);
    }
}

void CopyIn(const Operand& dst, const GmOperand& src, const AscendC::DataCopyParams& params,
            uint32_t elementBytes, Location where) {
    if (IsServed(dst)) {
        return Serve("DataCopy", [=] { CopyIn(dst, src, params, elementBytes, where); }, where);
    }
    Issue issue({Opcode::DataCopy, Pipe::Mte2}, CoreOf(dst), where);
    if (Begins(issue, dst, "dst")) {
        const Blocks blocks = FromParams(params, params.srcStride, params.dstStride);
        MoveIn(issue, dst, src, blocks, elementBytes, elementBytes);
    }
}

void CopyOut(const GmOperand& dst, const Operand& src, const AscendC::DataCopyParams& params,
             uint32_t elementBytes, Location where) {
    Issue issue({Opcode::DataCopy, Pipe::Mte3}, CoreOf(src), where);
    if (Begins(issue, src, "src")) {
        const Blocks blocks = FromParams(params, params.dstStride, params.srcStride);
        MoveOut(issue, dst, src, blocks, elementBytes, elementBytes);
    }
}

void CopyLocal(const Operand& dst, const Operand& src, const AscendC::DataCopyParams& params,
               uint32_t /*elementBytes*/, Location where) {
    if (IsServed(dst)) {
        return ServeFromUb(dst, src, params, where);
    }
    if (MemoryOf(src.position) == Memory::L1) {
        CopyToTable(dst, src, params, false, where);
        return;
    }
    Issue issue({Opcode::DataCopy, Pipe::V}, CoreKind::Aiv, where);
    if (BeginsLocal(issue, dst)) {
        MoveLocal(issue, dst, src, FromParams(params, params.srcStride, params.dstStride));
    }
}

void CopyLocal(const Operand& dst, const Operand& src, uint64_t bytes, uint32_t elementBytes,
               Location where) {
    if (MemoryOf(src.position) == Memory::L1) {
        CopyCountToTable(dst, src, bytes, elementBytes, where);
        return;
    }
    if (IsServed(dst)) {
        const uint64_t whole = WholeBlocks(Self(), "DataCopy", bytes, elementBytes);
        const AscendC::DataCopyParams params(1, static_cast<uint16_t>(whole / kBlockBytes), 0, 0);
        return ServeFromUb(dst, src, params, where);
    }
    Issue issue({Opcode::DataCopy, Pipe::V}, CoreKind::Aiv, where);
    if (BeginsLocal(issue, dst)) {
        MoveLocal(issue, dst, src, FromCount(issue, bytes, elementBytes));
    }
}

void CopyInPad(const Operand& dst, const GmOperand& src, const AscendC::DataCopyExtParams& params,
               const Padding& padding, uint32_t elementBytes, Location where) {
    Issue issue({Opcode::DataCopyPad, Pipe::Mte2}, CoreKind::Aiv, where);
    RequireMemory(dst, Memory::Ub, "DataCopyPad", "dst");  // A2/A3 pad only between GM and UB
    if (!issue) {
        return;
    }
    Core& core = issue.core();
    CheckPadParams(core, params, elementBytes);
    if (padding.leftBytes > kBlockBytes || padding.rightBytes > kBlockBytes) {
        Fail("T408",
             "padding out of range: DataCopyPad with %u B left and %u B right, expected at most 32 "
             "B each",
             padding.leftBytes, padding.rightBytes);
    }
    if (padding.hasValue) {
        core.padValue = padding.value;
        core.padValueKnown = true;
        issue.Writes(Register::PadValue);
    }
    core.padLeftBytes = padding.leftBytes;
    core.padRightBytes = padding.rightBytes;
    if (params.blockCount == 0 || params.blockLen == 0) {
        return;
    }
    const uint64_t bytes = params.blockLen;
    const uint64_t padded = RoundUp(padding.leftBytes + bytes + padding.rightBytes);
    const Blocks blocks = {params.blockCount, bytes, bytes + params.srcStride,
                           padded + uint64_t{params.dstStride} * kBlockBytes};
    if (padded != blocks.bytes) {
        MoveInPadded(issue, dst, src, blocks, padding, padded, elementBytes);
    } else {
        MoveIn(issue, dst, src, blocks, elementBytes, 1);
    }
}

void CopyOutPad(const GmOperand& dst, const Operand& src, const AscendC::DataCopyExtParams& params,
                uint32_t elementBytes, Location where) {
    Issue issue({Opcode::DataCopyPad, Pipe::Mte3}, CoreKind::Aiv, where);
    RequireMemory(src, Memory::Ub, "DataCopyPad", "src");  // A2/A3 pad only between GM and UB
    if (!issue) {
        return;
    }
    CheckPadParams(issue.core(), params, elementBytes);
    const uint64_t bytes = params.blockLen;
    MoveOut(issue, dst, src,
            {params.blockCount, bytes, bytes + params.dstStride,
             RoundUp(bytes) + uint64_t{params.srcStride} * kBlockBytes},
            elementBytes, 1);
}

}  // namespace twin::copy
