# SPDX-License-Identifier: Apache-2.0
"""Kernels must print core after core, in program order, on every schedule."""

from __future__ import annotations

import re

import numpy as np
import pytest

import cannery

pytestmark = pytest.mark.twin_only("a card's runtime prints what its kernels print")

BLOCKS = 6
LINES = 40
# Several calls print one line, and after each line the cores wait for each other. A printf call
# with one argument goes to the C library's printf; the compiler turns this call into puts.
SOURCE = """
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void tell(__gm__ float* x, int32_t lines, int32_t fails) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    TPipe pipe;
    for (int32_t i = 0; i < lines; ++i) {
        printf("begin\\n");
        printf("%d of ", i);
        AscendC::printf("%s ", "block");
        PRINTF("%d %f", GetBlockIdx(), (half)0.5);
        printf("\\n");
        SyncAll<false>();
    }
    if ASCEND_IS_AIV {
        TBuf<TPosition::VECCALC> buf;
        pipe.InitBuffer(buf, 256);
        LocalTensor<int32_t> a = buf.Get<int32_t>();
        Duplicate(a, (int32_t)GetBlockIdx(), 64);
        PipeBarrier<PIPE_ALL>();
        DumpTensor(a, 7, 8);
        a.Print(8);
        KERNEL_LOG(KERNEL_INFO, "log %d", 3);
        assert(GetBlockIdx() != fails, "told of %d", (int32_t)GetBlockIdx());
    }
}
"""


@pytest.fixture(scope="module")
def kernel(shared_cache: object) -> cannery.Kernel:
    with cannery.use(cache_dir=shared_cache):  # type: ignore[arg-type]
        return cannery.compile_kernel(SOURCE, "tell")


def expected() -> str:
    text = ""
    for core in range(3 * BLOCKS):
        block, place = divmod(core, 3)
        kind, sub_block = ("AIC", 0) if place == 0 else ("AIV", place - 1)
        index = block if place == 0 else 2 * block + sub_block
        text += f"DumpHead: {kind}-{index}, CoreType={kind}, block dim={BLOCKS}, block={block}, "
        text += f"sub_block={sub_block}\n"
        for line in range(LINES):
            text += f"begin\n{line} of block {index} 0.500000\n"
        if kind == "AIV":
            text += "DumpTensor: desc=7, addr=0x0, data_type=int32_t, position=UB, dump_size=8\n"
            text += f"[{', '.join([str(index)] * 8)}]\n"
            text += f"0000 : {f'{index} ' * 8}\n"
            text += f"[INFO][Block_{block}][AIV_{sub_block}][tell.cpp:LINE][tell] log 3\n"
    return text


@pytest.mark.parametrize(("threads", "order"), [(1, 0), (2, 0), (4, 0), (2, 11), (4, 12)])
def test_every_schedule_prints_the_same(
    kernel: cannery.Kernel, capfd: pytest.CaptureFixture[str], threads: int, order: int
) -> None:
    with cannery.use(threads=threads, core_order=order):
        kernel(BLOCKS, np.zeros(8, np.float32), LINES, -1)
    assert re.sub(r"tell\.cpp:\d+", "tell.cpp:LINE", capfd.readouterr().out) == expected()


def test_an_assertion_names_the_core(
    kernel: cannery.Kernel, capfd: pytest.CaptureFixture[str]
) -> None:
    """After a failed assertion, the text that other cores have printed is not lost."""
    with cannery.use(threads=2), pytest.raises(cannery.KernelError) as caught:
        kernel(2, np.zeros(8, np.float32), 1, 2)
    assert caught.value.code == "T442"
    assert "told of 2\n  at tell.cpp:24 tell   core 4 AIV, block 1 of 2, subBlockIdx 0" in str(
        caught.value
    )
    heads = re.findall(r"DumpHead: (AI\w-\d)", capfd.readouterr().out)
    assert heads == ["AIC-0", "AIV-0", "AIV-1", "AIC-1", "AIV-2", "AIV-3"]


def test_a_line_that_is_not_ended(shared_cache: object, capfd: pytest.CaptureFixture[str]) -> None:
    source = """
#include "kernel_operator.h"
extern "C" __global__ __aicore__ void open(__gm__ float* x) {
    AscendC::printf("%s", "");
    AscendC::printf("block %d", (int32_t)AscendC::GetBlockIdx());
}
"""
    with cannery.use(cache_dir=shared_cache):  # type: ignore[arg-type]
        kernel = cannery.compile_kernel(source, "open")
    kernel(2, np.zeros(8, np.float32))
    lines = capfd.readouterr().out.splitlines()
    assert [line.partition(",")[0] for line in lines] == [
        *("DumpHead: AIV-0", "block 0", "DumpHead: AIV-1", "block 1")
    ]


def test_much_is_cut(shared_cache: object, capfd: pytest.CaptureFixture[str]) -> None:
    source = """
#include "kernel_operator.h"
extern "C" __global__ __aicore__ void much(__gm__ float* x, int32_t lines) {
    for (int32_t i = 0; i < lines; ++i) {
        AscendC::printf("%8192d\\n", i);
    }
}
"""
    with cannery.use(cache_dir=shared_cache):  # type: ignore[arg-type]
        much = cannery.compile_kernel(source, "much")
    with cannery.use(threads=2):
        much(2, np.zeros(8, np.float32), 2400)
    said = capfd.readouterr().out
    assert said.count("\n(the twin prints at most 16 MiB of a core)\n") == 2
    assert said.count("DumpHead") == 2
    assert len(said) < 34 << 20


NUMBERS = """
#include "kernel_operator.h"
using namespace AscendC;
enum class Mode : uint8_t { A = 7, B = 200 };
struct Sizes { static const int kRows = 3; };
extern "C" __global__ __aicore__ void numbers(GM_ADDR x) {
    int32_t n = -5;
    int8_t small = -1;
    printf("%ld %d %u %d %x\\n", n, Mode::B, Mode::B, small, small);
    printf("%ld %lu %d %d %c\\n", block_num, g_tilingKey, Sizes::kRows, true, 'z');
}
"""


def test_numbers_are_passed_with_64_bits(
    capfd: pytest.CaptureFixture[str], shared_cache: object
) -> None:
    """If an argument is narrower than its format, printf must still print its value."""
    with cannery.use(cache_dir=shared_cache):  # type: ignore[arg-type]
        for debug in (False, True):
            kernel = cannery.compile_kernel(NUMBERS, "numbers", debug=debug)
            kernel(1, np.zeros(8, np.float32), tiling_key=9)
            printed = capfd.readouterr().out
            assert "-5 200 200 -1 ffffffff\n1 9 3 1 z\n" in printed


FORMATS = """
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void formats(GM_ADDR x, float f) {
    printf("%d|%5d|%f|%s|%x|\\n", f, 3, 7, 5, f);
    PRINTF("%s|%d|%*d|%-6.2f|%5.1f|%%|", "text", "text", 6, 42, f, half(2.5f));
    printf("%c|%.*s|\\n", 'z', 2, "abc");
    printf("%d|%d|\\n", 1);
    printf("%lu|%ld|%hhd|%n|", uint64_t(1) << 40, -5L, 300, 4);
    printf("%u|%d|\\n", bfloat16_t(1.5f), half(2));
    printf("%d|%d|%u|%x|", int64_t(1) << 40, int64_t(-5), uint64_t(1) << 33, int64_t(7));
    printf("%2147483647d|%.9999999999d|%*d|\\n", 1, 2, -2147483647, 3);
    printf("%lld|%zu|%s|%s|%y|%\\n", 1LL, size_t(3), static_cast<const char*>(nullptr), x);
}
"""
FORMATTED = """\
(%d for a float, 1.5; use %f)|    3|(%f for an int32_t, 7; use %d)|(%s for an int32_t, 5; use %d)|\
(%x for a float, 1.5; use %f)|
text|(%d for a text; use %s)|    42|1.50  |  2.5|%|z|ab|
1|(%d without an argument)|
1099511627776|-5|44|(%n is not supported)|(%u for a bfloat16_t, 1.5; use %f)|\
(%d for a half, 2; use %f)|
(%d for an int64_t, 1099511627776; use %ld)|-5|(%u for a uint64_t, 8589934592; use %lu)|7|\
(%2147483647d: a width or precision above 10000)|(%.9999999999d: a width or precision above 10000)|\
(%*d: a width or precision above 10000)|
1|3|(null)|(%s for a pointer, ADDRESS; use %p)|%y|%
"""


def test_a_format_that_does_not_fit_its_argument(
    capfd: pytest.CaptureFixture[str], shared_cache: object
) -> None:
    """The printf of C would print the contents of a register, or use a number as a pointer."""
    with cannery.use(cache_dir=shared_cache):  # type: ignore[arg-type]
        kernel = cannery.compile_kernel(FORMATS, "formats")
    kernel(1, np.zeros(8, np.float32), 1.5)
    printed = capfd.readouterr().out.partition("\n")[2]
    assert re.sub("0x[0-9a-f]+", "ADDRESS", printed) == FORMATTED


def test_printf_of_the_c_library_is_checked_by_the_compiler(shared_cache: object) -> None:
    source = """
#include "kernel_operator.h"
extern "C" __global__ __aicore__ void formats(GM_ADDR x) { std::printf("%d", 1.5); }
"""
    with (
        cannery.use(cache_dir=shared_cache),  # type: ignore[arg-type]
        pytest.warns(cannery.KernelWarning, match=r"'%d' expects argument of type 'int'"),
    ):
        cannery.compile_kernel(source, "formats")


LONG = """
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void wordy(GM_ADDR x, int32_t bytes) {
    KERNEL_LOG(KERNEL_INFO, "%*d, the end", bytes, 7);
    assert(bytes < 0, "%*d, the end", bytes, 7);
}
"""


@pytest.mark.parametrize("length", [600, 1015, 1016, 5000])
def test_long_texts_are_whole_or_marked(
    capfd: pytest.CaptureFixture[str], shared_cache: object, length: int
) -> None:
    with cannery.use(cache_dir=shared_cache):  # type: ignore[arg-type]
        kernel = cannery.compile_kernel(LONG, "wordy")
    with pytest.raises(cannery.KernelError) as caught:
        kernel(1, np.zeros(8, np.float32), length)
    assert capfd.readouterr().out.endswith(f"{7:{length}}, the end\n")
    whole = f"{7:{length}}, the end"
    kept = whole if len(whole) <= 1024 else whole[:1024] + "... (cut at 1024 bytes)"
    assert str(caught.value).startswith(f"T442 assertion failed: bytes < 0, {kept}\n")
