# SPDX-License-Identifier: Apache-2.0
"""Tests tools/run_paths.py with the installed libraries, and with libraries of known run paths."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from cannery._runtime import twin_root

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

import run_paths


def test_installed_libraries() -> None:
    package = twin_root().parent
    assert list(run_paths.find_faults(package)) == []
    twin = (twin_root() / "lib" / "libnnopbase.so").read_bytes()
    assert run_paths.run_paths(twin) == ["$ORIGIN"]


@pytest.mark.parametrize(
    ("option", "entries", "faults"),
    [
        ("-Wl,-rpath,$ORIGIN:$ORIGIN/..", ["$ORIGIN", "$ORIGIN/.."], 0),
        ("-Wl,-rpath,$ORIGIN/../:", ["$ORIGIN/../", ""], 1),
        ("-Wl,-rpath,:::", ["", "", "", ""], 4),
        ("-Wl,--disable-new-dtags,-rpath,/opt/lib", ["/opt/lib"], 1),
        ("-Wl,-rpath,$ORIGINAL", ["$ORIGINAL"], 1),
        ("-O1", [], 0),
    ],
)
def test_run_paths(tmp_path: Path, option: str, entries: list[str], faults: int) -> None:
    library = tmp_path / "library.so"
    source = tmp_path / "library.cpp"
    source.write_text("int Answer() { return 42; }\n")
    subprocess.run(["c++", "-shared", "-fPIC", option, source, "-o", library], check=True)
    assert run_paths.run_paths(library.read_bytes()) == entries
    assert len(list(run_paths.find_faults(tmp_path))) == faults


def test_nothing_to_look_at(tmp_path: Path) -> None:
    assert list(run_paths.find_faults(tmp_path)) == [f"{tmp_path}: has no library to look at"]
