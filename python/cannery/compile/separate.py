# SPDX-License-Identifier: Apache-2.0
"""Objects of separate compilation, `cannery cc -dc`. They contain the host's code and, in sections
that a linker ignores, the code for cores. A later command gets all objects and links the kernels of
the launches from this code.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from cannery.compile.cores import Core
from cannery.compile.elf import section

__all__ = ["Carried", "attach", "read_carried"]

_CODE = ".cannery.{}"
_APART = ".cannery.apart"


@dataclass(frozen=True)
class Carried:
    """The code for cores that is stored in an object of `cannery cc -dc`."""

    code: dict[Core, bytes]  #: an object for each kind of core
    apart: bool  #: whether the source may give different code for the two kinds of core


def attach(carried: Carried, folder: Path) -> list[str]:
    """Writes the code to files in `folder`; returns the options with which objcopy adds them."""
    parts = {_CODE.format(core.value): code for core, code in carried.code.items()}
    if carried.apart:
        parts[_APART] = b"1"
    options = []
    for number, (name, content) in enumerate(parts.items()):
        path = folder / f"part.{number}"
        path.write_bytes(content)
        options += [f"--add-section={name}={path}", f"--set-section-flags={name}=readonly,exclude"]
    return options


def read_carried(path: Path) -> Carried | None:
    """Returns the code for cores in an object; None if it contains none, or is not an object."""
    try:
        elf = path.read_bytes()
    except OSError:
        return None  # the linker will report the problem
    if not elf.startswith(b"\x7fELF"):
        return None
    found = {core: section(elf, _CODE.format(core.value)) for core in Core}
    code = {core: content for core, content in found.items() if content is not None}
    return Carried(code, section(elf, _APART) is not None) if code else None
