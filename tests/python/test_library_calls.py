# SPDX-License-Identifier: Apache-2.0
"""The barriers of library calls: every call has a row, and what is wrong with one is refused."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import library_calls  # noqa: E402


def functions() -> set[str]:
    """What kernels can call of what the pages of the advanced API describe."""
    sources = "".join(path.read_text("utf-8") for path in (ROOT / "twin").rglob("*.h"))
    types = set(re.findall(r"\b(?:struct|class|enum class|enum|using) (\w+)", sources))
    values = set(re.findall(r"\bconstexpr (?:inline )?\w+ (\w+)", sources))
    row = re.compile(r"\| `(\w+)` .*\(twin-semantics/advanced-(?:math|norm)\.md\)")
    coverage = (ROOT / "docs" / "api-coverage.md").read_text("utf-8")
    return set(row.findall(coverage)) - types - values


def test_every_call_has_its_row() -> None:
    """A call without one ends the process of whoever calls it."""
    calls = {call.name for call in library_calls.load(ROOT)}
    assert len(functions()) > 60
    assert not functions() - calls


def made(tmp_path: Path, row: str) -> list[library_calls.LibraryCall]:
    (tmp_path / "twin").mkdir()
    (tmp_path / library_calls.DATA).write_text(f"[advanced-math]\n{row}\n", "utf-8")
    (tmp_path / library_calls.STEPS).write_text('[Log]\nforms = ["fast", "slow"]\n', "utf-8")
    return library_calls.load(tmp_path)


@pytest.mark.parametrize(
    ("row", "begins"),
    [
        ('Log = { begins = true, begins_unless = ["slow"] }', "{~0U, 2}"),
        ('Ln = { begins = ["half"], begins_unless = ["a"], forms = ["a"] }', "Bit(Dtype::F16), 1}"),
        ("Log = {}", "{0, 0}"),
    ],
)
def test_forms_become_bits(tmp_path: Path, row: str, begins: str) -> None:
    (call,) = made(tmp_path, row)
    assert begins in library_calls.render_table([call])


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ('Log = { begins_unless = ["late"] }', "late is no form"),
        ('Log = { begins = ["double"] }', "expected true, false"),
        ("Log = { starts = true }", "starts"),
    ],
)
def test_what_is_no_row_is_refused(tmp_path: Path, row: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        made(tmp_path, row)
