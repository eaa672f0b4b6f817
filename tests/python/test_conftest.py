# SPDX-License-Identifier: Apache-2.0
"""Hypothesis must draw the same examples in every run, and leave no file in the checkout."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.configuration import storage_directory


def drawn() -> list[int]:
    numbers: list[int] = []

    @settings(max_examples=20)
    @given(st.integers(0, 2**64))
    def collect(number: int) -> None:
        numbers.append(number)

    collect()
    return numbers


def test_examples_repeat() -> None:
    assert len(set(drawn())) > 10
    assert drawn() == drawn()


def test_nothing_is_kept(repository: Path) -> None:
    assert settings().database is None
    directory = storage_directory("constants")
    path = Path(getattr(directory, "path", directory))  # no .path in some Hypothesis versions
    assert repository not in path.resolve().parents
