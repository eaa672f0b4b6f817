# SPDX-License-Identifier: Apache-2.0
"""Sources in the language of a card's compiler, which is a clang: what g++ does not accept is
compiled with a clang that the twin finds.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import cannery
from cannery.compile import toolchain
from cannery.compile.tokens import without_attributes

from ..processes import run_cannery
from ..selection import needs_clang

#: A kernel in the manner of template libraries: a class with a specialisation for each kind of
#: core, and functions for host and cores.
KERNEL = """#include "kernel_operator.h"
struct Shift {
    float amount;
    __forceinline__[host, aicore] explicit Shift(float by) : amount(by) {}
    template <int32_t kCore = g_coreType>
    __forceinline__ __aicore__ void operator()(GM_ADDR data) const;
    template <>
    __forceinline__ __aicore__ void operator()<AscendC::AIV>(GM_ADDR data) const {
        AscendC::TPipe pipe;
        AscendC::TBuf<AscendC::TPosition::VECCALC> buffer;
        pipe.InitBuffer(buffer, 32);
        auto local = buffer.Get<half>();
        AscendC::GlobalTensor<half> gm;
        gm.SetGlobalBuffer((__gm__ half*)data);
        AscendC::DataCopy(local, gm, 16);
        AscendC::PipeBarrier<PIPE_ALL>();
        AscendC::Adds(local, local, static_cast<half>(amount), 16);
        AscendC::PipeBarrier<PIPE_ALL>();
        AscendC::DataCopy(gm, local, 16);
    }
    template <>
    __forceinline__ __aicore__ void operator()<AscendC::AIC>(GM_ADDR) const {}
};
"""
PLAIN = """extern "C" __global__ __aicore__ void shift(GM_ADDR data) { Shift(0.5f)(data); }
"""
PROGRAM = """#include <cstdio>
#include "acl/acl.h"
#include "opdev/bfloat16.h"
#include "opdev/fp16_t.h"
#ifdef __CCE__
#include "shift.h"
#endif
template <class Operator>
__global__ __aicore__ void Adapter(Operator op, GM_ADDR data, uint64_t flags) {
    AscendC::SetSyncBaseAddr(flags);
    op(data);
}
int main() {
    aclrtStream stream = nullptr;
    uint64_t flags = 0;
    op::fp16_t host[16];
    for (int i = 0; i < 16; ++i) host[i] = i;
    void* data = nullptr;
    aclrtSetDevice(0);
    aclrtCreateStream(&stream);
    aclrtGetHardwareSyncAddr(reinterpret_cast<void**>(&flags));
    aclrtMalloc(&data, 32, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMemcpy(data, 32, host, 32, ACL_MEMCPY_HOST_TO_DEVICE);
    Adapter<Shift><<<1, nullptr, stream>>>(Shift(0.5f), (GM_ADDR)data, flags);
    if (aclrtSynchronizeStream(stream) != 0) return 1;
    aclrtMemcpy(host, 32, data, 32, ACL_MEMCPY_DEVICE_TO_HOST);
    op::bfloat16 sum = 0;
    for (const op::fp16_t each : host) sum += op::bfloat16(each);
    std::printf("sum %g\\n", float(sum));
    return 0;
}
"""


@pytest.fixture(autouse=True)
def _no_choice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CXX", raising=False)


@needs_clang
@pytest.mark.twin_only("a card has its own compiler")
def test_a_kernel_that_only_clang_accepts() -> None:
    kernel = cannery.compile_kernel(KERNEL + PLAIN, "shift")
    data = np.arange(16, dtype=np.float16)
    kernel(1, data)
    np.testing.assert_array_equal(data, np.arange(16, dtype=np.float16) + np.float16(0.5))
    again = cannery.compile_kernel(KERNEL + PLAIN, "shift")
    assert again.library == kernel.library


@needs_clang
@pytest.mark.twin_only("a card has its own compiler")
def test_variables_that_are_never_set_are_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    clang = toolchain.clang_command()
    assert clang is not None
    monkeypatch.setenv("CXX", " ".join(clang))
    kernel = cannery.compile_kernel(
        """#include "kernel_operator.h"
        __attribute__((noinline)) __aicore__ void Fill(int32_t* to, int32_t n) {
            for (int32_t i = 0; i < 64; ++i) { if (i >= n) { to[i] = 77 + i; } }
        }
        __attribute__((noinline)) __aicore__ int32_t Sum(int32_t n, bool all) {
            int32_t values[64];
            if (all) { Fill(values, n); }
            int32_t sum = 0;
            for (int32_t i = 0; i < 64; ++i) { sum += values[i]; }
            return sum;
        }
        extern "C" __global__ __aicore__ void zeros(GM_ADDR out, int32_t n) {
            __gm__ int32_t* result = (__gm__ int32_t*)out;
            result[1] = Sum(n, true);
            result[0] = Sum(n, false);
        }""",
        "zeros",
    )
    out = np.full(2, -1, np.int32)
    kernel(1, out, 0)
    assert list(out) == [0, sum(range(77, 77 + 64))]


@needs_clang
def test_a_program_that_only_clang_accepts(tmp_path: Path) -> None:
    (tmp_path / "shift.h").write_text(KERNEL)
    (tmp_path / "main.cpp").write_text(PROGRAM)
    done = run_cannery("cc", "--run", "main.cpp", "-o", "main", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "sum 128\n"
    assert "because g++ does not accept its C++" in done.stderr


def test_without_clang_the_error_says_how_to_get_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toolchain, "clang_command", lambda: None)
    error = cannery.CompileError("a.h:4: error: explicit specialization in non-namespace scope")
    with pytest.raises(cannery.CompileError, match=r"pip install 'cannery\[clang\]'"):
        toolchain.clang_instead(toolchain.find_toolchain(), error)
    monkeypatch.setenv("CXX", "g++")
    with pytest.raises(cannery.CompileError, match=r"try: no CXX"):
        toolchain.clang_instead(toolchain.find_toolchain(), error)
    monkeypatch.setattr(toolchain, "clang_command", lambda: ("/usr/bin/clang++-16",))
    with pytest.raises(cannery.CompileError, match=r"try: CXX=/usr/bin/clang\+\+-16, or no CXX"):
        toolchain.clang_instead(toolchain.find_toolchain(), error)


def test_other_errors_stay_as_they_are() -> None:
    error = cannery.CompileError("a.h:4: error: 'x' was not declared in this scope")
    with pytest.raises(cannery.CompileError) as caught:
        toolchain.clang_instead(toolchain.find_toolchain(), error)
    assert caught.value is error


def test_attributes_in_single_brackets() -> None:
    assert without_attributes("inline[host, aicore] int f();") == (
        "inline __attribute__(()) int f();"
    )
    own = "[aicore] static void f();\nclass A { [aicore] A(); [aicore] inline void g(); };"
    assert without_attributes(own) == own.replace("[aicore]", " __attribute__(())")
    kept = "auto f = [host](int i) { return inlined[host] + a[aicore]; };"
    assert without_attributes(kept) == kept


@pytest.mark.parametrize(
    "code",
    [
        'printf("[host] starting\\n");',
        'PRINTF("a \\" [aicore] b");',
        "call(\n    [host](int i) { return i; });",
        "std::function<int(int)> f{[host](int i) { return i; }};",
        "call(\n    [aicore] { return 1; });",
        "x = a[host];",
    ],
)
def test_brackets_that_are_no_attributes(code: str) -> None:
    assert without_attributes(code) == code
