# SPDX-License-Identifier: Apache-2.0
"""Makes kernels of tests compile faster, without a change of their results. For a small kernel, g++
spends most time on reading kernel_operator.h, so the tests precompile this header. If the options
differ, g++ ignores the precompiled header. For a large kernel, g++ spends most time on optimizing.
So the tests optimize kernels of tests/fixtures less. Results stay equal: no option lets g++ reorder
floating-point arithmetic, and the twin's library computes the instructions."""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

from cannery.compile import build, checked
from cannery.compile.cache import digest
from cannery.compile.cores import Core
from cannery.compile.process import run
from cannery.compile.request import BEGIN, UNIT, Request
from cannery.compile.toolchain import Toolchain, compiler_command

#: The variable with the folder for the precompiled headers.
FOLDER = "PRECOMPILED_FOR_TESTS"

#: Number of folders that stay for compilers and headers which this run does not use.
_KEPT = 2

#: Matches a source in which only comments come before the include of kernel_operator.h.
_BEGINS_WITH_IT = re.compile(
    r'(?:\s|//[^\n]*\n|/\*.*?\*/)*#include "kernel_operator\.h"', re.DOTALL
)
_LOADS_IT = re.compile(r"^#pragma GCC pch_preprocess .*\n", re.MULTILINE)
_LOADED = "// the precompiled header"
_INCLUDE = re.compile(r'^#include [<"]([^>"]+)', re.MULTILINE)
_FIXTURES = Path(__file__).resolve().parents[1] / "fixtures" / "kernels"
#: Options that replace pragmas of the header, because a precompiled header loses its pragmas.
_AS_ITS_PRAGMAS = ("-Wno-subobject-linkage", "-Wno-class-memaccess")
# A generated source defines TWIN_KERNEL_NAME first, but the header does not use the value.
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
    """Returns whether a fixture first includes kernel_operator.h, or a header of `folder` that
    first includes kernel_operator.h. Macros before this include affect only those headers."""
    first = _INCLUDE.search(text)
    if first is None or first[1] == "kernel_operator.h":
        return first is not None
    header = Path(folder or "", first[1])
    return header.is_file() and _begins_in_headers(header.read_text(), folder)


def _options(request: Request, debug: Sequence[str]) -> list[str]:
    """Returns the compiler options that not every kernel has. A precompiled header fits only the
    options that it was made with."""
    options = [*build._PORTABLE[:2]] if request.portable else []
    return options + ([*debug] if request.debug else ["-O1"] if _is_fixture(request) else [])


def _folder_of_headers(folder: Path, toolchain: Toolchain) -> Path:
    """Returns a folder in `folder` for this compiler and the twin's headers as they are now. Of the
    other folders, keeps the newest ones: a precompiled header has more than 50 MB."""
    parts = [repr(toolchain.identity)]
    for path in sorted(toolchain.include.rglob("*")):
        if path.is_file():
            parts += [str(path), hashlib.sha256(path.read_bytes()).hexdigest()]
    own = folder / digest(parts)[:16]
    own.mkdir(parents=True, exist_ok=True)
    others = [path for path in folder.iterdir() if path != own]
    others.sort(key=lambda path: path.stat().st_mtime)
    for path in others[:-_KEPT]:
        shutil.rmtree(path, ignore_errors=True)
    return own


def use_precompiled_header() -> None:
    """Makes compile_kernel use precompiled headers in this process, if FOLDER names a folder for
    them and the compiler is g++. Processes may share the folder."""
    named, compiler = os.environ.get(FOLDER), compiler_command()
    if named is None or compiler is None or Path(compiler[-1]).name != "g++":
        return
    commands = build._Build._commands
    plain = build.find_toolchain()
    folder = _folder_of_headers(Path(named), plain)

    def header(core: Core, options: Sequence[str]) -> Path:
        """Returns the header for these options. The first process that needs it makes it."""
        flags = [*plain.flags, *plain.core_flags[core], "-fPIC", *options]
        path = folder / digest(flags)[:16] / "kernel_first.h"
        made = path.with_name("kernel_first.h.gch")
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path.with_name("lock"), "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not made.exists():
                path.write_text(_HEADER)
                # The cache would not keep a kernel with a new header.
                os.utime(path, (0, 0))
                words = ["-MD", "-MF", os.devnull, "-x", "c++-header", "-o", f"{made}.new"]
                done = run([*plain.command, *flags, *words, str(path)], path.parent)
                if done.returncode != 0:
                    raise subprocess.CalledProcessError(done.returncode, "g++", stderr=done.stderr)
                os.utime(f"{made}.new", (0, 0))
                os.rename(f"{made}.new", made)
        return path

    def with_header(
        self: build._Build, core: Core, library: Path, depfile: Path
    ) -> list[list[str]]:
        first, *rest = commands(self, core, library, depfile)
        # A test may use a script for g++, whose name also ends with g++.
        compiler = self.toolchain.command[-1]
        if _fits(self.request) and compiler.endswith("g++") and not compiler.endswith("clang++"):
            options = _options(self.request, plain.debug_flags)
            at = first.index(str(self.folder / UNIT))
            include = [
                *_AS_ITS_PRAGMAS,
                "-fpch-deps",
                "-fpch-preprocess",
                "-include",
                str(header(core, options)),
            ]
            first[at:at] = [*options, *include]
        return [first, *rest]

    build._Build._commands = with_header  # type: ignore[method-assign]
    _compile_preprocessed_with_header()


def _compile_preprocessed_with_header() -> None:
    """Makes compile_checked use the precompiled header, too. g++ crashes if preprocessed text loads
    one (#pragma GCC pch_preprocess), so the text is compiled like a source that includes it."""
    of_preprocessed, edited_texts = checked._of_preprocessed, checked.edited_texts

    def of_source(command: list[str], source: str, text: str) -> list[str]:
        # If the options do not fit, g++ ignores the precompiled header.
        if _LOADED not in Path(text).read_text("utf-8", "surrogateescape"):
            return of_preprocessed(command, source, text)
        at = command.index(source)
        words = [*command[:at], "-x", "c++", text, "-x", "none", *command[at + 1 :]]
        # The list of headers must stay that of the first step.
        words[words.index("-MF") + 1] = os.devnull
        return words

    def without_pragma(text: str, own: str) -> Iterator[str]:
        return edited_texts(_LOADS_IT.sub(f"{_LOADED}\n", text), own)

    checked._of_preprocessed = of_source
    checked.edited_texts = without_pragma
