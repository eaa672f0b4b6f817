# SPDX-License-Identifier: Apache-2.0
"""Tests the model of a launch's start: each term, and that each one can be left out."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cannery
from cannery.profiling import Launch
from cannery.profiling.startup import TERMS
from cannery.profiling.waits import Waits

from .start_kernels import MIXED, PADDED, STREAM, serial
from .test_waits import MATMUL

pytestmark = pytest.mark.twin_only("a card is measured, not modelled")

ROOT = Path(__file__).parents[3]
SERIAL_TERMS = {"launch", "core", "code", "tiling", "pipe", "pages"}


def run(source: str, name: str, cache: Path, blocks: int, *arrays: Any, **defines: int) -> Launch:
    names = [f"{key}={value}" for key, value in defines.items()]
    with cannery.use(cache_dir=cache):
        kernel = cannery.compile_kernel(source, name, defines=names)
    with cannery.profile() as p:
        kernel(blocks, *arrays)
    return p.launches[0]


def code_of(launch: Launch) -> set[int]:
    """Returns the ticks that the cores waited for code."""
    return {core["startup"][list(TERMS).index("code")] for core in launch.cores}


def test_terms_of_a_serial_kernel(shared_cache: Path) -> None:
    """The terms, and the work without any start, are the whole task."""
    whole = serial(shared_cache, lines=1)
    assert set(whole.startup_us) == SERIAL_TERMS
    work = serial(shared_cache, lines=1, without=TERMS)
    assert work.startup_us == {}
    assert work.without == tuple(TERMS)
    assert whole.task_us == pytest.approx(sum(whole.startup_us.values()) + work.task_us, abs=1e-3)


@pytest.mark.parametrize("term", sorted(SERIAL_TERMS))
def test_each_term_can_be_left_out(term: str, shared_cache: Path) -> None:
    """Without a term, the launch is shorter by exactly its time."""
    whole = serial(shared_cache, lines=1)
    part = serial(shared_cache, lines=1, without=[term])
    assert part.without == (term,)
    assert term not in part.startup_us
    assert whole.task_us - part.task_us == pytest.approx(whole.startup_us[term], abs=1e-3)
    assert whole.startup_us[term] > 0.01


def test_blocks_begin_one_after_another(shared_cache: Path) -> None:
    whole, one = (serial(shared_cache, blocks=blocks) for blocks in (48, 1))
    assert "blocks" not in one.startup_us
    without = serial(shared_cache, blocks=48, without=["blocks"])
    # If all cores begin together, their reads of the tiling data meet.
    assert whole.task_us - without.task_us == pytest.approx(whole.startup_us["blocks"], rel=0.1)


def test_both_kinds_of_cores(shared_cache: Path) -> None:
    y = np.zeros(64, np.float32)
    with cannery.use(cache_dir=shared_cache):
        kernel = cannery.compile_kernel(MIXED, "both")
    with cannery.profile() as whole:
        kernel(1, y)
    with cannery.profile(without=["mix"]) as without:
        kernel(1, y)
    (whole_launch,), (part,) = whole.launches, without.launches
    assert whole_launch.task_us - part.task_us == pytest.approx(whole_launch.startup_us["mix"])
    assert "mix" not in part.startup_us


@pytest.mark.slow
def test_matmul(shared_cache: Path) -> None:
    """The cube core prepares Matmul while the vector cores wait for it."""
    with cannery.use(cache_dir=shared_cache):
        kernel = cannery.compile_kernel(MATMUL, "multiply")
    tiling = cannery.matmul_tiling(128, 128, 256, c="float32", cores=1).tobytes()
    a, b = np.ones((128, 256), np.float16), np.ones((256, 128), np.float16)
    found = []
    for without in ((), ("matmul",)):
        with cannery.profile(without=without) as p:
            kernel(1, a, b, np.zeros((128, 128), np.float32), tiling=tiling)
        found += p.launches
    index = list(TERMS).index("matmul")
    cube, part = (launch.us(launch.cores[0]["startup"][index]) for launch in found)
    assert part == 0 < cube
    assert found[0].task_us - found[1].task_us == pytest.approx(cube, rel=0.2)


def test_code_by_lines_and_cores(shared_cache: Path) -> None:
    """A core waits for each new unit of code; a loop executes code that the core has."""
    few, many = (serial(shared_cache, lines=lines) for lines in (8, 40))
    assert many.startup_us["code"] > 2 * few.startup_us["code"]
    loop = serial(shared_cache, lines=8, ROUNDS=10)
    assert loop.startup_us["code"] == few.startup_us["code"]
    waits = []
    for blocks in (1, 8, 48):
        launch = serial(shared_cache, blocks=blocks)
        wait, turn = launch.header["code"]["AIV"]
        assert code_of(launch) == {2 * wait}
        waits.append(wait)
        assert turn == pytest.approx(blocks * 2048 / 130 * 1024, rel=1e-3)
    assert waits[0] < waits[1] < waits[2]


def test_code_of_a_warm_launch(shared_cache: Path) -> None:
    cold, warm = (serial(shared_cache, warm=warm) for warm in (False, True))
    assert "code" not in warm.startup_us
    assert warm.startup_us["pages"] < cold.startup_us["pages"]
    assert warm.task_us < cold.task_us - cold.startup_us["code"] / 2


def test_code_of_later_blocks(shared_cache: Path) -> None:
    """A core has the code when it runs its second block."""
    launch = serial(shared_cache, blocks=96)
    assert len(launch.cores) == 96
    assert code_of(launch) == code_of(serial(shared_cache, blocks=48))
    # The first cores have ended when the last ones begin, so some run more than two blocks.
    one = serial(shared_cache, blocks=48).startup_us["core"]
    assert launch.startup_us["core"] in (2 * one, 3 * one, 4 * one)


def test_preloaded_code(shared_cache: Path) -> None:
    """ICachePreLoad requests code early; the core waits only for the code before this call."""
    plain, preloaded = serial(shared_cache, lines=20), serial(shared_cache, lines=20, FETCH=7)
    wait, _ = preloaded.header["code"]["AIV"]
    assert code_of(preloaded) == {wait}
    assert code_of(plain) == {3 * wait}


def test_waits_for_code_are_named(shared_cache: Path) -> None:
    launch = serial(shared_cache, lines=40)
    (wait,) = [each for each in Waits(launch).of("AIV", "S") if each.reason == "code"]
    assert wait.us == pytest.approx(launch.startup_us["code"])
    named = [each for each in launch.instructions if each.waits_for == "code"]
    assert {each.opcode for each in named} >= {"Adds"}
    warm = serial(shared_cache, lines=40, warm=True)
    assert not [each for each in warm.instructions if each.waits_for == "code"]


@pytest.mark.parametrize(
    ("term", "what", "counts"),
    [
        ("tiling", "WORDS", (8, 64, 120)),
        ("pipe", "BUFFERS", (1, 4, 7)),
        ("pages", "PAGES", (1, 5, 9)),
    ],
)
def test_terms_that_grow(
    term: str, what: str, counts: tuple[int, int, int], shared_cache: Path
) -> None:
    """Tiling grows with its bytes, the pipe with its buffers, and pages with those touched."""
    few, some, many = (serial(shared_cache, **{what: count}) for count in counts)
    step = some.startup_us[term] - few.startup_us[term]
    assert step > 0.02
    assert many.startup_us[term] - some.startup_us[term] == pytest.approx(step)
    others = few.startup_us.keys() - {term}
    assert {each: many.startup_us[each] for each in others} == pytest.approx(
        {each: few.startup_us[each] for each in others}
    )


def test_pages_are_translated_once(shared_cache: Path) -> None:
    once, often = (serial(shared_cache, ROUNDS=rounds).startup_us["pages"] for rounds in (1, 4))
    assert often == pytest.approx(once)


@pytest.mark.parametrize("name", ["codes", "", "Code"])
def test_unknown_terms(name: str) -> None:
    with pytest.raises(ValueError, match=rf"without='{name}'; expected terms .*: launch, blocks"):
        cannery.profile(without=[name])


def test_one_name_is_enough(shared_cache: Path) -> None:
    assert serial(shared_cache, without="code").without == ("code",)


@pytest.mark.parametrize("settings", [{"threads": 1}, {"threads": 2}, {"core_order": 7}])
def test_same_start_always(settings: dict[str, int], shared_cache: Path) -> None:
    first = serial(shared_cache, blocks=96)
    with cannery.use(**settings):
        again = serial(shared_cache, blocks=96)
    assert again.header == first.header
    np.testing.assert_array_equal(again.instructions.rows, first.instructions.rows)


@pytest.mark.hazards_off("the kernel stores what nothing has written")
def test_stores_wait_behind_loads(shared_cache: Path) -> None:
    """The busy time of MTE3 has the waits of long stores for loads; 8 KiB wait in a buffer."""
    busy = {}
    for size in (8192, 32768):
        for loads in (0, 1):
            x = np.zeros(48 * 4 * max(1, loads) * size // 4, np.float32)
            y = np.zeros(48 * 4 * size // 4, np.float32)
            launch = run(STREAM, "stream", shared_cache, 48, x, y, BYTES=size, LOADS=loads)
            busy[size, loads] = launch.busy_us["AIV"]["MTE3"]
    assert busy[8192, 1] <= 1.02 * busy[8192, 0]
    assert busy[32768, 1] > 1.5 * busy[32768, 0]


def test_rows_of_padded_loads(shared_cache: Path) -> None:
    """Short rows that need padding wait for each other; rows of whole blocks do not."""
    x = np.zeros(4096, np.float32)
    took = {}
    for columns in (8, 9):
        launch = run(PADDED, "padded", shared_cache, 1, x, ROWS=128, COLUMNS=columns)
        (load,) = [each for each in launch.instructions if each.opcode == "DataCopyPad"]
        took[columns] = load.us
    assert took[9] > 4 * took[8]


def test_the_page_has_the_costs() -> None:
    """The table of terms in docs/timing.md has the constants of the model."""
    costs = (ROOT / "twin/timing/costs_2201.cpp").read_text("utf-8")
    row = r"TWIN_CONSTANT\((k\w+), ([\d.]+),"
    value = {name: f"{float(text):g}" for name, text in re.findall(row, costs)}
    page = (ROOT / "docs/timing.md").read_text("utf-8")
    cells = {
        line.split(" | ")[0].strip("| `"): line.split(" | ")[2]
        for line in page.splitlines()
        if line.count(" | ") >= 4
    }
    assert [term for term in cells if term in TERMS] == list(TERMS)
    named = {
        "launch": ["kLaunch"],
        "blocks": ["kBlockStart"],
        "core": ["kCoreStart"],
        "mix": ["kMixStart"],
        "code": ["kCodeMiss"],
        "tiling": ["kTilingWord"],
        "pipe": ["kPipeInit", "kBufferInit"],
        "pages": ["kHbmLatency", "kFirstLoad", "kFirstLoadCore", "kFirstStore"],
        "matmul": ["kMatmulStart", "kMatmulStartConst"],
    }
    for term, names in named.items():
        numbers = re.findall(r"[\d.]+", cells[term])
        assert set(numbers) >= {value[name] for name in names}, term
    assert f"translation of a page takes {value['kL2Latency']} cycles" in " ".join(page.split())
