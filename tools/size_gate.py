# SPDX-License-Identifier: Apache-2.0
"""Fails if a file, a function or a table of TOML is longer than its limit; prints the largest ones.

A file that must be longer needs a line in tools/size_reasons.toml: "path" or "path::function" =
{ limit = N, reason = "..." }. First try to split the file.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from function_sizes import cpp_functions, python_functions, toml_tables
from repo import list_files

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

#: For each pattern of file names: the aim and the limit in lines. The first match counts.
FILE_LIMITS = (
    ("twin/device/*.h", 80, 200),
    ("op_kernel/*.cpp", 80, 400),
    ("op_kernel/*.h", 250, 400),
    ("python/cannery/opgen/new/*", 200, 400),  # templates of new operators and projects
    ("*.jinja", 60, 100),
    ("build.sh", 120, 150),
    ("*.py", 250, 400),
    ("*.h", 200, 400),
    ("*.cpp", 200, 400),
    ("*.cmake", 200, 400),
    ("*CMakeLists.txt", 200, 400),
    ("*.sh", 200, 400),
    ("*.js", 200, 400),
    ("*.css", 200, 400),
    # A TOML file with data may be long, because readers look up one entry by its key. Each entry
    # must be short (see toml_tables).
    ("*.toml", 400, 1500),
)
FUNCTION_AIM, FUNCTION_LIMIT = 30, 60
#: A kernel's main loop must fit on a screen.
KERNEL_PROCESS_LIMIT = 40


@dataclass(frozen=True)
class Size:
    """The lines of a file, or of a function or table in it (`path::name`), with aim and limit."""

    key: str
    lines: int
    aim: int
    limit: int


def file_size(path: str, text: str) -> Size | None:
    for pattern, aim, limit in FILE_LIMITS:
        if fnmatch(path, pattern):
            return Size(path, len(text.splitlines()), aim, limit)
    return None


def function_sizes(path: str, text: str) -> list[Size]:
    if path.endswith((".h", ".cpp")):
        functions = cpp_functions(text)
    elif path.endswith(".py"):
        functions = python_functions(text, path)
    elif path.endswith(".toml"):
        functions = toml_tables(text)
    else:
        return []
    in_kernel = path.startswith("op_kernel/")
    return [
        Size(
            f"{path}::{name}",
            lines,
            FUNCTION_AIM,
            KERNEL_PROCESS_LIMIT if in_kernel and name == "Process" else FUNCTION_LIMIT,
        )
        for name, lines in functions
    ]


def measure(root: Path) -> tuple[list[Size], list[Size]]:
    """Returns the sizes of all files, and of all functions and tables."""
    files: list[Size] = []
    functions: list[Size] = []
    for path in list_files(root):
        if any(fnmatch(path, pattern) for pattern, _, _ in FILE_LIMITS):
            text = (root / path).read_text("utf-8")
            size = file_size(path, text)
            if size is not None:
                files.append(size)
            functions += function_sizes(path, text)
    return files, functions


def find_faults(sizes: list[Size], reasons: dict[str, dict[str, Any]]) -> list[str]:
    """Returns a message for each size over its limit, and for each reason that is not needed."""
    faults = []
    for size in sizes:
        limit = reasons.get(size.key, {}).get("limit", size.limit)
        if size.lines > limit:
            faults.append(f"{size.key}: {size.lines} lines; at most {limit}: split it")
    needed = {size.key for size in sizes if size.lines > size.limit}
    for key, entry in reasons.items():
        if key not in needed:
            faults.append(f"tools/size_reasons.toml: {key}: not needed any more: remove it")
        elif not entry.get("reason"):
            faults.append(f"tools/size_reasons.toml: {key}: has no reason")
    return faults


def growth(root: Path) -> str:
    """Returns how many lines the branch adds and removes since main, or why this is unknown."""
    command = ["git", "-C", str(root), "diff", "--shortstat", "main...HEAD"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return "unknown: no branch main here"
    return done.stdout.strip() or "none"


def print_report(root: Path, files: list[Size], functions: list[Size]) -> None:
    for title, sizes in (("files", files), ("functions", functions)):
        print(f"largest {title} (lines, aim, limit):")
        for size in sorted(sizes, key=lambda s: (-s.lines, s.key))[:10]:
            mark = " over its aim" if size.lines > size.aim else ""
            print(f"  {size.lines:4} {size.aim:4} {size.limit:4}  {size.key}{mark}")
    print(f"total: {sum(size.lines for size in files)} lines in {len(files)} files")
    print(f"against main: {growth(root)}")


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[1])
    root = parser.parse_args(argv).root
    try:
        files, functions = measure(root)
    except SyntaxError as error:
        sys.exit(f"{error.filename}:{error.lineno}: cannot be parsed: {error.msg}")
    print_report(root, files, functions)
    reasons_path = root / "tools" / "size_reasons.toml"
    reasons = tomllib.loads(reasons_path.read_text("utf-8")) if reasons_path.is_file() else {}
    faults = find_faults(files + functions, reasons)
    print("\n".join(faults), file=sys.stderr, end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
