# SPDX-License-Identifier: Apache-2.0
"""Kernels that attack their process must end with an error, and the process must continue."""

from __future__ import annotations

import mmap
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cannery

from ..processes import PEAK_MIB
from .test_runner import python

SOURCE = Path(__file__).parents[2] / "fixtures" / "kernels" / "device" / "hostile.cpp"
ELEMS = 4096
ADD, PRINT, GROW, MEET, FRAME, BEHIND, TRAP, ENDLESS_ADD = range(8)
THROW, LATE, LINES, MUCH, LOCK, BEFORE, NO_MEMORY, SLEEP, FREE = range(8, 17)


@pytest.fixture(scope="module")
def kernel() -> Any:
    return cannery.compile_kernel(SOURCE, "hostile", portable=False)


def run(kernel: Any, key: int, blocks: int = 1) -> np.ndarray:
    out = np.zeros(ELEMS, np.float32)
    kernel(blocks, np.ones((blocks, ELEMS), np.float32), out, tiling_key=key)
    return out


@pytest.mark.parametrize(
    ("key", "code", "said"),
    [
        (PRINT, "T507", "no instruction"),
        (GROW, "T507", "no instruction"),
        (MEET, "T508", "nothing new"),
        (FRAME, "T502", "frames exceed"),
        (BEHIND, "T501", r"UB\+0x30040, outside its 196608 B"),
        (BEFORE, "T501", r"UB-0x40, outside its 196608 B"),
        (TRAP, "T504", "trap"),
        (NO_MEMORY, "T605", "no memory"),
    ],
)
def test_the_kernel_ends_and_the_process_goes_on(
    kernel: Any, key: int, code: str, said: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with cannery.use(timeout_s=0.3), pytest.raises(cannery.AclError, match=f"^{code} .*{said}"):
        run(kernel, key, blocks=2)
    capfd.readouterr()
    assert (run(kernel, ADD) == 1).all()


@pytest.mark.slow
def test_a_timeout_leaves_no_lock_of_the_c_library_behind(kernel: Any) -> None:
    """These kernels hold a lock of the C library nearly all the time. A timeout must free it."""
    for _ in range(5):
        for key in (PRINT, GROW):
            with cannery.use(timeout_s=0.05), pytest.raises(cannery.KernelError, match="T507"):
                run(kernel, key, blocks=4)
    assert [bytearray(1 << 16) for _ in range(100)]


@pytest.mark.slow
def test_a_kernel_that_sleeps_is_late_although_a_signal_wakes_it(kernel: Any) -> None:
    for _ in range(5):
        with cannery.use(timeout_s=0.05), pytest.raises(cannery.KernelError, match="T507"):
            run(kernel, SLEEP)


@pytest.mark.slow
@pytest.mark.twin_only("launches a kernel of the type MIX_AIV_1_0")
def test_a_destroyed_heap_ends_the_process_and_does_not_hang_it() -> None:
    """The allocator aborts with its lock held; the process ends with a message and does not
    hang."""
    with pytest.raises(AssertionError, match="a kernel has destroyed the heap of this process"):
        python(
            f"""
            kernel = cannery.compile_kernel({str(SOURCE)!r}, "hostile", portable=False)
            kernel(1, *np.ones((2, 4096), np.float32), tiling_key={FREE})
            """
        )


@pytest.mark.release
def test_a_kernel_that_hangs_in_a_lock_is_left_behind() -> None:
    python(
        f"""
        import time
        kernel = cannery.compile_kernel({str(SOURCE)!r}, "hostile", portable=False)
        other = cannery.compile_kernel({str(SOURCE)!r}, "hostile", {{"OTHER": 1}}, portable=False)
        start = time.monotonic()
        for code, said in (("T507", "does not come back"), ("T608", "cannot run again")):
            try:
                with cannery.use(timeout_s=0.1):
                    kernel(1, *np.zeros((2, 4096), np.float32), tiling_key={LOCK})
            except Exception as error:
                assert code in str(error) and said in str(error), error
            else:
                raise AssertionError(code)
        assert time.monotonic() - start < 40
        agree(y_grad, x)
        out = np.zeros(4096, np.float32)
        other(1, np.ones(4096, np.float32), out)
        assert (out == 1).all()
        """
    )


def test_an_exception_that_leaves_the_kernel_is_destroyed(kernel: Any) -> None:
    for _ in range(3):
        out = np.zeros(ELEMS, np.float32)
        with pytest.raises(cannery.KernelError, match="T506"):
            kernel(1, np.ones(ELEMS, np.float32), out, tiling_key=THROW)
        assert out[0] == 0


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("order", [0, 1, 2, 3, 4])
def test_the_lowest_core_that_can_fail_is_reported(kernel: Any, threads: int, order: int) -> None:
    with (
        cannery.use(threads=threads, core_order=order),
        pytest.raises(cannery.KernelError, match=r"(?s)T101 .*block 1 of 60") as error,
    ):
        run(kernel, LATE, blocks=60)
    assert "byte 2147483648 of argument out" in str(error.value)


@pytest.mark.parametrize("order", [0, 1, 2])
def test_large_logs_of_atomic_copies_keep_their_order(kernel: Any, order: int) -> None:
    """Atomic adds keep the order of blocks, even if a core's log has no room for all of them."""
    rng = np.random.default_rng(4)
    x = rng.standard_normal((3, ELEMS)).astype(np.float32)
    want = np.zeros(ELEMS, np.float32)
    for row in x:
        for _ in range(1200):
            want += row
    out = np.zeros(ELEMS, np.float32)
    with cannery.use(threads=2, core_order=order):
        kernel(3, x, out, tiling_key=MUCH)
    np.testing.assert_array_equal(out, want)


@pytest.mark.release
@pytest.mark.twin_only("launches a kernel of the type MIX_AIV_1_0")
def test_endless_atomic_copies_take_bounded_memory() -> None:
    peak = python(
        f"""
        kernel = cannery.compile_kernel({str(SOURCE)!r}, "hostile", portable=False)
        for blocks in (1, 3):
            try:
                with cannery.use(timeout_s=1):
                    kernel(blocks, np.ones((blocks, 4096), np.float32), np.zeros(4096, np.float32),
                           tiling_key={ENDLESS_ADD})
            except cannery.KernelError as error:
                assert error.code == "T508", error
        print({PEAK_MIB})
        """
    )
    assert int(peak) < 500, "MiB"


@pytest.mark.parametrize("shift", range(0, 64, 4))
def test_verdicts_about_lines_do_not_depend_on_the_host(kernel: Any, shift: int) -> None:
    """Checks of cache lines do not depend on the address of an array on the host."""
    blocks = 20
    memory = np.zeros(64 * (blocks + 2), np.uint8)
    start = -memory.ctypes.data % 64 + shift
    out = memory[start : start + 64 * blocks].view(np.float32)
    x = np.arange(16 * blocks, dtype=np.float32)
    kernel(blocks, x, out, tiling_key=LINES)
    np.testing.assert_array_equal(out, x + 1)


@pytest.mark.hazards_off("nobody reads what stays in the cache: a rule of strict mode alone")
def test_views_inside_an_argument_keep_their_offset(kernel: Any) -> None:
    """Blocks share cache lines if the array starts 32 B into its container, so T311 is reported."""
    memory = np.zeros(16 * 20 + 8, np.float32)
    with pytest.raises(cannery.KernelError, match=r"T311 .*byte 64 of argument x"):
        kernel(1, memory, memory[8:], tiling_key=LINES)


@pytest.mark.parametrize("strided", [False, True])
def test_a_mapped_file_that_was_cut(kernel: Any, tmp_path: Path, strided: bool) -> None:
    """A kernel, or a call with a strided array, fails if it reads a mapped file that was cut."""
    path = tmp_path / "x.bin"
    path.write_bytes(bytes(4 * ELEMS))
    with path.open("r+b") as file:
        x = np.frombuffer(mmap.mmap(file.fileno(), 0), np.float32)
        file.truncate(4096)

    def call() -> None:
        if strided:
            cannery.swi_glu_grad(np.ones((64, 1), np.float32), x.reshape(64, -1)[:, ::32])
        else:
            kernel(1, x, np.zeros(ELEMS, np.float32))

    with pytest.raises(cannery.KernelError, match="T501"):
        call()
    assert (run(kernel, ADD) == 1).all()


@pytest.mark.parametrize("suffix", ["txt", "jsonl"])
def test_dump_to_a_full_disk(kernel: Any, tmp_path: Path, suffix: str) -> None:
    link = tmp_path / f"dump.{suffix}"
    link.symlink_to("/dev/full")
    with pytest.raises(Exception, match=r"T609 .*dump.* is incomplete.*No space left"):
        kernel(1, np.ones(ELEMS, np.float32), np.zeros(ELEMS, np.float32), dump=link)


INITIALISED = """
    #include <unistd.h>
    #include "kernel_operator.h"
    struct Global {{ Global() : value(getpid()) {{ {body} }} int value; }} object;
    extern "C" __global__ __aicore__ void initialised(GM_ADDR x) {{}}
"""
INITIALISERS = {
    "throws": "throw 1;",
    "ends the process": "_exit(3);",
    "ends the process with status 0": "_exit(0);",
    "crashes": "volatile uintptr_t at = 8; *reinterpret_cast<int*>(at) = 1;",
    "never ends": "volatile int forever = 1; while (forever != 0) {}",
}


@pytest.mark.slow
@pytest.mark.parametrize(
    "body",
    [
        pytest.param(body, id=name, marks=[pytest.mark.release] if name == "never ends" else [])
        for name, body in INITIALISERS.items()
    ],
)
def test_static_initialisers(body: str) -> None:
    source = INITIALISED.format(body=body)
    kernel = cannery.compile_kernel(source, "initialised")
    start = time.monotonic()
    with pytest.raises(Exception, match="T607"):
        kernel(1, np.zeros(8, np.float32))
    assert time.monotonic() - start < 30


NO_FORK = """
#include <cerrno>
#include <unistd.h>
extern "C" pid_t fork() {
    errno = EAGAIN;
    return -1;
}
"""


@pytest.mark.slow
def test_static_initialisers_that_no_process_can_try(tmp_path: Path) -> None:
    """If the twin cannot start a process, it must not load a kernel with static initialisers."""
    (tmp_path / "no_fork.cpp").write_text(NO_FORK)
    library = tmp_path / "no_fork.so"
    command = ["g++", "-shared", "-fPIC", str(tmp_path / "no_fork.cpp"), "-o", str(library)]
    subprocess.run(command, check=True)
    code = f"""
import cannery, numpy as np
source = {INITIALISED.format(body="")!r}
kernel = cannery.compile_kernel(source, "initialised")
try:
    kernel(1, np.zeros(8, np.float32))
except Exception as error:
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "LD_PRELOAD": str(library)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "T607 static initialisers: those of the global objects in" in done.stdout, done.stderr
    assert "cannot be tried, because no process can be started (Resource" in done.stdout


@pytest.mark.slow
def test_good_static_initialisers_run() -> None:
    source = """
    #include <cstdlib>
    #include "kernel_operator.h"
    struct Global { Global() : value(std::getenv("PATH") != nullptr ? 3 : 4) {} int value; } object;
    extern "C" __global__ __aicore__ void initialised(GM_ADDR x) {
        AscendC::GlobalTensor<int32_t> gm;
        gm.SetGlobalBuffer((__gm__ int32_t*)x);
        gm.SetValue(0, object.value);
        AscendC::DataCacheCleanAndInvalid<int32_t, AscendC::CacheLine::SINGLE_CACHE_LINE>(gm);
    }
    """
    out = np.zeros(16, np.int32)
    cannery.compile_kernel(source, "initialised", portable=False)(1, out)
    assert out[0] == 3


@pytest.mark.twin_only("launches a kernel of the type MIX_AIV_1_0")
@pytest.mark.release
def test_a_fork_while_a_launch_runs() -> None:
    output = python(
        f"""
        import os, threading, time
        kernel = cannery.compile_kernel({str(SOURCE)!r}, "hostile", portable=False)
        def work():
            try:
                with cannery.use(timeout_s=1):
                    kernel(1, np.ones(4096, np.float32), np.zeros(4096, np.float32),
                           tiling_key={ENDLESS_ADD})
            except cannery.KernelError:
                pass
        thread = threading.Thread(target=work)
        thread.start()
        time.sleep(0.5)
        child = os.fork()
        if child == 0:
            try:
                agree(y_grad, x)
            except RuntimeError as error:
                os._exit(7 if "spawn" in str(error) else 8)
            os._exit(9)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        thread.join()
        """
    )
    assert output == "7\n"
