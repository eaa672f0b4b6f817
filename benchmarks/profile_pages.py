# SPDX-License-Identifier: Apache-2.0
"""Writes the data of the operators' profile pages: python benchmarks/profile_pages.py [--write]

The build renders docs/profiles/<op>.json. A test fails if the sources of a kernel have changed
since; write the data again then.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import cannery
from cannery import cases
from cannery.profiling import Launch
from cannery.profiling.page import page_data

ROOT = Path(__file__).resolve().parents[1]
PAGES = ROOT / "docs" / "profiles"
PAGE_SIZE = "medium"
SLICES = 2000
SOC = "Ascend910B2"


def page(launch: Launch) -> str:
    """Returns the JSON data of a profile page, with at most SLICES slices and relative file names.

    Each member of the JSON object is one line, so a diff shows which members changed.
    """
    data = page_data(launch, most=SLICES, root=ROOT)
    compact = (",", ":")
    parts = (f'"{name}":{json.dumps(part, separators=compact)}' for name, part in data.items())
    return "{\n" + ",\n".join(parts) + "\n}\n"


def launch_of(op: str) -> Launch:
    """Profiles `op` at medium size with its first dtype."""
    workloads = cases.find(op)
    prepared = workloads.prepare(workloads.case(PAGE_SIZE, workloads.dtypes[0]), 0)
    with cannery.use(soc=SOC), cannery.profile() as p:
        prepared.call()
    return p.launches[0]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="into docs/profiles")
    options = parser.parse_args()
    for op in cases.names():
        launch = launch_of(op)
        sys.stdout.write(f"{op}: {launch.task_us:.3f} us modelled\n")
        if options.write:
            (PAGES / f"{op}.json").write_text(page(launch), encoding="utf-8")


if __name__ == "__main__":
    main()
