# SPDX-License-Identifier: Apache-2.0
"""Shows GroupedMatmulFinalizeRouting's memory traffic by tensor and its cycles by pipe.

    .venv/bin/python benchmarks/bench_grouped_matmul_finalize_routing.py [--shape 8,64,2048,7168,8]

The first table shows, per tensor, the bytes read from and written to global memory, and their
ratio to the least bytes that these inputs need. The last table shows the estimated cycles of each
pipe on the busiest cube core. The estimate uses the constants below and ignores how pipes overlap.
The pipe with the most cycles limits the core. bench_op.py measures wall-clock time.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cannery import cases
from cannery.cli.stats import record

OP = "grouped_matmul_finalize_routing"

# Cycles that an instruction of each pipe takes before it copies or multiplies anything.
START = {"MTE1": 24, "MTE2": 230, "FIX": 20, "M": 9}
L0A_BYTES, L0B_BYTES, FIX_BYTES = 256, 128, 68  # bytes per cycle to L0A, to L0B and through FIX
MEMORY_BYTES, CACHE_BYTES = 32, 110  # bytes per cycle of MTE2 from memory and from the L2 cache
ROW_CYCLES = 4  # least cycles for one row of a strided copy

Record = dict[str, Any]


def moved(each: Record, *, write: bool) -> int:
    return sum(r["bytes"] * r["count"] for r in each["ranges"] if r["write"] == write)


def cycles(each: Record) -> float:
    """Returns the cycles of one instruction of a cube core; flags, barriers and scalar accesses
    take one each.
    """
    if not each["ranges"] or each["pipe"] not in START:
        return 1
    start = START[each["pipe"]]
    if each["pipe"] == "M":
        return start + int(each["repeats"])
    if each["pipe"] == "MTE1":
        to_a = any(r["memory"] == "L0A" for r in each["ranges"])
        return start + moved(each, write=True) / (L0A_BYTES if to_a else L0B_BYTES)
    if each["pipe"] == "FIX":
        return start + moved(each, write=True) / FIX_BYTES
    source = next(r for r in each["ranges"] if r["memory"] == "GM")
    # MTE2 starts a copy while earlier copies still run, so START is not added. The workspace was
    # written shortly before this read, so the data are still in the L2 cache.
    rate = CACHE_BYTES if source["place"].startswith("workspace") else MEMORY_BYTES
    return float(source["count"] * max(ROW_CYCLES, source["bytes"] / rate))


def stream(call: Any) -> Iterator[Record]:
    with tempfile.TemporaryDirectory(prefix="cannery-") as folder:
        dump = Path(folder) / "stream.jsonl"
        with record(dump):
            call()
        with dump.open(encoding="utf-8") as lines:
            yield from (each for each in map(json.loads, lines) if "launch" not in each)


def measure(case: cases.Case) -> dict[str, Any]:
    run = cases.find(OP).prepare(case, seed=0)
    bytes_of: Counter[str] = Counter()
    pipes: dict[tuple[int, str], float] = Counter()
    blocks: set[int] = set()
    for each in stream(run.call):
        for r in each["ranges"]:
            if r["memory"] == "GM":
                name = r["place"].split("+")[0].split()[-1]
                way = "written" if r["write"] else "read"
                bytes_of[f"{name} {way}"] += r["bytes"] * r["count"]
        if each["core"] == "AIC":
            blocks.add(each["block"])
            pipes[each["block"], each["pipe"]] += cycles(each)
    totals = {block: sum(v for (b, _), v in pipes.items() if b == block) for block in blocks}
    busiest = max(totals, key=lambda block: totals[block])
    of_busiest = {pipe: value for (block, pipe), value in pipes.items() if block == busiest}
    multiplying = sum(pipes[block, "M"] for block in blocks)
    return {
        "shape": case.shape,
        "bytes": dict(sorted(bytes_of.items())),
        "ideal_bytes": run.ideal_bytes,
        "ratios": {
            "GM bytes / ideal": sum(bytes_of.values()) / run.ideal_bytes,
            "GM bytes without workspace / ideal": sum(
                value for name, value in bytes_of.items() if not name.startswith("workspace")
            )
            / run.ideal_bytes,
            "Mmad cycles / all instruction cycles of the cube cores": multiplying
            / sum(totals.values()),
            "Mmad cycles / busiest pipe, busiest cube core": of_busiest["M"]
            / max(of_busiest.values()),
            "busiest cube core / average": totals[busiest] * len(totals) / sum(totals.values()),
        },
        "cycles of the busiest cube core": {k: round(v) for k, v in sorted(of_busiest.items())},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--size", default="small", choices=cases.SIZES, help="large writes gigabytes"
    )
    parser.add_argument("--shape", help="e,m,k,n,bs instead of a size")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()

    workloads = cases.find(OP)
    dtype = workloads.dtypes[0]
    if options.shape is None:
        case = workloads.case(options.size, dtype)
    else:
        case = workloads.custom(tuple(map(int, options.shape.split(","))), dtype)
    measured = measure(case)
    if options.json:
        json.dump(measured, sys.stdout, indent=2)
        return
    print(f"{OP} {case.shape}")
    for name, value in measured["bytes"].items():
        print(f"  {name:60}{value / 1e6:10.1f} MB")
    for name, value in measured["ratios"].items():
        print(f"  {name:60}{value:10.3f}")
    for name, value in measured["cycles of the busiest cube core"].items():
        print(f"  cycles of the busiest cube core, pipe {name:22}{value:10}")


if __name__ == "__main__":
    main()
