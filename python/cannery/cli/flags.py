# SPDX-License-Identifier: Apache-2.0
"""`cannery flags`: what a C++ client of the twin is compiled and linked with."""

from __future__ import annotations

import shlex
import sys

from cannery import _runtime
from cannery.cli import output

__all__ = ["compile_flags", "link_flags", "show"]


def compile_flags() -> list[str]:
    return [f"-I{_runtime.twin_root() / 'include'}"]


def link_flags() -> list[str]:
    folder = _runtime.twin_root() / "lib"
    return [f"-L{folder}", f"-Wl,-rpath,{folder}", "-lcust_opapi", "-lnnopbase", "-lascendcl"]


def show(cflags: bool, libs: bool, as_json: bool) -> None:
    """Prints what was asked for; without a choice, both."""
    both = cflags == libs
    if as_json:
        output.print_json({"cflags": compile_flags(), "libs": link_flags()})
        return
    words = [*(compile_flags() if cflags or both else []), *(link_flags() if libs or both else [])]
    sys.stdout.write(shlex.join(words) + "\n")
