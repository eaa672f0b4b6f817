# SPDX-License-Identifier: Apache-2.0
"""A user who has only the wheel must be able to make, test, install and package an operator in an
empty folder."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

from .conftest import ADD_SCALED, write
from .test_project_build import GOLDEN, KERNEL, edit

USE = """
import numpy as np, my_project
x, y = np.arange(6, dtype=np.float32), np.full(6, 0.5, np.float32)
assert my_project.add_scaled(x, y, alpha=2.0).tolist() == (x + 1).tolist()
print(my_project.__file__)
"""


class Environment:
    """A new virtual environment that contains the wheel. The wheel's dependencies come from the
    environment of the tests."""

    def __init__(self, wheel: Path, folder: Path) -> None:
        self._folder = folder
        venv.create(folder / "venv", with_pip=False)
        (site,) = (folder / "venv").glob("lib/python*/site-packages")
        self.site = site
        self.unpack(wheel)

    def unpack(self, wheel: Path) -> None:
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(self.site)

    def run(self, *arguments: str | Path, cwd: Path) -> str:
        """Runs `python ARGUMENTS`, which must succeed, and returns the output."""
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        packages = {"PYTHONPATH": sysconfig.get_path("purelib"), "PATH": path}
        done = subprocess.run(
            [self._folder / "venv/bin/python", *arguments],
            cwd=cwd,
            env={**os.environ, **packages},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


@pytest.mark.release
@pytest.mark.xdist_group("wheel")
def test_from_nothing_to_a_package(wheel: Path, tmp_path: Path) -> None:
    environment = Environment(wheel, tmp_path)
    empty = tmp_path / "empty"
    empty.mkdir()
    environment.run("-m", "cannery", "examples", "launch", cwd=empty)
    saxpy = ("examples/06_launch/saxpy.asc", "-o", "saxpy", "--run")
    assert ": ok" in environment.run("-m", "cannery", "cc", *saxpy, cwd=empty)
    proto = write(tmp_path, ADD_SCALED)
    new = ("new", "-i", proto, "-c", "ai_core-ascend910b", "-lan", "cpp", "-out", "my_project")
    environment.run("-m", "cannery", *new, cwd=empty)
    project = empty / "my_project"
    assert (project / ".github/workflows/test.yml").is_file()
    environment.run("-m", "cannery", "build", cwd=project)
    assert "30 passed" in environment.run("-m", "pytest", "-q", cwd=project)

    edit(project / "op_kernel/add_scaled/kernel.h", KERNEL)
    edit(project / "python/my_project/golden/add_scaled.py", GOLDEN)
    environment.run("-m", "cannery", "build", cwd=project)
    assert "30 passed" in environment.run("-m", "pytest", "-q", cwd=project)
    assert str(project) in environment.run("-c", USE, cwd=project / "python")
    assert "custom_opp_" in environment.run("-m", "cannery", "package", cwd=project)

    pip = ("-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "-w", tmp_path, ".")
    environment.run(*pip, cwd=project)
    (wheel,) = tmp_path.glob("my_project-*.whl")
    environment.unpack(wheel)
    assert str(environment.site) in environment.run("-c", USE, cwd=tmp_path)
