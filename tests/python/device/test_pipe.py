# SPDX-License-Identifier: Apache-2.0
"""Tests what kernels can observe of TPipe, TQue, TQueBind, TBuf and event ids."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from .conftest import Compile

COUNTS, DOUBLE_BUFFER, EVENTS, BUFFERS, POSITIONS, RESET = range(6)
BASE = 256  # address of the first buffer after the buffer with the results

Ask = Callable[[int], list[int]]


@pytest.fixture(scope="module")
def ask(compile_device: Compile) -> Ask:
    kernel = compile_device("queues")

    def run(key: int) -> list[int]:
        out = np.zeros(64, np.int32)
        kernel(1, out, tiling_key=key)
        numbers = out.tolist()
        assert numbers[-1] == -1, "too many answers"
        return numbers[: numbers.index(-1)]

    return run


def test_counts_and_order(ask: Ask) -> None:
    assert ask(COUNTS) == [
        *(0, 1, 0, 1),  # GetTensorCountInQue, VacantInQue, HasTensorInQue, HasIdleBuffer
        *(0, 1, 0, 0),  # the same calls after three allocations
        *(1, 1, 1, 0),
        *(2, 0, 1, 0),
        *(BASE, BASE + 256, BASE + 512),
        *(BASE, 64),
        *(1, 1, 1, 1),  # the same calls after one tensor was dequeued and freed
        *(BASE + 512, BASE),
    ]


def test_double_buffering_alternates(ask: Ask) -> None:
    assert ask(DOUBLE_BUFFER) == [
        *(BASE, BASE + 512, BASE + 256, BASE + 640) * 2,
        *(BASE, BASE + 512),
        64,  # elements of half in a buffer of 100 B, which is rounded up to 128 B
    ]


def test_event_ids(ask: Ask) -> None:
    answers = ask(EVENTS)
    assert answers[:5] == [0, 1, 2, 2, 0]
    assert answers[5] == 0  # the lowest free event id
    assert answers[6:10] == [3, 2, 1, 0]
    assert answers[10:] == [1, 0, 7]


def test_buffers_and_views(ask: Ask) -> None:
    assert ask(BUFFERS) == [
        *(BASE, 32, 7),  # the buffer of 100 B is rounded up to 128 B, which are 32 floats
        *(BASE + 128, BASE + 192, 16, 8),
        *(BASE + 208, 8),
        *(4, 16, 1, 14),
    ]


def test_explicit_positions_and_depth(ask: Ask) -> None:
    # The queue at VECCALC has an id of MTE2_MTE3, then one of MTE3_MTE2, as the queue before it.
    assert ask(POSITIONS) == [BASE, 1, 2, 4, *(BASE + 512 + 32 * i for i in range(4))]


def test_reset_takes_everything_back(ask: Ask) -> None:
    assert ask(RESET) == [BASE]
