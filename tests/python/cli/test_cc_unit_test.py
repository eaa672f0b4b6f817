# SPDX-License-Identifier: Apache-2.0
"""Tests `cannery cc --unit-test` and `cannery flags --kernels` with unit tests for the toolkit."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

import pytest

from .unit_test_programs import cannery, run

FIXTURES = Path(__file__).parents[2] / "fixtures" / "unit_test"
SOURCES = [str(FIXTURES / name) for name in ("test_add_offset.cpp", "add_offset.cpp")]
BUILD = [
    *("-include", str(FIXTURES / "add_offset_tiling_def.h")),
    *("-DDTYPE_X=float", "-DORIG_DTYPE_X=DT_FLOAT"),
]


@pytest.fixture(scope="module")
def stand_in(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Returns options for a small replacement of GoogleTest that suffices for the fixtures."""
    folder = tmp_path_factory.mktemp("gtest")
    here = FIXTURES / "stand_in"
    for name in ("gtest", "gtest_main"):
        target = folder / f"{name}.o"
        command = ["g++", "-std=c++17", f"-I{here}", "-c", str(here / f"{name}.cpp")]
        subprocess.run([*command, "-o", str(target)], check=True)
        subprocess.run(["ar", "rcs", str(folder / f"lib{name}.a"), str(target)], check=True)
    return [f"-I{here}", f"-L{folder}"]


def check_cases(done: subprocess.CompletedProcess[str]) -> None:
    assert done.returncode == 1, done.stdout + done.stderr
    passed = [line.split()[3] for line in done.stdout.splitlines() if "       OK ]" in line]
    assert passed == ["AddOffset.Adds", "AddOffset.Multiplies"]
    assert "T101 GM out of bounds: DataCopy reads 1024 B at byte 3072 of argument x" in done.stdout
    assert "add_offset.cpp:" in done.stdout
    assert "in ICPU_RUN_KF(add_offset, ...) at" in done.stdout
    assert "T601 number of blocks is 0, expected 1 to 65535" in done.stdout


def test_a_failure_ends_its_case_only(tmp_path: Path, stand_in: list[str]) -> None:
    words = ["cc", "--unit-test", *SOURCES, *BUILD, *stand_in, "-o", "t", "--run"]
    check_cases(cannery(*words, folder=tmp_path))


def test_the_example_of_the_page(tmp_path: Path, stand_in: list[str], repository: Path) -> None:
    page = (repository / "docs/compatibility.md").read_text()
    (tmp_path / "test_twice.cpp").write_text(page.partition("```cpp\n")[2].partition("```")[0])
    readme = (repository / "README.md").read_text()
    (tmp_path / "twice.cpp").write_text(readme.partition('source = r"""')[2].partition('"""')[0])
    assert "`cannery cc --unit-test test_twice.cpp twice.cpp -o tests --run`" in page
    words = ["cc", "--unit-test", "test_twice.cpp", "twice.cpp", *stand_in, "-o", "tests", "--run"]
    done = cannery(*words, folder=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "[       OK ] Twice.FourBlocks" in done.stdout


@pytest.mark.slow
def test_googletest_itself(tmp_path: Path) -> None:
    done = cannery("cc", "--unit-test", *SOURCES, *BUILD, "-o", "t", "--run", folder=tmp_path)
    if "GoogleTest is not there" in done.stderr:
        pytest.skip("libgtest-dev is not installed; test_a_failure_ends_its_case_only stands in")
    check_cases(done)


@pytest.mark.release
def test_a_compiler_and_the_flags_alone(tmp_path: Path, stand_in: list[str]) -> None:
    def flags(word: str) -> list[str]:
        return shlex.split(cannery("flags", "--kernels", word, folder=tmp_path).stdout)

    command = ["g++", *SOURCES, *BUILD, *flags("--cflags"), *stand_in, "-o", "t"]
    command += [*flags("--libs"), "-lgtest_main", "-lgtest"]
    subprocess.run(command, cwd=tmp_path, check=True)
    check_cases(subprocess.run(["./t"], cwd=tmp_path, capture_output=True, text=True, check=False))


@pytest.mark.release
def test_helpers_of_the_tests_own_are_found_first(tmp_path: Path) -> None:
    source = """
    #include "data_utils.h"
    #include "kernel_fp16.h"
    int main() {
        half value = 1.5f;
        size_t bytes = 2;
        WriteFile("x.bin", &value, 2);
        half back;
        const bool read = ReadFile("x.bin", bytes, &back, sizeof(back));
        std::printf("%d %g\\n", read, (float)back);
        return ReadFile("none.bin", 2, &back, sizeof(back)) ? 1 : 0;
    }
    """
    done = run(tmp_path, source)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[0] == "1 1.5"
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "data_utils.h").write_text("#define OWN 1\n")
    source = '#include "data_utils.h"\nint main() { return OWN; }\n'
    assert run(tmp_path, source, "-Iown").returncode == 1


@pytest.mark.release
def test_macros_behind_the_header_win(tmp_path: Path) -> None:
    source = """
    #undef GET_TILING_DATA
    #define GET_TILING_DATA(data, address) const int data = *(int*)(address) + 1
    __global__ __aicore__ void kernel(GM_ADDR y, GM_ADDR tiling) {
        GET_TILING_DATA(data, tiling);
        *(int*)y = data;
    }
    int main() {
        auto y = (uint8_t*)AscendC::GmAlloc(4), tiling = (uint8_t*)AscendC::GmAlloc(4);
        *(int*)tiling = 41;
        ICPU_RUN_KF(kernel, 1, y, tiling);
        return *(int*)y;
    }
    """
    assert run(tmp_path, source).returncode == 42


@pytest.mark.release
def test_macros_before_the_header_win(tmp_path: Path) -> None:
    """Then a test registers its tiling struct outside of a function, too."""
    own = "#define GET_TILING_DATA(data, address) const int data = *(int*)(address) + 1\n"
    (tmp_path / "own.h").write_text(own)
    source = """
    #include "basic_api/kernel_vec_intf.h"
    #include "kernel_operator_dump_tensor_intf.h"
    #include <assert.h>
    struct Params { int first; };
    REGISTER_TILING_DEFAULT(Params);
    __global__ __aicore__ void kernel(GM_ADDR y, GM_ADDR tiling) {
        GET_TILING_DATA(data, tiling);
        ascendc_assert(data == 42, "data is %d", data);
        ascendc_assert(g_coreType == AscendC::AIV_TYPE, "core type %d", AscendC::AIC_TYPE);
        *(int*)y = data;
    }
    int main() {
        auto y = (uint8_t*)AscendC::GmAlloc(4), tiling = (uint8_t*)AscendC::GmAlloc(4);
        *(int*)tiling = 41;
        ICPU_RUN_KF(kernel, 1, y, tiling);
        return *(int*)y;
    }
    """
    assert run(tmp_path, source, "-include", "own.h").returncode == 42


def test_a_tiling_key_without_a_branch(tmp_path: Path) -> None:
    """A launch that does nothing because the kernel has no branch for its key is T614."""
    source = """
    __global__ __aicore__ void kernel(GM_ADDR y) {
        AscendC::GlobalTensor<float> to;
        to.SetGlobalBuffer((__gm__ float*)y, 8);
        if (TILING_KEY_IS(1)) {
            to.SetValue(0, 1.0f);
        }
    }
    int main() {
        auto y = (uint8_t*)AscendC::GmAlloc(64);
        AscendC::SetKernelMode(KernelMode::AIV_MODE);
        ICPU_SET_TILING_KEY(KEY);
        return Try([&] { ICPU_RUN_KF(kernel, 1, y); });
    }
    """
    done = run(tmp_path, source, "-DKEY=1")
    assert done.returncode == 0, done.stdout + done.stderr
    done = run(tmp_path, source, "-DKEY=9")
    assert done.returncode != 0
    assert "T614 no branch for tiling key 9: kernel kernel names the keys 1 " in done.stdout


@pytest.mark.slow
def test_what_the_toolkits_debug_build_takes(tmp_path: Path) -> None:
    """Code for the toolkit's debug build compiles: addresses of API functions, SyncAll on vector
    cores, TILING_KEY_VAR in the preprocessor, and a type name from the command line."""
    source = """
    #if TILING_KEY_VAR == 0
    constexpr float kFactor = 2;
    #endif
    static_assert(sizeof(float16_t) == 4);
    template <typename T>
    using Function = void(const AscendC::LocalTensor<T>&, const AscendC::LocalTensor<T>&,
                          const uint32_t);
    template <Function<float>* function>
    __global__ __aicore__ void kernel(GM_ADDR y) {
        AscendC::TPipe pipe;
        AscendC::TBuf<AscendC::TPosition::VECCALC> buffer;
        pipe.InitBuffer(buffer, 64);
        AscendC::GlobalTensor<float> to;
        to.SetGlobalBuffer((__gm__ float*)y + AscendC::GetBlockIdx() * 8, 8);
        auto local = buffer.Get<float>();
        AscendC::Duplicate(local, kFactor, 8);
        AscendC::PipeBarrier<PIPE_ALL>();
        function(local[8], local, 8);
        AscendC::PipeBarrier<PIPE_ALL>();
        AscendC::SyncAll();
        AscendC::DataCopy(to, local[8], 8);
    }
    int main() {
        auto y = (uint8_t*)AscendC::GmAlloc(64);
        AscendC::SetKernelMode(KernelMode::AIV_MODE);
        return Try([&] {
            ICPU_RUN_KF((kernel<AscendC::Trunc<float, false>>), 2, y);
            std::printf("%g\\n", ((float*)y)[15]);
        });
    }
    """
    done = run(tmp_path, source, "-Dfloat16_t=float")
    assert (done.returncode, done.stdout) == (0, "2\n")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["-c"], "--unit-test: expected a program, not -c, -dc, -lib or -shared"),
        (["--oracle"], "--oracle: expected --unit-test and --run as well"),
        (["--launchers", "x"], "--launchers: for programs with launches, not for --unit-test"),
        (["-nostdinc"], "GoogleTest is not there: install it (Debian, Ubuntu: apt install"),
    ],
)
def test_refusals(tmp_path: Path, words: list[str], said: str) -> None:
    (tmp_path / "test.cpp").write_text("#include <gtest/gtest.h>\n")
    done = cannery("cc", "--unit-test", "test.cpp", *words, folder=tmp_path)
    assert done.returncode != 0
    assert said in done.stderr


@pytest.mark.slow
def test_launches_stay_outside(tmp_path: Path) -> None:
    """A unit test may have launches in code that ASCENDC_CPU_DEBUG excludes, but not elsewhere."""
    launch = "void kernel() {}\nvoid go() { kernel<<<1, nullptr, nullptr>>>(); }\n"
    source = f"#ifndef ASCENDC_CPU_DEBUG\n{launch}#endif\nint main() {{ return 3; }}\n"
    assert run(tmp_path, source).returncode == 3
    done = run(tmp_path, f"{launch}int main() {{}}\n")
    assert done.returncode == 1
    assert "test.cpp:" in done.stderr
    assert "try: ICPU_RUN_KF instead of <<<...>>>" in done.stderr
