# SPDX-License-Identifier: Apache-2.0
"""Tests ICPU_RUN_KF: what it accepts as a kernel, on which cores the kernel runs, and which memory
the kernel may use. Also tests GmAlloc.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from .unit_test_programs import build_once, run, run_case

#: A kernel in which every core writes its index plus 100 (cube core) or 200 (vector core).
WHO = """
extern "C" __global__ __aicore__ void who(GM_ADDR y) {
    AscendC::GlobalTensor<int32_t> to;
    to.SetGlobalBuffer((__gm__ int32_t*)y, 64 * 16);
    int32_t value = 0;
    if ASCEND_IS_AIC {
        value = 100;
    }
    if ASCEND_IS_AIV {
        value = 200;
    }
    value += AscendC::GetBlockIdx();
    const int32_t place = (g_coreType == AscendC::AIC ? 0 : 8) + AscendC::GetBlockIdx();
    to.SetValue(place * 16, value);
    AscendC::DataCacheCleanAndInvalid<int32_t, AscendC::CacheLine::SINGLE_CACHE_LINE,
                                      AscendC::DcciDst::CACHELINE_OUT>(to[place * 16]);
}
void Show(const char* name) {
    int32_t* y = (int32_t*)AscendC::GmAlloc(64 * 64);
    ICPU_RUN_KF(who, 2, (uint8_t*)y);
    std::printf("%s:", name);
    for (int i = 0; i < 64; ++i) {
        if (y[i * 16] != 0) {
            std::printf(" %d", y[i * 16]);
        }
    }
    std::printf("\\n");
    AscendC::GmFree(y);
}
int Modes() {
    Show("none");
    AscendC::SetKernelMode(KernelMode::AIV_MODE);
    Show("vector");
    AscendC::SetKernelMode(KernelMode::AIC_MODE);
    Show("cube");
    AscendC::SetKernelMode(KernelMode::MIX_MODE);
    Show("mix");
    AscendC::SetKernelMode(KernelMode::MIX_AIC_1_1);
    Show("one to one");
    return 0;
}
"""
#: Calls of ICPU_RUN_KF with every kind of kernel and argument that it accepts.
CALLED = """
template <typename T, int step>
__global__ __aicore__ void fill(GM_ADDR y, int32_t value) {
    AscendC::TPipe pipe;
    AscendC::TBuf<AscendC::TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 64);
    AscendC::GlobalTensor<T> to;
    to.SetGlobalBuffer((__gm__ T*)y, 16);
    auto local = buffer.Get<T>();
    AscendC::Duplicate<T>(local, T(value * step), 16);
    AscendC::PipeBarrier<PIPE_ALL>();
    AscendC::DataCopy(to, local, 16);
}
void Launch(void (*kernel)(GM_ADDR, int32_t), GM_ADDR y) { ICPU_RUN_KF(kernel, 1, y, 5); }
int Called() {
    auto y = (GM_ADDR)AscendC::GmAlloc(64);
    const auto first = [y] { return *(float*)y; };
    ICPU_RUN_KF((fill<float, 2>), 1, y, 7);
    std::printf("%g ", first());
    auto wrapper = [](GM_ADDR to, int32_t value) { fill<float, 3>(to, value); };
    ICPU_RUN_KF(wrapper, 1, y, 4);
    std::printf("%g ", first());
    Launch(fill<float, 1>, y);
    std::printf("%g\\n", first());
    return 0;
}
"""
MEMORY = """
__global__ __aicore__ void scalar(GM_ADDR x) {
    AscendC::GlobalTensor<int32_t> to;
    to.SetGlobalBuffer((__gm__ int32_t*)x, 8);
    to.SetValue(5, 1);
}
int Memory() {
    auto x = (uint8_t*)AscendC::GmAlloc(20);
    int32_t host[8] = {};
    Try([&] { ICPU_RUN_KF(scalar, 1, x); });
    Try([&] { ICPU_RUN_KF(scalar, 1, (uint8_t*)&host[0]); });
    AscendC::GmFree(x);
    Try([&] { AscendC::GmFree(x); });
    Try([&] { AscendC::GmAlloc(size_t{1} << 50); });
    Try([&] { AscendC::SetKernelMode(static_cast<KernelMode>(9)); });
    return 0;
}
"""
#: A mix kernel that uses all of L1 on its cube core, and a kernel that launches another kernel.
REST = """
__global__ __aicore__ void all(GM_ADDR y) {
    if ASCEND_IS_AIC {
        AscendC::TPipe pipe;
        AscendC::TBuf<AscendC::TPosition::A1> buffer;
        pipe.InitBuffer(buffer, AscendC::TOTAL_L1_SIZE);
    }
}
int AllOfL1() {
    AscendC::SetKernelMode(KernelMode::MIX_MODE);
    auto y = (uint8_t*)AscendC::GmAlloc(64);
    return Try([&] { ICPU_RUN_KF(all, 1, y); });
}
void inner() {}
int Inside() {
    return Try([] {
        auto outer = [] { ICPU_RUN_KF(inner, 1); };
        ICPU_RUN_KF(outer, 1);
    });
}
int main(int, char** words) {
    const std::string what = words[1];
    return what == "modes"    ? Modes()
           : what == "called" ? Called()
           : what == "memory" ? Memory()
           : what == "l1"     ? AllOfL1()
                              : Inside();
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns the folder of a program that contains WHO, CALLED, MEMORY and REST."""
    return build_once(tmp_path_factory, f"#include <string>\n{WHO}{CALLED}{MEMORY}{REST}")


@pytest.mark.slow
def test_the_mode_chooses_the_cores(program: Path) -> None:
    done = run_case(program, "modes")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines() == [
        "none: 200 201",
        "vector: 200 201",
        "cube: 100 101",
        "mix: 100 101 200 201 202 203",
        "one to one: 100 101 200 201",
    ]


def test_what_can_be_called_is_a_kernel(program: Path) -> None:
    assert run_case(program, "called").stdout == "14 12 5\n"


def test_memory(program: Path) -> None:
    lines = [line for line in run_case(program, "memory").stdout.splitlines() if line[:1].strip()]
    assert "T101 GM out of bounds" in lines[0]
    assert "argument x, which has 20 B" in lines[0]
    assert lines[1].startswith("T102 unknown GM address")
    assert lines[2].startswith("GmFree: ")
    assert "freed already" in lines[2]
    assert lines[3].startswith("GmAlloc: size is 1125899906842624 bytes")
    assert lines[4].startswith("SetKernelMode: mode is 9; expected KernelMode::AIV_MODE")


def test_a_kernel_launches_none(program: Path) -> None:
    done = run_case(program, "inside")
    assert done.returncode == 1
    assert "ICPU_RUN_KF: called inside a kernel" in done.stdout


def test_all_of_l1_is_there(program: Path) -> None:
    done = run_case(program, "l1")
    assert done.returncode == 0, done.stdout


def test_a_kernel_that_exits_ends_its_case_only(tmp_path: Path) -> None:
    source = """
extern "C" __global__ __aicore__ void leaves(GM_ADDR x) {
    if (x != nullptr) {
        exit(0);  // here
    }
}
int main() {
    auto* x = static_cast<uint8_t*>(AscendC::GmAlloc(64));
    const int failed = Try([&] { ICPU_RUN_KF(leaves, 1, x); });
    exit(failed + 4);
}
"""
    done = run(tmp_path, source)
    line = (tmp_path / "test.cpp").read_text().partition("// here")[0].count("\n") + 1
    assert done.returncode == 5, done.stdout + done.stderr
    assert "T513 process call: the kernel called exit(0)," in done.stdout
    assert f"test.cpp:{line} " in done.stdout
