# SPDX-License-Identifier: Apache-2.0
"""Tests calls of a kernel, and `cannery run` of a kernel, with the backend npu."""

from __future__ import annotations

from pathlib import Path

import pytest

from cannery.testing.toolkit import Toolkit

from .conftest import python
from .test_kernels import compiled


@pytest.mark.slow
def test_a_refused_call_changes_no_array(toolkit: Toolkit, tmp_path: Path) -> None:
    code = """
kernel = cannery.compile_kernel(SOURCE, "add", {"STEP": "2.0f"})
x, y = np.ones(64, np.float32), np.zeros(64, np.float32)
try:
    kernel(1, x, y, tiling=b"12345678", outputs=["y"])
except cannery.TwinOnlyError as error:
    print(error, set(y.tolist()))
"""
    said = python(toolkit, compiled(tmp_path, code))
    assert said.endswith("the record of a launch is the twin's; a card shows none {0.0}\n")


@pytest.mark.slow
def test_the_heading_names_the_card(toolkit: Toolkit, tmp_path: Path) -> None:
    code = f"""
from pathlib import Path
from cannery.cli import main
source = Path({str(tmp_path / "add.cpp")!r})
source.write_text(SOURCE)
sys.argv = ["cannery", "run", f"{{source}}:add", "-D", "STEP=2.0f"]
sys.argv += ["--arg", "float32[64]=ones", "--arg", "float32[64]=zeros"]
sys.argv += ["--arg", "int8[8]=zeros"]
main()
"""
    said = python(toolkit, compiled(tmp_path, code))
    assert said.splitlines()[0] == "add, 1 block, Ascend910B2: ok"
    assert "3 3 3 3 ..." in said
