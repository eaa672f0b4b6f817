// SPDX-License-Identifier: Apache-2.0
#include "device/normalization/normalize.h"

#include <algorithm>

#include "device/library/floats.h"

namespace twin::norm {

advanced::TmpNeed NormalizeScratch(uint32_t rows, uint32_t pitch, Dtype weights) {
    const uint64_t pair = uint64_t{pitch} * 2 * sizeof(float);
    const uint64_t converted = weights == Dtype::F16 ? pair : 0;
    const uint64_t least = std::max<uint64_t>(pair + converted, uint64_t{rows} * sizeof(float));
    return {least, std::max(least, pair * rows + converted)};
}

void RunNormalize(const NormalizeTask& task, float epsilon, const advanced::Tmp& tmp,
                  Location where) {
    advanced::Call call("Normalize", where);
    if (!call) {
        return;
    }
    const AscendC::NormalizePara& para = task.para;
    const RowShape shape{para.rLengthWithPadding, para.rLength};
    const bool known =
        task.config.aLength == -1 || static_cast<uint32_t>(task.config.aLength) == para.aLength;
    CheckShape(call, known, para.aLength, shape, task.dtype,
               "and as many as the config's aLength says");
    const uint64_t size = SizeOf(task.dtype);
    const uint64_t row = shape.pitch * size;
    const uint64_t moments = uint64_t{para.aLength} * sizeof(float);
    const uint64_t weights = uint64_t{shape.valid} * SizeOf(task.weights);
    AddAll(&call, {{"output", task.output, para.aLength * row, true},
                   {"outputRstd", task.rstd, moments, true},
                   {"inputMean", task.mean, moments},
                   {"inputVariance", task.variance, moments},
                   {"inputX", task.x, para.aLength * row},
                   {"gamma", task.gamma, task.config.isNoGamma ? 0 : weights},
                   {"beta", task.beta, task.config.isNoBeta ? 0 : weights}});
    call.Check(advanced::InPlace::Works);
    call.Take(tmp, NormalizeScratch(para.aLength, shape.pitch, task.weights));
    float* x = advanced::Row(0, shape.pitch);
    float* gamma = task.config.isNoGamma ? nullptr : advanced::Row(2, shape.valid);
    float* beta = task.config.isNoBeta ? nullptr : advanced::Row(3, shape.valid);
    if (gamma != nullptr) {
        advanced::Load(gamma, call.At(5), task.weights, shape.valid);
    }
    if (beta != nullptr) {
        advanced::Load(beta, call.At(6), task.weights, shape.valid);
    }
    for (uint32_t i = 0; i < para.aLength; ++i) {
        const float mean = advanced::LoadOne(call.At(2), Dtype::F32, i);
        const float rstd = advanced::Rsqrt(advanced::LoadOne(call.At(3), Dtype::F32, i) + epsilon);
        advanced::Load(x, call.At(4) + i * row, task.dtype, shape.valid);
        advanced::Adds(x, x, -mean, shape.valid);
        Scale(x, shape.valid, rstd, gamma, beta);
        advanced::Store(call.At(0) + i * row, task.dtype, x, shape.valid);
        advanced::Poison(call.core(), task.output.address + i * row + shape.valid * size,
                         (shape.pitch - shape.valid) * size);
        advanced::StoreOne(call.At(1), Dtype::F32, i, rstd);
    }
    call.Finish(task.dtype, uint64_t{para.aLength} * shape.pitch);
}

}  // namespace twin::norm
