# SPDX-License-Identifier: Apache-2.0
"""Runs clang-tidy on all sources of the repository that a build compiled (.clang-tidy has the
checks).

Reads compile_commands.json in the given build folder. A source that is compiled several times, as
the lanes are for each instruction set, is checked once. A source that is part of a unit is checked
by itself, so the check also finds a source that lacks an include which its neighbours have.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
#: The build uses a few flags that only GCC knows.
FLAGS = ("--quiet", "--extra-arg=-Wno-unknown-warning-option")
_INCLUDED = re.compile(r'^#include "(.+)"$', re.MULTILINE)
#: A kernel's wrapper includes its source. clang-tidy does not see that Init sets the members of its
#: objects, nor what tiling guarantees.
KERNEL_CHECKS = (
    "-bugprone-suspicious-include,"
    "-clang-analyzer-core.DivideZero,-clang-analyzer-optin.cplusplus.UninitializedObject"
)


def sources(build: Path, only: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Returns the hand-written sources whose path in the checkout starts with one of `only`, each
    with the options that compiled it.
    """
    database = json.loads((build / "compile_commands.json").read_text("utf-8"))
    found: dict[str, tuple[str, ...]] = {}
    for entry in database:
        compiled = (Path(entry["directory"]) / entry["file"]).resolve()
        options = tuple(_options(shlex.split(entry["command"])))
        for path in _INCLUDED.findall(_text(compiled)) if _is_unity(compiled) else [compiled]:
            name = os.path.relpath(path, ROOT)
            # Tests use fixed seeds and values outside of an enumeration on purpose.
            ours = not name.startswith(("..", "tests/")) and build not in Path(path).parents
            if ours and (name.startswith(tuple(only)) or not only):
                found.setdefault(name, options)
    return dict(sorted(found.items()))


def _is_unity(path: Path) -> bool:
    """Returns whether CMake wrote this source to compile several others at once."""
    return path.name.startswith("unity_")


def _text(path: Path) -> str:
    return path.read_text("utf-8") if path.is_file() else ""


def _options(command: list[str]) -> Iterator[str]:
    """Returns a command without the compiler, the source and the output."""
    words = itertools.dropwhile(lambda word: not word.startswith("-"), command)
    for word in words:
        if word in ("-o", "-c"):
            next(words, None)
        else:
            yield word


def kernels(build: Path) -> list[str]:
    """One wrapper for each operator, because its rows of dtypes instantiate the same sources."""
    wrappers = (build / "generated" / "kernel").glob("*_0.cpp")
    return sorted(path.as_posix() for path in wrappers)


def check(tool: str, words: Sequence[str]) -> str:
    """Returns what clang-tidy says with these arguments; empty if it says nothing."""
    done = subprocess.run(
        [tool, *FLAGS, *words], capture_output=True, text=True, check=False, cwd=ROOT
    )
    return "" if done.returncode == 0 else done.stdout + done.stderr


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=Path, help="build folder with compile_commands.json")
    parser.add_argument("only", nargs="*", help="beginnings of paths, such as twin/host")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count() or 1)
    arguments = parser.parse_args(argv)
    beside = Path(sys.executable).with_name("clang-tidy")
    tool = str(beside) if beside.is_file() else shutil.which("clang-tidy")
    if tool is None:
        sys.exit("tidy: no clang-tidy; pip install -r locks/lint.txt")
    build = arguments.build.resolve()
    # Kernels come first, because they take the longest.
    wrappers = [] if arguments.only else kernels(build)
    jobs = [["-p", str(build), wrapper, f"--checks={KERNEL_CHECKS}"] for wrapper in wrappers]
    jobs += [[name, "--", *words] for name, words in sources(build, arguments.only).items()]
    # A finding in a header appears once for each source that includes it.
    seen: set[str] = set()
    with ThreadPoolExecutor(arguments.jobs) as pool:
        for text in pool.map(lambda words: check(tool, words), jobs):
            if text and text not in seen:
                seen.add(text)
                print(text, flush=True)
    print(f"tidy: {len(jobs)} sources, {'findings above' if seen else 'no findings'}")
    return 1 if seen else 0


if __name__ == "__main__":
    sys.exit(main())
