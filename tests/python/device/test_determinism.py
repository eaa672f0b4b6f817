# SPDX-License-Identifier: Apache-2.0
"""The same inputs must give the same bytes and the same instruction stream on every schedule."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cannery

from .conftest import Compile
from .test_system import BARRIER, DATA

SCHEDULES = [(1, 0), (1, 5), (2, 0), (2, 1), (2, 99), (8, 12345)]


@pytest.mark.parametrize("blocks", [3, 48])
def test_double_buffered_kernel(kernels: Path, tmp_path: Path, blocks: int) -> None:
    kernel = cannery.compile_kernel(kernels / "add.cpp", "add")
    rng = np.random.default_rng(1)
    x, y = (rng.standard_normal(blocks * 1024).astype(np.float32) for _ in range(2))
    check(kernel, blocks, (x, y), {}, (blocks * 1024, np.float32), tmp_path)


def test_kernel_with_barriers(compile_device: Compile, tmp_path: Path) -> None:
    kernel = compile_device("system_calls")
    extra = {"workspace": 48 * 64, "tiling": DATA, "tiling_key": BARRIER}
    check(kernel, 48, (), extra, (48 * 8, np.int32), tmp_path)


def without_labels(dump: str) -> str:
    """Replaces memory numbers, which depend on earlier launches, by numbers in order of
    appearance."""
    names: dict[str, str] = {}
    return re.sub(
        r"(host memory|aclrtMalloc) #\d+",
        lambda m: names.setdefault(m.group(), f"array {len(names)}"),
        dump,
    )


def check(
    kernel: Any,
    blocks: int,
    inputs: tuple[Any, ...],
    extra: dict[str, Any],
    output: tuple[int, Any],
    folder: Path,
) -> None:
    outputs: set[bytes] = set()
    dumps: dict[str, set[str]] = {".txt": set(), ".jsonl": set()}
    for threads, order in SCHEDULES:
        for suffix, seen in dumps.items():
            out = np.zeros(*output)
            dump = folder / f"stream{suffix}"
            with cannery.use(threads=threads, core_order=order):
                kernel(blocks, *inputs, out, **extra, dump=dump)
            outputs.add(out.tobytes())
            seen.add(without_labels(dump.read_text()))
    assert len(outputs) == 1
    assert [len(seen) for seen in dumps.values()] == [1, 1]
