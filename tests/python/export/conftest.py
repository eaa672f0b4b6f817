# SPDX-License-Identifier: Apache-2.0
"""Makes a folder with the layout of a toolkit, and with the twin's headers and libraries. Programs
and CMake functions are replacements. They refuse arguments that a real toolkit does not accept."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from cannery import _runtime

from .. import processes

ROOT = Path(__file__).resolve().parents[3]
STANDIN = ROOT / "tests" / "fixtures" / "cann"
Run = Callable[..., subprocess.CompletedProcess[str]]

#: A small operator, which the replacement for the toolkit must compile.
PROTO = """[
  {"op": "AddScaled",
   "input_desc": [{"name": "x", "type": ["float16", "float32"]},
                  {"name": "y", "type": ["float16", "float32"]}],
   "output_desc": [{"name": "z", "type": ["float16", "float32"]}],
   "attr": [{"name": "alpha", "type": "float", "param_type": "optional", "default_value": 1.0}]}
]"""


def run_cannery(
    *arguments: str | Path, cwd: Path, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Runs the command `cannery`, which must not find a toolkit that is installed here."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("ASCEND_")}
    return processes.run_cannery(
        *arguments, cwd=cwd, env={**clean, "COLUMNS": "200", **environment}
    )


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns a project that `cannery new` has made, which tests must not change."""
    folder = tmp_path_factory.mktemp("projects")
    (folder / "proto.json").write_text(PROTO)
    target = folder / "my_ops"
    socs = "ai_core-ascend910b,ai_core-ascend910_93"
    done = run_cannery("new", "-i", "proto.json", "-c", socs, "-out", target, cwd=folder)
    assert done.returncode == 0, done.stderr
    return target


def make_home(home: Path) -> Path:
    """Makes a toolkit's folder at `home`, for ASCEND_HOME_PATH, and returns it."""
    template = home / "tools/op_project_templates/ascendc/customize"
    shutil.copytree(STANDIN / "template", template)
    for path in template.rglob("*"):
        path.chmod(0o555 if path.is_dir() else 0o444)  # as in a toolkit that root has installed
    twin = _runtime.twin_root()
    (home / "include").symlink_to(twin / "include")
    (home / "lib64").mkdir()
    for name in ("ascendcl", "nnopbase"):
        (home / f"lib64/lib{name}.so").symlink_to(twin / f"lib/lib{name}.so")
    for name in ("exe_graph", "register", "tiling_api", "rt2_registry"):
        (home / f"lib64/lib{name}.so").symlink_to(twin / "lib/libnnopbase.so")
    (home / "compiler/ccec_compiler/bin").mkdir(parents=True)
    (home / "compiler/version.info").write_text("Version=8.1.RC1\n")
    (home / "bin").mkdir()
    shutil.copy(STANDIN / "bin/opc", home / "bin/opc")
    shutil.copy(STANDIN / "bin/bisheng", home / "compiler/ccec_compiler/bin/bisheng")
    op_build = home / "toolkit/tools/opbuild/op_build"
    op_build.parent.mkdir(parents=True)
    op_build.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{STANDIN}/bin/op_build" "$@"\n')
    op_build.chmod(0o755)
    return home


@pytest.fixture(scope="session")
def toolkit_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_home(tmp_path_factory.mktemp("toolkit") / "8.1.RC1")


def shell(home: Path) -> dict[str, str]:
    """Returns the variables that the toolkit's set_env.sh sets in a shell."""
    folders = (home / "bin", home / "compiler/ccec_compiler/bin", Path(sys.executable).parent)
    path = os.pathsep.join([*map(str, folders), os.environ["PATH"]])
    return {"ASCEND_HOME_PATH": str(home), "PATH": path}
