# SPDX-License-Identifier: Apache-2.0
"""Library calls for mathematical functions and dequantisation, in the format of by_hand.py."""

from __future__ import annotations

SIGN_OF = """
        const auto sign = [&](auto to, auto from, auto rest, auto most, uint32_t c) {
            STEP(Muls(to, from, most, c));
            STEP(Abs(rest, to, c));
            STEP(Adds(rest, rest, decltype(most)(1.0f / (float)most), c));
            STEP(Div(to, to, rest, c));
        };
"""
CALLS = {
    "sign": (
        *("half", 3072, 8192, "Sign(dst, src, tmp, n);"),
        """
        constexpr uint32_t size = 1344, bits = 192;
        auto below = tmp;
        auto above = tmp[bits];
        auto ones = tmp[2 * bits].template ReinterpretCast<half>();
        auto first = ones[size];
        const BinaryRepeatParams each{1, 1, 1, 8, 8, 8};
        for (uint32_t at = 0; at < n; at += size) {
            const uint32_t c = n - at < size ? n - at : size;
            const uint8_t times = (c + 127) / 128;
            auto to = dst[at];
            STEP(Duplicate(to, half(0.0f), c));
            SetMaskCount();
            SetVectorMask<half, MaskMode::COUNTER>(0, c);
            Compare<half, uint8_t, false>(below, src[at], to, CMPMODE::LT, MASK_PLACEHOLDER,
                                          times, each);
            Compare<half, uint8_t, false>(above, src[at], to, CMPMODE::GT, MASK_PLACEHOLDER,
                                          times, each);
            STEP(Duplicate<half, false>(ones, half(1.0f), MASK_PLACEHOLDER, 1, 1, 8));
            SetCmpMask<half>(ones);
            STEP(Select<half, uint8_t>(first, below, to, 1, each));
            STEP(Duplicate<half, false>(ones, half(-1.0f), MASK_PLACEHOLDER, 1, 1, 8));
            SetCmpMask<half>(ones);
            STEP(Select<half, uint8_t>(to, above, to, 1, each));
            STEP(Add<half, false>(to, first, to, MASK_PLACEHOLDER, 1, each));
            SetMaskNorm();
            ResetMask();
        }
        """,
    ),
    "clamp": (
        *("float", 1152, 512, "ClampMax(dst, src, tmp, 0.5f, n);"),
        """
        const auto part = [&](uint32_t at, uint64_t mask, uint8_t times) {
            STEP(CompareScalar(tmp, src[at], 0.5f, CMPMODE::LT, mask, times, {1, 1, 8, 8}));
            STEP(Select(dst[at], tmp, src[at], 0.5f, SELMODE::VSEL_TENSOR_SCALAR_MODE, mask, times,
                        {1, 1, 1, 8, 8, 8}));
        };
        part(0, 64, 8);
        part(512, 64, 8);
        part(1024, 64, 2);
        """,
    ),
    "tan": (
        *("float", 2000, 16384, "Tan(dst, src, tmp, n);"),
        """
        constexpr uint32_t size = 1024;
        constexpr float by[] = {3.140625f, 0.000967025756835937f, 6.2771141529083251953125e-7f,
                                1.216449163621293e-10f, -1.0291767438275e-13f};
        for (uint32_t at = 0; at < n; at += size) {
            const uint32_t c = n - at < size ? n - at : size;
            const uint32_t each = (c + 31) / 32 * 32;
            auto to = dst[at];
            auto k = f;
            auto a = f[each];
            auto b = f[2 * each];
            auto x = f[3 * each];
            STEP(Adds(x, src[at], 0.0f, c));
            STEP(Muls(k, x, 0.3183098733425140380859375f, c));
            STEP(Cast(k, k, RoundMode::CAST_RINT, c));
            for (int i = 0; i < 5; ++i) {
                STEP(Muls(to, k, by[i], c));
                STEP(Sub(x, x, to, c));
                if (i == 1) {
                    STEP(Adds(a, x, 1.57079637050628662109375f, c));
                    STEP(Adds(b, x, -1.57079637050628662109375f, c));
                }
                if (i > 1) {
                    STEP(Sub(a, a, to, c));
                    STEP(Sub(b, b, to, c));
                }
                if (i == 2) {
                    STEP(Adds(a, a, -0.00000004371139000189375f, c));
                    STEP(Adds(b, b, 0.00000004371139000189375f, c));
                }
            }
            STEP(Mul(k, x, x, c));
            STEP(Muls(to, k, 0.0698520831551998762793f, c));
            STEP(Adds(to, to, -6.8711573651634203789f, c));
            STEP(Mul(to, to, k, c));
            STEP(Adds(to, to, 61.20362572811089435388f, c));
            STEP(Mul(to, to, x, c));
            STEP(Adds(k, k, -24.8048928861126769186219f, c));
            STEP(Mul(k, k, a, c));
            STEP(Mul(k, k, b, c));
            STEP(Div(to, to, k, c));
        }
        """,
    ),
    "asinh": (
        *("half", 1024, 16384, "Asinh(dst, src, tmp, n);"),
        SIGN_OF
        + """
        auto rest = f[1024];
        auto a = f[2048];
        STEP(Cast(f, src, RoundMode::CAST_NONE, n));
        STEP(Abs(f, f, n));
        STEP(Mul(a, f, f, n));
        STEP(Adds(a, a, 1.0f, n));
        STEP(Sqrt(a, a, n));
        STEP(Add(a, a, f, n));
        STEP(Ln(a, a, n));
        STEP(Cast(f, src, RoundMode::CAST_NONE, n));
        sign(f, f, rest, 4611686018427387904.0f, n);
        STEP(Mul(a, a, f, n));
        STEP(Cast(dst, a, RoundMode::CAST_NONE, n));
        """,
    ),
    "atanh": (
        *("float", 1000, 2048, "Atanh(dst, src[16], tmp, 984);"),
        """
        for (uint32_t at = 0; at < 984; at += 512) {
            const uint32_t c = 984 - at < 512 ? 984 - at : 512;
            STEP(Adds(f, src[16 + at], 1.0f, c));
            STEP(Muls(dst[at], src[16 + at], -1.0f, c));
            STEP(Adds(dst[at], dst[at], 1.0f, c));
            STEP(Div(dst[at], f, dst[at], c));
            STEP(Ln(dst[at], dst[at], c));
            STEP(Muls(dst[at], dst[at], 0.5f, c));
        }
        """,
    ),
    "dequant": (
        *("float", 2048, 16384),
        """
        auto x = src.template ReinterpretCast<int32_t>();
        AscendDequant(dst, x, src[1920], tmp, {16, 120, 120});
        """,
        """
        auto in = src.template ReinterpretCast<int32_t>();
        auto x = f[120];
        constexpr uint32_t m = 16, k = 120;
        STEP(Adds(f, src[1920], 0.0f, 120));
        STEP(Cast(x, in, RoundMode::CAST_NONE, m * k));
        Mul(x, x, f, 64, m, {1, 1, 1, 15, 15, 0});
        PipeBarrier<PIPE_V>();
        STEP(Mul(x[64], x[64], f[64], 56, m, {1, 1, 1, 15, 15, 0}));
        STEP(Adds(dst, x, 0.0f, m * k));
        """,
    ),
}
