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

constexpr uint8_t kAllBits = 0xFF;

/// A run of an operand's bytes that are no valid data: filler of DataCopyPad, never written, or
/// computed from such bytes.
struct TaintedRun {
    const ByteRange* range;  ///< the operand, or a part of it
    uint64_t offset;         ///< offset in `range`, without the gaps between its runs
    uint64_t bytes;
    uint16_t taint;  ///< number of the origin (Taint::Origin) of the bytes; 0: never written
    uint8_t bits;    ///< invalid bits of the byte if `bytes` is 1; otherwise kAllBits
};

/// Tracks bytes of UB that are no valid data: filler (padding by DataCopyPad), and bytes that
/// nothing has written, in UB or in a user workspace. Kernels may compute with such bytes. So a
/// byte is reported only if it is used as an offset, or if it reaches GM, the scalar unit or an
/// instruction that mixes elements. In masks, which have one bit for each element, the class tracks
/// bits.
class Taint {
public:
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
        if (!runs_.empty() || cmpMask_.invalid) {
            SpreadAll(i, core, memory);
        }
    }

private:
    enum class Source : uint8_t { Filler, Unwritten };
    /// The instruction that invalid bytes come from.
    struct Origin {
        Source source;
        Access access;  ///< the DataCopyPad, or the first read of unwritten bytes
        ByteRange range;
        uint64_t begin;
        uint64_t end;
    };
    /// For each bit of CMPMASK: the number of its origin if the bit is invalid, otherwise 0.
    struct Mask {
        bool invalid = false;  ///< some bits are invalid
        uint16_t taints[128] = {};
    };

    void Use(const Origin& origin, const CurrentAccess& now, uint64_t begin, uint64_t end,
             CoreFindings* findings) const;
    uint16_t NumberOf(Source source, const CurrentAccess& now, uint64_t begin, uint64_t end);
    void SpreadAll(const Instruction& i, const Core& core, LocalMemory* memory);
    void SpreadElements(const Instruction& i, LocalMemory* memory) const;
    void UseCmpMask(const Instruction& i, LocalMemory* memory) const;
    void SetCmpMask(const Instruction& i);
    void Follow(const Instruction& i, const Core& core, LocalMemory* memory);

    std::vector<Origin> origins_;  ///< origins_[i] has the number i + 1
    std::map<std::pair<uint32_t, Source>, uint16_t> numbers_;
    std::vector<TaintedRun> runs_;  ///< invalid bytes that the current instruction reads
    Mask cmpMask_;
    /// ByteMarks of UB. Between two calls of Follow(), all `marks_` are 0 and all `bits_` kAllBits.
    std::vector<uint8_t> marks_, bits_;
};

/// Returns true if the bytes contain their initial pattern. If they do not, the kernel has written
/// them through a pointer; such writes are not recorded. Also returns true for bytes that the
/// instruction both reads and writes.
bool HoldsPoison(const Core& core, const Instruction& i, const ByteRange& range, uint64_t begin,
                 uint64_t end);

bool WritesGm(const Instruction& i);

}  // namespace twin::hazard
