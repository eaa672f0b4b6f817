# SPDX-License-Identifier: Apache-2.0
"""Tests that `cannery cc` builds programs that launch kernels with <<<>>>."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

import numpy as np
import pytest

import cannery

from ..processes import run_cannery

HEAD = """#include <cstdio>
#include <string>
#include <vector>
#include "kernel_operator.h"
#include "acl/acl.h"
"""
#: A host program that expands LAUNCH; `what` is the program's argument. Status 0 means success.
MAIN = """
int main(int, char** words) {
    [[maybe_unused]] const std::string what = words[1] == nullptr ? "" : words[1];
    aclInit(nullptr);
    aclrtSetDevice(0);
    aclrtStream stream = nullptr;
    aclrtCreateStream(&stream);
    float* x = nullptr;
    float* z = nullptr;
    aclrtMalloc((void**)&x, 4096, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMalloc((void**)&z, 4096, ACL_MEM_MALLOC_HUGE_FIRST);
    std::vector<float> host(1024, 1.5f);
    aclrtMemcpy(x, 4096, host.data(), 4096, ACL_MEMCPY_HOST_TO_DEVICE);
    aclrtMemset(z, 4096, 0, 4096);
    LAUNCH;
    int status = aclrtSynchronizeStream(stream);
    aclrtMemcpy(host.data(), 4096, z, 4096, ACL_MEMCPY_DEVICE_TO_HOST);
    for (int i = 0; what == "cores" && i < 64; ++i) std::printf("%d:%g ", i, host[i * 16]);
    if (what == "template") std::printf("sixth %g ", host[5]);
    std::printf("status %d first %g last %g\\n", status, host[0], host[1023]);
    return status == 0 ? 0 : 1;
}
"""
#: A function that computes z = x * factor + offset on 256 elements for each block.
SCALE = """
__aicore__ inline void Scale(__gm__ float* x, __gm__ float* z, float factor, float offset) {
    AscendC::TPipe pipe;
    AscendC::TBuf<AscendC::TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 1024);
    AscendC::GlobalTensor<float> from, to;
    from.SetGlobalBuffer(x + AscendC::GetBlockIdx() * 256, 256);
    to.SetGlobalBuffer(z + AscendC::GetBlockIdx() * 256, 256);
    auto local = buffer.Get<float>();
    AscendC::DataCopy(local, from, 256);
    AscendC::PipeBarrier<PIPE_ALL>();
    AscendC::Muls(local, local, factor, 256);
    AscendC::Adds(local, local, offset, 256);
    AscendC::PipeBarrier<PIPE_ALL>();
    AscendC::DataCopy(to, local, 256);
}
"""


def cc(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return run_cannery("cc", *words, cwd=folder)


def run(folder: Path, source: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Builds a program from one source and runs it."""
    (folder / "main.asc").write_text(source)
    built = cc(folder, "main.asc", "-o", "program", *words)
    assert built.returncode == 0, built.stderr
    return subprocess.run([folder / "program"], capture_output=True, text=True, check=False)


#: A kernel whose blocks have two vector cores if its file sets the kernel type MIX_AIC_1_2.
COUNTS = """
extern "C" __global__ __aicore__ void counts(GM_ADDR z) {
    if ASCEND_IS_AIV {
        AscendC::GlobalTensor<float> to;
        to.SetGlobalBuffer((__gm__ float*)z, 1024);
        if (AscendC::GetSubBlockIdx() == 1) {
            to.SetValue(0, 5);
            AscendC::DataCacheCleanAndInvalid<float, AscendC::CacheLine::SINGLE_CACHE_LINE,
                                              AscendC::DcciDst::CACHELINE_OUT>(to);
        }
    }
}
"""
#: Kernels and launches of one program, whose argument chooses the launch.
KERNELS = """
extern "C" __global__ __aicore__ void plain(GM_ADDR x, GM_ADDR z, float factor, float offset) {
    Scale((__gm__ float*)x, (__gm__ float*)z, factor, offset);
}
namespace a::b {
struct Numbers { int8_t shift; double factor; float offset; };
template <typename T, int times>
__global__ __vector__ void scale(T* x, T* z, Numbers numbers, bool negative) {
    float factor = (float)numbers.factor * times + numbers.shift;
    Scale(x, z, negative ? -factor : factor, numbers.offset);
}
}  // namespace a::b
template <int times>
void LaunchTemplate(float* x, float* z, aclrtStream stream, bool negative) {
    a::b::Numbers numbers{1, 0.5, 0.25f};
    constexpr int half = times / 2;
    a::b::scale<float, half + half><<<4, 0, stream>>>(x, z, numbers, negative);
    numbers.factor = 100;  // the launch has already copied `numbers`
}
template <int times>
__global__ __vector__ void seen(float* x, float* z) {
    Scale(x, z, times, 0.25f);
}
template <int times>
void LaunchSeen(float* x, float* z, aclrtStream stream) {
    seen<times><<<4, nullptr, stream>>>(x, z);
}
#if defined(__DAV_C220_VEC__) || defined(__DAV_C220_CUBE__)
constexpr int kSeen = 1;
#else
constexpr int kSeen = 2;
#endif
__aicore__ inline void Note(__gm__ float* z, int slot) {
    AscendC::GlobalTensor<float> to;
    to.SetGlobalBuffer(z, 1024);
    to.SetValue(slot * 16, 1.0f + g_coreType);
    AscendC::DataCacheCleanAndInvalid<float, AscendC::CacheLine::SINGLE_CACHE_LINE,
        AscendC::DcciDst::CACHELINE_OUT>(to[slot * 16]);
}
template <int first>
__global__ __cube__ void cube(__gm__ float* z) { Note(z, first + AscendC::GetBlockIdx()); }
template <int first>
__global__ __mix__(1, 2) void mix(__gm__ float* z) {
    Note(z, first + (g_coreType == AscendC::AIC ? 0 : 1 + AscendC::GetSubBlockIdx()));
}
__global__ void note(__gm__ float* z) { Note(z, 63); }
__global__ __vector__ void beyond(float* x, float* z) { Scale(x, z + 1000, 1.0f, 0.0f); }
__global__ void one(float* x, float* z) { Scale(x, z, 1.0f, 0.0f); }
__global__ void two(float* x, float* z) { Scale(x, z, 2, 0); }
__global__ void nine(float* x, float* z) { Scale(x, z, 9, 0); }
void Launch(const std::string& what, float* x, float* z, aclrtStream stream) {
    if (what == "plain") {
        plain<<<4, nullptr, stream>>>((GM_ADDR)x, (GM_ADDR)z, 2.0f, 0.25);
    } else if (what == "template") {
        LaunchTemplate<6>(x, z, stream, false);
        LaunchTemplate<4>(x, x, stream, true);
    } else if (what == "seen") {
        LaunchSeen<kSeen>(x, z, stream);
    } else if (what == "cores") {
        cube<10><<<2, 0, stream>>>(z);
        mix<20><<<1, 0, stream>>>(z);
        note<<<1, 0, stream>>>(z);
    } else if (what == "beyond") {
        beyond<<<1, 0, stream>>>(x, z);
    } else if (what == "no blocks") {
        one<<<0, 0, stream>>>(x, z);
    } else if (what == "less than none") {
        one<<<-1, 0, stream>>>(x, z);
    } else if (what == "too much memory") {
        one<<<1, 1 << 20, stream>>>(x, z);
    } else if (what == "constant") {
        constexpr auto chosen = [] { return nine; }();
        chosen<<<4, 0, stream>>>(x, z);
    } else if (what == "counts") {
        counts<<<1, nullptr, stream>>>((GM_ADDR)z);
    } else {
        assert(what == "a case");
    }
}
#define LAUNCH Launch(what, x, z, stream)
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns the folder of a program with all launches of KERNELS."""
    folder = tmp_path_factory.mktemp("program")
    (folder / "main.asc").write_text(HEAD + SCALE + COUNTS + KERNELS + MAIN)
    built = cc(folder, "main.asc", "-o", "program")
    assert built.returncode == 0, built.stderr
    return folder


def launch(program: Path, what: str) -> subprocess.CompletedProcess[str]:
    command = [program / "program", what]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_a_program_launches(program: Path) -> None:
    done = launch(program, "plain")
    assert (done.stdout, done.stderr) == ("status 0 first 3.25 last 3.25\n", "")


def test_templates_structs_and_namespaces(program: Path) -> None:
    """A kernel template receives a struct; a host template chooses the template arguments."""
    done = launch(program, "template")
    assert done.stdout == "sixth 6.25 status 0 first 6.25 last 6.25\n", done.stderr


def test_a_launch_that_only_the_host_sees(program: Path) -> None:
    done = launch(program, "seen")
    assert done.returncode == 1
    assert "T610 no code: this program carries no kernel for this launch" in done.stderr


def test_both_kinds_of_core(program: Path) -> None:
    """Attributes choose the kind of core, also on templates. The default is the vector core."""
    words = launch(program, "cores").stdout.split()
    found = dict(word.split(":") for word in words if ":" in word)
    notes = {place: value for place, value in found.items() if value != "0"}
    aic, aiv = notes["20"], notes["63"]
    assert aic != aiv
    assert notes == {"10": aic, "11": aic, "20": aic, "21": aiv, "22": aiv, "63": aiv}


def test_a_failing_kernel_is_printed_and_reaches_the_synchronisation(program: Path) -> None:
    done = launch(program, "beyond")
    assert done.returncode == 1
    assert "status 507035" in done.stdout
    assert done.stderr.startswith("cannery: kernel beyond, 1 blocks: T101 GM out of bounds: ")
    assert "argument z" in done.stderr
    lines = (program / "main.asc").read_text().split("\n")
    line = 1 + lines.index("    AscendC::DataCopy(to, local, 256);")
    assert f"main.asc:{line} " in done.stderr


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("no blocks", "T601 number of blocks is 0, expected 1 to 65535"),
        ("less than none", "T601 number of blocks is -1, expected 1 to 65535"),
        ("too much memory", "T601 dynamic unified buffer of 1048576 bytes"),
    ],
)
def test_impossible_configurations(program: Path, what: str, message: str) -> None:
    done = launch(program, what)
    assert "status 107000" in done.stdout
    assert message in done.stderr


@pytest.mark.release
def test_several_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernel, called function and host code may be in three files; TMPDIR may have any name."""
    monkeypatch.setenv("TMPDIR", tempfile.mkdtemp(" with, 'quotes'", dir=tmp_path))
    (tmp_path / "scale.h").write_text("__aicore__ void Work(__gm__ float* x, __gm__ float* z);\n")
    (tmp_path / "work.cpp").write_text(
        HEAD
        + SCALE
        + '#include "scale.h"\nvoid Work(float* x, float* z) { Scale(x, z, 3.0f, 0.0f); }\n'
    )
    (tmp_path / "run.asc").write_text(
        '#include "kernel_operator.h"\n#include "scale.h"\n'
        "static __global__ __vector__ void scale(float* x, float* z) { Work(x, z); }\n"
        "void Run(float* x, float* z, void* stream) { scale<<<4, 0, stream>>>(x, z); }\n"
    )
    main = '#include <cstdio>\n#include <string>\n#include <vector>\n#include "acl/acl.h"\n'
    main += "void Run(float* x, float* z, void* stream);\n"
    (tmp_path / "main.cpp").write_text(main + MAIN.replace("LAUNCH", "Run(x, z, stream)"))
    for words in (
        ["main.cpp", "run.asc", "work.cpp", "-o", "program"],
        ["-shared", "run.asc", "work.cpp", "-o", "librun.so"],
        ["main.cpp", "librun.so", "-Wl,-rpath,.", "-o", "with_library"],
    ):
        done = cc(tmp_path, *words)
        assert done.returncode == 0, done.stderr
    for program in ("program", "with_library"):
        done = subprocess.run(
            [tmp_path / program], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.stdout == "status 0 first 4.5 last 4.5\n", done.stderr


@pytest.mark.release
def test_objects_link_into_one_program(tmp_path: Path) -> None:
    """Two objects link into one program although both launch a kernel with the same local name."""
    for name, factor in (("a", 2), ("b", 5)):
        (tmp_path / f"{name}.asc").write_text(
            HEAD
            + SCALE
            + f"static __global__ void scale(float* x, float* z) {{ Scale(x, z, {factor}, 0); }}\n"
            "static void Start(float* x, float* z, void* s) { scale<<<4, 0, s>>>(x, z); }\n"
            f"void {name}(float* x, float* z, void* s) {{ Start(x, z, s); }}\n"
        )
        assert cc(tmp_path, "-c", f"{name}.asc").returncode == 0
    main = (
        '#include <cstdio>\n#include <string>\n#include <vector>\n#include "acl/acl.h"\n'
        "void a(float*, float*, void*);\nvoid b(float*, float*, void*);\n"
    )
    launch = "a(x, x, stream); b(x, z, stream)"
    (tmp_path / "main.cpp").write_text(main + MAIN.replace("LAUNCH", launch))
    done = cc(tmp_path, "main.cpp", "a.o", "b.o", "--run")
    assert done.stdout == "status 0 first 15 last 15\n", done.stderr


def test_errors_name_the_users_line(tmp_path: Path) -> None:
    (tmp_path / "main.asc").write_text(
        HEAD + "__global__ void k(float* x) {\n    AscendC::Nothing(x);\n}\nint main() {}\n"
    )
    done = cc(tmp_path, "main.asc")
    assert done.returncode == 1
    assert "main.asc:7:14: error: 'Nothing' is not a member of 'AscendC'" in done.stderr
    assert not (tmp_path / "a.out").exists()


@pytest.mark.release
def test_a_variable_is_no_kernel(tmp_path: Path) -> None:
    source = (
        HEAD
        + "__global__ void k(float* x) {}\n"
        + "#define LAUNCH auto chosen = k; chosen<<<1, 0, stream>>>(x)\n"
        + MAIN
    )
    (tmp_path / "main.asc").write_text(source)
    done = cc(tmp_path, "main.asc")
    assert done.returncode == 1
    assert (
        "main.asc:22: error: chosen<<<...>>>: a launch takes the name of a kernel or a constexpr "
        "pointer to one; the variable 'chosen' has no value when" in done.stderr
    )


def test_a_constant_chooses_a_kernel(program: Path) -> None:
    assert launch(program, "constant").stdout == "status 0 first 13.5 last 13.5\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "Usage"),
        (["-o", "x"], "expected at least one source"),
        (["main.asc", "--npu-arch=dav-3510"], "the twin is an Atlas A2 or A3"),
        (["main.asc", "notes.txt"], "notes.txt: expected a source"),
        (["main.asc", "-o"], "-o: expected a value behind it"),
        (["missing.asc"], "missing.asc: no such file"),
        (["main.asc", "-o", "none/there"], "there is no folder none"),
        (["-c", "main.asc", "--run"], "nothing to run"),
    ],
)
def test_words_it_cannot_build_from(tmp_path: Path, words: list[str], message: str) -> None:
    (tmp_path / "main.asc").write_text("int main() {}\n")
    done = cc(tmp_path, *words)
    assert message in done.stdout + done.stderr
    if words:
        assert done.returncode in (1, 2)


def test_folders_of_headers_that_are_not_there(tmp_path: Path) -> None:
    (tmp_path / "main.asc").write_text("int main() {}\n")
    done = cc(tmp_path, "main.asc", "-I", "none", "-I.", "-isystem/none", "-DI=-Inone")
    assert done.returncode == 0
    said = "warning: {}: there is no such folder\n"
    assert done.stderr == said.format("-I none") + said.format("-isystem /none")


def test_host_assertions_are_the_hosts(program: Path) -> None:
    done = launch(program, "none")
    assert done.returncode == -6
    assert """Assertion `what == "a case"' failed""" in done.stderr


@pytest.mark.release
def test_the_example(tmp_path: Path) -> None:
    """The example prints what its README shows, both when it works and when it fails."""
    example = Path(__file__).parents[3] / "examples" / "06_launch"
    good = (example / "saxpy.asc").read_text()
    assert run(tmp_path, good).stdout == "0 of 131072 elements wrong: ok\n"
    bad = run(tmp_path, good.replace("tile < tiles", "tile <= tiles"))
    said = bad.stderr.split("\n")
    told = (example / "README.md").read_text().split("\n")
    assert said[0].startswith("cannery: kernel saxpy, 8 blocks: T101 GM out of bounds: ")
    assert "    cannery: kernel saxpy, 8 blocks: T101 GM out of bounds: ..." in told
    assert "    " + said[1].replace("main.asc", "saxpy.asc") in told
    x, y = np.ones(131072, np.float32), np.zeros(131072, np.float32)
    cannery.load(example / "saxpy.asc").saxpy(8, x, y, 0.5, 64)
    assert (y == 0.5).all()


@pytest.mark.release
def test_the_type_of_a_files_kernels(program: Path, tmp_path: Path) -> None:
    kind = "KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);\n"
    called = "#define LAUNCH counts<<<1, nullptr, stream>>>((GM_ADDR)z)\n"
    assert run(tmp_path, HEAD + kind + COUNTS + called + MAIN).stdout.startswith("status 0 first 5")
    # Without the kernel type, the kernel runs on vector cores only, one in each block.
    assert launch(program, "counts").stdout == "status 0 first 0 last 0\n"


@pytest.mark.release
def test_the_type_of_files_is_refused_for_several(tmp_path: Path) -> None:
    kind = "KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);\n"
    (tmp_path / "a.asc").write_text(HEAD + kind + COUNTS)
    declared = 'extern "C" __global__ __aicore__ void counts(GM_ADDR z);\n'
    launch = "#define LAUNCH counts<<<1, nullptr, stream>>>((GM_ADDR)z)\n"
    (tmp_path / "b.asc").write_text(HEAD + declared + launch + MAIN)
    done = cc(tmp_path, "a.asc", "b.asc")
    assert done.returncode == 1
    assert "a.asc: KERNEL_TASK_TYPE_DEFAULT outside of a function counts for" in done.stderr
