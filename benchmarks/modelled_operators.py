# SPDX-License-Identifier: Apache-2.0
"""Writes the modelled times of the operators: python benchmarks/modelled_operators.py [--write]
[SIZE ...].

Tests compare benchmarks/modelled_operators.json and the data in docs/profiles with the times that
the timing model computes. If you change a time on purpose, update both with --write and give the
reason in the commit.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import cannery
from cannery import cases
from cannery.profiling import Launch
from cannery.profiling.page import page_data

TABLE = Path(__file__).with_suffix(".json")
ROOT = Path(__file__).resolve().parents[1]
PAGES = ROOT / "docs" / "profiles"
PAGE_SIZE = "medium"
SLICES = 2000
SIZES = ("small", "medium")
SOC = "Ascend910B2"


def page(launch: Launch) -> str:
    """Returns the JSON data of a profile page, with at most SLICES slices and relative file names.

    Each member of the JSON object is one line, so a diff shows which members changed.
    """
    data = page_data(launch, most=SLICES, root=ROOT)
    compact = (",", ":")
    parts = (f'"{name}":{json.dumps(part, separators=compact)}' for name, part in data.items())
    return "{\n" + ",\n".join(parts) + "\n}\n"


def launches(op: str, size: str) -> tuple[str, list[Launch]]:
    """Profiles `op` with its first dtype; returns "<op> <dtype> <size>" and the launches."""
    workloads = cases.find(op)
    dtype = workloads.dtypes[0]
    prepared = workloads.prepare(workloads.case(size, dtype), 0)
    with cannery.use(soc=SOC), cannery.profile() as p:
        prepared.call()
    return f"{op} {dtype.name} {size}", p.launches


def modelled(sizes: Sequence[str]) -> Iterator[tuple[str, float]]:
    """Yields names such as "swi_glu_grad float16 small", each with its modelled microseconds."""
    for op in cases.names():
        for size in sizes:
            name, found = launches(op, size)
            yield name, round(sum(launch.task_us for launch in found), 3)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "sizes", nargs="*", default=SIZES, help="small, medium; large takes minutes"
    )
    parser.add_argument("--write", action="store_true", help="into the table")
    options = parser.parse_args()
    table = json.loads(TABLE.read_text(encoding="utf-8")) if TABLE.is_file() else {}
    for name, us in modelled(options.sizes):
        before = table.get(name)
        sys.stdout.write(f"{name}: {us} us modelled, {before} in the table\n")
        table[name] = us
    if options.write:
        for op in cases.names():
            _, (launch, *_) = launches(op, PAGE_SIZE)
            (PAGES / f"{op}.json").write_text(page(launch), encoding="utf-8")
        TABLE.write_text(json.dumps(dict(sorted(table.items())), indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
