// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_TIMING_COSTS_H
#define TWIN_TIMING_COSTS_H

#include <cstddef>
#include <cstdint>

#include "core/types.h"
#include "timing/ticks.h"

namespace twin::timing {

/// How well a number is known.
enum class Confidence : char {
    High = 'H',    ///< measured on a chip, two sources agree
    Medium = 'M',  ///< one vendor source
    Low = 'L',     ///< derived here
};

/// What an instruction's work is counted in.
enum class Unit : uint8_t { Repeat, Element };

/// One vector instruction: `head` + units x cycles, by the bytes of an element.
struct VectorCost {
    const char* opcode;
    Unit unit;
    double head;
    double cycles8, cycles16, cycles32;
    Confidence confidence;
    const char* source;
};

/// A call that the library makes of several vector instructions: what one repeat of it costs.
struct LibraryCost {
    const char* api;
    const char* instructions;  ///< per repeat of the widest operand, separated by spaces
    bool asFloats = false;     ///< halves become floats first, and halves again at the end
};

/// A number of the model that belongs to no single vector instruction.
struct Constant {
    const char* name;
    double value;
    const char* unit;
    Confidence confidence;
    const char* source;
};

inline uint64_t Whole(const Constant& constant) { return static_cast<uint64_t>(constant.value); }
inline Ticks Of(const Constant& constant) { return Cycles(constant.value); }

/// Of the family with architecture 2201 (Atlas A2 and A3).
const VectorCost* FindVectorCost(const char* opcode);
const LibraryCost* FindLibraryCost(const char* api);
/// Of an instruction that no row names; the profile counts how often that happened.
const VectorCost& UnknownVectorCost();

/// For the page that lists them.
size_t VectorCostCount();
const VectorCost& VectorCostAt(size_t index);
size_t LibraryCostCount();
const LibraryCost& LibraryCostAt(size_t index);
size_t ConstantCount();
const Constant& ConstantAt(size_t index);

/// Cycles unless said otherwise. Each is explained in the table of costs_2201.cpp.
namespace constant {
extern const Constant kVectorDelay, kCounterTail;
extern const Constant kMmadHead, kMmadTail, kMmadFloat;
extern const Constant kLoadHead, kLoadTail, kLoadL0a, kLoadL0b, kLoadTable;
extern const Constant kFixHead, kFixElements, kFixBytes;
extern const Constant kCall, kMatmulStep, kMatmulStart, kMatmulStartConst, kLocalRead, kLocalWrite,
    kScalarOther;
extern const Constant kCacheMiss, kCacheClean, kCacheLines;
extern const Constant kFlag, kBarrier, kBarrierAll, kCrossFlag, kSyncAll, kSyncAllCore, kQueue;
extern const Constant kCopyHead, kRowMinimum, kNd2NzRow, kLoadPort, kStorePort, kL1Port;
extern const Constant kWindow, kRequest, kHbmLatency, kPastL2Request, kL2Latency, kStoreLatency;
extern const Constant kRunOverhead, kPastL2Overhead, kWriteBack, kWriteBuffer, kChannel,
    kInterleave;
extern const Constant kSameLine, kSameLineTime, kAtomicLine;
extern const Constant kLaunch, kBlockStart, kMixStart, kCoreStart;
}  // namespace constant

}  // namespace twin::timing

#endif  // TWIN_TIMING_COSTS_H
