# SPDX-License-Identifier: Apache-2.0
"""A request to compile a kernel: the user's arguments, checked and in a uniform form."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from cannery.compile.cores import KERNEL_TYPES
from cannery.compile.hazard_comments import kept_comments
from cannery.compile.kernel_source import has_host_code, kernel_source
from cannery.compile.source import Source, SourceText, argument_names, read_source
from cannery.opgen import literals

__all__ = [
    "BEGIN",
    "COPY",
    "UNIT",
    "Defines",
    "KernelType",
    "Request",
    "define_list",
    "make_request",
]

Defines = Mapping[str, object] | Iterable[str]
KernelType = int | str

#: The name of the file that is compiled.
UNIT = "kernel.cpp"
#: The name of the copy of the user's source, which UNIT includes.
COPY = "cannery_kernel_source.cpp"
#: Lines that a debug build adds to UNIT. They come before the source, because kernel_export.h uses
#: a macro of debugger.h.
_CHECKS = '#include "core/protected_checks.h"\n'
#: For a kernel, kernel_operator.h includes kernel_export.h. For a host program it does not, so this
#: line is necessary.
_EXPORT = '#ifndef TWIN_EXPORT_KERNEL\n#include "core/protected_export.h"\n#endif\n'
_KERNEL = re.compile(r"[A-Za-z_]\w*(::[A-Za-z_]\w*)*\s*(<[^;{}\n\0]*>)?\Z", re.ASCII)
_DEFINE = re.compile(r"[A-Za-z_]\w*(=[^\n\0]*)?\Z", re.ASCII)

BEGIN = '#include "device/types/kernel_begin.h"\n'


@dataclass(frozen=True)
class Request:
    """A kernel to compile, with the options of its compilation."""

    name: str
    source: SourceText
    defines: tuple[str, ...]
    include_dirs: tuple[str, ...]
    kernel_type: int | None
    portable: bool = True  #: whether code that a card's compiler refuses is an error
    debug: bool = False  #: whether to compile for a debugger, with checks for overflows

    def files(self) -> dict[str, str]:
        """Returns the files to compile, by name: a copy of the user's source, whose messages have
        the original file name and lines, and UNIT, which exports the kernel to the twin.

        The source is a copy, because an #include cannot spell every file name.
        """
        # With TWIN_KERNEL_NAME, the headers declare only the tiling structs of kernels. A host
        # program also needs the tiling classes.
        head = "" if self.has_host_code else f"{BEGIN}#define TWIN_KERNEL_NAME {self.own_name}\n"
        unit = (
            f"{head}"
            f'#define TWIN_KERNEL_ARGUMENTS "{", ".join(self.arguments)}"\n'
            f"{_CHECKS if self.debug else ''}"
            f'#include "{COPY}"\n'
            f"#line 1 {literals.cpp(f'cannery: export of kernel {self.name}')}\n"
            f"{_EXPORT}TWIN_EXPORT_KERNEL({self.name})\n"
            f"{kept_comments([(self.source.label, self.source.text)])}"
        )
        return {UNIT: unit, COPY: kernel_source(self.source.text, self.source.label)}

    @property
    def has_host_code(self) -> bool:
        """Whether the source is a host program that also contains kernels."""
        return has_host_code(self.source.text)

    @property
    def own_name(self) -> str:
        """The kernel's name without namespaces and template arguments."""
        return self.name.partition("<")[0].rpartition("::")[2].strip()

    @property
    def arguments(self) -> tuple[str, ...]:
        """The names of the kernel's parameters in its source, if they are known."""
        return argument_names(self.source.text, self.own_name)

    def options(self) -> list[str]:
        """Returns the compiler options that follow from the source and the user's choices."""
        kernel_type = (
            [] if self.kernel_type is None else [f"-DCANNERY_KERNEL_TYPE={self.kernel_type}"]
        )
        return [*self.source_options(), *kernel_type]

    def source_options(self) -> list[str]:
        """Returns the options that every compiler understands."""
        folder = [] if self.source.folder is None else ["-iquote", str(self.source.folder)]
        return [
            *folder,
            *(f"-D{define}" for define in self.defines),
            *(f"-I{folder}" for folder in self.include_dirs),
        ]


def make_request(
    source: Source,
    name: str,
    defines: Defines | None,
    include_dirs: Iterable[str | os.PathLike[str]],
    kernel_type: KernelType | None,
    portable: bool = True,
    debug: bool = False,
) -> Request:
    if not isinstance(name, str) or not _KERNEL.match(name):
        raise ValueError(
            "name: expected the name of the kernel function, such as add, space::add or add<half>, "
            f"got {name!r}"
        )
    for option, value in (("portable", portable), ("debug", debug)):
        if not isinstance(value, bool):
            raise TypeError(f"{option}: expected True or False, got {value!r}")
    if isinstance(include_dirs, str | os.PathLike):
        include_dirs = (include_dirs,)
    return Request(
        name,
        read_source(source, name),
        define_list(defines),
        tuple(_folder(folder) for folder in include_dirs),
        _type_number(kernel_type),
        portable,
        debug,
    )


def _folder(folder: str | os.PathLike[str]) -> str:
    if not isinstance(folder, str | os.PathLike) or "\0" in str(folder):
        raise TypeError(f"include_dirs: expected paths, got {folder!r}")
    if not Path(folder).is_dir():
        raise ValueError(f"include_dirs: no folder {str(folder)!r}")
    return str(Path(folder).absolute())


def define_list(defines: Defines | None) -> tuple[str, ...]:
    """Returns the macros as a list: {"TILE": 64, "FAST": None} and ["TILE=64", "FAST"] mean the
    same.
    """
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
