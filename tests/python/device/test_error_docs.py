# SPDX-License-Identifier: Apache-2.0
"""docs/errors.md and the sources of the twin know the same codes."""

from __future__ import annotations

import re
from pathlib import Path

from .test_seeded_bugs import BUGS

#: Guards that no kernel and no launch from Python reaches, and codes that other tests provoke.
ELSEWHERE = {"T404", "T509", "T601", "T602", "T603", "T604", "T605"}


def codes_in_sources(repository: Path) -> set[str]:
    files = [p for p in (repository / "twin").rglob("*") if p.suffix in (".h", ".cpp")]
    return {
        code for path in files for code in re.findall(r'"(T\d{3})(?=[" ])', path.read_text("utf-8"))
    }


def sections(repository: Path) -> dict[str, str]:
    text = (repository / "docs" / "errors.md").read_text("utf-8")
    parts = re.split(r"^### (T\d{3})$", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_every_code_has_a_section(repository: Path) -> None:
    assert sorted(codes_in_sources(repository) - set(sections(repository))) == []


def test_every_section_has_a_code(repository: Path) -> None:
    assert sorted(set(sections(repository)) - codes_in_sources(repository)) == []


def test_sections_are_complete_and_in_order(repository: Path) -> None:
    known = sections(repository)
    assert list(known) == sorted(known)
    for code, text in known.items():
        assert re.match(r"\n\*\*[^*]+\.\*\* ", text), code
        assert "Chip:" in text or code == "T404", code


def test_seeded_codes_are_documented_with_their_mode(repository: Path) -> None:
    """ "(strict)" stands exactly where hardware mode lets a seeded bug pass."""
    known = sections(repository)
    for bug in BUGS:
        assert bug.code in known
        if not bug.hardware:
            assert "(strict)" in known[bug.code], bug.code
    always = {b.code for b in BUGS} - {b.code for b in BUGS if not b.hardware}
    assert not [code for code in always if "(strict)" in known[code]]


def test_core_codes_have_a_seeded_bug(repository: Path) -> None:
    """Memory, queues, events, plain arguments and crashes; extensions bring their own tests."""
    extension = re.compile(r"T(22|31[1-9]|32|4[1-9]|7)")
    core = {c for c in codes_in_sources(repository) if not extension.match(c)}
    assert core - {bug.code for bug in BUGS} == ELSEWHERE
