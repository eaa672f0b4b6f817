# SPDX-License-Identifier: Apache-2.0
"""Tests the C++ parts on aarch64, built by Debian's cross compiler and run under emulation.

Needs g++-aarch64-linux-gnu and qemu-user; without them, the tests are skipped with a reason. All
tests use one build tree, build/aarch64, which is kept."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pybind11
import pytest

TOOLS = {"aarch64-linux-gnu-g++": "g++-aarch64-linux-gnu", "qemu-aarch64": "qemu-user"}
MISSING = sorted(package for tool, package in TOOLS.items() if shutil.which(tool) is None)

pytestmark = [
    pytest.mark.aarch64,
    pytest.mark.slow,
    pytest.mark.skipif(bool(MISSING), reason=f"needs {' and '.join(MISSING)}"),
    pytest.mark.xdist_group("aarch64"),
]
AARCH64 = 183  # the value of e_machine in an ELF file


def run(*command: str, root: Path, minutes: float) -> str:
    """Runs a command, which must succeed, and returns its output; a failure shows the last
    lines."""
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command,
        cwd=root,
        env={**os.environ, "PATH": programs},
        capture_output=True,
        text=True,
        timeout=minutes * 60,
        check=False,
    )
    assert done.returncode == 0, (
        f"{shlex.join(command)}\n{done.stdout[-8000:]}{done.stderr[-4000:]}"
    )
    return done.stdout


@pytest.fixture(scope="module")
def build(repository: Path) -> Path:
    """Builds for aarch64 and returns the build tree."""
    python = f"-DPython_EXECUTABLE={sys.executable}"
    run("cmake", "--preset", "aarch64", python, root=repository, minutes=2)
    run("cmake", "--build", "--preset", "aarch64", root=repository, minutes=40)
    return repository / "build" / "aarch64"


def machine(library: Path) -> int:
    head = library.read_bytes()[:20]
    assert head[:4] == b"\x7fELF"
    return int.from_bytes(head[18:20], "little")


def is_linker_script(library: Path) -> bool:
    """Returns whether the file only names another library, as our toolkit replacements do."""
    return library.read_bytes().startswith(b"INPUT(")


def test_every_library_is_for_aarch64(build: Path) -> None:
    files = [path for path in build.rglob("*.so") if path.is_file()]
    libraries = [path for path in files if not is_linker_script(path)]
    assert any(path.name == "libcannery_twin.so" for path in libraries)
    assert any("swi_glu_grad" in path.name for path in libraries)
    assert {machine(path) for path in libraries} == {AARCH64}


def test_the_cpp_tests_pass_under_emulation(repository: Path, build: Path) -> None:
    printed = run("ctest", "--preset", "aarch64", "-j2", root=repository, minutes=20)
    assert "100% tests passed" in printed
    assert (build / "Testing").is_dir()


def test_the_native_module_compiles(repository: Path, build: Path, tmp_path: Path) -> None:
    """The native module compiles with this machine's Python headers, which fit both processors."""
    include = [
        repository / "twin",
        repository / "twin/include",
        build / "include",
        repository / "python/src",
        Path(sysconfig.get_path("include")),
        Path(pybind11.get_include()),
    ]
    module = tmp_path / "_native.so"
    options = ["-std=c++17", "-O1", "-fPIC", "-shared", *(f"-I{folder}" for folder in include)]
    sources = sorted(map(str, (repository / "python/src").glob("*.cpp")))
    assert len(sources) > 5
    unit = tmp_path / "unit.cpp"  # one unit, as all sources include the same headers
    unit.write_text("".join(f'#include "{source}"\n' for source in sources))
    compiler = "aarch64-linux-gnu-g++"
    run(compiler, *options, str(unit), "-o", str(module), root=repository, minutes=10)
    assert machine(module) == AARCH64
