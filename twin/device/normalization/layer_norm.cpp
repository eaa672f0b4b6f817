// SPDX-License-Identifier: Apache-2.0
#include "device/normalization/layer_norm.h"

#include <algorithm>

#include "device/library/floats.h"
#include "device/normalization/bsh_rounds.h"

namespace twin::norm {
namespace {

using advanced::Call;

/// Weights of a row, or null where the call has none.
const float* Weights(const Call& call, bool absent, uint32_t part, Dtype dtype, uint32_t slot,
                     uint32_t elements) {
    if (absent) {
        return nullptr;
    }
    float* row = advanced::Row(slot, elements);
    advanced::Load(row, call.At(part), dtype, elements);
    return row;
}

}  // namespace

void RunLayerNorm(const LayerNormTask& task, float epsilon, LayerNormTiling* tiling,
                  Location where) {
    Call call("LayerNorm", where);
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
    AddAll(&call, {{"output", task.output, all, true},
                   {"outputMean", task.mean, rows * size, true},
                   {"outputVariance", task.variance, rows * size, true},
                   {"inputX", task.x, all},
                   {"gamma", task.gamma, row},
                   {"beta", task.beta, row}});
    call.Check(advanced::InPlace::Works);
    const bool twoBuffers = task.reuse && task.dtype == Dtype::F32;
    call.Take(task.tmp, ScratchOf(t, twoBuffers));
    const float* gamma = Weights(call, false, 4, task.dtype, 2, t.hLength);
    const float* beta = Weights(call, false, 5, task.dtype, 3, t.hLength);
    float* x = advanced::Row(0, t.hLength);
    ForRows(RoundsOf(t), [&](uint32_t i) {
        advanced::Load(x, call.At(3) + i * row, task.dtype, t.hLength);
        CheckPadding(call, "inputX", x, shape);
        const Moments moments = Center(x, t.hLength, t.hLength, t.lastDimValueBack);
        Scale(x, t.hLength, advanced::Rsqrt(moments.variance + epsilon), gamma, beta);
        advanced::Store(call.At(0) + i * row, task.dtype, x, t.hLength);
        advanced::StoreOne(call.At(1), task.dtype, i, moments.mean);
        advanced::StoreOne(call.At(2), task.dtype, i, moments.variance);
    });
    if (twoBuffers && task.x.address != task.output.address) {
        advanced::Poison(call.core(), task.x.address, all);
    }
    LeaveLastRound(tiling);
    call.Finish(task.dtype, all / size);
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

/// The padding of inputX is multiplied with zero in place: what is not finite stays and spoils the
/// row.
void ClearPadding(const Call& call, uint32_t i, float* x, const RowShape& shape, Dtype dtype) {
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
    const uint64_t size = SizeOf(dtype);
    uint8_t* row = call.At(3) + i * shape.pitch * size;
    advanced::Store(row + shape.valid * size, dtype, x + shape.valid, shape.pitch - shape.valid);
}

}  // namespace

void RunLayerNormRstd(const LayerNormTask& task, float epsilon, const AscendC::LayerNormPara& para,
                      const LayerNormSeparateTiling& tiling, Location where) {
    Call call("LayerNorm", where);
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
    // The padding of inputX is multiplied with zero in place.
    const bool padded = shape.pitch != shape.valid;
    AddAll(&call, {{"output", task.output, para.aLength * row, true},
                   {"outputMean", task.mean, moments, true},
                   {"outputRstd", task.variance, moments, true},
                   {"inputX", task.x, para.aLength * row, padded},
                   {"gamma", task.gamma, task.noGamma ? 0 : weights},
                   {"beta", task.beta, task.noBeta ? 0 : weights}});
    call.Check(advanced::InPlace::Works);
    const uint64_t once = (uint64_t{t.secondTmpStartPos} + t.oneTmpSize) * sizeof(float);
    const uint64_t scaling = uint64_t{t.firstTmpStartPos} * sizeof(float) +
                             NormalizeScratch(para.aLength, shape.pitch, task.weights).min;
    call.Take(task.tmp, {std::max<uint64_t>(uint64_t{t.tmpBufSize} * sizeof(float), scaling),
                         std::max(once, scaling)});
    const float* gamma = Weights(call, task.noGamma, 4, task.weights, 2, shape.valid);
    const float* beta = Weights(call, task.noBeta, 5, task.weights, 3, shape.valid);
    float* x = advanced::Row(0, shape.pitch);
    const Rounds rounds{t.loopRound,       t.meanVarRoundSize, t.aCurLength,
                        t.meanVarTailSize, t.meanVarTailPos,   para.aLength};
    ForRows(rounds, [&](uint32_t i) {
        advanced::Load(x, call.At(3) + i * row, task.dtype, shape.pitch);
        if (padded) {
            ClearPadding(call, i, x, shape, task.dtype);
        }
        const Moments found = Center(x, shape.valid, shape.valid, t.rValueBack);
        const float rstd = advanced::Rsqrt(found.variance + epsilon);
        Scale(x, shape.valid, rstd, gamma, beta);
        advanced::Store(call.At(0) + i * row, task.dtype, x, shape.valid);
        advanced::Poison(call.core(), task.output.address + i * row + shape.valid * size,
                         (shape.pitch - shape.valid) * size);
        advanced::StoreOne(call.At(1), Dtype::F32, i, found.mean);
        advanced::StoreOne(call.At(2), Dtype::F32, i, rstd);
    });
    call.Finish(task.dtype, uint64_t{para.aLength} * shape.pitch);
}

}  // namespace twin::norm
