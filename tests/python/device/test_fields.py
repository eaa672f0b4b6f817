# SPDX-License-Identifier: Apache-2.0
"""Fields of parameter structures. A value that does not fit into a field is an error that names the
line of the assignment. Everything else that kernels do with a plain integer works.
"""

from __future__ import annotations

import numpy as np
import pytest

import cannery

pytestmark = pytest.mark.twin_only("checks values that the chip silently cuts")

KERNEL = """#include "kernel_operator.h"
using namespace AscendC;

enum Sizes { kSmall = 3, kLarge = 70000 };

extern "C" __global__ __aicore__ void fields(GM_ADDR out, int n) {
    __gm__ int32_t* result = (__gm__ int32_t*)out;
    DataCopyParams p;
    BinaryRepeatParams b;
    UnaryRepeatParams u;
    LoadData2DParams l;
    Nd2NzParams z;
    DataCopyExtParams e;
    p.blockLen = 8;
    STATEMENTS
}
"""


def kernel(statements: str) -> cannery.Kernel:
    return cannery.compile_kernel(KERNEL.replace("STATEMENTS", statements), "fields")


def error(statements: str, n: int) -> str:
    with pytest.raises(cannery.KernelError) as caught:
        kernel(statements)(1, np.zeros(8, np.int32), n)
    return str(caught.value)


@pytest.mark.parametrize(
    ("statement", "n", "words"),
    [
        ("p.blockLen = n * sizeof(float);", 20000, "80000 is assigned to blockLen, which has the "
         "type uint16_t; the chip takes it for 14464"),
        ("p.srcStride = n;", -1, "-1 is assigned to srcStride, which has the type uint16_t; the "
         "chip takes it for 65535"),
        ("b.src0RepStride = n;", 256, "256 is assigned to src0RepStride, which has the type uint8_t"
         "; the chip takes it for 0"),
        ("u.dstRepStride = (uint16_t)n;", 256, "256 is assigned to dstRepStride, which has"),
        ("l.repeatTimes = n / 2;", 600, "300 is assigned to repeatTimes, which has the type uint8"),
        ("z.dValue = (int64_t)n << 20;", 1, "1048576 is assigned to dValue, which has"),
        ("e.blockCount = n * 2.5f;", 40000, "100000 is assigned to blockCount, which has"),
        ("p.blockCount = n == 1 ? kLarge : kSmall;", 1, "70000 is assigned to blockCount, which"),
        ("p.blockLen += n;", 65530, "65538 is assigned to blockLen, which has"),
        ("p.blockLen *= n;", 10000, "80000 is assigned to blockLen, which has"),
        ("if (n == 1) { b.dstBlkStride = 255; b.dstBlkStride++; }", 1, "256 is assigned to dstBlk"),
        ("if (n == 1) { b.dstBlkStride = 0; --b.dstBlkStride; }", 1, "-1 is assigned to dstBlk"),
        ("auto copy = p; copy.dstStride = n;", 65536, "65536 is assigned to dstStride, which"),
    ],
)  # fmt: skip
def test_a_value_that_does_not_fit(statement: str, n: int, words: str) -> None:
    text = error(statement, n)
    assert text.startswith(f"T402 field overflow: {words}")
    assert "\n  at fields.cpp:15" in text


def test_the_mended_forms_run() -> None:
    code = "p.blockLen = (uint16_t)(n * sizeof(float)); b.src0RepStride = n & 255; p.srcStride = n;"
    kernel(code)(1, np.zeros(8, np.int32), 20000)


def test_the_chip_cuts_the_value() -> None:
    out = np.zeros(8, np.int32)
    with cannery.use(mode="hardware"):
        kernel("p.blockLen = n; result[0] = p.blockLen;")(1, out, 65537)
    assert out[0] == 1


#: What kernels do with fields; each line adds 1 to `good` if the result is right.
USES = """
    int good = 0;
    good += sizeof(p) == 8 && sizeof(b) == 12 && std::is_trivially_copyable_v<DataCopyParams>;
    p.blockLen += 2; p.blockLen -= 1; p.blockLen++; --p.blockLen; p.blockLen <<= 1;
    good += p.blockLen == 18 && p.blockLen++ == 18 && p.blockLen-- == 19;
    auto x = p.blockLen; x = x + 2; int y = x;
    good += x == 20 && y == 20 && p.blockLen == 18;
    good += std::min(p.blockLen, (uint16_t)3) == 3 && std::max((uint16_t)3, p.blockLen) == 18;
    good += min(p.blockLen, (uint16_t)3) == 3 && AscendC::Std::max(p.blockLen, (uint16_t)3) == 18;
    good += std::min(p.blockLen, p.srcStride) == 0;
    uint16_t& r = p.srcStride; r = 4; uint16_t* q = &p.dstStride; *q = 5; const auto& c = p;
    good += c.srcStride == 4 && c.dstStride == 5 && *&c.dstStride == 5;
    int last = n > 0 ? p.blockLen : 5; last += n < 0 ? p.blockLen : p.dstStride;
    good += last == 23;
    switch (p.srcStride) { case 4: good += 1; break; default: break; }
    p.blockCount = p.blockLen; e.blockLen = p.blockLen; e.blockCount = p.srcStride;
    p.srcStride = e.blockLen;
    good += p.blockCount == 18 && e.blockLen == 18 && e.blockCount == 4 && p.srcStride == 18;
    p.dstStride = {7}; p.srcStride = {}; p.blockCount = true; p.blockLen = kSmall;
    good += p.dstStride == 7 && p.srcStride == 0 && p.blockCount == 1 && p.blockLen == 3;
    p = {1, (uint16_t)n, 0, 0}; DataCopyParams d(1, 2, 3, 4); DataCopyParams f{1, 2, 3, 4}; d = f;
    good += p.blockLen == 7 && d.dstStride == 4;
    float scaled = p.blockLen * 0.5f; int64_t numbers[8] = {}; numbers[p.blockLen] = -p.blockLen;
    good += scaled == 3.5f && numbers[7] == -7;
    good += (p.blockLen | 8) == 15 && ~p.blockLen == -8 && (p.blockLen && n) && p.blockLen / 2 == 3;
    l.repeatTimes = z.ndNum + 1; l.repeatTimes = GetBlockNum();
    b.dstRepStride = DEFAULT_REPEAT_STRIDE;
    good += l.repeatTimes == 1 && b.dstRepStride == 8;
    half h = p.blockLen; h = h + p.blockLen; bfloat16_t w = p.blockLen;
    uint64_t m[1] = {p.blockLen};
    good += float(h) == 14.0f && float(w) == 7.0f && m[0] == 7;
    TPipe tpipe; TBuf<TPosition::VECCALC> tbuf; tpipe.InitBuffer(tbuf, p.blockLen * 64);
    good += tbuf.Get<float>()[p.blockLen].GetSize() == 105;
    result[0] = good;
"""


def test_everything_that_kernels_do_with_a_field() -> None:
    out = np.zeros(8, np.int32)
    kernel(USES)(1, out, 7)
    # The result is right if every `good +=` has added 1.
    assert out[0] == USES.count("good +=")


def test_a_field_can_be_printed_and_passed_on(capfd: pytest.CaptureFixture[str]) -> None:
    code = """printf("%d fields\\n", p.blockLen);
    TPipe pipe; TBuf<TPosition::VECCALC> buf; pipe.InitBuffer(buf, 1024);
    LocalTensor<float> t = buf.Get<float>();
    l.repeatTimes = 2;
    Duplicate(t, 1.0f, 64, l.repeatTimes, u.dstBlkStride, u.dstRepStride);
    u.dstRepStride = 8;
    Adds(t, t, 1.0f, 64, l.repeatTimes, u);
    SetMaskNorm();"""
    kernel(code)(1, np.zeros(8, np.int32), 7)
    assert "8 fields" in capfd.readouterr().out
