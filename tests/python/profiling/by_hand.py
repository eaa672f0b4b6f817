# SPDX-License-Identifier: Apache-2.0
"""Library calls, and for each call the basic instructions that the library issues, written by
hand."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from . import (
    by_hand_forms,
    by_hand_masks,
    by_hand_math,
    by_hand_moments,
    by_hand_norms,
    by_hand_rest,
    by_hand_rows,
    by_hand_softmax,
    by_hand_sort,
)

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
FUNCTION = """
__aicore__ inline void %s(GM_ADDR x, GM_ADDR y) {
    Around(x, y, %d * sizeof(%s), %d, [](auto bytes0, auto bytes1, auto tmp) {
        using T = %s;
        [[maybe_unused]] constexpr uint32_t n = %d;
        auto dst = bytes0.template ReinterpretCast<T>();
        auto src = bytes1.template ReinterpretCast<T>();
        [[maybe_unused]] auto f = tmp.template ReinterpretCast<float>();
        Duplicate(dst, T(0), n);
        %s
        Adds(dst, dst, T(0), n);
    });
}
"""
#: Calls: (type, number of elements, bytes of scratch, the call, the instructions by hand).
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
    **by_hand_forms.CALLS,
    **by_hand_math.CALLS,
    **by_hand_masks.CALLS,
    **by_hand_moments.CALLS,
    **by_hand_norms.CALLS,
    **by_hand_rest.CALLS,
    **by_hand_rows.CALLS,
    **by_hand_softmax.CALLS,
    **by_hand_sort.CALLS,
}


#: Number of calls that are compiled together.
TOGETHER = 12
_NAMES = tuple(CALLS)


def entry(functions: Sequence[str]) -> str:
    """Returns the kernel `work`, which runs the function number `which`."""
    cases = "".join(f"if (which == {i}) {each}(x, y);\n" for i, each in enumerate(functions))
    parameters = "GM_ADDR x, GM_ADDR y, uint32_t which"
    return f'extern "C" __global__ __aicore__ void work({parameters}) {{\n{cases}}}\n'


@functools.cache
def source(name: str) -> str:
    """Returns the source of a kernel `work` for `name` and other calls of CALLS. `work` runs one of
    the functions `call_NAME` and `hand_NAME`; `number` returns the numbers of these functions."""
    first = _NAMES.index(name) // TOGETHER * TOGETHER
    functions, text = [], HEAD
    for each in _NAMES[first : first + TOGETHER]:
        type_, n, scratch, call, hand = CALLS[each]
        for kind, body in (("call", call), ("hand", hand)):
            functions.append(f"{kind}_{each}")
            text += FUNCTION % (functions[-1], n, type_, scratch, type_, n, body)
    return text + entry(functions)


def number(name: str, kind: str) -> int:
    """Returns the argument `which` of `work` that runs the call or the instructions by hand."""
    return 2 * (_NAMES.index(name) % TOGETHER) + ("call", "hand").index(kind)
