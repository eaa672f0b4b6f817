# SPDX-License-Identifier: Apache-2.0
"""tools/tidy.py looks at every hand-written source of a build, once."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import tidy  # noqa: E402


@pytest.fixture
def build(tmp_path: Path) -> Path:
    sources = ["twin/core/gm.cpp", "twin/core/gm.cpp", "op_host/swi_glu_grad_tiling.cpp"]
    sources.append("tests/cpp/host/memory_test.cpp")
    entries = [{"directory": str(ROOT), "file": str(ROOT / name)} for name in sources]
    entries.append({"directory": str(tmp_path), "file": "generated/made.cpp"})
    (tmp_path / "compile_commands.json").write_text(json.dumps(entries))
    wrappers = tmp_path / "generated" / "kernel"
    wrappers.mkdir(parents=True)
    for name in ("add_0.cpp", "add_1.cpp", "mul_0.cpp"):
        (wrappers / name).write_text("")
    return tmp_path


def test_sources(build: Path) -> None:
    assert tidy.sources(build, []) == ["op_host/swi_glu_grad_tiling.cpp", "twin/core/gm.cpp"]
    assert tidy.sources(build, ["twin/", "python/"]) == ["twin/core/gm.cpp"]
    assert [Path(name).name for name in tidy.kernels(build)] == ["add_0.cpp", "mul_0.cpp"]


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
    assert tidy.main([str(build), "-j1"]) == status
    output = capsys.readouterr().out
    assert f"tidy: 4 sources, {said}" in output
    assert ("looked at" in output) == (status == 1)
    assert ("--checks=" in output) == (status == 1)
