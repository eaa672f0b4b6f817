# SPDX-License-Identifier: Apache-2.0
"""Makes what the model of time knows of library calls from twin/library_steps.toml.

The build asks for the functions that list the steps of each call (--source). With --check it
writes nothing; without options it writes the list of calls in docs/timing.md.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from pathlib import Path
from typing import Any

from step_language import function, kinds, macro, parse

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

DATA = "twin/library_steps.toml"
CALLS = "twin/library_calls.toml"
COSTS = "twin/timing/costs_2201.cpp"
PAGE = "docs/timing.md"
BEGIN = f"<!-- Made from {DATA} by tools/library_steps.py. -->\n"
END = "<!-- End of what was made. -->\n"
MACROS = "shared"


def load(root: Path) -> dict[str, Any]:
    """The file, or ValueError that names what is wrong with it."""
    data = tomllib.loads((root / DATA).read_text("utf-8"))
    known = tomllib.loads((root / CALLS).read_text("utf-8"))
    names = [name for name in data if name != MACROS]
    if names != sorted(names):
        raise ValueError(f"{DATA}: calls stand in the order of their names")
    unknown = set(names) - {name for page in known.values() for name in page}
    if unknown:
        raise ValueError(f"{DATA}: {min(unknown)} is not in {CALLS}")
    return data


def render(data: dict[str, Any]) -> str:
    """The C++ source of the table that twin/timing/library_steps.h declares."""
    shared = [
        each for each in parse(data[MACROS]["steps"], MACROS) if isinstance(each, ast.FunctionDef)
    ]
    macros = {each.name: kinds(each) for each in shared}
    declared, defined = "", ""
    for each in shared:
        declaration, definition = macro(each, macros)
        declared += declaration
        defined += definition
    rows = ""
    for name, call in data.items():
        if name == MACROS:
            continue
        try:
            defined += function(name, call, macros)
        except ValueError as error:
            raise ValueError(f"{DATA}: {name}: {error}") from None
        rows += f"    {{Opcode::{name}, {name}Steps}},\n"
    return (
        f"// Made from {DATA} by tools/library_steps.py.\n"
        '#include <algorithm>\n\n#include "timing/library_steps.h"\n\n'
        f"namespace twin::timing {{\nnamespace {{\n\n{declared}\n{defined}}}  // namespace\n\n"
        f"const LibrarySteps kLibrarySteps[] = {{\n{rows}}};\n"
        "const size_t kLibraryStepsCount = sizeof(kLibrarySteps) / sizeof(kLibrarySteps[0]);\n\n"
        "}  // namespace twin::timing\n"
    )


def listed(root: Path, data: dict[str, Any]) -> str:
    """The section of the page: what is timed by its steps, what by a formula."""
    known = tomllib.loads((root / CALLS).read_text("utf-8"))
    names = sorted(name for page in known.values() for name in page)
    priced = set(re.findall(r"\{Opcode::(\w+),\s+\{", (root / COSTS).read_text("utf-8")))
    steps = [name for name in names if name in data]
    partly = [name for name in steps if "formula()" in data[name]["steps"]]
    formula = [name for name in names if name not in data and name in priced]
    other = [name for name in names if name not in data and name not in priced]
    rows = {
        "by their steps": [name for name in steps if name not in partly],
        "by their steps, some forms by a formula": partly,
        "by a formula": formula,
        "guessed": other,
    }
    cells = (f"| {how} | {', '.join(each)} |\n" for how, each in rows.items() if each)
    return "\n| timed | calls |\n|---|---|\n" + "".join(cells) + "\n"


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[1])
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    parser.add_argument("--source", type=Path, metavar="FILE", help="write the C++ source here")
    options = parser.parse_args(argv)
    data = load(options.root)
    text = render(data)
    if options.source is not None:
        if not options.source.is_file() or options.source.read_text("utf-8") != text:
            options.source.write_text(text, "utf-8")
        return 0
    page = options.root / PAGE
    before, begin, rest = page.read_text("utf-8").partition(BEGIN)
    old, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{PAGE}: the lines {BEGIN.strip()!r} and {END.strip()!r} are missing")
    new = listed(options.root, data)
    if old != new and options.check:
        print(f"{PAGE}: outdated; run python tools/library_steps.py")
        return 1
    if old != new:
        page.write_text(before + begin + new + end + after, "utf-8")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except ValueError as error:
        sys.exit(str(error))
