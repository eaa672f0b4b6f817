# SPDX-License-Identifier: Apache-2.0
"""Tests that a kernel is compiled again whenever its compilation could give another result."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import cannery

from ..selection import rest_slow

pytestmark = pytest.mark.twin_only("the host's compiler and what is kept of its work")

Count = Callable[[], int]

SOURCE = """
#include "kernel_operator.h"
#include <value.h>

extern "C" __global__ __aicore__ void value(GM_ADDR out) {
    AscendC::GlobalTensor<int32_t> gm;
    gm.SetGlobalBuffer((__gm__ int32_t*)out);
    gm.SetValue(0, VALUE);
    AscendC::DataCacheCleanAndInvalid<int32_t, AscendC::CacheLine::SINGLE_CACHE_LINE,
                                      AscendC::DcciDst::CACHELINE_OUT>(gm);
}
"""


def value() -> int:
    out = np.zeros(64, np.int32)
    cannery.compile_kernel(SOURCE, "value")(1, out)
    return int(out[0])


@pytest.mark.slow
@pytest.mark.parametrize("variable", ["CPATH", "CPLUS_INCLUDE_PATH"])
def test_include_folders_of_the_environment(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    for number in (1, 2):
        (tmp_path / str(number)).mkdir()
        (tmp_path / str(number) / "value.h").write_text(f"#define VALUE {number}\n")
        monkeypatch.setenv(variable, str(tmp_path / str(number)))
        assert value() == number
    # If a header in a folder of CPATH or CPLUS_INCLUDE_PATH changes, the kernel is compiled again.
    (tmp_path / "2" / "value.h").write_text("#define VALUE 3\n")
    assert value() == 3


@pytest.mark.parametrize("folders", rest_slow([".", ":/nonexistent", "/nonexistent:"]))
def test_folders_relative_to_the_working_directory(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folders: str
) -> None:
    monkeypatch.setenv("CPLUS_INCLUDE_PATH", folders)
    for number in (1, 2):
        (tmp_path / str(number)).mkdir()
        (tmp_path / str(number) / "value.h").write_text(f"#define VALUE {number}\n")
        monkeypatch.chdir(tmp_path / str(number))
        assert value() == number


@pytest.mark.slow
@pytest.mark.parametrize(
    "variable", ["C_INCLUDE_PATH", "LIBRARY_PATH", "COMPILER_PATH", "SOURCE_DATE_EPOCH"]
)
def test_other_variables_of_the_compiler(
    kernels: Path, cache: Path, compilations: Count, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    for runs, content in ((1, "1"), (2, "2"), (2, "1")):
        monkeypatch.setenv(variable, content)
        cannery.compile_kernel(kernels / "add.cpp", "add")
        assert compilations() == runs


def test_gcc_exec_prefix_reaches_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    from cannery.compile.toolchain import find_toolchain

    before = find_toolchain().identity
    monkeypatch.setenv("GCC_EXEC_PREFIX", "/opt/other/lib/gcc/")
    assert find_toolchain().identity != before


@pytest.mark.slow
def test_every_program_of_the_compiler_command_counts(
    kernels: Path, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, compiler = tmp_path / "log", tmp_path / "my-g++"
    for text in ("# one", "# another one"):
        count = f'case " $* " in *" -E "*) ;; *) echo run >>"{log}" ;; esac'
        compiler.write_text(f'#!/bin/sh\n{text}\n{count}\nexec g++ "$@"\n')
        compiler.chmod(0o755)
        monkeypatch.setenv("CXX", f"env {compiler}")
        cannery.compile_kernel(kernels / "add.cpp", "add")
    assert len(log.read_text().splitlines()) == 2


def test_the_compiler_writes_no_file_of_its_own(
    kernels: Path, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEPENDENCIES_OUTPUT", str(tmp_path / "deps"))
    cannery.compile_kernel(kernels / "add.cpp", "add")
    assert not (tmp_path / "deps").exists()


def test_a_file_with_a_byte_order_mark_or_without_an_end(cache: Path, tmp_path: Path) -> None:
    (tmp_path / "value.h").write_text("#define VALUE 5\n")
    source = tmp_path / "value.cpp"
    for number, text in enumerate(
        ("\ufeff" + SOURCE, SOURCE + "#define END \\", SOURCE.replace("\n", "\r\n"))
    ):
        (tmp_path / "value.h").write_text(f"#define VALUE {number}\n")
        source.write_bytes(text.encode())
        out = np.zeros(64, np.int32)
        cannery.compile_kernel(source, "value", include_dirs=[tmp_path])(1, out)
        assert out[0] == number
    assert os.listdir(tmp_path / "cache" / "kernels")
