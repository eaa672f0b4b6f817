# SPDX-License-Identifier: Apache-2.0
"""Fixtures that make operator packages in temporary folders, and run code that searches them."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cannery import _runtime
from cannery.cli import flags
from cannery.package import pack

from ..processes import run_code
from .vendor_tree import make_tree

Make = Callable[..., Path]

SOURCE = Path(__file__).parents[2] / "fixtures" / "packages" / "other_tiling.cpp"
LIBRARIES = f"lib/linux/{platform.machine()}"
TILING = f"op_impl/ai_core/tbe/op_tiling/{LIBRARIES}/libcust_opmaster_rt2.0.so"
SEARCHED = ("ASCEND_CUSTOM_OPP_PATH", "ASCEND_OPP_PATH")

CALL = """
import sys
import numpy as np
import cannery

x = np.linspace(-3, 3, 16, dtype=np.float32).reshape(2, 8)
try:
    got = cannery.swi_glu_grad(np.ones((2, 4), np.float32), x)
except cannery.AclError as error:
    sys.exit(f"{error.status} {error}")
want = cannery.golden.swi_glu_grad(np.ones((2, 4), np.float32), x)
cannery.testing.assert_close(got, want, np.float32)
print("computed")
"""


def run(code: str = CALL, **variables: str) -> str:
    """Runs code in a new process and returns its output and errors."""
    environment = {name: value for name, value in os.environ.items() if name not in SEARCHED}
    done = run_code(code, env={**environment, **variables})
    assert done.returncode in {0, 1}, done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="session")
def other_libraries(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Returns a tiling library for each of the vendors alpha and beta."""
    folder = tmp_path_factory.mktemp("libraries")
    libraries = {}
    for vendor in ("alpha", "beta"):
        libraries[vendor] = folder / f"{vendor}.so"
        command = ["g++", "-std=c++11", "-shared", "-fPIC", "-DOP_TILING_LIB"]
        command += [f'-DVENDOR="{vendor}"', *flags.compile_flags(), str(SOURCE)]
        subprocess.run([*command, "-o", str(libraries[vendor])], check=True)
    return libraries


@pytest.fixture
def install(tmp_path: Path, other_libraries: dict[str, Path]) -> Callable[..., Path]:
    """Returns install(vendor, below), which makes a package with the vendor's own SwiGluGrad."""

    def install_one(vendor: str, below: Path = tmp_path / "opp") -> Path:
        package = below / "vendors" / vendor
        shutil.copytree(_runtime.package_root(), package)
        if vendor in other_libraries:
            shutil.copy(other_libraries[vendor], package / TILING)
        return package

    return install_one


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Returns make(vendor, version), which makes a small package file that can install itself."""

    def make_one(vendor: str = "alpha", version: str = "1.2.0", **info: str) -> Path:
        tree = make_tree(tmp_path / f"built-{version}" / vendor, version=version, **info)
        return pack(tree, tmp_path / f"out-{vendor}-{version}")

    return make_one


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """Returns a folder that, unlike tmp_path, other users can reach."""
    with tempfile.TemporaryDirectory(prefix="cannery-test-") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)
