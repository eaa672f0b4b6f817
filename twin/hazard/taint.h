// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "core/byte_range.h"
#include "core/core.h"
#include "hazard/core_findings.h"
#include "hazard/shadow.h"

namespace twin::hazard {

class LocalMemory;
class OperandElements;

constexpr uint8_t kAllBits = 0xFF;

/// A run of an operand's bytes that are no valid data: filler of DataCopyPad, never written, or
/// computed from such bytes.
struct TaintedRun {
    const ByteRange* range;  ///< the operand, or a part of it
    uint64_t offset;         ///< offset in `range`, without the gaps between its runs
    uint64_t bytes;
    uint16_t taint;  ///< number of the origin (Taint::Origin) of the bytes; 0: never written
    uint8_t bits;    ///< invalid bits of the byte if `bytes` is 1; otherwise kAllBits
    Access write;    ///< latest write to the bytes
};

/// Tracks bytes of UB that are no valid data: filler (padding by DataCopyPad), and bytes that
/// nothing has written, in UB or in a user workspace. Kernels may compute with such bytes. So a
/// byte is reported only if it is used as an offset, or if it reaches GM, the scalar unit or an
/// instruction that mixes elements. In masks, which have one bit for each element, the class tracks
/// bits.
class Taint {
public:
    /// Call it before an instruction changes any bytes. Keeps a copy of operands with invalid bytes
    /// if the instruction overwrites the operands.
    void Before(const Instruction& next, const Core& core, LocalMemory* memory);
    void BeginInstruction() { runs_.clear(); }
    /// Checks a read of these invalid bytes. Reports a use of the bytes as data.
    void Judge(const std::vector<TaintedRun>& runs, const CurrentAccess& now, const Core& core,
               CoreFindings* findings);
    /// Returns the origin number for the filler that this DataCopyPad writes.
    uint16_t NumberOfFiller(const CurrentAccess& now) {
        return NumberOf(Source::Filler, now, now.range.begin,
                        now.range.begin + now.range.runs.bytes);
    }
    /// Returns the origin number for unwritten bytes that this copy reads from a workspace.
    uint16_t NumberOfWorkspace(const CurrentAccess& now, uint64_t begin, uint64_t end) {
        return NumberOf(Source::Unwritten, now, begin, end);
    }
    /// Marks as invalid the results that the instruction computes from invalid bytes. Call it after
    /// the instruction's writes.
    void Spread(const Instruction& i, const Core& core, LocalMemory* memory) {
        if (!runs_.empty() || cmpMask_.invalid || best_ != 0) {
            SpreadAll(i, core, memory);
        }
    }

    /// Reports a read of MAX_MIN_CNT if a reduction has computed the register from invalid bytes.
    void CheckBest(const Instruction& i, const Access& access, CoreFindings* findings) const {
        if (best_ != 0 && i.reads.Has(Register::Best)) {
            UseBest(i, access, findings);
        }
    }

private:
    enum class Source : uint8_t {
        Filler,
        MixedFiller,  ///< result of an instruction that mixes filler with the elements of a row
        Unwritten
    };
    /// The instruction that invalid bytes come from.
    struct Origin {
        Source source;
        /// The DataCopyPad, the instruction that mixes filler, or the first read of unwritten
        /// bytes.
        Access access;
        ByteRange range;
        uint64_t begin;
        uint64_t end;
        Access filler;  ///< MixedFiller: the DataCopyPad
    };
    /// For each bit of CMPMASK: the number of its origin if the bit is invalid, otherwise 0.
    struct Mask {
        bool invalid = false;  ///< some bits are invalid
        uint16_t taints[128] = {};
    };

    void Use(const Origin& origin, const CurrentAccess& now, uint64_t begin, uint64_t end,
             CoreFindings* findings) const;
    uint16_t NumberOf(Source source, const CurrentAccess& now, uint64_t begin, uint64_t end);
    uint16_t NumberOfMixed(uint16_t filler, const CurrentAccess& now, uint64_t begin, uint64_t end);
    void UseBest(const Instruction& i, const Access& access, CoreFindings* findings) const;
    void SpreadAll(const Instruction& i, const Core& core, LocalMemory* memory);
    void SpreadElements(const Instruction& i, const Core& core, LocalMemory* memory);
    void MarkUndecided(const Instruction& i, const Core& core, const OperandElements& elements,
                       const TaintedRun& run, uint64_t first, uint64_t last,
                       LocalMemory* memory) const;
    bool IsDecided(const Instruction& i, const Core& core, const OperandElements& elements,
                   Arg operand, uint64_t bit) const;
    uint8_t ByteBefore(const Core& core, uint64_t place) const;
    bool HoldsPoison(const Core& core, uint64_t begin, uint64_t end) const;
    std::vector<uint16_t> SetMarks(const Core& core);
    void ClearMarks(const Instruction& i);
    void UseCmpMask(const Instruction& i, LocalMemory* memory) const;
    void Follow(const Instruction& i, const Core& core, LocalMemory* memory);

    /// Bytes of UB before the instruction.
    struct Copy {
        uint64_t begin;
        std::vector<uint8_t> bytes;
    };

    std::vector<Copy> copies_;
    std::vector<Origin> origins_;  ///< origins_[i] has the number i + 1
    std::map<std::pair<uint32_t, Source>, uint16_t> numbers_;
    std::vector<TaintedRun> runs_;  ///< invalid bytes that the current instruction reads
    Mask cmpMask_;
    uint16_t best_ = 0;  ///< number of the origin of an invalid MAX_MIN_CNT; 0: it is valid
    /// ByteMarks of UB, while an instruction needs them. At other times, all `marks_` are 0 and all
    /// `bits_` are kAllBits.
    std::vector<uint8_t> marks_, bits_;
};

/// Returns true if the instruction writes bytes between the first and the last byte of an operand.
bool OverlapsResult(const Instruction& i, const ByteRange& operand);

/// Returns true if `byte` is the initial value of the byte at address `at` of a local memory.
bool IsPoison(const Core& core, uint64_t at, uint8_t byte);

bool WritesGm(const Instruction& i);

}  // namespace twin::hazard
