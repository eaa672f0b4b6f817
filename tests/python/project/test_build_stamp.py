# SPDX-License-Identifier: Apache-2.0
"""Tests that `pytest` in a project says so if sources have changed since `cannery build`."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cannery import build_stamp

from ..processes import run_pytest

SOURCES = (
    "CMakeLists.txt",
    "op_proto/add.toml",
    "op_kernel/add.cpp",
    "op_kernel/add/kernel.h",
    "op_host/add_tiling.cpp",
    "common/copy.h",
)
OTHERS = ("README.md", "tests/test_add.py", "python/add/cases.py", "build/generated/add.cpp")
LATER = 10**9  # a second, in nanoseconds


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name in (*SOURCES, *OTHERS):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    (tmp_path / "tests/test_add.py").write_text("def test_it():\n    pass\n")
    with build_stamp.noted(tmp_path / "build"):
        pass
    return tmp_path


def change(path: Path) -> None:
    time = path.stat().st_mtime_ns + LATER
    os.utime(path, ns=(time, time))


@pytest.mark.parametrize("name", SOURCES)
def test_each_kind_of_source(project: Path, name: str) -> None:
    assert build_stamp.changed_sources(project) == []
    change(project / name)
    assert build_stamp.changed_sources(project) == [name]


@pytest.mark.parametrize("name", OTHERS)
def test_files_that_the_build_does_not_read(project: Path, name: str) -> None:
    change(project / name)
    assert build_stamp.changed_sources(project) == []


def test_a_change_during_the_build(project: Path) -> None:
    with build_stamp.noted(project / "build"):
        (project / SOURCES[2]).write_text("// new")
        change(project / SOURCES[2])
    assert build_stamp.changed_sources(project) == [SOURCES[2]]


def test_a_build_that_fails(project: Path) -> None:
    change(project / SOURCES[2])
    with pytest.raises(ValueError, match="does not compile"), build_stamp.noted(project / "build"):
        raise ValueError("does not compile")
    assert build_stamp.changed_sources(project) == [SOURCES[2]]


def test_a_project_without_a_build(project: Path) -> None:
    (project / "build/cannery-built").unlink()
    assert build_stamp.changed_sources(project) == []


@pytest.mark.twin_only("a card runs a package of its own")
def test_pytest_names_what_has_changed(project: Path) -> None:
    assert "changed after" not in run_pytest(cwd=project).stdout
    change(project / SOURCES[3])
    change(project / SOURCES[2])
    done = run_pytest(cwd=project)
    assert done.returncode == 0
    line = (
        "cannery: op_kernel/add.cpp and 1 more changed after the latest successful build, so the "
        "tests ran the operators as they were before; run `cannery build`\n"
    )
    assert line in done.stdout
