# SPDX-License-Identifier: Apache-2.0
"""Tests that `cannery export --msopgen` writes a tree that a toolkit's templates can build."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from cannery import _runtime

from .conftest import ROOT, run_cannery

COMPILER = os.environ.get("CXX") or shutil.which("g++") or "c++"
#: The expected cache variables of CMakePresets.json.
VARIABLES = {
    "CMAKE_BUILD_TYPE": "Release",
    "ENABLE_SOURCE_PACKAGE": "True",
    "ENABLE_BINARY_PACKAGE": "True",
    "ASCEND_COMPUTE_UNIT": "ascend910b;ascend910_93",
    "ENABLE_TEST": "True",
    "vendor_name": "my_ops",
    "ASCEND_CANN_PACKAGE_PATH": "/usr/local/Ascend/latest",
    "ASCEND_PYTHON_EXECUTABLE": "python3",
    "CMAKE_INSTALL_PREFIX": "${sourceDir}/build_out",
    "ENABLE_CROSS_COMPILE": "False",
    "CMAKE_CROSS_PLATFORM_COMPILER": "/usr/bin/aarch64-linux-gnu-g++",
    "ASCEND_PACK_SHARED_LIBRARY": "False",
}


def files(folder: Path) -> set[str]:
    return {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}


def export(project: Path, target: Path, *options: str) -> Path:
    done = run_cannery("export", "--msopgen", target, *options, project, cwd=target.parent)
    assert done.returncode == 0, done.stderr
    return target


def test_layout(project: Path, tmp_path: Path) -> None:
    """An export must have exactly the files that this test lists."""
    out = export(project, tmp_path / "out")
    op = "add_scaled"
    made = {
        *("CMakeLists.txt", "CMakePresets.json", "build.sh", "cmake/config.cmake"),
        *("op_host/CMakeLists.txt", "op_kernel/CMakeLists.txt"),
        *(f"op_host/{op}_{name}" for name in ("def.cpp", "interface.h", "checks.h")),
        *(f"op_host/aclnn/aclnn_{op}_phase2.cpp", f"op_host/aclnn/include/aclnnop/aclnn_{op}.h"),
    }
    written = {
        f"{folder}/{path}"
        for folder in ("op_host", "op_kernel")
        for path in files(project / folder)
    }
    assert files(out) == made | written
    for path in written:
        assert (out / path).read_bytes() == (project / path).read_bytes()
    assert os.access(out / "build.sh", os.X_OK)
    # The toolkit's CMake functions look for the kernel's source at this path.
    assert (out / f"op_kernel/{op}.cpp").is_file()


def test_presets(project: Path, tmp_path: Path) -> None:
    presets = json.loads((export(project, tmp_path / "out") / "CMakePresets.json").read_text())
    (preset,) = presets["configurePresets"]
    assert (preset["name"], preset["generator"]) == ("default", "Unix Makefiles")
    assert preset["binaryDir"] == "${sourceDir}/build_out"
    assert {k: v["value"] for k, v in preset["cacheVariables"].items()} == VARIABLES


@pytest.mark.parametrize(
    ("given", "units"),
    [("ascend910b", "ascend910b"), ("Ascend910B2, Ascend910_9391", "ascend910b;ascend910_93")],
)
def test_chosen_soc_and_vendor(project: Path, tmp_path: Path, given: str, units: str) -> None:
    out = export(project, tmp_path / "out", "--soc", given, "--vendor", "other")
    variables = json.loads((out / "CMakePresets.json").read_text())["configurePresets"][0][
        "cacheVariables"
    ]
    assert variables["ASCEND_COMPUTE_UNIT"]["value"] == units
    assert variables["vendor_name"]["value"] == "other"


def test_same_bytes(project: Path, tmp_path: Path) -> None:
    one, two = (export(project, tmp_path / name) for name in ("one", "two"))
    assert files(one) == files(two)
    assert all((one / path).read_bytes() == (two / path).read_bytes() for path in files(one))


def test_forwards_without_a_public_function(project: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(project, tmp_path / "copy"))
    (copy / "op_host/aclnn/aclnn_add_scaled.cpp").unlink()
    out = export(copy, tmp_path / "out")
    assert (out / "op_host/aclnn/aclnn_add_scaled_forward.cpp").is_file()


@pytest.fixture(scope="session")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns an export of the operators of cannery."""
    return export(ROOT, tmp_path_factory.mktemp("checkout") / "out")


@pytest.mark.parametrize("macro", ["", "OP_PROTO_LIB", "OP_TILING_LIB"])
@pytest.mark.slow
def test_op_host_is_c_plus_plus_11(checkout: Path, macro: str) -> None:
    """op_host compiles with the include folders of opbuild(): toolkit headers and op_kernel."""
    sources = sorted(checkout.glob("op_host/*.cpp"))
    assert len(sources) == 3 * len(list(ROOT.glob("op_proto/*.toml")))
    folders = (_runtime.twin_root() / "include", checkout / "op_kernel")
    compile_only(sources, folders, [f"-D{macro}"] if macro else [])


@pytest.mark.release
def test_public_functions_are_c_plus_plus_11(checkout: Path, tmp_path: Path) -> None:
    """The public functions compile with generated inner headers, which op_build would also make."""
    from cannery.opgen.cli import main

    assert main(["--proto", str(ROOT / "op_proto"), "--out", str(tmp_path)]) == 0
    inner = tmp_path / "autogen"
    inner.mkdir()
    for header in tmp_path.glob("op_host/aclnnInner_*.h"):
        header.rename(inner / header.name)
    host = checkout / "op_host"
    folders = (host / "aclnn", host / "aclnn/include", host, inner)
    sources = sorted(host.glob("aclnn/**/*.cpp"))
    compile_only(sources, (*folders, _runtime.twin_root() / "include"), [])


def compile_only(sources: list[Path], folders: tuple[Path, ...], options: list[str]) -> None:
    command = [COMPILER, "-fsyntax-only", "-std=c++11", "-Wall", "-Wextra", "-Werror", *options]
    command += [f"-I{folder}" for folder in folders]
    done = subprocess.run([*command, *sources], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


# --- calls that are refused and must leave no files


def refused(project: Path, target: Path, *options: str) -> str:
    folder = next(each for each in target.parents if each.is_dir())
    before = sorted(folder.rglob("*"))
    done = run_cannery("export", "--msopgen", target, *options, project, cwd=folder)
    assert done.returncode in {1, 2}
    assert sorted(folder.rglob("*")) == before
    assert "Traceback" not in done.stderr
    return done.stderr


def test_existing_folder(project: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out/mine.txt").write_text("mine")
    assert "is there already and not empty" in refused(project, tmp_path / "out")
    (tmp_path / "file").write_text("mine")
    assert "is there already and not empty" in refused(project, tmp_path / "file")


def test_the_command_can_be_copied(project: Path, tmp_path: Path) -> None:
    target = tmp_path / "it's $(my) Bäckerei"
    done = run_cannery("export", "--msopgen", target, project, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    line = done.stdout.splitlines()[-1]
    assert shlex.split(line) == ["bash", str(target / "build.sh")]


def test_target_below_a_file(project: Path, tmp_path: Path) -> None:
    """A target below a file cannot be written, not even by a superuser."""
    (tmp_path / "file").write_text("mine")
    assert "cannot be written" in refused(project, tmp_path / "file" / "out")


@pytest.mark.parametrize("soc", ["ascend310p", "Ascend910", "", ","])
def test_unknown_soc(project: Path, tmp_path: Path, soc: str) -> None:
    said = refused(project, tmp_path / "out", f"--soc={soc}")
    assert "--soc: expected ascend910b (Atlas A2) or ascend910_93 (Atlas A3)" in said


def test_undeclared_soc(project: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(project, tmp_path / "copy"))
    proto = copy / "op_proto/add_scaled.toml"
    proto.write_text(proto.read_text().replace('["ascend910b", "ascend910_93"]', '["ascend910b"]'))
    said = refused(copy, tmp_path / "out", "--soc=ascend910_93")
    assert "none that the prototypes name; expected ascend910b" in said


def test_no_kernel_of_that_name(project: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(project, tmp_path / "copy"))
    (copy / "op_kernel/add_scaled.cpp").rename(copy / "op_kernel/other.cpp")
    assert "no op_kernel/add_scaled.cpp" in refused(copy, tmp_path / "out")


def test_name_of_a_made_file(project: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(project, tmp_path / "copy"))
    (copy / "op_host/add_scaled_def.cpp").write_text("// mine\n")
    assert "op_host/add_scaled_def.cpp has the name of" in refused(copy, tmp_path / "out")


def test_no_project(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert "is not a project of operators" in refused(tmp_path / "empty", tmp_path / "out")
    assert "vendor: expected letters" in refused(ROOT, tmp_path / "out", "--vendor", "a b")


def test_project_of_msopgen(tmp_path: Path) -> None:
    project = ROOT / "tests/fixtures/msopgen/AddCustom"
    assert "its own build.sh builds it" in refused(project, tmp_path / "out")
