# SPDX-License-Identifier: Apache-2.0
"""Tests which backend the plugin of pytest uses: that of --backend, or that of CANNERY_BACKEND."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ..processes import run_pytest

TESTS = """
import pytest
from cannery.errors import TwinOnlyError

@pytest.mark.twin_only("reads what only the twin writes")
def test_marked():
    raise AssertionError

def test_refused():
    raise TwinOnlyError("a card has no hazard checker")
"""


@pytest.mark.parametrize(
    ("variable", "options", "result"),
    [
        ("npu", (), "2 skipped"),
        ("", ("--backend", "npu"), "2 skipped"),
        ("npu", ("--backend", "twin"), "2 failed"),
        ("", (), "2 failed"),
    ],
)
def test_what_only_the_twin_has(
    tmp_path: Path, variable: str, options: tuple[str, ...], result: str
) -> None:
    (tmp_path / "test_it.py").write_text(TESTS)
    environment = {**os.environ, "CANNERY_BACKEND": variable, "CANNERY_HAZARDS": ""}
    done = run_pytest(*options, cwd=tmp_path, env=environment)
    assert result in done.stdout, done.stdout + done.stderr
