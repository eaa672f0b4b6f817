# SPDX-License-Identifier: Apache-2.0
"""Measures the wall-clock time of SwiGluGrad on the twin, in NumPy and, if installed, in torch.

    .venv/bin/python benchmarks/bench_swi_glu_grad.py [--size medium] [--dtype bfloat16]

All three take turns in one process, and the best round counts. NumPy computes in float32; its
time includes the conversion of the inputs but not the rounding of the result.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from bench_op import with_threads

from cannery import cases
from cannery.testing import best_of

Contender = Callable[[], Any]


def torch_contender(run: Any, dtype: str) -> Contender | None:
    """Returns a function that computes the gradient with torch on the CPU; None without torch."""
    if importlib.util.find_spec("torch") is None:
        return None
    import torch

    kind = getattr(torch, dtype)
    x = torch.from_numpy(run.x.astype(np.float32)).to(kind).requires_grad_()
    y_grad = torch.from_numpy(run.y_grad.astype(np.float32)).to(kind)

    def call() -> Any:
        a, b = x.chunk(2, dim=-1)
        return torch.autograd.grad(torch.nn.functional.silu(a) * b, x, y_grad)

    return call


def contenders(run: Any, dtype: str) -> dict[str, Contender]:
    found: dict[str, Contender] = {
        "twin": run.call,
        "twin, 1 thread": with_threads(run.call, 1),
        "twin, 2 threads": with_threads(run.call, 2),
        "numpy float32": run.yardstick,
    }
    torch = torch_contender(run, dtype)
    return found if torch is None else {**found, "torch CPU": torch}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", default="medium", choices=cases.SIZES)
    parser.add_argument("--dtype", default="bfloat16")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()

    workloads = cases.find("swi_glu_grad")
    dtype = next(each for each in workloads.dtypes if each.name == options.dtype)
    case = workloads.case(options.size, dtype)
    seconds = best_of(contenders(workloads.prepare(case, seed=0), dtype.name), options.rounds)
    ratios = {
        "twin / numpy float32": seconds["twin"] / seconds["numpy float32"],
        "1 thread / 2 threads": seconds["twin, 1 thread"] / seconds["twin, 2 threads"],
    }
    if "torch CPU" in seconds:
        ratios["twin / torch CPU"] = seconds["twin"] / seconds["torch CPU"]
    if options.json:
        json.dump({"case": str(case), "seconds": seconds, "ratios": ratios}, sys.stdout, indent=2)
        return
    print(f"swi_glu_grad {dtype.name} {case.shape}, best of {options.rounds}")
    for name, value in seconds.items():
        print(f"  {name:22}{value * 1e3:10.1f} ms")
    for name, value in ratios.items():
        print(f"  {name:22}{value:10.2f}")


if __name__ == "__main__":
    main()
