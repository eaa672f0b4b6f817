# SPDX-License-Identifier: Apache-2.0
"""Checks that twin/errors.toml, docs/errors.md, sources and seeded bugs have the same codes."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from cannery._runtime import twin_root

from .test_seeded_bugs import BUGS, TIMEOUT

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tools"))

import error_codes  # noqa: E402

#: Codes that no kernel and no launch from Python can provoke, or that other tests provoke.
ELSEWHERE = {
    "T109",
    "T110",
    "T404",
    "T503",
    "T509",
    *(f"T51{digit}" for digit in range(4)),
    *(f"T60{digit}" for digit in range(1, 10)),
    *(f"T61{digit}" for digit in range(5)),
}

GROUPS = error_codes.load(ROOT)
CODES = {entry.code: entry for group in GROUPS for entry in group.codes}


def test_sources_page_and_table_agree() -> None:
    assert list(error_codes.find_faults(ROOT, GROUPS)) == []


def test_every_sentence_ends() -> None:
    for entry in CODES.values():
        for text in (entry.about, entry.chip, entry.remedy or "."):
            assert re.search(r"[.)]$", text), (entry.code, text)
        assert not entry.title.endswith("."), entry.code


def test_seeded_bugs_have_the_modes_of_the_table() -> None:
    """A code is strict if and only if hardware mode accepts one of its seeded bugs."""
    for bug in BUGS:
        assert bug.hardware or CODES[bug.code].strict, bug.name
    always = {b.code for b in BUGS} - {b.code for b in BUGS if not b.hardware}
    assert [code for code in always if CODES[code].strict is True] == []


def test_seeded_bugs_end_as_the_table_says() -> None:
    for bug in BUGS:
        assert (CODES[bug.code].ends == "timeout") == (bug.status == TIMEOUT), bug.name


def test_what_hangs_on_the_chip_ends_as_a_timeout() -> None:
    for entry in CODES.values():
        assert entry.chip.startswith("hangs") == (entry.ends == "timeout"), entry.code


def test_core_codes_have_a_seeded_bug() -> None:
    """Every core error code has a seeded bug. The codes of extensions have their own tests."""
    extension = re.compile(r"T(22|31[1-9]|32|4[1-9]|[78])")
    core = {code for code in CODES if not extension.match(code)}
    assert core - {bug.code for bug in BUGS} == ELSEWHERE


def test_the_package_has_the_table() -> None:
    text = (twin_root() / "errors.json").read_text("utf-8")
    assert set(json.loads(text)) == set(CODES)


def write(root: Path, table: str, source: str = 'Fail("T101", "x")') -> Path:
    (root / "twin/core").mkdir(parents=True)
    (root / "docs").mkdir()
    (root / "twin/errors.toml").write_text('[groups.T1]\ntitle = "memory"\n' + table)
    (root / "twin/core/core.cpp").write_text(source)
    (root / "docs/errors.md").write_text("# Errors\n" + error_codes.MARKER)
    return root


def row(code: str, more: str = "") -> str:
    return f'[codes.{code}]\ntitle = "t"\nabout = "a."\nchip = "c."\n{more}'


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (row("T102") + row("T101"), "T101: codes stand in ascending order"),
        (row("T101", "hangs = true"), "T101: .*hangs"),
        (row("T101", 'ends = "hang"'), "T101: ends is 'hang'"),
        (row("T101", 'strict = "yes"'), "T101: strict is 'yes'"),
        (row("T201"), "T201: no group T2"),
        ('[codes.T101]\ntitle = "t"', "T101: .*about"),
    ],
)
def test_faults_of_the_table(tmp_path: Path, table: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        error_codes.load(write(tmp_path, table))


def test_faults_between_table_sources_and_page(tmp_path: Path) -> None:
    root = write(tmp_path, row("T101") + row("T103"), 'Fail("T101", "x");\nFail("T102", "x");')
    assert list(error_codes.find_faults(root, error_codes.load(root))) == [
        "twin/core/core.cpp:2: T102 is not in twin/errors.toml",
        "twin/errors.toml: T103: no source raises it",
        "docs/errors.md: outdated; run python tools/error_codes.py",
    ]
    assert error_codes.main(["--root", str(root), "--check"]) == 1
    assert error_codes.main(["--root", str(root)]) == 0
    assert "### T103\n**t**\n\na.\nChip: c.\n" in (root / "docs/errors.md").read_text()
