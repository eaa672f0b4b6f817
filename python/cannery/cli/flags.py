# SPDX-License-Identifier: Apache-2.0
"""`cannery flags`: prints the flags for compiling and linking a C++ client of the twin."""

from __future__ import annotations

import shlex
import sys
from dataclasses import dataclass

from cannery import _runtime
from cannery.cli import output
from cannery.compile.toolchain import find_toolchain
from cannery.compile.unit_test import unit_test_flags

__all__ = ["Wanted", "compile_flags", "link_flags", "show"]


def compile_flags(kernels: bool = False) -> list[str]:
    """Returns the compiler's flags. With `kernels`, they are for unit tests that call kernels with
    ICPU_RUN_KF, and for the kernels themselves.
    """
    folders = (_runtime.twin_root(), _runtime.package_root() / "op_api")
    flags = [f"-I{folder / 'include'}" for folder in folders]
    return [*unit_test_flags(find_toolchain()), *flags[1:]] if kernels else flags


def link_flags(kernels: bool = False) -> list[str]:
    folders = _runtime.library_dirs("twin")
    search = [word for folder in folders for word in (f"-L{folder}", f"-Wl,-rpath,{folder}")]
    process = find_toolchain().process_flags if kernels else ()
    return [*process, *search, "-lcust_opapi", "-lnnopbase", "-lascendcl", "-lcannery_twin"]


@dataclass(frozen=True)
class Wanted:
    """What to print. With `kernels`, the flags are for unit tests of kernels."""

    cflags: bool = False
    libs: bool = False
    root: bool = False
    kernels: bool = False


def show(wanted: Wanted, as_json: bool) -> None:
    """Prints the requested flags; by default those for compiling and for linking."""
    if as_json:
        output.print_json(
            {
                "cflags": compile_flags(wanted.kernels),
                "libs": link_flags(wanted.kernels),
                "root": str(_runtime.twin_root()),
            }
        )
        return
    if wanted.root:
        sys.stdout.write(f"{_runtime.twin_root()}\n")
        return
    both = wanted.cflags == wanted.libs
    words = [
        *(compile_flags(wanted.kernels) if wanted.cflags or both else []),
        *(link_flags(wanted.kernels) if wanted.libs or both else []),
    ]
    sys.stdout.write(shlex.join(words) + "\n")
