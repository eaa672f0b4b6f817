# SPDX-License-Identifier: Apache-2.0
"""A launch as a page of its own, without anything from a network."""

from __future__ import annotations

import json
import math
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jinja2
from markupsafe import Markup

from cannery.profiling.launch import PIPES
from cannery.profiling.slices import Slices
from cannery.profiling.sources import Sources
from cannery.profiling.tracks import choose
from cannery.profiling.waits import Waits

if TYPE_CHECKING:
    from cannery.profiling.launch import Launch

__all__ = ["MOST_SLICES", "render"]

MOST_SLICES = 30_000
_TEMPLATES = Path(__file__).with_name("templates")
_HOTTEST = 16

#: For somebody who has never seen one.
_PIPES = {
    "S": "scalar unit: loops, indices, and putting instructions into the queues of the others",
    "V": "vector unit",
    "M": "cube unit: matrix products",
    "MTE1": "copies from L1 into L0, for the cube unit",
    "MTE2": "copies from global memory (GM) into the core",
    "MTE3": "copies from the core to global memory (GM)",
    "FIX": "copies of products out of L0C",
}


def render(launch: Launch, *, most: int = MOST_SLICES, root: Path | None = None) -> str:
    """The page's text.

    most: slices of the timeline beyond which short neighbours are drawn as one.
    root: sources below it are named from there on.
    """
    sources = Sources(launch, root, _HOTTEST)
    chosen = choose(launch)
    data = Slices(launch, chosen, most).data()
    for operation in data["operations"]:
        operation[6] = sources.name(operation[6])
    data["mhz"] = launch.header["soc"]["mhz"]
    data["task"] = launch.task_us * 1e3
    data["sources"] = sources.digests()
    return str(
        _template().render(
            launch=launch,
            advice=launch.advice,
            cores=len(launch.cores),
            kinds=_kinds(launch),
            pipes=_PIPES,
            roofline=_roofline(launch),
            files=sources.files,
            missing=sources.missing,
            step=data["step"],
            roles=[each.role for each in chosen],
            style=Markup((_TEMPLATES / "page.css").read_text("utf-8")),  # noqa: S704
            script=Markup((_TEMPLATES / "page.js").read_text("utf-8")),  # noqa: S704
            data=_script_json(data),
        )
    )


@cache
def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["size"] = _size
    environment.filters["us"] = _us
    environment.filters["percent"] = lambda share: f"{100 * share:.0f} %"
    return environment.get_template("page.html.jinja")


def _script_json(data: Any) -> Markup:
    """Nothing in it can end the element that it stands in."""
    text = json.dumps(data, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)  # noqa: S704


def _kinds(launch: Launch) -> list[dict[str, Any]]:
    """Bars: by kind and pipe what it works and what it waits for, over its cores' time."""
    waits = Waits(launch)
    kinds = []
    for kind, busy in launch.busy_us.items():
        cores = [core for core in launch.cores if core["kind"] == kind]
        whole = launch.us(sum(core["end"] - core["start"] for core in cores)) / len(cores)
        bars = []
        for pipe in PIPES:
            if busy[pipe] == 0:
                continue
            found = [wait for wait in waits.of(kind, pipe) if wait.share >= 0.005]
            share = busy[pipe] / whole if whole else 0.0
            bars.append({"pipe": pipe, "us": busy[pipe], "share": min(1.0, share), "waits": found})
        kinds.append({"name": kind, "cores": len(cores), "us": whole, "bars": bars})
    return kinds


def _roofline(launch: Launch) -> dict[str, Any] | None:
    """Where the launch stands: across, arithmetic for each byte, 1 where both take as long; up,
    the share of the arithmetic that the cores could do. None without one of the two.
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


def _size(number: float) -> str:
    for unit in ("B", "KiB", "MiB"):
        if abs(number) < 1024:
            return f"{number:.3g} {unit}"
        number /= 1024
    return f"{number:.3g} GiB"


def _us(us: float) -> str:
    return f"{us:.2f}" if us < 100 else f"{us:.0f}"
