# SPDX-License-Identifier: Apache-2.0
"""What a 64-bit little-endian object, the only sort that the twin's hosts have, says of itself."""

from __future__ import annotations

import struct

__all__ = ["section_names", "symbols"]

_SYMBOL_TABLE = 2


def section_names(elf: bytes) -> list[str]:
    headers = _headers(elf)
    (index,) = struct.unpack_from("<H", elf, 0x3E)
    strings = headers[index][3]
    return [_text(elf, strings + header[0]) for header in headers]


def symbols(elf: bytes) -> list[str]:
    """Names of what the object defines, the local ones too."""
    headers = _headers(elf)
    names = []
    for header in headers:
        _, kind, _, offset, size, link = header
        if kind != _SYMBOL_TABLE:
            continue
        strings = headers[link][3]
        for at in range(offset, offset + size, 24):
            name, _, _, section = struct.unpack_from("<IBBH", elf, at)
            if name and section:
                names.append(_text(elf, strings + name))
    return names


def _headers(elf: bytes) -> list[tuple[int, int, int, int, int, int]]:
    """Name, type, address, offset, size and link of every section."""
    (table,) = struct.unpack_from("<Q", elf, 0x28)
    entry, count = struct.unpack_from("<HH", elf, 0x3A)
    found = []
    for at in range(table, table + entry * count, entry):
        name, kind, _, address, offset, size, link = struct.unpack_from("<IIQQQQI", elf, at)
        found.append((name, kind, address, offset, size, link))
    return found


def _text(elf: bytes, at: int) -> str:
    return elf[at : elf.index(b"\0", at)].decode()
