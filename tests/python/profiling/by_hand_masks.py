# SPDX-License-Identifier: Apache-2.0
"""Library calls for masks, broadcasts and AscendAntiQuant, in the format of by_hand.py."""

from __future__ import annotations

SELECT = """
        const auto select = [](auto to, auto bits, auto from, uint32_t c) {
            using E = typename decltype(to)::PrimType;
            SetMaskCount();
            SetVectorMask<E, MaskMode::COUNTER>(0, c);
            Select<E, uint8_t>(to, bits, from, 1, {1, 1, 1, 8, 8, 8});
            SetMaskNorm();
            ResetMask();
            PipeBarrier<PIPE_V>();
        };
"""
CALLS = {
    "adjust": (
        *("float", 512, 65536),
        """
        Duplicate(f, 1.0f, 64);
        PipeBarrier<PIPE_V>();
        Duplicate(f, 2.0f, 16);
        Adds(dst, src, 0.0f, n);
        PipeBarrier<PIPE_V>();
        AdjustSoftMaxRes<float, float>(dst, f, 0x40000000, 0.0f, {8, 64, 8, 64});
        """,
        """
        Duplicate(f, 1.0f, 64);
        PipeBarrier<PIPE_V>();
        Duplicate(f, 2.0f, 16);
        Adds(dst, src, 0.0f, n);
        PipeBarrier<PIPE_V>();
        SetFlag<HardEvent::V_S>(EVENT_ID7);
        WaitFlag<HardEvent::V_S>(EVENT_ID7);
        for (uint32_t i = 0; i < 8; ++i) {
            if (f.GetValue(8 * i) == 2.0f) {
                Duplicate(dst[64 * i], 0.0f, 64);
            }
        }
        """,
    ),
    "antiquant": (
        *("half", 2048, 8192),
        """
        auto x = src.template ReinterpretCast<int8_t>();
        x.SetSize(1280);
        AscendAntiQuant<int8_t, half, false>(dst, x, src[1024], src[1536], tmp, 8,
                                             {1, 160, 1, 160});
        """,
        """
        auto x = src.template ReinterpretCast<int8_t>();
        STEP(Cast(dst, x, RoundMode::CAST_NONE, 1280));
        STEP(Add(dst, dst, src[1024], 128, 8, {1, 1, 1, 10, 10, 0}));
        STEP(Mul(dst, dst, src[1536], 128, 8, {1, 1, 1, 10, 10, 0}));
        STEP(Add(dst[128], dst[128], src[1152], 32, 8, {1, 1, 1, 10, 10, 0}));
        STEP(Mul(dst[128], dst[128], src[1664], 32, 8, {1, 1, 1, 10, 10, 0}));
        """,
    ),
    "antiquant_columns": (
        *("half", 2048, 8192),
        """
        auto x = src.template ReinterpretCast<int8_t>();
        x.SetSize(2048);
        AscendAntiQuant<int8_t, half, true>(dst, x, src[1536], src[1792], tmp, 128,
                                            {16, 1, 16, 1});
        """,
        """
        constexpr uint32_t m = 16, k = 128;
        auto x = src.template ReinterpretCast<int8_t>();
        auto a = tmp.template ReinterpretCast<half>();
        auto b = a[16 * m];
        STEP(Cast(dst, x, RoundMode::CAST_NONE, m * k));
        STEP(Brcb(a, src[1792], m / 8, {1, 8}));
        STEP(Brcb(b, src[1536], m / 8, {1, 8}));
        STEP(Add(dst, dst, b, 128, m, {1, 1, 0, 8, 8, 1}));
        STEP(Mul(dst, dst, a, 128, m, {1, 1, 0, 8, 8, 1}));
        """,
    ),
    "broadcast_columns": (
        *("float", 1024, 256),
        """
        const uint32_t to[] = {16, 64};
        const uint32_t from[] = {16, 1};
        BroadCast<float, 2, 1>(dst, src, to, from, tmp);
        """,
        """
        const uint64_t mask[2] = {64, 0};
        for (uint32_t i = 0; i < 16; i += 8) {
            STEP(Brcb(f, src[i], 1, {1, 8}));
            SetMaskCount();
            Copy(dst[64 * i], f, mask, 8, {1, 0, 8, 1});
            SetMaskNorm();
            ResetMask();
            PipeBarrier<PIPE_V>();
        }
        """,
    ),
    "broadcast_one": (
        *("float", 1024, 256),
        """
        const uint32_t to[] = {16, 64};
        const uint32_t from[] = {1, 1};
        BroadCast<float, 2, 1>(dst, src, to, from, tmp);
        """,
        """
        SetFlag<HardEvent::V_S>(EVENT_ID7);
        WaitFlag<HardEvent::V_S>(EVENT_ID7);
        const float x = src.GetValue(0);
        SetFlag<HardEvent::S_V>(EVENT_ID7);
        WaitFlag<HardEvent::S_V>(EVENT_ID7);
        STEP(Duplicate(dst, x, n));
        """,
    ),
    "broadcast_rows": (
        *("half", 768, 256),
        """
        const uint32_t to[] = {12, 64};
        const uint32_t from[] = {1, 64};
        BroadCast<half, 2, 0>(dst, src, to, from, tmp);
        """,
        """
        auto none = tmp.template ReinterpretCast<uint16_t>();
        auto x = src.template ReinterpretCast<uint16_t>();
        auto y = dst.template ReinterpretCast<uint16_t>();
        STEP(Duplicate(none, uint16_t(0), 16));
        Or(y, x, none, 128, 4, {4, 0, 0, 1, 1, 0});
        STEP(Or(y[512], x, none, 64, 4, {4, 0, 0, 1, 1, 0}));
        """,
    ),
    "dropout": (
        *("float", 1024, 2048),
        """
        auto kept = src[512].template ReinterpretCast<uint8_t>();
        DropOut<float>(dst, src, kept, tmp, 0.5f, {1, 512, 512});
        """,
        """
        auto kept = src[512].template ReinterpretCast<uint8_t>();
        auto x = tmp.template ReinterpretCast<half>();
        auto y = f[160];
        for (uint32_t at = 0; at < 512; at += 320) {
            const uint32_t c = at == 0 ? 320 : 192;
            STEP(Cast(x, kept[at], RoundMode::CAST_NONE, c));
            STEP(Cast(y, x, RoundMode::CAST_NONE, c));
            STEP(Mul(dst[at], y, src[at], c));
            STEP(Muls(dst[at], dst[at], 2.0f, c));
        }
        """,
    ),
    "dropout_bits": (
        *("half", 2048, 2048),
        """
        auto kept = src[1024].template ReinterpretCast<uint8_t>();
        DropOut<half>(dst, src, kept, tmp, 0.5f, {1, 1024, 128});
        """,
        SELECT
        + """
        auto kept = src[1024].template ReinterpretCast<uint8_t>();
        auto none = tmp.template ReinterpretCast<int16_t>();
        STEP(Muls(none, none, int16_t(0), 128));
        STEP(SetCmpMask(none));
        select(dst, kept, src, 1024);
        STEP(Muls(dst, dst, half(2.0f), 1024));
        """,
    ),
    "xor_sum": (
        *("half", 1024, 8192),
        """
        auto x = src.template ReinterpretCast<int16_t>();
        auto y = dst.template ReinterpretCast<int16_t>();
        ReduceXorSum(y, x, x[512], tmp, 512);
        """,
        """
        auto x = src.template ReinterpretCast<int16_t>();
        auto y = dst.template ReinterpretCast<int16_t>();
        auto a = tmp.template ReinterpretCast<int16_t>();
        auto b = a[1344];
        And(a, x, x[512], 512);
        STEP(Or(b, x, x[512], 512));
        STEP(Not(a, a, 512));
        STEP(And(b, a, b, 512));
        STEP(Cast(f, b, RoundMode::CAST_NONE, 512));
        STEP(ReduceSum(f, f, f[1344], 512));
        STEP(Cast(y, f, RoundMode::CAST_ROUND, 1));
        """,
    ),
    "select_bytes": (
        *("half", 2048, 1280),
        """
        auto x = src;
        auto kept = src[1024].template ReinterpretCast<uint8_t>();
        x.SetSize(1024);
        kept.SetSize(1024);
        SelectWithBytesMaskShapeInfo info;
        info.firstAxis = 1;
        info.srcLastAxis = info.maskLastAxis = 1024;
        SelectWithBytesMask(dst, x, half(2.0f), kept, tmp, info);
        """,
        SELECT
        + """
        auto kept = src[1024].template ReinterpretCast<uint8_t>();
        auto x = tmp.template ReinterpretCast<half>();
        STEP(Duplicate(x, half(2.0f), 128));
        STEP(SetCmpMask(x));
        for (uint32_t at = 0; at < 1024; at += 512) {
            STEP(Cast(x, kept[at], RoundMode::CAST_NONE, 512));
            STEP(CompareScalar(tmp, x, half(0.0f), CMPMODE::EQ, 512));
            select(dst[at], tmp, src[at], 512);
        }
        """,
    ),
}
WROTE = {
    "antiquant": 1280,
    "dropout": 512,
    "dropout_bits": 1024,
    "select_bytes": 1024,
    "xor_sum": 1,
}
