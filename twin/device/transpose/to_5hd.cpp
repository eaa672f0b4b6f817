// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cinttypes>
#include <cstring>

#include "device/sync/events.h"
#include "device/transpose/engine.h"

namespace twin::transpose {
namespace {

using AscendC::TransDataTo5HDParams;

constexpr const char* kApi = "TransDataTo5HD";

/// One range for sixteen rows: as they are where they lie evenly, else all that they span.
LegacyRange RowRange(const Core& core, const Operand* rows, uint64_t repeatSpan, bool write) {
    uint64_t first = UINT64_MAX;
    uint64_t last = 0;
    bool even = repeatSpan == kBlockBytes && rows[1].address > rows[0].address;
    const uint64_t step = uint64_t{rows[1].address} - rows[0].address;
    for (uint32_t i = 0; i < kRows; ++i) {
        first = std::min<uint64_t>(first, rows[i].address);
        last = std::max<uint64_t>(last, rows[i].address);
        even = even && rows[i].address == rows[0].address + i * step;
    }
    LegacyRange range =
        core.Local(Memory::Ub, first, even ? kBlockBytes : last - first + repeatSpan, write);
    if (even) {
        range.count = kRows;
        range.stride = step;
    }
    return range;
}

void RecordTo5hd(Core& core, Dtype dtype, const Rows& rows, const TransDataTo5HDParams& params,
                 uint64_t dstSpan, uint64_t srcSpan) {
    LegacyInstruction instruction;
    instruction.pipe = Pipe::V;
    instruction.opcode = kApi;
    instruction.dtype = dtype;
    instruction.repeats = params.repeatTimes;
    instruction.elements = uint64_t{params.repeatTimes} * kRows * kBlockBytes / SizeOf(dtype);
    instruction.Add(RowRange(core, rows.dst, dstSpan, true));
    instruction.Add(RowRange(core, rows.src, srcSpan, false));
    core.Record(instruction);
}

/// One repeat on sixteen rows of 32 B. T decides which elements make up a row of the result.
template <typename T>
void Turn(uint8_t (*out)[kBlockBytes], const uint8_t (*in)[kBlockBytes], uint32_t half) {
    constexpr uint32_t kPer = kBlockBytes / sizeof(T);
    T from[kRows][kPer];
    std::memcpy(from, in, sizeof(from));
    for (uint32_t row = 0; row < kRows; ++row) {
        T to[kPer] = {};
        for (uint32_t i = 0; i < std::min(kPer, kRows); ++i) {
            if constexpr (sizeof(T) == 4) {
                to[i] = from[row % 2 * kPer + i][row / 2];
            } else {
                to[i] = from[i][row + (sizeof(T) == 1 ? half * kRows : 0)];
            }
        }
        std::memcpy(out[row], to, kBlockBytes);
    }
}

/// Where repeat 0 starts, in bytes: a single repeat has its stride added, which is a quirk of the
/// chip.
uint64_t Start(uint8_t repeats, uint16_t stride) {
    return repeats == 1 ? uint64_t{stride} * kBlockBytes : 0;
}

void CheckRows(Core& core, const Operand* rows, const char* name, uint8_t repeats,
               uint16_t stride) {
    const uint64_t end =
        Start(repeats, stride) + uint64_t{repeats - 1U} * stride * kBlockBytes + kBlockBytes;
    for (uint32_t i = 0; i < kRows; ++i) {
        CheckOperand(core, rows[i], end, kBlockBytes, kApi, name);
    }
}

Operand AtAddress(const Core& core, uint64_t address, const char* name, uint32_t index) {
    const uint64_t offset = address - reinterpret_cast<uintptr_t>(core.ub);
    if (offset >= core.ubBytes) {
        Fail("T424",
             "address outside the unified buffer: %s %s[%u] = 0x%" PRIx64
             "\n  try: fill the list with GetPhyAddr() of local tensors; a list in local memory is "
             "overwritten by the call, fill it again for the next one",
             kApi, name, index, address);
    }
    return Operand{static_cast<uint32_t>(offset), static_cast<uint32_t>(core.ubBytes - offset),
                   static_cast<uint8_t>(AscendC::TPosition::VECCALC)};
}

}  // namespace

void RunTo5hd(Dtype dtype, const Rows& rows, const TransDataTo5HDParams& params, Location where) {
    Core& core = Self();
    if (!core.BeginOn(CoreKind::Aiv, where)) {
        return;
    }
    if (params.repeatTimes == 0) {
        return;
    }
    CheckRows(core, rows.dst, "dstList", params.repeatTimes, params.dstRepStride);
    CheckRows(core, rows.src, "srcList", params.repeatTimes, params.srcRepStride);
    const uint32_t size = SizeOf(dtype);
    const auto step = [&params](uint16_t stride) {
        return uint64_t{params.repeatTimes - 1U} * stride * kBlockBytes + kBlockBytes;
    };
    if (core.Recording()) {
        RecordTo5hd(core, dtype, rows, params, step(params.dstRepStride),
                    step(params.srcRepStride));
    }
    const auto turn = size == 1 ? Turn<uint8_t> : size == 2 ? Turn<uint16_t> : Turn<uint32_t>;
    const uint32_t width = size == 1 ? kBlockBytes / 2 : kBlockBytes;
    const uint32_t shift = size == 1 && params.dstHighHalf ? kBlockBytes / 2 : 0;
    uint64_t to = Start(params.repeatTimes, params.dstRepStride);
    uint64_t from = Start(params.repeatTimes, params.srcRepStride);
    for (uint32_t repeat = 0; repeat < params.repeatTimes; ++repeat) {
        uint8_t in[kRows][kBlockBytes];
        uint8_t out[kRows][kBlockBytes];
        for (uint32_t i = 0; i < kRows; ++i) {
            std::memcpy(in[i], core.ub + rows.src[i].address + from, kBlockBytes);
        }
        turn(out, in, params.srcHighHalf ? 1 : 0);
        for (uint32_t i = 0; i < kRows; ++i) {
            std::memcpy(core.ub + rows.dst[i].address + to + shift, out[i], width);
        }
        to += uint64_t{params.dstRepStride} * kBlockBytes;
        from += uint64_t{params.srcRepStride} * kBlockBytes;
    }
}

void RunTo5hd(Dtype dtype, const uint64_t* dst, const uint64_t* src,
              const TransDataTo5HDParams& params, Location where) {
    Core& core = Self();
    if (!core.BeginOn(CoreKind::Aiv, where)) {
        return;
    }
    Rows rows;
    for (uint32_t i = 0; i < kRows; ++i) {
        rows.dst[i] = AtAddress(core, dst[i], "dstList", i);
        rows.src[i] = AtAddress(core, src[i], "srcList", i);
    }
    RunTo5hd(dtype, rows, params, where);
}

void RunTo5hdLists(Dtype dtype, const Operand& dst, const Operand& src,
                   const TransDataTo5HDParams& params, Location where) {
    Core& core = Self();
    if (!core.BeginOn(CoreKind::Aiv, where)) {
        return;
    }
    const Operand* lists[] = {&dst, &src};
    const char* const names[] = {"dst", "src"};
    uint64_t addresses[2][kRows];
    for (uint32_t side = 0; side < 2; ++side) {
        CheckOperand(core, *lists[side], sizeof(addresses[side]), kBlockBytes, kApi, names[side]);
        uint8_t* list = core.ub + lists[side]->address;
        std::memcpy(addresses[side], list, sizeof(addresses[side]));
        uint64_t packed[4] = {};
        for (uint32_t i = 0; i < kRows; ++i) {
            const Operand row = AtAddress(core, addresses[side][i], names[side], i);
            packed[i / 4] |= uint64_t{row.address / kBlockBytes & 0x1FFFU} << (i % 4 * 16);
        }
        std::memcpy(list, packed, sizeof(packed));
        if (core.Recording()) {
            LegacyInstruction instruction;
            instruction.pipe = Pipe::S;
            instruction.opcode = "SetValue";
            instruction.dtype = Dtype::U64;
            instruction.elements = 4;
            instruction.Add(
                core.Local(Memory::Ub, lists[side]->address, sizeof(addresses[side]), false));
            instruction.Add(core.Local(Memory::Ub, lists[side]->address, sizeof(packed), true));
            core.Record(instruction);
        }
    }
    const auto event = AscendC::HardEvent::S_V;
    const auto id = PeekEvent(event, where);
    IssueSetFlag(event, id, QueueEvent::None, where);
    IssueWaitFlag(event, id, QueueEvent::None, where);
    RunTo5hd(dtype, addresses[0], addresses[1], params, where);
}

}  // namespace twin::transpose
