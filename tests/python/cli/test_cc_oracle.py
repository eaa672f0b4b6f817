# SPDX-License-Identifier: Apache-2.0
"""`cannery cc --unit-test --run --oracle` must find results that are right only by chance."""

from __future__ import annotations

from pathlib import Path

import pytest

from .unit_test_programs import build_once, run, run_case

#: A kernel with five faults that one launch may hide. `mode` chooses the fault; 0 has none.
LUCK = """
__global__ __aicore__ void copy(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, int mode) {
    AscendC::TPipe pipe;
    AscendC::TBuf<AscendC::TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 512);
    AscendC::GlobalTensor<int32_t> from, to, between;
    const auto begin = AscendC::GetBlockIdx() * 64;
    from.SetGlobalBuffer((__gm__ int32_t*)x + begin, 64);
    to.SetGlobalBuffer((__gm__ int32_t*)y + begin, 64);
    between.SetGlobalBuffer((__gm__ int32_t*)workspace + begin, 64);
    auto local = buffer.Get<int32_t>();
    AscendC::DataCopy(local, from, 64);
    AscendC::PipeBarrier<PIPE_ALL>();
    if (mode == 2) {
        AscendC::DataCopy(local[64], between, 64);
        AscendC::PipeBarrier<PIPE_ALL>();
        AscendC::Add(local, local, local[64], 64);
        AscendC::PipeBarrier<PIPE_ALL>();
    }
    if (mode == 3) {
        *((int32_t*)x + begin) = 7;
    }
    if (mode == 4) {
        AscendC::Adds(local, local[64], 1, 64);
        AscendC::PipeBarrier<PIPE_ALL>();
    }
    AscendC::DataCopy(to, mode == 5 ? local[64] : local, mode == 1 ? 56 : 64);
}
int Luck(int mode) {
    auto x = (uint8_t*)AscendC::GmAlloc(1024), y = (uint8_t*)AscendC::GmAlloc(1024);
    auto workspace = (uint8_t*)AscendC::GmAlloc(1024);
    for (int i = 0; i < 256; ++i) {
        ((int32_t*)x)[i] = i;
    }
    const int failures = Try([&] { ICPU_RUN_KF(copy, 4, x, y, workspace, mode); });
    return failures != 0 ? 1 : ((int32_t*)y)[255] == 255 ? 0 : 2;
}
"""
#: A thread that counts in its own memory while another thread launches a kernel.
THREADS = """
__global__ __aicore__ void set(GM_ADDR y) {
    AscendC::TPipe pipe;
    AscendC::TBuf<AscendC::TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 32);
    AscendC::GlobalTensor<int32_t> to;
    to.SetGlobalBuffer((__gm__ int32_t*)y, 8);
    auto local = buffer.Get<int32_t>();
    AscendC::Duplicate<int32_t>(local, 7, 8);
    AscendC::PipeBarrier<PIPE_ALL>();
    AscendC::DataCopy(to, local, 8);
}
int Threads() {
    auto y = (uint8_t*)AscendC::GmAlloc(32);
    auto count = (volatile uint64_t*)AscendC::GmAlloc(8);
    std::atomic<bool> over{false}, back{false};
    std::thread counting([&] {
        for (uint64_t next = 1; !over; ++next) {
            back = back || *count != next - 1;
            *count = next;
        }
    });
    const int failures = Try([&] {
        for (int i = 0; i < 20; ++i) {
            ICPU_RUN_KF(set, 1, y);
        }
    });
    over = true;
    counting.join();
    return failures + (back ? 2 : 0);
}
"""
MAIN = """
void nothing() {}
int main(int, char** words) {
    const std::string what = words[1];
    if (what == "threads") {
        return Threads();
    }
    return what == "nothing" ? Try([&] { ICPU_RUN_KF(nothing, 1); }) : Luck(std::stoi(what));
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Builds the program of LUCK, THREADS and MAIN, and returns its folder."""
    source = f"#include <atomic>\n#include <string>\n#include <thread>\n{LUCK}{THREADS}{MAIN}"
    return build_once(tmp_path_factory, source)


@pytest.mark.parametrize(
    ("mode", "said"),
    [
        (0, ""),
        (1, "T611 output not fully written: 128 of 1024 B of argument y are never written, the "
            "first is byte 224"),
        (2, "T612 result differs: byte 4 of argument y is 0x01 in the test's own launch, 0xae "
            "with outputs and workspaces filled with 0xffc0dead"),
        (3, "T613 input changed: byte 0 of argument x was 0x00 and is 0x07, but no instruction of "
            "the kernel wrote there"),
        (4, "T612 result differs: byte 0 of argument y is 0xae in the test's own launch, 0x3d with "
            "outputs and workspaces filled with 0x5a5a5a5a, local memories with 0x3c3c3c3c, blocks "
            "in another order, 1 thread"),
        (5, "T612 result differs: byte 0 of argument y is 0xad in the test's own launch, 0x3c with "
            "outputs and workspaces filled with 0x5a5a5a5a, local memories with 0x3c3c3c3c, blocks "
            "in another order, 1 thread"),
    ],
)  # fmt: skip
@pytest.mark.hazards_off("what the oracle says of what the checker would refuse")
def test_oracle(program: Path, mode: int, said: str) -> None:
    done = run_case(program, str(mode), CANNERY_ORACLE="1")
    assert done.returncode == (0 if mode == 0 else 1), done.stdout + done.stderr
    assert done.stdout.splitlines()[:1] == ([said] if said else [])
    # Without CANNERY_ORACLE, Luck() finds a wrong result only in modes 1, 4 and 5.
    plain = run_case(program, str(mode))
    assert plain.returncode == (2 if mode in (1, 4, 5) else 0)


@pytest.mark.slow
@pytest.mark.hazards_off("what the oracle says of what the checker would refuse")
def test_oracle_sees_a_race(tmp_path: Path) -> None:
    """All blocks write the same bytes. The oracle finds that the last block decides the result."""
    source = """
    __global__ __aicore__ void all(GM_ADDR y) {
        AscendC::TPipe pipe;
        AscendC::TBuf<AscendC::TPosition::VECCALC> buffer;
        pipe.InitBuffer(buffer, 32);
        AscendC::GlobalTensor<int32_t> to;
        to.SetGlobalBuffer((__gm__ int32_t*)y, 8);
        auto local = buffer.Get<int32_t>();
        AscendC::Duplicate<int32_t>(local, AscendC::GetBlockIdx(), 8);
        AscendC::PipeBarrier<PIPE_ALL>();
        AscendC::DataCopy(to, local, 8);
    }
    int main() {
        auto y = (uint8_t*)AscendC::GmAlloc(32);
        return Try([&] { ICPU_RUN_KF(all, 8, y); });
    }
    """
    done = run(tmp_path, source, "--oracle")
    assert done.returncode == 1
    assert "T612 result differs: byte 0 of argument y" in done.stdout


def test_memory_of_other_threads_stays_theirs(program: Path) -> None:
    done = run_case(program, "threads", CANNERY_ORACLE="1")
    assert done.returncode == 0, done.stdout


def test_oracle_is_0_or_1(program: Path) -> None:
    assert run_case(program, "nothing").returncode == 0
    done = run_case(program, "nothing", CANNERY_ORACLE="yes")
    assert done.returncode == 1
    assert "CANNERY_ORACLE=yes: expected 0 or 1" in done.stdout
