# SPDX-License-Identifier: Apache-2.0
"""Compares InitOutput, InitGlobalMemory, Fill with NumPy; tests InitSocState, integer helpers."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cannery

from .conftest import Compile

INIT_OUTPUT, INIT_GLOBAL_MEMORY, FILL, REGISTERS, HELPERS = 0, 1, 2, 8, 9
#: Values of each type: (DT_* number, bytes of an element, bits of the test value).
DTYPES = {
    "half": (1, 2, 0xC248),
    "bfloat16": (27, 2, 0x3FC0),
    "int16": (6, 2, 0x8001),
    "uint16": (7, 2, 0xFFFE),
    "float": (0, 4, 0x7F800000),
    "int32": (3, 4, 0x80000001),
    "uint32": (8, 4, 0xFFFFFFFE),
}
UB = 196608 - 64  # the library uses the last 64 B of UB for messages


@pytest.fixture(scope="module")
def kernel(compile_device: Compile) -> Any:
    return compile_device("global_fill")


def tiling(*values: int) -> bytes:
    return struct.pack("<IIQQI4x", *values)


def fill(kernel: Any, key: int, dtype: str, size: int, start: int = 3, taken: int = 0) -> None:
    """Runs one fill and checks every element of the array."""
    number, width, value = DTYPES[dtype]
    out = np.full(size + start + 40, 0x5A5A5A5A, np.uint32).astype(f"u{width}")
    expected = out.copy()
    expected[start : start + size] = value
    kernel(
        1, out, tiling=struct.pack("<IIQQI4x", number, value, size, start, taken), tiling_key=key
    )
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", [0, 1, 31, 4080, 4081, 40000])
def test_init_output(kernel: Any, dtype: str, size: int) -> None:
    fill(kernel, INIT_OUTPUT, dtype, size)


@pytest.mark.parametrize("dtype", [name for name in DTYPES if name != "bfloat16"])
@pytest.mark.parametrize("key", [INIT_GLOBAL_MEMORY, FILL])
@pytest.mark.parametrize("size", [0, 7, 32640, 32641, 100000])
def test_init_global_memory(kernel: Any, key: int, dtype: str, size: int) -> None:
    fill(kernel, key, dtype, size)


@pytest.mark.parametrize("left", [32, 96, 9000])
def test_little_memory_left(kernel: Any, left: int) -> None:
    """A fill works with the little UB that the buffers leave."""
    fill(kernel, INIT_OUTPUT, "float", 2000, taken=(UB - left) // 32 * 32)
    fill(kernel, INIT_GLOBAL_MEMORY, "half", 2000, taken=(UB - left) // 32 * 32)


def test_no_memory_left(kernel: Any) -> None:
    with pytest.raises(cannery.KernelError, match=r"T106 .*PopStackBuffer"):
        fill(kernel, INIT_OUTPUT, "float", 8, taken=196608)


def test_beyond_the_tensor(kernel: Any) -> None:
    out = np.zeros(16, np.float32)
    with pytest.raises(cannery.KernelError, match="T101"):
        kernel(1, out, tiling=tiling(0, 0, 17, 0, 0), tiling_key=INIT_OUTPUT)


def test_instructions(kernel: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """InitOutput copies 8160 B at a time, InitGlobalMemory 65280 B. Each needs one Duplicate."""
    dump = tmp_path / "stream.jsonl"
    monkeypatch.setenv("CANNERY_DUMP", str(dump))
    fill(kernel, INIT_OUTPUT, "float", 5000)
    fill(kernel, INIT_GLOBAL_MEMORY, "float", 5000)
    names = [row.get("op") or row.get("opcode") for row in map(json.loads, dump.open())]
    assert names.count("Duplicate") == 2
    assert sum(name == "DataCopyPad" for name in names) == 3 + 1


def test_init_soc_state(kernel: Any) -> None:
    """InitSocState turns atomic copies off and leaves a full mask in normal mode."""
    out = np.ones(64, np.float32)
    kernel(1, out, tiling=b"\0", tiling_key=REGISTERS)
    np.testing.assert_array_equal(out, np.full(64, 2, np.float32))


def test_integer_helpers(kernel: Any) -> None:
    out = np.zeros(8, np.int32)
    kernel(1, out, tiling=b"\0", tiling_key=HELPERS)
    assert out.tolist() == [3, 64, 2, 1, 4, 0, 1, 15]
