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
STEPS = "twin/library_steps.toml"
PAGES = "docs/twin-semantics"
BEGIN = f"<!-- Made from {DATA} by tools/library_calls.py. -->\n"
END = "<!-- End of what was made. -->\n"
#: The types that the file may name, as the kernel and as the twin calls them.
TYPES = {"half": "F16", "float": "F32", "int32_t": "I32"}

INTRO = """
What `PipeBarrier<PIPE_V>` of their own orders, at the level `explicit`
([hazards.md](../hazards.md)). *Begins*: the call comes after all vector instructions before it.
*Ends*: vector instructions behind it come after it. A type: of the source, and only that. Names
behind *not with*: forms of the call. Inside, every call keeps its steps in order.

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
    forms: tuple[str, ...] = ()
    begins_unless: tuple[str, ...] = ()
    ends_unless: tuple[str, ...] = ()

    def row(self) -> str:
        late = ", ".join(
            f"`{operand}`" + ("" if types is True else f" ({words(types)})")
            for operand, types in self.late.items()
        )
        inside = f"comes to {late} behind a barrier inside" if late else ""
        but = "; ".join(filter(None, (inside, self.note)))
        begins = words(self.begins) + without(self.begins_unless)
        cells = (f"`{self.name}`", begins, words(self.ends) + without(self.ends_unless), but)
        return f"| {' | '.join(cells)} |".replace("|  |", "| |") + "\n"

    def condition(self, types: tuple[str, ...] | bool, unless: tuple[str, ...] = ()) -> str:
        """An initializer of a Condition."""
        return f"{{{mask(types)}, {sum(1 << self.forms.index(form) for form in unless)}}}"


def without(forms: tuple[str, ...]) -> str:
    """The forms for which something does not hold, behind its cell."""
    return f", not with {' or '.join(f'`{form}`' for form in forms)}" if forms else ""


def words(types: tuple[str, ...] | bool) -> str:
    if isinstance(types, bool):
        return "yes" if types else "no"
    return ", ".join(types)


def mask(types: tuple[str, ...] | bool) -> str:
    if isinstance(types, bool):
        return "~0U" if types else "0"
    return " | ".join(f"Bit(Dtype::{TYPES[each]})" for each in types)


def read_call(
    name: str, page: str, fields: dict[str, Any], forms: dict[str, list[str]]
) -> LibraryCall:
    given = {key: tuple(v) if isinstance(v, list) else v for key, v in fields.items()}
    late = given.get("late", {})
    given["late"] = {name: tuple(v) if isinstance(v, list) else v for name, v in late.items()}
    given.setdefault("forms", tuple(forms.get(name, ())))
    try:
        call = LibraryCall(name, page, **given)
    except TypeError as error:
        raise ValueError(f"{DATA}: {name}: {error}") from None
    for types in (call.begins, call.ends, *call.late.values()):
        if not isinstance(types, bool) and not set(types) <= set(TYPES):
            raise ValueError(f"{DATA}: {name}: expected true, false or some of {', '.join(TYPES)}")
    unknown = {*call.begins_unless, *call.ends_unless} - set(call.forms)
    if unknown:
        raise ValueError(f"{DATA}: {name}: {min(unknown)} is no form of it")
    return call


def load(root: Path) -> list[LibraryCall]:
    """All calls, or ValueError that names what is wrong with the file."""
    data = tomllib.loads((root / DATA).read_text("utf-8"))
    steps = tomllib.loads((root / STEPS).read_text("utf-8"))
    forms = {name: call.get("forms", []) for name, call in steps.items()}
    calls = [
        read_call(name, page, fields, forms)
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
        begins = call.condition(call.begins, call.begins_unless)
        ends = call.condition(call.ends, call.ends_unless)
        rows += f"    {{Opcode::{call.name}, {begins}, {ends}, {name}, {len(call.late)}}},\n"
        if call.late:
            operands = ", ".join(
                f"{{Arg::{each[0].upper()}{each[1:]}, {call.condition(of)}}}"
                for each, of in call.late.items()
            )
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
