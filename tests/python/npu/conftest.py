# SPDX-License-Identifier: Apache-2.0
"""Makes folders with the layout of a toolkit, complete or with a runtime that fails, and runs
Python with them."""

from __future__ import annotations

import os
import shutil
import subprocess
import textwrap
from collections.abc import Sequence
from pathlib import Path

import pytest

from cannery.testing.toolkit import Toolkit, make_toolkit

from ..processes import run_code

SOURCE = Path(__file__).parents[2] / "fixtures" / "toolkit" / "faulty_runtime.cpp"
ASCEND = ("ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME", "ASCEND_OPP_PATH", "ASCEND_CUSTOM_OPP_PATH")
#: Functions that old runtimes lack.
MAPPING = (
    "aclrtHostRegister",
    "aclrtHostRegisterV2",
    "aclrtHostUnregister",
    "aclrtHostGetDevicePointer",
)

SETUP = """
import ctypes, os, sys, threading
import numpy as np
import cannery
from cannery import _runtime, golden
from cannery.testing import assert_close

def arrays(rows, columns=64):
    rng = np.random.default_rng(rows)
    return [rng.standard_normal((rows, n)).astype(np.float32) for n in (columns, 2 * columns)]

def agree(rows=4, columns=64):
    y_grad, x = arrays(rows, columns)
    want = golden.swi_glu_grad(y_grad, x)
    scale = golden.swi_glu_grad_scale(y_grad, x)
    assert_close(cannery.swi_glu_grad(y_grad, x), want, x.dtype, scale)

def failure(*shape):
    try:
        agree(*shape)
    except cannery.CanneryError as error:
        return error
    raise AssertionError("no error")

def show(error):
    print(type(error).__name__, error)

def runtime():
    library = ctypes.CDLL(os.environ["ASCEND_HOME_PATH"] + "/lib64/libacl_rt.so")
    library.faultyBalance.restype = library.faultySizes.restype = ctypes.c_char_p
    library.faultyAlignment.restype = ctypes.c_uint64
    return library

def balance():
    text = runtime().faultyBalance().decode()
    return {name: int(value) for name, value in (part.split("=") for part in text.split())}

def sizes():
    return sorted(map(int, runtime().faultySizes().split()))

def closed():
    _runtime.native().close()
    return balance()
"""


def python(toolkit: Toolkit | None, code: str, *, status: int = 0, **variables: str) -> str:
    """Runs code in a new interpreter with the backend npu and returns its output and errors."""
    environment = {name: value for name, value in os.environ.items() if name not in ASCEND}
    environment |= {"CANNERY_BACKEND": "npu", "CANNERY_HAZARDS": "", "LD_LIBRARY_PATH": ""}
    environment |= toolkit.environment if toolkit else {}
    done = run_code(SETUP + textwrap.dedent(code), env=environment | variables)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="session")
def toolkit(tmp_path_factory: pytest.TempPathFactory) -> Toolkit:
    """Makes a folder with the layout of a toolkit, in which our package is installed."""
    return make_toolkit(tmp_path_factory.mktemp("ascend") / "an Ascend toolkit")


def without(library: Path, symbols: Sequence[str]) -> None:
    """Renames functions in a library, so that nothing finds them by their names any more."""
    data = library.read_bytes()
    for symbol in symbols:
        name = b"\0" + symbol.encode() + b"\0"
        assert name in data, symbol
        data = data.replace(name, b"\0X" + name[2:])
    library.write_bytes(data)


def make_faulty(folder: Path, toolkit: Toolkit, *options: str) -> Toolkit:
    """Copies the toolkit and builds a libacl_rt.so whose calls fail as the variable FAULTS says."""
    made = Toolkit(Path(shutil.copytree(toolkit.home, folder, symlinks=True)))
    behind = made.lib / "twin"
    behind.mkdir()
    for name in ("libascendcl.so", "libcannery_twin.so"):
        (made.lib / name).rename(behind / name)
    if "-DOLD_RUNTIME" in options:
        without(behind / "libascendcl.so", MAPPING)
    command = ["g++", "-std=c++17", "-O1", "-shared", "-fPIC", "-Wall", "-Werror", *options]
    command += [str(SOURCE), f"-I{made.home / 'include'}", f"-L{behind}", "-Wl,--no-as-needed"]
    command += ["-lascendcl", "-Wl,-rpath,$ORIGIN/twin", "-Wl,-rpath-link", f"-Wl,{behind}"]
    subprocess.run([*command, "-ldl", "-o", str(made.lib / "libacl_rt.so")], check=True)
    return made


@pytest.fixture(scope="session")
def faulty(toolkit: Toolkit, tmp_path_factory: pytest.TempPathFactory) -> Toolkit:
    return make_faulty(tmp_path_factory.mktemp("faulty") / "ascend", toolkit)


@pytest.fixture(scope="session")
def old(toolkit: Toolkit, tmp_path_factory: pytest.TempPathFactory) -> Toolkit:
    """Makes a toolkit with a runtime that cannot map host memory."""
    return make_faulty(tmp_path_factory.mktemp("old") / "ascend", toolkit, "-DOLD_RUNTIME")
