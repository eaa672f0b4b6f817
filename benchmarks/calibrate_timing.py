# SPDX-License-Identifier: Apache-2.0
"""Compares modelled times with published measurements: python benchmarks/calibrate_timing.py.

Each point has a kernel in benchmarks/timing/ and the published time of the same work on the
hardware. --write puts the tables into docs/timing.md. --points P,B,D,C chooses points by the first
letter of their names; the points M-1, M-2, ... take minutes.
"""

from __future__ import annotations

import argparse
import math
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import cannery

ROOT = Path(__file__).resolve().parent
PAGE = ROOT.parent / "docs" / "timing.md"
SOC = "Ascend910B1"  # 24 AI cores at 1850 MHz, as published


Base = tuple[int, int, int]


@dataclass(frozen=True)
class Point:
    """Describes one published measurement."""

    name: str
    what: str
    kernel: str  #: FILE:KERNEL in benchmarks/timing
    blocks: int
    measured: float
    defines: dict[str, Any] = field(default_factory=dict)
    unit: str = "us"  #: "us" of the whole task, or "cycles" of each of its 1000 additions
    scale: int = 1  #: factor for the kernel's time, because the kernel computes only a part
    tiling: dict[str, int] = field(default_factory=dict)  #: TCubeTiling fields to replace
    stores: int = 0  #: published busy cycles of MTE3 for each store; 0: none are published


def add(
    name: str, what: str, blocks: int, tile: int, us: float, stores: int = 0, **more: Any
) -> Point:
    defines = {"TILE": tile, "SETS": 1, **more}
    scale = 256 if "SCALAR" in more else 1
    return Point(name, what, "add.cpp:add_tiles", blocks, us, defines, scale=scale, stores=stores)


def banks(name: str, what: str, cycles: float, places: tuple[int, int, int], **more: Any) -> Point:
    defines = dict(zip(("SRC0", "SRC1", "DST"), map(hex, places), strict=True))
    defines |= {"BLOCK0": 1, "REPEAT0": 8, **more}
    return Point(name, what, "banks.cpp:add_at", 1, cycles, defines, "cycles")


def load(
    name: str,
    what: str,
    blocks: int,
    us: float,
    matrix: tuple[int, int],
    tile: tuple[int, int],
    **more: Any,
) -> Point:
    names = ("ROWS", "COLUMNS", "TILE_ROWS", "TILE_COLUMNS")
    defines = dict(zip(names, matrix + tile, strict=True)) | {"TIMES": 1, "SLICES": 1} | more
    return Point(name, what, "load.cpp:load_tiles", blocks, us, defines)


def matmul(
    name: str, what: str, blocks: int, us: float, config: str, base: Base, **more: Any
) -> Point:
    """Returns the point of a Matmul of 8192 x 8192 x 8192. With one block, the kernel computes an
    eighth of the rows and of the columns.
    """
    scale = 64 if blocks == 1 else 1
    defines = {"CONFIG": config}
    tiling = {"baseM": base[0], "baseN": base[1], "baseK": base[2], **more}
    if config == "CFG_NORM":
        # MTE2 and MTE1 do not overlap in the publication, so L1 has one block of each operand.
        tiling |= {"depthA1": 1, "depthB1": 1, "stepKa": 1, "stepKb": 1}
    return Point(name, what, "matmul.cpp:multiply", blocks, us, defines, scale=scale, tiling=tiling)


BIG = (12288, 12288)
ODD = (12288, 12287)
POINTS = (
    add("P-1", "Add, 1 core, element by element", 1, 4096, 1239689.1, SCALAR=1),
    add("P-2", "Add, 1 core", 1, 4096, 6909.6, 295),
    add("P-3", "Add, 48 cores, one tile at a time", 48, 16384, 268.5, 1243, SERIAL=1),
    add("P-4", "Add, 48 cores, ping-pong, past L2", 48, 16384, 187.68, 3475, SETS=2, BYPASS=1),
    add("P-5", "Add, 48 cores, small tiles, one at a time", 48, 4096, 306.58, 294, SERIAL=1),
    banks("B-1", "operands apart", 86.0, (0x0, 0x10100, 0x20000)),
    banks("B-2", "sources in the same groups", 150.0, (0x0, 0x4000, 0x10000)),
    banks("B-4", "result in a source's bank", 86.0, (0x0, 0x10100, 0x4000)),
    banks("B-5", "result 32 B beside that", 135.0, (0x0, 0x10100, 0x4020)),
    banks("B-7", "one block a repeat", 129.0, (0x0, 0x10100, 0x10100), BLOCK0=0, REPEAT0=1),
    load("D1", "copies of 128 B", 48, 564.84, BIG, (1, 64)),
    load("D2", "copies of 64 x 128 B", 48, 233.54, BIG, (64, 64)),
    load("D3", "copies of 64 x 2 KiB", 48, 215.82, BIG, (64, 1024)),
    load("D5", "the same, matrix 4 times", 48, 828.06, BIG, (64, 1024), TIMES=4),
    load(
        "D6", "the same in 4 slices, 4 times each", 48, 365.74, BIG, (64, 1024), TIMES=4, SLICES=4
    ),
    load(
        "D7",
        "all cores the same lines, past L2",
        48,
        539.42,
        (6144, 512),
        (128, 64),
        EVERYTHING=1,
        BYPASS=1,
    ),
    load(
        "D8",
        "the same from different places",
        48,
        328.88,
        (6144, 512),
        (128, 64),
        EVERYTHING=1,
        BYPASS=1,
        ROTATE=1,
    ),
    load("C-3", "ND2NZ, rows of 128 B", 24, 300.7, BIG, (64, 64), ND2NZ=1),
    load("C-4", "ND2NZ, rows of 512 B", 24, 230.24, BIG, (64, 256), ND2NZ=1),
    load("C-5", "the same, odd pitch", 24, 438.76, ODD, (64, 256), ND2NZ=1),
    load("C-6", "ND2NZ, rows of 2 KiB, 4 times", 24, 899.34, BIG, (64, 1024), ND2NZ=1, TIMES=4),
    load(
        "C-7",
        "the same in 4 slices, 4 times each",
        24,
        414.96,
        BIG,
        (64, 1024),
        ND2NZ=1,
        TIMES=4,
        SLICES=4,
    ),
    load(
        "C-9",
        "all cores rows of 128 B, from different places, past L2",
        24,
        221.34,
        (6144, 512),
        (256, 64),
        ND2NZ=1,
        EVERYTHING=1,
        BYPASS=1,
        ROTATE=1,
    ),
    matmul("C-1", "Matmul, 1 core, base 64,64,64", 1, 759363.98, "CFG_NORM", (64, 64, 64)),
    matmul("C-2", "Matmul, 1 core, base 128,256,64", 1, 249467.08, "CFG_NORM", (128, 256, 64)),
    matmul("M-3", "Matmul, 24 cores, 4 x 6, Norm", 24, 12283.84, "CFG_NORM", (128, 256, 64)),
    matmul(
        "M-4",
        "the same, MDL, 2 steps of K of A a copy",
        24,
        5039.86,
        "CFG_MDL",
        (128, 256, 64),
        depthA1=4,
        stepKa=2,
        depthB1=8,
        stepKb=4,
    ),
    matmul(
        "M-5",
        "MDL, 8 steps of K a copy",
        24,
        4156.76,
        "CFG_MDL",
        (128, 256, 64),
        depthA1=16,
        stepKa=8,
        depthB1=8,
        stepKb=4,
    ),
)
#: Published measurements that were not used to choose the constants of the model.
HELD_OUT = (
    add("P-6", "Add, 48 cores, ping-pong", 48, 16384, 264.02, 1843, SETS=2),
    add("P-7", "the same past L2, operands apart", 48, 16256, 184.52, 2612, SETS=2, BYPASS=1),
    banks("B-3", "sources in the same groups, other banks", 150.0, (0x0, 0x10000, 0x14100)),
    banks("B-6", "result over a source", 86.0, (0x0, 0x10100, 0x10100)),
    banks("B-8", "one block a repeat, apart", 86.0, (0x0, 0x10100, 0x10100), BLOCK0=0, REPEAT0=8),
    load("D4", "copies of 64 x 2 KiB, odd pitch", 48, 275.3, ODD, (64, 1024)),
    load(
        "C-8",
        "ND2NZ, all cores the same lines, past L2",
        24,
        278.56,
        (6144, 512),
        (256, 64),
        ND2NZ=1,
        EVERYTHING=1,
        BYPASS=1,
    ),
)
#: Optimisations to compare: the description, the slower point and the faster point.
EFFECTS = (
    ("vector instead of scalar", "P-1", "P-2"),
    ("double buffer, L2 left to the output", "P-3", "P-4"),
    ("bank conflict of sources", "B-2", "B-1"),
    ("bank conflict of result and source", "B-5", "B-1"),
    ("bank conflict of one block", "B-7", "B-1"),
    ("larger tiles", "P-5", "P-3"),
    ("double buffer", "P-3", "P-6"),
    ("L2 left to the output", "P-6", "P-4"),
    ("operands apart", "P-4", "P-7"),
    ("copy of 128 KiB instead of 128 B", "D1", "D3"),
    ("rows of 2 KiB instead of 128 B", "D2", "D3"),
    ("aligned rows of 2 KiB", "D4", "D3"),
    ("second-level cache", "D5", "D6"),
    ("different addresses", "D7", "D8"),
    ("rows of 512 B instead of 128 B", "C-3", "C-4"),
    ("aligned rows", "C-5", "C-4"),
    ("second-level cache, ND2NZ", "C-6", "C-7"),
    ("different addresses, ND2NZ", "C-8", "C-9"),
    ("larger base block", "C-1", "C-2"),
    ("24 cores instead of 1", "C-2", "M-3"),
    ("MDL instead of Norm", "M-3", "M-4"),
    ("more steps of K in a copy", "M-4", "M-5"),
)


def arrays(point: Point) -> list[Any]:
    """Returns the kernel's arguments. Arrays of zeros need no memory until a kernel writes them."""
    if point.kernel.startswith("add"):
        elements = 8192 * 8192 // point.scale
        x, y, z = (np.zeros(elements, np.float16) for _ in range(3))
        return [x, y, z, elements]
    if point.kernel.startswith("banks"):
        return [np.zeros(8, np.float32)]
    if point.kernel.startswith("matmul"):
        n = 8192 // math.isqrt(point.scale)
        return [np.zeros(shape, np.float16) for shape in ((n, 8192), (n, 8192), (n, n))]
    rows, columns = point.defines["ROWS"], point.defines["COLUMNS"]
    return [np.zeros(rows * columns, np.float16)]


def tiling(point: Point) -> bytes:
    """Returns the tiling of a Matmul for 4 x 6 cores or one core; no bytes for other kernels."""
    if not point.tiling:
        return b""
    n = 8192 // math.isqrt(point.scale)
    share = (2048, 1536, 8192) if point.blocks > 1 else (n, n, 8192)
    found = cannery.matmul_tiling(
        *(n, n, 8192),
        c="float16",
        transpose_b=True,
        cores=point.blocks,
        single_shape=share if point.blocks > 1 else None,
        fix_split=[point.tiling[name] for name in ("baseM", "baseN", "baseK")],
    )
    for name, value in zip(("singleCoreM", "singleCoreN", "singleCoreK"), share, strict=True):
        found[name] = value
    for name, value in point.tiling.items():
        found[name] = value
    return found.tobytes()


def run(point: Point) -> tuple[float, cannery.profiling.Launch]:
    """Returns the modelled time in the point's unit, and the profiled launch."""
    file, name = point.kernel.split(":")
    defines = [f"{key}={value}" for key, value in point.defines.items()]
    kernel = cannery.load(ROOT / "timing" / file, defines)[name]
    values = arrays(point)
    with cannery.profile() as p:
        kernel(point.blocks, *values, tiling=tiling(point))
    (launch,) = p.launches
    if point.unit == "cycles":
        (adds,) = [each for each in launch.operations if each["opcode"] == "Add"]
        return adds["busy"] / 1024 / adds["count"], launch
    return launch.task_us * point.scale, launch


def store_cycles(launch: cannery.profiling.Launch) -> float:
    """Returns the cycles in which MTE3 is busy for each store."""
    stores = [each for each in launch.operations if each["pipe"] == "MTE3" and each["count"]]
    count = sum(each["count"] for each in stores if each["act"] == "copy")
    return sum(each["busy"] for each in stores) / 1024 / count


def rows(
    points: tuple[Point, ...], tell: Callable[[str], Any], stores: dict[str, float] | None = None
) -> Iterator[tuple[Point, float]]:
    """Yields the modelled time of each point; `stores` gets the modelled cycles of a store."""
    for point in points:
        modelled, launch = run(point)
        if point.stores and stores is not None:
            stores[point.name] = store_cycles(launch)
        busy = {
            k: {p: round(us, 1) for p, us in v.items() if us} for k, v in launch.busy_us.items()
        }
        tell(
            f"{point.name}: modelled {modelled:.1f}, measured {point.measured} {point.unit}, "
            f"ratio {modelled / point.measured:.3f}; core {launch.core_us:.1f} us, {busy}, "
            f"{launch.bound}, hit rate {launch.l2_hit_rate:.3f}\n"
        )
        yield point, modelled


def geometric_error(ratios: list[float]) -> float:
    return math.exp(sum(abs(math.log(ratio)) for ratio in ratios) / len(ratios))


def points_table(found: list[tuple[Point, float]]) -> list[str]:
    lines = ["| point | what | measured | modelled | ratio |", "|---|---|---|---|---|"]
    for point, modelled in found:
        unit = f" {point.unit}"
        lines.append(
            f"| {point.name} | {point.what} | {point.measured:g}{unit} | {modelled:.5g}{unit} "
            f"| {modelled / point.measured:.3f} |"
        )
    error = geometric_error([modelled / point.measured for point, modelled in found])
    return [*lines, "", f"Geometric mean of the errors: {error:.3f}.", ""]


def effects_table(found: list[tuple[Point, float]]) -> list[str]:
    times = {point.name: (point.measured, modelled) for point, modelled in found}
    lines = ["| effect | from | to | measured | modelled | ratio |", "|---|---|---|---|---|---|"]
    for what, slow, fast in EFFECTS:
        if slow in times and fast in times:
            measured = times[slow][0] / times[fast][0]
            modelled = times[slow][1] / times[fast][1]
            lines.append(
                f"| {what} | {slow} | {fast} | {measured:.3g} x | {modelled:.3g} x "
                f"| {modelled / measured:.3f} |"
            )
    return lines


def stores_table(stores: dict[str, float]) -> list[str]:
    lines = ["Busy cycles of MTE3 for each store of the vector addition:", ""]
    lines += [
        "| point | bytes | cores | measured | modelled | ratio |",
        "|---|---|---|---|---|---|",
    ]
    for point in POINTS + HELD_OUT:
        if point.name in stores:
            cycles = stores[point.name]
            size = f"{2 * point.defines['TILE']} | {point.blocks} | {point.stores}"
            lines.append(f"| {point.name} | {size} | {cycles:.0f} | {cycles / point.stores:.3f} |")
    return [*lines, ""] if stores else []


def tables(found: list[tuple[Point, float]], stores: dict[str, float]) -> str:
    lines = []
    used = [each for each in found if each[0] not in HELD_OUT]
    held = [each for each in found if each[0] in HELD_OUT]
    if used:
        lines += points_table(used)
    if held:
        lines += ["These measurements of the same samples did not set any number of the model:", ""]
        lines += points_table(held)
    return "\n".join(lines + stores_table(stores) + effects_table(found))


def write(text: str) -> None:
    begin, end = "<!-- calibration: begin -->", "<!-- calibration: end -->"
    page = PAGE.read_text(encoding="utf-8")
    pattern = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.DOTALL)
    if not pattern.search(page):
        raise SystemExit(f"{PAGE} has no place for the tables")
    tables = f"{begin}\n\n{text}\n\n{end}"
    PAGE.write_text(pattern.sub(lambda _: tables, page), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", help="letters, e.g. P,B; or names; default: all")
    parser.add_argument("--write", action="store_true", help="into docs/timing.md")
    options = parser.parse_args()
    wanted = None if options.points is None else options.points.split(",")
    chosen = tuple(
        point
        for point in POINTS + HELD_OUT
        if wanted is None or point.name in wanted or point.name[0] in wanted
    )
    stores: dict[str, float] = {}
    with cannery.use(soc=SOC):
        found = list(rows(chosen, sys.stderr.write, stores))
    text = tables(found, stores)
    sys.stdout.write(text + "\n")
    if options.write:
        write(text)


if __name__ == "__main__":
    main()
