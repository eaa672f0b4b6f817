# SPDX-License-Identifier: Apache-2.0
"""Tests find_package(cannery): a CMake project builds kernels by our or the toolkit's functions."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from cannery import _runtime
from cannery.compile.toolchain import build_tool

PROJECT = Path(__file__).parents[2] / "fixtures" / "kernel_project"


def cmake(*words: str | Path) -> subprocess.CompletedProcess[str]:
    command = [build_tool("cmake"), *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def configured(source: Path, build: Path) -> subprocess.CompletedProcess[str]:
    return cmake(
        *("-G", "Ninja", "-S", source, "-B", build),
        f"-DCMAKE_MAKE_PROGRAM={build_tool('ninja')}",
        f"-DPython_EXECUTABLE={sys.executable}",
        f"-Dcannery_DIR={_runtime.twin_root() / 'cmake'}",
        f"-DCMAKE_INSTALL_PREFIX={build / 'installed'}",
    )


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kernel project")
    done = configured(PROJECT, folder)
    assert done.returncode == 0, done.stderr
    done = cmake("--build", folder)
    assert done.returncode == 0, done.stdout
    return folder


@pytest.mark.release
@pytest.mark.parametrize("program", ["by_function", "by_launch"])
def test_the_programs_run(build: Path, program: str) -> None:
    done = subprocess.run([build / program], capture_output=True, text=True, check=False)
    assert done.stdout == "status 0 first -42 last -42\n", done.stderr


def load(build: Path, *words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([build / "load", *words], capture_output=True, text=True, check=False)


@pytest.mark.release
@pytest.mark.parametrize("way", ["file", "memory"])
@pytest.mark.parametrize(
    ("kernel", "result"), [("negate", -42), ("negate_3", -42), ("add_one", 22), ("add_one_7", 28)]
)
def test_kernels_of_a_file_by_their_names(build: Path, way: str, kernel: str, result: int) -> None:
    file = build / "installed/fatbin/loaded/loaded.o"
    done = load(build, file, way, kernel)
    assert done.stdout == f"first {result} last {result}\n", done.stdout + done.stderr


@pytest.mark.release
def test_files_and_names_that_are_none(build: Path, tmp_path: Path) -> None:
    file = build / "installed/fatbin/loaded/loaded.o"
    said = load(build, file, "file", "other").stdout
    assert 'kernelName is "other"' in said
    assert 'holds "add_one", "negate" (tiling key 0)' in said
    (tmp_path / "cut.o").write_bytes(file.read_bytes()[:4096])
    for way in ("file", "memory"):
        assert "is no complete shared object" in load(build, tmp_path / "cut.o", way, "x").stdout
        assert load(build, tmp_path / "none.o", way, "x").returncode == 1


@pytest.mark.release
def test_the_launchers_header(build: Path) -> None:
    header = (build / "include" / "kernels" / "aclrtlaunch_negate.h").read_text()
    assert (
        'extern "C" uint32_t aclrtlaunch_negate(uint32_t blockDim, aclrtStream stream, void* x, '
        "void* z, int32_t factor);" in header
    )


@pytest.mark.release
def test_nothing_to_do_for_a_built_project(build: Path) -> None:
    assert "no work to do" in cmake("--build", build).stdout


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("cannery_add_kernel(k STATIC)", "expected at least one source"),
    ],
)
def test_refuses(tmp_path: Path, line: str, message: str) -> None:
    head = (PROJECT / "CMakeLists.txt").read_text().partition("\n\n")[0]
    (tmp_path / "CMakeLists.txt").write_text(f"{head}\n{line}\n")
    done = configured(tmp_path, tmp_path / "build")
    assert done.returncode != 0
    assert message in " ".join(done.stderr.split())
