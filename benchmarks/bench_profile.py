# SPDX-License-Identifier: Apache-2.0
"""Measures the cost of profiling: python benchmarks/bench_profile.py [--size medium] [--rounds 5].

Each operator runs in turns with and without cannery.profile; the CPU time of all threads in the
best round counts. The aim is a ratio of at most 3, and a rate of at least a million modelled
instructions per second. The printed rate is instructions per second of additional CPU time.
"""

from __future__ import annotations

import argparse
import sys
import time

import cannery
from cannery import cases


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", default="medium", choices=("small", "medium", "large"))
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    for op in cases.names():
        workloads = cases.find(op)
        prepared = workloads.prepare(workloads.case(options.size, workloads.dtypes[0]), 0)
        prepared.call()
        plain = timed = float("inf")
        for _ in range(options.rounds):
            start = time.process_time()
            prepared.call()
            middle = time.process_time()
            with cannery.profile() as p:
                prepared.call()
            plain = min(plain, middle - start)
            timed = min(timed, time.process_time() - middle)
        count = sum(launch.instruction_count for launch in p.launches)
        rate = count / max(timed - plain, 1e-9)
        sys.stdout.write(
            f"{op:36} plain {plain:7.3f} s, profiled {timed:7.3f} s, {timed / plain:5.2f} x; "
            f"{count} instructions, {rate / 1e6:.1f} million a second of the time beyond\n"
        )


if __name__ == "__main__":
    main()
