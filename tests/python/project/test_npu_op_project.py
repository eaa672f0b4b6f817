# SPDX-License-Identifier: Apache-2.0
"""`cannery build` must build projects of newer toolkits, whose CMake files call the functions
npu_op_*."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from cannery import _runtime, packages
from cannery.cli import cmake_project
from cannery.compile.toolchain import build_tool
from cannery.errors import CanneryError

from ..processes import run_code
from ..selection import rest_slow
from .conftest import Run, tree

RUN = """
import sys, numpy as np, cannery
x = np.random.default_rng(0).standard_normal((7, 65)).astype(np.float32)
z = cannery.project.load(sys.argv[1]).scale(x, factor=0.5)
assert np.array_equal(z, x * np.float32(0.5) + np.float32(3))
"""


@pytest.fixture
def project(repository: Path, tmp_path: Path) -> Path:
    source = repository / "tests/fixtures/npu_op_project"
    return Path(shutil.copytree(source, tmp_path / "with space" / "scale"))


@pytest.mark.twin_only("runs a package that was built for the twin")
@pytest.mark.slow
def test_builds_and_runs_unchanged(project: Path, cannery: Run) -> None:
    before = tree(project)
    done = cannery("build", cwd=project)
    assert done.returncode == 0, done.stderr
    assert {k: v for k, v in tree(project).items() if not k.startswith("build/")} == before
    assert (project / "build/opp/vendors/scale_ops/version.info").is_file()
    done = run_code(RUN, project)
    assert done.returncode == 0, done.stderr
    assert cannery("list", cwd=project).stdout.startswith("scale (scale): float32\n")
    again = cannery("build", cwd=project)
    assert ": 0 steps" in again.stdout
    kernel = project / "op_kernel/scale/scale_kernel.asc"
    kernel.write_text(kernel.read_text().replace("ADDEND", "NO_SUCH_NAME"))
    broken = cannery("build", cwd=project)
    assert f"{kernel}:21" in broken.stderr
    assert "NO_SUCH_NAME" in broken.stderr


def test_what_its_cmake_files_say(project: Path, tmp_path: Path) -> None:
    assert packages.calls_npu_op(project)
    assert packages.root(project / "op_kernel") == project
    found = cmake_project.describe(project, tmp_path)
    assert found.vendor == "scale_ops"
    assert found.host == [project / "op_host/scale/scale_host.cpp"]
    assert found.base == project / "op_kernel"
    assert [kernel.file for kernel in found.kernels] == ["missing.cpp", "scale_kernel.asc"]
    assert found.options == [("ALL", "-DADDEND=3"), ("Other", "-DADDEND=4")]

    proto = {"type": "Scale", "socs": ["ascend910b"]}
    cmake_project.stage_kernels(project, found, [proto], tmp_path)
    staged = (tmp_path / "op_kernel/scale.cpp").read_text()
    assert "KERNEL_TYPE_AIV_ONLY" in staged.splitlines()[0]
    assert f'#include "{project}/op_kernel/scale/scale_tiling_data.h"' in staged
    assert "<<<" not in staged

    found.kernels = []
    with pytest.raises(CanneryError, match=r"Scale: no kernel source .*op_kernel/scale\.cpp"):
        cmake_project.stage_kernels(project, found, [proto], tmp_path)


@pytest.mark.slow
def test_its_preset(project: Path, tmp_path: Path) -> None:
    path = project / "CMakeLists.txt"
    path.write_text(
        path.read_text().replace("set(package_name scale_ops)", "set(package_name ${vendor_name})")
    )
    assert cmake_project.describe(project, tmp_path).vendor == "customize"
    preset = {"cacheVariables": {"vendor_name": {"type": "STRING", "value": "mine"}}}
    (project / "CMakePresets.json").write_text(json.dumps({"configurePresets": [preset]}))
    assert cmake_project.describe(project, tmp_path).vendor == "mine"
    (project / "CMakePresets.json").write_text("{}")
    with pytest.raises(CanneryError, match="has no preset with cacheVariables"):
        cmake_project.describe(project, tmp_path)


@pytest.mark.slow
def test_cmake_alone_names_the_command(project: Path, tmp_path: Path) -> None:
    where = f"-DASC_DIR={_runtime.twin_root() / 'cmake'}"
    command = [build_tool("cmake"), "-S", str(project), "-B", str(tmp_path / "b"), where]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "npu_op_package(scale_ops): build this project with" in " ".join(done.stderr.split())


def add(folder: str, line: str) -> Callable[[Path], object]:
    def change(project: Path) -> None:
        path = project / folder / "CMakeLists.txt"
        path.write_text(f"{path.read_text()}\n{line}\n")

    return change


FAULTS = {
    "an error of CMake": (add("op_host", "no_such_function()"), "no_such_function"),
    "own public functions": (
        add("op_host", "npu_op_library(own ACLNN own.cpp)"),
        r"npu_op_library\(... ACLNN\): own.cpp: the twin makes the public functions",
    ),
    "no kernels": (
        lambda project: (project / "op_kernel/CMakeLists.txt").write_text(""),
        "expected calls of npu_op_code_gen with sources, and of npu_op_kernel_library",
    ),
}


@pytest.mark.parametrize("fault", rest_slow(FAULTS))
def test_faults(project: Path, tmp_path: Path, fault: str) -> None:
    change, sentence = FAULTS[fault]
    change(project)
    with pytest.raises(CanneryError, match=sentence):
        cmake_project.describe(project, tmp_path)


def test_options_of_msopgens_projects(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kernels = tmp_path / "op_kernel"
    kernels.mkdir()
    assert cmake_project.kernel_options(tmp_path, tmp_path) == []
    (kernels / "CMakeLists.txt").write_text("""
if("${CMAKE_BUILD_TYPE}x" STREQUAL "Debugx")
    add_ops_compile_options(ALL OPTIONS -g -O0)
endif()
add_ops_compile_options(ALL OPTIONS -I/a/folder --save-temp-files -I ${CMAKE_SOURCE_DIR}/b)
add_ops_compile_options(Scale COMPUTE_UNIT ascend910b OPTIONS -DNAME -I c)
add_kernels_compile()
add_npu_support_target(TARGET npu_supported_ops)
if(${ENABLE_SOURCE_PACKAGE})
    install(FILES a.cpp DESTINATION packages)
endif()
install(FILES b.cpp DESTINATION packages)
""")
    assert cmake_project.kernel_options(tmp_path, tmp_path) == [
        ("ALL", "-I/a/folder"),
        ("ALL", f"-I{tmp_path}/b"),
        ("Scale", "-DNAME"),
        ("Scale", f"-I{kernels}/c"),
    ]
    (kernels / "CMakeLists.txt").write_text("no_such_function()")
    assert cmake_project.kernel_options(tmp_path, tmp_path) == []
    said = capsys.readouterr().err
    assert "op_kernel/CMakeLists.txt: its options for kernels are not used" in said
    assert "no_such_function" in said
