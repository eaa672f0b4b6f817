// SPDX-License-Identifier: Apache-2.0
#include "device/library/elementwise.h"
#include "device/normalization/rms_norm.h"
#include "device/normalization/rows.h"

namespace twin::norm {
void RunDeepNorm(const DeepNormTask& task, const advanced::Tmp& tmp, DeepNormTiling* tiling,
                 Location where) {
    advanced::Call call(Opcode::DeepNorm, where);
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
    const bool twoBuffers = task.reuse && task.dtype == Dtype::F32;
    const bool spent = twoBuffers && task.src.address != task.dst.address;
    const bool usual = PlacedAsUsual(t, rows, task.dtype);
    const uint32_t form = (twoBuffers ? 1U : 0U) | (task.basicBlock ? 2U : 0U) | (usual ? 0U : 4U);
    call.shape() = {0, form, rows, h, t.originalHLength, t.bsCurLength, 0};
    uint8_t* output = call.Write(Arg::DstLocal, task.dst, rows * row);
    uint8_t* means = call.Write(Arg::MeanLocal, task.mean, rows * size);
    uint8_t* variances = call.Write(Arg::RstdLocal, task.variance, rows * size);
    const uint8_t* src = call.Read(Arg::SrcLocal, task.src, rows * row, spent);
    const uint8_t* gxs = call.Read(Arg::GxLocal, task.gx, rows * row);
    const uint8_t* betas = call.Read(Arg::BetaLocal, task.beta, row);
    const uint8_t* gammas = call.Read(Arg::GammaLocal, task.gamma, row);
    call.Take(tmp, ScratchOf(t, twoBuffers));
    if (!call.Ready(task.dtype, uint64_t{rows} * h, Overlap::InPlace)) {
        return;
    }
    float* x = advanced::Row(0, h);
    const float* gamma = Weights(gammas, task.dtype, 2, h);
    const float* beta = Weights(betas, task.dtype, 3, h);
    float* gx = advanced::Row(4, h);
    ForRows(RoundsOf(t), [&](uint32_t i) {
        advanced::Load(x, src + i * row, task.dtype, h);
        advanced::Load(gx, gxs + i * row, task.dtype, h);
        advanced::Muls(x, x, task.alpha, h);
        advanced::Add(x, gx, x, h);
        const Moments moments = Center(x, h, t.originalHLength, t.lastDimValueBack);
        Scale(x, h, advanced::Rsqrt(moments.variance + task.epsilon), gamma, beta);
        advanced::Store(output + i * row, task.dtype, x, h);
        advanced::StoreOne(means, task.dtype, i, moments.mean);
        advanced::StoreOne(variances, task.dtype, i, moments.variance);
    });
    LeaveLastRound(tiling);
    call.Done();
}

}  // namespace twin::norm
