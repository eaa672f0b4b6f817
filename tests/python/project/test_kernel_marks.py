# SPDX-License-Identifier: Apache-2.0
"""`cannery build` checks the declaration of every operator's kernel."""

from __future__ import annotations

from pathlib import Path

import pytest

from cannery.cli.build import build
from cannery.errors import CompileError

from .conftest import ADD_SCALED
from .test_new import make
from .test_project_build import edit


@pytest.mark.parametrize(("first", "second"), [("one", "two"), ("two", "one")])
def test_two_operators_share_a_file(tmp_path: Path, first: str, second: str) -> None:
    folder = tmp_path / "shared"
    make(folder, [ADD_SCALED, ADD_SCALED | {"op": "AddTwice"}], "shared")
    for op, function in (("add_scaled", first), ("add_twice", second)):
        kernel = f'\n[kernel]\nfile = "both"\nfunction = "{function}"\n\n[[attr]]'
        edit(folder / f"op_proto/{op}.toml", {"\n[[attr]]": kernel})
    (folder / "op_kernel/both.cpp").write_text(
        'extern "C" __global__ __aicore__ void one(GM_ADDR x) {}\n'
        'extern "C" __aicore__ void two(GM_ADDR x) {}\n'
    )
    with pytest.raises(CompileError, match=r"both\.cpp:2: error: two is not marked __global__"):
        build(folder, None, False, False)


def test_the_name_of_a_file_is_no_pattern(tmp_path: Path) -> None:
    """The files are as msopgen makes them: the name of a file in op_host is that of the kernel."""
    (tmp_path / "op_host").mkdir()
    (tmp_path / "op_kernel").mkdir()
    (tmp_path / "op_host/add(.cpp").write_text("")
    (tmp_path / "op_kernel/add(.cpp").write_text("")
    (tmp_path / "op_host/add.cpp").write_text("")
    kernel = 'extern "C" __aicore__ void add(GM_ADDR x) {}\n'
    (tmp_path / "op_kernel/add.cpp").write_text(kernel)
    with pytest.raises(CompileError, match=r"add\.cpp:1: error: add is not marked __global__"):
        build(tmp_path, None, False, False)
