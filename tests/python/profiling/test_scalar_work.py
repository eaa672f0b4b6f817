# SPDX-License-Identifier: Apache-2.0
"""What a kernel computes between its calls takes time on pipe S, with the line of the next call."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

import cannery
from cannery.profiling.launch import Launch
from cannery.profiling.times import TICKS
from cannery.profiling.tracks import Tracks

pytestmark = pytest.mark.twin_only("a card is measured, not modelled")

COSTS = Path(__file__).resolve().parents[3] / "twin/timing/costs_2201.cpp"
CYCLES = {
    name: float(value)
    for name, value in re.findall(r"TWIN_CONSTANT\(kScalar(\w+), ([\d.]+),", COSTS.read_text())
}
#: Cycles of a turn of the loop below.
TURN = CYCLES["Folded"] * (
    5 * CYCLES["Simple"] + CYCLES["Multiply"] + CYCLES["Branch"] + CYCLES["Divide32"]
)
SOURCE = """#include "kernel_operator.h"
using namespace AscendC;
OTHERS
extern "C" __global__ __aicore__ void indices(GM_ADDR x, GM_ADDR y, int32_t n) {
    GlobalTensor<int32_t> from, to;
    from.SetGlobalBuffer((__gm__ int32_t*)x, 8);
    to.SetGlobalBuffer((__gm__ int32_t*)y, 8);
    int32_t value = from.GetValue(0);
    for (int32_t i = 0; i < n; ++i) {
        value = value * value + i / (value | 1);
    }
    MIDDLE
    to.SetValue(0, value);  // store
    DataCacheCleanAndInvalid<int32_t, CacheLine::SINGLE_CACHE_LINE>(to);
    for (int32_t i = 0; i < n; ++i) {
        value = value * value + i / (value | 1);
    }
    if (value == 12345) {
        to.SetValue(1, value);
    }
}
"""


def kernel_of(others: str = "", middle: str = "", **options: bool) -> cannery.Kernel:
    source = SOURCE.replace("OTHERS", others).replace("MIDDLE", middle)
    return cannery.compile_kernel(source, "indices", **options)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def kernel(shared_cache: Path) -> cannery.Kernel:
    with cannery.use(cache_dir=shared_cache):
        return kernel_of()


def launch_of(kernel: cannery.Kernel, n: int) -> Launch:
    with cannery.profile() as p:
        kernel(1, np.full(8, 3, np.int32), np.zeros(8, np.int32), n)
    return p.launches[0]


def test_index_arithmetic_takes_time(kernel: cannery.Kernel) -> None:
    """1000 turns more of both loops take the time of 2000 turns, and pipe S is busy with them."""
    few, many = launch_of(kernel, 100), launch_of(kernel, 1100)
    assert (few.uncounted, many.uncounted) == ((), ())
    us = 2000 * TURN / 1800
    assert many.task_us - few.task_us == pytest.approx(us, rel=1e-3)
    assert many.busy_us["AIV"]["S"] - few.busy_us["AIV"]["S"] == pytest.approx(us, rel=1e-3)
    assert many.instruction_count == few.instruction_count
    assert "S" in str(many.bound)


def test_scalar_work_has_lines(kernel: cannery.Kernel) -> None:
    """The first loop comes before SetValue; the work behind the last call counts for this call."""
    launch = launch_of(kernel, 1000)
    lines = SOURCE.splitlines()
    store = next(i for i, text in enumerate(lines, 1) if text.endswith("// store"))
    found = {line.line: line for line in launch.lines}
    assert found[store].opcodes == ("SetValue", "scalar work")
    assert found[store].pipes["S"] == pytest.approx(1000 * TURN / 1800, rel=0.01)
    assert found[store + 1].pipes["S"] == pytest.approx(1000 * TURN / 1800, rel=0.02)
    rows = [each for each in launch.operations if each["opcode"] == "scalar work"]
    assert {each["pipe"] for each in rows} == {"S"}
    assert sum(each["busy"] for each in rows) < launch.cores[0]["busy"][0]


def test_timelines_show_scalar_work(kernel: cannery.Kernel, tmp_path: Path) -> None:
    """The thread of the scalar unit is busy in the first loop, also in a saved profile."""
    with cannery.profile() as p:
        kernel(1, np.full(8, 3, np.int32), np.zeros(8, np.int32), 1000)
    p.save(tmp_path / "saved")
    for launch in (p.launches[0], cannery.load_profile(tmp_path / "saved").launches[0]):
        begin, end, _ = Tracks(launch).issuing(0)
        assert max(end - begin) == pytest.approx(1000 * TURN * TICKS, rel=0.01)
        launch.trace(tmp_path / "trace.json")
        events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
        slices = [each["dur"] for each in events if each["name"] == "issue"]
        assert max(slices) == pytest.approx(1000 * TURN / 1800, rel=0.01)


def test_a_kernel_without_calls_has_time_and_advice() -> None:
    source = """#include "kernel_operator.h"
extern "C" __global__ __aicore__ void alone(GM_ADDR x, int32_t n) {
    volatile int32_t value = n;
    for (int32_t i = 0; i < n; ++i) {
        value = value * 3;
    }
}
"""
    kernel = cannery.compile_kernel(source, "alone")
    times = []
    for n in (0, 10000):
        with cannery.profile() as p:
            kernel(1, np.zeros(8, np.int32), n)
        times.append(p.launches[0].task_us)
        assert p.launches[0].advice.do
    turn = CYCLES["Folded"] * (3 * CYCLES["Simple"] + CYCLES["Branch"])
    assert times[1] - times[0] == pytest.approx(10000 * turn / 1800, rel=1e-3)


def test_the_page_has_the_prices() -> None:
    page = (COSTS.parents[2] / "docs/timing.md").read_text("utf-8")
    for word, name in (("simple", "Simple"), ("memory", "Memory"), ("branch", "Branch")):
        assert f"| {word} | {CYCLES[name]:g} |" in page
    assert f"| multiplication | {CYCLES['Multiply']:g} |" in page
    divisions = ", ".join(f"{CYCLES[f'Divide{kind}']:g}" for kind in ("32", "64", "Float"))
    assert f"| division of 32 bits, of 64 bits, of floats | {divisions} |" in page
    assert f"takes {CYCLES['Folded']:g} times the sum" in page.replace("\n", " ")


@pytest.mark.slow
def test_counts_do_not_depend_on_optimisation(kernel: cannery.Kernel) -> None:
    assert launch_of(kernel_of(debug=True), 0).task_us == launch_of(kernel, 0).task_us


@pytest.mark.slow
def test_what_is_not_counted_is_told(tmp_path: Path) -> None:
    """A function with a label that has no braces is not counted; the others are."""
    others = "__aicore__ inline int32_t Twice(int32_t n) { if (n > 9) again: n += n; "
    others += "if (n == 12345) goto again; return n; }"
    launch = launch_of(kernel_of(others, "value = Twice(value);"), 100)
    assert launch.uncounted == ("indices.cpp",)
    assert launch.busy_us["AIV"]["S"] > 200 * TURN / 1800
    launch.html(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text("utf-8")
    assert "The scalar work of indices.cpp is not counted" in page


@pytest.mark.slow
def test_a_source_without_counters_keeps_the_checks_of_fields() -> None:
    """The constant is as deep as the compiler computes calls, and the counter is one call more."""
    others = "constexpr int32_t Deep(int32_t n) { return n == 0 ? 0 : 1 + Deep(n - 1); }"
    middle = "constexpr int32_t deep = Deep(511); DataCopyParams p; p.blockLen = n * 1000; "
    kernel = kernel_of(others, middle + "value += p.blockLen + deep;")
    assert launch_of(kernel, 10).uncounted == ("indices",)
    with pytest.raises(cannery.KernelError, match="T402"):
        launch_of(kernel, 100)
