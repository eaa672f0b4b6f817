// SPDX-License-Identifier: Apache-2.0
#include "device/normalization/rms_norm.h"

#include "core/float16.h"
#include "device/library/call.h"
#include "device/library/elementwise.h"
#include "device/library/tmp.h"

namespace twin::norm {
namespace {

constexpr uint32_t kPerBlock = 8;  ///< floats per block
constexpr uint32_t kMostBasicH = 2048;

void CheckTiling(const advanced::Call& call, const RmsNormTiling& t) {
    const uint32_t rows = t.bLength * t.sLength;
    const uint32_t once = t.mainBsLength == 0 ? 1 : t.mainBsLength;
    const uint32_t tail = rows % once;
    advanced::CheckFields(
        call.api(), {{"mainBsLength", t.mainBsLength, once},
                     {"mainBshLength", t.mainBshLength, once * t.hLength},
                     {"mainBsLengthAlign", t.mainBsLengthAlign, advanced::RoundUp(once, kPerBlock)},
                     {"loopRound", t.loopRound, rows / once},
                     {"tailBsLength", t.tailBsLength, tail},
                     {"tailBshLength", t.tailBshLength, tail * t.hLength},
                     {"inputTailPos", t.inputTailPos, (rows - tail) * t.hLength},
                     {"the bits of reciprocalOfHLength", BitsOf(t.reciprocalOfHLength),
                      BitsOf(1.0F / static_cast<float>(t.originalHLength))}});
}

}  // namespace

void RunRmsNorm(Dtype dtype, const Operand& dst, const Operand& src, const Operand& gammaPlace,
                const advanced::Tmp& tmp, float epsilon, const RmsNormTiling& t, bool basicBlock,
                Location where) {
    advanced::Call call(Opcode::RmsNorm, where);
    if (!call) {
        return;
    }
    const uint32_t rows = t.bLength * t.sLength;
    const uint32_t h = t.hLength;
    const bool basic = !basicBlock || (h % 64 == 0 && h < kMostBasicH && rows % kPerBlock == 0 &&
                                       t.originalHLength == h);
    CheckShape(call, basic && t.originalHLength != 1, rows, {h, t.originalHLength}, dtype,
               "more than one element is valid, and isBasicBlock takes a multiple of 8 rows of a "
               "multiple of 64 elements, fewer than 2048, all valid");
    if (call.core().strict) {
        CheckTiling(call, t);
    }
    call.shape() = {0, basicBlock ? 1U : 0U, rows, h, t.originalHLength, t.mainBsLength, 0};
    const uint64_t row = uint64_t{h} * SizeOf(dtype);
    uint8_t* output = call.Write(Arg::DstLocal, dst, rows * row);
    const uint8_t* input = call.Read(Arg::SrcLocal, src, rows * row);
    const uint8_t* gammas = call.Read(Arg::GammaLocal, gammaPlace, row);
    const uint64_t copies = dtype == Dtype::F16 ? 2 : 1;
    const uint64_t need =
        (uint64_t{t.mainBshLength} * copies + t.mainBsLengthAlign) * sizeof(float);
    call.Take(tmp, {need, need});
    if (!call.Ready(dtype, uint64_t{rows} * h, Overlap::InPlace)) {
        return;
    }
    float* x = advanced::Row(0, h);
    float* squares = advanced::Row(1, h);
    const float* gamma = Weights(gammas, dtype, 2, h);
    const Rounds rounds{t.loopRound,    t.mainBsLength,     t.mainBsLength,
                        t.tailBsLength, t.inputTailPos / h, rows};
    ForRows(rounds, [&](uint32_t i) {
        advanced::Load(x, input + i * row, dtype, h);
        advanced::Mul(squares, x, x, t.originalHLength);
        const float mean = advanced::SumOf(squares, t.originalHLength) * t.reciprocalOfHLength;
        Scale(x, h, advanced::RsqrtByLn(mean + epsilon), gamma, nullptr);
        advanced::Store(output + i * row, dtype, x, h);
    });
    call.Done();
}

}  // namespace twin::norm
