# SPDX-License-Identifier: Apache-2.0
"""Reads 64-bit little-endian object files, the only kind on the machines where the twin runs."""

from __future__ import annotations

import struct
from collections.abc import Iterator

__all__ = ["section", "section_names", "symbols", "undefined_symbols"]

_SYMBOL_TABLE = 2


def section_names(elf: bytes) -> list[str]:
    headers = _headers(elf)
    (index,) = struct.unpack_from("<H", elf, 0x3E)
    strings = headers[index][3]
    return [_text(elf, strings + header[0]) for header in headers]


def section(elf: bytes, name: str) -> bytes | None:
    """Returns the content of a section; None if there is no section of this name."""
    names = section_names(elf)
    if name not in names:
        return None
    _, _, _, offset, size, _ = _headers(elf)[names.index(name)]
    return elf[offset : offset + size]


def symbols(elf: bytes) -> list[str]:
    """Returns the names of the symbols that the object defines, including local ones."""
    return [name for name, section in _symbols(elf) if section]


def undefined_symbols(elf: bytes) -> list[str]:
    """Returns the names of the symbols that other objects must define."""
    return [name for name, section in _symbols(elf) if not section]


def _symbols(elf: bytes) -> Iterator[tuple[str, int]]:
    """Yields the name and the section number of each symbol that has a name."""
    headers = _headers(elf)
    for header in headers:
        _, kind, _, offset, size, link = header
        if kind != _SYMBOL_TABLE:
            continue
        strings = headers[link][3]
        for at in range(offset, offset + size, 24):
            name, _, _, section = struct.unpack_from("<IBBH", elf, at)
            if name:
                yield _text(elf, strings + name), section


def _headers(elf: bytes) -> list[tuple[int, int, int, int, int, int]]:
    """Returns name, type, address, offset, size and link of every section."""
    (table,) = struct.unpack_from("<Q", elf, 0x28)
    entry, count = struct.unpack_from("<HH", elf, 0x3A)
    found = []
    for at in range(table, table + entry * count, entry):
        name, kind, _, address, offset, size, link = struct.unpack_from("<IIQQQQI", elf, at)
        found.append((name, kind, address, offset, size, link))
    return found


def _text(elf: bytes, at: int) -> str:
    return elf[at : elf.index(b"\0", at)].decode()
