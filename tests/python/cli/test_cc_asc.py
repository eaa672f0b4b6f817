# SPDX-License-Identifier: Apache-2.0
"""Tests that the toolkit's own projects build unchanged: find_package(ASC), -c, -dc and -lib."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cannery import _runtime
from cannery.compile.toolchain import build_tool

from ..processes import run_cannery

FIXTURES = Path(__file__).parents[2] / "fixtures"
PROJECT = FIXTURES / "asc_project"
ROOT = str(_runtime.twin_root())
ENV = {**os.environ, "CMAKE_PREFIX_PATH": ROOT, "ASCEND_HOME_PATH": ROOT}
SAYS = "status 0 first -1.5 last -1.5\n"


def run(*command: str | Path, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    words = list(map(str, command))
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False, env=ENV)


def cc(folder: Path, *words: str | Path) -> subprocess.CompletedProcess[str]:
    return run_cannery("cc", *words, cwd=folder, env=ENV)


def says(program: Path) -> str:
    done = run(program)
    return done.stdout + done.stderr


def configured(source: Path, build: Path, *words: str) -> subprocess.CompletedProcess[str]:
    make = f"-DCMAKE_MAKE_PROGRAM={build_tool('ninja')}"
    return run(build_tool("cmake"), "-G", "Ninja", "-S", source, "-B", build, make, *words)


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("asc project")
    done = configured(PROJECT, folder)
    assert done.returncode == 0, done.stderr
    done = run(build_tool("cmake"), "--build", folder)
    assert done.returncode == 0, done.stdout
    return folder


@pytest.mark.release
@pytest.mark.parametrize("program", ["separate", "with_STATIC", "with_SHARED"])
def test_the_programs_run(build: Path, program: str) -> None:
    assert says(build / program) == SAYS


@pytest.mark.release
def test_what_a_source_includes_is_known(build: Path) -> None:
    assert "no work to do" in run(build_tool("cmake"), "--build", build).stdout
    deps = run(build_tool("ninja"), "-C", build, "-t", "deps").stdout
    whole = deps.partition("kernel_STATIC.dir/whole.asc.o:")[2].partition("\n\n")[0]
    assert str(PROJECT / "negate.asc") in whole


def test_ascendc_cmake_is_where_the_toolkit_has_it(tmp_path: Path) -> None:
    lines = (FIXTURES / "kernel_project" / "CMakeLists.txt").read_text()
    before = "find_package(cannery CONFIG REQUIRED)"
    folder = "${ASCEND_CANN_PACKAGE_PATH}/tools/tikcpp/ascendc_kernel_cmake"
    (tmp_path / "CMakeLists.txt").write_text(
        lines.partition(before)[0]
        + f"if(NOT EXISTS {folder})\n    message(FATAL_ERROR nowhere)\nendif()\n"
        + f"include({folder}/ascendc.cmake)\nascendc_library(kernels SHARED kernel.cpp)\n"
    )
    (tmp_path / "kernel.cpp").write_text('#include "kernel_operator.h"\n')
    root = _runtime.twin_root()
    python = f"-DPython_EXECUTABLE={sys.executable}"
    done = configured(tmp_path, tmp_path / "b", f"-DASCEND_CANN_PACKAGE_PATH={root}", python)
    assert done.returncode == 0, done.stderr


@pytest.mark.release
def test_separate_compilation_by_hand(build: Path, tmp_path: Path) -> None:
    """Objects of `-dc` and `-c` link with an object that the CMake project made."""
    for words in (("-dc", "negate.asc"), ("-c", "main.cpp")):
        done = cc(tmp_path, words[0], "-DELEMENTS=256", PROJECT / words[1])
        assert done.returncode == 0, done.stderr
    shutil.copy(build / "CMakeFiles/separate.dir/kernel.asc.o", tmp_path / "kernel.o")
    done = cc(tmp_path, "negate.o", "kernel.o", "main.o", "-ltiling_api", "-o", "program")
    assert done.returncode == 0, done.stderr
    assert says(tmp_path / "program") == SAYS
    # kernel.o calls Negate, which is in negate.o. Without negate.o, the message must name Negate.
    done = cc(tmp_path, "kernel.o", "main.o", "-o", "program")
    assert done.returncode == 1
    assert "kernel.o" in done.stderr or "program" in done.stderr
    assert "undefined reference to `Negate(" in done.stderr
    assert "try: give the sources, objects or libraries that define it" in done.stderr


@pytest.mark.release
def test_a_static_library_by_hand(tmp_path: Path) -> None:
    done = cc(tmp_path, "-lib", "-DELEMENTS=256", PROJECT / "whole.asc", "-o", "libkernel.a")
    assert done.returncode == 0, done.stderr
    words = ("-DELEMENTS=256", PROJECT / "main.cpp", "libkernel.a", "-o", "program")
    done = cc(tmp_path, *words, "-mllvm", "-cce-aicore-stack-size=0x8000", "--sanitizer")
    assert done.returncode == 0, done.stderr
    assert says(tmp_path / "program") == SAYS
