# SPDX-License-Identifier: Apache-2.0
"""Fixtures that count compiler runs and give a test its own kernel cache."""

from __future__ import annotations

import shutil
import stat
from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture
def compilations(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """Returns a function that counts the compiler runs since the test began, also those of child
    processes, but not the runs that only preprocess."""
    log = tmp_path / "compiler.log"
    log.touch()
    wrapper = tmp_path / "counting-g++"
    compiler = shutil.which("g++") or shutil.which("c++") or shutil.which("clang++")
    wrapper.write_text(
        f'#!/bin/sh\ncase " $* " in *" -E "*) ;; *) echo run >>"{log}" ;; esac\n'
        f'exec "{compiler}" "$@"\n'
    )
    wrapper.chmod(wrapper.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("CXX", str(wrapper))
    return lambda: len(log.read_text().splitlines())


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Gives the test its own empty kernel cache and returns its folder."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("CANNERY_CACHE_DIR", str(folder))
    return folder
