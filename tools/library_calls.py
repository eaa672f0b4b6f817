# SPDX-License-Identifier: Apache-2.0
"""Makes what lists the barriers of library calls from twin/library_calls.toml.

Without options it writes the section of each page; the build asks for the checker's table
(--table). With --check it writes nothing and fails when a page is outdated.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

DATA = "twin/library_calls.toml"
PAGES = "docs/twin-semantics"
BEGIN = f"<!-- Made from {DATA} by tools/library_calls.py. -->\n"
END = "<!-- End of what was made. -->\n"
#: The types that the file may name, as the kernel and as the twin calls them.
TYPES = {"half": "F16", "float": "F32", "int32_t": "I32"}

INTRO = """
What `PipeBarrier<PIPE_V>` of their own orders, at the level `explicit`
([hazards.md](../hazards.md)). *Begins*: the call comes after all vector instructions before it.
*Ends*: vector instructions behind it come after it. A type: of the source, and only that. Inside,
every call keeps its steps in order.

| call | begins with a barrier | ends with one | but |
|---|---|---|---|
"""


@dataclass(frozen=True)
class LibraryCall:
    """One call; the fields are described at the top of twin/library_calls.toml."""

    name: str
    page: str
    begins: tuple[str, ...] | bool = False
    ends: tuple[str, ...] | bool = False
    late: dict[str, tuple[str, ...] | bool] = field(default_factory=dict)
    note: str = ""

    def row(self) -> str:
        late = ", ".join(
            f"`{operand}`" + ("" if types is True else f" ({words(types)})")
            for operand, types in self.late.items()
        )
        inside = f"comes to {late} behind a barrier inside" if late else ""
        but = "; ".join(filter(None, (inside, self.note)))
        cells = (f"`{self.name}`", words(self.begins), words(self.ends), but)
        return f"| {' | '.join(cells)} |".replace("|  |", "| |") + "\n"


def words(types: tuple[str, ...] | bool) -> str:
    if isinstance(types, bool):
        return "yes" if types else "no"
    return ", ".join(types)


def mask(types: tuple[str, ...] | bool) -> str:
    if isinstance(types, bool):
        return "~0U" if types else "0"
    return " | ".join(f"Bit(Dtype::{TYPES[each]})" for each in types)


def read_call(name: str, page: str, fields: dict[str, Any]) -> LibraryCall:
    given = {key: tuple(v) if isinstance(v, list) else v for key, v in fields.items()}
    late = given.get("late", {})
    given["late"] = {name: tuple(v) if isinstance(v, list) else v for name, v in late.items()}
    try:
        call = LibraryCall(name, page, **given)
    except TypeError as error:
        raise ValueError(f"{DATA}: {name}: {error}") from None
    for types in (call.begins, call.ends, *call.late.values()):
        if not isinstance(types, bool) and not set(types) <= set(TYPES):
            raise ValueError(f"{DATA}: {name}: expected true, false or some of {', '.join(TYPES)}")
    return call


def load(root: Path) -> list[LibraryCall]:
    """All calls, or ValueError that names what is wrong with the file."""
    data = tomllib.loads((root / DATA).read_text("utf-8"))
    calls = [
        read_call(name, page, fields)
        for page, section in data.items()
        for name, fields in section.items()
    ]
    for page in data:
        names = [call.name for call in calls if call.page == page]
        if names != sorted(names):
            raise ValueError(f"{DATA}: {page}: calls stand in the order of their names")
    twice = {call.name for call in calls if sum(call.name == each.name for each in calls) > 1}
    if twice:
        raise ValueError(f"{DATA}: {min(twice)}: on two pages")
    return calls


def render_page(root: Path, page: str, calls: list[LibraryCall]) -> str:
    path = f"{PAGES}/{page}.md"
    before, begin, rest = (root / path).read_text("utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{path}: the lines {BEGIN.strip()!r} and {END.strip()!r} are missing")
    rows = "".join(call.row() for call in calls if call.page == page)
    return before + begin + INTRO + rows + "\n" + end + after


def render_table(calls: list[LibraryCall]) -> str:
    """The C++ source of the table that twin/core/library_calls.h declares."""
    rows, late = "", ""
    for call in sorted(calls, key=lambda call: call.name):
        name = f"kLate{call.name}" if call.late else "nullptr"
        rows += f'    {{"{call.name}", {mask(call.begins)}, {mask(call.ends)}, {name}, '
        rows += f"{len(call.late)}}},\n"
        if call.late:
            operands = ", ".join(f'{{"{each}", {mask(of)}}}' for each, of in call.late.items())
            late += f"constexpr LateOperand {name}[] = {{{operands}}};\n"
    return (
        f"// Made from {DATA} by tools/library_calls.py.\n"
        '#include "core/library_calls.h"\n\nnamespace twin {\n\n'
        "namespace {\n\nconstexpr uint32_t Bit(Dtype dtype) {\n"
        f"    return 1U << static_cast<uint32_t>(dtype);\n}}\n\n{late}\n}}  // namespace\n\n"
        f"const LibraryCall kLibraryCalls[] = {{\n{rows}}};\n"
        "const size_t kLibraryCallCount = sizeof(kLibraryCalls) / sizeof(kLibraryCalls[0]);\n\n"
        "}  // namespace twin\n"
    )


def pages(root: Path, calls: list[LibraryCall]) -> Iterator[tuple[Path, str]]:
    for page in dict.fromkeys(call.page for call in calls):
        yield root / PAGES / f"{page}.md", render_page(root, page, calls)


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[1])
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    parser.add_argument("--table", type=Path, metavar="FILE", help="write the C++ table here")
    options = parser.parse_args(argv)
    calls = load(options.root)
    if options.table is not None:
        text = render_table(calls)
        if not options.table.is_file() or options.table.read_text("utf-8") != text:
            options.table.write_text(text, "utf-8")
        return 0
    faults = 0
    for path, text in pages(options.root, calls):
        if path.read_text("utf-8") == text:
            continue
        if options.check:
            faults += 1
            print(f"{path.relative_to(options.root)}: outdated; run python tools/library_calls.py")
        else:
            path.write_text(text, "utf-8")
    return 1 if faults else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except ValueError as error:
        sys.exit(str(error))
