// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/types.h"

namespace twin {

/// All instructions and library calls that kernels can issue, one per row of core/opcodes.def.
enum class Opcode : uint16_t {
    None,
#define TWIN_OPCODE(API, ...) API,
#include "core/opcodes.def"
    Count
};
constexpr size_t kOpcodes = static_cast<size_t>(Opcode::Count);

/// How the results of an instruction depend on its operands.
enum class OpcodeKind : uint8_t {
    Other,
    Elementwise,  ///< a result depends on the elements with the same index
    Mixing,       ///< a result depends on every element that the instruction reads
    Moving,       ///< the instruction moves elements to other positions (Instruction::follow)
    MatmulStep,   ///< a call of the Matmul library, which orders its instructions itself
};

struct OpcodeRow {
    const char* name;
    Pipe pipe;
    OpcodeKind kind;
};

/// The rows of the table, indexed by opcode.
extern TWIN_API const OpcodeRow kOpcodeRows[kOpcodes];

inline const OpcodeRow& RowOf(Opcode opcode) { return kOpcodeRows[static_cast<size_t>(opcode)]; }
inline const char* Name(Opcode opcode) { return RowOf(opcode).name; }
inline OpcodeKind KindOf(Opcode opcode) { return RowOf(opcode).kind; }

/// The names of operands, as the API's declarations or the Matmul library have them.
// clang-format off: it would put most names on lines of their own.
#define TWIN_OPERAND_NAMES(ROW) \
    ROW(A, "a") ROW(Addr, "addr") ROW(B, "b") ROW(Beta, "beta") ROW(BetaLocal, "betaLocal") \
    ROW(Bias, "bias") ROW(C, "c") ROW(Counts, "counts") ROW(DeqScale, "deqScale") \
    ROW(Dst, "dst") ROW(DstIndex, "dstIndex") ROW(DstIndexLocal, "dstIndexLocal") \
    ROW(DstList, "dstList") ROW(DstLocal, "dstLocal") ROW(DstTensor, "dstTensor") \
    ROW(DstValue, "dstValue") ROW(DstValueLocal, "dstValueLocal") ROW(Element, "element") \
    ROW(ExpMax, "expMax") ROW(FinishLocal, "finishLocal") ROW(Gamm, "gamm") ROW(Gamma, "gamma") \
    ROW(GammaLocal, "gammaLocal") ROW(GmWorkspace, "gmWorkspace") ROW(Grad, "grad") \
    ROW(GxLocal, "gxLocal") ROW(Idx, "idx") ROW(InMax, "inMax") ROW(InMean, "inMean") \
    ROW(InputDy, "inputDy") \
    ROW(InputGamma, "inputGamma") ROW(InputMean, "inputMean") \
    ROW(InputVariance, "inputVariance") ROW(InputX, "inputX") ROW(InSum, "inSum") \
    ROW(LastRowTensor, "lastRowTensor") ROW(Mask, "mask") ROW(MaskLocal, "maskLocal") \
    ROW(Max, "max") ROW(MaxTensor, "maxTensor") ROW(Mean, "mean") \
    ROW(MeanLocal, "meanLocal") \
    ROW(Offset, "offset") ROW(OffsetTensor, "offsetTensor") ROW(Output, "output") \
    ROW(OutReduceMax, "outReduceMax") \
    ROW(OutputMean, "outputMean") ROW(OutputPdBeta, "outputPdBeta") \
    ROW(OutputPdGamma, "outputPdGamma") ROW(OutputPdX, "outputPdX") \
    ROW(OutputRstd, "outputRstd") ROW(OutputVariance, "outputVariance") \
    ROW(QuantisationWords, "quantisation words") ROW(RecvBuf, "recvBuf") \
    ROW(ResForGamma, "resForGamma") ROW(RstdLocal, "rstdLocal") ROW(Scale, "scale") \
    ROW(ScaleTensor, "scaleTensor") ROW(Scratch, "scratch") ROW(SelMask, "selMask") \
    ROW(SendBuf, "sendBuf") ROW(SharedTmpBuffer, "sharedTmpBuffer") \
    ROW(SoftMaxRes, "softMaxRes") ROW(Sorted, "sorted") ROW(Src, "src") ROW(Src0, "src0") \
    ROW(Src0Tensor, "src0Tensor") ROW(Src1, "src1") ROW(Src1Pattern, "src1Pattern") \
    ROW(Src1Tensor, "src1Tensor") ROW(Src2, "src2") ROW(Src3, "src3") ROW(Src4, "src4") \
    ROW(SrcIndexLocal, "srcIndexLocal") ROW(SrcList, "srcList") ROW(SrcLocal, "srcLocal") \
    ROW(SrcOffset, "srcOffset") ROW(SrcTensor, "srcTensor") ROW(SrcTensor0, "srcTensor0") \
    ROW(SrcTensor1, "srcTensor1") ROW(Sum, "sum") ROW(Tmp, "tmp") \
    ROW(UbWorkspace, "ubWorkspace") ROW(Vdeq, "vdeq") ROW(Vector, "vector") \
    ROW(Workspace, "workspace")
// clang-format on

enum class Arg : uint8_t {
    None,
#define TWIN_OPERAND_NAME(NAME, TEXT) NAME,
    TWIN_OPERAND_NAMES(TWIN_OPERAND_NAME)
#undef TWIN_OPERAND_NAME
};

TWIN_API const char* Name(Arg operand);

}  // namespace twin
