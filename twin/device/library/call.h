// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_LIBRARY_CALL_H
#define TWIN_DEVICE_LIBRARY_CALL_H

// What all calls of the advanced API share: the checks of their operands and of their scratch, and
// their record. A call is one instruction of pipe V in the stream, with the API's name, all
// elements and the byte ranges of operands and scratch; the single steps of the library are not
// shown.

#include "device/tensor/local_tensor.h"

namespace twin::advanced {

/// sharedTmpBuffer of a call; without one the call takes what the core's TPipe has left.
struct Tmp {
    Operand place = {};
    bool given = false;

    Tmp() = default;
    Tmp(const AscendC::LocalTensor<uint8_t>& tensor) : place(Of(tensor)), given(true) {}
};

/// A tensor operand: the bytes from its start that the call reads or writes.
struct Part {
    const char* name;
    Operand place;
    uint64_t bytes;
    bool write = false;
    bool lost = false;  ///< a source that serves as scratch: poison afterwards
};

/// Whether the library's steps read a source for the last time before they write the same bytes of
/// the destination. Only then the destination may be exactly the source.
enum class InPlace : uint8_t { Works, Breaks };

/// Bytes of scratch: what the library refuses to go below, and what it uses when it has it.
struct TmpNeed {
    uint64_t min = 0;
    uint64_t use = 0;
};

/// One call, from its checks to its record.
class Call {
public:
    static constexpr uint32_t kMaxParts = 8;

    Call(const char* api, Location where);
    /// False: the core is none for vector calls, which then do nothing.
    explicit operator bool() const { return runs_; }
    Core& core() const { return core_; }
    const char* api() const { return api_; }

    void Add(const Part& part);
    /// Checks memory, alignment, size and overlap of the parts. False only in hardware mode: a
    /// source is overwritten before it is read, so that the destination becomes poison.
    bool Check(InPlace inPlace);
    /// Checks the scratch; the call's last steps leave nothing that may be relied on there.
    void Take(const Tmp& tmp, const TmpNeed& need);
    /// Places of the parts in UB.
    uint8_t* At(uint32_t part) const { return core_.ub + parts_[part].place.address; }
    /// Applies the core's saturation mode to `elements` of part 0.
    void Saturate(Dtype dtype, uint64_t elements);
    /// Records the call and leaves the scratch poisoned and the mask register full.
    void Finish(Dtype dtype, uint64_t elements);
    /// Instead of an effect: the destinations become poison.
    void Spoil();

private:
    void CheckOverlap(const Part& dst, const Part& other, InPlace inPlace, bool* lost) const;
    LegacyInstruction Describe(Dtype dtype, uint64_t elements) const;

    Core& core_;
    const char* api_;
    bool runs_;
    uint32_t partCount_ = 0;
    Part parts_[kMaxParts];
    Operand scratch_ = {};
    uint64_t scratchBytes_ = 0;
};

/// Fills UB with what freshly allocated memory holds.
void Poison(Core& core, uint64_t address, uint64_t bytes);

constexpr uint64_t RoundUp(uint64_t value, uint64_t unit) {
    return (value + unit - 1) / unit * unit;
}

}  // namespace twin::advanced

#endif  // TWIN_DEVICE_LIBRARY_CALL_H
