# SPDX-License-Identifier: Apache-2.0
"""Tests compile_kernel with the backend npu: command lines, generated source, and messages."""

from __future__ import annotations

import ast
import os
import shlex
import subprocess
from pathlib import Path

import pytest

from cannery.testing.toolkit import Toolkit

from ..selection import rest_slow
from .conftest import python

KERNEL = r"""
SOURCE = r'''
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void add(GM_ADDR x, __gm__ float* y, GM_ADDR tiling)
{
    TPipe pipe;
    TBuf<> buffer;
    pipe.InitBuffer(buffer, 2048);
    GlobalTensor<float> from, to;
    from.SetGlobalBuffer((__gm__ float*)x);
    to.SetGlobalBuffer(y);
    LocalTensor<float> tile = buffer.Get<float>();
    DataCopy(tile, from, 64);
    PipeBarrier<PIPE_ALL>();
    Adds(tile, tile, TILING_KEY_IS(7) ? 100.0f : STEP, 64);
    PipeBarrier<PIPE_ALL>();
    DataCopy(to, tile, 64);
}
'''
def run(kernel, **options):
    x, y = np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
    kernel(1, x, y, tiling=b"12345678", **options)
    return (y - x).tolist()
"""


def script(tmp_path: Path, code: str) -> str:
    return f"cannery.use(cache_dir={str(tmp_path / 'cache')!r})\n{KERNEL}\n{code}"


def compiled(tmp_path: Path, code: str) -> str:
    """Returns a script that shares its cache with other tests; `code` compiles only SOURCE."""
    return script(tmp_path.parent, code)


@pytest.mark.release
def test_keys_are_compilations_of_their_own(toolkit: Toolkit, tmp_path: Path) -> None:
    code = """
    import pickle
    kernel = cannery.compile_kernel(SOURCE, "add", {"STEP": "2.0f"})
    print(set(run(kernel)), set(run(kernel, tiling_key=7)), kernel.arguments)
    print(set(run(pickle.loads(pickle.dumps(kernel)), tiling_key=7)))
    print(len(list((cannery.settings.cache_dir() / "kernels").glob("*.json"))))
    """
    said = python(toolkit, script(tmp_path, "") + code.replace("\n    ", "\n"))
    # 3 cache entries: one library for each of the two keys, and one kernel of the twin.
    assert said.splitlines() == ["{2.0} {100.0} ('x', 'y', 'tiling')", "{100.0}", "3"]


@pytest.mark.release
def test_wrong_number_of_arguments(toolkit: Toolkit, tmp_path: Path) -> None:
    code = """
kernel = cannery.compile_kernel(SOURCE, "add", {"STEP": "2.0f"})
try:
    kernel(1, np.zeros(64, np.float32))
except cannery.KernelError as error:
    print(error.status, error)
"""
    said = python(toolkit, compiled(tmp_path, code))
    assert said.startswith(
        "107000 T602 wrong number of arguments: kernel add takes 3 arguments (x, y, tiling), got 1"
    )


@pytest.mark.release
def test_parameters_without_a_name(toolkit: Toolkit, tmp_path: Path) -> None:
    code = """
SOURCE = SOURCE.replace("GM_ADDR tiling", "GM_ADDR")
print(set(run(cannery.compile_kernel(SOURCE, "add", {"STEP": "2.0f"}))))
"""
    assert python(toolkit, script(tmp_path, code)) == "{2.0}\n"


@pytest.mark.release
def test_a_changed_header_compiles_anew(toolkit: Toolkit, tmp_path: Path) -> None:
    code = """
from pathlib import Path
folder = Path(TMP)
(folder / "step.h").write_text("#define STEP 2.0f\\n")
(folder / "add.cpp").write_text('#include "step.h"\\n' + SOURCE)
print(set(run(cannery.compile_kernel(folder / "add.cpp", "add"))))
(folder / "step.h").write_text("#define STEP 3.0f\\n")
print(set(run(cannery.compile_kernel(folder / "add.cpp", "add"))))
"""
    said = python(toolkit, script(tmp_path, code.replace("TMP", repr(str(tmp_path)))))
    assert said.splitlines() == ["{2.0}", "{3.0}"]


@pytest.mark.release
def test_definition_behind_a_macro(toolkit: Toolkit, tmp_path: Path) -> None:
    code = """
SOURCE = SOURCE.replace('extern "C" __global__ __aicore__ void add(', "DEFINE(add)(")
SOURCE = '#define DEFINE(name) extern "C" __global__ __aicore__ void name\\n' + SOURCE
print(set(run(cannery.compile_kernel(SOURCE, "add", {"STEP": "4.0f"}))))
try:
    cannery.compile_kernel(SOURCE, "sub", {"STEP": "4.0f"})
except cannery.CompileError as error:
    print(error)
"""
    computed, *said = python(toolkit, script(tmp_path, code)).splitlines()
    assert computed == "{4.0}"
    assert said[:2] == [
        "kernel 'sub' does not compile with bisheng:",
        "sub.cpp: error: '::sub' has not been declared",
    ]


RECORDER = """#!/bin/sh
printf '%s\\n' "$*" >> "{log}"
exec {real} "$@"
"""
OPTIONS = (
    "--cce-aicore-arch={arch} -O3 -std=c++17 -xcce -fPIC --cce-auto-sync "
    "-mllvm -cce-aicore-stack-size=0x8000 -mllvm -cce-aicore-function-stack-size=0x8000 "
    "-mllvm -cce-aicore-record-overflow=true -mllvm -cce-aicore-addr-transform "
    "-mllvm -cce-aicore-dcci-insert-for-scalar=false "
    "-Wno-macro-redefined -Wno-ignored-attributes -DTILING_KEY_VAR=0UL -DSTEP=2.0f "
    "-I{home}/compiler/tikcpp -I{home}/compiler/tikcpp/tikcfw -I{home}/compiler/tikcpp/tikcfw/impl "
    "-I{home}/compiler/tikcpp/tikcfw/interface -I{home}/include "
)
READING = OPTIONS + "--cce-aicore-only -E kernel.cpp -o kernel.i"
COMPILATION = OPTIONS + "-MD -MF kernel.d -MT kernel -c kernel.cpp -o kernel.o"
LINK = (
    "--cce-fatobj-link -L{home}/lib64 -lruntime -lstdc++ -lascendcl -lm -lc_sec -ldl --shared "
    "kernel.o -o kernel.so"
)


@pytest.mark.parametrize(
    ("kernel_type", "arch"),
    [("AIV_ONLY", "dav-c220-vec"), ("AIC_ONLY", "dav-c220-cube"), ("MIX_AIC_1_2", "dav-c220")],
)
@pytest.mark.release
def test_command_lines(toolkit: Toolkit, tmp_path: Path, kernel_type: str, arch: str) -> None:
    """The command lines are those of public projects for bisheng 8.1.RC1 and of ascendc_library."""
    kit = tmp_path / "a kit/compiler"
    (kit / "ccec_compiler/bin").mkdir(parents=True)
    (kit / "tikcpp").symlink_to(toolkit.home / "compiler/tikcpp")
    for name in ("lib64", "include", "opp"):
        (kit.parent / name).symlink_to(toolkit.home / name)
    log = tmp_path / "log"
    recorder = kit / "ccec_compiler/bin/bisheng"
    real = toolkit.home / "compiler/ccec_compiler/bin/bisheng"
    recorder.write_text(RECORDER.format(log=log, real=shlex.quote(str(real))))
    recorder.chmod(0o755)
    code = f"cannery.compile_kernel(SOURCE, 'add', {{'STEP': '2.0f'}}, kernel_type={kernel_type!r})"
    python(Toolkit(kit.parent), script(tmp_path, code))
    lines = log.read_text().splitlines()
    build = next(Path(word).parent for word in lines[0].split() if word.endswith("/kernel.cpp"))
    made = [line.replace(f"{build}/", "") for line in lines]
    home = kit.parent
    wanted = [
        READING.format(arch="dav-c220-vec", home=home),
        READING.format(arch="dav-c220-cube", home=home),
        COMPILATION.format(arch=arch, home=home),
        LINK.format(home=home),
    ]
    assert made == wanted


GOOD = [
    "--cce-aicore-arch=dav-c220-vec",
    *("-O3", "-std=c++17", "-xcce", "-fPIC", "-DTILING_KEY_VAR=0UL", "-c", "kernel.cpp"),
    *("-o", "kernel.o"),
]


#: Words of the command line GOOD, the words that replace them, and the expected message.
CHANGES = [
    (("-O3", "-O9"), "unknown {'-O9'}, missing {'-O3'}"),
    (("-fPIC", "-fast-math"), "unknown {'-fast-math'}"),
    (("-c", "-S"), "unknown {'-S'}"),
    (("-c", "-fPIC"), "expected -c, -E with"),
    (("-c", "-E"), "expected -c, -E with"),
    (("-xcce", "-xasc"), "missing {'-xcce'}"),
    (("--cce-aicore-arch=dav-c220-vec", "--cce-aicore-arch=dav-c310"), "dav-c310"),
    (("-DTILING_KEY_VAR=0UL", "-DTILING_KEY_VAR"), "TILING_KEY_VAR"),
    (("kernel.cpp", "-mllvm"), "-mllvm -o"),
]


@pytest.mark.parametrize(("change", "said"), rest_slow(CHANGES))
def test_standin_refuses_what_it_does_not_know(
    toolkit: Toolkit, tmp_path: Path, change: tuple[str, str], said: str
) -> None:
    (tmp_path / "kernel.cpp").write_text(
        'extern "C" __global__ __aicore__ void cannery_entry_k(uint64_t sync, GM_ADDR system)\n'
        "cannery_entry_k<<<blocks, nullptr, stream>>>(sync, \n"
    )
    words = [change[1] if word == change[0] else word for word in GOOD]
    done = subprocess.run(
        [str(toolkit.home / "compiler/ccec_compiler/bin/bisheng"), *words],
        cwd=tmp_path,
        env={**os.environ, **toolkit.environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert said in done.stderr
    assert not (tmp_path / "kernel.o").exists()


def failure(toolkit: Toolkit, tmp_path: Path, more: str = "", **variables: str) -> str:
    code = f"""
{more}
try:
    cannery.compile_kernel(SOURCE, "add", {{"STEP": "2.0f"}})
except cannery.CanneryError as error:
    print(type(error).__name__, error)
"""
    return python(toolkit, script(tmp_path, code), **variables)


def test_no_toolkit(toolkit: Toolkit, tmp_path: Path) -> None:
    said = failure(toolkit, tmp_path, ASCEND_HOME_PATH="", ASCEND_TOOLKIT_HOME="")
    assert said.startswith("CompileError compile_kernel for a card needs the CANN toolkit")
    assert "set_env.sh" in said


def half(toolkit: Toolkit, folder: Path, compiler: str) -> Toolkit:
    """Returns a copy of the toolkit with another bisheng, or without one."""
    for each in toolkit.home.iterdir():
        if each.name != "compiler":
            folder.mkdir(exist_ok=True)
            (folder / each.name).symlink_to(each)
    kit = folder / "compiler"
    (kit / "ccec_compiler/bin").mkdir(parents=True)
    (kit / "tikcpp").symlink_to(toolkit.home / "compiler/tikcpp")
    if compiler:
        (kit / "ccec_compiler/bin/bisheng").write_text(compiler)
        (kit / "ccec_compiler/bin/bisheng").chmod(0o755)
    return Toolkit(folder)


def test_half_a_toolkit(toolkit: Toolkit, tmp_path: Path) -> None:
    made = half(toolkit, tmp_path / "kit", "")
    said = failure(made, tmp_path, PATH="/usr/bin:/bin")
    assert f"the toolkit {made.home} has no bisheng (looked at: " in said
    made = half(toolkit, tmp_path / "other", "#!/bin/sh\n")
    (made.home / "compiler/tikcpp").unlink()
    said = failure(made, tmp_path)
    assert "has no tikcpp/tikcfw/kernel_operator.h" in said


@pytest.mark.parametrize(
    ("compiler", "said"),
    [
        ("#!/bin/sh\n", "ends well, but writes nothing; is it a compiler?"),
        ("#!/bin/sh\necho out of licences >&2; exit 3\n", "out of licences"),
        (
            "#!/bin/sh\nkill -9 $$\n",
            "kernel 'add' does not compile with bisheng:\nthe compiler says",
        ),
        ("\x7fELF no program", "cannot be started"),
    ],
)
def test_a_compiler_that_misbehaves(
    toolkit: Toolkit, tmp_path: Path, compiler: str, said: str
) -> None:
    shown = failure(half(toolkit, tmp_path / "kit", compiler), tmp_path)
    assert shown.startswith("CompileError ")
    assert said in shown
    assert not list((tmp_path / "cache/kernels").glob("build-*"))


def test_a_compiler_that_hangs(toolkit: Toolkit, tmp_path: Path) -> None:
    """If a hanging compiler is stopped, the processes that it has started must end too."""
    compiler = f"#!/bin/sh\nsleep 1000 &\necho $! > {tmp_path}/pid\nwait\n"
    made = half(toolkit, tmp_path / "kit", compiler)
    said = failure(made, tmp_path, "from cannery.compile import card; card.TIMEOUT_S = 1.0")
    assert "did not end within 1 s" in said
    pid = int((tmp_path / "pid").read_text())
    state = Path(f"/proc/{pid}/stat")
    assert not state.exists() or state.read_text().rpartition(")")[2].split()[0] == "Z"


@pytest.mark.release
@pytest.mark.parametrize(
    ("more", "said"),
    [
        ('SOURCE = SOURCE.replace("DataCopy(to", "DataKopy(to")', "add.cpp:17:5: error: "),
        (
            'SOURCE = SOURCE.replace("GM_ADDR tiling", "int n")',
            "TwinOnlyError compile_kernel: kernel 'add' takes int n by value",
        ),
        (
            'SOURCE = SOURCE.replace(\'extern "C"\', "template <typename T>")',
            "TwinOnlyError compile_kernel: kernel 'add' is a template, of which",
        ),
        (
            'SOURCE = SOURCE.replace("TPipe pipe;", '
            '"KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_1);")',
            "TwinOnlyError compile_kernel: kernel 'add' is MIX_AIC_1_1, which no launch starts",
        ),
        ('SOURCE = SOURCE.replace("TPipe pipe;", "SyncAll();")', "is MIX_AIV_1_0, which no launch"),
        (
            'SOURCE += "void start(void* s) { add<<<1, nullptr, s>>>(0, 0, 0); }"',
            "TwinOnlyError compile_kernel: kernel 'add' stands in a source with launches",
        ),
    ],
)
def test_sources_that_cannot_be_compiled(
    toolkit: Toolkit, tmp_path: Path, more: str, said: str
) -> None:
    assert said in failure(toolkit, tmp_path, more)


@pytest.mark.slow
def test_dump_is_the_twins(toolkit: Toolkit, tmp_path: Path) -> None:
    code = f"""
kernel = cannery.compile_kernel(SOURCE, "add", {{"STEP": "2.0f"}})
try:
    run(kernel, dump={str(tmp_path / "dump.txt")!r})
except cannery.TwinOnlyError as error:
    print(error)
"""
    assert "the record of a launch is the twin's" in python(toolkit, compiled(tmp_path, code))
    assert not (tmp_path / "dump.txt").exists()


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("kernel=507035", "KernelError 507035"),
        ("limit=4000000", "AclError 207001"),
        ("unmapped,h2d=507899", "AclError 507899"),
        ("unmapped,d2h=507899", "AclError 507899"),
    ],
)
@pytest.mark.release
def test_a_launch_that_fails(faulty: Toolkit, tmp_path: Path, fault: str, said: str) -> None:
    """A failed launch leaves nothing allocated, and the next launch works."""
    code = f"""
kernel = cannery.compile_kernel(SOURCE, "add", {{"STEP": "2.0f"}})
os.environ["FAULTS"] = {fault!r}
try:
    run(kernel)
except cannery.AclError as error:
    print(type(error).__name__, error.status)
os.environ["FAULTS"] = {fault.partition(",")[0] if "," in fault else ""!r}
print(set(run(kernel)))
print(closed())
"""
    lines = python(faulty, compiled(tmp_path, code)).splitlines()
    assert lines[:2] == [said, "{2.0}"]
    assert set(ast.literal_eval(lines[2]).values()) == {0}


@pytest.mark.release
def test_threads_share_the_device(toolkit: Toolkit, tmp_path: Path) -> None:
    code = """
kernel = cannery.compile_kernel(SOURCE, "add", {"STEP": "2.0f"})
found = []
def work(key):
    for _ in range(20):
        found.append(set(run(kernel, tiling_key=key)))
threads = [threading.Thread(target=work, args=(key,)) for key in (0, 7, 0, 7)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print(found.count({2.0}), found.count({100.0}))
"""
    assert python(toolkit, compiled(tmp_path, code)) == "40 40\n"


@pytest.mark.slow
def test_a_forked_child_is_told(toolkit: Toolkit, tmp_path: Path) -> None:
    code = """
kernel = cannery.compile_kernel(SOURCE, "add", {"STEP": "2.0f"})
print(set(run(kernel)), flush=True)
if os.fork() == 0:
    try:
        run(kernel)
    except RuntimeError as error:
        print(error, flush=True)
    os._exit(0)
os.wait()
"""
    first, second = python(toolkit, compiled(tmp_path, code)).splitlines()
    assert first == "{2.0}"
    assert "spawn" in second
