// SPDX-License-Identifier: Apache-2.0
// The numbers of architecture 2201 (dav-c220). Sources: [tables] the vendor's throughput tables of
// vector and cube instructions; [pto] the fitted cost model of pto-isa (costmodel/a2a3); [add],
// [bank], [copy], [matmul], [gelu] the measured best-practice samples of asc-devkit; [ini] the
// platform files of CANN 8.1.RC1; [here] derived from points of docs/timing.md.
#include <cstring>

#include "timing/costs.h"

namespace twin::timing {
namespace {

constexpr Confidence kHigh = Confidence::High;
constexpr Confidence kMedium = Confidence::Medium;
constexpr Confidence kLow = Confidence::Low;

// opcode, unit, head, cycles per unit for elements of 1, 2 and 4 bytes
const VectorCost kVectorCosts[] = {
    {"Add", Unit::Repeat, 22, 1, 1, 1, kHigh, "[bank] [add]"},
    {"Sub", Unit::Repeat, 22, 1, 1, 1, kMedium, "[tables], head of Add"},
    {"Mul", Unit::Repeat, 22, 1, 1, 1, kMedium, "[tables], head of Add"},
    {"Max", Unit::Repeat, 22, 1, 1, 1, kMedium, "[tables], head of Add"},
    {"Min", Unit::Repeat, 22, 1, 1, 1, kMedium, "[tables], head of Add"},
    {"And", Unit::Repeat, 20, 1, 1, 1, kMedium, "[tables] [pto]"},
    {"Or", Unit::Repeat, 20, 1, 1, 1, kMedium, "[tables] [pto]"},
    {"Div", Unit::Repeat, 31, 4, 4, 2, kMedium, "[tables] [pto]"},
    {"Not", Unit::Repeat, 24, 1, 1, 1, kMedium, "[tables]"},
    {"Adds", Unit::Repeat, 24, 1, 1, 1, kMedium, "[tables] [pto]"},
    {"Muls", Unit::Repeat, 24, 1, 1, 1, kMedium, "[tables] [pto]"},
    {"Maxs", Unit::Repeat, 24, 1, 1, 1, kMedium, "[tables] [pto]"},
    {"Mins", Unit::Repeat, 24, 1, 1, 1, kMedium, "[tables] [pto]"},
    {"Abs", Unit::Repeat, 24, 1, 1, 1, kMedium, "[tables] [pto]"},
    {"Relu", Unit::Repeat, 24, 1, 1, 1, kMedium, "[tables] [pto]"},
    {"LeakyRelu", Unit::Repeat, 24, 1, 1, 1, kMedium, "[tables]"},
    {"Reciprocal", Unit::Repeat, 24, 1, 1, 1, kMedium, "[tables]"},
    {"Rsqrt", Unit::Repeat, 24, 1, 1, 1, kMedium, "[tables]"},
    {"ShiftLeft", Unit::Repeat, 24, 1, 1, 1, kMedium, "[tables]"},
    {"ShiftRight", Unit::Repeat, 24, 1, 1, 1, kMedium, "[tables]"},
    {"Exp", Unit::Repeat, 31, 4, 4, 2, kMedium, "[tables] [pto]"},
    {"Ln", Unit::Repeat, 31, 4, 4, 2, kMedium, "[tables]"},
    {"Sqrt", Unit::Repeat, 31, 4, 4, 2, kMedium, "[tables] [pto]"},
    {"Axpy", Unit::Repeat, 24, 1, 1, 1, kMedium, "[tables]"},
    {"AddRelu", Unit::Repeat, 22, 1, 1, 1, kMedium, "[tables]"},
    {"SubRelu", Unit::Repeat, 22, 1, 1, 1, kMedium, "[tables]"},
    {"FusedMulAdd", Unit::Repeat, 22, 1, 1, 1, kMedium, "[tables]"},
    {"FusedMulAddRelu", Unit::Repeat, 22, 1, 1, 1, kMedium, "[tables]"},
    {"MulCast", Unit::Repeat, 22, 1, 1, 1, kMedium, "[tables]"},
    {"AddReluCast", Unit::Repeat, 32, 1, 1, 1, kLow, "[tables], head of Cast"},
    {"SubReluCast", Unit::Repeat, 32, 1, 1, 1, kLow, "[tables], head of Cast"},
    {"MulAddDst", Unit::Repeat, 22, 2, 2, 2, kMedium, "[tables]"},
    {"Cast", Unit::Repeat, 32, 1, 1, 1, kMedium, "[tables] [pto]"},
    {"CastDeq", Unit::Repeat, 32, 1, 1, 1, kMedium, "[tables] [pto]"},
    {"AddDeqRelu", Unit::Repeat, 32, 2, 2, 2, kLow, "a sequence in [tables]"},
    {"Compare", Unit::Repeat, 36, 1, 1, 1, kMedium, "[tables] [pto]"},
    {"CompareScalar", Unit::Repeat, 36, 1, 1, 1, kMedium, "[tables] [pto]"},
    {"Select", Unit::Repeat, 27, 1, 1, 1, kMedium, "[tables] [pto]"},
    {"GatherMask", Unit::Repeat, 34, 2, 2, 2, kMedium, "[tables] [pto]"},
    {"Gather", Unit::Element, 31, 0.2, 0.2, 0.2, kMedium, "[tables]: 5 elements a cycle"},
    {"Gatherb", Unit::Repeat, 31, 3, 3, 3, kMedium, "[tables]: 42 and 21 elements a cycle"},
    {"Scatter", Unit::Element, 31, 0.2, 0.2, 0.2, kLow, "as Gather"},
    {"WholeReduceSum", Unit::Repeat, 46, 7, 7, 7, kMedium, "[tables] [pto]"},
    {"WholeReduceMax", Unit::Repeat, 46, 7, 7, 7, kMedium, "[tables] [pto]"},
    {"WholeReduceMin", Unit::Repeat, 46, 7, 7, 7, kMedium, "[tables] [pto]"},
    {"RepeatReduceSum", Unit::Repeat, 46, 7, 7, 7, kMedium, "[tables] [pto]"},
    {"ReduceSum", Unit::Repeat, 46, 7, 7, 7, kLow, "as RepeatReduceSum"},
    {"ReduceRepeat", Unit::Repeat, 46, 7, 7, 7, kMedium, "[tables] [pto]"},
    {"BlockReduceSum", Unit::Repeat, 38, 1, 1, 1, kMedium, "[tables] [pto]"},
    {"BlockReduceMax", Unit::Repeat, 31, 1, 1, 1, kMedium, "[tables] [pto]"},
    {"BlockReduceMin", Unit::Repeat, 31, 1, 1, 1, kMedium, "[tables] [pto]"},
    {"ReduceDataBlock", Unit::Repeat, 38, 1, 1, 1, kMedium, "[tables] [pto]"},
    {"PairReduceSum", Unit::Repeat, 38, 1, 1, 1, kMedium, "[tables]"},
    {"ReducePairElem", Unit::Repeat, 38, 1, 1, 1, kMedium, "[tables]"},
    {"TransDataTo5HD", Unit::Repeat, 32, 2, 2, 2, kLow, "[tables]: 16 blocks of 32 B a repeat"},
    {"Transpose", Unit::Repeat, 32, 1, 1, 1, kMedium, "[tables]"},
    {"Brcb", Unit::Repeat, 24, 1, 1, 1, kMedium, "[tables]"},
    {"Duplicate", Unit::Repeat, 24, 1, 1, 1, kMedium, "[tables] [pto]"},
    {"Copy", Unit::Repeat, 24, 1, 1, 1, kMedium, "[pto]"},
    {"CreateVecIndex", Unit::Repeat, 24, 1, 1, 1, kMedium, "[tables]"},
    {"Sort32", Unit::Element, 31, 0.5, 0.5, 0.5, kMedium, "[tables]: 2 elements a cycle"},
    {"MrgSort", Unit::Element, 31, 0.5, 0.5, 0.5, kMedium, "[tables]: 2 elements a cycle"},
    {"SetCmpMask", Unit::Repeat, 1, 0, 0, 0, kMedium, "[tables]"},
    {"GetCmpMask", Unit::Repeat, 1, 0, 0, 0, kMedium, "[tables]"},
};

const VectorCost kUnknown = {"?", Unit::Repeat, 31, 2, 2, 2, kLow, "no row names it"};

// Calls, or forms of them, whose steps are not listed: the instructions
// behind one repeat of the call's widest operand, as its formula needs them, with a barrier behind
// each as in the library's headers (8.1.RC1). The library's own sequences are longer where it keeps
// precision; confidence: low.
const LibraryCost kLibraryCosts[] = {
    {"Power", "Ln Mul Exp Compare Select", true},
    {"SoftMax", "BlockReduceMax Sub Exp BlockReduceSum Div", true},
    {"SimpleSoftMax", "Sub Exp Div", true},
    {"SoftmaxFlash", "BlockReduceMax Sub Exp BlockReduceSum Div Mul", true},
    {"SoftmaxFlashV2", "BlockReduceMax Sub Exp BlockReduceSum Mul", true},
    {"SoftmaxGrad", "Mul BlockReduceSum Sub Mul", true},
    {"SoftmaxGradFront", "Mul BlockReduceSum", true},
    {"LayerNorm", "BlockReduceSum Sub Mul BlockReduceSum Mul Mul Add", true},
    {"DeepNorm", "Muls Add BlockReduceSum Sub Mul BlockReduceSum Mul Mul Add", true},
    {"GroupNorm", "BlockReduceSum Sub Mul BlockReduceSum Mul Mul Add", true},
    {"BatchNorm", "Add Sub Mul Add Mul Mul Add", true},
    {"LayerNormGrad", "Mul Sub Mul BlockReduceSum Mul BlockReduceSum Sub Mul Mul", true},
    {"LayerNormGradBeta", "Mul Add Add", true},
    {"Normalize", "Sub Mul Mul Add", true},
    {"WelfordFinalize", "BlockReduceSum Sub Mul BlockReduceSum", true},
    {"AscendAntiQuant", "Cast Add Mul Cast"},
    {"BroadCast", "Copy"},
    {"Broadcast", "Copy"},
    {"CumSum", "Transpose Add Transpose", true},
    {"DropOut", "Select Muls"},
    {"SelectWithBytesMask", "Cast Compare Select"},
    {"ConfusionTranspose", "Transpose"},
    {"Pad", "Transpose Copy Transpose"},
    {"UnPad", "Transpose Copy Transpose"},
    {"Extract", "GatherMask GatherMask"},
    {"Lgamma", "Ln Mul Ln Muls Adds Mul Adds Mul Adds Mul Div Select", true},
    {"Digamma", "Ln Mul Muls Adds Mul Adds Mul Adds Mul Div Select", true},
};

}  // namespace

// What has a name of its own.
namespace constant {
#define TWIN_CONSTANT(VARIABLE, VALUE, UNIT, CONFIDENCE, SOURCE) \
    const Constant VARIABLE = {#VARIABLE, VALUE, UNIT, CONFIDENCE, SOURCE}

TWIN_CONSTANT(kVectorDelay, 16, "cycles", kHigh, "read to write of a repeat: [bank], 135 cycles");
TWIN_CONSTANT(kCounterTail, 16, "cycles", kMedium, "[pto]: a count that is no multiple of 256 B");
TWIN_CONSTANT(kMmadHead, 9, "cycles", kHigh, "[matmul]: 521 cycles for 512 fractals, streaming");
TWIN_CONSTANT(kMmadTail, 52, "cycles", kHigh, "[matmul]: 125 and 575 cycles, each alone");
TWIN_CONSTANT(kMmadFloat, 2, "factor", kMedium, "[tables]: float has half the rate");
TWIN_CONSTANT(kLoadHead, 6, "cycles", kLow, "[here]: loads behind each other share their latency");
TWIN_CONSTANT(kLoadTail, 22, "cycles", kMedium, "[tables]: start 28");
TWIN_CONSTANT(kLoadL0a, 256, "B/cycle", kMedium, "[tables]");
TWIN_CONSTANT(kLoadL0b, 128, "B/cycle", kMedium, "[tables]");
TWIN_CONSTANT(kLoadTable, 32, "B/cycle", kMedium, "[tables]");
TWIN_CONSTANT(kFixHead, 20, "cycles", kMedium, "[tables]");
TWIN_CONSTANT(kFixElements, 64, "elements/cycle", kMedium, "[tables]");
TWIN_CONSTANT(kFixBytes, 68, "B/cycle", kMedium, "[matmul]: 970 cycles for 64 KiB to GM");
TWIN_CONSTANT(kCall, 3, "cycles", kMedium, "[add]: 26 and 61 cycles for 12 calls");
TWIN_CONSTANT(kMatmulStep, 12, "cycles", kMedium, "[matmul]: 174 to 449 a base block");
TWIN_CONSTANT(kMatmulStart, 6540, "cycles", kHigh, "first copy after 3.54 us, tiling at run time");
TWIN_CONSTANT(kMatmulStartConst, 4040, "cycles", kHigh,
              "first copy after 2.19 us, constant tiling");
TWIN_CONSTANT(kLocalRead, 13, "cycles", kHigh, "[add]: two reads, one write, 34 cycles");
TWIN_CONSTANT(kLocalWrite, 8, "cycles", kHigh, "[add]: two reads, one write, 34 cycles");
TWIN_CONSTANT(kScalarOther, 1, "cycles", kMedium, "[tables]");
TWIN_CONSTANT(kCacheMiss, 500, "cycles", kLow, "a read of GM by the scalar unit");
TWIN_CONSTANT(kCacheClean, 200, "cycles", kLow, "DataCacheCleanAndInvalid");
TWIN_CONSTANT(kCacheLines, 256, "lines", kLow, "16 KiB of 64 B");
TWIN_CONSTANT(kFlag, 8, "cycles", kLow, "[add]: what a tile takes beside its instructions");
TWIN_CONSTANT(kBarrier, 13, "cycles", kMedium, "[pto]: 13 to 20 behind the last result");
TWIN_CONSTANT(kBarrierAll, 20, "cycles", kLow, "as PipeBarrier, by the scalar unit");
TWIN_CONSTANT(kCrossFlag, 300, "cycles", kLow, "0.3 to 0.5 us to and fro");
TWIN_CONSTANT(kSyncAll, 3600, "cycles", kLow, "2 us");
TWIN_CONSTANT(kSyncAllCore, 36, "cycles", kLow, "0.02 us for each core");
TWIN_CONSTANT(kQueue, 32, "instructions", kLow, "depth of a pipe's queue");
TWIN_CONSTANT(kCopyHead, 17, "cycles", kMedium, "[copy]: copies of 128 B every 20.6 cycles");
TWIN_CONSTANT(kRowMinimum, 3.2, "cycles", kMedium,
              "[matmul]: 514 and 1380 cycles, 128 and 384 rows");
TWIN_CONSTANT(kNd2NzRow, 2.2, "cycles", kMedium,
              "[matmul] [copy]: rows of 512 B to 2 KiB out of L2");
TWIN_CONSTANT(kLoadPort, 128, "B/cycle", kLow, "[ini]: between L1 and UB");
TWIN_CONSTANT(kStorePort, 64, "B/cycle", kMedium, "[ini] [add]: 295 cycles for 8 KiB");
TWIN_CONSTANT(kL1Port, 32, "B/cycle", kMedium, "[pto]: L1 to GM");
TWIN_CONSTANT(kWindow, 14336, "B", kMedium, "[here]: in flight for one core, loads");
TWIN_CONSTANT(kRequest, 280, "B", kMedium,
              "[copy]: rows of 128 B, 24 cores; of the window at least");
TWIN_CONSTANT(kHbmLatency, 240, "cycles", kMedium, "[add]: 700 cycles for 2 x 8 KiB");
TWIN_CONSTANT(kPastL2Request, 420, "B", kMedium, "[copy]: the same past L2, 24 cores");
TWIN_CONSTANT(kL2Latency, 80, "cycles", kMedium, "[copy] [matmul]: 111 B/cycle for each AIC");
TWIN_CONSTANT(kStoreLatency, 167, "cycles", kMedium, "[add]: 295 cycles for 8 KiB");
TWIN_CONSTANT(kRunOverhead, 11, "B", kMedium, "[copy]: HBM at runs of 128 and 2048 B");
TWIN_CONSTANT(kPastL2Overhead, 66, "B", kMedium, "[copy]: the same of 128 B past L2");
TWIN_CONSTANT(kWriteBack, 1.8, "factor", kMedium, "[add] [gelu]: HBM turns between read and write");
TWIN_CONSTANT(kWriteBuffer, 524288, "B", kLow, "[add]: loads of a serial kernel at full speed");
TWIN_CONSTANT(kChannel, 1 << 30, "B", kLow, "HBM2E: four stacks of 16 GiB, 16 channels each");
TWIN_CONSTANT(kInterleave, 1024, "B", kLow,
              "[add]: what small tiles cost (P-5); 2 KiB does as well");
TWIN_CONSTANT(kSameLine, 130, "B", kMedium, "[copy]: all cores the same lines, past L2");
TWIN_CONSTANT(kSameLineTime, 1000, "cycles", kLow, "a line is still on its way");
TWIN_CONSTANT(kAtomicLine, 21, "cycles", kLow, "atomic copies to one line follow each other");
TWIN_CONSTANT(kLaunch, 0.45, "us", kHigh, "[add]: task beside its one core");
TWIN_CONSTANT(kBlockStart, 0.02, "us", kLow, "blocks start behind each other");
TWIN_CONSTANT(kMixStart, 4, "us", kLow, "cores of both kinds");
TWIN_CONSTANT(kCoreStart, 1.0, "us", kLow, "the smallest kernels take 2.8 to 6 us");

#undef TWIN_CONSTANT
}  // namespace constant

namespace {

const Constant* const kConstants[] = {
    &constant::kVectorDelay,      &constant::kCounterTail,
    &constant::kMmadHead,         &constant::kMmadTail,
    &constant::kMmadFloat,        &constant::kLoadHead,
    &constant::kLoadTail,         &constant::kLoadL0a,
    &constant::kLoadL0b,          &constant::kLoadTable,
    &constant::kFixHead,          &constant::kFixElements,
    &constant::kFixBytes,         &constant::kCall,
    &constant::kMatmulStep,       &constant::kMatmulStart,
    &constant::kMatmulStartConst, &constant::kLocalRead,
    &constant::kLocalWrite,       &constant::kScalarOther,
    &constant::kCacheMiss,        &constant::kCacheClean,
    &constant::kCacheLines,       &constant::kFlag,
    &constant::kBarrier,          &constant::kBarrierAll,
    &constant::kCrossFlag,        &constant::kSyncAll,
    &constant::kSyncAllCore,      &constant::kQueue,
    &constant::kCopyHead,         &constant::kRowMinimum,
    &constant::kNd2NzRow,         &constant::kRequest,
    &constant::kPastL2Request,    &constant::kPastL2Overhead,
    &constant::kWriteBuffer,      &constant::kChannel,
    &constant::kInterleave,       &constant::kLoadPort,
    &constant::kStorePort,        &constant::kL1Port,
    &constant::kWindow,           &constant::kHbmLatency,
    &constant::kL2Latency,        &constant::kStoreLatency,
    &constant::kRunOverhead,      &constant::kWriteBack,
    &constant::kSameLine,         &constant::kSameLineTime,
    &constant::kAtomicLine,       &constant::kLaunch,
    &constant::kBlockStart,       &constant::kMixStart,
    &constant::kCoreStart,
};

}  // namespace

const VectorCost* FindVectorCost(const char* opcode) {
    for (const VectorCost& row : kVectorCosts) {
        if (std::strcmp(row.opcode, opcode) == 0) {
            return &row;
        }
    }
    return nullptr;
}

const LibraryCost* FindLibraryCost(const char* api) {
    for (const LibraryCost& row : kLibraryCosts) {
        if (std::strcmp(row.api, api) == 0) {
            return &row;
        }
    }
    return nullptr;
}

const VectorCost& UnknownVectorCost() { return kUnknown; }

size_t VectorCostCount() { return sizeof(kVectorCosts) / sizeof(kVectorCosts[0]); }
const VectorCost& VectorCostAt(size_t index) { return kVectorCosts[index]; }
size_t LibraryCostCount() { return sizeof(kLibraryCosts) / sizeof(kLibraryCosts[0]); }
const LibraryCost& LibraryCostAt(size_t index) { return kLibraryCosts[index]; }
size_t ConstantCount() { return sizeof(kConstants) / sizeof(kConstants[0]); }
const Constant& ConstantAt(size_t index) { return *kConstants[index]; }

}  // namespace twin::timing
