# SPDX-License-Identifier: Apache-2.0
"""Runs clang-tidy on all sources of the repository that a build compiled (.clang-tidy has the
checks).

Reads compile_commands.json in the given build folder. A source that is compiled several times, as
the lanes are for each instruction set, is checked once.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
#: The build uses a few flags that only GCC knows.
FLAGS = ("--quiet", "--extra-arg=-Wno-unknown-warning-option")
#: A kernel's wrapper includes its source. clang-tidy does not see that Init sets the members of its
#: objects, nor what tiling guarantees.
KERNEL_CHECKS = (
    "-bugprone-suspicious-include,"
    "-clang-analyzer-core.DivideZero,-clang-analyzer-optin.cplusplus.UninitializedObject"
)


def sources(build: Path, only: Sequence[str]) -> list[str]:
    """The hand-written sources whose path in the checkout starts with one of `only`."""
    database = json.loads((build / "compile_commands.json").read_text("utf-8"))
    found = set()
    for entry in database:
        path = (Path(entry["directory"]) / entry["file"]).resolve()
        if path.is_relative_to(ROOT) and not path.is_relative_to(build):
            found.add(path.relative_to(ROOT).as_posix())
    # Tests use fixed seeds and values outside of an enumeration on purpose.
    found = {name for name in found if not name.startswith("tests/")}
    return sorted(name for name in found if name.startswith(tuple(only)) or not only)


def kernels(build: Path) -> list[str]:
    """One wrapper for each operator, because its rows of dtypes instantiate the same sources."""
    wrappers = (build / "generated" / "kernel").glob("*_0.cpp")
    return sorted(path.as_posix() for path in wrappers)


def check(tool: str, build: Path, source: str) -> str:
    """What clang-tidy says about one source; empty if it says nothing."""
    command = [tool, *FLAGS, "-p", str(build), source]
    if Path(source).is_absolute():
        command.append(f"--checks={KERNEL_CHECKS}")
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
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
    names = sources(build, arguments.only) + ([] if arguments.only else kernels(build))
    # A finding in a header appears once for each source that includes it.
    seen: set[str] = set()
    with ThreadPoolExecutor(arguments.jobs) as pool:
        for text in pool.map(lambda name: check(tool, build, name), names):
            if text and text not in seen:
                seen.add(text)
                print(text, flush=True)
    print(f"tidy: {len(names)} sources, {'findings above' if seen else 'no findings'}")
    return 1 if seen else 0


if __name__ == "__main__":
    sys.exit(main())
