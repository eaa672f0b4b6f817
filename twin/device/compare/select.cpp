// SPDX-License-Identifier: Apache-2.0
#include <cinttypes>
#include <cstring>

#include "device/compare/engine.h"
#include "device/lanes/compare.h"
#include "device/vec/walk.h"

namespace twin::compare {
namespace {

using AscendC::SELMODE;

constexpr uint32_t kRegisterBytes = 16;
constexpr uint32_t kScratchElements = 32;

void RecordRegister(Core& core, const char* opcode, uint64_t address, bool write) {
    Instruction instruction;
    instruction.pipe = Pipe::V;
    instruction.opcode = opcode;
    instruction.repeats = 1;
    instruction.elements = 1;
    instruction.Add(core.Local(Memory::Ub, address, kRegisterBytes, write));
    core.Record(instruction);
}

/// Modes 1 and 2 hand the scalar or the mask's address over in the scratch, whoever lives there.
void UseScratch(Core& core, const void* element, uint32_t size) {
    const uint32_t bytes = kScratchElements * size;
    for (const BufferRecord& buffer : core.buffers) {
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
    for (uint32_t i = 0; i < kScratchElements; ++i) {
        std::memcpy(core.ub + kScratch + i * size, element, size);
    }
    std::memcpy(core.cmpMask, core.ub + kScratch, kRegisterBytes);
    if (core.Recording()) {
        Instruction instruction;
        instruction.pipe = Pipe::V;
        instruction.opcode = "Duplicate";
        instruction.dtype = size == 2 ? Dtype::U16 : Dtype::U32;
        instruction.repeats = 1;
        instruction.elements = kScratchElements;
        instruction.Add(core.Local(Memory::Ub, kScratch, bytes, true));
        core.Record(instruction);
        RecordRegister(core, "SetCmpMask", kScratch, false);
    }
}

void LoadRegister(Core& core, uint64_t address) {
    core.cmpMask[0] = core.cmpMask[1] = 0;
    const uint64_t left = core.ubBytes - address;
    std::memcpy(core.cmpMask, core.ub + address, left < kRegisterBytes ? left : kRegisterBytes);
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

/// What the library does before the instruction itself: the CMPMASK register gets its value.
void FillRegister(Core& core, const Choice& choice, uint32_t size) {
    if (choice.bits == nullptr) {
        return;
    }
    if (choice.mode == SELMODE::VSEL_CMPMASK_SPR) {
        CheckOperand(core, *choice.bits, kRepeatBytes / size / 8, kBlockBytes, "Select", "selMask");
        LoadRegister(core, choice.bits->address);
        if (core.Recording()) {
            RecordRegister(core, "SetCmpMask", choice.bits->address, false);
        }
    } else if (choice.mode == SELMODE::VSEL_TENSOR_TENSOR_MODE) {
        RequireUb(*choice.bits, "Select", "selMask");
        UseScratch(core, &choice.bits->address, sizeof(choice.bits->address));
    } else if (choice.scalar != nullptr) {
        UseScratch(core, choice.scalar, size);
    }
}

/// The address that SetCmpMask was given for mode 2: an offset, or a host pointer in full or cut to
/// 32 bits, as the kernel got it from GetPhyAddr.
uint32_t AddressInRegister(const Core& core) {
    const auto base = reinterpret_cast<uintptr_t>(core.ub);
    const uint64_t whole = core.cmpMask[0] - base;
    const auto cut = static_cast<uint32_t>(core.cmpMask[0]) - static_cast<uint32_t>(base);
    const auto plain = static_cast<uint32_t>(core.cmpMask[0]);
    if (whole < core.ubBytes) {
        return static_cast<uint32_t>(whole);
    }
    if (cut < core.ubBytes) {
        return cut;
    }
    if (plain < core.ubBytes) {
        return plain;
    }
    Fail(
        "T423",
        "no mask address: Select in mode VSEL_TENSOR_TENSOR_MODE without selMask reads its address "
        "from the CMPMASK register, which holds 0x%" PRIx64
        "\n  try: SetCmpMask with a tensor that holds selMask.GetPhyAddr()",
        core.cmpMask[0]);
}

/// Checks the consecutive mask bits of modes 1 and 2 and returns where they start.
const uint8_t* BitStream(Core& core, const Choice& choice, const Operand& dst,
                         const vec::Plan& plan, ByteRange* range) {
    const uint64_t bytes = (vec::ElementSpan(plan) + 7) / 8;
    const uint32_t address =
        choice.bits != nullptr ? choice.bits->address : AddressInRegister(core);
    if (choice.bits != nullptr) {
        CheckOperand(core, *choice.bits, bytes, kBlockBytes, "Select", "selMask");
    } else {
        core.CheckUb(address, bytes, kBlockBytes, "Select", "selMask");
    }
    const uint64_t dstBytes = plan.elements * kRepeatBytes / plan.perRepeat;
    if (core.strict && plan.elements > plan.perRepeat && address < dst.address + dstBytes &&
        dst.address < address + bytes) {
        Fail("T405",
             "operands overlap: Select writes dst at UB+0x%x over its selMask at UB+0x%x (%" PRIu64
             " B) before all of it is read\n  try: separate buffers",
             dst.address, address, bytes);
    }
    *range = core.Local(Memory::Ub, address, bytes, false);
    return core.ub + address;
}

}  // namespace

void GetRegister(const Operand& dst, Location where) {
    Core& core = Self();
    if (!core.BeginOn(CoreKind::Aiv, where)) {
        return;
    }
    CheckOperand(core, dst, kRegisterBytes, kRegisterBytes, "GetCmpMask", "dst");
    std::memcpy(core.ub + dst.address, core.cmpMask, kRegisterBytes);
    if (core.Recording()) {
        RecordRegister(core, "GetCmpMask", dst.address, true);
    }
}

void SetRegister(const Operand& src, Location where) {
    Core& core = Self();
    if (!core.BeginOn(CoreKind::Aiv, where)) {
        return;
    }
    CheckOperand(core, src, 1, kRegisterBytes, "SetCmpMask", "src");
    LoadRegister(core, src.address);
    if (core.Recording()) {
        RecordRegister(core, "SetCmpMask", src.address, false);
    }
}

void RunSelect(Dtype dtype, const Operand& dst, const Operand& src0, const Choice& choice,
               const vec::Extent& extent, const AscendC::BinaryRepeatParams& strides,
               Location where) {
    Core& core = Self();
    if (!core.BeginOn(CoreKind::Aiv, where)) {
        return;
    }
    CheckMode(choice);
    const uint32_t size = SizeOf(dtype);
    FillRegister(core, choice, size);
    vec::VecOperand operands[3] = {
        {"dst", dst, dtype, strides.dstBlkStride, strides.dstRepStride, true},
        {"src0", src0, dtype, strides.src0BlkStride, strides.src0RepStride, false}};
    const uint32_t count = choice.src1 == nullptr ? 2 : 3;
    if (count == 3) {
        operands[2] = {"src1", *choice.src1, dtype, strides.src1BlkStride, strides.src1RepStride,
                       false};
    }
    vec::Plan plan;
    if (!vec::Resolve(core, "Select", operands, count, extent, &plan)) {
        return;
    }
    const bool stream = choice.mode != SELMODE::VSEL_CMPMASK_SPR;
    ByteRange range;
    uint8_t held[kRegisterBytes];
    std::memcpy(held, core.cmpMask, sizeof(held));
    const uint8_t* bits = stream ? BitStream(core, choice, dst, plan, &range) : held;
    if (core.Recording()) {
        Instruction instruction = vec::Describe(core, "Select", operands, count, plan);
        if (stream) {
            instruction.Add(range);
        }
        core.Record(instruction);
    }
    const lanes::CompareTable& table = lanes::BestCompare();
    if (count == 2) {
        const auto function = size == 2 ? table.selectScalar16 : table.selectScalar32;
        vec::WalkAt(core, operands, count, plan, [&](uint8_t* const* p, uint64_t n, uint64_t at) {
            function(p[0], p[1], held, bits, at, n);
        });
        return;
    }
    const auto function = size == 2 ? table.select16 : table.select32;
    vec::WalkAt(core, operands, count, plan, [&](uint8_t* const* p, uint64_t n, uint64_t at) {
        if (stream) {
            function(p[0], p[1], p[2], bits, at, n);
            return;
        }
        for (uint64_t done = 0; done < n; done += plan.perRepeat) {
            const uint64_t some = n - done < plan.perRepeat ? n - done : plan.perRepeat;
            function(p[0] + done * size, p[1] + done * size, p[2] + done * size, bits,
                     at % plan.perRepeat, some);
        }
    });
}

}  // namespace twin::compare
