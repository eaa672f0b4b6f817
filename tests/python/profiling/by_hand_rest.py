# SPDX-License-Identifier: Apache-2.0
"""Library calls for powers, sums along columns and padding, in the format of by_hand.py."""

from __future__ import annotations

POWER = """
        const auto power = [&](auto to, auto x, auto y, auto a, uint32_t size, uint32_t c) {
            auto b = a[size];
            auto t = b[size];
            auto p = t[size].template ReinterpretCast<uint8_t>();
            auto q = p[size];
            auto r = q[size];
            auto whole = r[size];
            const uint8_t times = (c + 63) / 64;
            const auto wide = [](auto bits) { return bits.template ReinterpretCast<uint16_t>(); };
            const auto compare = [&](auto bits, auto of, auto value, CMPMODE mode) {
                SetMaskCount();
                SetVectorMask<float, MaskMode::COUNTER>(0, c);
                const UnaryRepeatParams each{1, 1, 8, 8};
                CompareScalar<decltype(value), uint8_t, false>(bits, of, value, mode,
                                                               MASK_PLACEHOLDER, times, each);
                SetMaskNorm();
                ResetMask();
            };
            const auto select = [&](auto into, auto bits, auto of, auto scalar) {
                STEP(SetCmpMask(scalar));
                SetMaskCount();
                SetVectorMask<float, MaskMode::COUNTER>(0, c);
                STEP((Select<float, uint8_t>(into, bits, of, 1, {1, 1, 1, 8, 8, 8})));
                SetMaskNorm();
                ResetMask();
            };
            const auto both = [&](auto into, auto one, auto other) {
                And(wide(into), wide(one), wide(other), (c + 15) / 16);
            };
            const auto either = [&](auto into, auto one, auto other) {
                Or(wide(into), wide(one), wide(other), (c + 15) / 16);
            };
            PipeBarrier<PIPE_V>();
            STEP(Abs(to, x, c));
            STEP(Ln(to, to, c));
            STEP(Mul(to, y, to, c));
            STEP(Exp(to, to, int32_t(c)));
            STEP(Abs(a, y, c));
            STEP(Cast(a, a, RoundMode::CAST_RINT, c));
            STEP(Muls(b, a, 0.5f, c));
            STEP(Cast(b, b, RoundMode::CAST_FLOOR, c));
            STEP(Muls(b, b, 2.0f, c));
            STEP(Sub(a, a, b, c));
            STEP(Muls(a, a, -2.0f, c));
            STEP(Adds(a, a, 1.0f, c));
            STEP(Cast(a, a, RoundMode::CAST_RINT, c));
            STEP(ShiftRight(b.template ReinterpretCast<uint32_t>(),
                            x.template ReinterpretCast<uint32_t>(), uint32_t(31), c));
            STEP(compare(p, b.template ReinterpretCast<int32_t>(), int32_t(1), CMPMODE::EQ));
            STEP(Abs(b, y, c));
            STEP(Cast(t, b, RoundMode::CAST_RINT, c));
            STEP(Sub(t, b, t, c));
            STEP(Abs(t, t, c));
            STEP(compare(whole, t, 1e-8f, CMPMODE::LT));
            STEP(both(p, whole, p));
            select(b, p, a, f);
            STEP(Mul(to, b, to, c));
            STEP(Abs(a, y, c));
            STEP(compare(p, a, 0.0f, CMPMODE::NE));
            STEP(compare(q, x, 1.0f, CMPMODE::NE));
            STEP(both(p, q, p));
            STEP(compare(q, x, -1.0f, CMPMODE::NE));
            STEP(compare(r, a, INFINITY, CMPMODE::NE));
            STEP(either(q, r, q));
            STEP(both(p, q, p));
            select(to, p, to, f);
            STEP(Abs(a, y, c));
            STEP(compare(p, a, INFINITY, CMPMODE::EQ));
            either(p, whole, p);
            compare(q, x, 0.0f, CMPMODE::GE);
            STEP(compare(r, x, -INFINITY, CMPMODE::EQ));
            STEP(either(q, r, q));
            STEP(either(p, q, p));
            select(to, p, to, f[8]);
        };
        Duplicate(f, 1.0f, 8);
        Duplicate(f[8], NAN, 8);
"""
CALLS = {
    "power": (
        *("float", 1024, 8448, "Power(dst, src, src, tmp, n);"),
        POWER
        + """
        constexpr uint32_t size = 512;
        for (uint32_t at = 0; at < n; at += size) {
            PipeBarrier<PIPE_V>();
            power(dst[at], src[at], src[at], f[64], size, size);
        }
        """,
    ),
    "power_of_number": (
        *("half", 256, 16640, "Power(dst, src, half(2.0f), tmp, n);"),
        POWER
        + """
        constexpr uint32_t size = 576;
        auto x = f[64];
        auto y = x[size];
        auto wide = y[size];
        Duplicate(y, 2.0f, size);
        STEP(Cast(x, src, RoundMode::CAST_NONE, n));
        power(wide, x, y, wide[size], size, n);
        STEP(Cast(dst, wide, RoundMode::CAST_NONE, n));
        """,
    ),
    "cumsum": (
        *("half", 1024, 8192),
        """
        auto last = dst[768];
        static constexpr CumSumConfig config{false, false, true};
        CumSum<half, config>(dst, last, src, tmp, {6, 128});
        """,
        """
        constexpr uint32_t rows = 6, h = 128;
        STEP(Cast(f, src, RoundMode::CAST_NONE, rows * h));
        for (uint32_t i = 1; i < rows; ++i) {
            STEP(Add(f[i * h], f[i * h - h], f[i * h], h));
        }
        STEP(Cast(dst, f, RoundMode::CAST_NONE, rows * h));
        STEP(Adds(dst[768], dst[640], half(0.0f), h));
        """,
    ),
    "pad": (
        *("half", 1280, 256),
        """
        PadParams params(0, 2, 3);
        PadTiling t;
        t.srcHeight = 40;
        t.srcWidth = 32;
        t.srcOriWidth = 30;
        Pad(dst, src, params, tmp, t);
        """,
        """
        STEP(DataCopy(dst, src, n));
        uint64_t last[] = {0xC000, 0};
        Duplicate(dst[16], half(3.0f), last, 40, 1, 2);
        """,
    ),
    "unpad": (
        *("float", 640, 256),
        """
        UnPadParams params(0, 3);
        UnPadTiling t;
        t.srcHeight = 40;
        t.srcWidth = 16;
        UnPad(dst, src, params, tmp, t);
        """,
        """
        uint64_t kept = 0;
        GatherMask(dst, src, 7, true, 13, {1, 40, 2, 0}, kept);
        ResetMask();
        """,
    ),
}
