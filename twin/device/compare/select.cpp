// SPDX-License-Identifier: Apache-2.0
#include "device/compare/select.h"

#include <algorithm>
#include <cinttypes>
#include <cstring>
#include <vector>

#include "core/library_steps.h"
#include "device/compare/compare.h"
#include "device/issue/range_list.h"
#include "device/lanes/reduce.h"
#include "device/library/call.h"
#include "device/vec/walk.h"

namespace twin::compare {
namespace {

using AscendC::SELMODE;

constexpr uint32_t kRegisterBytes = 16;
constexpr uint32_t kScratchElements = 32;

/// Reads 16 bytes for CMPMASK, or the rest of UB.
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

/// Modes 1 and 2 pass the scalar or the mask's address through the scratch, whatever is stored
/// there. Not inline, so that its instruction and the next one share a place on the stack.
[[gnu::noinline]] Operand UseScratch(Core& core, const void* element, uint32_t size) {
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
    Issue fill(Opcode::Duplicate, core);
    fill.Type(size == 2 ? Dtype::U16 : Dtype::U32);
    fill.Work(1, kScratchElements);
    uint8_t* to = fill.Write(Arg::Scratch, UbPlace(kScratch, bytes), Memory::Ub, Runs{bytes});
    size == 2 ? Fill<uint16_t>(to, element) : Fill<uint32_t>(to, element);
    fill.Done();
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

/// The library's work before the instruction itself: it sets the CMPMASK register.
void FillRegister(Core& core, const Choice& choice, uint32_t size) {
    if (choice.bits == nullptr) {
        return;
    }
    Operand from = *choice.bits;
    if (choice.mode == SELMODE::VSEL_CMPMASK_SPR) {
        CheckLocalOperand(core, from, Memory::Ub, kRepeatBytes / size / 8, kBlockBytes, "Select",
                          "selMask");
    } else if (choice.mode == SELMODE::VSEL_TENSOR_TENSOR_MODE) {
        RequireMemory(from, Memory::Ub, "Select", "selMask");
        from = UseScratch(core, &choice.bits->address, sizeof(choice.bits->address));
    } else if (choice.scalar != nullptr) {
        from = UseScratch(core, choice.scalar, size);
    } else {
        return;
    }
    Issue load(Opcode::SetCmpMask, core);
    LoadRegister(load, from);
}

/// The address that SetCmpMask got for mode 2: an offset, or a host pointer in full or cut to 32
/// bits, as the kernel got it from GetPhyAddr.
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

/// The consecutive mask bits of modes 1 and 2, which are used up with the repeats.
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

/// The bits by which the instruction selects.
struct Bits {
    uint32_t size;  ///< bytes of an element
    bool scalar;
    bool stream;  ///< consecutive bits, not the register for every repeat
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

}  // namespace

void GetRegister(const Operand& dst, Location where) {
    Issue issue(Opcode::GetCmpMask, CoreKind::Aiv, where);
    if (!issue) {
        return;
    }
    uint8_t* to = issue.Write(Arg::Dst, dst, Memory::Ub, Runs{kRegisterBytes}, kRegisterBytes);
    issue.Work(1, 1);
    issue.Reads(Register::CmpMask);
    if (issue.Ready()) {
        std::memcpy(to, issue.core().cmpMask, kRegisterBytes);
        issue.Done();
    }
}

void SetRegister(const Operand& src, Location where) {
    Issue issue(Opcode::SetCmpMask, CoreKind::Aiv, where);
    if (!issue) {
        return;
    }
    // Kernels pass tensors of fewer elements than the register has bits.
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
    FillRegister(core, choice, size);
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
    const uint8_t* bits = stream ? BitStream(issue, choice, plan) : held;
    if (!issue.Ready()) {
        return;
    }
    plan.staged = issue.Mixed();
    std::vector<uint8_t> copy;
    if (stream && plan.staged) {
        copy.assign(bits, bits + (vec::ElementSpan(plan) + 7) / 8);
        bits = copy.data();
    }
    SelectElements(operands, plan, {size, count == 2, stream, held, bits});
    issue.Done();
}

}  // namespace twin::compare

namespace twin::compare {
namespace {

using advanced::RoundUp;

constexpr uint32_t kLeastScratch = 1024;
constexpr uint32_t kReserved = 256;                      ///< bytes for the last piece
constexpr uint32_t kMostPiece = 255 * kRepeatBytes / 2;  ///< elements of a repeat count

void CheckShape(const ByteChoice& choice) {
    const AscendC::SelectWithBytesMaskShapeInfo& s = choice.shape;
    const uint32_t size = SizeOf(choice.dtype);
    const uint64_t src = uint64_t{s.firstAxis} * s.srcLastAxis;
    const uint64_t mask = uint64_t{s.firstAxis} * s.maskLastAxis;
    const bool rows = src > 0 && s.maskLastAxis >= s.srcLastAxis &&
                      s.srcLastAxis * size % kBlockBytes == 0 &&
                      s.maskLastAxis * choice.maskSize % kBlockBytes == 0;
    if (rows && src * size == choice.src.bytes && mask * choice.maskSize == choice.mask.bytes) {
        return;
    }
    Fail("T703",
         "shape not taken: SelectWithBytesMask of %u x %u %s (src has %u B) with a mask of %u x %u "
         "elements of %u B (it has %u B); rows are multiples of 32 B, a mask row is not shorter, "
         "and "
         "the tensors have exactly these sizes\n  try: SetSize on the tensors",
         s.firstAxis, s.srcLastAxis, Name(choice.dtype), choice.src.bytes, s.firstAxis,
         s.maskLastAxis, choice.maskSize, choice.mask.bytes);
}

/// dst = mask element != 0 ? set : clear, where one of the two is the scalar.
template <typename E, typename M>
void Choose(uint8_t* dst, const uint8_t* src, const uint8_t* mask, E scalar, bool scalarFirst,
            size_t count) {
    const auto* s = reinterpret_cast<const E*>(src);
    const auto* m = reinterpret_cast<const M*>(mask);
    auto* d = reinterpret_cast<E*>(dst);
    // 32-bit masks are compared as floats: minus zero is zero.
    constexpr M kCounts = sizeof(M) == 4 ? static_cast<M>(0x7FFFFFFFU) : static_cast<M>(~M{0});
    for (size_t i = 0; i < count; ++i) {
        const bool takesTensor = ((m[i] & kCounts) != 0) == scalarFirst;
        d[i] = takesTensor ? s[i] : scalar;
    }
}

template <typename E>
void Choose(const ByteChoice& choice, uint8_t* dst, const uint8_t* src, const uint8_t* mask,
            size_t count) {
    E scalar;
    std::memcpy(&scalar, choice.scalar, sizeof(E));
    const bool first = choice.scalarFirst;
    if (choice.maskSize == 1) {
        Choose<E, uint8_t>(dst, src, mask, scalar, first, count);
    } else if (choice.maskSize == 2) {
        Choose<E, uint16_t>(dst, src, mask, scalar, first, count);
    } else {
        Choose<E, uint32_t>(dst, src, mask, scalar, first, count);
    }
}

}  // namespace

uint32_t ByteChoiceScratch(uint32_t elements, uint32_t maskSize, bool packsMask, bool least) {
    constexpr uint32_t kPiece = 4096;
    constexpr uint32_t kBeside = 512;
    const uint32_t piece = least ? std::min(elements, kPiece) : elements;
    const uint64_t halves = RoundUp(piece, kBlockBytes) * 2 + kBeside;
    const uint64_t copy = packsMask ? RoundUp(uint64_t{elements} * maskSize, kBlockBytes) : 0;
    return static_cast<uint32_t>(std::max<uint64_t>(kLeastScratch, halves) + copy);
}

void RunByteChoice(const ByteChoice& choice, const advanced::Tmp& tmp, Location where) {
    advanced::Call call(Opcode::SelectWithBytesMask, where);
    if (!call) {
        return;
    }
    CheckShape(choice);
    const AscendC::SelectWithBytesMaskShapeInfo& s = choice.shape;
    const uint32_t size = SizeOf(choice.dtype);
    const uint64_t elements = uint64_t{s.firstAxis} * s.srcLastAxis;
    const bool packs = s.srcLastAxis != s.maskLastAxis;
    call.shape().form = packs ? 1 : 0;
    call.shape().level = choice.maskSize;
    const uint64_t srcRow = uint64_t{s.srcLastAxis} * size;
    const uint64_t maskRow = uint64_t{s.maskLastAxis} * choice.maskSize;
    const uint64_t kept = uint64_t{s.srcLastAxis} * choice.maskSize;
    uint8_t* dst = call.Write(Arg::Dst, choice.dst, elements * size);
    const uint8_t* src = call.Read(Arg::Src, choice.src, elements * size);
    const uint8_t* mask =
        call.Read(Arg::Mask, choice.mask, Runs{kept, Level{s.firstAxis, maskRow}});
    // Rows of the mask with bytes to skip are packed first, possibly in place.
    uint8_t* packed = packs && choice.reuseMask
                          ? call.Write(Arg::Mask, choice.mask, kept * s.firstAxis)
                          : nullptr;
    const uint64_t copy =
        packs && !choice.reuseMask ? RoundUp(elements * choice.maskSize, kBlockBytes) : 0;
    const uint64_t pieces = std::min<uint64_t>(RoundUp(elements, kBlockBytes), kMostPiece) * 2;
    const uint64_t least = kLeastScratch + copy;
    call.Take(tmp, {least, std::max<uint64_t>(least, pieces + kReserved + copy)});
    if (!call.Ready(choice.dtype, elements, Overlap::InPlace)) {
        return;
    }
    for (uint32_t i = 0; i < s.firstAxis; ++i, dst += srcRow, src += srcRow, mask += maskRow) {
        if (size == 2) {
            Choose<uint16_t>(choice, dst, src, mask, s.srcLastAxis);
        } else {
            Choose<uint32_t>(choice, dst, src, mask, s.srcLastAxis);
        }
        if (packed != nullptr) {
            std::memmove(packed + i * kept, mask, kept);
        }
    }
    call.Done();
}

}  // namespace twin::compare

namespace twin {

void SelectWithBytesMaskSteps(CallSteps s) {
    const View dst = s.Operand(0), src = s.Operand(1), mask = s.Operand(2);
    if (s.Has(1)) {  // it packs the rows of the mask
        s.Unlisted({dst, src, mask});
        return s.Barrier();
    }
    const Dtype type = s.Level() == 1 ? Dtype::U8 : s.Level() == 2 ? Dtype::I16 : Dtype::F32;
    const View number = s.Buffer(s.Type()), x = s.Buffer(Dtype::F16), bits = s.Buffer(Dtype::U8);
    const int64_t size = std::min<int64_t>((s.Scratch() - 256) / 2 / 32 * 32, 255 * 128);
    s.Count(s.Half() ? 128 : 64).Duplicate(number);
    s.Count(s.Half() ? 8 : 4).SetCmpMask(number);
    s.Pieces(size, {dst, src, mask.As(type)}, [&](CallSteps s, View dst, View src, View mask) {
        s.Cast(x, mask);
        s.CompareScalar(bits, x);
        s.Select(dst, bits, src);
    });
}

}  // namespace twin
