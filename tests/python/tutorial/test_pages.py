# SPDX-License-Identifier: Apache-2.0
"""The tutorial's pages must show lines of their kernels, and exactly what the twin prints."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tools"))

import tutorial as player  # noqa: E402

PAGES = list(player.pages(ROOT))


@pytest.mark.release
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_page_shows_what_happens(page: Path, tmp_path: Path) -> None:
    assert player.play(page, tmp_path) == page.read_text("utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_page_has_a_mistake_that_the_twin_names(page: Path) -> None:
    before, *after = re.split(r"^```diff$", page.read_text("utf-8"), flags=re.MULTILINE)
    assert "error:" not in before
    assert after
    named = rf"^error: T\d{{3}} .*\n(?:  .*\n)* +.*at {player.kernel_of(page).name}:\d+"
    for mistake in after:
        assert re.search(named, mistake, re.MULTILINE)


def test_every_kernel_has_one_page(tutorial: Path) -> None:
    kernels = [player.kernel_of(page) for page in PAGES]
    assert sorted(kernels) == sorted(tutorial.glob("*.cpp"))
    assert len(PAGES) == 7


KERNEL = "int Twice(int x) {\n    return 2 * x;\n}\n"


@pytest.fixture
def one(tmp_path: Path) -> player.Player:
    """Returns a Player, which runs a page's code blocks in a folder with a copy of the kernel."""
    kernel = tmp_path / "shipped" / "twice.cpp"
    kernel.parent.mkdir()
    kernel.write_text(KERNEL)
    (tmp_path / "twice.cpp").write_text(KERNEL)
    return player.Player(kernel, tmp_path)


def test_lines_of_the_kernel(one: player.Player) -> None:
    assert one.play("cpp", "return 2 * x;\n") == "return 2 * x;\n"
    for other in ("return 3 * x;\n", "return 2 * x;\n    }\n", "return 2 * x;\n\n}\n"):
        with pytest.raises(player.PageError, match=r"twice\.cpp has no such lines"):
            one.play("cpp", other)


def test_change_of_the_kernel(one: player.Player) -> None:
    one.play("diff", "-    return 2 * x;\n+    return 3 * x;\n }\n")
    assert (one.folder / "twice.cpp").read_text() == KERNEL.replace("2 *", "3 *")
    with pytest.raises(player.PageError, match=r"0 places of twice\.cpp"):
        one.play("diff", "-    return 2 * x;\n")
    assert one.kernel.read_text() == KERNEL


def test_outputs_are_written_anew(one: player.Player) -> None:
    assert one.play("python", "x = 3\n") == "x = 3\n"
    wrong = ">>> x + 1\n5\n>>> for i in range(2):\n...     print(i)\n>>> 1 / 0\n"
    right = ">>> x + 1\n4\n>>> for i in range(2):\n...     print(i)\n0\n1\n>>> 1 / 0\n"
    assert one.play("pycon", wrong) == right + "ZeroDivisionError: division by zero\n"
    said = one.play("console", "$ cannery explain \\\n    T9999\nnothing\n")
    assert said.startswith("$ cannery explain \\\n    T9999\nerror: ")
    assert "nothing" not in said


def test_what_no_page_may_have(one: player.Player) -> None:
    with pytest.raises(player.PageError, match="expected a command `cannery"):
        one.play("console", "$ rm -r x\n")
    with pytest.raises(player.PageError, match="`cannery docs nowhere > x` fails"):
        one.play("console", "$ cannery docs nowhere > x\n")
    with pytest.raises(player.PageError, match="a block of kind 'c'"):
        one.play("c", "int x;\n")
