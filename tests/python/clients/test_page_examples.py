# SPDX-License-Identifier: Apache-2.0
"""Tests that the examples of docs/ compile and run as a reader copies them."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

import cannery
from cannery.cli import flags
from cannery.errors import CompileError


def test_a_unit_test_of_op_host(repository: Path, tmp_path: Path) -> None:
    page = (repository / "docs/host-twin.md").read_text()
    test, program = tmp_path / "test_add_custom.cpp", tmp_path / "test"
    test.write_text(page.partition("```cpp\n")[2].partition("```")[0])
    operator = repository / "tests/fixtures/msopgen/AddCustom/op_host/add_custom.cpp"
    command = [os.environ.get("CXX", "g++"), "-std=c++17", str(test), str(operator)]
    command += [*flags.compile_flags(), "-o", str(program), *flags.link_flags()]
    subprocess.run(command, check=True)
    done = subprocess.run([program], check=True, capture_output=True, text=True)
    assert f"it prints `{done.stdout.strip()}`" in page


@pytest.mark.twin_only("a card has its own compiler, which says what it does not take")
def test_what_is_nothing_for_a_card(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (repository / "docs/portability.md").read_text()
    blocks = [re.sub("^    ", "", each, flags=re.M) for each in re.split(r"\n(?=\S)", page)]
    source = next(each for each in blocks if "void tile(" in each).partition("\n\n")[2]
    (tmp_path / "tile.cpp").write_text(source)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CompileError) as caught:
        cannery.compile_kernel("tile.cpp", "tile")
    said = str(caught.value).replace(f"{tmp_path}/", "")
    assert said in "\n".join(blocks)
