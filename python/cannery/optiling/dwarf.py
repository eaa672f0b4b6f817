# SPDX-License-Identifier: Apache-2.0
"""Reads structs from the debug information of a library as NumPy dtypes."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from elftools.dwarf.die import DIE
from elftools.elf.elffile import ELFFile

__all__ = ["DebugInfo"]

_RECORDS = ("DW_TAG_structure_type", "DW_TAG_class_type", "DW_TAG_union_type")
_NAMES = ("DW_TAG_typedef", "DW_TAG_const_type", "DW_TAG_volatile_type")
#: NumPy's kinds of dtypes, by the encoding of a base type (DW_ATE_*).
_KINDS = {2: "?", 4: "f", 5: "i", 6: "i", 7: "u", 8: "u", 16: "u"}


class DebugInfo:
    """The structs in the debug information of one library, which is read at the first use."""

    def __init__(self, elf: bytes) -> None:
        self._elf = elf
        self._records: dict[str, DIE] | None = None

    def record(self, name: str) -> np.dtype[Any] | None:
        """Returns the dtype of the struct `space::Name`; None if the library has none."""
        die = self._index().get(name)
        return None if die is None else _record_dtype(die)

    def records(self, wanted: Callable[[str], bool], size: int) -> list[str]:
        """Returns the full names of the structs with `size` bytes whose names `wanted` accepts."""
        return [
            name
            for name, die in self._index().items()
            if wanted(name) and _value(die, "byte_size") == size
        ]

    def _index(self) -> dict[str, DIE]:
        if self._records is None:
            self._records = {}
            file = ELFFile(io.BytesIO(self._elf))
            units = file.get_dwarf_info().iter_CUs() if file.has_dwarf_info() else ()
            for unit in units:
                _collect(unit.get_top_DIE(), "", self._records)
        return self._records


def _collect(parent: DIE, scope: str, records: dict[str, DIE]) -> None:
    """Adds the structs in `parent`, and in its namespaces, to `records`."""
    for die in parent.iter_children():
        name = _value(die, "name", "(anonymous)")
        if die.tag == "DW_TAG_namespace":
            if name != "std" and not name.startswith("__"):
                _collect(die, f"{scope}{name}::", records)
        elif die.tag in _RECORDS and _has(die, "name") and not _has(die, "declaration"):
            records.setdefault(scope + name, die)


def _record_dtype(die: DIE) -> np.dtype[Any]:
    names: list[str] = []
    formats: list[Any] = []
    offsets: list[int] = []
    for member in _members(die):
        dtype = _dtype(_type(member))
        start = _value(member, "data_member_location", 0)
        if _has(member, "name"):
            names.append(_value(member, "name"))
            formats.append(dtype)
            offsets.append(start)
        else:  # a base, or a struct without a name: its members belong to the outer struct
            for name, (inner, offset, *_) in (dtype.fields or {}).items():
                names.append(name)
                formats.append(inner)
                offsets.append(start + offset)
    size = _value(die, "byte_size", 0)
    fields = {"names": names, "formats": formats, "offsets": offsets, "itemsize": size}
    return np.dtype(fields)  # type: ignore[call-overload,no-any-return]


def _members(die: DIE) -> Iterator[DIE]:
    """Yields bases, and members that have an address; bit fields have none."""
    for child in die.iter_children():
        if child.tag in ("DW_TAG_member", "DW_TAG_inheritance") and not any(
            _has(child, word) for word in ("external", "declaration", "bit_size")
        ):
            yield child


def _dtype(die: DIE) -> np.dtype[Any]:
    size = _value(die, "byte_size", 0)
    if die.tag in _NAMES:
        return _dtype(_type(die))
    if die.tag in _RECORDS:
        return _record_dtype(die)
    if die.tag == "DW_TAG_array_type":
        parts = [part for part in die.iter_children() if part.tag == "DW_TAG_subrange_type"]
        shape = tuple(_value(part, "count", _value(part, "upper_bound", -1) + 1) for part in parts)
        return np.dtype((_dtype(_type(die)), shape))
    if die.tag == "DW_TAG_pointer_type":
        return np.dtype("u8")
    if die.tag == "DW_TAG_enumeration_type":
        return np.dtype(f"i{size}")
    known = die.tag == "DW_TAG_base_type"
    kind = _KINDS.get(_value(die, "encoding", 0), "V") if known else "V"
    return np.dtype("?") if kind == "?" else np.dtype(f"{kind if size <= 8 else 'V'}{size}")


def _type(die: DIE) -> DIE:
    found: DIE = die.get_DIE_from_attribute("DW_AT_type")
    return found


def _has(die: DIE, attribute: str) -> bool:
    return f"DW_AT_{attribute}" in die.attributes


def _value(die: DIE, attribute: str, default: Any = None) -> Any:
    found = die.attributes.get(f"DW_AT_{attribute}")
    if found is None:
        return default
    return found.value.decode(errors="replace") if isinstance(found.value, bytes) else found.value
