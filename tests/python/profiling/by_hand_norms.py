# SPDX-License-Identifier: Apache-2.0
"""Library calls for normalizations and their gradients, in the format of by_hand.py."""

from __future__ import annotations

TO_SCALAR = """
        const auto wait = [] {
            SetFlag<HardEvent::V_S>(EVENT_ID7);
            WaitFlag<HardEvent::V_S>(EVENT_ID7);
        };
"""
ROUNDS = """
        t.inputXSize = t.inputTailPos = rows * h;
        t.oneTmpSize = t.inputRoundSize = t.bshCurLength = rows * h;
        t.meanVarSize = t.meanVarRoundSize = t.bsCurLength = t.meanVarTailPos = rows;
        t.numberOfTmpBuf = 3;
        t.tmpBufSize = 3 * rows * h;
        t.secondTmpStartPos = rows * h;
        t.thirdTmpStartPos = 2 * rows * h;
        t.loopRound = 1;
        auto mean = f[16384];
        auto variance = f[16400];
"""
CALLS = {
    "layer_norm_grad": (
        *("float", 1152, 98304),
        """
        constexpr uint32_t m = 9, h = 128, one = m * h;
        auto stats = f[8192];
        Duplicate(stats, 1.0f, 64);
        PipeBarrier<PIPE_V>();
        LayerNormGradTiling t{};
        t.stackBufferSize = 6 * one * sizeof(float);
        t.bLength = t.loopNum = 1;
        t.sLength = t.nohCalSize = m;
        t.hLength = t.originalHLength = h;
        t.oneCalSize = t.pdVarTensorPos = one;
        t.pdMeanTensorPos = 2 * one;
        t.x1TensorPos = 3 * one;
        t.x2TensorPos = 4 * one;
        t.x3TensorPos = 5 * one;
        t.lastDimValueBack = 0x3c000000;        // 1.0f / h
        t.lastDimValueBackMulTwo = 0x3c800000;  // 2.0f / h
        LayerNormGrad<float>(dst, f[9216], src, src, stats, stats[16], src, tmp, 1e-5f, t);
        """,
        TO_SCALAR
        + """
        constexpr uint32_t m = 9, h = 128, one = m * h;
        auto stats = f[8192];
        STEP(Duplicate(stats, 1.0f, 64));
        auto dVariance = f[one];
        auto dMean = f[2 * one];
        auto a = f[3 * one];
        auto b = f[4 * one];
        auto c = f[5 * one];
        const auto spread = [&](auto from) {
            for (uint32_t i = 0; i < h / 8; ++i) {
                STEP(Brcb(f[8 * i], from, m / 8, {h / 8, h}));
            }
            wait();
            STEP(Duplicate(f[8 * h], from.GetValue(8), h));
            PipeBarrier<PIPE_V>();
        };
        const auto total = [&](auto to) {
            for (uint32_t i = 0; i < m; ++i) {
                PipeBarrier<PIPE_V>();
                STEP(WholeReduceSum(to[i * h], f[i * h], 64, 2, 1, 1, 8));
                PipeBarrier<PIPE_V>();
                STEP(WholeReduceSum(to[i], to[i * h], 2, 1, 1, 1, 8));
            }
        };
        const auto reciprocal = [&] {
            STEP(Sqrt(dst, dst, m));
            STEP(Duplicate(f, 1.0f, 8));
            STEP(Div(dst, f, dst, m, 1, {1, 0, 1, 8, 0, 8}));
            spread(dst);
            PipeBarrier<PIPE_V>();
        };
        for (uint32_t i = 0; i < m; ++i) {
            Mul(a[i * h], src[i * h], src, h);
        }
        PipeBarrier<PIPE_V>();
        spread(stats[16]);
        PipeBarrier<PIPE_V>();
        STEP(Sub(b, src, f, one));
        STEP(Adds(dst, stats, 1e-5f, m));
        STEP(Mul(f, dst, dst, m));
        STEP(Mul(dst, f, dst, m));
        reciprocal();
        STEP(Mul(f, b, f, one));
        STEP(Mul(f, a, f, one));
        STEP(Muls(f, f, -0.5f, one));
        total(dVariance);
        PipeBarrier<PIPE_V>();
        STEP(Adds(dst, stats, 1e-5f, m));
        reciprocal();
        STEP(Mul(f[9216], b, f, one));
        STEP(Mul(c, a, f, one));
        STEP(Muls(f, c, -1.0f, one));
        total(dMean);
        STEP(Muls(f, b, -2.0f, one));
        total(dst);
        PipeBarrier<PIPE_V>();
        STEP(Muls(dst, dst, 1.0f / h, m));
        STEP(Mul(dst, dVariance, dst, m));
        STEP(Add(dMean, dMean, dst, m));
        PipeBarrier<PIPE_V>();
        STEP(Muls(dVariance, dVariance, 2.0f / h, m));
        spread(dVariance);
        PipeBarrier<PIPE_V>();
        STEP(Mul(a, f, b, one));
        STEP(Muls(dMean, dMean, 1.0f / h, m));
        spread(dMean);
        STEP(Add(a, a, f, one));
        STEP(Add(dst, a, c, one));
        """,
    ),
    "layer_norm_grad_beta": (
        *("half", 1536, 98304),
        """
        constexpr uint32_t m = 12, h = 128, once = 8;
        LayerNormGradBetaTiling t{};
        t.stackBufferSize = 2 * h + 2 * once * h;
        t.bLength = t.loopRound = 1;
        t.sLength = t.bsLength = m;
        t.hLength = t.originalHLength = t.betaTempTensorPos = h;
        t.bshLength = m * h;
        t.oneCalSize = t.bshCurLength = t.inputTailPos = once * h;
        t.inputTailSize = (m - once) * h;
        t.bsTailSize = m - once;
        t.bsCurLength = once;
        t.inputDyTmpTensorPos = 2 * h;
        t.resForGammaTmpTensorPos = 2 * h + once * h;
        LayerNormGradBeta<half>(dst, dst[h], src, src, tmp, t);
        """,
        """
        constexpr uint32_t m = 12, h = 128, once = 8;
        auto dy = f[2 * h];
        auto a = dy[once * h];
        for (uint32_t at = 0; at < m; at += once) {
            const uint32_t k = at + once < m ? once : m - at;
            const auto sum = [&](auto to, auto from) {
                if (at == 0) {
                    STEP(Adds(to, from, 0.0f, h));
                }
                for (uint32_t i = at == 0 ? 1 : 0; i < k; ++i) {
                    STEP(Add(to, from[i * h], to, h));
                }
            };
            STEP(Cast(dy, src[at * h], RoundMode::CAST_NONE, k * h));
            STEP(Cast(a, src[at * h], RoundMode::CAST_NONE, k * h));
            STEP(Mul(a, dy, a, k * h));
            sum(f, a);
            sum(f[h], dy);
            STEP(Cast(dst, f, RoundMode::CAST_NONE, h));
            STEP(Cast(dst[h], f[h], RoundMode::CAST_NONE, h));
        }
        """,
    ),
    "deep_norm": (
        *("float", 1024, 98304),
        """
        constexpr uint32_t rows = 8, h = 128;
        DeepNormTiling t{};
        t.bLength = 1;
        t.sLength = rows;
        t.hLength = t.originalHLength = h;
        t.lastDimValueBack = 1.0f / h;
        """
        + ROUNDS
        + """
        DeepNorm<float, false, true>(dst, mean, variance, src, src, src[h], src, tmp, 0.5f, 1e-5f,
                                     t);
        """,
        """
        constexpr uint32_t m = 8, h = 128, one = m * h;
        auto mean = f[16384];
        auto variance = f[16400];
        auto b = f[one];
        auto c = f[2 * one];
        const auto sum = [&](auto all, auto x) {
            STEP(Add(x, x[64], x, 64, m, {1, 1, 1, 16, 16, 16}));
            STEP(RepeatReduceSum(all, x, m, 64, 0, 1, 1, 16));
            STEP(RepeatReduceSum(c, x, m, 64, 0, 1, 1, 16));
        };
        const auto spread = [&](auto from) {
            STEP(Brcb(c, from, 1, {8, 64}));
            STEP(Adds(c, c, 0.0f, 64, m, {1, 0, 8, 8}));
        };
        STEP(Muls(b, src, 0.5f, one));
        STEP(Add(f, src, b, one));
        STEP(Muls(c, f, 1.0f / h, one));
        sum(mean, c);
        spread(mean);
        Sub(b, f, c, 64, m, {1, 1, 1, 16, 16, 8});
        STEP(Sub(b[64], f[64], c, 64, m, {1, 1, 1, 16, 16, 8}));
        STEP(Mul(c, b, b, one));
        STEP(Muls(f, c, 1.0f / h, one));
        sum(variance, f);
        STEP(Adds(f, c, 1e-5f, m));
        STEP(Duplicate(c, 1.0f, m));
        STEP(Sqrt(f, f, m));
        STEP(Div(f, c, f, m));
        spread(f);
        Mul(f, c, b, 64, m, {1, 1, 1, 16, 8, 16});
        STEP(Mul(f[64], c, b[64], 64, m, {1, 1, 1, 16, 8, 16}));
        STEP(Adds(c, f, 0.0f, one));
        Mul(f, c, src, 64, m, {1, 1, 1, 16, 16, 0});
        STEP(Mul(f[64], c[64], src[64], 64, m, {1, 1, 1, 16, 16, 0}));
        Add(dst, f, src[h], 64, m, {1, 1, 1, 16, 16, 0});
        STEP(Add(dst[64], f[64], src[h + 64], 64, m, {1, 1, 1, 16, 16, 0}));
        """,
    ),
    "deep_norm_rows": (
        *("half", 960, 98304),
        """
        constexpr uint32_t rows = 6, h = 160;
        DeepNormTiling t{};
        t.bLength = 1;
        t.sLength = rows;
        t.hLength = t.originalHLength = h;
        t.lastDimValueBack = 1.0f / h;
        """
        + ROUNDS
        + """
        t.varianceTmpTensorPos = 8;
        t.firstTmpStartPos = 16;
        t.secondTmpStartPos += 16;
        t.thirdTmpStartPos += 16;
        t.tmpBufSize += 16;
        auto stats = mean.template ReinterpretCast<half>();
        DeepNorm<half>(dst, stats, stats[16], src, src, src[h], src, tmp, half(0.5f), half(0.01f),
                       t);
        """,
        TO_SCALAR
        + """
        constexpr uint32_t m = 6, h = 160, one = m * h;
        auto stats = f[16384].template ReinterpretCast<half>();
        auto a = f[16];
        auto b = a[one];
        auto c = b[one];
        const auto sum = [&](auto all, auto x) {
            for (uint32_t i = 0; i < m; ++i) {
                SetMaskCount();
                SetVectorMask<float, MaskMode::COUNTER>(0, h);
                STEP((RepeatReduceSum<float, false>(c[i * h], x[i * h], 1, 1, 1, 1, 1, 8)));
                SetMaskNorm();
                ResetMask();
                STEP(RepeatReduceSum(all[i], c[i * h], 1, 3, 0, 1, 1, 8));
                STEP(RepeatReduceSum(c[i], c[i * h], 1, 3, 0, 1, 1, 8));
            }
        };
        STEP(Cast(a, src, RoundMode::CAST_NONE, one));
        STEP(Cast(c, src, RoundMode::CAST_NONE, one));
        STEP(Muls(a, a, 0.5f, one));
        STEP(Add(a, c, a, one));
        STEP(Muls(c, a, 1.0f / h, one));
        sum(f, c);
        wait();
        for (uint32_t i = 0; i < m; ++i) {
            Adds(b[i * h], a[i * h], -f.GetValue(i), h);
        }
        PipeBarrier<PIPE_V>();
        STEP(Mul(c, b, b, one));
        STEP(Muls(a, c, 1.0f / h, one));
        sum(f[8], a);
        STEP(Adds(a, c, 0.01f, m));
        STEP(Duplicate(c, 1.0f, m));
        STEP(Sqrt(a, a, m));
        STEP(Div(a, c, a, m));
        wait();
        for (uint32_t i = 0; i < m; ++i) {
            Muls(c[i * h], b[i * h], a.GetValue(i), h);
        }
        PipeBarrier<PIPE_V>();
        STEP(Cast(a, src, RoundMode::CAST_NONE, h));
        for (uint32_t i = 0; i < m; ++i) {
            Mul(b[i * h], c[i * h], a, h);
        }
        PipeBarrier<PIPE_V>();
        STEP(Cast(c, src[h], RoundMode::CAST_NONE, h));
        for (uint32_t i = 0; i < m; ++i) {
            Add(a[i * h], b[i * h], c, h);
        }
        PipeBarrier<PIPE_V>();
        STEP(Cast(dst, a, RoundMode::CAST_NONE, one));
        STEP(Cast(stats, f, RoundMode::CAST_NONE, m));
        STEP(Cast(stats[16], f[8], RoundMode::CAST_NONE, m));
        """,
    ),
    "group_norm": (
        *("float", 512, 98304),
        """
        constexpr uint32_t rows = 4, h = 128;
        GroupNormTiling t{};
        t.n = t.g = t.d = 2;
        t.c = 4;
        t.hw = t.hwAlignSize = 64;
        t.dhwAlignSize = h;
        t.factor = 1.0f / h;
        t.smallShape = true;
        """
        + ROUNDS
        + """
        GroupNorm<float>(dst, mean, variance, src, src, src[8], tmp, 1e-5f, t);
        """,
        TO_SCALAR
        + """
        constexpr uint32_t m = 4, h = 128, one = m * h;
        auto mean = f[16384];
        auto variance = f[16400];
        auto c = f[2 * one];
        const auto average = [&](auto to, auto from, auto part) {
            STEP(WholeReduceSum(part, from, 64, 2 * m, 8, 1, 8));
            STEP(WholeReduceSum(to, part, 16, m, 1, 1, 2));
            Muls(to, to, 1.0f / h, m);
        };
        STEP(Duplicate(dst, 0.0f, one));
        STEP(Duplicate(c, 0.0f, one));
        PipeBarrier<PIPE_V>();
        average(mean, src, c);
        wait();
        for (uint32_t i = 0; i < m; ++i) {
            Adds(dst[i * h], src[i * h], -mean.GetValue(i), 64, 2, {1, 1, 8, 8});
        }
        PipeBarrier<PIPE_V>();
        STEP(Mul(c, dst, dst, one));
        STEP(Duplicate(f, 0.0f, one));
        average(variance, c, f);
        PipeBarrier<PIPE_V>();
        STEP(Adds(f, variance, 1e-5f, m));
        STEP(Ln(f, f, m));
        STEP(Muls(f, f, -0.5f, m));
        Exp(f, f, int32_t(m));
        wait();
        for (uint32_t i = 0; i < m; ++i) {
            Muls(dst[i * h], dst[i * h], f.GetValue(i), h);
        }
        wait();
        PipeBarrier<PIPE_V>();
        for (uint32_t i = 0; i < 8; ++i) {
            Muls(dst[i * 64], dst[i * 64], src.GetValue(i % 4), 64);
        }
        PipeBarrier<PIPE_V>();
        for (uint32_t i = 0; i < 8; ++i) {
            Adds(dst[i * 64], dst[i * 64], src.GetValue(8 + i % 4), 64);
        }
        PipeBarrier<PIPE_V>();
        """,
    ),
}
