// SPDX-License-Identifier: Apache-2.0
// The numbers of architecture 2201 (dav-c220). Sources: [tables] the vendor's throughput tables of
// vector and cube instructions; [pto] the fitted cost models of pto-isa (costmodel/a2a3); [fusion]
// the costs with which the vendor's fusion compiler chooses tilings (ge, autofuse, api_perf v1);
// [mskpp] the rates that the vendor's tool mskpp contains, measured on a 910B1; [add], [bank],
// [copy], [matmul], [gelu] the measured best-practice samples of asc-devkit; [s9] kernels of a
// public competition, with their times on a 910B4 (CANN-S9-910B); [ini] the platform files and
// [impl] the headers of CANN 8.1.RC1; [here] derived from points of docs/timing.md.
#include <algorithm>
#include <iterator>

#include "timing/costs.h"

namespace twin::timing {
namespace {

constexpr Confidence kHigh = Confidence::High;
constexpr Confidence kMedium = Confidence::Medium;
constexpr Confidence kLow = Confidence::Low;

#define TWIN_OPCODE(API, TEXT, PIPE, KIND) {},
#define TWIN_VECTOR(API, KIND, UNIT, HEAD, CYCLES8, CYCLES16, CYCLES32, ...) \
    {true, Unit::UNIT, HEAD, CYCLES8, CYCLES16, CYCLES32},
// Costs of vector instructions, indexed by opcode.
const VectorCost kVectorCosts[kOpcodes] = {
    {},
#include "core/opcodes.def"
};

const VectorCost kUnknown = {true, Unit::Repeat, 31, 2, 2, 2};

// Estimated costs of library calls, or forms of calls, for which no function lists instructions. A
// row has the instructions that the call's formula needs for one repeat of its widest operand, each
// with a barrier, as in the library's headers (8.1.RC1). The library itself uses more instructions
// to keep precision. Confidence: low.
const LibraryCost kLibraryCosts[] = {
    {Opcode::Power, {Opcode::Ln, Opcode::Mul, Opcode::Exp, Opcode::Compare, Opcode::Select}, true},
    {Opcode::SoftMax,
     {Opcode::BlockReduceMax, Opcode::Sub, Opcode::Exp, Opcode::BlockReduceSum, Opcode::Div},
     true},
    {Opcode::SimpleSoftMax, {Opcode::Sub, Opcode::Exp, Opcode::Div}, true},
    {Opcode::SoftmaxFlash,
     {Opcode::BlockReduceMax, Opcode::Sub, Opcode::Exp, Opcode::BlockReduceSum, Opcode::Div,
      Opcode::Mul},
     true},
    {Opcode::SoftmaxFlashV2,
     {Opcode::BlockReduceMax, Opcode::Sub, Opcode::Exp, Opcode::BlockReduceSum, Opcode::Mul},
     true},
    {Opcode::SoftmaxFlashV3,
     {Opcode::BlockReduceSum, Opcode::Sub, Opcode::BlockReduceMax, Opcode::Sub, Opcode::Exp,
      Opcode::BlockReduceSum, Opcode::Mul},
     true},
    {Opcode::SoftmaxGrad, {Opcode::Mul, Opcode::BlockReduceSum, Opcode::Sub, Opcode::Mul}, true},
    {Opcode::SoftmaxGradFront, {Opcode::Mul, Opcode::BlockReduceSum}, true},
    {Opcode::LayerNorm,
     {Opcode::BlockReduceSum, Opcode::Sub, Opcode::Mul, Opcode::BlockReduceSum, Opcode::Mul,
      Opcode::Mul, Opcode::Add},
     true},
    {Opcode::DeepNorm,
     {Opcode::Muls, Opcode::Add, Opcode::BlockReduceSum, Opcode::Sub, Opcode::Mul,
      Opcode::BlockReduceSum, Opcode::Mul, Opcode::Mul, Opcode::Add},
     true},
    {Opcode::GroupNorm,
     {Opcode::BlockReduceSum, Opcode::Sub, Opcode::Mul, Opcode::BlockReduceSum, Opcode::Mul,
      Opcode::Mul, Opcode::Add},
     true},
    {Opcode::BatchNorm,
     {Opcode::Add, Opcode::Sub, Opcode::Mul, Opcode::Add, Opcode::Mul, Opcode::Mul, Opcode::Add},
     true},
    {Opcode::LayerNormGrad,
     {Opcode::Mul, Opcode::Sub, Opcode::Mul, Opcode::BlockReduceSum, Opcode::Mul,
      Opcode::BlockReduceSum, Opcode::Sub, Opcode::Mul, Opcode::Mul},
     true},
    {Opcode::LayerNormGradBeta, {Opcode::Mul, Opcode::Add, Opcode::Add}, true},
    {Opcode::Normalize, {Opcode::Sub, Opcode::Mul, Opcode::Mul, Opcode::Add}, true},
    {Opcode::WelfordFinalize,
     {Opcode::BlockReduceSum, Opcode::Sub, Opcode::Mul, Opcode::BlockReduceSum},
     true},
    {Opcode::AscendAntiQuant, {Opcode::Cast, Opcode::Add, Opcode::Mul, Opcode::Cast}},
    {Opcode::BroadCast, {Opcode::Copy}},
    {Opcode::Broadcast, {Opcode::Copy}},
    {Opcode::CumSum, {Opcode::Transpose, Opcode::Add, Opcode::Transpose}, true},
    {Opcode::DropOut, {Opcode::Select, Opcode::Muls}},
    {Opcode::SelectWithBytesMask, {Opcode::Cast, Opcode::Compare, Opcode::Select}},
    {Opcode::ConfusionTranspose, {Opcode::Transpose}},
    {Opcode::TransData, {Opcode::Transpose}},
    {Opcode::Pad, {Opcode::Transpose, Opcode::Copy, Opcode::Transpose}},
    {Opcode::UnPad, {Opcode::Transpose, Opcode::Copy, Opcode::Transpose}},
    {Opcode::Lgamma,
     {Opcode::Ln, Opcode::Mul, Opcode::Ln, Opcode::Muls, Opcode::Adds, Opcode::Mul, Opcode::Adds,
      Opcode::Mul, Opcode::Adds, Opcode::Mul, Opcode::Div, Opcode::Select},
     true},
    {Opcode::Digamma,
     {Opcode::Ln, Opcode::Mul, Opcode::Muls, Opcode::Adds, Opcode::Mul, Opcode::Adds, Opcode::Mul,
      Opcode::Adds, Opcode::Mul, Opcode::Div, Opcode::Select},
     true},
};

}  // namespace

// The named constants of the model.
namespace constant {
#define TWIN_CONSTANT(VARIABLE, VALUE, UNIT, CONFIDENCE, SOURCE) \
    const Constant VARIABLE = {#VARIABLE, VALUE, UNIT, CONFIDENCE, SOURCE}

TWIN_CONSTANT(kVectorDelay, 16, "cycles", kHigh, "read to write of a repeat: [bank], 135 cycles");
TWIN_CONSTANT(kRunStart, 12, "cycles", kHigh, "[mskpp] [pto]: 14 for a repeat of 256 B");
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
TWIN_CONSTANT(kCall, 3, "cycles", kMedium, "[add]: 26 and 39 cycles a tile, with kFlagCall");
TWIN_CONSTANT(kVectorCall, 10, "cycles", kMedium, "[add]: the same; sets mask and configuration");
TWIN_CONSTANT(kFlagCall, 1, "cycles", kMedium, "one instruction; no configuration to compute");
TWIN_CONSTANT(kQueueCall, 30, "cycles", kMedium,
              "[s9]: 185 cycles for 4 calls, 2 copies, 1 division; 325 for 8, 2 and 3.5");
TWIN_CONSTANT(kPadCall, 5, "cycles", kMedium, "[s9]: more for DataCopyPad, the same rows");
TWIN_CONSTANT(kMatmulStep, 12, "cycles", kMedium, "[matmul]: 174 to 449 a base block");
TWIN_CONSTANT(kMatmulStart, 6540, "cycles", kHigh, "first copy after 3.54 us, tiling at run time");
TWIN_CONSTANT(kMatmulStartConst, 4040, "cycles", kHigh,
              "first copy after 2.19 us, constant tiling");
TWIN_CONSTANT(kLocalRead, 11.3, "cycles", kMedium, "[add]: 34 cycles for 2 reads, 1 write, loop");
TWIN_CONSTANT(kLocalWrite, 7.4, "cycles", kMedium, "[add]: 34 cycles for 2 reads, 1 write, loop");
TWIN_CONSTANT(kScalarOther, 1, "cycles", kMedium, "[tables]");
TWIN_CONSTANT(kTilingWord, 12, "cycles", kLow, "[s9]: at most 3.1 us for all of 2100 B");
TWIN_CONSTANT(kPipeInit, 60, "cycles", kLow, "[impl]: 30 stores and as many other instructions");
TWIN_CONSTANT(kBufferInit, 17, "cycles", kLow, "[impl]: 7 stores, 10 other instructions");
// Operations of the kernel's own code. The device compiler removes a part of the operations of the
// source, so all counts are multiplied by kScalarFolded.
TWIN_CONSTANT(kScalarSimple, 1, "cycles", kMedium, "[tables]: one cycle, two at a time at best");
TWIN_CONSTANT(kScalarMemory, 2, "cycles", kLow, "a hit of the data cache; members, arrays");
TWIN_CONSTANT(kScalarMultiply, 2, "cycles", kLow, "a multiplication");
TWIN_CONSTANT(kScalarBranch, 2, "cycles", kLow, "a condition, or the step of a loop");
TWIN_CONSTANT(kScalarDivide32, 20, "cycles", kLow, "[s9]: a row or block with 1 to 4 divisions");
TWIN_CONSTANT(kScalarDivide64, 25, "cycles", kLow, "as of 32 bits, and more steps");
TWIN_CONSTANT(kScalarDivideFloat, 20, "cycles", kLow, "a division of floats");
TWIN_CONSTANT(kScalarFolded, 0.8, "factor", kLow, "what the device compiler leaves of a source");
TWIN_CONSTANT(kCacheMiss, 157, "cycles", kMedium, "[s9]: 95 ns for a read of GM that hits L2");
TWIN_CONSTANT(kCacheClean, 200, "cycles", kLow, "DataCacheCleanAndInvalid");
TWIN_CONSTANT(kCacheLinesAic, 256, "lines", kMedium, "the programming guide: 16 KiB of 64 B");
TWIN_CONSTANT(kCacheLinesAiv, 512, "lines", kMedium, "the programming guide: 32 KiB of 64 B");
TWIN_CONSTANT(kFlag, 8, "cycles", kLow, "[add]: what a tile takes beside its instructions");
TWIN_CONSTANT(kBarrier, 2, "cycles", kMedium,
              "[pto]: an Add alone, with its barrier, has 24 constant cycles, 22 are the head");
TWIN_CONSTANT(kBarrierAll, 20, "cycles", kLow, "as PipeBarrier, by the scalar unit");
TWIN_CONSTANT(kCrossFlag, 300, "cycles", kLow, "0.3 to 0.5 us to and fro");
TWIN_CONSTANT(kSyncAll, 3600, "cycles", kLow, "2 us");
TWIN_CONSTANT(kSyncAllCore, 36, "cycles", kLow, "0.02 us for each core");
TWIN_CONSTANT(kQueue, 32, "instructions", kLow, "depth of a pipe's queue");
TWIN_CONSTANT(kCopyHead, 17, "cycles", kMedium, "[copy]: copies of 128 B every 20.6 cycles");
TWIN_CONSTANT(kRowMinimum, 3.2, "cycles", kMedium,
              "[matmul]: 514 and 1380 cycles, 128 and 384 rows");
TWIN_CONSTANT(kNd2NzRow, 1.6, "cycles", kMedium,
              "[matmul] [copy]: rows of 512 B to 2 KiB out of L2");
TWIN_CONSTANT(kLoadPort, 128, "B/cycle", kLow, "[ini]: between L1 and UB");
TWIN_CONSTANT(kStorePort, 64, "B/cycle", kMedium, "[ini] [add]: 295 cycles for 8 KiB");
TWIN_CONSTANT(kL1Port, 32, "B/cycle", kMedium, "[pto]: L1 to GM");
TWIN_CONSTANT(kWindow, 32768, "B", kMedium,
              "[add]: in flight for one core, loads: 700 cycles for 2 x 8 KiB");
TWIN_CONSTANT(kStoreWindow, 14336, "B", kMedium,
              "[add]: 8 KiB take 295 cycles also on a busy chip, 32 KiB up to 3475");
TWIN_CONSTANT(kRequest, 300, "B", kMedium,
              "[copy]: rows of 128 B, 24 cores; of the window at least");
TWIN_CONSTANT(kHbmLatency, 430, "cycles", kMedium,
              "[add]: 700 cycles for 2 x 8 KiB; tiles of serial kernels");
TWIN_CONSTANT(kPastL2Request, 560, "B", kMedium, "[copy]: the same past L2, 24 cores");
TWIN_CONSTANT(kL2Latency, 90, "cycles", kMedium,
              "[matmul]; [mskpp]: 180 to 220 cycles for a small copy alone");
TWIN_CONSTANT(kStoreLatency, 167, "cycles", kMedium, "[add]: 295 cycles for 8 KiB");
TWIN_CONSTANT(kRunOverhead, 11, "B", kMedium, "[copy]: HBM at runs of 128 and 2048 B");
TWIN_CONSTANT(kPastL2Overhead, 66, "B", kMedium, "[copy]: the same of 128 B past L2");
TWIN_CONSTANT(kWriteBack, 1.8, "factor", kMedium, "[add] [gelu]: HBM turns between read and write");
TWIN_CONSTANT(kWriteBuffer, 524288, "B", kLow, "[add]: loads of a serial kernel at full speed");
TWIN_CONSTANT(kChannel, 1 << 30, "B", kLow, "HBM2E: four stacks of 16 GiB, 16 channels each");
TWIN_CONSTANT(kInterleave, 1024, "B", kLow,
              "[add]: what small tiles cost (P-5); 2 KiB does as well");
TWIN_CONSTANT(kPaddedRow, 110, "cycles", kLow, "[here]: rows of 4 B and of 1492 B of RmsNorm");
TWIN_CONSTANT(kPartialStore, 900, "B", kMedium, "[s9]: 0.57 ns for each 32 B of 40 cores");
TWIN_CONSTANT(kSameLine, 130, "B", kMedium, "[copy]: all cores the same lines, past L2");
TWIN_CONSTANT(kSameLineTime, 1000, "cycles", kLow, "a line is still on its way");
TWIN_CONSTANT(kAtomicLine, 21, "cycles", kLow, "atomic copies to one line follow each other");
TWIN_CONSTANT(kLaunch, 0.45, "us", kHigh, "[add]: task beside its one core");
TWIN_CONSTANT(kBlockStart, 0.065, "us", kMedium, "[s9]: 0.06 to 0.08 us more for each block");
TWIN_CONSTANT(kMixStart, 4, "us", kLow, "cores of both kinds");
TWIN_CONSTANT(kCoreStart, 1.0, "us", kLow, "the smallest kernels take 2.8 to 6 us");
TWIN_CONSTANT(kCodeUnit, 2048, "B", kMedium, "the programming guide: code is loaded by 2 KiB");
TWIN_CONSTANT(kCodeCall, 200, "B", kLow, "50 instructions of 4 B for a call of the API");
TWIN_CONSTANT(kCodeMatmul, 12288, "B", kLow, "the loops and copies of Matmul, inlined");
TWIN_CONSTANT(kCodeCycle, 4, "B", kLow, "an instruction for each cycle of the kernel's own code");
TWIN_CONSTANT(kCodeMost, 256, "B", kLow, "loops of the kernel's own code between two calls");
TWIN_CONSTANT(kCodeMiss, 441, "cycles", kLow,
              "245 ns: 4 KiB of code, cold against preloaded, on Atlas A5");
TWIN_CONSTANT(kFirstLoad, 405, "cycles", kMedium,
              "[fusion]: 882 for the first load, its latency included");
TWIN_CONSTANT(kFirstLoadCore, 15.9, "cycles", kMedium,
              "[fusion]: more for each core of the launch");
TWIN_CONSTANT(kFirstStore, 313, "cycles", kMedium,
              "[fusion]: 497 for the first store, its latency included");

#undef TWIN_CONSTANT
}  // namespace constant

const VectorCost* FindVectorCost(Opcode opcode) {
    const VectorCost& row = kVectorCosts[static_cast<size_t>(opcode)];
    return row.known ? &row : nullptr;
}

const LibraryCost* FindLibraryCost(Opcode call) {
    const auto* const end = std::end(kLibraryCosts);
    const auto* const found = std::find_if(std::begin(kLibraryCosts), end,
                                           [call](const auto& row) { return row.call == call; });
    return found == end ? nullptr : found;
}

const VectorCost& UnknownVectorCost() { return kUnknown; }

}  // namespace twin::timing
