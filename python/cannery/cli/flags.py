# SPDX-License-Identifier: Apache-2.0
"""`cannery flags`: what a C++ client of the twin is compiled and linked with."""

from __future__ import annotations

import shlex
import sys

from cannery import _runtime
from cannery.cli import output

__all__ = ["compile_flags", "link_flags", "show"]


def compile_flags() -> list[str]:
    folders = (_runtime.twin_root(), _runtime.package_root() / "op_api")
    return [f"-I{folder / 'include'}" for folder in folders]


def link_flags() -> list[str]:
    folders = _runtime.library_dirs("twin")
    search = [word for folder in folders for word in (f"-L{folder}", f"-Wl,-rpath,{folder}")]
    return [*search, "-lcust_opapi", "-lnnopbase", "-lascendcl"]


def show(cflags: bool, libs: bool, as_json: bool) -> None:
    """Prints what was asked for; without a choice, both."""
    both = cflags == libs
    if as_json:
        output.print_json({"cflags": compile_flags(), "libs": link_flags()})
        return
    words = [*(compile_flags() if cflags or both else []), *(link_flags() if libs or both else [])]
    sys.stdout.write(shlex.join(words) + "\n")
