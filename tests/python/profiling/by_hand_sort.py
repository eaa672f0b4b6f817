# SPDX-License-Identifier: Apache-2.0
"""Library calls that sort, in the format of by_hand.py. A pair is a value and its index."""

from __future__ import annotations

#: Indices and flags of rows that are not finished, for calls that take them as operands.
GIVEN = """
        auto given = f[8192].template ReinterpretCast<int32_t>();
        auto finish = f[10240].template ReinterpretCast<bool>();
        ArithProgression(given, int32_t(0), int32_t(1), %d);
        Duplicate(f[10240], 0.0f, 8);
        PipeBarrier<PIPE_ALL>();
"""
INFO = """
        TopKInfo info;
        info.outter = %d;
        info.inner = info.n = %d;
        LocalTensor<int32_t> none;
        LocalTensor<bool> no;
"""
CALLS = {
    "topk": (
        *("float", 320, 4096),
        INFO % (2, 160)
        + """
        const auto t = twin::sort::MakeTopkTiling({160, 2, 40, 4, false, false, true});
        TopK<float>(dst, dst[160].template ReinterpretCast<int32_t>(), src, none, no, tmp, 40, t,
                    info, true);
        """,
        """
        auto other = f[320];
        auto index = f[640].template ReinterpretCast<int32_t>();
        uint64_t kept = 0;
        const uint16_t four[] = {32, 32, 32, 32};
        const uint16_t two[] = {40, 32, 0, 0};
        STEP(ArithProgression(index, int32_t(0), int32_t(1), 160));
        for (uint32_t i = 0; i < 2; ++i) {
            STEP(Sort32(f, src[i * 160], index.template ReinterpretCast<uint32_t>(), 5));
            STEP(DataCopy(other, f, 320));
            STEP(MrgSort(other, MrgSortSrcList<float>(f, f[64], f[128], f[192]),
                         MrgSort4Info(four, false, 15, 1)));
            STEP(DataCopy(f, other, 320));
            STEP(MrgSort(f, MrgSortSrcList<float>(other, other[256], other, other),
                         MrgSort4Info(two, false, 3, 1)));
            STEP(GatherMask(dst[i * 40], f, 1, true, 80, {1, 1, 8, 1}, kept));
            STEP(GatherMask(dst[160 + i * 40], f, 2, true, 80, {1, 1, 8, 1}, kept));
            PipeBarrier<PIPE_V>();
        }
        ResetMask();
        """,
    ),
    "topk_smallest": (
        *("half", 512, 43008),
        GIVEN % 512
        + INFO % (1, 512)
        + """
        const auto t = twin::sort::MakeTopkTiling({512, 1, 20, 2, true, false, false});
        TopK<half, true, true>(dst, dst[256].template ReinterpretCast<int32_t>(), src, given,
                               finish, tmp, 20, t, info, false);
        """,
        GIVEN % 512
        + """
        auto one = tmp.template ReinterpretCast<half>();
        auto other = one[2048];
        auto best = dst[256].template ReinterpretCast<float>();
        uint64_t kept = 0;
        STEP(Muls(other, src, half(-1.0f), 512));
        STEP(Sort32(one, other, given.template ReinterpretCast<uint32_t>(), 16));
        STEP(DataCopy(other, one, 2048));
        const uint16_t short_[] = {32, 32, 32, 32};
        STEP(MrgSort(other, MrgSortSrcList<half>(one, one[128], one[256], one[384]),
                     MrgSort4Info(short_, false, 15, 4)));
        STEP(DataCopy(one, other, 2048));
        const uint16_t long_[] = {128, 128, 128, 128};
        STEP(MrgSort(one, MrgSortSrcList<half>(other, other[512], other[1024], other[1536]),
                     MrgSort4Info(long_, false, 15, 1)));
        STEP(DataCopy(other, one, 2048));
        STEP(GatherMask(dst, one, 3, true, 80, {1, 1, 8, 1}, kept));
        STEP(GatherMask(best, f, 2, true, 40, {1, 1, 8, 1}, kept));
        if (finish.GetValue(0)) {
            return;
        }
        SetFlag<HardEvent::S_V>(EVENT_ID7);
        WaitFlag<HardEvent::S_V>(EVENT_ID7);
        PipeBarrier<PIPE_V>();
        Muls(dst, dst, half(-1.0f), 32);
        """,
    ),
    "topk_of_small_rows": (
        *("half", 192, 4096),
        INFO % (6, 32)
        + """
        const auto t = twin::sort::MakeTopkTiling({32, 6, 5, 2, false, true, false});
        TopK<half, false, false, false, TopKMode::TOPK_NSMALL>(
            dst, dst[64].template ReinterpretCast<int32_t>(), src, none, no, tmp, 5, t, info,
            false);
        """,
        """
        auto one = tmp.template ReinterpretCast<half>();
        auto bits = one[960].template ReinterpretCast<uint16_t>();
        auto index = f[496].template ReinterpretCast<int32_t>();
        auto best = dst[64].template ReinterpretCast<float>();
        uint64_t kept = 0;
        STEP(ArithProgression(index, int32_t(0), int32_t(1), 32));
        STEP(Copy(index[32], index, 32, 5, {1, 1, 4, 0}));
        STEP(Muls(one[768], src, half(-1.0f), 192));
        STEP(Sort32(one, one[768], index.template ReinterpretCast<uint32_t>(), 6));
        SetFlag<HardEvent::V_S>(EVENT_ID7);
        WaitFlag<HardEvent::V_S>(EVENT_ID7);
        for (uint32_t i = 0; i < 8; ++i) {
            bits.SetValue(i, i == 0 ? 0x1111 : i == 1 ? 1 : 0);
        }
        auto wide = bits[16].template ReinterpretCast<uint32_t>();
        wide.SetValue(0, 0x2AA);
        wide.SetValue(1, 0);
        SetFlag<HardEvent::S_V>(EVENT_ID7);
        WaitFlag<HardEvent::S_V>(EVENT_ID7);
        STEP(GatherMask(dst, one, bits, true, 128, {1, 6, 8, 0}, kept));
        STEP(GatherMask(best, f, wide, true, 64, {1, 6, 8, 0}, kept));
        PipeBarrier<PIPE_V>();
        Muls(dst, dst, half(-1.0f), 30);
        """,
    ),
    "topk_of_small_floats": (
        *("float", 96, 43008),
        GIVEN % 96
        + INFO % (3, 32)
        + """
        const auto t = twin::sort::MakeTopkTiling({32, 3, 7, 4, true, true, true});
        TopK<float, true, false, false, TopKMode::TOPK_NSMALL>(
            dst, dst[48].template ReinterpretCast<int32_t>(), src, given, no, tmp, 7, t, info,
            true);
        """,
        GIVEN % 96
        + """
        auto bits = f[192].template ReinterpretCast<uint32_t>();
        uint64_t kept = 0;
        STEP(Sort32(f, src, given.template ReinterpretCast<uint32_t>(), 3));
        SetFlag<HardEvent::V_S>(EVENT_ID7);
        WaitFlag<HardEvent::V_S>(EVENT_ID7);
        bits.SetValue(0, 0x1555);
        bits.SetValue(1, 0);
        bits.SetValue(8, 0x2AAA);
        bits.SetValue(9, 0);
        SetFlag<HardEvent::S_V>(EVENT_ID7);
        WaitFlag<HardEvent::S_V>(EVENT_ID7);
        GatherMask(dst, f, bits, true, 64, {1, 3, 8, 0}, kept);
        STEP(GatherMask(dst[48], f, bits[8], true, 64, {1, 3, 8, 0}, kept));
        ResetMask();
        """,
    ),
}
