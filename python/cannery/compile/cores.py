# SPDX-License-Identifier: Apache-2.0
"""Determines the kinds of core that a kernel needs code for. The source text gives a first guess,
so that a mix kernel is compiled for both kinds at the same time. The compiled code then shows which
kinds are needed (twin/core/uses.h).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from pathlib import Path

from cannery.compile.elf import section_names
from cannery.compile.manifest import read_regular

__all__ = [
    "ATTRIBUTES",
    "CUBE_WORDS",
    "KERNEL_TYPES",
    "Core",
    "Marks",
    "cores_of",
    "file_tells_apart",
    "likely_cores",
    "likely_jobs",
    "ordered",
    "read_marks",
    "tells_apart",
]


class Core(Enum):
    """A kind of core; the value is the name of the compiler flags for it."""

    VECTOR = "vector"
    CUBE = "cube"


BOTH = frozenset(Core)

#: The numbers of the toolkit's enumeration KERNEL_TYPE_*.
KERNEL_TYPES = {
    "AIV_ONLY": 0,
    "AIC_ONLY": 1,
    "MIX_AIV_1_0": 2,
    "MIX_AIC_1_0": 3,
    "MIX_AIC_1_1": 4,
    "MIX_AIC_1_2": 5,
}
_CORES = {1: {Core.CUBE}, 3: {Core.CUBE}, 4: BOTH, 5: BOTH}
#: KERNEL_TYPE_* numbers of attributes such as __mix__(1, 2), by the attributes' names in the code.
ATTRIBUTES = {"vector": 0, "cube_only": 1, "mix_0_1": 2, "mix_1_0": 3, "mix_1_1": 4, "mix_1_2": 5}

_PREFIX = "twin_kernel."
#: Words by which a source can distinguish the kinds of core.
_TELLS_APART = re.compile(r"ASCEND_IS_|__DAV_|g_coreType|\bEngineType\b")
CUBE_WORDS = re.compile(r"\b(REGIST_\w+_OBJ\w*|Matmul\w*|Mmad|LoadData\w*|Fixpipe)\b")
_TASK_TYPE = re.compile(r"\bKERNEL_TYPE_(\w+)")
_SELECTED_TYPE = re.compile(r"\bASCENDC_TPL_(\w+)")
_ATTRIBUTE = r"__(vector|cube|mix)__\s*(?:\(\s*(\d)\s*,\s*(\d)\s*\))?[^;{{}}()]*\b{name}\s*\("


def cores_of(kernel_types: Iterable[int]) -> frozenset[Core]:
    """Returns the kinds of core that the kernel types use. For a type that A2 and A3 lack, returns
    the vector core; the launch then fails and names the type.
    """
    return frozenset(core for kind in kernel_types for core in _CORES.get(kind, {Core.VECTOR}))


def likely_cores(text: str, name: str) -> frozenset[Core]:
    """Returns the kinds of core that the kernel `name` probably needs, by the words in the
    source.
    """
    body = re.search(rf"\b{name}\s*\([^;{{]*\{{(.*?)(?=\b__global__\b|\Z)", text, re.DOTALL)
    words = _TASK_TYPE.findall(body[1] if body else text) or _SELECTED_TYPE.findall(text)
    types = {KERNEL_TYPES[word] for word in words if word in KERNEL_TYPES}
    if types:
        return cores_of(types)
    attribute = re.search(_ATTRIBUTE.format(name=name), text)
    if attribute:
        kind, cube, vector = attribute.groups()
        cores = {Core.CUBE} if kind == "cube" or cube not in (None, "0") else set()
        return frozenset(cores | ({Core.VECTOR} if kind == "vector" or vector != "0" else set()))
    return BOTH if CUBE_WORDS.search(text) or tells_apart(text) else frozenset({Core.VECTOR})


def ordered(cores: set[Core | None]) -> list[Core | None]:
    """Returns the jobs of a compilation in the order in which they begin; None is the host."""
    return [core for core in (None, Core.CUBE, Core.VECTOR) if core in cores]


def likely_jobs(texts: Sequence[str], launchers: bool) -> set[Core | None]:
    """Returns the kinds of core that the sources probably need code for."""
    likely: set[Core | None] = {None}
    if launchers or any("<<<" in text for text in texts):
        likely |= {Core.VECTOR}
        if any(Core.CUBE in likely_cores(text, "") for text in texts):
            likely |= {Core.CUBE}
    return likely


def attribute_type(text: str, name: str) -> int | None:
    """Returns the kernel type that an attribute such as __mix__(1, 2) gives to the kernel `name`;
    None without such an attribute.
    """
    found = re.search(_ATTRIBUTE.format(name=name), text)
    if found is None:
        return None
    kind, cube, vector = found.groups()
    word = {"vector": "vector", "cube": "cube_only"}.get(kind, f"mix_{cube}_{vector}")
    return ATTRIBUTES.get(word)


def tells_apart(text: str) -> bool:
    """Returns whether the source may give different code for the two kinds of core."""
    return _TELLS_APART.search(text) is not None


def file_tells_apart(path: str) -> bool:
    """Returns whether a header may give different code for the two kinds of core."""
    try:
        status = os.stat(path)
    except OSError:
        # The compiler cuts a file name at a line end. The file that it read may distinguish cores.
        return True
    return _content_tells_apart(path, status.st_size, status.st_mtime_ns, status.st_ino)


@lru_cache(maxsize=2048)
def _content_tells_apart(path: str, size: int, changed_ns: int, inode: int) -> bool:
    """Returns whether a file distinguishes kinds of core. Caches one result per file version."""
    content = read_regular(path)
    return content is None or tells_apart(content.decode("utf-8", "replace"))


@dataclass(frozen=True)
class Marks:
    """What the names of sections in the compiled code show about the type of a kernel."""

    types: frozenset[int] = frozenset()  #: kernel types that the source names for any tiling key
    cube: bool = False  #: whether the code has cube instructions or the Matmul server

    def __or__(self, other: Marks) -> Marks:
        return Marks(self.types | other.types, self.cube or other.cube)


def read_marks(library: Path) -> Marks:
    types: set[int] = set()
    of_file: set[int] = set()  # types that a file sets for kernels that name no type
    cube = in_full = False
    for section in section_names(library.read_bytes()):
        if not section.startswith(_PREFIX):
            continue
        word, *numbers = section.removeprefix(_PREFIX).split(".")
        if word in ("type", "default", "attribute"):
            types.add(int(numbers[-1]))
            in_full |= word != "type"
        elif word == "file":
            of_file.add(int(numbers[-1]))
        elif word in ATTRIBUTES:
            types.add(ATTRIBUTES[word])
            in_full = True
        cube |= word == "cube"
    return Marks(frozenset(types if in_full else types | of_file), cube)
