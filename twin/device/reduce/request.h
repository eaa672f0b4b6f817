// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "device/tensor/local_tensor.h"
#include "device/types/enums.h"
#include "device/vec/extent.h"

namespace AscendC {

/// The results that a maximum or minimum writes for each repeat, and their order.
enum class ReduceOrder : uint8_t {
    ORDER_VALUE_INDEX = 0,
    ORDER_INDEX_VALUE,
    ORDER_ONLY_VALUE,
    ORDER_ONLY_INDEX
};

/// Operation of ReduceRepeat, ReduceDataBlock and ReducePairElem.
enum class ReduceType { NONE = -1, SUM = 0, MAX, MIN };

}  // namespace AscendC

namespace twin::reduce {

using AscendC::ReduceOrder;

enum class Op : uint8_t { Sum, Max, Min };
/// The elements of a repeat that give one result: all elements, a block, or two neighbours.
enum class Group : uint8_t { Repeat, Block, Pair };

/// The active elements of a request: a count or bits per repeat, or the mask register.
struct Mask {
    vec::Extent::Form form = vec::Extent::Form::MaskRegister;
    int32_t count = 0;
    uint64_t low = 0;
    uint64_t high = 0;

    static Mask Of(int32_t count, bool setMask = true) {
        Mask mask;
        if (setMask) {
            mask.form = vec::Extent::Form::MaskCount;
            mask.count = count;
        }
        return mask;
    }
    static Mask Of(const uint64_t* bits, bool setMask = true) {
        Mask mask;
        if (setMask) {
            mask.form = vec::Extent::Form::MaskBits;
            mask.low = bits[0];
            mask.high = bits[1];
        }
        return mask;
    }
    /// Returns true if no element is active, so that the call does nothing.
    bool Empty() const {
        return (form == vec::Extent::Form::MaskCount && count == 0) ||
               (form == vec::Extent::Form::MaskBits && (low | high) == 0);
    }
};

/// One reduction instruction with the parameters of its call.
struct Request {
    Opcode api;
    Op op;
    Group group;
    Dtype dtype;
    Operand dst;
    Operand src;
    Mask mask;
    int32_t repeats = 1;
    int32_t dstRepStride = 1;  ///< in units of the size of a repeat's results
    int32_t srcBlkStride = 1;  ///< in blocks of 32 B
    int32_t srcRepStride = 8;  ///< in blocks of 32 B
    ReduceOrder order = ReduceOrder::ORDER_ONLY_VALUE;
    Arg dstName = Arg::Dst;
    Arg srcName = Arg::Src;
    bool toRegister = false;  ///< the result goes to ACC_VAL, not to dst
};

constexpr Op OpOf(AscendC::ReduceType type) {
    return type == AscendC::ReduceType::MAX   ? Op::Max
           : type == AscendC::ReduceType::MIN ? Op::Min
                                              : Op::Sum;
}

/// Checks a request, reduces every repeat, and records the instruction.
TWIN_API void Run(const Request& request, Location where);

/// Runs ReduceSum with a count: one instruction sums in ACC_VAL, then the scalar unit writes dst.
TWIN_API void RunSumOfCount(Dtype dtype, const Operand& dst, const Operand& src, int32_t count,
                            bool setMask, Location where);
/// Runs ReduceSum with a mask, in up to three instructions. `work` has the intermediate sums.
TWIN_API void RunSumOfRepeats(Dtype dtype, const Operand& dst, const Operand& src,
                              const Operand& work, const Mask& mask, int32_t repeats,
                              int32_t srcRepStride, Location where);
/// Runs ReduceMax or ReduceMin with a count: reduces whole repeats, the tail, then both results.
TWIN_API void RunExtremeOfCount(Opcode api, Op op, Dtype dtype, const Operand& dst,
                                const Operand& src, const Operand& work, int32_t count,
                                bool withIndex, Location where);
/// Runs ReduceMax or ReduceMin with a mask. Results of a level are in `work` for the next level.
TWIN_API void RunExtremeOfRepeats(Opcode api, Op op, Dtype dtype, const Operand& dst,
                                  const Operand& src, const Operand& work, const Mask& mask,
                                  int32_t repeats, int32_t srcRepStride, bool withIndex,
                                  Location where);

/// Contents of the register MAX_MIN_CNT: the bits of the value, and its index.
struct BestResult {
    uint32_t value;
    uint32_t index;
};
TWIN_API BestResult ReadBest(Opcode api, Location where);
/// Returns the register ACC_VAL.
TWIN_API uint32_t ReadSum(Opcode api, Location where);

// The functions below help to run ReduceSum, ReduceMax and ReduceMin, which the library finishes on
// the scalar unit.

constexpr uint32_t kPair = 2;  ///< number of elements in a pair of value and index

/// Returns `operand` without its first `elements` elements. The result may be empty.
Operand At(const Operand& operand, uint64_t elements, Dtype dtype);

/// Makes vector instructions and copies to GM wait for the scalar unit.
void ReleaseScalar(Location where);

/// Reads one element with the scalar unit. StoreElement writes an element.
uint32_t LoadElement(Opcode api, const Operand& from, Dtype dtype, Location where);
void StoreElement(Opcode api, const Operand& to, uint32_t bits, Dtype dtype, Location where);

/// Fails in counter mode (T432): the API writes bits to the mask register, but counter mode reads
/// the register as an element count.
void RequireNormalMode(const Core& core, Opcode api);
void CheckRepeats(Opcode api, int32_t repeats);
void CheckCount(const Core& core, Opcode api, Dtype dtype, int32_t count);

}  // namespace twin::reduce
