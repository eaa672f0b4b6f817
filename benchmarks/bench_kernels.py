# SPDX-License-Identifier: Apache-2.0
"""Ranks the kernels of the five operators by modelled time and roofline.

    .venv/bin/python benchmarks/bench_kernels.py [OP ...] [--kind medium] [--check] [--write]

For each launch of the grid (benchmarks/kernels/grid.py) it prints the modelled time, the roofline
and their ratio, the time divided by the kept time ("change"), what is busiest, the bytes of HBM and
GM divided by the ideal, the mean bytes of a copy, the vector cycles per 64 output elements, and the
balance of the cores. docs/performance.md explains these terms. --write keeps the figures in
benchmarks/kernels.json and writes the tables and the picture of docs/performance.md. --check ends
with an error if a launch is slower than the kept figures by more than 3 %.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from kernels.grid import AWKWARD, KINDS, Entry, entries
from kernels.page import write_page
from kernels.roofline import ideal

import cannery
from cannery import cases
from cannery.profiling import Launch
from cannery.profiling.times import TICKS

TABLE = Path(__file__).with_name("kernels.json")
SOC = "Ascend910B2"
SLOWER = 1.03  # a launch is slower if its time divided by the kept time is larger
GOALS = {"medium": 1.25, "large": 1.1, AWKWARD: 2.0}  # ratios to the roofline

Figures = dict[str, Any]

_EMPTY = """
#include "kernel_operator.h"
extern "C" __global__ __aicore__ void empty(GM_ADDR x) { KERNEL_TASK_TYPE_DEFAULT(%s); }
"""


@cache
def empty_us(kernel_type: str, blocks: int) -> float:
    """Returns the modelled microseconds of a kernel that does nothing."""
    kernel = cannery.compile_kernel(_EMPTY % kernel_type, "empty")
    with cannery.use(soc=SOC), cannery.profile() as p:
        kernel(blocks, np.zeros(8, np.int32))
    return float(p.launches[0].task_us)


def measure(entry: Entry) -> Figures:
    """Returns the figures of one launch."""
    run = entry.prepare()
    with cannery.use(soc=SOC), cannery.profile(keep=1) as p:
        results = run.call()
    outputs = [each for each in results.values() if each is not None]
    written = sum(each.nbytes for each in outputs)
    (launch,) = p.launches
    bound = ideal(entry.op, run, written, launch.header["soc"])
    return {
        "kind": entry.kind,
        "us": round(launch.task_us, 3),
        "ideal_us": round(bound.us, 6),
        "ideal_term": bound.term,
        "terms": {name: round(term, 3) for name, term in bound.terms.items()},
        "empty_us": round(empty_us(launch.kernel_type, launch.block_dim), 3),
        "binds": launch.bound.resource,
        "share": round(launch.bound.share, 3),
        "hbm": round(launch.hbm_bytes / bound.bytes, 3),
        "gm": round(launch.gm_bytes / run.ideal_bytes, 3),
        "bytes": int(run.ideal_bytes),
        "copy_bytes": round(launch.gm_bytes / max(1, _copies(launch))),
        "vector": round(_vector(launch) * 64 / sum(each.size for each in outputs), 2),
        "balance": round(_balance(launch), 3),
    }


def _copies(launch: Launch) -> int:
    """Returns the number of copies between GM and the cores."""
    pipes = ("MTE2", "MTE3", "FIX")
    counts: Iterator[int] = (
        each["count"]
        for each in launch.operations
        if each["pipe"] in pipes and any(operand[1] == "GM" for operand in each["operands"])
    )
    return sum(counts)


def _vector(launch: Launch) -> float:
    """Returns the cycles of the vector units, on all cores, without heads and waits."""
    return float(sum(each["work"] for each in launch.operations if each["pipe"] == "V") / TICKS)


def _balance(launch: Launch) -> float:
    """Returns the mean time of the cores, divided by the time of the slowest."""
    times: list[int] = [core["end"] - core["start"] for core in launch.cores]
    return sum(times) / len(times) / max(times)


def ratio(figures: Figures) -> float:
    """Returns the modelled time divided by the roofline, for awkward launches without the time of
    an empty kernel.
    """
    start = figures["empty_us"] if figures["kind"] == AWKWARD else 0
    return float((figures["us"] - start) / figures["ideal_us"])


def misses_goal(figures: Figures) -> bool:
    """Says whether the ratio is above its goal; small launches have no goal."""
    goal = GOALS.get(figures["kind"])
    return goal is not None and ratio(figures) > goal


def modelled(ops: Sequence[str], kinds: Sequence[str]) -> Iterator[tuple[Entry, Figures]]:
    """Yields the launches of the operators and their figures."""
    for op in ops:
        for entry in entries(op):
            if entry.kind in kinds:
                yield entry, measure(entry)


def _print(entry: Entry, figures: Figures, before: Figures | None) -> float:
    """Prints a row of the table; returns the time divided by the kept time."""
    change = figures["us"] / before["us"] if before else 1.0
    print(
        f"{entry.kind:8}{entry.name:44}{figures['us']:10.2f}{figures['ideal_us']:10.2f} "
        f"{figures['ideal_term']:7}{ratio(figures):6.2f}{'!' if misses_goal(figures) else ' '}"
        f"{change:7.3f}  {figures['binds']:9}{figures['share']:5.0%}{figures['hbm']:7.2f}"
        f"{figures['gm']:7.2f}{figures['copy_bytes']:8}{figures['vector']:7.2f}"
        f"{figures['balance']:6.2f}",
        flush=True,
    )
    return change


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("ops", nargs="*", default=cases.names(), metavar="OP")
    parser.add_argument("--kind", nargs="+", default=KINDS, choices=KINDS)
    parser.add_argument("--check", action="store_true", help="fail if a launch became slower")
    parser.add_argument("--write", action="store_true", help="keep the figures, write the page")
    options = parser.parse_args()
    table = json.loads(TABLE.read_text(encoding="utf-8")) if TABLE.is_file() else {}
    print(
        f"{'kind':8}{'launch':44}{'us':>10}{'roofline':>10} {'by':7}{'ratio':>6} {'change':>7}  "
        f"{'busiest':14}{'HBM':>7}{'GM':>7}{'B/copy':>8}{'V/64':>7}{'bal.':>6}"
    )
    slower = []
    last = ""
    for entry, figures in modelled(options.ops, options.kind):
        if entry.op != last:
            print(last := entry.op)
        kept = table.setdefault(entry.op, {})
        if _print(entry, figures, kept.get(entry.name)) > SLOWER:
            slower.append(f"{entry.op} {entry.name}")
        kept[entry.name] = figures
    if options.write:
        known = {op: [entry.name for entry in entries(op)] for op in cases.names()}
        table = {
            op: {name: table[op][name] for name in names if name in table.get(op, {})}
            for op, names in known.items()
        }
        TABLE.write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")
        write_page(table, ratio, misses_goal)
    if options.check and slower:
        sys.exit("slower than the kept figures: " + ", ".join(slower))


if __name__ == "__main__":
    main()
