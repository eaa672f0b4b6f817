# SPDX-License-Identifier: Apache-2.0
"""Compares an operator on the twin with NumPy by wall-clock time, and its GM bytes with the ideal.

    .venv/bin/python benchmarks/bench_op.py OP [--size medium] [--dtype bfloat16]

NumPy computes the same result in float32; its time includes the conversion of the inputs but not
the rounding of the result. Twin and NumPy take turns in one process, and the best round counts.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable

import cannery
from cannery import cases
from cannery.cli.stats import record
from cannery.testing import best_of


def with_threads(call: Callable[[], object], threads: int) -> Callable[[], object]:
    def limited() -> object:
        with cannery.use(threads=threads):
            return call()

    return limited


def measure(case: cases.Case, rounds: int) -> dict[str, dict[str, float]]:
    run = cases.find(case.op).prepare(case, seed=0)
    with record(None) as traffic:
        run.call()
    seconds = best_of(
        {
            "twin": run.call,
            "twin, 1 thread": with_threads(run.call, 1),
            "twin, 2 threads": with_threads(run.call, 2),
            "numpy float32": run.yardstick,
        },
        rounds,
    )
    moved = traffic.gm_read_bytes + traffic.gm_write_bytes
    ratios = {
        "twin / numpy float32": seconds["twin"] / seconds["numpy float32"],
        "1 thread / 2 threads": seconds["twin, 1 thread"] / seconds["twin, 2 threads"],
        "GM bytes / ideal": moved / run.ideal_bytes,
    }
    return {"seconds": seconds, "ratios": ratios}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("op", choices=cases.names())
    parser.add_argument("--size", default="medium")
    parser.add_argument("--dtype", help="default: bfloat16 where there is one")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()

    workloads = cases.find(options.op)
    by_name = {each.name: each for each in workloads.dtypes}
    name = options.dtype or ("bfloat16" if "bfloat16" in by_name else next(iter(by_name)))
    if name not in by_name:
        parser.error(f"--dtype: {options.op} has {', '.join(by_name)}, got {name!r}")
    case = workloads.case(options.size, by_name[name])
    measured = measure(case, options.rounds)
    if options.json:
        json.dump({"case": str(case), **measured}, sys.stdout, indent=2)
        return
    print(f"{options.op} {name} {case.shape}, best of {options.rounds}")
    for label, value in measured["seconds"].items():
        print(f"  {label:22}{value * 1e3:10.1f} ms")
    for label, value in measured["ratios"].items():
        print(f"  {label:22}{value:10.3f}")


if __name__ == "__main__":
    main()
