# SPDX-License-Identifier: Apache-2.0
"""Replays kernel launches of other tests on other schedules and compares the bytes.

This module is active when SCHEDULE_REPORT names a file; it appends one JSON object per replayed
launch to that file. SCHEDULE_ALL=1 replays every launch; otherwise only the first launch of each
kernel, tiling key and number of blocks is replayed."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

import cannery
from cannery.compile import Kernel

REPORT = os.environ.get("SCHEDULE_REPORT", "")
EVERY = os.environ.get("SCHEDULE_ALL") == "1"
#: Schedules: (worker threads, seed of the order in which blocks start).
SCHEDULES = ((1, 0), (2, 7), (2, 1234), (1, 99))
_SILENT = ("CANNERY_DUMP", "CANNERY_STATS")

Array = np.ndarray[Any, Any]
_seen: set[tuple[str, int, int]] = set()


def twin_of(array: Array) -> Array:
    """Copies an array and keeps its alignment to 512 B, because kernels may depend on it."""
    memory = np.empty(array.nbytes + 512, np.uint8)
    first = (array.ctypes.data - memory.ctypes.data) % 512
    copy = memory[first : first + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    copy.flags.writeable = array.flags.writeable
    return copy


def twins_of(arrays: Sequence[Array]) -> list[Array]:
    """Copies arrays. An array that is passed twice is copied only once."""
    copies: dict[tuple[int, int], Array] = {}
    for array in arrays:
        place = (array.ctypes.data, array.nbytes)
        if place not in copies:
            copies[place] = twin_of(array)
    return [copies[(array.ctypes.data, array.nbytes)] for array in arrays]


def digest(arrays: list[Array]) -> str:
    state = hashlib.sha256()
    for array in arrays:
        state.update(array.tobytes())
    return state.hexdigest()


@contextmanager
def without_records() -> Iterator[None]:
    before = {name: os.environ.pop(name) for name in _SILENT if name in os.environ}
    yield
    os.environ.update(before)


def replay(kernel: Kernel, blocks: int, arrays: list[Array], options: dict[str, Any]) -> list[str]:
    """Returns a digest of the arrays' contents after a launch on each schedule."""
    found = []
    with without_records():
        for threads, order in SCHEDULES:
            copies = twins_of(arrays)
            with cannery.use(threads=threads, core_order=order):
                _launch(kernel, blocks, *copies, **options)
            found.append(digest(copies))
    return found


_launch = Kernel.__call__


def launch_and_replay(kernel: Kernel, block_dim: int, *arrays: Array, **options: Any) -> None:
    """Replaces Kernel.__call__: launches the kernel and, after a success, replays the launch."""
    before = twins_of(arrays)
    _launch(kernel, block_dim, *arrays, **options)
    launch = (str(kernel.library), int(options.get("tiling_key", 0)), int(block_dim))
    if launch in _seen and not EVERY:
        return
    _seen.add(launch)
    options = {name: value for name, value in options.items() if name != "dump"}
    digests = replay(kernel, block_dim, before, options)
    row = {
        "kernel": kernel.name,
        "key": launch[1],
        "blocks": launch[2],
        "test": os.environ.get("PYTEST_CURRENT_TEST", ""),
        "same": len({*digests, digest(list(arrays))}) == 1,
    }
    with open(REPORT, "a") as file:
        file.write(json.dumps(row) + "\n")
