# SPDX-License-Identifier: Apache-2.0
"""Tests `cannery build --soc` and `cannery package --soc` with and without a replacement for the
toolkit, and what the backend npu loads."""

from __future__ import annotations

import ctypes
import json
import os
import platform
import shutil
from pathlib import Path

import pytest

from cannery import _toolkit
from cannery.testing.toolkit import make_toolkit

from ..processes import run_code
from .conftest import make_home, run_cannery, shell

PACKAGE = f"custom_opp_standin_{platform.machine()}.run"


@pytest.fixture
def own(project: Path, tmp_path: Path) -> Path:
    """Returns a copy of the project, in which a test may build."""
    return Path(shutil.copytree(project, tmp_path / "my_ops"))


@pytest.mark.release
def test_build(own: Path, toolkit_home: Path) -> None:
    done = run_cannery("build", "--soc", "ascend910b", "--json", cwd=own, **shell(toolkit_home))
    assert done.returncode == 0, done.stdout + done.stderr
    tree = own / "build/npu/vendors/my_ops"
    assert json.loads(done.stdout)["packages"] == [str(tree)]
    assert (tree / "op_api/lib/libcust_opapi.so").is_file()
    assert (tree / "op_impl/ai_core/tbe/kernel/ascend910b/add_scaled/add_scaled.o").is_file()
    assert not (tree / "op_impl/ai_core/tbe/kernel/ascend910_93").exists()
    assert (own / "build/npu/toolkit").read_text() == str(toolkit_home.resolve())
    # The package has the prototype and the library that a call from Python needs.
    assert json.loads((tree / "cannery/proto/add_scaled.json").read_text())["type"] == "AddScaled"
    assert ctypes.CDLL(str(tree / "cannery/lib/libcannery_calls.so")).add_scaled_call
    # A second build in the same folder replaces the first one.
    again = run_cannery("build", "--soc", "ascend910_93", cwd=own, **shell(toolkit_home))
    assert again.returncode == 0, again.stderr
    assert not (tree / "op_impl/ai_core/tbe/kernel/ascend910b").exists()
    assert [path.name for path in (own / "build").glob("npu*")] == ["npu"]


@pytest.mark.release
def test_package(own: Path, toolkit_home: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    options = ("package", own, "--soc", "ascend910b", "--out", out)
    done = run_cannery(*options, cwd=tmp_path, **shell(toolkit_home))
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout == f"wrote {out}/{PACKAGE}\n"
    assert [path.name for path in out.iterdir()] == [PACKAGE]


@pytest.mark.parametrize("verb", ["build", "package"])
def test_no_toolkit(own: Path, verb: str) -> None:
    done = run_cannery(verb, own, "--soc", "ascend910b", cwd=own)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "ASCEND_HOME_PATH: the folder of the CANN toolkit" in done.stderr
    assert "Install the CANN toolkit" in done.stderr
    assert not (own / "build/npu").exists()
    assert not (own / "build_out").exists()


@pytest.mark.release
def test_failed_build_keeps_what_was_there(own: Path, tmp_path: Path) -> None:
    kept = own / "build/npu/vendors/my_ops/mine.txt"
    kept.parent.mkdir(parents=True)
    kept.write_text("mine")
    # A build fails because its kernels do not compile.
    home = make_home(tmp_path / "home")
    (home / "bin/opc").write_text("#!/bin/sh\necho add_scaled.cpp: no such instruction; exit 1\n")
    done = run_cannery("build", "--soc", "ascend910b", cwd=own, **shell(home))
    assert done.returncode == 1
    assert "no such instruction" in done.stderr
    # A build fails because its package does not install.
    home = make_home(tmp_path / "other")
    scripts = home / "tools/op_project_templates/ascendc/customize/scripts"
    (scripts / "install.sh").write_text("mkdir -p ${2#*=}/vendors; echo disk full; exit 1\n")
    done = run_cannery("build", "--soc", "ascend910b", cwd=own, **shell(home))
    assert done.returncode == 1
    assert "disk full" in done.stderr
    assert kept.read_text() == "mine"
    assert [path.name for path in (own / "build").glob("npu*")] == ["npu"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--soc", "ascend310p"), "--soc: expected ascend910b (Atlas A2)"),
        (("--soc", "ascend910b", "--debug"), "-j and --debug do not reach"),
    ],
)
def test_wrong_options(own: Path, options: tuple[str, ...], said: str) -> None:
    done = run_cannery("build", *options, cwd=own)
    assert done.returncode == 2
    assert said in done.stderr
    assert not (own / "build").exists()


USE = """
import numpy as np, cannery
if early:
    import my_ops
cannery.use(backend="npu")
import my_ops
x, y = np.arange(6, dtype=np.float32), np.full(6, 0.5, np.float32)
print(my_ops.add_scaled(x, y, alpha=2.0).tolist())
print({line.split()[-1] for line in open("/proc/self/maps") if "libcust_" in line})
"""


@pytest.mark.hazards_off("asks for a card")
@pytest.mark.release
def test_backend_npu_loads_it(own: Path, tmp_path: Path) -> None:
    """The backend npu loads the package in build/npu. In this test, it is the twin's package."""
    done = run_cannery("build", cwd=own)
    assert done.returncode == 0, done.stderr
    shutil.move(own / "build/opp", own / "build/npu")
    toolkit = make_toolkit(tmp_path / "toolkit")
    _toolkit.made_with(own / "build/npu/vendors/my_ops").write_text(str(toolkit.home))
    clean = {name: value for name, value in os.environ.items() if not name.startswith("ASCEND_")}
    tree = str(own / "build/npu/vendors/my_ops")
    for early in (True, False):
        ran = run_code(
            f"early = {early}\n{USE}",
            env={**clean, **toolkit.environment, "PYTHONPATH": str(own / "python")},
        )
        assert ran.returncode == 0, ran.stderr
        result, libraries = ran.stdout.splitlines()
        assert json.loads(result) == list(range(6))  # the kernel of a new project copies x
        for name in ("libcust_opapi.so", "libcust_opmaster_rt2.0.so"):
            found = eval(libraries)  # noqa: S307
            assert any(path.startswith(tree) and path.endswith(name) for path in found)


def test_what_another_toolkit_made_is_passed_over(own: Path, tmp_path: Path) -> None:
    """A package is not used if another or an unknown toolkit has made this package."""
    code = """
import sys
from pathlib import Path
from cannery import _toolkit
own = Path(sys.argv[1])
_toolkit.add_private(own)
for toolkit in (None, sys.argv[2], sys.argv[3]):
    if toolkit:
        _toolkit.made_with(own).write_text(toolkit)
    print(str(own / "op_api/lib") in _toolkit.library_dirs())
"""
    own_package = own / "build/npu/vendors/my_ops"
    own_package.mkdir(parents=True)
    ran = run_code(
        *(code, own_package, tmp_path / "other", tmp_path),
        env={**os.environ, "ASCEND_HOME_PATH": str(tmp_path)},
    )
    assert ran.stdout.split() == ["False", "False", "True"], ran.stderr
