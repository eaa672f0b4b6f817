// SPDX-License-Identifier: Apache-2.0
#include "device/normalization/deep_norm.h"

#include "device/library/floats.h"
#include "device/normalization/bsh_rounds.h"

namespace twin::norm {
void RunDeepNorm(const DeepNormTask& task, const advanced::Tmp& tmp, DeepNormTiling* tiling,
                 Location where) {
    advanced::Call call("DeepNorm", where);
    if (!call) {
        return;
    }
    const DeepNormTiling& t = *tiling;
    const uint32_t rows = t.bLength * t.sLength;
    const uint32_t h = t.hLength;
    const bool basic = !task.basicBlock || (h % 64 == 0 && t.originalHLength == h && rows % 8 == 0);
    CheckShape(
        call, basic && h <= 2040, rows, {h, t.originalHLength}, task.dtype,
        "at most 2040 elements, and isBasicBlock takes a multiple of 8 rows of a multiple of "
        "64 elements, all valid");
    if (call.core().strict) {
        CheckRounds(call, t);
    }
    const uint64_t size = SizeOf(task.dtype);
    const uint64_t row = h * size;
    AddAll(&call, {{"dstLocal", task.dst, rows * row, true},
                   {"meanLocal", task.mean, rows * size, true},
                   {"rstdLocal", task.variance, rows * size, true},
                   {"srcLocal", task.src, rows * row},
                   {"gxLocal", task.gx, rows * row},
                   {"betaLocal", task.beta, row},
                   {"gammaLocal", task.gamma, row}});
    call.Check(advanced::InPlace::Works);
    const bool twoBuffers = task.reuse && task.dtype == Dtype::F32;
    call.Take(tmp, ScratchOf(t, twoBuffers));
    float* x = advanced::Row(0, h);
    float* gamma = advanced::Row(2, h);
    float* beta = advanced::Row(3, h);
    float* gx = advanced::Row(4, h);
    advanced::Load(beta, call.At(5), task.dtype, h);
    advanced::Load(gamma, call.At(6), task.dtype, h);
    ForRows(RoundsOf(t), [&](uint32_t i) {
        advanced::Load(x, call.At(3) + i * row, task.dtype, h);
        advanced::Load(gx, call.At(4) + i * row, task.dtype, h);
        advanced::Muls(x, x, task.alpha, h);
        advanced::Add(x, gx, x, h);
        const Moments moments = Center(x, h, t.originalHLength, t.lastDimValueBack);
        Scale(x, h, advanced::Rsqrt(moments.variance + task.epsilon), gamma, beta);
        advanced::Store(call.At(0) + i * row, task.dtype, x, h);
        advanced::StoreOne(call.At(1), task.dtype, i, moments.mean);
        advanced::StoreOne(call.At(2), task.dtype, i, moments.variance);
    });
    if (twoBuffers && task.src.address != task.dst.address) {
        advanced::Poison(call.core(), task.src.address, rows * row);
    }
    LeaveLastRound(tiling);
    call.Finish(task.dtype, uint64_t{rows} * h);
}

}  // namespace twin::norm
