# SPDX-License-Identifier: Apache-2.0
"""tools/tidy.py must check every hand-written source of a build once."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import tidy  # noqa: E402


def entry(folder: Path, file: Path, *options: str) -> dict[str, str]:
    words = ["ccache", "g++", "-isystem", "/x", *options, "-o", "made.o", "-c", str(file)]
    return {"directory": str(folder), "file": str(file), "command": shlex.join(words)}


@pytest.fixture
def build(tmp_path: Path) -> Path:
    sources = ["twin/core/gm.cpp", "twin/core/gm.cpp", "op_host/swi_glu_grad_tiling.cpp"]
    sources.append("tests/cpp/host/memory_test.cpp")
    entries = [entry(ROOT, ROOT / name, f"-DNUMBER={i}") for i, name in enumerate(sources)]
    entries.append(entry(tmp_path, Path("generated/made.cpp")))
    together = tmp_path / "Unity" / "unity_0_cxx.cxx"
    together.parent.mkdir()
    hazard = [f'#include "{ROOT}/twin/hazard/{name}.cpp"\n' for name in ("log", "clocks")]
    together.write_text("".join(hazard))
    entries.append(entry(tmp_path, together))
    (tmp_path / "compile_commands.json").write_text(json.dumps(entries))
    wrappers = tmp_path / "generated" / "kernel"
    wrappers.mkdir(parents=True)
    for name in ("add_0.cpp", "add_1.cpp", "mul_0.cpp"):
        (wrappers / name).write_text("")
    return tmp_path


HAZARD = ("twin/hazard/log.cpp", "twin/hazard/clocks.cpp")


def test_units(build: Path) -> None:
    found = tidy.units(build, [])
    assert [sources for sources, _ in found] == [
        ("op_host/swi_glu_grad_tiling.cpp",),
        ("twin/core/gm.cpp",),
        HAZARD,
    ]
    assert found[1][1] == ("-isystem", "/x", "-DNUMBER=0")
    assert found[2][1] == ("-isystem", "/x")
    assert [sources for sources, _ in tidy.units(build, ["twin/hazard/log"])] == [HAZARD[:1]]
    assert [Path(name).name for name in tidy.kernels(build)] == ["add_0.cpp", "mul_0.cpp"]


def test_sources_of_a_unit_are_checked_together(tmp_path: Path) -> None:
    path = Path(tidy.together(HAZARD, tmp_path, 3))
    assert path.name == "UnifiedSource_3.cpp"
    assert path.read_text().count("#include") == 2
    assert tidy.together(HAZARD[:1], tmp_path, 4) == HAZARD[0]


@pytest.mark.parametrize(("status", "said"), [(0, "no findings"), (1, "findings above")])
def test_verdict(
    build: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    status: int,
    said: str,
) -> None:
    tool = build / "clang-tidy"
    tool.write_text(f'#!/bin/sh\necho "looked at $*"\nexit {status}\n')
    tool.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(build / "python"))
    monkeypatch.setattr(tidy, "COMPILER", str(tool))
    assert tidy.main([str(build), "-j1"]) == status
    output = capsys.readouterr().out
    assert f"tidy: 7 runs, {said}" in output
    assert ("looked at" in output) == (status == 1)
    assert ("--checks=" in output) == (status == 1)
