// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cinttypes>
#include <cstring>
#include <vector>

#include "device/compare/compare.h"
#include "device/issue/operand.h"
#include "device/lanes/reduce.h"
#include "device/sync/events.h"
#include "device/vec/walk.h"

namespace twin::compare {
namespace {

using AscendC::SELMODE;

constexpr uint32_t kRegisterBytes = 16;
constexpr uint32_t kScratchElements = 32;

/// Returns the UB bytes that CMPMASK receives: 16 from `address` on, or fewer at the end of UB.
Operand RegisterPlace(const Core& core, uint64_t address) {
    return UbPlace(address, std::min<uint64_t>(kRegisterBytes, core.UbBytes() - address));
}

void LoadRegister(Issue& issue, const Operand& src) {
    Core& core = issue.core();
    const Operand place = RegisterPlace(core, src.address);
    const uint8_t* from =
        issue.Read(Arg::Src, place, Memory::Ub, Runs{place.bytes}, kRegisterBytes);
    if (__builtin_expect(place.bytes == kRegisterBytes, 1)) {
        std::memcpy(core.cmpMask, from, kRegisterBytes);
    } else {
        core.cmpMask[0] = core.cmpMask[1] = 0;
        std::memcpy(core.cmpMask, from, place.bytes);
    }
    issue.Work(1, 1);
    issue.Writes(Register::CmpMask);
    issue.Done();
}

template <typename T>
void Fill(uint8_t* scratch, const void* element) {
    T value;
    std::memcpy(&value, element, sizeof(T));
    std::fill_n(reinterpret_cast<T*>(scratch), kScratchElements, value);
}

/// Writes the scalar (mode 1) or the mask's address (mode 2) to UB at kScratch, like the library.
/// Not inline, so that the Issue in this function and the caller's next Issue share stack memory.
[[gnu::noinline]] Operand UseScratch(Core& core, const void* element, uint32_t size,
                                     Location where) {
    const uint32_t bytes = kScratchElements * size;
    for (const BufferRecord& buffer : core.state->buffers) {
        if (core.strict && buffer.memory == Memory::Ub && buffer.begin < kScratch + bytes &&
            kScratch < buffer.begin + buffer.bytes) {
            Fail(
                "T422",
                "scratch over live data: Select in this mode writes %u B at UB+0x%x (184 KiB), and "
                "queue or buffer %d (%s, UB+0x%x, %u B) lies there\n  try: keep the sum of the "
                "buffers within 184 KiB, or allocate the last 8 KiB to nothing that is alive here",
                bytes, kScratch, buffer.queue, buffer.kind, buffer.begin, buffer.bytes);
        }
    }
    Issue fill(Opcode::Duplicate, core);
    fill.Type(size == 2 ? Dtype::U16 : Dtype::U32);
    fill.Work(1, kScratchElements);
    uint8_t* to = fill.Write(Arg::Scratch, UbPlace(kScratch, bytes), Memory::Ub, Runs{bytes});
    size == 2 ? Fill<uint16_t>(to, element) : Fill<uint32_t>(to, element);
    fill.Done();
    IssueBarrier(Opcode::PipeBarrier, Pipe::V, where);
    return UbPlace(kScratch, kRegisterBytes);
}

void CheckMode(const Choice& choice) {
    const auto mode = static_cast<uint32_t>(choice.mode);
    const bool scalar = choice.src1 == nullptr;
    if (mode < 3 && scalar == (choice.mode == SELMODE::VSEL_TENSOR_SCALAR_MODE)) {
        return;
    }
    Fail("T421",
         "select mode not supported: Select with mode %u and a %s as src1; the chip takes "
         "VSEL_CMPMASK_SPR or VSEL_TENSOR_TENSOR_MODE with a tensor and VSEL_TENSOR_SCALAR_MODE "
         "with a scalar, and otherwise leaves dst as it was",
         mode, scalar ? "scalar" : "tensor");
}

/// Issues the instructions by which the library sets the CMPMASK register before a Select.
void FillRegister(Core& core, const Choice& choice, uint32_t size, Location where) {
    if (choice.bits == nullptr) {
        return;
    }
    Operand from = *choice.bits;
    if (choice.mode == SELMODE::VSEL_CMPMASK_SPR) {
        CheckLocalOperand(core, from, Memory::Ub, kRepeatBytes / size / 8, kBlockBytes, "Select",
                          "selMask");
    } else if (choice.mode == SELMODE::VSEL_TENSOR_TENSOR_MODE) {
        RequireMemory(from, Memory::Ub, "Select", "selMask");
        from = UseScratch(core, &choice.bits->address, sizeof(choice.bits->address), where);
    } else if (choice.scalar != nullptr) {
        from = UseScratch(core, choice.scalar, size, where);
    } else {
        return;
    }
    Issue load(Opcode::SetCmpMask, core);
    LoadRegister(load, from);
    IssueBarrier(Opcode::PipeBarrier, Pipe::V, where);
}

/// Returns the mask's UB address from CMPMASK (mode 2). The kernel may have stored in CMPMASK an
/// offset in UB, a pointer from GetPhyAddr, or the low 32 bits of such a pointer.
uint32_t AddressInRegister(const Core& core) {
    const auto base = reinterpret_cast<uintptr_t>(core.memory[static_cast<size_t>(Memory::Ub)]);
    const uint64_t whole = core.cmpMask[0] - base;
    const auto cut = static_cast<uint32_t>(core.cmpMask[0]) - static_cast<uint32_t>(base);
    const auto plain = static_cast<uint32_t>(core.cmpMask[0]);
    if (whole < core.UbBytes()) {
        return static_cast<uint32_t>(whole);
    }
    if (cut < core.UbBytes()) {
        return cut;
    }
    if (plain < core.UbBytes()) {
        return plain;
    }
    Fail(
        "T423",
        "no mask address: Select in mode VSEL_TENSOR_TENSOR_MODE without selMask reads its address "
        "from the CMPMASK register, which holds 0x%" PRIx64
        "\n  try: SetCmpMask with a tensor that holds selMask.GetPhyAddr()",
        core.cmpMask[0]);
}

/// Adds the mask bits of modes 1 and 2 to `issue` and returns the host address of these bits.
const uint8_t* BitStream(Issue& issue, const Choice& choice, const vec::Plan& plan) {
    Runs bits;
    bits.bytes = (vec::ElementSpan(plan) + 7) / 8;
    bits.pace = plan.perRepeat / 8;
    const Operand place = choice.bits != nullptr
                              ? *choice.bits
                              : UbPlace(AddressInRegister(issue.core()), bits.bytes);
    const uint8_t* const start = issue.Read(Arg::SelMask, place, Memory::Ub, bits);
    issue.As(Dtype::U8);
    return start;
}

/// The mask bits of a Select, and how the Select uses them.
struct Bits {
    uint32_t size;  ///< size of an element in bytes
    bool scalar;
    bool stream;  ///< each repeat uses new bits; otherwise all repeats use CMPMASK's bits
    const uint8_t* held;
    const uint8_t* bits;
};

void SelectElements(const vec::VecOperand* operands, const vec::Plan& plan, const Bits& by) {
    const lanes::CompareTable& table = lanes::BestCompare();
    if (by.scalar) {
        const auto function = by.size == 2 ? table.selectScalar16 : table.selectScalar32;
        vec::WalkAt(operands, 2, plan, [&](uint8_t* const* p, uint64_t n, uint64_t at) {
            function(p[0], p[1], by.held, by.bits, at, n);
        });
        return;
    }
    const auto function = by.size == 2 ? table.select16 : table.select32;
    vec::WalkAt(operands, 3, plan, [&](uint8_t* const* p, uint64_t n, uint64_t at) {
        if (by.stream) {
            function(p[0], p[1], p[2], by.bits, at, n);
            return;
        }
        for (uint64_t done = 0; done < n; done += plan.perRepeat) {
            const uint64_t some = n - done < plan.perRepeat ? n - done : plan.perRepeat;
            function(p[0] + done * by.size, p[1] + done * by.size, p[2] + done * by.size, by.bits,
                     at % plan.perRepeat, some);
        }
    });
}

/// Moves marks (see ByteMarks) as SelectElements moves elements: a result gets the marks of the
/// element that its bit selects. If the bit is invalid, the result gets the mark of the bit's byte.
/// `place` is the place of the bits in UB.
void SelectMarks(const ByteMarks& marks, const vec::VecOperand* operands, const vec::Plan& plan,
                 const Bits& by, const uint8_t* place) {
    static constexpr uint8_t kNone[sizeof(uint64_t)] = {};  // the marks of the scalar
    const uint32_t count = by.scalar ? 2 : 3;
    vec::VecOperand moved[3];
    for (uint32_t i = 0; i < count; ++i) {
        moved[i] = operands[i];
        moved[i].start = marks.Of(Memory::Ub, operands[i].start);
    }
    const uint64_t maskBytes = by.stream ? (vec::ElementSpan(plan) + 7) / 8 : 0;
    const uint8_t* const maskMarks = by.stream ? marks.Of(Memory::Ub, place) : nullptr;
    const bool anyInvalid = by.stream && ByteMarks::First(maskMarks, maskBytes) != 0;
    std::vector<uint8_t> invalid, markOf;  // results may overwrite the mask
    if (anyInvalid) {
        markOf.assign(maskMarks, maskMarks + maskBytes);
        for (uint64_t at = 0; at < maskBytes; ++at) {
            invalid.push_back(marks.InvalidBits(Memory::Ub, place + at));
        }
    }
    SelectElements(moved, plan, {by.size, by.scalar, by.stream, kNone, by.bits});
    if (!anyInvalid) {
        return;
    }
    vec::WalkAt(moved, 1, plan, [&](uint8_t* const* p, uint64_t n, uint64_t first) {
        for (uint64_t i = 0; i < n; ++i) {
            const uint64_t bit = first + i;
            if ((invalid[bit / 8] >> bit % 8 & 1U) != 0) {
                std::memset(p[0] + i * by.size, markOf[bit / 8], by.size);
            }
        }
    });
}

}  // namespace

void GetRegister(const Operand& dst, Location where) {
    Issue issue(Opcode::GetCmpMask, CoreKind::Aiv, where);
    if (!issue) {
        return;
    }
    uint8_t* to = issue.Write(Arg::Dst, dst, Memory::Ub, Runs{kRegisterBytes}, kRegisterBytes);
    issue.Work(1, 1);
    issue.Reads(Register::CmpMask);
    issue.Ready();
    std::memcpy(to, issue.core().cmpMask, kRegisterBytes);
    issue.Done();
}

void SetRegister(const Operand& src, Location where) {
    Issue issue(Opcode::SetCmpMask, CoreKind::Aiv, where);
    if (!issue) {
        return;
    }
    // Checks only 1 byte of `src`, because kernels pass tensors smaller than the register.
    CheckLocalOperand(issue.core(), src, Memory::Ub, 1, kRegisterBytes, issue.api(), "src");
    LoadRegister(issue, src);
}

void RunSelect(Dtype dtype, const Operand& dst, const Operand& src0, const Choice& choice,
               const vec::Extent& extent, const AscendC::BinaryRepeatParams& strides,
               Location where) {
    Issue issue(Opcode::Select, CoreKind::Aiv, where);
    if (!issue) {
        return;
    }
    Core& core = issue.core();
    CheckMode(choice);
    const Steps steps(core, Opcode::Select);
    const uint32_t size = SizeOf(dtype);
    FillRegister(core, choice, size, where);
    vec::VecOperand operands[3] = {
        {Arg::Dst, dst, dtype, strides.dstBlkStride, strides.dstRepStride, true},
        {Arg::Src0, src0, dtype, strides.src0BlkStride, strides.src0RepStride, false}};
    const uint32_t count = choice.src1 == nullptr ? 2 : 3;
    if (count == 3) {
        operands[2] = {Arg::Src1, *choice.src1, dtype, strides.src1BlkStride, strides.src1RepStride,
                       false};
    }
    vec::Plan plan;
    if (!vec::Resolve(issue, operands, count, extent, &plan)) {
        return;
    }
    const bool stream = choice.mode != SELMODE::VSEL_CMPMASK_SPR;
    uint8_t held[kRegisterBytes];
    std::memcpy(held, core.cmpMask, sizeof(held));
    issue.Reads(Register::CmpMask);
    const uint8_t* const place = stream ? BitStream(issue, choice, plan) : held;
    const uint8_t* bits = place;
    issue.Ready();
    plan.staged = issue.Mixed();
    std::vector<uint8_t> copy;
    if (stream && plan.staged) {
        copy.assign(bits, bits + (vec::ElementSpan(plan) + 7) / 8);
        bits = copy.data();
    }
    const Bits by = {size, count == 2, stream, held, bits};
    SelectElements(operands, plan, by);
    const auto follow = [&](const ByteMarks& marks) {
        SelectMarks(marks, operands, plan, by, place);
    };
    issue.Follow(follow);
    issue.Done();
    if (extent.form == vec::Extent::Form::Count && count == 3) {
        IssueBarrier(Opcode::PipeBarrier, Pipe::V, where);  // this form ends with a barrier
    }
}

}  // namespace twin::compare
