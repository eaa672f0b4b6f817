// SPDX-License-Identifier: Apache-2.0
#include "device/normalization/layer_norm_grad.h"

#include <algorithm>

#include "core/float16.h"
#include "device/library/call.h"
#include "device/library/elementwise.h"
#include "device/library/tmp.h"
#include "device/normalization/rows.h"

namespace twin::norm {
namespace {

using advanced::Call;

void CheckTiling(const Call& call, const LayerNormGradTiling& t) {
    const uint32_t all = t.bLength * t.sLength * t.hLength;
    const uint32_t once = std::max(t.oneCalSize, 1U);
    const auto back = [&](float value) {
        return BitsOf(value / static_cast<float>(t.originalHLength));
    };
    advanced::CheckFields(call.api(),
                          {{"oneCalSize", t.oneCalSize, t.nohCalSize * t.hLength},
                           {"nohCalSize", t.nohCalSize, std::max(t.nohCalSize, 1U)},
                           {"loopNum", t.loopNum, all / once},
                           {"tailSize", t.tailSize, all % once},
                           {"nohTailSize", t.nohTailSize, all % once / t.hLength},
                           {"lastDimValueBack", t.lastDimValueBack, back(1.0F)},
                           {"lastDimValueBackMulTwo", t.lastDimValueBackMulTwo, back(2.0F)}});
}

/// Returns true if the tiling has the usual scratch positions, which the instruction lists assume.
bool PlacedAsUsual(const LayerNormGradTiling& t, Dtype dtype, bool reuse) {
    const uint32_t once = t.oneCalSize;
    const bool half = dtype == Dtype::F16;
    return t.tmpTensorBSHPos == 0 && t.pdVarTensorPos == once && t.pdMeanTensorPos == 2 * once &&
           (reuse || (t.x1TensorPos == 3 * once && t.x2TensorPos == 4 * once)) &&
           t.x3TensorPos == (reuse ? 3 : 5) * once &&
           (!half || (t.tmpTensorPos == 6 * once && t.tmpTensor1Pos == 7 * once &&
                      t.tmpTensor2Pos == 8 * once));
}

/// Computes the gradient of one row in floats, with the same sequence of operations as the library.
class GradientRow {
public:
    GradientRow(const LayerNormGradTiling& t, const float* gamma, float epsilon)
        : gamma_(gamma),
          epsilon_(epsilon),
          h_(t.hLength),
          back_(FloatOf(t.lastDimValueBack)),
          backTwice_(FloatOf(t.lastDimValueBackMulTwo)) {}

    /// Replaces dy by pdX, and x by resForGamma.
    void Compute(float* dy, float* x, float mean, float variance) const {
        float* products = advanced::Row(3, h_);
        const float shifted = variance + epsilon_;
        const float cubed = advanced::Rsqrt(shifted * shifted * shifted);
        const float rstd = advanced::Rsqrt(shifted);
        advanced::Mul(dy, dy, gamma_, h_);
        advanced::Adds(x, x, -mean, h_);
        advanced::Muls(products, x, cubed, h_);
        advanced::Mul(products, dy, products, h_);
        advanced::Muls(products, products, -0.5F, h_);
        const float pdVar = advanced::SumOf(products, h_);
        advanced::Muls(dy, dy, rstd, h_);
        advanced::Muls(products, x, -2.0F, h_);
        const float pdMean =
            -advanced::SumOf(dy, h_) + pdVar * (advanced::SumOf(products, h_) * back_);
        advanced::Muls(products, x, pdVar * backTwice_, h_);
        advanced::Adds(products, products, pdMean * back_, h_);
        advanced::Add(dy, products, dy, h_);
        advanced::Muls(x, x, rstd, h_);
    }

private:
    const float* gamma_;
    float epsilon_;
    uint32_t h_;
    float back_;
    float backTwice_;
};

void CheckTiling(const Call& call, const LayerNormGradBetaTiling& t) {
    const uint32_t all = t.bLength * t.sLength * t.hLength;
    const uint32_t once = std::max(t.oneCalSize, 1U);
    const uint32_t tail = all % once;
    advanced::CheckFields(call.api(),
                          {{"oneCalSize", t.oneCalSize, std::max(once / t.hLength, 1U) * t.hLength},
                           {"loopRound", t.loopRound, all / once},
                           {"inputTailSize", t.inputTailSize, tail},
                           {"inputTailPos", t.inputTailPos, all - tail},
                           {"bsTailSize", t.bsTailSize, tail / t.hLength},
                           {"bshCurLength", t.bshCurLength, once},
                           {"bsCurLength", t.bsCurLength, once / t.hLength}});
}

bool PlacedAsUsual(const LayerNormGradBetaTiling& t, Dtype dtype) {
    if (dtype == Dtype::F32) {
        return t.resForGammaTmpTensorPos == 0;
    }
    return t.gammaTempTensorPos == 0 && t.betaTempTensorPos == t.hLength &&
           t.inputDyTmpTensorPos == 2 * t.hLength &&
           t.resForGammaTmpTensorPos == 2 * t.hLength + t.oneCalSize;
}

}  // namespace

void RunLayerNormGrad(const LayerNormGradTask& task, const advanced::Tmp& tmp,
                      const LayerNormGradTiling& t, Location where) {
    Call call(Opcode::LayerNormGrad, where);
    if (!call) {
        return;
    }
    if (task.format != AscendC::DataFormat::ND) {
        Fail("T722",
             "form not taken: LayerNormGrad with data format %u; the library has ND only and does "
             "nothing else",
             static_cast<uint32_t>(task.format));
    }
    const uint32_t rows = t.bLength * t.sLength;
    const uint32_t h = t.hLength;
    const RowShape shape{h, t.originalHLength};
    CheckShape(call, true, rows, shape, task.dtype, "");
    if (call.core().strict) {
        CheckTiling(call, t);
    }
    const uint64_t size = SizeOf(task.dtype);
    const uint64_t row = h * size;
    const bool reuse = task.reuse && task.dtype == Dtype::F32;
    const uint32_t form = (reuse ? LayerNormGradForm::kReuse : 0) |
                          (PlacedAsUsual(t, task.dtype, reuse) ? 0 : LayerNormGradForm::kElsewhere);
    call.shape() = {0, form, rows, h, t.originalHLength, t.nohCalSize, 0};
    const auto source = [&](Arg name, const Operand& place) {
        const bool kept =
            place.address == task.pdX.address || place.address == task.resForGamma.address;
        return call.Read(name, place, rows * row, reuse && !kept);
    };
    uint8_t* pdX = call.Write(Arg::OutputPdX, task.pdX, rows * row);
    uint8_t* resForGamma = call.Write(Arg::ResForGamma, task.resForGamma, rows * row);
    const uint8_t* inputDy = source(Arg::InputDy, task.dy);
    const uint8_t* inputX = source(Arg::InputX, task.x);
    const uint8_t* variances = call.Read(Arg::InputVariance, task.variance, rows * size);
    const uint8_t* means = call.Read(Arg::InputMean, task.mean, rows * size);
    const uint8_t* gammas = call.Read(Arg::InputGamma, task.gamma, row);
    const uint64_t pieces = task.dtype == Dtype::F16 ? 9 : reuse ? 4 : 6;
    call.Take(tmp, {t.stackBufferSize,
                    std::min<uint64_t>(t.stackBufferSize, pieces * t.oneCalSize * sizeof(float))});
    call.RunRows(task.dtype, uint64_t{rows} * h, h, false, [&] {
        float* dy = advanced::Row(0, h);
        float* x = advanced::Row(1, h);
        const GradientRow gradient(t, Weights(gammas, task.dtype, 2, h), task.epsilon);
        const Rounds rounds{
            t.loopNum, t.nohCalSize, t.nohCalSize, t.nohTailSize, t.loopNum * t.nohCalSize, rows};
        ForRows(rounds, [&](uint32_t i) {
            advanced::Load(dy, inputDy + i * row, task.dtype, h);
            advanced::Load(x, inputX + i * row, task.dtype, h);
            CheckPadding(call, "inputDy", dy, shape);
            CheckPadding(call, "inputX", x, shape);
            gradient.Compute(dy, x, advanced::LoadOne(means, task.dtype, i),
                             advanced::LoadOne(variances, task.dtype, i));
            advanced::Store(pdX + i * row, task.dtype, dy, h);
            advanced::Store(resForGamma + i * row, task.dtype, x, h);
        });
    });
}

void RunLayerNormGradBeta(Dtype dtype, const Operand& pdGamma, const Operand& pdBeta,
                          const Operand& resForGamma, const Operand& inputDy,
                          const advanced::Tmp& tmp, bool reuse, const LayerNormGradBetaTiling& t,
                          Location where) {
    Call call(Opcode::LayerNormGradBeta, where);
    if (!call) {
        return;
    }
    const uint32_t rows = t.bLength * t.sLength;
    const uint32_t h = t.hLength;
    CheckShape(call, t.originalHLength == h, rows, {h, t.originalHLength}, dtype,
               "and all valid: the library adds up rows that are originalHLength apart");
    if (call.core().strict) {
        CheckTiling(call, t);
    }
    const uint64_t row = uint64_t{h} * SizeOf(dtype);
    const bool none = reuse && dtype == Dtype::F32;
    const uint32_t form = (none ? LayerNormGradForm::kReuse : 0) |
                          (PlacedAsUsual(t, dtype) ? 0 : LayerNormGradForm::kElsewhere);
    call.shape() = {0, form, rows, h, h, t.bsCurLength, 0};
    uint8_t* toGamma = call.Write(Arg::OutputPdGamma, pdGamma, row);
    uint8_t* toBeta = call.Write(Arg::OutputPdBeta, pdBeta, row);
    const uint8_t* res = call.Read(Arg::ResForGamma, resForGamma, rows * row, none);
    const uint8_t* dys = call.Read(Arg::InputDy, inputDy, rows * row);
    const uint64_t used = none ? 0 : (uint64_t{t.resForGammaTmpTensorPos} + t.oneCalSize);
    call.Take(tmp, {uint64_t{t.stackBufferSize} * sizeof(float), used * sizeof(float)});
    // With float, the library writes the results while it still needs the sources.
    call.Run(dtype, uint64_t{rows} * h, Overlap::Library, [&] {
        float* gammas = advanced::Row(0, h);
        float* betas = advanced::Row(1, h);
        float* dy = advanced::Row(2, h);
        float* products = advanced::Row(3, h);
        std::fill(gammas, gammas + h, 0.0F);
        std::fill(betas, betas + h, 0.0F);
        for (uint32_t i = 0; i < rows; ++i) {
            advanced::Load(dy, dys + i * row, dtype, h);
            advanced::Load(products, res + i * row, dtype, h);
            advanced::Mul(products, dy, products, h);
            advanced::Add(gammas, products, gammas, h);
            advanced::Add(betas, dy, betas, h);
        }
        advanced::Store(toGamma, dtype, gammas, h);
        advanced::Store(toBeta, dtype, betas, h);
    });
}

}  // namespace twin::norm
