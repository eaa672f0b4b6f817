// SPDX-License-Identifier: Apache-2.0
#include "device/normalization/layer_norm.h"

#include <algorithm>

#include "device/library/elementwise.h"
#include "device/normalization/rows.h"

namespace twin::norm {

using advanced::Call;

void RunLayerNorm(const LayerNormTask& task, float epsilon, LayerNormTiling* tiling,
                  Location where) {
    Call call(Opcode::LayerNorm, where);
    if (!call) {
        return;
    }
    const LayerNormTiling& t = *tiling;
    const uint32_t rows = t.bLength * t.sLength;
    const RowShape shape{t.hLength, t.originalHLength};
    CheckShape(call, true, rows, shape, task.dtype, "");
    if (call.core().strict) {
        CheckRounds(call, t);
    }
    const uint64_t size = SizeOf(task.dtype);
    const uint64_t all = uint64_t{rows} * t.hLength * size;
    const uint64_t row = t.hLength * size;
    const bool twoBuffers = task.reuse && task.dtype == Dtype::F32;
    call.shape() = {0,
                    (twoBuffers ? 1U : 0U) | (PlacedAsUsual(t, rows, task.dtype) ? 0U : 4U),
                    rows,
                    t.hLength,
                    t.originalHLength,
                    t.bsCurLength,
                    0};
    const bool spent = twoBuffers && task.x.address != task.output.address;
    uint8_t* output = call.Write(Arg::Output, task.output, all);
    uint8_t* means = call.Write(Arg::OutputMean, task.mean, rows * size);
    uint8_t* variances = call.Write(Arg::OutputVariance, task.variance, rows * size);
    const uint8_t* input = call.Read(Arg::InputX, task.x, all, spent);
    const uint8_t* gammas = call.Read(Arg::Gamma, task.gamma, row);
    const uint8_t* betas = call.Read(Arg::Beta, task.beta, row);
    call.Take(task.tmp, ScratchOf(t, twoBuffers));
    if (!call.Ready(task.dtype, all / size, Overlap::InPlace)) {
        return;
    }
    const float* gamma = Weights(gammas, task.dtype, 2, t.hLength);
    const float* beta = Weights(betas, task.dtype, 3, t.hLength);
    float* x = advanced::Row(0, t.hLength);
    ForRows(RoundsOf(t), [&](uint32_t i) {
        advanced::Load(x, input + i * row, task.dtype, t.hLength);
        CheckPadding(call, "inputX", x, shape);
        const Moments moments = Center(x, t.hLength, t.hLength, t.lastDimValueBack);
        Scale(x, t.hLength, advanced::Rsqrt(moments.variance + epsilon), gamma, beta);
        advanced::Store(output + i * row, task.dtype, x, t.hLength);
        advanced::StoreOne(means, task.dtype, i, moments.mean);
        advanced::StoreOne(variances, task.dtype, i, moments.variance);
    });
    LeaveLastRound(tiling);
    call.Done();
}

namespace {

void CheckTiling(const Call& call, const AscendC::LayerNormPara& para,
                 const LayerNormSeparateTiling& t) {
    const uint32_t all = para.aLength * para.rLengthWithPadding;
    const uint32_t once = t.oneTmpSize;
    const uint32_t tail = once == 0 ? 0 : all % once;
    const uint32_t pitch = para.rLengthWithPadding;
    advanced::CheckFields(call.api(),
                          {{"rLength", t.rLength, para.rLength},
                           {"oneTmpSize", once, std::max(once / pitch, 1U) * pitch},
                           {"loopRound", t.loopRound, all / std::max(once, 1U)},
                           {"inputRoundSize", t.inputRoundSize, once},
                           {"inputTailSize", t.inputTailSize, tail},
                           {"inputTailPos", t.inputTailPos, all - tail},
                           {"meanVarRoundSize", t.meanVarRoundSize, once / pitch},
                           {"meanVarTailSize", t.meanVarTailSize, tail / pitch},
                           {"meanVarTailPos", t.meanVarTailPos, para.aLength - tail / pitch},
                           {"arCurLength", t.arCurLength, once},
                           {"aCurLength", t.aCurLength, once / pitch},
                           {"the bits of rValueBack", BitsOf(t.rValueBack),
                            BitsOf(1.0F / static_cast<float>(para.rLength))}});
}

/// The padding of row `i` of inputX is multiplied by zero in place: infinities and NaN stay and
/// spoil the row.
void ClearPadding(const Call& call, uint32_t i, float* x, const RowShape& shape, Dtype dtype,
                  uint8_t* padding) {
    float sum = 0;
    for (uint32_t c = shape.valid; c < shape.pitch; ++c) {
        x[c] *= 0.0F;
        sum += x[c];
    }
    if (sum != 0) {
        if (call.core().strict) {
            Fail("T721",
                 "padding counts: LayerNorm multiplies the padding of inputX with zero, and in row "
                 "%u it is not finite\n  try: zeros behind the %u valid elements, by Duplicate "
                 "before the copy or by the padding of DataCopyPad",
                 i, shape.valid);
        }
        x[0] = sum;
    }
    advanced::Store(padding + i * shape.pitch * uint64_t{SizeOf(dtype)}, dtype, x + shape.valid,
                    shape.pitch - shape.valid);
}

/// As twin/library_steps.toml has it, which knows of scratch where the host's tiling puts it.
CallShape ShapeOf(const LayerNormTask& task, const AscendC::LayerNormPara& para,
                  const LayerNormSeparateTiling& t) {
    const auto stats = static_cast<uint32_t>(advanced::RoundUp(para.aLength, 8));
    const bool usual = t.varianceTmpTensorPos == 0 && t.firstTmpStartPos == stats &&
                       t.secondTmpStartPos == stats + t.oneTmpSize;
    const uint32_t form = 2U | (usual ? 0U : 4U) | (task.noGamma ? 0U : 8U) |
                          (task.noBeta ? 0U : 16U) | (task.weights == Dtype::F16 ? 32U : 0U);
    return {0, form, para.aLength, para.rLengthWithPadding, para.rLength, t.aCurLength, 0};
}

}  // namespace

void RunLayerNormRstd(const LayerNormTask& task, float epsilon, const AscendC::LayerNormPara& para,
                      const LayerNormSeparateTiling& tiling, Location where) {
    Call call(Opcode::LayerNorm, where);
    if (!call) {
        return;
    }
    const LayerNormSeparateTiling& t = tiling;
    const RowShape shape{para.rLengthWithPadding, para.rLength};
    CheckShape(call, true, para.aLength, shape, task.dtype, "");
    if (call.core().strict) {
        CheckTiling(call, para, t);
    }
    const uint64_t size = SizeOf(task.dtype);
    const uint64_t row = shape.pitch * size;
    const uint64_t moments = uint64_t{para.aLength} * sizeof(float);
    const uint64_t weights = uint64_t{shape.valid} * SizeOf(task.weights);
    const uint64_t behind = shape.valid * size;  // the valid bytes of a row
    const bool padded = shape.pitch != shape.valid;
    call.shape() = ShapeOf(task, para, t);
    uint8_t* output = call.Write(Arg::Output, task.output, para.aLength * row);
    uint8_t* means = call.Write(Arg::OutputMean, task.mean, moments);
    uint8_t* rstds = call.Write(Arg::OutputRstd, task.variance, moments);
    const uint8_t* input = call.Read(Arg::InputX, task.x, para.aLength * row);
    const auto paddings = [&](const PieceVisitor& visit) {
        for (uint64_t i = 0; i < para.aLength; ++i) {
            visit(0, task.x.address + i * row + behind, row - behind);
        }
    };
    uint8_t* cleared =
        padded ? call.Write(Arg::InputX, task.x, para.aLength * row, paddings) : nullptr;
    const uint8_t* gammas = task.noGamma ? nullptr : call.Read(Arg::Gamma, task.gamma, weights);
    const uint8_t* betas = task.noBeta ? nullptr : call.Read(Arg::Beta, task.beta, weights);
    const uint64_t once = (uint64_t{t.secondTmpStartPos} + t.oneTmpSize) * sizeof(float);
    const uint64_t scaling = uint64_t{t.firstTmpStartPos} * sizeof(float) +
                             NormalizeScratch(para.aLength, shape.pitch, task.weights).min;
    call.Take(task.tmp, {std::max<uint64_t>(uint64_t{t.tmpBufSize} * sizeof(float), scaling),
                         std::max(once, scaling)});
    if (!call.Ready(task.dtype, uint64_t{para.aLength} * shape.pitch, Overlap::InPlace)) {
        return;
    }
    const float* gamma = Weights(gammas, task.weights, 2, shape.valid);
    const float* beta = Weights(betas, task.weights, 3, shape.valid);
    float* x = advanced::Row(0, shape.pitch);
    const Rounds rounds{t.loopRound,       t.meanVarRoundSize, t.aCurLength,
                        t.meanVarTailSize, t.meanVarTailPos,   para.aLength};
    ForRows(rounds, [&](uint32_t i) {
        advanced::Load(x, input + i * row, task.dtype, shape.pitch);
        if (padded) {
            ClearPadding(call, i, x, shape, task.dtype, cleared + behind);
        }
        const Moments found = Center(x, shape.valid, shape.valid, t.rValueBack);
        const float rstd = advanced::Rsqrt(found.variance + epsilon);
        Scale(x, shape.valid, rstd, gamma, beta);
        advanced::Store(output + i * row, task.dtype, x, shape.valid);
        advanced::Poison(output + i * row + behind, row - behind);
        advanced::StoreOne(means, Dtype::F32, i, found.mean);
        advanced::StoreOne(rstds, Dtype::F32, i, rstd);
    });
    call.Done();
}

}  // namespace twin::norm
