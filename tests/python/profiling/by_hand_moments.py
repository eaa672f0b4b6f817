# SPDX-License-Identifier: Apache-2.0
"""Library calls that compute or use means and variances, in the format of by_hand.py."""

from __future__ import annotations

from .by_hand_norms import TO_SCALAR

#: Code with `spread`, which reads numbers one by one and fills a row with each of them.
ROWS_OF = (
    TO_SCALAR
    + """
        const auto spread = [&](auto to, auto from, uint32_t rows, uint32_t h) {
            for (uint32_t j = 0; j < rows; ++j) {
                const float value = from.GetValue(j);
                SetFlag<HardEvent::S_V>(EVENT_ID7);
                WaitFlag<HardEvent::S_V>(EVENT_ID7);
                Duplicate(to[j * h], value, h);
            }
            PipeBarrier<PIPE_V>();
        };
"""
)
CALLS = {
    "normalize": (
        *("half", 1024, 2048),
        """
        auto moments = src[512].template ReinterpretCast<float>();
        auto rstd = dst[512].template ReinterpretCast<float>();
        Normalize<half, half>(dst, rstd, moments, moments[32], src, src[704], src[768], tmp, 1e-5f,
                              {4, 64, 64});
        """,
        ROWS_OF
        + """
        constexpr uint32_t m = 4, h = 64, once = 3;
        auto moments = src[512].template ReinterpretCast<float>();
        auto rstd = dst[512].template ReinterpretCast<float>();
        auto b = f[once * h];
        auto weight = b[once * h];
        auto shift = weight[h];
        STEP(Adds(rstd, moments[32], 1e-5f, m));
        STEP(Duplicate(f, 1.0f, m));
        STEP(Sqrt(rstd, rstd, m));
        STEP(Div(rstd, f, rstd, m));
        STEP(Cast(weight, src[704], RoundMode::CAST_NONE, h));
        STEP(Cast(shift, src[768], RoundMode::CAST_NONE, h));
        for (uint32_t at = 0; at < m; at += once) {
            const uint32_t k = m - at < once ? m - at : once;
            STEP(Cast(f, src[at * h], RoundMode::CAST_NONE, k * h));
            wait();
            spread(b, moments[at], k, h);
            STEP(Sub(f, f, b, k * h));
            spread(b, rstd[at], k, h);
            STEP(Mul(f, f, b, k * h));
            for (uint32_t j = 0; j < k; ++j) {
                STEP(Mul(f[j * h], f[j * h], weight, h));
                STEP(Add(f[j * h], f[j * h], shift, h));
            }
            STEP(Cast(dst[at * h], f, RoundMode::CAST_NONE, k * h));
        }
        """,
    ),
    "layer_norm_rstd": (
        *("float", 432, 98304),
        """
        constexpr uint32_t m = 6, h = 72, once = 4;
        LayerNormSeparateTiling t{};
        t.aLength = t.meanVarSize = m;
        t.rLength = h;
        t.inputXSize = m * h;
        t.numberOfTmpBuf = 2;
        t.varianceTmpTensorSize = t.firstTmpStartPos = 8;
        t.tmpBufSize = 4096;
        t.oneTmpSize = t.inputRoundSize = t.inputTailPos = t.arCurLength = once * h;
        t.secondTmpStartPos = 8 + once * h;
        t.loopRound = 1;
        t.inputTailSize = (m - once) * h;
        t.meanVarRoundSize = t.meanVarTailPos = t.aCurLength = once;
        t.meanVarTailSize = m - once;
        t.rValueBack = 1.0f / h;
        LayerNorm<float, float>(dst, f[16384], f[16400], src, src, src[h], 1e-5f, tmp, {m, h, h},
                                t);
        """,
        ROWS_OF
        + """
        constexpr uint32_t m = 6, h = 72, once = 4;
        auto mean = f[16384];
        auto rstd = f[16400];
        auto a = f[8];
        auto b = a[once * h];
        const auto sum = [](auto all, auto first, auto x, uint32_t k) {
            for (uint32_t i = 0; i < k; ++i) {
                STEP(Add(x[i * h], x[i * h + 64], x[i * h], 8, 1, {1, 1, 1, 0, 8, 0}));
            }
            WholeReduceSum(all, x, 64, k, 1, 1, h / 8);
            STEP(WholeReduceSum(first, x, 64, k, h, 1, h / 8));
        };
        for (uint32_t at = 0; at < m; at += once) {
            const uint32_t k = m - at < once ? m - at : once;
            STEP(DataCopy(a, src[at * h], k * h));
            STEP(Muls(a, a, 1.0f / h, k * h));
            sum(mean[at], b, a, k);
            wait();
            STEP(DataCopy(a, src[at * h], k * h));
            for (uint32_t j = 0; j < k; ++j) {
                const float value = -mean.GetValue(at + j);
                SetFlag<HardEvent::S_V>(EVENT_ID7);
                WaitFlag<HardEvent::S_V>(EVENT_ID7);
                Adds(a[j * h], a[j * h], value, h);
            }
            PipeBarrier<PIPE_V>();
            STEP(Mul(a, a, a, k * h));
            STEP(Muls(a, a, 1.0f / h, k * h));
            sum(f[at], b, a, k);
            PipeBarrier<PIPE_V>();
        }
        auto c = a[m * h];
        STEP(Adds(rstd, f, 1e-5f, m));
        STEP(Duplicate(a, 1.0f, m));
        STEP(Sqrt(rstd, rstd, m));
        STEP(Div(rstd, a, rstd, m));
        STEP(Adds(a, src, 0.0f, m * h));
        wait();
        spread(c, mean, m, h);
        STEP(Sub(a, a, c, m * h));
        spread(c, rstd, m, h);
        STEP(Mul(a, a, c, m * h));
        for (uint32_t j = 0; j < m; ++j) {
            STEP(Mul(a[j * h], a[j * h], src, h));
            STEP(Add(a[j * h], a[j * h], src[h], h));
        }
        STEP(Adds(dst, a, 0.0f, m * h));
        """,
    ),
    "batch_norm": (
        *("half", 384, 98304),
        """
        constexpr uint32_t b = 4, h = 96, once = 64;
        BatchNormTiling t{};
        t.originalBLength = b;
        t.meanVarSize = t.varianceTmpTensorPos = h;
        t.oneTmpSize = t.bshCurLength = once * b;
        t.firstTmpStartPos = 2 * h;
        t.secondTmpStartPos = 2 * h + once * b;
        t.thirdTmpStartPos = 2 * h + 2 * once * b;
        t.tmpBufSize = 2 * h + 3 * once * b;
        t.loopRound = 1;
        t.inputTailSize = (h - once) * b;
        t.meanVarTailSize = h - once;
        t.shCurLength = t.inputTailPos = t.meanVarTailPos = once;
        t.firstDimValueBack = 1.0f / b;
        t.castHalfRepStride = 4;
        t.shCurLengthBlockNum = once / 8;
        t.castHalfOutRepStride = h / 16;
        auto stats = f[16384].template ReinterpretCast<half>();
        BatchNorm<half>(dst, stats, stats[128], src, src, src[16], tmp, half(0.01f), t);
        """,
        TO_SCALAR
        + """
        constexpr uint32_t m = 4, h = 96, once = 64;
        auto stats = f[16384].template ReinterpretCast<half>();
        auto a = f[2 * h];
        auto b = a[once * m];
        auto c = b[once * m];
        for (uint32_t at = 0; at < h; at += once) {
            const uint32_t k = h - at < once ? h - at : once;
            const auto average = [&](auto to, auto from) {
                STEP(DataCopy(to, from, k));
                for (uint32_t i = 1; i < m; ++i) {
                    STEP(Add(to, to, from[i * k], k));
                }
                PipeBarrier<PIPE_V>();
            };
            const auto spread = [&](auto from) {
                Cast(a, from, RoundMode::CAST_NONE, m);
                wait();
                for (uint32_t i = 0; i < m; ++i) {
                    Duplicate(b[i * k], a.GetValue(i), k);
                }
                PipeBarrier<PIPE_V>();
            };
            for (uint32_t i = 0; i < m; ++i) {
                Cast(a[i * k], src[i * h + at], RoundMode::CAST_NONE, k);
            }
            PipeBarrier<PIPE_V>();
            for (uint32_t i = 0; i < m; ++i) {
                Muls(c[i * k], a[i * k], 1.0f / m, k);
            }
            PipeBarrier<PIPE_V>();
            average(f[at], c);
            STEP(Cast(stats[at], f[at], RoundMode::CAST_NONE, k));
            for (uint32_t i = 0; i < m; ++i) {
                Sub(c[i * k], a[i * k], f[at], k);
            }
            PipeBarrier<PIPE_V>();
            STEP(Mul(b, c, c, m * k));
            STEP(Muls(a, b, 1.0f / m, m * k));
            average(f[h + at], a);
            STEP(Cast(stats[128 + at], f[h + at], RoundMode::CAST_NONE, k));
            STEP(Adds(a, f[h + at], 0.01f, k));
            STEP(Ln(b, a, k));
            STEP(Muls(a, b, -0.5f, k));
            STEP(Exp(b, a, int32_t(k)));
            for (uint32_t i = 0; i < m; ++i) {
                Mul(c[i * k], c[i * k], b, k);
            }
            PipeBarrier<PIPE_V>();
            spread(src);
            STEP(Mul(c, b, c, m * k));
            spread(src[16]);
            PipeBarrier<PIPE_V>();
            for (uint32_t i = 0; i < m; ++i) {
                Add(b[i * k], b[i * k], c[i * k], k);
            }
            PipeBarrier<PIPE_V>();
            for (uint32_t i = 0; i < m; ++i) {
                Cast(dst[i * h + at], b[i * k], RoundMode::CAST_NONE, k);
            }
            PipeBarrier<PIPE_V>();
        }
        """,
    ),
    "welford_finalize": (
        *("float", 640, 1536),
        """
        WelfordFinalizePara para{};
        para.abLength = 320;
        para.headCount = 3;
        para.headCountLength = 200;
        para.tailCount = 2;
        para.tailCountLength = 120;
        para.rRec = 1.0f / 840;
        WelfordFinalize(dst, dst[8], src, src[320], tmp, para);
        """,
        """
        constexpr uint32_t total = 320, size = 128;
        constexpr float share = 1.0f / 840;
        auto variances = f[64];
        auto a = f[128];
        auto b = a[size];
        const auto sum = [](auto to, auto other, auto x, uint32_t k) {
            if (k > 64) {
                STEP(Add(x, x[64], x, 64, k / 64 - 1, {1, 1, 1, 0, 8, 0}));
            }
            WholeReduceSum(other, x, 64, 1, 1, 1, k / 8);
            STEP(WholeReduceSum(to, x, 64, 1, k, 1, k / 8));
            PipeBarrier<PIPE_V>();
        };
        for (uint32_t i = 0; i < 3; ++i) {
            const uint32_t at = i * size, k = total - at < size ? total - at : size;
            STEP(Muls(b, src[at], 2.0f, k));
            STEP(Muls(a, b, share, k));
            if (at < 200) {
                STEP(Muls(a, a, 1.5f, 200 - at < k ? 200 - at : k));
            }
            sum(f[i], b, a, k);
        }
        STEP(WholeReduceSum(f, f, 3, 1, 1, 1, 0));
        for (uint32_t i = 0; i < 3; ++i) {
            const uint32_t at = i * size, k = total - at < size ? total - at : size;
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
            STEP(Sub(b, src[at], a, k));
            STEP(Mul(a, b, b, k));
            STEP(Muls(b, a, 2.0f, k));
            if (at < 200) {
                STEP(Muls(b, b, 1.5f, 200 - at < k ? 200 - at : k));
            }
            STEP(Add(a, src[total + at], b, k));
            STEP(Muls(b, a, share, k));
            sum(variances[i], a, b, k);
        }
        STEP(WholeReduceSum(variances, variances, 3, 1, 1, 1, 0));
        Adds(dst, f, 0.0f, 1);
        STEP(Adds(dst[8], variances, 0.0f, 1));
        uint64_t rest[] = {254, 0};
        STEP(Duplicate(dst, 0.0f, rest, 1, 1, 8));
        STEP(Duplicate(dst[8], 0.0f, rest, 1, 1, 8));
        """,
    ),
}
