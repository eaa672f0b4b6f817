# SPDX-License-Identifier: Apache-2.0
"""The list of steps of library calls: its language, and that what is not in it is refused."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import library_steps  # noqa: E402

SHARED = {"steps": "def Twice(dst: view, k: int):\n    Add(dst, dst, dst, count=k)\n"}


def made(steps: str) -> list[str]:
    """The lines that stand for `steps` of a call with one operand, without what every call has."""
    call = {"operands": "dst", "forms": ["fast"], "steps": steps}
    source = library_steps.render({"shared": SHARED, "Gelu": call})
    body = source.split("void GeluSteps(StepMaker& maker) {\n")[1].split("\n}\n")[0]
    return [line.strip() for line in body.splitlines() if "maybe_unused" not in line]


def test_page_agrees() -> None:
    command = [sys.executable, "-B", str(ROOT / "tools" / "library_steps.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_line_ends_with_a_barrier() -> None:
    lines = made("Abs(dst, dst); Exp(dst, dst)\nLn(dst, dst); no_barrier()\n")
    names = [re.split(r"[,()]", line.removeprefix("maker."))[:2] for line in lines]
    steps = [["Do", f"Opcode::{name}"] for name in ("Abs", "Exp", "Ln")]
    assert names == [*steps[:2], ["Barrier", ""], steps[2]]


def test_numbers_loops_and_conditions() -> None:
    text = "\n".join(
        made("for i in range(2, up(n, 64)):\n    if fast and i > 2:\n        Twice(dst, i)")
    )
    assert "< Up(n1, 64)" in text
    assert "&& (i" in text
    assert "Twice(maker, dst" in text


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ("Abs(src, dst)", "src is no operand"),
        ("Abs(dst, dst, count=dst)", "dst is no number"),
        ("Abs(dst, dst, times=2)", "expected count"),
        ("Twice(dst)", "takes 2 arguments"),
        ("lower(dst)", "lower is no step"),
        ("import os", "is no step"),
        ("x = work(double, 3)", "double is no type"),
        ("Abs(", "line 1"),
    ],
)
def test_what_is_refused(steps: str, message: str) -> None:
    with pytest.raises(ValueError, match=f"Gelu.*{message}"):
        made(steps)
