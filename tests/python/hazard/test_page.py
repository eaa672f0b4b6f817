# SPDX-License-Identifier: Apache-2.0
"""The kernel of docs/hazards.md must get exactly the messages that the page shows."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tools"))

import tutorial as player  # noqa: E402

pytestmark = pytest.mark.twin_only("the hazard checker is the twin's")

PAGE = (ROOT / "docs" / "hazards.md").read_text("utf-8")


def played(folder: Path) -> str:
    """Runs the commands of docs/hazards.md in `folder`, and returns the page with the new outputs.
    The first C++ block of the page is the kernel's file."""
    kernel = folder / "add_bias.cpp"
    kernel.write_text(next(text for kind, text in player.FENCE.findall(PAGE) if kind == "cpp"))
    one = player.Player(kernel, folder)

    def again(match: re.Match[str]) -> str:
        return f"```{match.group(1)}\n{one.play(match.group(1), match.group(2))}```"

    with player.defaults():
        return player.FENCE.sub(again, PAGE)


@pytest.mark.release
def test_page_shows_what_happens(tmp_path: Path) -> None:
    assert played(tmp_path) == PAGE


def test_its_kernel_is_found_at_its_lines_and_mended() -> None:
    kinds = [kind for kind, _ in player.FENCE.findall(PAGE)]
    assert kinds == ["cpp", "console", "console", "diff", "console"]
    source, racy, off, _, mended = (text for _, text in player.FENCE.findall(PAGE))
    found = r"^error: T802 .*\n +first: +V Adds .*:(\d+) .*\n +second: .*:(\d+) "
    named = re.search(found, racy, re.MULTILINE)
    assert named is not None
    reads, writes = (source.splitlines()[int(line) - 1] for line in named.groups())
    assert "Adds(out, in" in reads
    assert "DataCopy(in, from" in writes
    assert ": ok\n" in off
    assert ": ok\n" in mended
