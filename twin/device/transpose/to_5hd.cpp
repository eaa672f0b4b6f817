// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cinttypes>
#include <cstring>

#include "device/issue/issue.h"
#include "device/issue/range_list.h"
#include "device/sync/events.h"
#include "device/transpose/transpose.h"

namespace twin::transpose {
namespace {

using AscendC::TransDataTo5HDParams;

constexpr Opcode kTo5HdApi = Opcode::TransDataTo5HD;

/// One repeat on sixteen rows of 32 B. T decides which elements are a row of the result.
template <typename T>
void TurnRows(uint8_t (*out)[kBlockBytes], const uint8_t (*in)[kBlockBytes]) {
    constexpr uint32_t kPer = kBlockBytes / sizeof(T);
    T from[kRows][kPer];
    std::memcpy(from, in, sizeof(from));
    for (uint32_t row = 0; row < kRows; ++row) {
        T to[kPer] = {};
        for (uint32_t i = 0; i < std::min(kPer, kRows); ++i) {
            if constexpr (sizeof(T) == 4) {
                to[i] = from[row % 2 * kPer + i][row / 2];
            } else {
                to[i] = from[i][row];
            }
        }
        std::memcpy(out[row], to, kBlockBytes);
    }
}

/// The place where repeat 0 starts, in bytes: if there is a single repeat, the chip adds its
/// stride.
uint64_t Start(uint8_t repeats, uint16_t stride) {
    return repeats == 1 ? uint64_t{stride} * kBlockBytes : 0;
}

/// Sixteen rows and the part of them that each repeat touches. Called with a visitor, it lists the
/// pieces.
struct Side {
    const Operand* rows;
    uint64_t first;  ///< bytes from the start of a row to the part that repeat 0 touches
    uint64_t step;   ///< bytes from one repeat to the next
    uint32_t repeats;
    uint32_t width;
    Operand place = {};  ///< from the lowest row to the end of the highest one
    Runs frame = {};
    uint8_t* start[kRows] = {};

    /// 8-bit types use one half of each block.
    Side(const Issue& issue, Arg name, const Operand* rows, uint8_t repeats, uint16_t stride,
         bool halves, bool upper)
        : rows(rows),
          first(Start(repeats, stride) + (halves && upper ? kBlockBytes / 2 : 0)),
          step(uint64_t{stride} * kBlockBytes),
          repeats(repeats),
          width(halves ? kBlockBytes / 2 : kBlockBytes) {
        const uint64_t end = Start(repeats, stride) + (repeats - 1U) * step + kBlockBytes;
        uint32_t low = UINT32_MAX;
        uint32_t high = 0;
        for (uint32_t i = 0; i < kRows; ++i) {
            start[i] = first + CheckLocalOperand(issue.core(), rows[i], Memory::Ub, end,
                                                 kBlockBytes, issue.api(), Name(name));
            low = std::min(low, rows[i].address);
            high = std::max(high, rows[i].address);
        }
        frame = Runs{uint64_t{high} - low + width, Level(), {repeats, step}};
        place = UbPlace(low + first, frame.Span());
    }
    uint8_t* At(uint32_t repeat, uint32_t row) const { return start[row] + repeat * step; }
    void operator()(const PieceVisitor& visit) const {
        for (uint32_t repeat = 0; repeat < repeats; ++repeat) {
            for (uint32_t i = 0; i < kRows; ++i) {
                visit(repeat, rows[i].address + first + repeat * step, width);
            }
        }
    }
};

Operand AtAddress(const Core& core, uint64_t address, Arg name, uint32_t index) {
    const uint8_t* ub = core.memory[static_cast<size_t>(Memory::Ub)];
    const uint64_t offset = address - reinterpret_cast<uintptr_t>(ub);
    if (offset >= core.UbBytes()) {
        Fail("T424",
             "address outside the unified buffer: %s %s[%u] = 0x%" PRIx64
             "\n  try: fill the list with GetPhyAddr() of local tensors; a list in local memory is "
             "overwritten by the call, fill it again for the next one",
             Name(kTo5HdApi), Name(name), index, address);
    }
    return UbPlace(offset, core.UbBytes() - offset);
}

}  // namespace

void RunTo5hd(Dtype dtype, const Rows& rows, const TransDataTo5HDParams& params, Location where) {
    Issue issue(kTo5HdApi, CoreKind::Aiv, where);
    if (!issue || params.repeatTimes == 0) {
        return;
    }
    const uint32_t size = SizeOf(dtype);
    const uint8_t repeats = params.repeatTimes;
    const bool halves = size == 1;
    const Side dst(issue, Arg::DstList, rows.dst, repeats, params.dstRepStride, halves,
                   params.dstHighHalf);
    const Side src(issue, Arg::SrcList, rows.src, repeats, params.srcRepStride, halves,
                   params.srcHighHalf);
    issue.Type(dtype);
    issue.Work(repeats, uint64_t{repeats} * kRows * kBlockBytes / size);
    issue.Write(Arg::DstList, dst.place, Memory::Ub, dst.frame, dst.place.bytes, dst, dst.width);
    issue.Read(Arg::SrcList, src.place, Memory::Ub, src.frame, src.place.bytes, src, src.width);
    if (!issue.Ready()) {
        return;
    }
    const auto turn = size == 1   ? TurnRows<uint8_t>
                      : size == 2 ? TurnRows<uint16_t>
                                  : TurnRows<uint32_t>;
    uint8_t in[kRows][kBlockBytes] = {};
    uint8_t out[kRows][kBlockBytes];
    for (uint32_t repeat = 0; repeat < repeats; ++repeat) {
        for (uint32_t i = 0; i < kRows; ++i) {
            std::memcpy(in[i], src.At(repeat, i), src.width);
        }
        turn(out, in);
        for (uint32_t i = 0; i < kRows; ++i) {
            std::memcpy(dst.At(repeat, i), out[i], dst.width);
        }
    }
    issue.Done();
}

void RunTo5hd(Dtype dtype, const uint64_t* dst, const uint64_t* src,
              const TransDataTo5HDParams& params, Location where) {
    Core& core = Self();
    if (!core.BeginOn(CoreKind::Aiv, where)) {
        return;
    }
    Rows rows;
    for (uint32_t i = 0; i < kRows; ++i) {
        rows.dst[i] = AtAddress(core, dst[i], Arg::DstList, i);
        rows.src[i] = AtAddress(core, src[i], Arg::SrcList, i);
    }
    RunTo5hd(dtype, rows, params, where);
}

void RunTo5hdLists(Dtype dtype, const Operand& dst, const Operand& src,
                   const TransDataTo5HDParams& params, Location where) {
    Core& core = Self();
    if (!core.BeginOn(CoreKind::Aiv, where)) {
        return;
    }
    const Steps steps(core, kTo5HdApi);
    const Operand* lists[] = {&dst, &src};
    const Arg names[] = {Arg::Dst, Arg::Src};
    uint64_t addresses[2][kRows];
    for (uint32_t side = 0; side < 2; ++side) {
        Issue issue({kTo5HdApi, Pipe::S}, core);
        issue.RecordAs(Opcode::SetValue);
        issue.Type(Dtype::U64);
        uint64_t packed[4] = {};
        issue.Work(0, 4);
        const Arg name = names[side];
        issue.Read(name, *lists[side], Memory::Ub, Runs{sizeof(addresses[side])});
        uint8_t* list = issue.Write(name, *lists[side], Memory::Ub, Runs{sizeof(packed)});
        if (!issue.Ready(Overlap::Free)) {
            return;
        }
        std::memcpy(addresses[side], list, sizeof(addresses[side]));
        for (uint32_t i = 0; i < kRows; ++i) {
            const Operand row = AtAddress(core, addresses[side][i], name, i);
            packed[i / 4] |= uint64_t{row.address / kBlockBytes & 0x1FFFU} << (i % 4 * 16);
        }
        std::memcpy(list, packed, sizeof(packed));
        issue.Done();
    }
    SyncPipes(AscendC::HardEvent::S_V, where);
    RunTo5hd(dtype, addresses[0], addresses[1], params, where);
}

}  // namespace twin::transpose
