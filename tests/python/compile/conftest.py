# SPDX-License-Identifier: Apache-2.0
"""A compiler that counts how often it is called."""

from __future__ import annotations

import shutil
import stat
from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture
def compilations(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """Returns the number of compiler runs since the test began, in this process and in its
    children."""
    log = tmp_path / "compiler.log"
    log.touch()
    wrapper = tmp_path / "counting-g++"
    compiler = shutil.which("g++") or shutil.which("c++") or shutil.which("clang++")
    wrapper.write_text(f'#!/bin/sh\necho run >>"{log}"\nexec "{compiler}" "$@"\n')
    wrapper.chmod(wrapper.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("CXX", str(wrapper))
    return lambda: len(log.read_text().splitlines())


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Gives the test its own empty cache."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("CANNERY_CACHE_DIR", str(folder))
    return folder
