# SPDX-License-Identifier: Apache-2.0
"""Runs the exported project's build.sh, with a replacement for the toolkit and without one."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from pathlib import Path

import pytest

from .conftest import make_home, run_cannery, shell

TBE = "op_impl/ai_core/tbe"


def build(
    out: Path, environment: dict[str, str], *options: str
) -> subprocess.CompletedProcess[str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("ASCEND_")}
    return subprocess.run(
        ["bash", out / "build.sh", *options],
        env={**clean, **environment},
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )


@pytest.fixture
def exported(project: Path, tmp_path: Path) -> Path:
    # A path with a space and a letter that is not ASCII must work.
    out = tmp_path / "für die Karte"
    done = run_cannery("export", "--msopgen", out, project, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    return out


@pytest.mark.release
def test_package(exported: Path, toolkit_home: Path, tmp_path: Path) -> None:
    done = build(exported, shell(toolkit_home))
    assert done.returncode == 0, done.stdout + done.stderr
    machine = platform.machine()
    package = exported / f"build_out/custom_opp_standin_{machine}.run"
    subprocess.run(["sh", package, "--quiet", f"--install-path={tmp_path}/opp"], check=True)
    vendor = tmp_path / "opp/vendors/my_ops"
    expected = {
        "version.info",
        "op_api/include/aclnn_add_scaled.h",
        "op_api/include/aclnnop/aclnn_add_scaled.h",
        "op_api/lib/libcust_opapi.so",
        "op_proto/inc/op_proto.h",
        f"op_proto/lib/linux/{machine}/libcust_opsproto_rt2.0.so",
        f"{TBE}/op_tiling/liboptiling.so",
        f"{TBE}/op_tiling/lib/linux/{machine}/libcust_opmaster_rt2.0.so",
        f"{TBE}/my_ops_impl/dynamic/add_scaled.cpp",
        f"{TBE}/my_ops_impl/dynamic/add_scaled/kernel.h",
    }
    for soc in ("ascend910b", "ascend910_93"):
        expected |= {f"{TBE}/kernel/{soc}/add_scaled/add_scaled.{end}" for end in ("o", "json")}
    missing = {path for path in expected if not (vendor / path).is_file()}
    assert not missing
    assert not (vendor / f"{TBE}/my_ops_impl/dynamic/CMakeLists.txt").exists()
    assert (vendor / "version.info").read_text() == "custom_opp_compiler_version=8.1.RC1\n"
    symbols = subprocess.run(
        ["nm", "-D", "--defined-only", vendor / "op_api/lib/libcust_opapi.so"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    for name in ("aclnnAddScaled", "aclnnInnerAddScaled"):
        assert {name, f"{name}GetWorkspaceSize"} <= set(symbols)


@pytest.mark.slow
def test_op_build_that_writes_nothing(exported: Path, tmp_path: Path) -> None:
    """The build fails if op_build writes nothing, although the toolkit's opbuild() goes on."""
    home = make_home(tmp_path / "home")
    (home / "toolkit/tools/opbuild/op_build").write_text("#!/bin/sh\nexit 1\n")
    done = build(exported, shell(home))
    assert done.returncode != 0
    assert "op_build has not written" in done.stderr
    assert not list(exported.glob("build_out/*.run"))


@pytest.mark.parametrize("switch", ["ENABLE_CROSS_COMPILE", "ASCEND_PACK_SHARED_LIBRARY"])
def test_modes_that_it_does_not_have(exported: Path, toolkit_home: Path, switch: str) -> None:
    done = build(exported, shell(toolkit_home), f"-D{switch}=True")
    assert done.returncode != 0
    assert f"{switch}: expected False" in done.stderr


def test_no_toolkit(exported: Path) -> None:
    done = build(exported, {})
    assert done.returncode == 1
    assert "ASCEND_HOME_PATH: the folder of the CANN toolkit" in done.stderr
    assert "Install the CANN toolkit" in done.stderr
    assert not (exported / "build_out").exists()


@pytest.mark.parametrize(
    "gone",
    [
        "tools/op_project_templates/ascendc/customize/cmake/func.cmake",
        "tools/op_project_templates/ascendc/customize/scripts/install.sh",
        "toolkit/tools/opbuild/op_build",
        "lib64/libregister.so",
        "bin/opc",
        "compiler/ccec_compiler/bin/bisheng",
    ],
)
def test_half_a_toolkit(exported: Path, tmp_path: Path, gone: str) -> None:
    home = make_home(tmp_path / "home")
    (home / gone).unlink()
    done = build(exported, shell(home))
    assert done.returncode == 1
    assert Path(gone).name in done.stderr
    assert not (exported / "build_out").exists()


def test_shell_without_set_env(exported: Path, toolkit_home: Path) -> None:
    """With only ASCEND_HOME_PATH set, the compiler's commands are missing. The message names all of
    them."""
    done = build(exported, {"ASCEND_HOME_PATH": str(toolkit_home)})
    assert done.returncode == 1
    assert all(f"{name} on PATH" in done.stderr for name in ("opc", "bisheng"))
    assert shutil.which("opc") is None
