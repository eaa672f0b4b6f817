// SPDX-License-Identifier: Apache-2.0
#include "device/data_copy/engine.h"

#include <cinttypes>
#include <cstring>

#include "core/core.h"
#include "device/data_copy/copy_to_table.h"
#include "device/data_copy/gm_access.h"

namespace twin::copy {
namespace {

constexpr uint64_t kMaxBlockBytes = 2097151;
constexpr uint32_t kMaxBlockCount = 4095;

uint64_t RoundUp(uint64_t bytes) { return (bytes + kBlockBytes - 1) / kBlockBytes * kBlockBytes; }

uint64_t Span(uint64_t count, uint64_t bytes, uint64_t stride) {
    return (count - 1) * stride + bytes;
}

LegacyRange Strided(LegacyRange range, const Blocks& blocks, uint64_t stride) {
    range.bytes = blocks.bytes;
    range.count = blocks.count;
    range.stride = stride;
    if (blocks.count > 1 && stride == blocks.bytes) {  // no gaps: one run
        range.bytes = blocks.bytes * blocks.count;
        range.count = 1;
        range.stride = 0;
    }
    return range;
}

LegacyRange GmRangeOf(const GmOperand& gm, const Blocks& blocks, bool write) {
    LegacyRange range;
    range.memory = Memory::Gm;
    range.begin = gm.address;
    range.write = write;
    return Strided(range, blocks, blocks.gmStride);
}

void RecordCopy(Core& core, const char* api, Pipe pipe, uint32_t elementBytes, const Blocks& blocks,
                const LegacyRange& first, const LegacyRange& second, const char* atomic = "") {
    LegacyInstruction instruction;
    instruction.pipe = pipe;
    instruction.opcode = api;
    instruction.repeats = static_cast<uint32_t>(blocks.count);
    instruction.elements = blocks.count * blocks.bytes / elementBytes;
    instruction.Add(first);
    instruction.Add(second);
    instruction.atomic = atomic;
    core.Record(instruction);
}

void Order(Core& core, const GmOperand& gm, const Blocks& blocks, bool write, const char* api) {
    OrderRuns(core, gm, blocks.count, blocks.bytes, blocks.gmStride, write, api);
}

/// Where the local side of a DataCopy lies.
Memory LocalSide(const Operand& operand) {
    return MemoryOf(operand.position) == Memory::L1 ? Memory::L1 : Memory::Ub;
}

/// Starts a DataCopy between GM and UB (vector cores) or L1 (cube cores). False: not on this core.
bool BeginCopy(Core& core, const Operand& local, const char* name, Location where) {
    if (LocalSide(local) == Memory::Ub) {
        const bool here = core.BeginOn(CoreKind::Aiv, where);
        RequireUb(local, "DataCopy", name);
        return here;
    }
    if (core.BeginOn(CoreKind::Aic, where)) {
        return true;
    }
    RefuseTscm(local, "DataCopy");
    return false;
}

void MoveIn(Core& core, const char* api, const Operand& dst, const GmOperand& src,
            const Blocks& blocks, uint32_t elementBytes) {
    const Memory side = LocalSide(dst);
    uint8_t* to =
        CheckLocalOperand(core, dst, side, Span(blocks.count, blocks.bytes, blocks.ubStride),
                          kBlockBytes, api, "dst");
    core.CheckGm(src.origin, src.address, Span(blocks.count, blocks.bytes, blocks.gmStride),
                 blocks.count * blocks.bytes, false, api);
    Order(core, src, blocks, false, api);
    const auto* from = reinterpret_cast<const uint8_t*>(src.address);
    if (blocks.gmStride == blocks.bytes && blocks.ubStride == blocks.bytes) {
        std::memcpy(to, from, blocks.count * blocks.bytes);
    } else {
        for (uint64_t i = 0; i < blocks.count; ++i) {
            std::memcpy(to + i * blocks.ubStride, from + i * blocks.gmStride, blocks.bytes);
        }
    }
    if (core.Recording()) {
        RecordCopy(core, api, Pipe::Mte2, elementBytes, blocks,
                   Strided(core.Local(side, dst.address, 0, true), blocks, blocks.ubStride),
                   GmRangeOf(src, blocks, false));
    }
    core.NotePoll(src.address, blocks.count * blocks.bytes);
}

void MoveOut(Core& core, const char* api, const GmOperand& dst, const Operand& src,
             const Blocks& blocks, uint32_t elementBytes) {
    const Memory side = LocalSide(src);
    const uint8_t* from =
        CheckLocalOperand(core, src, side, Span(blocks.count, blocks.bytes, blocks.ubStride),
                          kBlockBytes, api, "src");
    core.CheckGm(dst.origin, dst.address, Span(blocks.count, blocks.bytes, blocks.gmStride),
                 blocks.count * blocks.bytes, true, api);
    const char* atomic = AtomicName(core, elementBytes, api);
    Order(core, dst, blocks, true, api);
    if (blocks.gmStride == blocks.bytes && blocks.ubStride == blocks.bytes) {
        core.StoreGm(dst.address, from, blocks.count * blocks.bytes);
    } else {
        for (uint64_t i = 0; i < blocks.count; ++i) {
            core.StoreGm(dst.address + i * blocks.gmStride, from + i * blocks.ubStride,
                         blocks.bytes);
        }
    }
    if (core.Recording()) {
        RecordCopy(core, api, Pipe::Mte3, elementBytes, blocks, GmRangeOf(dst, blocks, true),
                   Strided(core.Local(side, src.address, 0, false), blocks, blocks.ubStride),
                   atomic);
    }
}

/// False: nothing to copy.
bool FromParams(const char* api, const AscendC::DataCopyParams& params, uint16_t gmGap,
                uint16_t ubGap, Blocks* blocks) {
    if (params.blockCount > kMaxBlockCount) {
        Fail("T408", "block count out of range: %s of %u blocks, expected 0 to %u", api,
             params.blockCount, kMaxBlockCount);
    }
    blocks->count = params.blockCount;
    blocks->bytes = static_cast<uint64_t>(params.blockLen) * kBlockBytes;
    blocks->gmStride = blocks->bytes + static_cast<uint64_t>(gmGap) * kBlockBytes;
    blocks->ubStride = blocks->bytes + static_cast<uint64_t>(ubGap) * kBlockBytes;
    return blocks->count != 0 && blocks->bytes != 0;
}

void CheckPadParams(Core& core, const AscendC::DataCopyExtParams& params, uint32_t elementBytes) {
    if (params.blockCount > kMaxBlockCount) {
        Fail("T408", "block count out of range: DataCopyPad of %u blocks, expected 0 to %u",
             params.blockCount, kMaxBlockCount);
    }
    if (params.blockLen > kMaxBlockBytes) {
        Fail("T408",
             "block length out of range: DataCopyPad with blockLen %u B, expected 0 to %" PRIu64,
             params.blockLen, kMaxBlockBytes);
    }
    if (params.blockLen % elementBytes != 0 && core.strict) {
        Fail("T408",
             "block length not whole elements: DataCopyPad with blockLen %u B, expected a multiple "
             "of %u B (blockLen"
             " counts bytes, not elements)",
             params.blockLen, elementBytes);
    }
}

/// Bytes around and behind each run. Without padding counts nothing defines what stands behind the
/// run: on A2 it is said to be the run's first element, so strict mode poisons it and hardware mode
/// repeats that element.
void Pad(Core& core, uint8_t* block, const Padding& padding, uint64_t bytes, uint64_t padded,
         uint32_t elementBytes) {
    uint8_t* data = block + padding.leftBytes;
    uint8_t* tail = data + bytes;
    uint8_t* end = block + padded;
    if (padding.leftBytes == 0 && padding.rightBytes == 0) {
        for (uint8_t* byte = tail; byte < end; ++byte) {
            const auto distance = static_cast<size_t>(byte - tail);
            *byte = core.strict
                        ? reinterpret_cast<const uint8_t*>(&kPoison)[distance % sizeof(kPoison)]
                        : data[distance % elementBytes];
        }
        return;
    }
    const auto fill = [&core, elementBytes](uint8_t* from, const uint8_t* to) {
        for (size_t i = 0; from + i < to; ++i) {
            from[i] = reinterpret_cast<const uint8_t*>(&core.padValue)[i % elementBytes];
        }
    };
    fill(block, data);
    fill(tail, end);
}

void MoveInPadded(Core& core, const Operand& dst, const GmOperand& src, const Blocks& blocks,
                  const Padding& padding, uint64_t padded, uint32_t elementBytes) {
    core.CheckGm(src.origin, src.address, Span(blocks.count, blocks.bytes, blocks.gmStride),
                 blocks.count * blocks.bytes, false, "DataCopyPad");
    Order(core, src, blocks, false, "DataCopyPad");
    for (uint64_t i = 0; i < blocks.count; ++i) {
        uint8_t* block = core.ub + dst.address + i * blocks.ubStride;
        std::memcpy(block + padding.leftBytes,
                    reinterpret_cast<const uint8_t*>(src.address) + i * blocks.gmStride,
                    blocks.bytes);
        Pad(core, block, padding, blocks.bytes, padded, elementBytes);
    }
    if (core.Recording()) {
        Blocks image = blocks;  // the padded tail is written too: a neighbour that ends inside it
                                // would be overwritten
        image.bytes = padded;
        RecordCopy(core, "DataCopyPad", Pipe::Mte2, elementBytes, blocks,
                   Strided(core.Local(Memory::Ub, dst.address, 0, true), image, blocks.ubStride),
                   GmRangeOf(src, blocks, false));
    }
    core.NotePoll(src.address, blocks.count * blocks.bytes);
}

}  // namespace

void CopyIn(const Operand& dst, const GmOperand& src, uint64_t bytes, uint32_t elementBytes,
            Location where) {
    Core& core = Self();
    if (!BeginCopy(core, dst, "dst", where)) {
        return;
    }
    Blocks blocks;
    blocks.bytes = WholeBlocks(core, "DataCopy", bytes);
    if (blocks.bytes != 0) {
        CheckGmAlignment(src, elementBytes, "DataCopy");
        MoveIn(core, "DataCopy", dst, src, blocks, elementBytes);
    }
}

void CopyOut(const GmOperand& dst, const Operand& src, uint64_t bytes, uint32_t elementBytes,
             Location where) {
    Core& core = Self();
    if (!BeginCopy(core, src, "src", where)) {
        return;
    }
    Blocks blocks;
    blocks.bytes = WholeBlocks(core, "DataCopy", bytes);
    if (blocks.bytes != 0) {
        CheckGmAlignment(dst, elementBytes, "DataCopy");
        MoveOut(core, "DataCopy", dst, src, blocks, elementBytes);
    }
}

void CopyInBlocks(const Operand& dst, const GmOperand& src, const AscendC::DataCopyParams& params,
                  uint32_t elementBytes, Location where) {
    Core& core = Self();
    if (!BeginCopy(core, dst, "dst", where)) {
        return;
    }
    Blocks blocks;
    if (FromParams("DataCopy", params, params.srcStride, params.dstStride, &blocks)) {
        CheckGmAlignment(src, elementBytes, "DataCopy");
        MoveIn(core, "DataCopy", dst, src, blocks, elementBytes);
    }
}

void CopyOutBlocks(const GmOperand& dst, const Operand& src, const AscendC::DataCopyParams& params,
                   uint32_t elementBytes, Location where) {
    Core& core = Self();
    if (!BeginCopy(core, src, "src", where)) {
        return;
    }
    Blocks blocks;
    if (FromParams("DataCopy", params, params.dstStride, params.srcStride, &blocks)) {
        CheckGmAlignment(dst, elementBytes, "DataCopy");
        MoveOut(core, "DataCopy", dst, src, blocks, elementBytes);
    }
}

void CopyLocal(const Operand& dst, const Operand& src, const AscendC::DataCopyParams& params,
               Location where) {
    Core& core = Self();
    if (MemoryOf(src.position) == Memory::L1) {
        CopyToTable(dst, src, params, false, where);
        return;
    }
    const bool here = core.BeginOn(CoreKind::Aiv, where);
    RefuseTscm(dst, "DataCopy");
    RequireUb(dst, "DataCopy", "dst");
    if (!here) {
        return;
    }
    Blocks blocks;  // the source's stride stands in gmStride
    if (!FromParams("DataCopy", params, params.srcStride, params.dstStride, &blocks)) {
        return;
    }
    CheckOperand(core, dst, Span(blocks.count, blocks.bytes, blocks.ubStride), kBlockBytes,
                 "DataCopy", "dst");
    CheckOperand(core, src, Span(blocks.count, blocks.bytes, blocks.gmStride), kBlockBytes,
                 "DataCopy", "src");
    for (uint64_t i = 0; i < blocks.count; ++i) {
        std::memmove(core.ub + dst.address + i * blocks.ubStride,
                     core.ub + src.address + i * blocks.gmStride, blocks.bytes);
    }
    if (core.Recording()) {
        RecordCopy(core, "DataCopy", Pipe::V, 1, blocks,
                   Strided(core.Local(Memory::Ub, dst.address, 0, true), blocks, blocks.ubStride),
                   Strided(core.Local(Memory::Ub, src.address, 0, false), blocks, blocks.gmStride));
    }
}

void CopyLocal(const Operand& dst, const Operand& src, uint64_t bytes, Location where) {
    Core& core = Self();
    core.Begin(where);
    AscendC::DataCopyParams params;
    if (MemoryOf(src.position) == Memory::L1) {
        const uint32_t block = TableBlock(dst);
        if (bytes % block != 0 && core.strict) {
            Fail("T407",
                 "length not a multiple of %u B: DataCopy of %" PRIu64
                 " B out of L1; the chip silently drops the last %" PRIu64 " B",
                 block, bytes, bytes % block);
        }
        params.blockLen = static_cast<uint16_t>(bytes / block);
        CopyToTable(dst, src, params, false, where);
        return;
    }
    if (core.kind == CoreKind::Aic && MemoryOf(dst.position) == Memory::Ub) {
        return;
    }
    const uint64_t whole = WholeBlocks(core, "DataCopy", bytes);
    params.blockLen = static_cast<uint16_t>(whole / kBlockBytes);
    CopyLocal(dst, src, params, where);
}

void CopyInPad(const Operand& dst, const GmOperand& src, const AscendC::DataCopyExtParams& params,
               const Padding& padding, uint32_t elementBytes, Location where) {
    Core& core = Self();
    const bool here = core.BeginOn(CoreKind::Aiv, where);
    RequireUb(dst, "DataCopyPad", "dst");  // this chip pads on no other path
    if (!here) {
        return;
    }
    CheckPadParams(core, params, elementBytes);
    if (padding.leftBytes > kBlockBytes || padding.rightBytes > kBlockBytes) {
        Fail("T408",
             "padding out of range: DataCopyPad with %u B left and %u B right, expected at most 32 "
             "B each",
             padding.leftBytes, padding.rightBytes);
    }
    if (padding.hasValue) {
        core.padValue = padding.value;
        core.padValueSet = true;
    }
    if (params.blockCount == 0 || params.blockLen == 0) {
        return;
    }
    const uint64_t padded =
        RoundUp(padding.leftBytes + static_cast<uint64_t>(params.blockLen) + padding.rightBytes);
    Blocks blocks;
    blocks.count = params.blockCount;
    blocks.bytes = params.blockLen;
    blocks.gmStride = static_cast<uint64_t>(params.blockLen) + params.srcStride;
    blocks.ubStride = padded + static_cast<uint64_t>(params.dstStride) * kBlockBytes;
    CheckOperand(core, dst, Span(blocks.count, padded, blocks.ubStride), kBlockBytes, "DataCopyPad",
                 "dst");
    if (padded != blocks.bytes) {
        MoveInPadded(core, dst, src, blocks, padding, padded, elementBytes);
    } else {
        MoveIn(core, "DataCopyPad", dst, src, blocks, elementBytes);
    }
}

void CopyOutPad(const GmOperand& dst, const Operand& src, const AscendC::DataCopyExtParams& params,
                uint32_t elementBytes, Location where) {
    Core& core = Self();
    const bool here = core.BeginOn(CoreKind::Aiv, where);
    RequireUb(src, "DataCopyPad", "src");  // this chip pads on no other path
    if (!here) {
        return;
    }
    CheckPadParams(core, params, elementBytes);
    if (params.blockCount == 0 || params.blockLen == 0) {
        return;
    }
    Blocks blocks;
    blocks.count = params.blockCount;
    blocks.bytes = params.blockLen;
    blocks.gmStride = static_cast<uint64_t>(params.blockLen) + params.dstStride;
    blocks.ubStride =
        RoundUp(params.blockLen) + static_cast<uint64_t>(params.srcStride) * kBlockBytes;
    MoveOut(core, "DataCopyPad", dst, src, blocks, elementBytes);
}

}  // namespace twin::copy
