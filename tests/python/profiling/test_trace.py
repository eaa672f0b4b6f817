# SPDX-License-Identifier: Apache-2.0
"""Chrome traces of launches must follow the format and agree with the model."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cannery
from cannery import cases
from cannery.profiling import Launch, trace
from cannery.profiling.tracks import Tracks, choose

from ..selection import rest_slow
from . import pictures

pytestmark = pytest.mark.twin_only("a card is measured, not modelled")

Event = dict[str, Any]


@pytest.fixture(scope="module")
def launch(shared_cache: Path) -> Launch:
    with cannery.use(cache_dir=shared_cache):
        return pictures.profiled(cannery.compile_kernel(pictures.SOURCE, "twice"))


@pytest.fixture(scope="module")
def mixed() -> Launch:
    """Returns a launch in which cube and vector cores wait for each other."""
    workloads = cases.find("grouped_matmul_finalize_routing")
    prepared = workloads.prepare(workloads.case("small", workloads.dtypes[0]), 0)
    with cannery.profile() as p:
        prepared.call()
    return p.launches[0]


@pytest.fixture(params=rest_slow(["launch", "mixed"]))
def any_launch(request: pytest.FixtureRequest) -> Launch:
    found: Launch = request.getfixturevalue(request.param)
    return found


def events(launch: Launch, tmp_path: Path, all_cores: bool | None = None) -> list[Event]:
    file = tmp_path / "trace.json"
    launch.trace(file, all_cores=all_cores)
    found: list[Event] = json.loads(file.read_text())["traceEvents"]
    return found


def ns(us: float) -> int:
    """Converts to ns, and checks that the time is a whole number of ns."""
    assert abs(us * 1000 - round(us * 1000)) < 1e-3
    return round(us * 1000)


def tracks(found: list[Event]) -> dict[tuple[int, int], list[Event]]:
    by_track = defaultdict(list)
    for event in found:
        if event["ph"] == "X":
            by_track[event["pid"], event["tid"]].append(event)
    return by_track


def names(found: list[Event], what: str) -> dict[tuple[int, int], str]:
    return {(e["pid"], e["tid"]): e["args"]["name"] for e in found if e["name"] == what}


def test_a_track_for_each_core_and_pipe(any_launch: Launch, tmp_path: Path) -> None:
    found = events(any_launch, tmp_path)
    threads = names(found, "thread_name")
    processes = {pid: name for (pid, _), name in names(found, "process_name").items()}
    want = {(f"core {each.core}", each.pipe) for each in any_launch.instructions}
    drawn = {(processes[pid], threads[pid, tid]) for pid, tid in tracks(found)}
    assert drawn == want | {(core, "S") for core, _ in want}  # the scalar unit issues instructions
    assert len(threads) == len(set(threads)) == len(drawn)
    assert len({tid for _, tid in threads}) == len(threads)


def test_sorted(any_launch: Launch, tmp_path: Path) -> None:
    timed = [event for event in events(any_launch, tmp_path) if event["ph"] != "M"]
    times = [ns(event["ts"]) for event in timed]
    assert times == sorted(times)
    assert times[0] >= 0
    assert times[-1] <= any_launch.task_us * 1000 + 1


def test_slices_of_a_track_never_overlap(any_launch: Launch, tmp_path: Path) -> None:
    found = events(any_launch, tmp_path)
    slices = 0
    for track in tracks(found).values():
        end = 0
        for event in track:
            assert ns(event["ts"]) >= end, event
            assert event["dur"] >= 0
            end = ns(event["ts"]) + ns(event["dur"])
        slices += sum(event["cat"] not in ("issue", "start") for event in track)
    assert slices == len(any_launch.instructions)


def test_slices_say_what_they_are(launch: Launch, tmp_path: Path) -> None:
    found = [event for event in events(launch, tmp_path) if event["ph"] == "X"]
    loads = [event for event in found if event["name"] == "DataCopy" and event["tid"] % 16 == 4]
    assert len(loads) == 4 * pictures.TILES * pictures.TILE_BYTES // pictures.COPY
    assert {event["args"]["bytes"] for event in loads} == {pictures.COPY}
    line = pictures.SOURCE.splitlines().index(
        next(text for text in pictures.SOURCE.splitlines() if "// load" in text)
    )
    assert {event["args"]["file:line"].rpartition(":")[2] for event in loads} == {str(line + 1)}
    assert loads[0]["args"]["operands"].startswith("write UB+0x00000 2048 B [queue 0 buffer 0]; ")
    # Every byte of the argument is loaded once, so all addresses in GM are different.
    places = {event["args"]["operands"].rpartition("read ")[2] for event in loads}
    assert len(places) == len(loads)
    assert all("+0x" in place for place in places)
    adds = [event["args"] for event in found if event["name"] == "Add"]
    busy = sum(each.cycles for each in launch.instructions if each.opcode == "Add")
    assert sum(each["cycles"] for each in adds) == pytest.approx(busy)
    assert {each["waits_for"] for each in adds} <= {"", "issue", "pipe", "MTE2_V", "MTE3_V"}
    assert {each["dtype"] for each in adds} == {"float"}


def inside(event: Event, track: list[Event], kinds: set[str]) -> bool:
    return any(
        ns(each["ts"]) <= ns(event["ts"]) <= ns(each["ts"]) + ns(each["dur"])
        and each["cat"] in kinds
        for each in track
    )


def arrows(found: list[Event]) -> Iterator[tuple[Event, Event]]:
    starts = {event["id"]: event for event in found if event["ph"] == "s"}
    ends = {event["id"]: event for event in found if event["ph"] == "f"}
    assert starts.keys() == ends.keys()
    assert len(starts) == sum(event["ph"] == "s" for event in found)
    for number, start in starts.items():
        yield start, ends[number]


def test_arrows_lead_from_sets_to_waits(any_launch: Launch, tmp_path: Path) -> None:
    found = events(any_launch, tmp_path, all_cores=False)
    by_track = tracks(found)
    count = 0
    for start, end in arrows(found):
        assert ns(end["ts"]) >= ns(start["ts"])
        assert end["bp"] == "e"
        assert inside(start, by_track[start["pid"], start["tid"]], {"set", "cross set"}), start
        assert inside(end, by_track[end["pid"], end["tid"]], {"wait", "cross wait"}), end
        count += 1
    assert count > 0


def test_each_wait_has_its_set(any_launch: Launch) -> None:
    """Each wait has its own SetFlag, and no wait ends before this SetFlag starts."""
    found = Tracks(any_launch)
    sets, waits = found.flows.T
    assert len(set(sets[found.is_act("set")[sets]])) == found.is_act("set")[sets].sum()
    assert sorted(waits) == np.flatnonzero(found.is_act("wait", "cross wait")).tolist()
    rows = any_launch.instructions.rows
    ends = rows["start"][waits] + rows["ticks"][waits]
    assert (rows["start"][sets] <= ends).all()
    events_of = [any_launch.operations[i]["event"] for i in rows["operation"]]
    assert all(events_of[a] == events_of[b] for a, b in zip(sets, waits, strict=True))


def test_arrows_between_cores(mixed: Launch) -> None:
    sets, waits = Tracks(mixed).flows.T
    rows = mixed.instructions.rows
    blocks = np.array([core["block"] for core in mixed.cores])
    modes = np.array([each["mode"] for each in mixed.operations])[rows["operation"][sets]]
    assert {1, 2} & set(modes.tolist())
    within = modes > 0  # modes 1 and 2 stay in a block; mode 0 includes all cores of a kind
    assert (blocks[rows["core"][sets[within]]] == blocks[rows["core"][waits[within]]]).all()
    kinds = np.array([core["kind"] for core in mixed.cores])
    other = kinds[rows["core"][sets]] != kinds[rows["core"][waits]]
    assert (other == (modes == 2)).all()


def test_counters_sum_to_the_bytes(any_launch: Launch, tmp_path: Path) -> None:
    found = events(any_launch, tmp_path, all_cores=False)
    rates = [event for event in found if event["ph"] == "C" and event["name"] == "GM"]
    assert rates[-1]["args"] == {"loads GB/s": 0, "stores GB/s": 0}
    moved = 0.0
    for event, after in pairwise(rates):
        moved += sum(event["args"].values()) * (ns(after["ts"]) - ns(event["ts"]))
    assert moved == pytest.approx(any_launch.gm_bytes, rel=1e-9)


def test_use_of_ub(launch: Launch, tmp_path: Path) -> None:
    """At most two tiles of x and two of the result are in UB at once; at the end, none."""
    found = events(launch, tmp_path)
    used = [event for event in found if event["ph"] == "C" and event["name"] == "UB in use"]
    by_core = defaultdict(list)
    for event in used:
        by_core[event["pid"]].append(event["args"]["bytes"])
    assert len(by_core) == 4
    for levels in by_core.values():
        assert levels[-1] == 0
        assert 2 * pictures.TILE_BYTES <= max(levels) <= 4 * pictures.TILE_BYTES


@pytest.mark.slow
def test_some_cores_stand_for_all(mixed: Launch, tmp_path: Path) -> None:
    left_out = mixed.trace(tmp_path / "some.json", all_cores=False)
    chosen = choose(mixed)
    assert [each.role for each in chosen] == ["slowest", "median", "fastest"]
    assert left_out.startswith(f"{len(mixed.cores) - 9} of {len(mixed.cores)} cores are left out")
    document = json.loads((tmp_path / "some.json").read_text())
    assert document["otherData"]["left_out"] == left_out
    assert len({pid for pid, _ in tracks(document["traceEvents"])}) == 9
    assert mixed.trace(tmp_path / "all.json") == ""
    took = [max(mixed.cores[i]["end"] for i in each.cores) for each in chosen]
    assert took[0] >= took[2]


@pytest.mark.parametrize("most", [1, 7, 20])
def test_the_limit_holds_for_a_single_core(
    shared_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    """A trace that leaves out the end names a time. Before this time, it has all slices."""
    with cannery.use(cache_dir=shared_cache):
        launch = pictures.profiled(cannery.compile_kernel(pictures.SOURCE, "twice"), 1)

    def slices(found: list[Event]) -> list[Event]:
        return [
            event
            for event in found
            if event["ph"] == "X" and event["cat"] not in ("issue", "start")
        ]

    whole = slices(events(launch, tmp_path))
    monkeypatch.setattr(trace, "MOST_ROWS", most)
    left_out = launch.trace(tmp_path / "cut.json")
    document = json.loads((tmp_path / "cut.json").read_text())
    said = re.fullmatch(
        r"instructions that begin after the first ([0-9.]+) us are left out: "
        r"(\d+) of (\d+) instructions are here",
        left_out,
    )
    assert said
    assert document["otherData"]["left_out"] == left_out
    until = float(said[1])
    cut = slices(document["traceEvents"])
    assert cut == [event for event in whole if event["ts"] < until]
    assert len(cut) == int(said[2]) <= most < int(said[3]) == len(whole)
    timed = [event for event in document["traceEvents"] if event["ph"] in "Xsf"]
    assert all(event["ts"] < until for event in timed if event["ph"] == "X")
    ends = [[event["id"] for event in timed if event["ph"] == phase] for phase in "sf"]
    assert sorted(ends[0]) == sorted(ends[1])
    assert launch.trace(tmp_path / "all.json", all_cores=True) == ""


@pytest.mark.parametrize(("blocks", "roles"), [(1, ["only"]), (2, ["slowest", "fastest"])])
def test_few_blocks(shared_cache: Path, blocks: int, roles: list[str]) -> None:
    with cannery.use(cache_dir=shared_cache):
        kernel = cannery.compile_kernel(pictures.SOURCE, "twice")
    assert [each.role for each in choose(pictures.profiled(kernel, blocks))] == roles


def test_saved_profiles_have_traces_too(launch: Launch, tmp_path: Path) -> None:
    cannery.profiling.Profile([launch]).save(tmp_path / "one")
    (again,) = cannery.load_profile(tmp_path / "one").launches
    again.trace(tmp_path / "again.json")
    launch.trace(tmp_path / "first.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "first.json").read_bytes()


def test_nothing_to_draw(shared_cache: Path, tmp_path: Path) -> None:
    source = 'extern "C" __global__ __aicore__ void idle(GM_ADDR x) {}\n'
    with cannery.use(cache_dir=shared_cache):
        kernel = cannery.compile_kernel('#include "kernel_operator.h"\n' + source, "idle")
    with cannery.profile() as p:
        kernel(2, np.zeros(8, np.float32))
    found = events(p.launches[0], tmp_path)
    (first, second) = tracks(found).values()
    assert {event["name"] for event in first + second} == {"start: core", "start: blocks"}
    p.launches[0].html(tmp_path / "page.html")
    assert "No instruction took time." in (tmp_path / "page.html").read_text("utf-8")


def test_paths_that_cannot_be_written(launch: Launch, tmp_path: Path) -> None:
    for write in (launch.trace, launch.html):
        with pytest.raises(cannery.CanneryError, match="cannot be written"):
            write(tmp_path)
        with pytest.raises(cannery.CanneryError, match="a file in a folder that exists"):
            write(tmp_path / "missing" / "file")
