# SPDX-License-Identifier: Apache-2.0
"""Tests tools/docs_gate.py and tools/draw.py: this repository passes, mistakes are found."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import docs_gate  # noqa: E402
import draw  # noqa: E402

LONG = "word " * 30


@pytest.mark.parametrize("gate", ["docs_gate.py", "draw.py --check"])
def test_repository_passes(gate: str) -> None:
    command = [sys.executable, *f"{ROOT / 'tools'}/{gate}".split()]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (f"short\n{LONG}\n", [1]),
        (f"- item\n  {LONG}\n- item\n", [1]),
        (f"- item\n    {LONG}\n", [1]),
        (f"1. {LONG}\n", [0]),
        (f"| {LONG} |\n", []),
        (f"# {LONG}\n", []),
        (f"```\n{LONG}\n```\n{LONG}\n", [3]),
        (f"text\n\n    {LONG}\n", []),
        (f"<!-- {LONG} -->\n", []),
    ],
)
def test_lines_of_prose(text: str, lines: list[int]) -> None:
    assert list(docs_gate.long_lines(text)) == lines
    wrapped = docs_gate.wrap(text)
    assert list(docs_gate.long_lines(wrapped)) == []
    assert wrapped.split() == text.split()
    if not lines:
        assert wrapped == text
    assert docs_gate.wrap(wrapped) == wrapped


def test_wrapped_items_stay_items() -> None:
    text = f"Before.\n- {LONG}{LONG}\n  more\n- next\n\nAfter.\n"
    lines = docs_gate.wrap(text).splitlines()
    assert [line[:2] for line in lines] == ["Be", "- ", "  ", "  ", "- ", "", "Af"]


def test_code_and_signs_stay_in_their_line() -> None:
    code = "`Call(first, second)`"
    text = "".join(f"{'x' * n} {code} - {code} 1. {code}\n\n" for n in range(40, 119, 3))
    lines = docs_gate.wrap(text).splitlines()
    assert sum(line.count(code) for line in lines) == text.count(code)
    assert not any(line.startswith(("- ", "1. ")) for line in lines)


def test_links_and_orphans(tmp_path: Path) -> None:
    (tmp_path / "docs" / "deep").mkdir(parents=True)
    (tmp_path / "README.md").write_text("[docs](docs/README.md)\n")
    (tmp_path / "docs" / "README.md").write_text(
        "[a](deep/a.md#part) [up](../README.md) [web](https://x.org/y.md) `[no](link.md)`\n"
    )
    (tmp_path / "docs" / "deep" / "a.md").write_text("![gone](../gone.svg) [self](#part)\n")
    (tmp_path / "docs" / "b.md").write_text("alone\n")
    assert list(docs_gate.find_faults(tmp_path)) == [
        "docs/deep/a.md: links to docs/gone.svg, which does not exist",
        "docs/b.md: no link leads to it from docs/README.md",
    ]


PICTURE = """
title = "t"
cell = [100, 50]
box = [
    { id = "a", at = [0, 0], size = [1, 1], kind = "ours", title = "<A>" },
    { id = "b", at = [0, 2], size = [1, 1], kind = "twin", title = "B", text = ["more"] },
    { id = "c", at = [2, 3], size = [1, 1], kind = "card", title = "C" },
]
"""


def test_picture(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    source = tmp_path / draw.SOURCE
    source.write_text(PICTURE + 'arrow = [{ from = "a", to = "b", label = "down" }]\n')
    assert draw.main(["--root", str(tmp_path), "--check"]) == 1
    assert draw.main(["--root", str(tmp_path)]) == 0
    assert draw.main(["--root", str(tmp_path), "--check"]) == 0
    text = (tmp_path / draw.PICTURE).read_text()
    assert "&lt;A&gt;" in text
    assert '<line x1="66" y1="90" x2="66" y2="140"' in text
    source.write_text(PICTURE + 'arrow = [{ from = "a", to = "c" }]\n')
    with pytest.raises(ValueError, match="neither columns nor rows"):
        draw.main(["--root", str(tmp_path)])
