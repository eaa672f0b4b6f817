# SPDX-License-Identifier: Apache-2.0
"""Runs clang-tidy on all sources of the repository that a build compiled (.clang-tidy has the
checks).

Reads compile_commands.json in the given build folder. A source that is compiled several times, for
several instruction sets, is checked once. The sources that CMake compiles together (unity build)
are checked together, because most of the time goes into reading their headers. The compiler also
reads each source alone, so the tool finds a source that lacks an include.

--quick leaves out the static analyzer, which takes ten times as long as all other checks.
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
#: Options of clang-tidy. The build uses some warning options that only GCC knows.
FLAGS = ("--quiet", "--extra-arg=-Wno-unknown-warning-option")
COMPILER = os.environ.get("CXX") or "g++"
Options = tuple[str, ...]
_INCLUDED = re.compile(r'^#include "(.+)"$', re.MULTILINE)
#: Checks that are off for kernels. clang-tidy does not know that Init sets the members of objects
#: in a kernel, that tiling never gives a divisor of 0, and that GetPhyAddr, which is a number here,
#: is a pointer if the toolkit compiles the kernel for a CPU.
KERNEL_CHECKS = (
    "-clang-analyzer-core.DivideZero,-clang-analyzer-optin.cplusplus.UninitializedObject,"
    "-readability-redundant-casting"
)
WITHOUT_ANALYZER = "-clang-analyzer-*"


def units(build: Path, only: Sequence[str]) -> list[tuple[tuple[str, ...], Options]]:
    """Returns groups of hand-written sources that are compiled together, with their compiler
    options. Only sources whose path in the checkout starts with one of `only` are included.
    """
    database = json.loads((build / "compile_commands.json").read_text("utf-8"))
    found: dict[str, tuple[tuple[str, ...], Options]] = {}
    seen: set[str] = set()
    for entry in database:
        compiled = (Path(entry["directory"]) / entry["file"]).resolve()
        paths = _INCLUDED.findall(_text(compiled)) if _is_unity(compiled) else [compiled]
        names = [os.path.relpath(path, ROOT) for path in paths if build not in Path(path).parents]
        # Tests are left out: clang-tidy would report fixed seeds and invalid enumerators in them.
        ours = [name for name in names if not name.startswith(("..", "tests/"))]
        new = [name for name in ours if name not in seen and _wanted(name, only)]
        if new:
            seen.update(new)
            found[new[0]] = (tuple(new), tuple(_options(shlex.split(entry["command"]))))
    return [found[name] for name in sorted(found)]


def _wanted(name: str, only: Sequence[str]) -> bool:
    return name.startswith(tuple(only)) or not only


def _is_unity(path: Path) -> bool:
    """Returns whether CMake generated this source, which includes several sources (unity build)."""
    return path.name.startswith("unity_")


def _text(path: Path) -> str:
    return path.read_text("utf-8") if path.is_file() else ""


def _options(command: list[str]) -> Iterator[str]:
    """Yields the options of a compiler command, without the source and the output."""
    words = itertools.dropwhile(lambda word: not word.startswith("-"), command)
    for word in words:
        if word in ("-o", "-c"):
            next(words, None)
        else:
            yield word


def kernels(build: Path) -> list[str]:
    """Returns one generated wrapper source for each operator, for its first combination of dtypes.
    The other wrappers include the same kernel.
    """
    wrappers = (build / "generated" / "kernel").glob("*_0.cpp")
    return sorted(path.as_posix() for path in wrappers)


def together(sources: Sequence[str], folder: Path, number: int) -> str:
    """Returns the path of a source that includes all `sources`. Its name begins with UnifiedSource,
    which tells clang-tidy that the file includes other sources.
    """
    if len(sources) == 1:
        return sources[0]
    path = folder / str(number) / f"UnifiedSource_{number}.cpp"
    path.parent.mkdir(exist_ok=True)
    own = (ROOT / sources[0]).with_name(".clang-tidy")  # a folder may have other checks
    if own.is_file():
        shutil.copy(own, path.parent)
    path.write_text("".join(f'#include "{ROOT / source}"\n' for source in sources))
    return str(path)


def check(command: Sequence[str]) -> str:
    """Runs a command. Returns its output if it fails; an empty string if it succeeds."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=Path, help="build folder with compile_commands.json")
    parser.add_argument("only", nargs="*", help="beginnings of paths, such as twin/host")
    parser.add_argument("--quick", action="store_true", help="without the static analyzer")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count() or 1)
    arguments = parser.parse_intermixed_args(argv)
    beside = Path(sys.executable).with_name("clang-tidy")
    tool = str(beside) if beside.is_file() else shutil.which("clang-tidy")
    if tool is None:
        sys.exit("tidy: no clang-tidy; pip install -r locks/lint.txt")
    build = arguments.build.resolve()
    tidy = [tool, *FLAGS]
    # Kernels come first, because they take the longest.
    wrappers = [] if arguments.only else kernels(build)
    quick = f"{WITHOUT_ANALYZER}," if arguments.quick else ""
    checks = f"--checks={quick}{KERNEL_CHECKS}"
    jobs = [[*tidy, "-p", str(build), each, checks] for each in wrappers]
    if arguments.quick:
        tidy.append(f"--checks={WITHOUT_ANALYZER}")
    alone = []
    folder = build / "tidy"
    folder.mkdir(exist_ok=True)
    for number, (sources, options) in enumerate(units(build, arguments.only)):
        jobs.append([*tidy, together(sources, folder, number), "--", *options])
        if len(sources) > 1:
            alone += [[COMPILER, *options, "-fsyntax-only", source] for source in sources]
    jobs += alone
    # A finding in a header appears once for each source that includes it.
    seen: set[str] = set()
    with ThreadPoolExecutor(arguments.jobs) as pool:
        for text in pool.map(check, jobs):
            if text and text not in seen:
                seen.add(text)
                print(text, flush=True)
    print(f"tidy: {len(jobs)} runs, {'findings above' if seen else 'no findings'}")
    return 1 if seen else 0


if __name__ == "__main__":
    sys.exit(main())
