# SPDX-License-Identifier: Apache-2.0
"""compile_kernel(debug=True) must find arithmetic errors of a kernel and name the line."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import numpy as np
import pytest

import cannery

from ..selection import COMPILERS

pytestmark = pytest.mark.twin_only("a debug build runs on the twin")

# `n` is 70000. Statements before `switch` are correct; each case of the switch has one mistake.
SOURCE = """
#include "kernel_operator.h"
using namespace AscendC;
__aicore__ inline int32_t Product(int32_t rows, int32_t width) {
    return rows * width;  // product
}
extern "C" __global__ __aicore__ void checks(GM_ADDR out, int32_t which, int32_t n) {
    GlobalTensor<int32_t> to;
    to.SetGlobalBuffer((__gm__ int32_t*)out, 8);
    uint32_t table[4] = {1, 2, 3, 4};
    uint32_t shape[2] = {65536, 65536};
    int64_t v = -(n - 1) * 2 + ((-n) << 4) + table[n - 69997] + (int32_t)(half)3.5f;
    v += 1 << (n - 69969);
    v += (uint32_t)n * (uint32_t)n + (uint32_t)(n - 70000) - 1U + (uint8_t)(n * 3);
    v += GetShapeSize(ShapeInfo(2, shape)) + (int64_t)n * n * n + (n & 7) / (n - 69999);
    int32_t smallest = -2147483647 - 1 + (n - 70000), low = -n;
    switch (which) {
        case 1: v = Product(n, n); break;
        case 2: v = n + 2147483647; break;  // 2
        case 3: v = low - 2147483647; break;  // 3
        case 4: v = -smallest; break;  // 4
        case 5: v = smallest / (n - 70001); break;  // 5
        case 6: v = n / (n - 70000); break;  // 6
        case 7: v = n % (n - 70000); break;  // 7
        case 8: v = 1 << (n - 69960); break;  // 8
        case 9: v = 1 << (n - 70001); break;  // 9
        case 10: v = n << 16; break;  // 10
        case 11: v = table[n - 69990]; break;  // 11
        case 12: v = table[n - 70001]; break;  // 12
        case 13: v = (int32_t)(1e20f * n); break;  // 13
        case 14: v = (int64_t)n * n * n * n * n; break;  // 14
        case 15: n += 2147483647; v = n; break;  // 15
        case 16: v = (int16_t)(float)n; break;  // 16
    }
    to.SetValue(0, (int32_t)(v & 0xFF));
    DataCacheCleanAndInvalid<int32_t, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(to);
}
"""
WRONG = [
    (1, "T510", "70000 * 70000 = 4900000000 is not in int32_t (-2147483648 to 2147483647)"),
    (2, "T510", "70000 + 2147483647 = 2147553647 is not in int32_t"),
    (3, "T510", "-70000 - 2147483647 = -2147553647 is not in int32_t"),
    (4, "T510", "-(-2147483648) is not in int32_t"),
    (5, "T510", "-2147483648 / -1 = 2147483648 is not in int32_t"),
    (6, "T503", "arithmetic trap: the kernel divides 70000 by 0"),
    (7, "T503", "arithmetic trap: the kernel divides 70000 by 0"),
    (8, "T511", "shift out of range: the kernel shifts int32_t by 40, expected 0 to 31"),
    (9, "T511", "shift out of range: the kernel shifts int32_t by -1, expected 0 to 31"),
    (11, "T512", "index outside an array: element 10 of "),
    (12, "T512", "index outside an array: element -1 of "),
    (13, "T510", "is not in int32_t"),
    (14, "T510", "343000000000000 * 70000 = 24010000000000000000 is not in int64_t"),
    (15, "T510", "70000 + 2147483647 = 2147553647 is not in int32_t"),
    (16, "T510", "70000 is not in int16_t (-32768 to 32767)"),
]


def line_of(mark: str) -> int:
    (line,) = [i for i, text in enumerate(SOURCE.splitlines(), 1) if text.endswith(f"// {mark}")]
    return line


@pytest.fixture(scope="module", params=COMPILERS)
def kernel(request: pytest.FixtureRequest, shared_cache: Path) -> cannery.Kernel:
    if shutil.which(request.param) is None:
        pytest.skip(f"no {request.param} on this machine")
    with pytest.MonkeyPatch.context() as patch, cannery.use(cache_dir=shared_cache):
        patch.setenv("CXX", request.param)
        return cannery.compile_kernel(SOURCE, "checks", debug=True)


def run(kernel: cannery.Kernel, which: int) -> int:
    out = np.zeros(8, np.int32)
    kernel(1, out, which, 70000)
    return int(out[0])


@pytest.mark.slow
def test_right_arithmetic_is_silent(kernel: cannery.Kernel) -> None:
    """Unsigned overflow, shifts into the sign bit and the twin's headers are not reported."""
    run(kernel, 0)


@pytest.mark.parametrize(("which", "code", "text"), WRONG)
def test_what_does_not_fit(kernel: cannery.Kernel, which: int, code: str, text: str) -> None:
    with pytest.raises(cannery.KernelError) as caught:
        run(kernel, which)
    said = str(caught.value)
    assert (caught.value.code, text in said) == (code, True), said
    assert re.search(r"\n  at checks\.cpp:\d+   core 0 AIV, block 0 of 1", said), said
    assert caught.value.line == line_of("product" if which == 1 else str(which))
    assert code != "T512" or re.search(r"of (uint32_t|unsigned int) ?\[4\]\n", said), said
    assert (caught.value.file, caught.value.core) == ("checks.cpp", "0 AIV")
    with cannery.use(mode="hardware"), pytest.raises(cannery.KernelError):
        run(kernel, which)


def test_a_build_of_its_own(cache: Path) -> None:
    debug = cannery.compile_kernel(SOURCE, "checks", debug=True)
    release = cannery.compile_kernel(SOURCE, "checks")
    assert debug.library != release.library
    assert cannery.compile_kernel(SOURCE, "checks", debug=True) is debug
    with pytest.raises(cannery.KernelError):
        run(debug, 2)
    run(release, 2)


@pytest.mark.slow
def test_bits_that_a_shift_loses(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are an error in C++17 only: C++20 defines the result."""
    run(cannery.compile_kernel(SOURCE, "checks", debug=True), 10)
    monkeypatch.setenv("CXX", "g++ -std=c++17")
    with pytest.raises(cannery.KernelError, match=r"T510 .*70000 << 16 is not in int32_t"):
        run(cannery.compile_kernel(SOURCE, "checks", debug=True), 10)


def test_load(cache: Path, tmp_path: Path) -> None:
    path = tmp_path / "checks.cpp"
    path.write_text(SOURCE)
    with pytest.raises(cannery.KernelError, match=r"T510 .*\n  at .*/checks\.cpp:\d+ "):
        run(cannery.load(path, debug=True).checks, 2)


@pytest.mark.release
def test_what_is_portable_is_no_matter_of_debug(cache: Path) -> None:
    """Debug builds refuse the same code as other builds, although debug builds call more of std."""
    source = """
#include "kernel_operator.h"
extern "C" __global__ __aicore__ void pairs(__gm__ int32_t* x) {
    int32_t sum = 0;
    for (int32_t each : {1, 2, 3}) { sum += each; }  // uses <initializer_list>
    x[0] = sum + x[1];
}
"""
    cannery.compile_kernel(source, "pairs", debug=True)
    broken = source.replace("int32_t sum", "int32_t* p = new int32_t[8]; int32_t sum")
    with pytest.raises(cannery.CompileError, match=r"pairs\.cpp:4: new"):
        cannery.compile_kernel(broken, "pairs", debug=True)
    cannery.compile_kernel(broken, "pairs", debug=True, portable=False)


def test_mistakes(cache: Path) -> None:
    with pytest.raises(TypeError, match="debug: expected True or False, got 'yes'"):
        cannery.compile_kernel(SOURCE, "checks", debug="yes")  # type: ignore[arg-type]
    with pytest.raises(cannery.CompileError, match="'nothing' was not declared"):
        cannery.compile_kernel(SOURCE.replace("= n /", "= nothing /"), "checks", debug=True)
