# SPDX-License-Identifier: Apache-2.0
"""The kernel of docs/hazards.md must get exactly the messages that the page shows."""

from __future__ import annotations

import re
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tools"))

import tutorial as player  # noqa: E402

from ..processes import run_code  # noqa: E402

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


def indented(first: str) -> str:
    """Returns the indented block of the page whose text begins with `first`."""
    (block,) = re.findall(rf"^    {re.escape(first)}.*\n(?:(?:    .*)?\n)*", PAGE, re.MULTILINE)
    return textwrap.dedent(block).strip() + "\n"


def test_its_program_prints_its_message(tmp_path: Path) -> None:
    """The program of the page runs in a folder that contains only add_bias.cpp."""
    kernel = next(text for kind, text in player.FENCE.findall(PAGE) if kind == "cpp")
    (tmp_path / "add_bias.cpp").write_text(kernel)
    done = run_code(indented("import numpy"), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    message, _, rest = done.stdout.partition("  at ")
    assert message.replace(f"{tmp_path}/", "") == indented("T802")
    assert "\nT802 WAR inter-pipe HazardAccess(core='0 AIV', pipe='V', opcode='Adds'" in rest


def test_every_command_names_files_of_the_page() -> None:
    commands = re.findall(r"^ *\$ (.*(?:\\\n.*)*)", PAGE, re.MULTILINE)
    assert len(commands) == 3
    files = {file for each in commands for file in re.findall(r"\S+\.cpp", each)}
    assert files == {"add_bias.cpp"}
    assert "`add_bias.cpp` there. Run the program above and the commands" in PAGE


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
