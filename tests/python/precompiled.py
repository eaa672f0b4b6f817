# SPDX-License-Identifier: Apache-2.0
"""Kernels of the tests take kernel_operator.h as the compiler has read it once: most of what a
small kernel costs is reading it. What comes out is the same; the compiler itself passes over a
precompiled header that does not fit its command line.
"""

from __future__ import annotations

import fcntl
import os
import re
import subprocess
from pathlib import Path

import pytest

from cannery.compile import build
from cannery.compile.cores import Core
from cannery.compile.process import run
from cannery.compile.request import UNIT, Request

#: Nothing may come before it that could change its meaning.
_BEGINS_WITH_IT = re.compile(
    r'(?:\s|//[^\n]*\n|/\*.*?\*/)*#include "kernel_operator\.h"', re.DOTALL
)
#: The compiler forgets them with the rest of the text.
_AS_ITS_PRAGMAS = ("-Wno-subobject-linkage", "-Wno-class-memaccess")
# The unit around a kernel defines the name first; it only matters that it is defined.
_HEADER = """\
#define TWIN_KERNEL_NAME none
#include "kernel_operator.h"
#undef TWIN_KERNEL_NAME
"""


def _fits(request: Request) -> bool:
    text = request.source.text
    return (
        request.portable
        and not request.debug
        and "<<<" not in text
        and _BEGINS_WITH_IT.match(text) is not None
    )


def use_precompiled_header(folder: Path, patch: pytest.MonkeyPatch) -> None:
    """Serves compile_kernel in this process; several processes may share `folder`."""
    commands = build._Build._commands
    plain = build.find_toolchain()

    def header(core: Core) -> Path:
        """The first process that needs it makes it."""
        path = folder / core.value / "kernel_first.h"
        made = path.with_name("kernel_first.h.gch")
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path.with_name("lock"), "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not made.exists():
                path.write_text(_HEADER)
                flags = [*plain.flags, *plain.core_flags[core], *build._PORTABLE[:2], "-fPIC"]
                words = ["-MD", "-MF", os.devnull, "-x", "c++-header", "-o", f"{made}.new"]
                done = run([*plain.command, *flags, *words, str(path)], path.parent)
                if done.returncode != 0:
                    raise subprocess.CalledProcessError(done.returncode, "g++", stderr=done.stderr)
                os.rename(f"{made}.new", made)
        return path

    def with_header(
        self: build._Build, core: Core, library: Path, depfile: Path
    ) -> list[list[str]]:
        first, *rest = commands(self, core, library, depfile)
        if _fits(self.request) and self.toolchain.identity == plain.identity:
            at = first.index(str(self.folder / UNIT))
            first[at:at] = [*_AS_ITS_PRAGMAS, "-fpch-deps", "-include", str(header(core))]
        return [first, *rest]

    patch.setattr(build._Build, "_commands", with_header)
