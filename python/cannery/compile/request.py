# SPDX-License-Identifier: Apache-2.0
"""What is to be compiled: the user's arguments, checked and in one shape."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from cannery.errors import CompileError

__all__ = ["KERNEL_TYPES", "Defines", "KernelType", "Request", "Source", "make_request"]

Source = str | os.PathLike[str]
Defines = Mapping[str, object] | Iterable[str]
KernelType = int | str

#: Numbers of the toolkit's KERNEL_TYPE_* enumeration.
KERNEL_TYPES = {
    "AIV_ONLY": 0,
    "AIC_ONLY": 1,
    "MIX_AIV_1_0": 2,
    "MIX_AIC_1_0": 3,
    "MIX_AIC_1_1": 4,
    "MIX_AIC_1_2": 5,
}
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*\Z", re.ASCII)
_DEFINE = re.compile(r"[A-Za-z_]\w*(=.*)?\Z", re.ASCII)


@dataclass(frozen=True)
class Request:
    """A kernel to compile. Exactly one of `path` and `text` is set."""

    name: str
    path: Path | None
    text: str | None
    defines: tuple[str, ...]
    include_dirs: tuple[str, ...]
    kernel_type: int | None

    def translation_unit(self) -> str:
        """The user's source with its own line numbers, then what makes its kernel known."""
        if self.path is not None:
            body = f'#include "{self.path}"\n'
        else:
            body = f'#line 1 "{self.label}"\n{self.text}\n'
        return (
            f"#define TWIN_KERNEL_NAME {self.name}\n"
            f'{body}#line 1 "cannery: export of kernel {self.name}"\n'
            f'#include "core/kernel_export.h"\nTWIN_EXPORT_KERNEL({self.name})\n'
        )

    @property
    def label(self) -> str:
        """How the compiler's messages call the source."""
        return str(self.path) if self.path is not None else f"{self.name}.cpp"

    def arguments(self) -> list[str]:
        """Compiler arguments that the user's choices add."""
        kernel_type = (
            [] if self.kernel_type is None else [f"-DCANNERY_KERNEL_TYPE={self.kernel_type}"]
        )
        return [
            *(f"-D{define}" for define in self.defines),
            *kernel_type,
            *(f"-I{folder}" for folder in self.include_dirs),
        ]


def make_request(
    source: Source,
    name: str,
    defines: Defines | None,
    include_dirs: Iterable[str | os.PathLike[str]],
    kernel_type: KernelType | None,
) -> Request:
    if not isinstance(name, str) or not _IDENTIFIER.match(name):
        raise ValueError(
            f"name: expected the name of the kernel function, a C++ identifier, got {name!r}"
        )
    if isinstance(include_dirs, str | os.PathLike):
        include_dirs = (include_dirs,)
    path, text = _locate(source)
    folders = tuple(str(Path(folder).absolute()) for folder in include_dirs)
    return Request(name, path, text, _define_list(defines), folders, _type_number(kernel_type))


def _locate(source: Source) -> tuple[Path | None, str | None]:
    """A path object is a file; a string is a file unless it holds what only source text holds."""
    if not isinstance(source, str | os.PathLike):
        raise TypeError(f"source: expected source text or a path, got {type(source).__name__}")
    if isinstance(source, str) and ("\n" in source or "{" in source):
        return None, source
    path = Path(source).absolute()
    if not path.is_file():
        raise CompileError(
            f"source: no file {path}; pass an existing file, or the text of the kernel"
        )
    return path, None


def _define_list(defines: Defines | None) -> tuple[str, ...]:
    """{"TILE": 64, "FAST": None} and ["TILE=64", "FAST"] mean the same."""
    if defines is None:
        return ()
    if isinstance(defines, str):
        raise TypeError(
            f"defines: expected a mapping or a list of strings, got the string {defines!r}"
        )
    if isinstance(defines, Mapping):
        entries = [
            key if value is None else f"{key}={_literal(value)}" for key, value in defines.items()
        ]
    else:
        entries = list(defines)
    for entry in entries:
        if not isinstance(entry, str) or not _DEFINE.match(entry):
            raise ValueError(f"defines: expected NAME or NAME=VALUE, got {entry!r}")
    return tuple(entries)


def _literal(value: object) -> str:
    return str(int(value)) if isinstance(value, bool) else str(value)


def _type_number(kernel_type: KernelType | None) -> int | None:
    if kernel_type is None:
        return None
    if isinstance(kernel_type, str):
        number = KERNEL_TYPES.get(kernel_type.removeprefix("KERNEL_TYPE_"))
    else:
        number = kernel_type if kernel_type in KERNEL_TYPES.values() else None
    if number is None:
        raise ValueError(
            f"kernel_type: expected one of {', '.join(KERNEL_TYPES)}, got {kernel_type!r}"
        )
    return number
