// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/opcodes.h"
#include "timing/event_queue.h"

namespace twin::timing {

/// How reliable a number of the model is.
enum class Confidence : char {
    High = 'H',    ///< the number was measured on a chip, or two sources agree
    Medium = 'M',  ///< only one source, of the vendor, has the number
    Low = 'L',     ///< the number was derived for this model
};

/// The unit in which an instruction's work is counted.
enum class Unit : uint8_t {
    Repeat,
    Element,
    Run,  ///< 256 B. Repeats can have any length, and each takes kRunStart cycles more.
};

/// Cost of a vector instruction in cycles: `head` + units x cycles8, cycles16 or cycles32,
/// depending on the bits of an element. The values are in core/opcodes.def.
struct VectorCost {
    bool known = false;
    Unit unit = Unit::Repeat;
    double head = 0;
    double cycles8 = 0, cycles16 = 0, cycles32 = 0;
};

/// The vector instructions whose total cost is the estimated cost of one repeat of a library call.
struct LibraryCost {
    Opcode call;
    Opcode instructions[12] = {};  ///< for a repeat of the widest operand; None ends the list
    bool asFloats = false;         ///< the call converts half to float first, and back at the end
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

/// Returns the cost of an instruction on architecture 2201 (Atlas A2, A3); nullptr if unknown.
const VectorCost* FindVectorCost(Opcode opcode);
const LibraryCost* FindLibraryCost(Opcode call);
/// Returns a guess for instructions without a cost in the table. Profiles list such instructions.
const VectorCost& UnknownVectorCost();

/// Constants of the model; costs_2201.cpp gives the value, unit, confidence and source of each.
namespace constant {
extern const Constant kVectorDelay, kRunStart;
extern const Constant kMmadHead, kMmadTail, kMmadFloat;
extern const Constant kLoadHead, kLoadTail, kLoadL0a, kLoadL0b, kLoadTable;
extern const Constant kFixHead, kFixElements, kFixBytes;
extern const Constant kCall, kVectorCall, kFlagCall, kQueueCall, kPadCall, kMatmulStep,
    kMatmulStart, kMatmulStartConst, kLocalRead, kLocalWrite, kScalarOther;
extern const Constant kScalarSimple, kScalarMemory, kScalarMultiply, kScalarBranch, kScalarDivide32,
    kScalarDivide64, kScalarDivideFloat, kScalarFolded;
extern const Constant kTilingWord, kPipeInit, kBufferInit;
extern const Constant kCacheMiss, kCacheClean, kCacheLinesAic, kCacheLinesAiv;
extern const Constant kFlag, kBarrier, kBarrierAll, kCrossFlag, kSyncAll, kSyncAllCore, kQueue;
extern const Constant kCopyHead, kRowMinimum, kNd2NzRow, kLoadPort, kStorePort, kL1Port;
extern const Constant kWindow, kStoreWindow, kRequest, kHbmLatency, kPastL2Request, kL2Latency,
    kStoreLatency;
extern const Constant kRunOverhead, kPastL2Overhead, kWriteBack, kWriteBuffer, kChannel,
    kInterleave;
extern const Constant kPaddedRow, kPartialStore, kSameLine, kSameLineTime, kAtomicLine;
extern const Constant kLaunch, kBlockStart, kMixStart, kCoreStart;
extern const Constant kCodeUnit, kCodeCall, kCodeMatmul, kCodeCycle, kCodeMost, kCodeMiss,
    kFirstLoad, kFirstLoadCore, kFirstStore;
}  // namespace constant

}  // namespace twin::timing
