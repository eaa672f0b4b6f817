// SPDX-License-Identifier: Apache-2.0
#include "device/cube/copy_from_co1.h"

#include "device/cube/fixpipe_move.h"
#include "device/cube/product.h"

namespace twin::cube {
namespace {

constexpr char kFromCo1Api[] = "DataCopy from CO1";

CopyOut FromParams(const Core& core, const AscendC::DataCopyCO12DstParams& params, bool toGm,
                   Dtype to, Dtype from) {
    const CubeState& state = core.cube;
    const bool rows = params.nz2ndEn && toGm;
    if (rows && !state.ndKnown) {
        Fail(
            "T457",
            "register not set: %s with nz2ndEn reads the number of matrices, which this kernel has "
            "not set\n  try: SetFixpipeNz2ndFlag before it",
            kFromCo1Api);
    }
    if (params.clipReluPre != 0 || params.eltWiseOp != 0) {
        Fail("T454",
             "not on this chip: %s with clipReluPre %u and eltWiseOp %u, expected 0 in both",
             kFromCo1Api, params.clipReluPre, params.eltWiseOp);
    }
    CheckRange(kFromCo1Api, "reluPre", params.reluPre, 0, 1);
    CopyOut out = CopyOutOf(Opcode::DataCopyFromCo1, params, rows, to, from);
    out.ndNum = rows ? state.ndNum : uint16_t{1};
    out.srcNdStride = state.srcNdStride;
    out.dstNdStride = state.dstNdStride;
    out.relu = params.reluPre == 1;
    out.split = params.channelSplit;
    return out;
}

void Copy(const Destination& dst, const Operand& src, const AscendC::DataCopyCO12DstParams& params,
          Dtype to, Dtype from, Location where) {
    Core& core = Self();
    if (!core.BeginOn(CoreKind::Aic, where)) {
        return;
    }
    const CopyOut out = FromParams(core, params, dst.gm != nullptr, to, from);
    if (out.columns != 0 && out.rows != 0 && out.ndNum != 0) {
        CheckCopyOut(core, out, false);
        RunCopyOut(core, out, dst, src);
    }
}

}  // namespace

void CopyCo1ToGm(const GmOperand& dst, const Operand& src,
                 const AscendC::DataCopyCO12DstParams& params, Dtype to, Dtype from,
                 Location where) {
    Copy({&dst}, src, params, to, from, where);
}

void CopyCo1ToL1(const Operand& dst, const Operand& src,
                 const AscendC::DataCopyCO12DstParams& params, Dtype to, Dtype from,
                 Location where) {
    Copy({nullptr, &dst}, src, params, to, from, where);
}

void SetNdParameters(uint16_t ndNum, uint16_t srcNdStride, uint16_t dstNdStride, Location where) {
    Core& core = Self();
    if (core.BeginOn(CoreKind::Aic, where)) {
        CheckRange("SetFixpipeNz2ndFlag", "srcNdStride", srcNdStride, 0, 512);
        core.cube.ndNum = ndNum;
        core.cube.srcNdStride = srcNdStride;
        core.cube.dstNdStride = dstNdStride;
        core.cube.ndKnown = true;
    }
}

void SetQuantWord(uint64_t word, Location where) {
    Core& core = Self();
    if (core.BeginOn(CoreKind::Aic, where)) {
        core.cube.quantWord = word;
        core.cube.quantWordKnown = true;
    }
}

void SetFixpipeAddress(const Operand* vector, bool freeUnits, Location where) {
    Core& core = Self();
    if (!core.BeginOn(CoreKind::Aic, where)) {
        return;
    }
    if (freeUnits) {
        core.cube.unitFlags[0] = 0;
        core.cube.unitFlags[1] = 0;
    }
    const bool unitsOnly = freeUnits && MemoryOf(vector->position) == Memory::L0c;
    if (!unitsOnly) {
        CheckLocalOperand(core, *vector, Memory::Fb, 8, 128, "SetFixPipeConfig", "vector");
        core.cube.quantAddress = vector->address;
    }
}

}  // namespace twin::cube
