# SPDX-License-Identifier: Apache-2.0
"""Reads the parameters of a compiled kernel from the names of its sections
(twin/core/kernel_arguments.h): pointers, for which Python passes arrays, and values.
"""

from __future__ import annotations

import operator
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cannery.compile.elf import section_names

__all__ = ["Parameter", "encode", "read_parameters"]

_MARK = "twin_kernel.parameter."
_KINDS = ("pointer", "signed", "unsigned", "float", "bool", "bytes")
_FLOATS = {4: "<f", 8: "<d"}


@dataclass(frozen=True)
class Parameter:
    """One parameter; `offset` is its offset in a struct of all parameters."""

    kind: str
    bytes: int
    offset: int

    @property
    def is_array(self) -> bool:
        return self.kind == "pointer"

    def __str__(self) -> str:
        names = {"signed": "an int", "unsigned": "an unsigned int", "float": "a float"}
        if self.kind in names:
            return f"{names[self.kind]} of {8 * self.bytes} bits"
        return {"pointer": "an array", "bool": "a bool"}.get(self.kind, f"{self.bytes} bytes")


def read_parameters(library: Path) -> tuple[Parameter, ...]:
    """Returns the kernel's parameters in their order."""
    found: dict[int, Parameter] = {}
    for section in section_names(library.read_bytes()):
        if section.startswith(_MARK):
            index, kind, size, offset = map(int, section.removeprefix(_MARK).split("."))
            found[index] = Parameter(_KINDS[kind], size, offset)
    return tuple(found[index] for index in sorted(found))


def encode(where: str, parameter: Parameter, value: Any) -> bytes:
    """Returns the bytes of a value. `where` names the argument in errors."""
    if parameter.kind == "bytes":
        return _raw(where, parameter, value)
    if parameter.kind == "float":
        try:
            return struct.pack(_FLOATS[parameter.bytes], float(value))
        except (TypeError, ValueError):
            raise TypeError(f"{where}: expected {parameter}, got {_told(value)}") from None
        except OverflowError:
            raise ValueError(f"{where}: {value!r} is no {parameter}") from None
    if isinstance(value, float) or not hasattr(value, "__index__"):
        if parameter.kind != "bool" or type(value).__name__ not in ("bool", "bool_"):
            raise TypeError(f"{where}: expected {parameter}, got {_told(value)}")
        value = bool(value)
    number = operator.index(value)
    signed = parameter.kind == "signed"
    bits = 1 if parameter.kind == "bool" else 8 * parameter.bytes - signed
    low, high = -(2**bits) if signed else 0, 2**bits - 1
    if not low <= number <= high:
        raise ValueError(f"{where}: expected {parameter}, {low} to {high}, got {number}")
    return number.to_bytes(parameter.bytes, "little", signed=signed)


def _raw(where: str, parameter: Parameter, value: Any) -> bytes:
    """Returns the bytes of a struct that is given as bytes, a structured array or scalar, a ctypes
    struct, or a number of NumPy.
    """
    try:
        content = bytes(memoryview(value))
    except TypeError:
        raise TypeError(
            f"{where}: expected {parameter} (bytes, a structured array, a ctypes struct, or a "
            f"scalar of NumPy), got {_told(value)}"
        ) from None
    if len(content) != parameter.bytes:
        raise ValueError(f"{where}: expected {parameter}, got {len(content)}")
    return content


def _told(value: Any) -> str:
    shape = getattr(value, "shape", None)
    return f"an array of shape {shape}" if shape else f"{type(value).__name__} {value!r}"
