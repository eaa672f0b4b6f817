# SPDX-License-Identifier: Apache-2.0
"""Tests the bound of a launch, the range of its time, and the advice about its start."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import cannery
from cannery.profiling import Launch
from cannery.profiling.page import page_data, render
from cannery.profiling.startup import intervals

from . import pictures
from .by_hand import FUNCTION, HEAD, entry
from .start_kernels import MIXED, serial
from .test_profile import SOURCE, call

pytestmark = pytest.mark.twin_only("a card is measured, not modelled")


def by_formula(cache: Path) -> Launch:
    """Profiles a kernel of which most time is a library call without steps."""
    calls = "for (uint32_t i = 0; i < 20; ++i) { Digamma(dst, src, tmp, n); }"
    text = HEAD + FUNCTION % ("f", 2048, "float", 65536, "float", 2048, calls)
    with cannery.use(cache_dir=cache):
        kernel = cannery.compile_kernel(text + entry(["f"]), "work")
    with cannery.profile() as p:
        kernel(1, np.ones(2048, np.float32), np.ones(2048, np.float32), 0)
    return p.launches[0]


@pytest.fixture(scope="module")
def small(shared_cache: Path) -> Launch:
    return serial(shared_cache, blocks=48)


@pytest.fixture(scope="module")
def large(shared_cache: Path) -> Launch:
    with cannery.use(cache_dir=shared_cache):
        kernel = cannery.compile_kernel(pictures.SOURCE, "twice")
    return pictures.profiled(kernel, 48)


def test_start_up(small: Launch) -> None:
    assert small.bound.resource == "start-up"
    assert 0.7 < small.bound.share <= 1
    assert small.bound.terms.startswith("blocks 3.1 us, ")
    text = f"start-up takes {small.bound.share:.0%} of the modelled time ({small.bound.terms}), "
    assert str(small.bound).startswith(text)
    assert str(small.bound).endswith(f"is busy for {small.bound.second_share:.0%}")
    assert "guessed" not in str(small.bound)


def test_work(large: Launch) -> None:
    assert large.bound.resource in ("HBM", "AIV MTE2", "AIV MTE3")
    assert large.bound.terms == ""
    assert large.bound.guessed == 0


def test_formulas_are_guesses(shared_cache: Path) -> None:
    launch = by_formula(shared_cache)
    assert launch.formulas == ("Digamma",)
    assert 0.5 < launch.bound.guessed <= 1
    assert str(launch.bound).endswith(f"; {launch.bound.guessed:.0%} is guessed")
    assert "guess" in launch.advice.what
    least, most = launch.task_us_range
    assert most / least > 3


def test_range(small: Launch, large: Launch) -> None:
    """Measured costs have a small error, and derived ones a large error."""
    for launch in (small, large):
        least, most = launch.task_us_range
        assert launch.task_us / 2 <= least < launch.task_us / 1.2
        assert launch.task_us * 1.2 < most <= launch.task_us * 2
        assert f"{launch.task_us:.2f} us ({least:.2f} to {most:.2f})" in repr(launch)
    assert small.task_us_range[1] / small.task_us_range[0] > 3
    assert large.task_us_range[1] / large.task_us_range[0] < 2.2


def test_range_without_start(shared_cache: Path) -> None:
    """A term that is left out makes no range wider."""
    whole, part = (serial(shared_cache, without=names) for names in ((), ["core", "launch"]))
    width = [most - least for least, most in (whole.task_us_range, part.task_us_range)]
    assert width[0] - width[1] == pytest.approx(1.5 * (whole.task_us - part.task_us))


def test_fewer_blocks(shared_cache: Path) -> None:
    """The time that the advice predicts is the time of the kernel with fewer blocks."""
    with cannery.use(cache_dir=shared_cache):
        kernel = cannery.compile_kernel(SOURCE, "twice")
    with cannery.profile() as p:
        call(kernel, 48)
        call(kernel, 12)
    many, few = p.launches
    assert "12 blocks instead of 48, each with more of the work: " in many.advice.do
    said = many.advice.do.split("more of the work: ")[1].split(" us")[0]
    assert few.task_us == pytest.approx(float(said), rel=0.15)
    assert "blocks instead" not in few.advice.do


def test_advice_names_what_matters(shared_cache: Path) -> None:
    plain = serial(shared_cache).advice
    assert plain.what.startswith("Start-up-bound: ")
    for absent in ("blocks instead", "one kind of core", "Matmul"):
        assert absent not in plain.do
    tiling = serial(shared_cache, WORDS=200)
    left = tiling.task_us - tiling.startup_us["tiling"]
    assert f"Constants in the source instead of tiling data: {left:.3g} us." in tiling.advice.do
    code = serial(shared_cache, lines=60)
    left = code.task_us - code.startup_us["code"]
    half = code.task_us - code.startup_us["code"] / 2
    assert f"Half as much code (fewer different calls): {half:.3g} us." in code.advice.do
    assert f"With the code in L2 (`warm=True`): {left:.3g} us." in code.advice.do
    assert "code" not in serial(shared_cache, lines=60, warm=True).advice.do
    assert "TPipe outside" in serial(shared_cache, BUFFERS=40, without=["code"]).advice.do


def test_advice_about_preloading(shared_cache: Path) -> None:
    """The predicted time is about that of a kernel that preloads its code."""
    plain, preloaded = (
        serial(shared_cache, lines=30, blocks=8, **more) for more in ({}, {"FETCH": 7})
    )
    said = plain.advice.do.split("requests the code early: ")[1].split(" us")[0]
    assert preloaded.task_us == pytest.approx(float(said), rel=0.1)


def test_one_tile(shared_cache: Path) -> None:
    many = serial(shared_cache, PAGES=4, without=["code", "pages"])
    assert "One tile per AIV core, loaded by one copy: " in many.advice.do
    assert "One tile" not in serial(shared_cache, without=["code", "pages"]).advice.do


def test_kinds_of_cores(shared_cache: Path) -> None:
    with cannery.use(cache_dir=shared_cache):
        kernel = cannery.compile_kernel(MIXED, "both")
    with cannery.profile() as p:
        kernel(1, np.zeros(64, np.float32))
    (launch,) = p.launches
    left = launch.task_us - launch.startup_us["mix"]
    assert f"A kernel of one kind of core: {left:.3g} us." in launch.advice.do


def test_more_blocks_than_cores(shared_cache: Path) -> None:
    launch = serial(shared_cache, blocks=480)
    left = launch.task_us - launch.startup_us["core"] + 1
    assert f"48 blocks, each with a loop over the work of 10: {left:.3g} us." in launch.advice.do


def test_start_on_the_page(small: Launch) -> None:
    data = page_data(small)
    assert [each[0] for each in data["launch"]["startup"]] == list(small.startup_us)
    text = render(small)
    for heading in ("How the launch starts", "expect on a chip", "blocks begin one after another"):
        assert heading in text
    shown = data["timeline"]["cores"][0]["start"]
    assert [each[0] for each in shown][-1] == "core"
    assert all(begin < end for _, begin, end in shown)


def test_start_in_the_trace(small: Launch, tmp_path: Path) -> None:
    small.trace(tmp_path / "trace.json", all_cores=True)
    trace = json.loads((tmp_path / "trace.json").read_text("utf-8"))
    assert trace["otherData"]["startup_us"] == small.startup_us
    starts = [event for event in trace["traceEvents"] if event.get("cat") == "start"]
    assert len(starts) == 48 + 47  # the first block begins at once
    last = [event for event in starts if event["pid"] == 2 + 47]
    assert [event["name"] for event in last] == ["start: blocks", "start: core"]
    assert last[1]["ts"] == pytest.approx(small.startup_us["blocks"], abs=2e-3)
    assert last[1]["dur"] == pytest.approx(1.0, abs=2e-3)


def test_intervals_of_later_blocks(shared_cache: Path) -> None:
    launch = serial(shared_cache, blocks=96)
    (only,) = intervals(launch.cores, 95)
    assert only[0] == "core"
    assert only[1] == launch.cores[95]["start"] > launch.cores[47]["end"] / 2
