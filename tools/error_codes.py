# SPDX-License-Identifier: Apache-2.0
"""Makes the lists of the twin's error codes from twin/errors.toml.

Without options it writes the sections of docs/errors.md. With --table it writes the runtime's table
(C++), and with --json the data of `cannery explain`; the build uses both options. With --check it
fails if the page is outdated, or if errors.toml and the sources have different codes.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

from repo import list_files

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

DATA = "twin/errors.toml"
PAGE = "docs/errors.md"
#: The text above this line is written by hand; the text below it is generated.
MARKER = f"<!-- From here on made from {DATA} by tools/error_codes.py. -->\n"
ENDS = ("exception", "timeout", "refused")
#: A code in the sources, which is always at the start of a string literal.
CODE_IN_SOURCE = re.compile(r"""["'](T\d{3})(?=[" '])""")
#: Only sources in these folders raise errors of the twin.
SOURCES = ("twin/", "python/src/", "python/cannery/")


@dataclass(frozen=True)
class ErrorCode:
    """One code; the fields are described at the top of twin/errors.toml."""

    code: str
    title: str
    about: str
    chip: str
    remedy: str = ""
    strict: bool | Literal["partly", "pedantic"] = False
    ends: str = "exception"

    def head(self) -> str:
        names = {True: ["strict"], "partly": ["partly strict"], "pedantic": ["pedantic"]}
        marks = names.get(self.strict, [])
        if self.ends != "exception":
            marks.append(self.ends)
        return f"**{self.title}**" + (f" ({', '.join(marks)})" if marks else "")


@dataclass(frozen=True)
class Group:
    """Codes that share their first digit."""

    name: str
    title: str
    codes: tuple[ErrorCode, ...]
    about: str = ""


def one_line(fields: dict[str, Any]) -> dict[str, Any]:
    return {k: " ".join(v.split()) if isinstance(v, str) else v for k, v in fields.items()}


def read_code(code: str, fields: dict[str, Any]) -> ErrorCode:
    try:
        entry = ErrorCode(code, **one_line(fields))
    except TypeError as error:
        raise ValueError(f"{DATA}: {code}: {error}") from None
    if not re.fullmatch(r"T\d{3}", code):
        raise ValueError(f"{DATA}: {code}: expected T and three digits")
    if entry.ends not in ENDS:
        raise ValueError(f"{DATA}: {code}: ends is {entry.ends!r}, expected one of {ENDS}")
    if entry.strict not in (True, False, "partly", "pedantic"):
        expected = "true, 'partly' or 'pedantic'"
        raise ValueError(f"{DATA}: {code}: strict is {entry.strict!r}, expected {expected}")
    return entry


def load(root: Path) -> list[Group]:
    """Returns the groups with their codes. Raises ValueError if an entry of the file is wrong."""
    data = tomllib.loads((root / DATA).read_text("utf-8"))
    codes = [read_code(code, fields) for code, fields in data["codes"].items()]
    names = [entry.code for entry in codes]
    if names != sorted(names):
        late = next(b for a, b in pairwise(names) if a > b)
        raise ValueError(f"{DATA}: {late}: codes stand in ascending order")
    strangers = [name for name in names if name[:2] not in data["groups"]]
    if strangers:
        raise ValueError(f"{DATA}: {strangers[0]}: no group {strangers[0][:2]}")
    return [
        Group(name, codes=tuple(c for c in codes if c.code.startswith(name)), **one_line(fields))
        for name, fields in data["groups"].items()
    ]


def wrap(text: str) -> str:
    return textwrap.fill(text, 118, break_long_words=False, break_on_hyphens=False) + "\n"


def render_sections(groups: list[Group]) -> Iterator[str]:
    for group in groups:
        yield f"\n## {group.name}xx: {group.title}\n"
        if group.about:
            yield "\n" + wrap(group.about)
        for entry in group.codes:
            yield f"\n### {entry.code}\n{entry.head()}\n\n" + wrap(entry.about)
            if entry.remedy:
                yield wrap(f"Way out: {entry.remedy}")
            yield wrap(f"Chip: {entry.chip}")


def render_page(root: Path, groups: list[Group]) -> str:
    intro, marker, _ = (root / PAGE).read_text("utf-8").partition(MARKER)
    if not marker:
        raise ValueError(f"{PAGE}: the line {MARKER.strip()!r} is missing")
    return intro + marker + "".join(render_sections(groups))


def render_table(groups: list[Group]) -> str:
    """Returns the C++ source of the table that twin/core/types.h declares."""
    rows = "".join(
        f'    {{"{entry.code}", Ends::{entry.ends.capitalize()}}},\n'
        for group in groups
        for entry in group.codes
    )
    return (
        f"// Made from {DATA} by tools/error_codes.py.\n"
        '#include "core/types.h"\n\nnamespace twin {\n\n'
        f"const ErrorCode kErrorCodes[] = {{\n{rows}}};\n"
        "const size_t kErrorCodeCount = sizeof(kErrorCodes) / sizeof(kErrorCodes[0]);\n\n"
        "}  // namespace twin\n"
    )


def render_json(groups: list[Group]) -> str:
    rows = {entry.code: asdict(entry) for group in groups for entry in group.codes}
    return json.dumps(rows, indent=1) + "\n"


def codes_in_sources(root: Path) -> dict[str, str]:
    """Returns each code that the sources raise, with the file and line of its first use."""
    found: dict[str, str] = {}
    for path in list_files(root):
        if path.startswith(SOURCES) and path.endswith((".h", ".cpp", ".py")):
            text = (root / path).read_text("utf-8")
            for match in CODE_IN_SOURCE.finditer(text):
                line = text.count("\n", 0, match.start()) + 1
                found.setdefault(match.group(1), f"{path}:{line}")
    return found


def find_faults(root: Path, groups: list[Group]) -> Iterator[str]:
    known = {entry.code for group in groups for entry in group.codes}
    used = codes_in_sources(root)
    for code in sorted(set(used) - known):
        yield f"{used[code]}: {code} is not in {DATA}"
    for code in sorted(known - set(used)):
        yield f"{DATA}: {code}: no source raises it"
    if (root / PAGE).read_text("utf-8") != render_page(root, groups):
        yield f"{PAGE}: outdated; run python tools/error_codes.py"


def write_if_different(path: Path, text: str) -> None:
    """Writes a file only if its content changes. A new time stamp would make the build recompile
    files.
    """
    if not path.is_file() or path.read_text("utf-8") != text:
        path.write_text(text, "utf-8")


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[1])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--table", type=Path, metavar="FILE.cpp")
    parser.add_argument("--json", type=Path, metavar="FILE.json")
    arguments = parser.parse_args(argv)
    root = arguments.root
    try:
        groups = load(root)
        faults = list(find_faults(root, groups)) if arguments.check else []
        if arguments.table:
            write_if_different(arguments.table, render_table(groups))
        if arguments.json:
            write_if_different(arguments.json, render_json(groups))
        if not (arguments.check or arguments.table or arguments.json):
            (root / PAGE).write_text(render_page(root, groups), "utf-8")
    except ValueError as error:
        faults = [str(error)]
    print("\n".join(faults), file=sys.stderr, end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
