# SPDX-License-Identifier: Apache-2.0
"""Fields of parameter structures. A value that does not fit into a field is an error that names the
line of the assignment. The fields are plain integers for everything else that kernels do.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import cannery

pytestmark = pytest.mark.twin_only("checks values that the chip silently cuts")

HEAD = """#include "kernel_operator.h"
using namespace AscendC;

enum Sizes { kSmall = 3, kLarge = 70000 };
struct Row { static const int kLen = 9; };
struct Four { operator uint16_t() const { return 4; } };
#define ONCE(STATEMENT) do { STATEMENT; } while (0)
#define SET(P, N) P.blockLen = (N)
"""
VARIABLES = """    __gm__ int32_t* result = (__gm__ int32_t*)out;
    DataCopyParams p, pair[2], *q = &pair[1];
    BinaryRepeatParams b;
    UnaryRepeatParams u;
    LoadData2DParams l;
    Nd2NzParams z;
    DataCopyExtParams e;
    MrgSort4Info merge;
    uint16_t lengths[4] = {};
    (void)lengths;
"""


def compiled(statements: str) -> cannery.Kernel:
    return cannery.compile_kernel(
        f'{HEAD}extern "C" __global__ __aicore__ void fields(GM_ADDR out, int n) {{\n{VARIABLES}'
        f"{statements}\n}}\n",
        "fields",
    )


def error(statements: str, n: int) -> str:
    with pytest.raises(cannery.KernelError) as caught:
        compiled(statements)(1, np.zeros(8, np.int32), n)
    return str(caught.value)


#: A statement, a value of n that does not fit, the value that the error names, and the field.
WRONG = [
    ("p.blockLen = n * sizeof(float);", 20000, "80000", "blockLen"),
    ("p.srcStride = n;", -1, "-1", "srcStride"),
    ("b.src0RepStride = n;", 256, "256", "src0RepStride"),
    ("u.dstRepStride = (uint16_t)n;", 256, "256", "dstRepStride"),
    ("l.repeatTimes = n / 2;", 600, "300", "repeatTimes"),
    ("z.dValue = (int64_t)n << 20;", 1, "1048576", "dValue"),
    ("e.blockCount = n * 2.5f;", 40000, "100000", "blockCount"),
    ("e.blockLen = int64_t(n) << 32;", 1, "4294967296", "blockLen"),
    ("p.blockCount = n == 1 ? kLarge : kSmall;", 1, "70000", "blockCount"),
    ("p.blockLen = 8; p.blockLen += n;", 65530, "65538", "blockLen"),
    ("p.blockLen = 8; p.blockLen *= n;", 10000, "80000", "blockLen"),
    ("p.blockLen = 8; p.blockLen <<= n;", 20, "8388608", "blockLen"),
    ("auto copy = p; copy.dstStride = n;", 65536, "65536", "dstStride"),
    ("q->dstStride = n;", 65536, "65536", "dstStride"),
    ("(*q).dstStride = n;", 65536, "65536", "dstStride"),
    ("pair[n & 1].dstStride = n;", 65536, "65536", "dstStride"),
    ("if (n > 1) p.dstStride = n; else p.dstStride = 0;", 65536, "65536", "dstStride"),
    ("int w = p.dstStride = n; result[0] = w;", 65536, "65536", "dstStride"),
    ("[&] { p.dstStride = n; }();", 65536, "65536", "dstStride"),
    ("p.blockLen = static_cast<uint16_t>(n * 4);", 20000, "80000", "blockLen"),
    ("p.blockLen = (uint16_t)(n * 4);", 20000, "80000", "blockLen"),
    ("p.blockLen = uint16_t(n * 4);", 20000, "80000", "blockLen"),
    ("p.blockCount = 2; p.srcStride = (uint16_t)(n * 4);", 20000, "80000", "srcStride"),
    ("q->blockCount = 2; q->dstStride = uint16_t(n * 4);", 20000, "80000", "dstStride"),
    ("z.ndNum = 2; z.srcNdMatrixStride = (uint16_t)n;", 65536, "65536", "srcNdMatrixStride"),
    ('_Pragma("GCC diagnostic push") p.blockLen = n;', 65536, "65536", "blockLen"),
    ("p.blockLen = (unsigned short)(n * 4);", 20000, "80000", "blockLen"),
    ("p.blockLen = static_cast<const std::uint16_t>(n * 4);", 20000, "80000", "blockLen"),
    ("ONCE(p.blockLen = n * 4);", 20000, "80000", "blockLen"),
    ("SET(p, n * 4);", 20000, "80000", "blockLen"),
    (
        "[n]() -> DataCopyParams { return DataCopyParams(1, n, 0, 0); }();",
        65536,
        "65536",
        "blockLen",
    ),
    ("DataCopyParams a(1, n * sizeof(float), 0, 0);", 20000, "80000", "blockLen"),
    ("DataCopyParams a(1, (uint16_t)(n * 4), 0, 0);", 20000, "80000", "blockLen"),
    ("p = DataCopyParams(n == 1 ? kLarge : 1, 1, 0, 0);", 1, "70000", "blockCount"),
    ("p = AscendC::DataCopyParams(2, 1, 0, n);", -7, "-7", "dstStride"),
    ("DataCopyParams a(2, 1, (uint16_t)n, 0);", 65536, "65536", "srcStride"),
    ("Nd2NzParams a(2, 16, 16, n, 16, 16, 1, 0);", -1, "-1", "srcNdMatrixStride"),
    ("DataCopyParams a(1, 1, 0, 0), c(1, n * 4, 0, 0);", 20000, "80000", "blockLen"),
    ("DataCopyParams a(1, static_cast<unsigned int>(n * 4), 0, 0);", 20000, "80000", "blockLen"),
    ("DataCopyExtParams a(n * 2000, 4, 0, 0, 0);", 64, "128000", "blockCount"),
    ("DataCopyPadExtParams<float> a(true, 0, n, 0);", 300, "300", "rightPadding"),
    ("UnaryRepeatParams a(1, 1, n, 8);", 256, "256", "dstRepStride"),
    ("BinaryRepeatParams a(1, 1, 1, 8, 8, n);", 256, "256", "src1RepStride"),
    ("GatherRepeatParams a(1, n);", 256, "256", "dstRepStride"),
    ("LoadData2DParams a(0, n, 1, 0, 0, false, 0);", 300, "300", "repeatTimes"),
    ("MmadParams a(16, 16, n, 0, false, true);", 65536, "65536", "k"),
    ("Nd2NzParams a(1, 16, n, 0, 16, 16, 1, 0);", 65536, "65536", "dValue"),
    ("MrgSort4Info a(lengths, false, n, 1);", 65536, "65536", "validBit"),
    ("merge.elementLengths[2] = n;", 65536, "65536", "elementLengths"),
    ("merge.repeatTimes = n;", 256, "256", "repeatTimes"),
]
WRONG_LINES = "\n".join(
    f"    if (number == {number}) {{ {statement} }}" for number, (statement, *_) in enumerate(WRONG)
)
FIRST_LINE = (HEAD + VARIABLES).count("\n") + 2


@pytest.mark.parametrize("number", range(len(WRONG)), ids=[each[0] for each in WRONG])
def test_a_value_that_does_not_fit(number: int) -> None:
    _, n, value, field = WRONG[number]
    wrong = cannery.compile_kernel(
        f'{HEAD}extern "C" __global__ __aicore__ void wrong(GM_ADDR out, int number, int n) {{\n'
        f"{VARIABLES}{WRONG_LINES}\n}}\n",
        "wrong",
    )
    with pytest.raises(cannery.KernelError) as caught:
        wrong(1, np.zeros(8, np.int32), number, n)
    text = str(caught.value)
    words = f"{value} is assigned to {field}, which has the type uint"
    assert text.startswith(f"T402 field overflow: {words}")
    assert f"\n  at wrong.cpp:{FIRST_LINE + number}" in text
    wrong(1, np.zeros(8, np.int32), number, 0)


def test_a_constructor_in_several_lines_names_the_line_of_the_value() -> None:
    text = error("DataCopyParams a(\n1,\nn, 0, 0);", 65536)
    assert "65536 is assigned to blockLen" in text
    assert f"\n  at fields.cpp:{FIRST_LINE + 2}" in text


def test_the_mended_forms_run() -> None:
    code = "e.blockLen = n * sizeof(float); b.src0RepStride = n & 255; p.srcStride = n;"
    compiled(code)(1, np.zeros(8, np.int32), 20000)


def test_a_constructor_takes_any_stride_for_one_block() -> None:
    code = "DataCopyExtParams a(1, 4, n, n, 0); Nd2NzParams m(1, 16, 16, n, 16, 16, 1, 0);"
    compiled(code)(1, np.zeros(8, np.int32), -9600)


def test_a_kernel_may_cut_a_stride_that_it_does_not_use() -> None:
    code = """p.blockCount = 1; p.srcStride = (uint16_t)n; z.srcNdMatrixStride = uint16_t(n);
    z.srcDValue = (uint16_t)n;
    DataCopyParams a(1, 1, (uint16_t)n, 0), c{1, 1, (uint16_t)n, 0}; z.ndNum = 1;"""
    compiled(code)(1, np.zeros(8, np.int32), 65536)


def test_the_chip_cuts_the_value() -> None:
    out = np.zeros(8, np.int32)
    code = """p.blockLen = n; DataCopyParams a(1, n, 0, 0); q->blockLen = (uint16_t)n;
    result[0] = p.blockLen * 100 + a.blockLen * 10 + q->blockLen;"""
    with cannery.use(mode="hardware"):
        compiled(code)(1, out, 65537)
    assert out[0] == 111


HEADER = """#pragma once
#include "sizes.h"
template <typename T>
__aicore__ inline AscendC::DataCopyParams Rows(T n) {
    AscendC::DataCopyParams p;
    p.blockLen = n * kBytes;
    return p;
}
"""


def test_headers_of_the_kernel_are_checked(tmp_path: Path) -> None:
    for folder in ("op", "common"):
        (tmp_path / folder).mkdir()
    (tmp_path / "common" / "rows.h").write_text(HEADER)
    (tmp_path / "common" / "sizes.h").write_text("#pragma once\nconstexpr int kBytes = 4;\n")
    (tmp_path / "op" / "rows.cpp").write_text(
        '#include "kernel_operator.h"\n#include "../common/sizes.h"\n#include "../common/rows.h"\n'
        '#include "../common/rows.h"\n'
        'extern "C" __global__ __aicore__ void rows(GM_ADDR out, int n) {\n'
        "    *(__gm__ int32_t*)out = Rows(n).blockLen + kBytes;\n}\n"
    )
    out = np.zeros(8, np.int32)
    rows = cannery.compile_kernel(tmp_path / "op" / "rows.cpp", "rows")
    rows(1, out, 3)
    assert out[0] == 16
    with pytest.raises(
        cannery.KernelError, match=r"T402 .*: 80000 is assigned to blockLen"
    ) as found:
        rows(1, out, 20000)
    assert "common/rows.h:6" in str(found.value)
    (tmp_path / "common" / "rows.h").write_text(HEADER.replace("n * kBytes", "n"))
    cannery.compile_kernel(tmp_path / "op" / "rows.cpp", "rows")(1, out, 20000)
    assert out[0] == 20004


#: What kernels do with fields; each `good +=` adds 1 if the result is right.
USES = """
    int good = 0;
    good += sizeof(p) == 8 && std::is_same_v<decltype(p.blockLen), uint16_t>;
    p.blockLen = 16; p.blockLen += 2; p.blockLen -= 1; p.blockLen++; --p.blockLen;
    good += p.blockLen == 17 && (p.blockLen <<= 1) == 34 && (p.blockLen >>= 1) == 17;
    good += (p.blockLen %= 10) == 7 && (p.blockLen |= 8) == 15 && (p.blockLen &= 6) == 6;
    good += (p.blockLen ^= 3) == 5 && (p.blockLen /= 2) == 2 && ++p.blockLen == 3;
    p.srcStride = p.dstStride = p.blockCount = 4; p.srcStride = {5}; p.dstStride = {};
    good += p.blockCount == 4 && p.srcStride == 5 && p.dstStride == 0;
    p.blockLen = Row::kLen; p.srcStride = Four(); p.dstStride = true; p.blockCount = kSmall;
    good += p.blockLen == 9 && p.srcStride == 4 && p.dstStride == 1 && p.blockCount == 3;
    p.blockLen = n > 0 ? 1 : 2, p.srcStride = n < 0 ? 1 : 2;
    good += p.blockLen == 1 && p.srcStride == 2;
    for (p.blockLen = 0; p.blockLen < 3; p.blockLen = p.blockLen + 1) { good += 1; }
    int index = 0;
    pair[index++].blockLen = n; pair[index].blockLen = (uint16_t)n / 2; good += index == 1;
    good += pair[0].blockLen == 7 && q->blockLen == 3;
    DataCopyParams a(p), c = DataCopyParams(1, 2, 3, 4), d(c.blockCount, Row::kLen, {}, Four());
    good += a.srcStride == 2 && c.dstStride == 4 && d.blockLen == 9 && d.dstStride == 4;
    constexpr DataCopyParams k(1, 8, kSmall, 0); static_assert(k.blockLen == 8);
    DataCopyPadExtParams<int8_t> o(true, 0, 0, 255); o.paddingValue = 255;
    DataCopyPadExtParams<half> v(true, 0, 1, half(2)); v.paddingValue = half(3);
    good += o.paddingValue == -1 && v.rightPadding == 1 && v.paddingValue == half(3);
    const MrgSort4Info w(lengths, false, 0b11, 1); merge = MrgSort4Info(w);
    good += merge.validBit == 3 && merge.repeatTimes == 1;
    l.repeatTimes = z.ndNum + 1; u.dstRepStride = DEFAULT_REPEAT_STRIDE; e.blockLen = p.blockLen;
    good += l.repeatTimes == 1 && u.dstRepStride == 8 && e.blockLen == 3;
    Own own; own.blockLen = n * 10000; own.bits = n; own.srcStride = own.bits; own.ndNum = 0;
    own.text.dValue = Text{4}; own.Set(kLarge); own.dstStride += 2; own.m = nullptr; own.n = &index;
    p.blockLen = own.bits; own.blockLen = (uint16_t)(kLarge);
    good += own.blockLen == kLarge - 65536 && own.bits == 3 && own.srcStride == 3;
    good += p.blockLen == 3;
    good += own.k == (uint8_t)kLarge && own.text.dValue.size == 4 && own.dstStride == 2;
    good += Make(n, 2).blockLen == 7 && Sized<DataCopyParams>(3).blockLen == 3 && F(n).srcStride;
    Derived derived; derived.m = -1; good += derived.m == 0xFFFFFFFFU;
    mine::PadParams pad(1, n), same = mine::PadParams(2, n); good += pad.sum + same.sum == 17;
    Others others; others.m = Unique(); others.n += n; others.k = 0x0; others.k = (0);
    others.l1H = (uint8_t)(n * 100) >> 2; others.l1H = static_cast<uint32_t>(n - 8) < 5u ? 1 : 2;
    good += others.n.value == 7 && others.k == nullptr && others.l1H == 2;
    p.blockLen = (uint16_t)(n * 10000) & 0xFF; good += p.blockLen == 112;
    p.blockLen = static_cast<uint32_t>(-n) % 8; good += p.blockLen == 1;
    p.blockLen += Row::kLen; good += p.blockLen == 10;
    DataCopyParams Local(int); DataCopyPadExtParams deduced(true, 0, 1, half(0));
    good += Pack().blockCount == 1 && Pack(1, 2, 3, 4).dstStride == 4 && deduced.rightPadding == 1;
    SET(p, n * 2); good += p.blockLen == 14; SET_BOTH(p, n); good += p.srcStride == 8;
    result[0] = good;
"""
OWN = """
struct Text { explicit Text(int n) : size(n) {} int size; };
struct Inner { Text dValue{0}; };
struct Derived : DataCopyParams { uint32_t m; uint16_t (*get)(int); };
namespace mine {
struct PadParams { PadParams(int n, int m) : sum(n + m) {} int sum; };
}  // namespace mine
struct Unique {
    Unique() = default; Unique(Unique&&) = default; Unique& operator=(Unique&&) = default;
};
struct Total { Total& operator+=(int n) { value += n; return *this; } int value = 0; };
struct Others { Unique m; Total n; int* k = nullptr; uint32_t l1H = 0; };
template <typename... N> DataCopyParams Pack(N... n) { return DataCopyParams(n...); }
struct Own {
    uint16_t blockLen = 0; unsigned bits : 2; int ndNum : 3; uint8_t srcStride; Inner text;
    int* m = (int*)8; int* n = nullptr; uint8_t k; uint16_t dstStride : 4;
    Own() : bits(0), ndNum(0), k(0), dstStride(0) {}
    void Set(int size) { this->k = size; }
};
DataCopyParams Make(int n, int m);
typedef DataCopyParams (*Maker)(int);
using Function = DataCopyParams(int);
template <typename P, typename N> P Sized(N n) { P p; p.blockLen = n; return p; }
DataCopyParams Make(int n, int m) { DataCopyParams p(m, n, 0, 0); return p; }
constexpr DataCopyParams F(int n) { DataCopyParams p; p.srcStride = n; return p; }
static_assert(F(4).srcStride == 4, "usable in constant expressions");
#define SET_BOTH(P, N) \\
    do {               \\
        P.blockLen = N; \\
        P.srcStride = \\
            N + 1;     \\
    } while (0)
"""


def test_everything_that_kernels_do_with_a_field() -> None:
    out = np.zeros(8, np.int32)
    kernel = cannery.compile_kernel(
        f'{HEAD}{OWN}extern "C" __global__ __aicore__ void uses(GM_ADDR out, int n) {{\n'
        f"{VARIABLES}{USES}}}\n",
        "uses",
        portable=False,
    )
    kernel(1, out, 7)
    # The result is right if every `good +=` has added 1; one of them is in a loop of 3.
    assert out[0] == USES.count("good +=") + 2


def test_a_constant_expression_that_does_not_fit() -> None:
    code = "constexpr auto k = [] { DataCopyParams p; p.blockLen = 70000; return p; }();"
    with pytest.raises(cannery.CompileError) as caught:
        compiled(code)
    assert f"fields.cpp:{FIRST_LINE}:" in str(caught.value)
    assert "error: a constant does not fit into the field blockLen (T402)" in str(caught.value)


def test_messages_of_the_compiler_are_those_of_the_source() -> None:
    with pytest.raises(cannery.CompileError) as caught:
        compiled("p.blockLen = nn * 4;")
    assert f"fields.cpp:{FIRST_LINE}:14: error: 'nn' was not declared" in str(caught.value)
    assert "Twin" not in str(caught.value)


def test_a_source_that_does_not_compile_with_the_checks() -> None:
    """The function that an overloaded name means depends on the type of the field."""
    own = "struct Own { int (*k)(int); }; int F(int n) { return n; } int F(float) { return 0; }\n"
    source = (
        f'{HEAD}{own}extern "C" __global__ __aicore__ void k(GM_ADDR out, int n) {{\n'
        "    Own own; own.k = F; *(__gm__ int32_t*)out = own.k(n);\n}\n"
    )
    with pytest.warns(cannery.KernelWarning, match=r"k\.cpp: warning: values .*T402"):
        kernel = cannery.compile_kernel(source, "k", portable=False)
    out = np.zeros(8, np.int32)
    kernel(1, out, 5)
    assert out[0] == 5
