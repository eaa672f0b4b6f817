# SPDX-License-Identifier: Apache-2.0
"""Collects the contents of a launch's HTML page: figures, advice, bars, source lines, timeline."""

from __future__ import annotations

import math
from dataclasses import asdict
from pathlib import Path
from typing import Any

from cannery.profiling.advice import advise
from cannery.profiling.bound import range_of
from cannery.profiling.page_html import PageData, render_page
from cannery.profiling.slices import Slices
from cannery.profiling.sources import Sources
from cannery.profiling.startup import TERMS
from cannery.profiling.times import PIPES, LaunchTimes
from cannery.profiling.tracks import choose
from cannery.profiling.waits import Waits

__all__ = ["MOST_SLICES", "page_data", "render"]

MOST_SLICES = 30_000
_HOTTEST = 16


def page_data(
    launch: LaunchTimes, *, most: int = MOST_SLICES, root: Path | None = None
) -> PageData:
    """Returns the contents of a launch's page as JSON data; `render_page` makes the page from it.

    most: if the timeline has more slices than this, short neighbours are merged.
    root: sources below this folder are named relative to it.
    """
    sources = Sources(launch, root, _HOTTEST)
    chosen = choose(launch)
    timeline = Slices(launch, chosen, most).data()
    for operation in timeline["operations"]:
        operation[6] = sources.name(operation[6])
    timeline["mhz"] = launch.header["soc"]["mhz"]
    timeline["task"] = launch.task_us * 1e3
    timeline["sources"] = sources.digests()
    data = {
        "launch": _figures(launch),
        "advice": asdict(advise(launch)),
        "cores": len(launch.cores),
        "kinds": _kinds(launch),
        "roofline": _roofline(launch),
        "files": [asdict(file) for file in sources.files],
        "missing": sources.missing,
        "roles": [each.role for each in chosen],
        "timeline": timeline,
    }
    return data if root is None else _renamed(data, sources)


def _renamed(data: Any, sources: Sources) -> Any:
    """Returns the data with file names relative to the root, because the recorded names depend on
    the folder of the build.
    """
    if isinstance(data, dict):
        return {
            key: sources.name(part) if key == "file" else _renamed(part, sources)
            for key, part in data.items()
        }
    return [_renamed(part, sources) for part in data] if isinstance(data, list) else data


def render(launch: LaunchTimes, *, most: int = MOST_SLICES, root: Path | None = None) -> str:
    """Returns the HTML text of a launch's page; the arguments are those of `page_data`."""
    return render_page(page_data(launch, most=most, root=root))


def _figures(launch: LaunchTimes) -> dict[str, Any]:
    """Returns the figures of the whole launch that the page shows."""
    names = ("kernel", "soc", "block_dim", "warm", "task_us", "core_us", "hbm_bytes", "gm_bytes")
    more = ("l2_hit_rate", "bank_conflicts", "estimated", "formulas", "uncounted")
    return {
        **{name: getattr(launch, name) for name in (*names, *more)},
        "instructions": launch.instruction_count,
        "left_out": launch.left_out,
        "task_us_range": list(range_of(launch)),
        "startup": [[term, TERMS[term], us] for term, us in launch.startup_us.items()],
        "without": list(launch.without),
        "model": launch.header["model"],
        "roofline": asdict(launch.roofline),
    }


def _kinds(launch: LaunchTimes) -> list[dict[str, Any]]:
    """Returns the bars: for each kind of core and each pipe, the busy time and the waiting times,
    as shares of the cores' time.
    """
    waits = Waits(launch)
    kinds = []
    for kind, busy in launch.busy_us.items():
        cores = [core for core in launch.cores if core["kind"] == kind]
        whole = launch.us(sum(core["end"] - core["start"] for core in cores)) / len(cores)
        bars = []
        for pipe in PIPES:
            if busy[pipe] == 0:
                continue
            found = [asdict(wait) for wait in waits.of(kind, pipe) if wait.share >= 0.005]
            share = busy[pipe] / whole if whole else 0.0
            bars.append({"pipe": pipe, "us": busy[pipe], "share": min(1.0, share), "waits": found})
        kinds.append({"name": kind, "cores": len(cores), "us": whole, "bars": bars})
    return kinds


def _roofline(launch: LaunchTimes) -> dict[str, Any] | None:
    """Returns coordinates for the roofline diagram; None without bytes or without arithmetic. x is
    the arithmetic per byte; at 1, arithmetic and bytes take equally long. y is the share of the
    arithmetic that all cores could do.
    """
    roof = launch.roofline
    if not roof.bytes_us or not roof.arithmetic_us:
        return None
    x, y = roof.arithmetic_us / roof.bytes_us, roof.arithmetic_us / launch.task_us
    low = min(-2.0, math.floor(math.log10(x) - 0.3))
    high = max(2.0, math.ceil(math.log10(x) + 0.3))
    bottom = min(-2.0, math.floor(math.log10(y) - 0.2))
    left, right, top, base = 64.0, 520.0, 26.0, 250.0

    def across(value: float) -> float:
        return round(left + (value - low) / (high - low) * (right - left), 1)

    def up(value: float) -> float:
        return round(base - (value - bottom) / -bottom * (base - top), 1)

    begin = max(low, bottom)
    return {
        "roof": f"M{across(begin)},{up(begin)} L{across(0)},{up(0)} L{right},{up(0)}",
        "ridge": across(0),
        "x": across(math.log10(x)),
        "y": up(math.log10(y)),
        "limit": up(min(0.0, math.log10(x))),
        "across": [(across(n), f"{10.0**n:g}") for n in range(int(low), int(high) + 1)],
        "up": [(up(n), f"{100 * 10.0**n:g} %") for n in range(int(bottom), 1)],
        "box": (left, top, right, base),
        "late": across(math.log10(x)) > 350,
        "by": "arithmetic" if x > 1 else "bytes of HBM",
    }
