# SPDX-License-Identifier: Apache-2.0
"""Library calls for more forms of normalizations, in the format of by_hand.py."""

from __future__ import annotations

from .by_hand_norms import TO_SCALAR

CALLS = {
    "layer_norm_grad_halves": (
        *("half", 1280, 98304),
        """
        constexpr uint32_t m = 20, h = 64, once = 16, one = once * h;
        LayerNormGradTiling t{};
        t.stackBufferSize = 9 * one * sizeof(float);
        t.bLength = t.loopNum = 1;
        t.sLength = m;
        t.nohCalSize = once;
        t.hLength = t.originalHLength = h;
        t.oneCalSize = t.pdVarTensorPos = one;
        t.tailSize = (m - once) * h;
        t.nohTailSize = m - once;
        t.pdMeanTensorPos = 2 * one;
        t.x1TensorPos = 3 * one;
        t.x2TensorPos = 4 * one;
        t.x3TensorPos = 5 * one;
        t.tmpTensorPos = 6 * one;
        t.tmpTensor1Pos = 7 * one;
        t.tmpTensor2Pos = 8 * one;
        t.lastDimValueBack = 0x3c800000;        // 1.0f / h
        t.lastDimValueBackMulTwo = 0x3d000000;  // 2.0f / h
        auto rest = f[16384].template ReinterpretCast<half>();
        LayerNormGrad<half>(dst, rest, src, src, src[16], src[48], src, tmp, half(0.01f), t);
        """,
        TO_SCALAR
        + """
        constexpr uint32_t m = 20, h = 64, once = 16, one = once * h;
        auto rest = f[16384].template ReinterpretCast<half>();
        auto dVariance = f[one];
        auto dMean = f[2 * one];
        auto a = f[3 * one];
        auto b = f[4 * one];
        auto c = f[5 * one];
        auto d = f[6 * one];
        auto x = f[7 * one];
        auto y = f[8 * one];
        for (uint32_t at = 0; at < m; at += once) {
            const uint32_t k = m - at < once ? m - at : once;
            const auto spread = [&](auto from) {
                for (uint32_t i = 0; i < h / 8; ++i) {
                    if (k == once) {
                        Brcb(f[8 * i], from, 2, {h / 8, h});
                    }
                    PipeBarrier<PIPE_V>();
                }
                if (k < once) {
                    wait();
                    float values[once];
                    for (uint32_t i = 0; i < k; ++i) {
                        values[i] = from.GetValue(i);
                    }
                    for (uint32_t i = 0; i < k; ++i) {
                        Duplicate(f[i * h], values[i], h);
                    }
                    PipeBarrier<PIPE_V>();
                }
                PipeBarrier<PIPE_V>();
            };
            const auto total = [&](auto to) {
                for (uint32_t i = 0; i < k; ++i) {
                    PipeBarrier<PIPE_V>();
                    STEP(WholeReduceSum(to[i], f[i * h], 64, 1, 1, 1, 8));
                }
            };
            const auto reciprocal = [&] {
                STEP(Sqrt(d, d, k));
                STEP(Duplicate(f, 1.0f, 8));
                STEP(Div(d, f, d, k, 1, {1, 0, 1, 8, 0, 8}));
                spread(d);
                PipeBarrier<PIPE_V>();
            };
            Cast(x, src[at * h], RoundMode::CAST_NONE, k * h);
            STEP(Cast(y, src, RoundMode::CAST_NONE, h));
            for (uint32_t i = 0; i < k; ++i) {
                Mul(a[i * h], x[i * h], y, h);
            }
            PipeBarrier<PIPE_V>();
            Cast(x, src[at * h], RoundMode::CAST_NONE, k * h);
            STEP(Cast(y, src[48 + at], RoundMode::CAST_NONE, k));
            spread(y);
            PipeBarrier<PIPE_V>();
            STEP(Sub(b, x, f, k * h));
            STEP(Cast(x, src[16 + at], RoundMode::CAST_NONE, k));
            STEP(Adds(d, x, 0.01f, k));
            STEP(Mul(f, d, d, k));
            STEP(Mul(d, f, d, k));
            reciprocal();
            STEP(Mul(f, b, f, k * h));
            STEP(Mul(f, a, f, k * h));
            STEP(Muls(f, f, -0.5f, k * h));
            total(dVariance);
            PipeBarrier<PIPE_V>();
            STEP(Adds(d, x, 0.01f, k));
            reciprocal();
            STEP(Mul(y, b, f, k * h));
            STEP(Mul(c, a, f, k * h));
            STEP(Muls(f, c, -1.0f, k * h));
            total(dMean);
            STEP(Muls(f, b, -2.0f, k * h));
            total(d);
            PipeBarrier<PIPE_V>();
            STEP(Muls(d, d, 1.0f / h, k));
            STEP(Mul(d, dVariance, d, k));
            STEP(Add(dMean, dMean, d, k));
            STEP(Muls(dVariance, dVariance, 2.0f / h, k));
            spread(dVariance);
            PipeBarrier<PIPE_V>();
            STEP(Mul(a, f, b, k * h));
            STEP(Muls(dMean, dMean, 1.0f / h, k));
            spread(dMean);
            STEP(Add(a, a, f, k * h));
            STEP(Add(d, a, c, k * h));
            Cast(dst[at * h], d, RoundMode::CAST_NONE, k * h);
            STEP(Cast(rest[at * h], y, RoundMode::CAST_NONE, k * h));
        }
        """,
    ),
    "welford_finalize_even": (
        *("float", 256, 2048),
        """
        WelfordFinalizePara para{};
        para.abLength = para.headCountLength = 96;
        para.rnLength = 3;
        para.abRec = 1.0f / 96;
        para.rRec = 1.0f / 288;
        WelfordFinalize(dst, dst[8], src, src[96], tmp, para);
        """,
        """
        constexpr uint32_t k = 96;
        auto variances = f[64];
        auto a = f[128];
        auto b = f[320];
        const auto sum = [](auto to, auto other, auto x) {
            STEP(Add(x, x[64], x, 32, 1, {1, 1, 1, 0, 8, 0}));
            WholeReduceSum(other, x, 64, 1, 1, 1, k / 8);
            STEP(WholeReduceSum(to, x, 64, 1, k, 1, k / 8));
            PipeBarrier<PIPE_V>();
        };
        STEP(Muls(a, src, 1.0f / 96, k));
        sum(f, b, a);
        STEP(WholeReduceSum(f, f, 1, 1, 1, 1, 0));
        STEP(Adds(a, f, 0.0f, 1));
        STEP(Adds(b, a, 0.0f, 1));
        auto none = b.template ReinterpretCast<int16_t>();
        STEP(SetCmpMask(b));
        STEP(Muls(none, none, int16_t(0), k));
        SetMaskCount();
        SetVectorMask<float, MaskMode::COUNTER>(0, k);
        auto mask = b.template ReinterpretCast<uint8_t>();
        STEP((Select<float, uint8_t>(a, mask, a, 1, {1, 1, 1, 8, 8, 8})));
        SetMaskNorm();
        ResetMask();
        STEP(Sub(b, src, a, k));
        STEP(Mul(a, b, b, k));
        STEP(Muls(b, a, 3.0f, k));
        STEP(Add(a, src[96], b, k));
        STEP(Muls(b, a, 1.0f / 288, k));
        sum(variances, a, b);
        STEP(WholeReduceSum(variances, variances, 1, 1, 1, 1, 0));
        Adds(dst, f, 0.0f, 1);
        STEP(Adds(dst[8], variances, 0.0f, 1));
        uint64_t rest[] = {254, 0};
        STEP(Duplicate(dst, 0.0f, rest, 1, 1, 8));
        STEP(Duplicate(dst[8], 0.0f, rest, 1, 1, 8));
        """,
    ),
}
