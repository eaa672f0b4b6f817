# SPDX-License-Identifier: Apache-2.0
"""The generated tests must use shapes with several tiles per core, and tiles that fill UB."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from cannery.errors import CanneryError
from cannery.testing.tiles import TILES, rows_for

from .conftest import ADD_SCALED, Run, build, run_tests
from .test_new import make
from .test_project_build import edit

#: Mistakes that a test finds only with several tiles per core, or with the largest tile.
NEVER_FREED = {"        inQueue_.FreeTensor(in);\n": ""}
BUFFER_TOO_MANY = {
    "        pipe->InitBuffer(zQueue_": (
        "        pipe->InitBuffer(yQueue_, 3 * kBuffers, tiling_.tileElems * sizeof(TY));\n"
        "        pipe->InitBuffer(zQueue_"
    ),
    "kBuffers> inQueue_;\n": (
        "kBuffers> inQueue_;\n    AscendC::TQue<AscendC::TPosition::VECIN, kBuffers> yQueue_;\n"
    ),
}


@pytest.fixture(scope="module")
def made(cannery: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    project = tmp_path_factory.mktemp("tiles") / "my_project"
    make(project, [ADD_SCALED], "my_project")
    build(cannery, project)
    return project


@pytest.fixture
def mistake(made: Path, cannery: Run) -> Any:
    kernel = made / "op_kernel/add_scaled/kernel.h"
    before = kernel.read_text()

    def make_it(changes: dict[str, str]) -> Path:
        edit(kernel, changes)
        build(cannery, made)
        return made

    yield make_it
    kernel.write_text(before)


def failed(project: Path) -> set[str]:
    """Returns the failed tests as "test case", without the dtypes and the chip."""
    found = re.findall(r"^FAILED .*::test_(\w+)\[row\d-\w+-\w+-([^]]*)\]", *said(project))
    return {f"{test} {case}" for test, case in found}


def said(project: Path) -> tuple[str, int]:
    return run_tests(project).stdout, re.MULTILINE


pytestmark = pytest.mark.twin_only("runs a package that was built for the twin")


@pytest.mark.slow
def test_new_tests_pass(made: Path) -> None:
    assert "30 passed" in run_tests(made).stdout


@pytest.mark.slow
def test_a_buffer_that_is_never_freed(
    mistake: Callable[[dict[str, str]], Path], cannery: Run
) -> None:
    project = mistake(NEVER_FREED)
    assert failed(project) == {"tiles three-tiles", "tiles tail"}
    done = cannery("run", "add_scaled", "--size", "small", "--json", cwd=project)
    assert not json.loads(done.stdout)["ok"]


@pytest.mark.slow
def test_a_buffer_too_many(mistake: Callable[[dict[str, str]], Path]) -> None:
    project = mistake(BUFFER_TOO_MANY)
    assert failed(project) == {"tiles full-ub", "tiles three-tiles", "tiles tail"}
    assert "T106" in run_tests(project).stdout


def answers(fields: Callable[[int], dict[str, Any]], most: int = 1 << 62) -> Callable[[int], Any]:
    def ask(rows: int) -> Any:
        if rows > most:
            return SimpleNamespace(ok=False, message="too many rows")
        found = fields(rows)
        return SimpleNamespace(ok=True, block_dim=found.pop("block_dim"), fields=found)

    return ask


def by_elements(rows: int) -> dict[str, Any]:
    """Returns a new operator's tiling: rows of 100 elements, 40 cores, tiles of 1000 elements."""
    elems = 100 * rows
    tile = min(1000, -(-elems // 40))
    tiles = -(-elems // tile)
    return {"block_dim": min(40, tiles), "elems": elems, "tiles": {"all": tiles}, "tile": [tile]}


def by_rows(rows: int) -> dict[str, Any]:
    """Returns a tiling in which each core has the same number of rows, and a tile at most 7."""
    share = -(-rows // 48)
    return {"block_dim": -(-rows // share), "share": share, "tile": min(7, share), "constant": 3}


@pytest.mark.parametrize(
    ("fields", "full"), [(by_elements, 400), (by_rows, 1035)], ids=["elements", "rows"]
)
def test_rows_for(fields: Callable[[int], dict[str, Any]], full: int) -> None:
    found = [rows_for(tiles, answers(fields), 100) for tiles in TILES]
    assert found == [1, full, 3 * full, 3 * full + 1]
    assert fields(full)["tile"] in ([1000], 7)
    # For a tiling that refuses large shapes, the result is the same.
    assert rows_for("full-ub", answers(fields, most=1 << 14), 100) == full


def test_tilings_that_do_not_tell() -> None:
    def grows(rows: int) -> dict[str, Any]:
        return {"block_dim": 8, "tile": rows}

    with pytest.raises(CanneryError, match=r"then stops, .*'tile': 8388608}\n  try: shapes of"):
        rows_for("full-ub", answers(grows), 100)
    assert rows_for("one-tile", answers(grows), 100) == 1
    with pytest.raises(CanneryError, match="refuses the smallest shape: too many rows"):
        rows_for("full-ub", answers(by_rows, most=0), 100)
    with pytest.raises(CanneryError, match="tail: needs 868 rows of 100000 elements, too many"):
        rows_for("tail", answers(by_rows), 100_000)
    with pytest.raises(ValueError, match="tiles: expected one of one-tile, full-ub, three"):
        rows_for("two-tiles", answers(by_rows), 100)
