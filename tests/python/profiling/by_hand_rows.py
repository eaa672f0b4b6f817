# SPDX-License-Identifier: Apache-2.0
"""Library calls that compute on rows, in the format of by_hand.py."""

from __future__ import annotations

#: Computes the softmax of rows of 64 half into f, and the maxima and sums into high and low.
SOFTMAX_OF_HALVES = """
        auto kept = f[m * k];
        auto a = kept[m * dk];
        const auto spread = [&] {
            Brcb(a, kept, m / 8, {2, 16});
            STEP(Brcb(a[8], kept, m / 8, {2, 16}));
            STEP(Copy(kept, a, 64, m * dk / 64, {1, 1, 8, 8}));
        };
        PipeBarrier<PIPE_V>();
        STEP(Cast(f, src, RoundMode::CAST_NONE, m * k));
        STEP(Copy(a, f, 64, m, {1, 1, 8, 8}));
        STEP(BlockReduceMax(a, a, m, 64, 1, 1, 8));
        STEP(BlockReduceMax(kept, a, m / 8, 64, 1, 1, 8));
        spread();
        STEP(Cast(high, kept, RoundMode::CAST_NONE, m * dk));
        for (uint32_t j = 0; j < 8; ++j) {
            Sub(f[8 * j], f[8 * j], kept, 64, m / 8, {8, 8, 2, 64, 64, 16});
        }
        PipeBarrier<PIPE_V>();
        STEP(Exp(f, f, int32_t(m * k)));
        STEP(Copy(a, f, 64, m, {1, 1, 8, 8}));
        STEP(BlockReduceSum(a, a, m, 64, 1, 1, 8));
        STEP(BlockReduceSum(kept, a, m / 8, 64, 1, 1, 8));
        spread();
        STEP(Cast(low, kept, RoundMode::CAST_NONE, m * dk));
        for (uint32_t j = 0; j < 8; ++j) {
            Div(f[8 * j], f[8 * j], kept, 64, m / 8, {8, 8, 2, 64, 64, 16});
        }
        PipeBarrier<PIPE_V>();
"""

CALLS = {
    "softmax": (
        *("float", 3072, 98304),
        """
        constexpr uint32_t m = 16, k = 192;
        auto high = f[16384];
        auto low = f[16512];
        SoftMaxTiling tiling{};
        SoftMax<float>(dst, low, high, src, tmp, tiling, {m, k, m, k});
        """,
        """
        constexpr uint32_t m = 16, k = 192;
        auto high = f[16384];
        auto low = f[16512];
        PipeBarrier<PIPE_V>();
        STEP(Max(f, src, src[64], 64, m, {1, 1, 1, 8, 24, 24}));
        STEP(Max(f, f, src[128], 64, m, {1, 1, 1, 8, 8, 24}));
        STEP(BlockReduceMax(f, f, m, 64, 1, 1, 8));
        STEP(BlockReduceMax(high, f, m / 8, 64, 1, 1, 8));
        STEP(Brcb(f, high, m / 8, {1, 8}));
        STEP(Copy(high, f, 64, m / 8, {1, 1, 8, 8}));
        for (uint32_t j = 0; j < m; ++j) {
            Sub(dst[j * k], src[j * k], high[j * 8], 64, 3, {1, 1, 0, 8, 8, 0});
        }
        PipeBarrier<PIPE_V>();
        STEP(Exp(dst, dst, int32_t(m * k)));
        STEP(Add(f, dst, dst[64], 64, m, {1, 1, 1, 8, 24, 24}));
        STEP(Add(f, f, dst[128], 64, m, {1, 1, 1, 8, 8, 24}));
        STEP(BlockReduceSum(f, f, m, 64, 1, 1, 8));
        STEP(BlockReduceSum(low, f, m / 8, 64, 1, 1, 8));
        STEP(Brcb(f, low, m / 8, {1, 8}));
        STEP(Copy(low, f, 64, m / 8, {1, 1, 8, 8}));
        for (uint32_t j = 0; j < m; ++j) {
            Div(dst[j * k], dst[j * k], low[j * 8], 64, 3, {1, 1, 0, 8, 8, 0});
        }
        """,
    ),
    "softmax_halves": (
        *("half", 2048, 98304),
        """
        constexpr uint32_t m = 32, k = 64;
        auto high = f[16384].template ReinterpretCast<half>();
        auto low = f[16640].template ReinterpretCast<half>();
        SoftMaxTiling tiling{};
        SoftMax<half>(dst, low, high, src, tmp, tiling, {m, k, m, k});
        """,
        """
        constexpr uint32_t m = 32, k = 64, dk = 16;
        auto high = f[16384].template ReinterpretCast<half>();
        auto low = f[16640].template ReinterpretCast<half>();
        """
        + SOFTMAX_OF_HALVES
        + """
        Cast(dst, f, RoundMode::CAST_NONE, m * k);
        """,
    ),
    "softmax_tiles": (
        *("half", 4096, 98304),
        """
        constexpr uint32_t m = 32, k = 128;
        auto high = f[16384];
        auto low = f[17408];
        SoftMaxTiling tiling{};
        SoftMax<half, false, true>(dst, low, high, src, tmp, tiling, {m, k, m, k});
        """,
        """
        constexpr uint32_t m = 32, k = 128;
        auto high = f[16384];
        auto low = f[17408];
        auto a = f[m * k];
        auto b = a[m * 64];
        PipeBarrier<PIPE_V>();
        STEP(Cast(f, src, RoundMode::CAST_NONE, m * k));
        Max(a, f, f[64], 64, m, {1, 1, 1, 8, 16, 16});
        PipeBarrier<PIPE_V>();
        STEP(BlockReduceMax(a, a, m, 64, 1, 1, 8));
        STEP(BlockReduceMax(b, a, m / 8, 64, 1, 1, 8));
        STEP(Brcb(high, b, m / 8, {1, 8}));
        for (uint32_t j = 0; j < 2; ++j) {
            Sub(f[64 * j], f[64 * j], high, 64, m, {1, 1, 0, 16, 16, 1});
        }
        PipeBarrier<PIPE_V>();
        STEP(Exp(f, f, int32_t(m * k)));
        Add(a, f, f[64], 64, m, {1, 1, 1, 8, 16, 16});
        PipeBarrier<PIPE_V>();
        STEP(BlockReduceSum(a, a, m, 64, 1, 1, 8));
        STEP(BlockReduceSum(b, a, m / 8, 64, 1, 1, 8));
        STEP(Brcb(low, b, m / 8, {1, 8}));
        for (uint32_t j = 0; j < 2; ++j) {
            Div(f[64 * j], f[64 * j], low, 64, m, {1, 1, 0, 16, 16, 1});
        }
        PipeBarrier<PIPE_V>();
        Cast(dst, f, RoundMode::CAST_NONE, m * k);
        """,
    ),
    "rms_norm": (
        *("float", 2048, 65536),
        """
        constexpr uint32_t m = 8, h = 256;
        RmsNormTiling t{};
        t.bLength = 1;
        t.sLength = t.mainBsLength = t.mainBsLengthAlign = m;
        t.hLength = t.originalHLength = h;
        t.reciprocalOfHLength = 1.0f / h;
        t.mainBshLength = t.inputTailPos = m * h;
        t.loopRound = 1;
        RmsNorm<float>(dst, src, src[m * h - h], tmp, 1e-5f, t);
        """,
        """
        constexpr uint32_t m = 8, h = 256;
        auto y = f[m];
        STEP(Mul(y, src, src, m * h));
        for (uint32_t i = 0; i < m; ++i) {
            STEP(RepeatReduceSum(y[i * h], y[i * h], 4, 64, 0, 1, 1, 8));
            STEP(RepeatReduceSum(f[i], y[i * h], 1, 4, 0, 1, 1, 8));
        }
        STEP(Muls(f, f, 1.0f / h, m));
        STEP(Adds(f, f, 1e-5f, m));
        STEP(Ln(f, f, m));
        STEP(Muls(f, f, -0.5f, m));
        STEP(Exp(f, f, int32_t(m)));
        SetFlag<HardEvent::V_S>(EVENT_ID7);
        WaitFlag<HardEvent::V_S>(EVENT_ID7);
        for (uint32_t i = 0; i < m; ++i) {
            Muls(y[i * h], src[i * h], f.GetValue(i), h);
        }
        PipeBarrier<PIPE_V>();
        auto gamma = src[m * h - h];
        for (uint32_t i = 0; i < 4; ++i) {
            Mul(dst[64 * i], y[64 * i], gamma[64 * i], 64, m, {1, 1, 1, 32, 32, 0});
        }
        PipeBarrier<PIPE_V>();
        """,
    ),
    "layer_norm": (
        *("float", 2048, 98304),
        """
        constexpr uint32_t m = 8, h = 256;
        LayerNormTiling t{};
        t.bLength = 1;
        t.sLength = t.meanVarSize = t.meanVarRoundSize = t.bsCurLength = t.meanVarTailPos = m;
        t.hLength = t.originalHLength = h;
        t.inputXSize = t.oneTmpSize = t.inputRoundSize = t.inputTailPos = t.bshCurLength = m * h;
        t.tmpBufSize = 3 * m * h;
        t.numberOfTmpBuf = 3;
        t.secondTmpStartPos = m * h;
        t.thirdTmpStartPos = 2 * m * h;
        t.loopRound = 1;
        t.lastDimValueBack = 1.0f / h;
        auto mean = f[16384];
        auto variance = f[16400];
        LayerNorm<float>(dst, mean, variance, src, src, src[h], tmp, 1e-5f, t);
        """,
        """
        constexpr uint32_t m = 8, h = 256, one = m * h;
        auto mean = f[16384];
        auto variance = f[16400];
        auto b = f[one];
        auto c = f[2 * one];
        const auto sum = [](auto all, auto first, auto x) {
            for (uint32_t i = 0; i < m; ++i) {
                STEP(Add(x[i * h], x[i * h + 64], x[i * h], 64, 3, {1, 1, 1, 0, 8, 0}));
            }
            WholeReduceSum(all, x, 64, m, 1, 1, h / 8);
            STEP(WholeReduceSum(first, x, 64, m, h, 1, h / 8));
        };
        const auto fill = [](auto to, auto from) {
            auto none = from.template ReinterpretCast<int16_t>();
            auto mask = from.template ReinterpretCast<uint8_t>();
            for (uint32_t i = 0; i < m; ++i) {
                STEP(SetCmpMask(from[i * h]));
                if (i == 0) {
                    STEP(Muls(none, none, int16_t(0), h));
                }
                SetMaskCount();
                SetVectorMask<float, MaskMode::COUNTER>(0, h);
                STEP((Select<float, uint8_t>(to[i * h], mask, to, 1, {1, 1, 1, 8, 8, 8})));
                SetMaskNorm();
                ResetMask();
            }
        };
        STEP(Muls(c, src, 1.0f / h, one));
        sum(mean, b, c);
        fill(c, b);
        STEP(Sub(b, src, c, one));
        STEP(Mul(c, b, b, one));
        STEP(Muls(f, c, 1.0f / h, one));
        sum(variance, c, f);
        fill(f, c);
        STEP(Adds(c, f, 1e-5f, one));
        STEP(Sqrt(f, c, one));
        STEP(Duplicate(c, 1.0f, 8));
        STEP(Div(f, c, f, 64, one / 64, {1, 0, 1, 8, 0, 8}));
        STEP(Mul(c, f, b, one));
        for (uint32_t i = 0; i < m; ++i) {
            Mul(f[i * h], c[i * h], src, h);
        }
        PipeBarrier<PIPE_V>();
        for (uint32_t i = 0; i < m; ++i) {
            Add(dst[i * h], f[i * h], src[h], h);
        }
        PipeBarrier<PIPE_V>();
        """,
    ),
    "flash": (
        *("float", 1024, 98304),
        """
        constexpr uint32_t m = 16, k = 64, c = m * 8;
        auto s = f[16384];
        Duplicate(s, 1.0f, 5 * c);
        PipeBarrier<PIPE_V>();
        SoftMaxTiling tiling{};
        SoftmaxFlashV2<float, true>(
            dst, s, s[c], src, s[2 * c], s[3 * c], s[4 * c], tmp, tiling, {m, k, m, k});
        """,
        """
        constexpr uint32_t m = 16, k = 64, c = m * 8;
        auto s = f[16384];
        Duplicate(s, 1.0f, 5 * c);
        PipeBarrier<PIPE_V>();
        auto a = f[c];
        PipeBarrier<PIPE_V>();
        STEP(Copy(a, src, 64, m, {1, 1, 8, 8}));
        STEP(BlockReduceMax(a, a, m, 64, 1, 1, 8));
        STEP(BlockReduceMax(f, a, m / 8, 64, 1, 1, 8));
        STEP(Brcb(a, f, m / 8, {1, 8}));
        STEP(Copy(f, a, 64, c / 64, {1, 1, 8, 8}));
        STEP(Max(f, s[4 * c], f, c));
        STEP(Sub(a, s[4 * c], f, c));
        Exp(s[2 * c], a, int32_t(c));
        for (uint32_t j = 0; j < 8; ++j) {
            Sub(dst[8 * j], src[8 * j], f, 64, m / 8, {8, 8, 1, 64, 64, 8});
        }
        PipeBarrier<PIPE_V>();
        Exp(dst, dst, int32_t(m * k));
        STEP(DataCopy(s[c], f, c));
        STEP(Copy(a, dst, 64, m, {1, 1, 8, 8}));
        STEP(BlockReduceSum(a, a, m, 64, 1, 1, 8));
        STEP(BlockReduceSum(f, a, m / 8, 64, 1, 1, 8));
        STEP(Brcb(a, f, m / 8, {1, 8}));
        Copy(f, a, 64, c / 64, {1, 1, 8, 8});
        STEP(Mul(s, s[2 * c], s[3 * c], c));
        Add(s, s, f, c);
        """,
    ),
    "quant": (
        *("half", 2048, 8192),
        """
        AscendQuant(dst.template ReinterpretCast<int8_t>(), src, tmp, src[512], src[1024], 512, 512,
                    1024);
        """,
        """
        auto y = tmp.template ReinterpretCast<half>();
        auto to = dst.template ReinterpretCast<int8_t>();
        for (uint32_t i = 0; i < 1024; i += 512) {
            STEP(Mul(y, src[i], src[512], 512));
            STEP(Add(y, y, src[1024], 512));
            STEP(Cast(to[i], y, RoundMode::CAST_NONE, 512));
        }
        """,
    ),
    "fmod": (
        *("half", 512, 65536, "Fmod(dst, src, src[256], tmp, 256);"),
        """
        constexpr uint32_t c = 256, size = 4096;
        auto a = f[size];
        auto b = f[2 * size];
        PipeBarrier<PIPE_V>();
        Cast(a, src, RoundMode::CAST_NONE, c);
        STEP(Cast(b, src[256], RoundMode::CAST_NONE, c));
        STEP(Div(f, a, b, c));
        STEP(Cast(f, f, RoundMode::CAST_TRUNC, c));
        STEP(Mul(f, f, b, c));
        STEP(Sub(f, a, f, c));
        STEP(Cast(dst, f, RoundMode::CAST_NONE, c));
        """,
    ),
    "sum": (
        *("float", 1024, 4096, "Sum(dst, src, tmp, {4, 256, 256});"),
        """
        for (uint32_t i = 0; i < 4; ++i) {
            STEP(RepeatReduceSum(f, src[i * 256], 4, 64, 0, 1, 1, 8));
            STEP(RepeatReduceSum(dst[i], f, 1, 4, 0, 1, 1, 8));
        }
        """,
    ),
}
