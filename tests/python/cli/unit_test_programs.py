# SPDX-License-Identifier: Apache-2.0
"""Helpers that build and run kernel unit tests from one source without a test framework."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from ..processes import run_cannery

HEAD = """#include "tikicpulib.h"
#include "kernel_operator.h"
#include <cstdio>
#include <exception>
"""
#: `Try` calls `one`. If `one` throws an exception, `Try` prints the message and returns 1.
MAIN = """
template <typename Case>
int Try(Case one) {
    try {
        one();
    } catch (const std::exception& error) {
        std::printf("%s\\n", error.what());
        return 1;
    }
    return 0;
}
"""


def cannery(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return run_cannery(*words, cwd=folder)


def build(folder: Path, source: str, *words: str) -> None:
    """Builds the program `t` from one source without a test framework."""
    (folder / "test.cpp").write_text(HEAD + MAIN + source)
    built = cannery("cc", "--unit-test", "test.cpp", "-o", "t", *words, folder=folder)
    assert built.returncode == 0, built.stderr


def build_once(folders: pytest.TempPathFactory, source: str) -> Path:
    """Builds the program `t` for all tests of a module, and returns its folder."""
    folder = folders.mktemp("program")
    build(folder, source)
    return folder


def run_case(folder: Path, case: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Runs one case of the program `t` in a folder and returns the finished process."""
    environment = {**os.environ, **variables}
    command = [folder / "t", case]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def run(folder: Path, source: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Builds the program `t` from one source and runs it, by one command."""
    (folder / "test.cpp").write_text(HEAD + MAIN + source)
    return cannery("cc", "--unit-test", "test.cpp", "-o", "t", "--run", *words, folder=folder)
