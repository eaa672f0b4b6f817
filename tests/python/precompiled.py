# SPDX-License-Identifier: Apache-2.0
"""Makes kernels of tests compile faster. The compiler spends most of a small kernel's time on
reading kernel_operator.h, so it reads the header once and keeps it precompiled; it ignores a
precompiled header that does not fit its command line. The compiler spends most of a large kernel's
time on optimizing, so it optimizes those of tests/fixtures less. Neither changes a result: no
option lets the compiler reorder floating-point arithmetic, and the instructions themselves lie in
the twin.
"""

from __future__ import annotations

import fcntl
import os
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from cannery.compile import build
from cannery.compile.cache import digest
from cannery.compile.cores import Core
from cannery.compile.process import run
from cannery.compile.request import BEGIN, UNIT, Request
from cannery.compile.toolchain import compiler_command

#: The variable that names the folder with the headers.
FOLDER = "PRECOMPILED_FOR_TESTS"

#: Nothing may come before it that could change its meaning.
_BEGINS_WITH_IT = re.compile(
    r'(?:\s|//[^\n]*\n|/\*.*?\*/)*#include "kernel_operator\.h"', re.DOTALL
)
_INCLUDE = re.compile(r'^#include [<"]([^>"]+)', re.MULTILINE)
_FIXTURES = Path(__file__).resolve().parents[1] / "fixtures" / "kernels"
#: The compiler forgets them with the rest of the text.
_AS_ITS_PRAGMAS = ("-Wno-subobject-linkage", "-Wno-class-memaccess")
# The unit around a kernel defines the name first; it only matters that it is defined.
_HEADER = f"""\
{BEGIN}#define TWIN_KERNEL_NAME none
#include "kernel_operator.h"
#undef TWIN_KERNEL_NAME
"""


def _is_fixture(request: Request) -> bool:
    folder = request.source.folder
    return folder is not None and folder.is_relative_to(_FIXTURES)


def _fits(request: Request) -> bool:
    text = request.source.text
    if "<<<" in text:
        return False
    if _BEGINS_WITH_IT.match(text) is not None:
        return True
    return _is_fixture(request) and _begins_in_headers(text, request.source.folder)


def _begins_in_headers(text: str, folder: Path | None) -> bool:
    """Returns whether a fixture includes it first, perhaps by a header of its folder. The macros
    before the includes of fixtures are for those headers.
    """
    first = _INCLUDE.search(text)
    if first is None or first[1] == "kernel_operator.h":
        return first is not None
    header = Path(folder or "", first[1])
    return header.is_file() and _begins_in_headers(header.read_text(), folder)


def _options(request: Request, debug: Sequence[str]) -> list[str]:
    """Returns what the compiler gets beside the flags of every kernel: a precompiled header fits
    only those that it was made with.
    """
    options = [*build._PORTABLE[:2]] if request.portable else []
    return options + ([*debug] if request.debug else ["-O1"] if _is_fixture(request) else [])


def use_precompiled_header() -> None:
    """Serves compile_kernel in this process, if its parent names a folder for the headers and the
    compiler is g++; several processes may share the folder.
    """
    named, compiler = os.environ.get(FOLDER), compiler_command()
    if named is None or compiler is None or Path(compiler[-1]).name != "g++":
        return
    folder = Path(named)
    commands = build._Build._commands
    plain = build.find_toolchain()

    def header(core: Core, options: Sequence[str]) -> Path:
        """Returns the first process that needs it makes it."""
        flags = [*plain.flags, *plain.core_flags[core], "-fPIC", *options]
        path = folder / digest(flags)[:16] / "kernel_first.h"
        made = path.with_name("kernel_first.h.gch")
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path.with_name("lock"), "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not made.exists():
                path.write_text(_HEADER)
                os.utime(path, (0, 0))  # a kernel whose header is new is not kept in the cache
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
        # A test's script that starts g++ has a name with the same end.
        if _fits(self.request) and self.toolchain.command[-1].endswith("g++"):
            options = _options(self.request, plain.debug_flags)
            at = first.index(str(self.folder / UNIT))
            include = [*_AS_ITS_PRAGMAS, "-fpch-deps", "-include", str(header(core, options))]
            first[at:at] = [*options, *include]
        return [first, *rest]

    build._Build._commands = with_header  # type: ignore[method-assign]
