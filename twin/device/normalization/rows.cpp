// SPDX-License-Identifier: Apache-2.0
#include "device/normalization/rows.h"

#include <algorithm>

#include "device/library/call.h"
#include "device/library/elementwise.h"
#include "device/normalization/layer_norm.h"

namespace twin::norm {
namespace {

struct NormalizeForm {
    static constexpr uint32_t kGamma = 1, kBeta = 2, kHalves = 4;
};

}  // namespace

void CheckPadding(const advanced::Call& call, const char* name, const float* row,
                  const RowShape& shape) {
    if (!call.core().strict) {
        return;
    }
    for (uint32_t i = shape.valid; i < shape.pitch; ++i) {
        if (row[i] != 0) {
            Fail(
                "T721",
                "padding counts: %s adds up whole rows of %s, %u elements of which %u are valid, "
                "and "
                "element %u is %g\n  try: zeros behind the valid elements, by Duplicate before the "
                "copy or by the padding of DataCopyPad",
                call.api(), name, shape.pitch, shape.valid, i, static_cast<double>(row[i]));
        }
    }
}

void CheckShape(const advanced::Call& call, bool sound, uint32_t rows, const RowShape& shape,
                Dtype dtype, const char* rule) {
    const bool padded = shape.pitch > 0 && shape.pitch * SizeOf(dtype) % kBlockBytes == 0 &&
                        shape.valid > 0 && shape.valid <= shape.pitch;
    if (sound && padded && rows > 0) {
        return;
    }
    Fail("T703",
         "shape not taken: %s of %u rows of %u %s, %u of them valid; rows are multiples of 32 "
         "B%s%s\n"
         "  try: the tiling that the host makes for this shape",
         call.api(), rows, shape.pitch, Name(dtype), shape.valid, sound ? "" : ", ",
         sound ? "" : rule);
}

Moments Center(float* x, uint32_t elements, uint32_t count, float share) {
    float* products = advanced::Row(1, elements);
    Moments moments;
    advanced::Muls(products, x, share, count);
    moments.mean = advanced::SumOf(products, count);
    advanced::Adds(x, x, -moments.mean, elements);
    advanced::Mul(products, x, x, count);
    advanced::Muls(products, products, share, count);
    moments.variance = advanced::SumOf(products, count);
    return moments;
}

const float* Weights(const uint8_t* from, Dtype dtype, uint32_t slot, uint32_t elements) {
    if (from == nullptr) {
        return nullptr;
    }
    float* row = advanced::Row(slot, elements);
    advanced::Load(row, from, dtype, elements);
    return row;
}

void Scale(float* x, uint32_t elements, float scale, const float* gamma, const float* beta) {
    advanced::Muls(x, x, scale, elements);
    if (gamma != nullptr) {
        advanced::Mul(x, x, gamma, elements);
    }
    if (beta != nullptr) {
        advanced::Add(x, x, beta, elements);
    }
}

advanced::TmpNeed NormalizeScratch(uint32_t rows, uint32_t pitch, Dtype weights) {
    const uint64_t pair = uint64_t{pitch} * 2 * sizeof(float);
    const uint64_t converted = weights == Dtype::F16 ? pair : 0;
    const uint64_t least = std::max<uint64_t>(pair + converted, uint64_t{rows} * sizeof(float));
    return {least, std::max(least, pair * rows + converted)};
}

void RunNormalize(const NormalizeTask& task, float epsilon, const advanced::Tmp& tmp,
                  Location where) {
    advanced::Call call(Opcode::Normalize, where);
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
    const uint64_t valid = shape.valid * size;
    const bool noGamma = task.config.isNoGamma;
    const bool noBeta = task.config.isNoBeta;
    const uint32_t form = (noGamma ? 0 : NormalizeForm::kGamma) |
                          (noBeta ? 0 : NormalizeForm::kBeta) |
                          (task.weights == Dtype::F16 ? NormalizeForm::kHalves : 0);
    call.shape() = {0, form, para.aLength, shape.pitch, shape.valid, 0, 0};
    uint8_t* output = call.Write(Arg::Output, task.output, para.aLength * row);
    uint8_t* rstds = call.Write(Arg::OutputRstd, task.rstd, moments);
    const uint8_t* means = call.Read(Arg::InputMean, task.mean, moments);
    const uint8_t* variances = call.Read(Arg::InputVariance, task.variance, moments);
    const uint8_t* input = call.Read(Arg::InputX, task.x, Runs{valid, Level{para.aLength, row}});
    const uint8_t* gammas = noGamma ? nullptr : call.Read(Arg::Gamma, task.gamma, weights);
    const uint8_t* betas = noBeta ? nullptr : call.Read(Arg::Beta, task.beta, weights);
    call.Take(tmp, NormalizeScratch(para.aLength, shape.pitch, task.weights));
    const uint64_t elements = uint64_t{para.aLength} * shape.pitch;
    call.RunRows(task.dtype, elements, shape.valid, false, [&] {
        float* x = advanced::Row(0, shape.pitch);
        const float* gamma = Weights(gammas, task.weights, 2, shape.valid);
        const float* beta = Weights(betas, task.weights, 3, shape.valid);
        for (uint32_t i = 0; i < para.aLength; ++i) {
            const float mean = advanced::LoadOne(means, Dtype::F32, i);
            const float rstd =
                advanced::Rsqrt(advanced::LoadOne(variances, Dtype::F32, i) + epsilon);
            advanced::Load(x, input + i * row, task.dtype, shape.valid);
            advanced::Adds(x, x, -mean, shape.valid);
            Scale(x, shape.valid, rstd, gamma, beta);
            advanced::Store(output + i * row, task.dtype, x, shape.valid);
            advanced::Poison(output + i * row + valid, row - valid);
            advanced::StoreOne(rstds, Dtype::F32, i, rstd);
        }
    });
}

void SumRows(CallSteps s, View all, View first, View x, int64_t m, int64_t h) {
    for (int64_t i = 0; i < m; ++i) {
        const View row = x[i * h];
        s.If(h / 64 > 1).Repeats(h / 64 - 1).Add(row.By(1, 0), row[64], row.By(1, 0));
        s.If(h > 64 && h % 64 != 0).Repeats(1, h % 64).Add(row, row[h / 64 * 64], row);
    }
    InParts(m, 255, [&](int64_t row, int64_t count) {
        const View folded = x[row * h].By(1, h / 8);
        const CallSteps each = s.Repeats(count, std::min<int64_t>(h, 64));
        each.NoBarrier().WholeReduceSum(all[row], folded);
        each.WholeReduceSum(first[row * h], folded);
    });
}

void FillRows(CallSteps s, View dst, View src, int64_t m, int64_t h) {
    const View none = src.As(Dtype::U8);
    for (int64_t i = 0; i < m; ++i) {
        s.Count(4).SetCmpMask(src[i * h]);
        s.If(i == 0).Count(h).Muls(src.As(Dtype::I16), src.As(Dtype::I16));
        s.Count(h).Select(dst[i * h], none, dst);
    }
}

void WithRow(CallSteps s, Opcode op, View dst, View src, View row, int64_t m, int64_t h) {
    for (int64_t i = 0; i < m; ++i) {
        s.Count(h).NoBarrier().Do(op, dst[i * h], src[i * h], row);
    }
    s.Barrier();
}

void FillByScalar(CallSteps s, View dst, View src, int64_t m, int64_t h, int64_t valid) {
    for (int64_t i = 0; i < m; ++i) {
        s.Read(src[i]);
        s.ToVector();
        s.Count(valid).NoBarrier().Duplicate(dst[i * h]);
    }
    s.Barrier();
}

void NormalizeRows::operator()(CallSteps s) const {
    const int64_t rows = s.Rows(), h = s.Columns(), valid = s.Valid();
    const int64_t once =
        std::max<int64_t>(std::min((room - (halves ? 2 * h : 0)) / (2 * h), rows), 1);
    const View a = work, b = a[once * h];
    const View weight = halves ? b[once * h] : gamma.As(Dtype::F32);
    const View shift = halves ? b[once * h + h] : beta.As(Dtype::F32);
    s.Count(rows).Adds(rstd, variance);
    s.Count(rows).Duplicate(a);
    s.Count(rows).Sqrt(rstd, rstd);
    s.Count(rows).Div(rstd, a, rstd);
    s.If(halves && gammas).Count(valid).Cast(weight, gamma);
    s.If(halves && betas).Count(valid).Cast(shift, beta);
    InParts(rows, once, [&](int64_t row, int64_t m) {
        const CallSteps all = s.Count(m * h);
        const auto move = [&](View to, View from) {
            s.Half() ? all.Cast(to, from) : all.Adds(to, from);
        };
        move(a, x[row * h]);
        s.ToScalar();
        FillByScalar(s, b, mean[row], m, h, valid);
        all.Sub(a, a, b);
        FillByScalar(s, b, rstd[row], m, h, valid);
        all.Mul(a, a, b);
        for (int64_t j = 0; j < m; ++j) {
            s.If(gammas).Count(valid).Mul(a[j * h], a[j * h], weight);
            s.If(betas).Count(valid).Add(a[j * h], a[j * h], shift);
        }
        move(out[row * h], a);
    });
}

}  // namespace twin::norm

namespace twin {

void NormalizeSteps(CallSteps s) {
    using Form = norm::NormalizeForm;
    const auto floats = [&](size_t operand) { return s.Operand(operand).As(Dtype::F32); };
    const bool gammas = s.Has(Form::kGamma);
    const View gamma = s.Operand(5), beta = gammas ? s.Operand(6) : gamma;
    norm::NormalizeRows{s.Operand(0),
                        floats(1),
                        floats(2),
                        floats(3),
                        s.Operand(4),
                        gamma,
                        beta,
                        s.Buffer(Dtype::F32),
                        s.Scratch() / 4,
                        gammas,
                        s.Has(Form::kBeta),
                        s.Has(Form::kHalves)}(s);
}

}  // namespace twin
