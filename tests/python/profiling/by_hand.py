# SPDX-License-Identifier: Apache-2.0
"""Library calls, and beside each what the library does for it, written as basic instructions."""

from __future__ import annotations

HEAD = """
#include "kernel_operator.h"
using namespace AscendC;
#define STEP(...) __VA_ARGS__; PipeBarrier<PIPE_V>()
template <typename Body>
__aicore__ inline void Around(GM_ADDR x, GM_ADDR y, uint32_t bytes, uint32_t scratch, Body body) {
    TPipe pipe;
    TQue<TPosition::VECIN, 1> in;
    TQue<TPosition::VECOUT, 1> out;
    TBuf<TPosition::VECCALC> tmp;
    pipe.InitBuffer(in, 1, bytes);
    pipe.InitBuffer(out, 1, bytes);
    pipe.InitBuffer(tmp, scratch);
    GlobalTensor<uint8_t> from, to;
    from.SetGlobalBuffer((__gm__ uint8_t*)x);
    to.SetGlobalBuffer((__gm__ uint8_t*)y);
    LocalTensor<uint8_t> a = in.AllocTensor<uint8_t>();
    DataCopy(a, from, bytes);
    in.EnQue(a);
    a = in.DeQue<uint8_t>();
    LocalTensor<uint8_t> b = out.AllocTensor<uint8_t>();
    body(b, a, tmp.Get<uint8_t>());
    out.EnQue(b);
    in.FreeTensor(a);
    b = out.DeQue<uint8_t>();
    DataCopy(to, b, bytes);
    out.FreeTensor(b);
}
"""
KERNEL = """
extern "C" __global__ __aicore__ void %s(GM_ADDR x, GM_ADDR y) {
    Around(x, y, %d * sizeof(%s), %d, [](auto bytes0, auto bytes1, auto tmp) {
        using T = %s;
        [[maybe_unused]] constexpr uint32_t n = %d;
        auto dst = bytes0.template ReinterpretCast<T>();
        auto src = bytes1.template ReinterpretCast<T>();
        [[maybe_unused]] auto f = tmp.template ReinterpretCast<float>();
        %s
    });
}
"""
#: Of a call: type, elements, bytes of scratch, the call, and the same by hand.
CALLS = {
    "tanh": (
        *("half", 4096, 32768, "Tanh(dst, src, tmp, n);"),
        """
        auto clip = f[4096];
        STEP(Cast(f, src, RoundMode::CAST_NONE, n));
        STEP(Mins(clip, f, 8.8f, n));
        STEP(Maxs(clip, clip, -8.8f, n));
        STEP(Muls(clip, clip, 2.0f, n));
        STEP(Exp(clip, clip, n));
        STEP(Adds(f, clip, -1.0f, n));
        STEP(Adds(clip, clip, 1.0f, n));
        STEP(Div(f, f, clip, n));
        STEP(Cast(dst, f, RoundMode::CAST_NONE, n));
        """,
    ),
    "gelu": (
        *("float", 5000, 16384, "Gelu(dst, src, tmp, n);"),
        """
        for (uint32_t at = 0; at < n; at += 2048) {
            const uint32_t c = n - at < 2048 ? n - at : 2048;
            auto x = src[at];
            auto b = f[2048];
            STEP(Mul(f, x, x, c));
            STEP(Mul(b, x, f, c));
            STEP(Muls(f, b, 0.044715f, c));
            STEP(Add(b, x, f, c));
            STEP(Muls(f, b, 1.5957691f, c));
            STEP(Mins(b, f, 0.0f, c));
            STEP(Exp(b, b, c));
            STEP(Abs(f, f, c));
            STEP(Muls(f, f, -1.0f, c));
            STEP(Exp(f, f, c));
            STEP(Adds(f, f, 1.0f, c));
            STEP(Div(f, x, f, c));
            STEP(Mul(dst[at], f, b, c));
        }
        """,
    ),
    "sigmoid": (
        *("half", 6000, 4096, "Sigmoid(dst, src, tmp, n);"),
        """
        auto ones = tmp.template ReinterpretCast<half>();
        for (uint32_t at = 0; at < n; at += 2048) {
            const uint32_t c = n - at < 2048 ? n - at : 2048;
            PipeBarrier<PIPE_V>();
            STEP(Muls(dst[at], src[at], half(-1.0f), c));
            STEP(Exp(dst[at], dst[at], c));
            Adds(dst[at], dst[at], half(1.0f), c);
            STEP(Duplicate(ones, half(1.0f), c));
            STEP(Div(dst[at], ones, dst[at], c));
        }
        """,
    ),
    "exp": (
        *("float", 3000, 65536, "Exp<float, 4>(dst, src, tmp, n);"),
        """
        auto power = f[5456];
        auto whole = power[5456];
        STEP(Adds(f, src, 0.0f, n));
        STEP(Cast(whole, f, RoundMode::CAST_FLOOR, n));
        STEP(Sub(f, f, whole, n));
        STEP(Exp(whole, whole, int32_t(n)));
        STEP(Adds(power, f, 0.0f, n));
        STEP(Adds(dst, f, 0.0f, n));
        STEP(Adds(dst, dst, 1.0f, n));
        for (int i = 2; i < 5; ++i) {
            STEP(Mul(power, f, power, n));
            STEP(Muls(power, power, 1.0f / i, n));
            STEP(Add(dst, dst, power, n));
        }
        STEP(Mul(dst, dst, whole, n));
        """,
    ),
    "swiglu": (
        *("half", 1024, 65536, "SwiGLU(dst, src, src[512], 1.0f, tmp, 512);"),
        """
        constexpr uint32_t c = 512, size = 5456;
        auto b = f[size];
        auto x = f[2 * size];
        STEP(Cast(f, src[512], RoundMode::CAST_NONE, c));
        STEP(Muls(b, f, -1.0f, c));
        STEP(Exp(b, b, c));
        STEP(Adds(b, b, 1.0f, c));
        STEP(Div(b, f, b, c));
        STEP(Cast(x, src, RoundMode::CAST_NONE, c));
        STEP(Mul(b, x, b, c));
        STEP(Cast(dst, b, RoundMode::CAST_NONE, c));
        """,
    ),
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
        PipeBarrier<PIPE_V>();
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


def source(name: str) -> str:
    """The kernels `call` and `hand`."""
    type_, n, scratch, call, hand = CALLS[name]
    fields = (n, type_, scratch, type_, n)
    return HEAD + KERNEL % ("call", *fields, call) + KERNEL % ("hand", *fields, hand)
