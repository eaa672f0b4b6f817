# SPDX-License-Identifier: Apache-2.0
"""Checks and stores the arguments of one call of a kernel."""

from __future__ import annotations

import operator
import reprlib
import weakref
from dataclasses import dataclass
from typing import Any

import numpy as np

from cannery.errors import CanneryError

__all__ = ["Call", "copy_of", "values_setting"]

_MAX_BLOCKS = 65535  # largest number of blocks in a launch (T601)
_MAX_BYTES = 2**63 - 1
_MAX_KEY = 2**64 - 1
_MAX_VALUES = 4096


@dataclass(frozen=True)
class Call:
    """The arguments of one kernel call. Its references to arrays do not keep the arrays alive."""

    blocks: int
    arguments: tuple[Any, ...]
    workspace: int
    tiling: bytes
    key: int

    def rest(self) -> tuple[int, int, bytes, int]:
        """Returns the launch parameters: number of blocks, workspace, tiling and tiling key."""
        return (self.blocks, self.workspace, self.tiling, self.key)

    @classmethod
    def of(
        cls, block_dim: Any, arguments: tuple[Any, ...], workspace: Any, tiling: Any, key: Any
    ) -> Call:
        """Checks the arguments and returns a Call; raises TypeError or ValueError."""
        return cls(
            _count("block_dim", block_dim, 1, _MAX_BLOCKS),
            tuple(map(_weak, arguments)),
            _count("workspace", workspace, 0, _MAX_BYTES),
            _tiling_bytes(tiling),
            _count("tiling_key", key, 0, _MAX_KEY),
        )

    def given(self, kernel: str) -> tuple[Any, ...]:
        """Returns the arguments; raises CanneryError if an array no longer exists."""
        return tuple(_strong(value, kernel) for value in self.arguments)


def _weak(value: Any) -> Any:
    return weakref.ref(value) if isinstance(value, np.ndarray) else value


def _strong(value: Any, kernel: str) -> Any:
    if not isinstance(value, weakref.ref):
        return value
    array = value()
    if array is None:
        raise CanneryError(
            f"kernel {kernel!r}: an array of its last call is gone; keep it, or call the kernel "
            "with record=True"
        )
    return array


def copy_of(value: Any) -> Any:
    """Returns a copy of an array, writable if the array is; returns other values as they are."""
    if not isinstance(value, np.ndarray):
        return value
    copy = value.copy()
    copy.flags.writeable = value.flags.writeable
    return copy


def values_setting(dump_values: Any) -> dict[str, str]:
    """Returns the environment variable that makes the dump of a launch contain values."""
    number = _count("dump_values", dump_values, 0, _MAX_VALUES)
    return {"CANNERY_DUMP_VALUES": str(number)}


def _count(name: str, value: Any, low: int, high: int) -> int:
    try:
        # Arrays also have __index__, which raises TypeError for an array with dimensions.
        number = None if isinstance(value, bool) else operator.index(value)
    except TypeError:
        number = None
    if number is None:
        raise TypeError(f"{name}: expected a whole number, got {reprlib.repr(value)}")
    if not low <= number <= high:
        raise ValueError(f"{name}: expected {low} to {high}, got {number}")
    return number


def _tiling_bytes(tiling: Any) -> bytes:
    """Returns the bytes of an object with a buffer, such as a structured array or a ctypes
    struct.
    """
    try:
        return bytes(memoryview(tiling))
    except TypeError:
        raise TypeError(f"tiling: expected bytes, got {type(tiling).__name__}") from None
