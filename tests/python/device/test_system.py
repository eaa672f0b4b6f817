# SPDX-License-Identifier: Apache-2.0
"""Tests tiling macros, block numbers, kernel types, workspace, poison, printf, mask register."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cannery

from .conftest import Compile

TILING, BLOCKS, POISON, PRINT, MASK, BARRIER = range(6)
BIG_KEY = 2**64 - 1
DATA = struct.pack("<I4xQ3ie2x", 42, 7 << 32 | 0x1234, 1, 2, 3, 2.25)

Ask = Callable[..., list[list[int]]]


@pytest.fixture(scope="module")
def kernel(compile_device: Compile) -> Any:
    return compile_device("system_calls")


@pytest.fixture(scope="module")
def ask(kernel: Any) -> Ask:
    def run(key: int, blocks: int = 1, tiling: bytes = DATA) -> list[list[int]]:
        out = np.zeros((blocks, 8), np.int32)
        kernel(blocks, out, workspace=64 * blocks, tiling=tiling, tiling_key=key)
        return out.tolist()

    return run


def test_tiling_data_and_members(ask: Ask) -> None:
    assert ask(TILING) == [[42, 7, 3, 9, 0, 0x1234, -1, -1]]


def test_tiling_data_may_be_longer_but_not_shorter(ask: Ask) -> None:
    assert ask(TILING, tiling=DATA + bytes(100))[0][0] == 42
    with pytest.raises(cannery.KernelError, match=r"T101 .*GET_TILING_DATA reads 32 B.* has 16 B"):
        ask(TILING, tiling=DATA[:16])


def test_keys_have_64_bits(ask: Ask) -> None:
    assert ask(BIG_KEY) == [[42, 99, -1, -1, -1, -1, -1, -1]]
    assert ask(2**32) == [[-1] * 8]  # all 64 bits of the key are used


@pytest.mark.parametrize("blocks", [1, 3, 48, 131])
def test_block_numbers(ask: Ask, blocks: int) -> None:
    """If there are more blocks than cores, some blocks run later; each block has its own number."""
    assert ask(BLOCKS, blocks) == [[i, blocks, 0, 1, 1, 32, -1, -1] for i in range(blocks)]


@pytest.mark.hazards_off("reads what nobody has written")
def test_memory_is_poisoned_at_every_launch(ask: Ask) -> None:
    poison = np.array([0xFFC0DEAD, 0xFFC0DEAD, 0x7FE97FD3, 0x7FE97FD3], np.uint32).view(np.int32)
    for _ in range(3):
        with cannery.use(threads=1):
            for row in ask(POISON, 2):
                assert row[:4] == poison.tolist()


def test_poison_is_nan_in_every_float_type() -> None:
    from ml_dtypes import bfloat16

    pattern = np.array([0xFFC0DEAD], np.uint32)
    assert np.isnan(pattern.view(np.float32)).all()
    assert np.isnan(pattern.view(bfloat16)[1])
    assert np.isnan(pattern.view(np.float16)[1])
    workspace = np.array([0x7FE97FD3], np.uint32)
    for dtype in (np.float32, np.float16, bfloat16):
        assert np.isnan(workspace.view(dtype)).all()


def test_printf(ask: Ask, capfd: pytest.CaptureFixture[str]) -> None:
    ask(PRINT, 2)
    head = "DumpHead: AIV-0, CoreType=AIV, block dim=2, block=0, sub_block=0\n"
    assert capfd.readouterr().out == f"{head}block 0 of 2, text, 1.50, ff\n{1 << 40}\n"


def test_mask_register(ask: Ask) -> None:
    # The values of elements 0, 2, 3, 4, 5, 63 and 64; the last number is not used.
    assert ask(MASK)[0] == [7, 6, 4, 3, 2, 2, 0, -1]


def test_kernel_type_by_key(ask: Ask, kernel: Any, tmp_path: Path) -> None:
    assert ask(BARRIER, 4) == [[100 + (i + 1) % 4] * 8 for i in range(4)]
    for key, kind in ((BARRIER, "MIX_AIV_1_0"), (BLOCKS, "AIV_ONLY")):
        out = np.zeros((2, 8), np.int32)
        dump = tmp_path / "dump.txt"
        kernel(2, out, workspace=128, tiling=DATA, tiling_key=key, dump=dump)
        assert f"KERNEL_TYPE_{kind}" in dump.read_text().splitlines()[0]


PLAIN = """
#include "kernel_operator.h"
struct Numbers { int32_t value; };
extern "C" __global__ __aicore__ void plain(GM_ADDR out, GM_ADDR tiling) {
    %s
}
"""


def test_get_tiling_data_needs_a_registered_struct() -> None:
    with pytest.raises(cannery.CompileError, match="needs_REGISTER_TILING_DEFAULT"):
        cannery.compile_kernel(PLAIN % "GET_TILING_DATA(data, tiling);", "plain")
