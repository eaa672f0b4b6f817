# SPDX-License-Identifier: Apache-2.0
"""Library calls for parts, logarithm and gradient of softmax, in the format of by_hand.py."""

from __future__ import annotations

from .by_hand_rows import SOFTMAX_OF_HALVES

#: Computes the sum or maximum of each of m rows of k floats, and repeats each result dk times.
FOLD = """
        const auto fold@OP = [](auto to, auto x, auto rest, uint32_t m, uint32_t k,
                                   uint32_t dk) {
            const uint32_t tail = k % 64;
            if (k >= 64) {
                STEP(BlockReduce@OP(to, x, m, 64, 1, 1, k / 8));
                STEP(DataCopy(rest, to, 8 * m));
                for (uint32_t i = 1; i < k / 64; ++i) {
                    STEP(BlockReduce@OP(to, x[64 * i], m, 64, 1, 1, k / 8));
                    STEP(@BOTH(rest, rest, to, 8 * m));
                }
                SetMaskCount();
                SetVectorMask<float, MaskMode::COUNTER>(0, 8 * m);
                BlockReduce@OP<float, false>(rest, rest, 1, MASK_PLACEHOLDER, 1, 1, 8);
                SetMaskNorm();
                ResetMask();
            }
            if (tail != 0) {
                STEP(WholeReduce@OP(to, x[k - tail], tail, m, 1, 1, k / 8@ORDER));
                if (k < 64) {
                    DataCopy(rest, to, 8 * m);
                } else {
                    @BOTH(rest, rest, to, 8 * m);
                }
            }
            PipeBarrier<PIPE_V>();
            const uint8_t tiles = m / 8;
            if (tiles > 0) {
                Brcb(to, rest, tiles, {uint16_t(dk / 8), uint16_t(dk)});
            }
            if (tiles > 0 && dk == 16) {
                Brcb(to[8], rest, tiles, {2, 16});
            }
            if (m % 8 != 0) {
                SetFlag<HardEvent::V_S>(EVENT_ID7);
                WaitFlag<HardEvent::V_S>(EVENT_ID7);
                float values[8];
                for (uint32_t i = 0; i < m % 8; ++i) {
                    values[i] = rest.GetValue(8 * tiles + i);
                }
                SetFlag<HardEvent::S_V>(EVENT_ID7);
                WaitFlag<HardEvent::S_V>(EVENT_ID7);
                for (uint32_t i = 0; i < m % 8; ++i) {
                    Duplicate(to[(8 * tiles + i) * dk], values[i], dk);
                }
            }
            PipeBarrier<PIPE_V>();
        };
"""


def folded(op: str, both: str) -> str:
    order = ", ReduceOrder::ORDER_ONLY_VALUE" if op == "Max" else ""
    return FOLD.replace("@OP", op).replace("@BOTH", both).replace("@ORDER", order)


SPREAD = """
        const auto spread = [](auto to, auto from, uint32_t m, uint32_t k, uint32_t dk) {
            const uint64_t mask[2] = {8 * m, 0};
            SetMaskCount();
            Copy(to, from, mask, k / 8, {uint16_t(k / 8), uint16_t(dk / 8), 1, 0});
            SetMaskNorm();
            ResetMask();
            PipeBarrier<PIPE_V>();
        };
"""
SUMS = folded("Sum", "Add")
MAXIMA = folded("Max", "Max")
CALLS = {
    "gradient_front": (
        *("float", 1728, 65536),
        """
        constexpr uint32_t m = 12, k = 72;
        SoftMaxTiling tiling{};
        SoftmaxGradFront<float>(dst, src[m * k], src, tmp, tiling, {m, k, m, k});
        """,
        SUMS
        + """
        constexpr uint32_t m = 12, k = 72;
        STEP(Mul(f, src, src[m * k], m * k));
        foldSum(dst, f, f[m * k], m, k, 8);
        """,
    ),
    "gradient_tiles": (
        *("half", 4096, 65536),
        """
        constexpr uint32_t m = 16, k = 128;
        SoftMaxTiling tiling{};
        SoftmaxGradFront<half, true>(dst, src[m * k], src, tmp, tiling, {m, k, m, k});
        """,
        """
        constexpr uint32_t m = 16, k = 128;
        auto y = f[m * k];
        auto z = y[m * k];
        auto a = z[m * k];
        Cast(f, src, RoundMode::CAST_NONE, m * k);
        STEP(Cast(y, src[m * k], RoundMode::CAST_NONE, m * k));
        STEP(Mul(z, f, y, m * k));
        STEP(Add(z, z, z[64], 64, m, {1, 1, 1, 16, 16, 16}));
        STEP(BlockReduceSum(z, z, m, 64, 1, 1, 16));
        STEP(BlockReduceSum(a, z, m / 8, 64, 1, 1, 8));
        Brcb(z, a, m / 8, {2, 16});
        STEP(Brcb(z[8], a, m / 8, {2, 16}));
        Cast(dst, z, RoundMode::CAST_NONE, m * 16);
        """,
    ),
    "gradient": (
        *("half", 2048, 8960),
        """
        constexpr uint32_t m = 16, k = 64;
        SoftMaxTiling tiling{};
        SoftmaxGrad<half>(dst, src[m * k], src, tmp, tiling, false, {m, k, m, k});
        """,
        SUMS
        + SPREAD
        + """
        constexpr uint32_t k = 64, once = 10;
        auto y = f[once * k];
        auto z = y[once * k];
        auto rest = z[once * k];
        auto all = rest[once * 16];
        for (uint32_t i = 0; i < 16; i += once) {
            const uint32_t m = i == 0 ? once : 6;
            Cast(f, src[i * k], RoundMode::CAST_NONE, m * k);
            STEP(Cast(y, src[(16 + i) * k], RoundMode::CAST_NONE, m * k));
            STEP(Mul(z, f, y, m * k));
            foldSum(all, z, rest, m, k, 16);
            spread(z, all, once, k, 16);
            STEP(Sub(z, y, z, m * k));
            STEP(Mul(z, z, f, m * k));
            Cast(dst[i * k], z, RoundMode::CAST_NONE, m * k);
        }
        """,
    ),
    "gradient_floats": (
        *("float", 1280, 65536),
        """
        constexpr uint32_t m = 16, k = 40;
        SoftMaxTiling tiling{};
        SoftmaxGrad<float>(dst, src[m * k], src, tmp, tiling, false, {m, k, m, k});
        """,
        SUMS
        + SPREAD
        + """
        constexpr uint32_t m = 16, k = 40;
        auto rest = f[m * k];
        auto all = rest[m * 8];
        STEP(Mul(f, src, src[m * k], m * k));
        foldSum(all, f, rest, m, k, 8);
        spread(f, all, m, k, 8);
        STEP(Sub(f, src[m * k], f, m * k));
        Mul(dst, src, f, m * k);
        """,
    ),
    "log_softmax": (
        *("half", 1024, 98304),
        """
        constexpr uint32_t m = 16, k = 64;
        auto s = f[16384].template ReinterpretCast<half>();
        auto low = s[m * 16];
        LogSoftMaxTiling tiling{};
        LogSoftMax<half>(dst, low, s, src, tmp, tiling, {m, k, m, k});
        """,
        """
        constexpr uint32_t m = 16, k = 64, dk = 16;
        auto high = f[16384].template ReinterpretCast<half>();
        auto low = high[m * 16];
        """
        + SOFTMAX_OF_HALVES
        + """
        for (uint32_t j = 0; j < 8; ++j) {
            STEP(Ln(f[8 * j], f[8 * j], 64, m / 8, {8, 8, 64, 64}));
            STEP(Muls(f[8 * j], f[8 * j], 0.4342944819f, 64, m / 8, {8, 8, 64, 64}));
        }
        Cast(dst, f, RoundMode::CAST_NONE, m * k);
        """,
    ),
    "flash_pieces": (
        *("float", 1024, 98304),
        """
        constexpr uint32_t m = 16, k = 64, c = m * 8;
        auto s = f[16384];
        Duplicate(s, 1.0f, 5 * c);
        PipeBarrier<PIPE_V>();
        SoftMaxTiling tiling{};
        SoftmaxFlash<float>(dst, s, s[c], src, s[2 * c], s[3 * c], s[4 * c], tmp, tiling, true,
                            {m, k, m, k});
        """,
        MAXIMA
        + SUMS
        + SPREAD
        + """
        constexpr uint32_t m = 16, k = 64, c = m * 8;
        auto s = f[16384];
        Duplicate(s, 1.0f, 5 * c);
        PipeBarrier<PIPE_V>();
        auto t = f[m * k];
        auto last = t[m * k];
        auto total = last[c];
        auto own = total[c];
        auto old = own[c];
        PipeBarrier<PIPE_V>();
        foldMax(own, src, total, m, k, 8);
        spread(t, own, m, k, 8);
        STEP(Sub(t, src, t, m * k));
        STEP(Exp(t, t, int32_t(m * k)));
        foldSum(total, t, last, m, k, 8);
        STEP(DataCopy(f, s[4 * c], c));
        STEP(Max(last, f, own, c));
        STEP(DataCopy(s[c], last, c));
        STEP(Sub(own, own, last, c));
        Exp(own, own, int32_t(c));
        STEP(Sub(f, f, last, c));
        Exp(f, f, int32_t(c));
        STEP(DataCopy(old, s[3 * c], c));
        Mul(f, f, old, c);
        STEP(Mul(total, own, total, c));
        STEP(Add(s, f, total, c));
        STEP(Div(s[2 * c], f, s, c));
        DataCopy(s, s, c);
        STEP(Div(own, own, s, c));
        spread(f, own, m, k, 8);
        STEP(Mul(dst, t, f, m * k));
        """,
    ),
    "flash_pieces_halves": (
        *("half", 1024, 98304),
        """
        constexpr uint32_t m = 16, k = 64, c = m * 8;
        auto s = f[16384];
        Duplicate(s, 1.0f, 5 * c);
        PipeBarrier<PIPE_V>();
        SoftMaxTiling tiling{};
        SoftmaxFlash<half>(dst, s, s[c], src, s[5 * c].template ReinterpretCast<half>(), s[3 * c],
                           s[4 * c], tmp, tiling, true, {m, k, m, k});
        """,
        MAXIMA
        + SUMS
        + SPREAD
        + """
        constexpr uint32_t m = 16, k = 64, c = m * 8;
        auto s = f[16384];
        Duplicate(s, 1.0f, 5 * c);
        PipeBarrier<PIPE_V>();
        auto grown = s[5 * c].template ReinterpretCast<half>();
        auto t = f[m * k];
        auto last = t[m * k];
        auto total = last[c];
        auto own = total[c];
        auto old = own[c];
        STEP(Cast(f, src, RoundMode::CAST_NONE, m * k));
        foldMax(own, f, total, m, k, 8);
        spread(t, own, m, k, 8);
        STEP(Sub(t, f, t, m * k));
        STEP(Exp(t, t, int32_t(m * k)));
        foldSum(total, t, last, m, k, 8);
        STEP(DataCopy(last, s[4 * c], c));
        STEP(Max(s[c], last, own, c));
        STEP(Sub(own, own, s[c], c));
        Exp(own, own, int32_t(c));
        STEP(Sub(last, last, s[c], c));
        Exp(last, last, int32_t(c));
        STEP(DataCopy(old, s[3 * c], c));
        Mul(last, last, old, c);
        STEP(Mul(total, own, total, c));
        STEP(Add(old, last, total, c));
        STEP(Div(last, last, old, c));
        DataCopy(s, old, c);
        spread(f, last, m, 16, 8);
        Cast(grown, f, RoundMode::CAST_NONE, 2 * c);
        STEP(Div(own, own, old, c));
        spread(f, own, m, k, 8);
        STEP(Mul(t, t, f, m * k));
        STEP(Cast(dst, t, RoundMode::CAST_NONE, m * k));
        """,
    ),
    "flash_pieces_rest": (
        *("half", 1024, 98304),
        """
        constexpr uint32_t m = 16, k = 64, c = m * 8;
        auto s = f[16384];
        Duplicate(s, 1.0f, 5 * c);
        PipeBarrier<PIPE_V>();
        tmp.SetSize(6400);
        SoftMaxTiling tiling{};
        SoftmaxFlash<half>(dst, s, s[c], src, s[5 * c].template ReinterpretCast<half>(), s[3 * c],
                           s[4 * c], tmp, tiling, true, {m, k, m, k});
        """,
        MAXIMA
        + SUMS
        + SPREAD
        + """
        constexpr uint32_t k = 64, once = 10;
        auto s = f[16384];
        Duplicate(s, 1.0f, 640);
        PipeBarrier<PIPE_V>();
        auto grown = s[640].template ReinterpretCast<half>();
        auto t = f[once * k];
        auto last = t[once * k];
        auto total = last[once * 8];
        auto own = total[once * 8];
        auto old = own[once * 8];
        for (uint32_t i = 0; i < 16; i += once) {
            const uint32_t m = i == 0 ? once : 6;
            const uint32_t c = 8 * m;
            auto low = s[8 * i];
            auto high = s[128 + 8 * i];
            if (i > 0) {
                PipeBarrier<PIPE_V>();
            }
            STEP(Cast(f, src[i * k], RoundMode::CAST_NONE, m * k));
            foldMax(own, f, total, once, k, 8);
            spread(t, own, once, k, 8);
            STEP(Sub(t, f, t, m * k));
            STEP(Exp(t, t, int32_t(m * k)));
            foldSum(total, t, last, once, k, 8);
            STEP(DataCopy(last, s[512 + 8 * i], c));
            STEP(Max(high, last, own, c));
            STEP(Sub(own, own, high, c));
            Exp(own, own, int32_t(c));
            STEP(Sub(last, last, high, c));
            Exp(last, last, int32_t(c));
            STEP(DataCopy(old, s[384 + 8 * i], c));
            Mul(last, last, old, c);
            STEP(Mul(total, own, total, c));
            STEP(Add(old, last, total, c));
            STEP(Div(last, last, old, c));
            if (i == 0) {
                DataCopy(low, old, c);
            }
            spread(f, last, once, 16, 8);
            Cast(grown[16 * i], f, RoundMode::CAST_NONE, 2 * c);
            if (i > 0) {
                DataCopy(low, old, c);
            }
            STEP(Div(own, own, old, c));
            spread(f, own, once, k, 8);
            STEP(Mul(t, t, f, m * k));
            Cast(dst[i * k], t, RoundMode::CAST_NONE, m * k);
        }
        """,
    ),
    "gradient_tiles_floats": (
        *("float", 2048, 65536),
        """
        constexpr uint32_t m = 16, k = 64;
        SoftMaxTiling tiling{};
        SoftmaxGradFront<float, true>(dst, src[m * k], src, tmp, tiling, {m, k, m, k});
        """,
        """
        constexpr uint32_t m = 16, k = 64;
        auto a = f[m * k];
        PipeBarrier<PIPE_V>();
        STEP(Mul(f, src, src[m * k], m * k));
        STEP(BlockReduceSum(f, f, m, 64, 1, 1, 8));
        STEP(BlockReduceSum(a, f, m / 8, 64, 1, 1, 8));
        Brcb(dst, a, m / 8, {1, 8});
        """,
    ),
}
WROTE = {
    "gradient": 1024,
    "gradient_floats": 640,
    "gradient_front": 96,
    "gradient_tiles": 256,
    "gradient_tiles_floats": 128,
}
