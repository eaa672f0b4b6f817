# SPDX-License-Identifier: Apache-2.0
"""Adds the sources of kernels to build/compile_commands.json, which clangd and other editors read.

CMake writes an entry for each file that it compiles. For each combination of dtypes, it compiles a
generated file, which defines macros and then includes the kernel source. The entry of the source
has the command of the first generated file, and an option that includes the macros.
"""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

from cannery.opgen.render import write_if_different

__all__ = ["add_kernels"]

#: The line of a generated file that looks for the operator's tiling header.
_TILING = "#if __has_include("


def add_kernels(project: Path, folder: Path) -> None:
    """Adds an entry for every file in op_kernel, as the last build in `folder` compiled it."""
    path = folder / "compile_commands.json"
    try:
        entries: list[dict[str, Any]] = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return  # CMake has failed
    sources = project / "op_kernel"
    made = [entry for entry in entries if not Path(entry["file"]).is_relative_to(sources)]
    commands = _commands(made, folder)
    first = next(iter(commands), "")
    for source in sorted(sources.rglob("*")):
        name = source.relative_to(sources).parts[0].partition(".")[0].removesuffix("_tiling")
        name = name if name in commands else first
        if name and source.suffix in (".cpp", ".h", ".hpp"):
            # "tiling" includes <name>_tiling.h, so the entry of this header itself uses "macros".
            which = "macros" if source.name == f"{name}_tiling.h" else "tiling"
            # -x c++: otherwise a compiler would precompile a header.
            before = ["-include", str(_before(folder, name, which)), "-fsyntax-only", "-x", "c++"]
            words = [*commands[name], *before, str(source)]
            made.append({"directory": str(folder), "arguments": words, "file": str(source)})
    write_if_different(path, json.dumps(made, indent=2) + "\n")


def _commands(entries: list[dict[str, Any]], folder: Path) -> dict[str, list[str]]:
    """Returns the compiler's command without the source file, by the name of the kernel source.
    Writes the files with the lines that a generated file has before it includes the source.
    """
    found: dict[str, list[str]] = {}
    for entry in entries:
        row = Path(entry["file"])
        if row.parent == folder / "generated" / "kernel" and row.is_file():
            text = row.read_text("utf-8")
            macros, _, rest = text.partition(_TILING)
            source = next(line for line in rest.splitlines() if line.endswith('.cpp"'))
            name = source.split('"')[1].removesuffix(".cpp")
            if name not in found:
                write_if_different(_before(folder, name, "macros"), macros)
                write_if_different(_before(folder, name, "tiling"), text.partition(source)[0])
                words = shlex.split(entry["command"])
                found[name] = words[: words.index("-o")]
    for path in (folder / "kernel_macros").glob("*.h"):
        if path.name.rsplit(".", 2)[0] not in found:  # the operator was removed
            path.unlink()
    return found


def _before(folder: Path, name: str, which: str) -> Path:
    # A file with the name <name>_tiling.h would include itself.
    return folder / "kernel_macros" / f"{name}.{which}.h"
