# SPDX-License-Identifier: Apache-2.0
"""Tests what template libraries for matrix kernels use of a pipe, of addresses and of registers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cannery

from .conftest import Compile


@pytest.fixture(scope="module")
def kernel(compile_device: Compile) -> Any:
    return compile_device("template_library")


def test_a_destroyed_pipe_keeps_its_memory(kernel: Any) -> None:
    out = np.zeros(16, np.int32)
    kernel(1, np.zeros(256, np.float16), out, tiling_key=1)
    # Addresses count bytes; L1 and the fixpipe buffers are whole; half and int4b_t in bits.
    assert list(out[:5]) == [64, 32, 32, (512 + 7) * 1024, 16 + 4]


def test_a_load_without_padding_needs_no_padding_value(kernel: Any) -> None:
    kernel(1, np.zeros(256, np.float16), np.zeros(16, np.int32), tiling_key=4)


@pytest.mark.parametrize(
    ("key", "message"),
    [
        (2, "T223 pipe with buffers copied: a TPipe is made from another one with 1 buffers"),
        (3, r"T307 no synchronisation hardware: SetSyncBaseAddr\(0x40\)"),
    ],
)
def test_refused(kernel: Any, key: int, message: str) -> None:
    with pytest.raises(cannery.KernelError, match=message):
        kernel(1, np.zeros(256, np.float16), np.zeros(16, np.int32), tiling_key=key)
