# SPDX-License-Identifier: Apache-2.0
"""Tests that `cannery run FILE:KERNEL --gdb` starts gdb and passes it the given commands."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from ..processes import run_cannery

pytestmark = pytest.mark.twin_only("a debugger sees the twin's kernels")


@pytest.fixture(scope="module")
def gdb() -> None:
    """Skips the test if gdb is not installed or may not trace another process."""
    if shutil.which("gdb") is None:
        pytest.skip("gdb is not installed")
    tried = ["gdb", "-batch", "-ex", "run", "--args", sys.executable, "-c", ""]
    done = subprocess.run(tried, capture_output=True, text=True, timeout=300, check=False)
    if "exited normally" not in done.stdout:
        pytest.skip(f"gdb cannot run a program here: {done.stderr.strip()[-200:]}")


SOURCE = """#include "kernel_operator.h"
using namespace AscendC;

class KernelAdd {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, uint32_t count) {
        x_.SetGlobalBuffer((__gm__ half*)x + GetBlockIdx() * count, count);
        y_.SetGlobalBuffer((__gm__ half*)y + GetBlockIdx() * count);
        pipe_.InitBuffer(in_, 2, count * sizeof(half));
        pipe_.InitBuffer(out_, 1, count * sizeof(half));
        pipe_.InitBuffer(tmp_, 512);
    }
    __aicore__ inline void Process(uint32_t count) {
        LocalTensor<half> in = in_.AllocTensor<half>();
        DataCopy(in, x_, count);
        in_.EnQue(in);
        in = in_.DeQue<half>();
        LocalTensor<half> sum = out_.AllocTensor<half>();
        Add(sum, in, in, count);
        LocalTensor<half> tail = sum[count - 16];
        LocalTensor<bfloat16_t> other = tmp_.Get<bfloat16_t>();
        Duplicate(other, (bfloat16_t)1.5f, 128);
        half first = sum.GetValue(1);
        bfloat16_t second = other.GetValue(0);
        LocalTensor<int8_t> bytes = tmp_.Get<int8_t>();
        out_.EnQue(sum);  // stop
        sum = out_.DeQue<half>();
        DataCopy(y_, sum, count + EXTRA);  // store
        out_.FreeTensor(sum);
        in_.FreeTensor(in);
    }

private:
    TPipe pipe_;
    TQue<TPosition::VECIN, 2> in_;
    TQue<TPosition::VECOUT, 1> out_;
    TBuf<TPosition::VECCALC> tmp_;
    GlobalTensor<half> x_, y_, unset_;
};

extern "C" __global__ __aicore__ void add(GM_ADDR x, GM_ADDR y, uint32_t count) {
    KernelAdd op;  // entry
    op.Init(x, y, count);
    op.Process(count);
}
"""


def line_of(mark: str) -> int:
    (line,) = [i for i, text in enumerate(SOURCE.splitlines(), 1) if text.endswith(f"// {mark}")]
    return line


def cannery(*arguments: str, status: int = 0, **environment: str) -> str:
    done = run_cannery("run", *arguments, env={**os.environ, "COLUMNS": "200", **environment})
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns the path of a kernel source, which tests must not change."""
    path = tmp_path_factory.mktemp("source") / "add.cpp"
    path.write_text(SOURCE)
    return path


ARGUMENTS = ("--arg", "float16[128]=arange", "--arg", "float16[128]=zeros", "--arg", "64")


def session(source: Path, *commands: str, extra: int = 0, status: int = 0) -> str:
    told = [word for command in commands for word in ("-ex", command)]
    arguments = (*ARGUMENTS, "--blocks", "2", "-D", f"EXTRA={extra}")
    return cannery(f"{source}:add", *arguments, "--gdb", *told, status=status)


@pytest.mark.usefixtures("gdb")
@pytest.mark.release
def test_session(source: Path) -> None:
    stop = f"tbreak {source}:{line_of('stop')}"
    said = session(
        source,
        *(stop, "continue", "info locals", "print *this"),
        *("next", "print in_", "print out_", "step", "step", "up", "continue"),
    )
    assert re.search(rf"Temporary breakpoint 1, add .*add\.cpp:{line_of('entry')}\n", said)
    assert f"{line_of('entry')}\t    KernelAdd op;  // entry" in said
    assert said.count("[core 0 AIV, block 0 of 2]") >= 2
    assert re.search(rf"KernelAdd::Process .*add\.cpp:{line_of('stop')}\n", said)
    first = ", ".join(str(2 * i) for i in range(16))
    assert (
        f"sum = LocalTensor<half>, 64 elements at UB+0x100, VECOUT #1 slot 0 = {{{first}...}}"
        in said
    )
    tail = ", ".join(str(2 * i) for i in range(48, 64))
    assert f"tail = LocalTensor<half>, 16 elements at UB+0x160, VECOUT #1 slot 0 = {{{tail}" in said
    assert (
        "other = LocalTensor<bfloat16_t>, 256 elements at UB+0x180, TBuf #2 slot 0 = {1.5, 1.5"
        in said
    )
    assert (
        "bytes = LocalTensor<signed char>, 512 elements at UB+0x180, TBuf #2 slot 0 = {-64, 63,"
        in said
    )
    assert "\nfirst = 2\nsecond = 1.5\n" in said
    assert "pipe_ = TPipe, 4 buffers: UB 896 B" in said
    assert "in_ = VECIN #0 of depth 2, 0 enqueued, 2 x 128 B = {slot 0 = DEQUE at 0x0, slot" in said
    assert "tmp_ = TBuf of 512 B at 0x180" in said
    assert "x_ = GlobalTensor<half>, 64 elements at argument x+0x0 = {0, 1, 2, 3," in said
    assert "y_ = GlobalTensor<half> at argument y+0x0 = {0, 0, 0, 0," in said
    assert "unset_ = GlobalTensor<half> without SetGlobalBuffer" in said
    assert "VECOUT #1 of depth 1, 1 enqueued, 1 x 128 B = {slot 0 = ENQUE at 0x100}" in said
    # gdb steps over calls of Ascend C functions.
    assert f"\n{line_of('store')}\t" in said
    assert "add, 2 blocks, twin of Ascend910B2, hazards auto-sync, mode strict: ok" in said
    assert "exited normally" in said


@pytest.mark.usefixtures("gdb")
@pytest.mark.release
def test_it_stops_where_the_twin_finds_an_error(source: Path) -> None:
    # Without a terminal, the command exits with the status of the run.
    said = session(source, "continue", "info locals", "continue", extra=192, status=1)
    stop, _, end = said.partition("[the twin has found an error here; `continue` has it say which]")
    assert "[core 0 AIV, block 0 of 2]" in stop
    assert f"{line_of('store')}\t" in end
    assert "sum = LocalTensor<half>, 64 elements at UB+0x100, VECOUT #1 slot 0 = {0, 2, 4," in end
    assert "error: T107 tensor too small: DataCopy src covers 512 B" in end
    assert f"\n  at {source}:{line_of('store')} Process   core 0 AIV" in end


ELEMENTS = """#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void elements(GM_ADDR x) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> some, all, none, pointer;
    pipe.InitBuffer(some, 64);
    pipe.InitBuffer(all, 32);
    pipe.InitBuffer(none, 32);
    pipe.InitBuffer(pointer, 32);
    GlobalTensor<int32_t> xGm;
    xGm.SetGlobalBuffer((__gm__ int32_t*)x, 4);
    LocalTensor<half> halves = some.Get<half>();
    Duplicate(halves, (half)2.5f, 13);
    halves.SetValue(20, (half)-1);
    LocalTensor<uint32_t> poison = all.Get<uint32_t>();
    Duplicate(poison, 0xFFC0DEADu, 8);
    LocalTensor<int8_t> bytes = all.Get<int8_t>();
    LocalTensor<float> empty = none.Get<float>();
    LocalTensor<int16_t> raw = pointer.Get<int16_t>();
    *(int16_t*)raw.GetPhyAddr(1) = 7;
    LocalTensor<int4b_t> fours = pointer.Get<int4b_t>();
    pipe_barrier(PIPE_ALL);  // stop
}
"""


@pytest.mark.usefixtures("gdb")
@pytest.mark.parametrize("level", [pytest.param("off", marks=pytest.mark.slow), "auto-sync"])
def test_elements_and_what_nothing_has_written(tmp_path: Path, level: str) -> None:
    (tmp_path / "elements.cpp").write_text(ELEMENTS)
    (line,) = [i for i, text in enumerate(ELEMENTS.splitlines(), 1) if "// stop" in text]
    asked = ("halves[12]", "halves[13]", "halves[20]", "bytes[0]", "empty[3]", "raw[1]", "fours[4]")
    asked += ("xGm[2]", "raw[1] + 1", "halves[64]", "empty", "raw", "fours", "halves")
    settings = (f"break elements.cpp:{line}", "continue", "set print elements 64")
    commands = (*settings, *(f"print {each}" for each in asked))
    told = [word for command in commands for word in ("-ex", command)]
    file = f"{tmp_path / 'elements.cpp'}:elements"
    said = cannery(file, "--arg", "int32[4]=arange", "--hazards", level, "--gdb", *told)
    values = re.findall(r"^\$\d+ = (.*)$", said, re.MULTILINE)
    never = '"never written"'
    assert values[:9] == ["2.5", never, "-1", "-83", never, "7", "7", "2", "8"]
    assert "index 64: the tensor has 32 elements" in said
    assert [value.partition(" = ")[2] for value in values[9:]] == [
        "{never written (8 elements)}",
        "{never written, 7, never written (14 elements)}",
        "{never written (4 elements), 7, 0, 0, 0, never written (56 elements)}",
        "{" + "2.5, " * 13 + "never written (7 elements), -1, never written (11 elements)}",
    ]


@pytest.mark.release
@pytest.mark.usefixtures("gdb")
def test_session_of_the_page(tmp_path: Path) -> None:
    """Runs the example of docs/debugging.md and compares gdb's output; "..." on the page matches
    any text."""
    page = (Path(__file__).resolve().parents[3] / "docs" / "debugging.md").read_text()
    blocks = [
        textwrap.dedent(found) for found in re.findall(r"(?:^(?:    .*)?\n)+", page, re.MULTILINE)
    ]
    source = next(block for block in blocks if "kernel_operator.h" in block)
    command = next(block for block in blocks if "cannery run" in block)
    expected = next(block for block in blocks if "hit Temporary breakpoint" in block)
    (tmp_path / "scale.cpp").write_text(source.strip() + "\n")
    words = shlex.split(command.replace("\\\n", ""))[2:]
    words[0] = str(tmp_path / words[0])
    said = cannery(*words)
    for line in filter(None, expected.splitlines()):
        assert re.search(re.escape(line.strip()).replace(r"\.\.\.", ".*"), said), (line, said)


@pytest.mark.slow
@pytest.mark.usefixtures("gdb")
def test_what_the_compiler_says_is_not_said_in_gdb(tmp_path: Path) -> None:
    (tmp_path / "add.cpp").write_text(SOURCE.replace("op.Init(x", "op.Initialise(x"))
    said = cannery(f"{tmp_path / 'add.cpp'}:add", *ARGUMENTS, "-D", "EXTRA=0", "--gdb", status=1)
    assert "has no member named 'Initialise'" in said
    assert "Starting program" not in said


@pytest.mark.release
def test_without_gdb(source: Path, tmp_path: Path) -> None:
    for name in ("g++", "as", "ld"):
        (tmp_path / name).symlink_to(str(shutil.which(name)))
    said = cannery(
        *(f"{source}:add", *ARGUMENTS, "-D", "EXTRA=0", "--gdb"), status=1, PATH=str(tmp_path)
    )
    assert "--gdb: gdb is not on PATH; install it (Debian, Ubuntu: apt install gdb; RHEL," in said


@pytest.mark.slow
def test_debug_without_gdb(source: Path) -> None:
    options = ("-D", "EXTRA=((int)count*(1<<26))", "--debug")
    said = cannery(f"{source}:add", *ARGUMENTS, *options, status=1)
    assert "T510 number does not fit its type: 64 * 67108864 = 4294967296 is not in int32_t" in said
    assert f"add.cpp:{line_of('store')}" in said


def test_mistakes(source: Path) -> None:
    said = cannery(f"{source}:add", *ARGUMENTS, "-D", "EXTRA=0", "-ex", "bt", status=2)
    assert "-ex: a command for gdb; expected --gdb with it" in said
    assert "--gdb: of a kernel, FILE:KERNEL; what is to run is 'swi_glu_grad'" in cannery(
        "swi_glu_grad", "--gdb", status=2
    )
