// SPDX-License-Identifier: Apache-2.0
#include "device/select/select_with_bytes_mask.h"

#include <algorithm>
#include <cstring>

#include "core/library_steps.h"
#include "device/library/call.h"

namespace twin::compare {
namespace {

using advanced::RoundUp;

constexpr uint32_t kLeastScratch = 1024;
constexpr uint32_t kReserved = 256;                      ///< bytes of scratch besides the data
constexpr uint32_t kMostPiece = 255 * kRepeatBytes / 2;  ///< most elements at once: 255 repeats

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

/// Writes src where the mask is 0, and the scalar elsewhere. `scalarFirst` swaps src and scalar.
template <typename E, typename M>
void Choose(uint8_t* dst, const uint8_t* src, const uint8_t* mask, E scalar, bool scalarFirst,
            size_t count) {
    const auto* s = reinterpret_cast<const E*>(src);
    const auto* m = reinterpret_cast<const M*>(mask);
    auto* d = reinterpret_cast<E*>(dst);
    // A 32-bit mask is compared with 0 as a float, so minus zero counts as 0.
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

/// The operands of one row, and their marks (see ByteMarks).
struct RowOfChoice {
    const uint8_t* mask;
    const uint8_t* maskMarks;
    const uint8_t* srcMarks;
    uint8_t* dstMarks;
};

/// A result gets the marks of its mask element, or else those of the element that the mask chooses;
/// the scalar has none.
void MoveMarks(const ByteChoice& choice, const RowOfChoice& row) {
    const uint32_t size = SizeOf(choice.dtype);
    const uint32_t maskSize = choice.maskSize;
    for (uint64_t i = 0; i < choice.shape.srcLastAxis; ++i) {
        const uint8_t invalid = ByteMarks::First(row.maskMarks + i * maskSize, maskSize);
        uint32_t mask = 0;
        std::memcpy(&mask, row.mask + i * maskSize, maskSize);
        const bool set = (maskSize == 4 ? mask & 0x7FFFFFFFU : mask) != 0;
        uint8_t* to = row.dstMarks + i * size;
        if (invalid != 0 || set != choice.scalarFirst) {
            std::memset(to, invalid, size);
        } else {
            std::memmove(to, row.srcMarks + i * size, size);
        }
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
    // If mask rows are longer than src rows, the library packs the mask (with reuseMask: in place).
    uint8_t* packed = packs && choice.reuseMask
                          ? call.Write(Arg::Mask, choice.mask, kept * s.firstAxis)
                          : nullptr;
    const uint64_t copy =
        packs && !choice.reuseMask ? RoundUp(elements * choice.maskSize, kBlockBytes) : 0;
    const uint64_t pieces = std::min<uint64_t>(RoundUp(elements, kBlockBytes), kMostPiece) * 2;
    const uint64_t least = kLeastScratch + copy;
    call.Take(tmp, {least, std::max<uint64_t>(least, pieces + kReserved + copy)});
    // Packing moves a mask, and its marks, to the begin of the operand.
    const auto follow = [&, dst, src, mask](const ByteMarks& marks) {
        uint8_t* const masks = marks.Of(Memory::Ub, mask);
        for (uint64_t i = 0; i < s.firstAxis; ++i) {
            MoveMarks(choice, {packed == nullptr ? mask + i * maskRow : packed + i * kept,
                               masks + i * maskRow, marks.Of(Memory::Ub, src) + i * srcRow,
                               marks.Of(Memory::Ub, dst) + i * srcRow});
            if (packed != nullptr) {
                std::memmove(masks + i * kept, masks + i * maskRow, kept);
            }
        }
    };
    call.issue().Follow(follow);
    call.Run(choice.dtype, elements, Overlap::InPlace, [&] {
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
    });
}

}  // namespace twin::compare

namespace twin {

void SelectWithBytesMaskSteps(CallSteps s) {
    const View dst = s.Operand(0), src = s.Operand(1), mask = s.Operand(2);
    if (s.Has(1)) {  // the call packs the rows of the mask
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
