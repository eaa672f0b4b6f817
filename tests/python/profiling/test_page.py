# SPDX-License-Identifier: Apache-2.0
"""Tests the pages of launches: their contents, and that no name or source can break them."""

from __future__ import annotations

import json
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cannery
from cannery import cases
from cannery.profiling import Launch
from cannery.profiling.copies import Copies, copies_of
from cannery.profiling.page import render
from cannery.profiling.waits import Waits

from . import pictures

pytestmark = pytest.mark.twin_only("a card is measured, not modelled")

VOID = {"meta", "br", "line", "circle", "path"}


class Page(HTMLParser):
    """Parses a page, and fails if its elements are not properly nested."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.data: dict[str, Any] = {}
        self._json = False
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._json = dict(attrs).get("id") == "data"
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._json:
            self.data = json.loads(data)
            self._json = False
        elif not self.open or self.open[-1] not in ("script", "style"):
            self.texts.append(data)

    @property
    def text(self) -> str:
        return re.sub(r"\s+", " ", " ".join(self.texts))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns a folder with the source file of a kernel. The folder is outside of the cache."""
    made = tmp_path_factory.mktemp("kernel")
    (made / "twice.cpp").write_text(pictures.SOURCE)
    return made


@pytest.fixture(scope="module")
def launch(folder: Path, shared_cache: Path) -> Launch:
    with cannery.use(cache_dir=shared_cache):
        return pictures.profiled(cannery.compile_kernel(folder / "twice.cpp", "twice"))


def small(op: str) -> Launch:
    workloads = cases.find(op)
    prepared = workloads.prepare(workloads.case("small", workloads.dtypes[0]), 0)
    with cannery.profile() as p:
        prepared.call()
    return p.launches[0]


def test_what_is_on_it(launch: Launch, tmp_path: Path) -> None:
    launch.html(tmp_path / "page.html")
    page = Page((tmp_path / "page.html").read_text("utf-8"))
    for heading in (
        "What to do first",
        "Timeline",
        "How far from the best",
        "Hottest source lines",
    ):
        assert heading in page.text
    assert "modelled" in page.text
    assert f"{launch.task_us:.2f} µs modelled" in page.text
    assert launch.advice.do in page.text
    for pipe in ("S", "V", "MTE2", "MTE3"):
        assert any(attrs.get("class") == f"p-{pipe}" for _, attrs in page.tags)
    assert "DataCopy(to[i * kTile], b, kTile); // store" in page.text
    assert any(tag == "canvas" for tag, _ in page.tags)
    assert any(tag == "circle" for tag, _ in page.tags)  # the point of the launch in the roofline


def test_it_needs_nothing_else(launch: Launch) -> None:
    text = render(launch)
    page = Page(text)
    for tag, attrs in page.tags:
        assert tag not in ("link", "img", "iframe", "object"), tag
        assert "src" not in attrs
        assert "href" not in attrs
    assert not re.search(r"https?://|//[a-z]+\.[a-z]|@import|url\(|\bfetch\(|XMLHttp", text)


def test_timeline_has_every_instruction(launch: Launch) -> None:
    """The timeline has every instruction of the three cores that are shown."""
    data = Page(render(launch)).data
    assert [core["role"] for core in data["cores"]] == ["slowest", "median", "fastest"]
    slices = sum(len(track["took"]) for core in data["cores"] for track in core["tracks"])
    shown = {core["name"] for core in data["cores"]}
    assert slices == sum(each.core in shown for each in launch.instructions)
    for core in data["cores"]:
        for track in core["tracks"]:
            assert all(gap >= 0 for gap in track["gap"])
            assert all(took >= 0 for took in track["took"])
            assert sum(track["gap"]) + sum(track["took"]) <= launch.task_us * 1000
            assert len(track["at"]) == sum(
                len(data["operations"][number][8]) - 1 for number in track["op"]
            )
    assert max(data["arrows"]) < slices
    moved = sum(data["gm"]["loads"]) + sum(data["gm"]["stores"])
    assert moved == launch.gm_bytes


def test_fewer_slices_on_request(launch: Launch) -> None:
    full, few = (Page(render(launch, most=most)).data for most in (10**6, 300))
    for data in (full, few):
        tracks = [track for core in data["cores"] for track in core["tracks"]]
        counts = [sum(track.get("count", [1] * len(track["took"]))) for track in tracks]
        ends = [sum(track["gap"]) + sum(track["took"]) for track in tracks]
        if data is full:
            want = (counts, ends)
        else:
            assert (counts, ends) == want
            assert sum(len(track["took"]) for track in tracks) <= 300
            assert data["step"] > 0
            assert all(0 <= busy <= 100 for track in tracks for busy in track["busy"])


def test_nothing_in_names_or_sources_breaks_it(launch: Launch) -> None:
    evil = "</script><script>boom()</script><img src=x onerror=boom()>\u2028'\"&{{ 7 * 7 }}"
    header = json.loads(json.dumps(launch.header))
    header["kernel"] = evil
    operations = json.loads(json.dumps(launch.operations))
    for each in operations:
        each["opcode"] += evil
        each["call"] = evil
    header["gm"][0][0] = evil
    words = json.dumps(operations).encode()
    text = render(
        Launch(header, words, launch.instructions.rows, launch.addresses, launch.scalar_work)
    )
    assert text.count("<script") == 2
    assert text.count("</script>") == 2
    assert "<img" not in text
    page = Page(text)
    assert "{{ 7 * 7 }}" in page.text
    assert evil in page.data["operations"][0][0]
    assert "// load </script><script>boom()</script>" in page.text  # the source's text


def test_sources_that_are_gone(launch: Launch, folder: Path) -> None:
    moved = folder.with_name("moved")
    assert not Page(render(launch)).text.count("Not there any more")
    shutil.move(folder, moved)
    try:
        text = Page(render(launch)).text
    finally:
        shutil.move(moved, folder)
    assert f"Not there any more, or not to be read: {folder / 'twice.cpp'}" in text
    assert "// store" not in text
    assert "DataCopy" in text  # the table of lines still has their costs


def test_a_source_that_has_become_shorter(launch: Launch, folder: Path) -> None:
    source = (folder / "twice.cpp").read_text()
    (folder / "twice.cpp").write_text("short\n")
    try:
        Page(render(launch))
    finally:
        (folder / "twice.cpp").write_text(source)


@pytest.mark.parametrize("op", cases.names())
def test_operators(op: str) -> None:
    launch = small(op)
    page = Page(render(launch))
    assert launch.advice.what in page.text
    assert page.data["cores"]


def shares(launch: Launch) -> None:
    """Checks that the times in which a pipe works and waits do not exceed its core's time."""
    waits = Waits(launch)
    for kind, busy in launch.busy_us.items():
        cores = [core for core in launch.cores if core["kind"] == kind]
        whole = launch.us(sum(core["end"] - core["start"] for core in cores)) / len(cores)
        for pipe, us in busy.items():
            if pipe != "S":  # the scalar unit issues instructions while it waits
                assert us + sum(wait.us for wait in waits.of(kind, pipe)) <= whole * 1.0001


def test_waits_and_work_fit_into_the_time(launch: Launch) -> None:
    shares(launch)
    shares(small("grouped_matmul_finalize_routing"))


def test_longer_copies_are_what_the_model_gives(shared_cache: Path) -> None:
    """The time that the advice predicts is the time of a kernel that follows the advice."""
    found = {}
    for size in (512, 16384):
        with cannery.use(cache_dir=shared_cache):
            kernel = cannery.compile_kernel(
                pictures.SOURCE, "twice", defines={"COPY_BYTES": str(size)}
            )
        found[size] = pictures.profiled(kernel, 8)
    copies = copies_of(found[512], "AIV", True)
    assert isinstance(copies, Copies)
    assert copies.mean_bytes == copies.row_bytes == 512
    assert copies.us_now() == pytest.approx(found[512].busy_us["AIV"]["MTE2"], rel=0.15)
    assert copies.us_with(16384) == pytest.approx(found[16384].busy_us["AIV"]["MTE2"], rel=0.15)
    assert copies.us_now() > 1.2 * copies.us_with(16384)
    assert "Make the loads longer: copies of 512 B on average." in found[512].advice.do
    assert "longer" not in found[16384].advice.do


def test_a_launch_that_is_too_small() -> None:
    with cannery.profile() as p:
        cannery.swi_glu_grad(np.ones((1, 32), np.float16), np.ones((1, 64), np.float16))
    (launch,) = p.launches
    assert launch.bound.resource == "start-up"
    assert launch.advice.what.startswith("Start-up-bound")
    assert "two of these in one launch" in launch.advice.do
