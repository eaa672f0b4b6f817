# SPDX-License-Identifier: Apache-2.0
"""Writes lists of the built twin's library calls into pages of docs. The lists show which calls
begin or end with a barrier, and how the twin computes the time of each call. With --check it
writes nothing and fails if a page is outdated.
"""

from __future__ import annotations

import argparse
import ctypes
import re
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGES = ("docs/twin-semantics/advanced-math.md", "docs/twin-semantics/advanced-norm.md")
TIMING = "docs/timing.md"
COSTS = "twin/timing/costs_2201.cpp"
OPCODES = "twin/core/opcodes.def"
BEGIN = "<!-- Made from the built twin by tools/library_calls.py. -->\n"
END = "<!-- End of what was made. -->\n"
#: C++ types of the calls, and their names in the enumeration Dtype of the twin.
TYPES = {"half": "F16", "float": "F32"}
#: Bits that select a variant (form) of a call. FORMS are tried one at a time; WIDE means that
#: softmax has its sums in float.
FORMS = (1, 2, 4, 8, 16, 64)
WIDE = 32
BEGINS, ENDS, LATE, TIMED = 1, 2, 4, 8
ROW = re.compile(r"^\| `(\w+)` \|", re.MULTILINE)
HEAD = """
| call | begins with a barrier | ends with one | touches its first operand behind one |
|---|---|---|---|
"""


@dataclass(frozen=True)
class Call:
    """A library call. For each type, `types` has one number for the plain form and one for each bit
    of FORMS. Each number consists of the bits BEGINS, ENDS, LATE and TIMED.
    """

    name: str
    types: dict[str, tuple[int, ...]]

    def cell(self, bit: int) -> str:
        holds = {name: [bool(bits & bit) for bits in forms] for name, forms in self.types.items()}
        types = [name for name, forms in holds.items() if forms[0]]
        words = "no" if not types else "yes" if len(types) == len(holds) else types[0]
        alike = all(len(set(forms)) == 1 for forms in holds.values())
        return words if alike else f"{words}; some forms differ"

    @property
    def timed(self) -> list[bool]:
        return [bool(bits & TIMED) for forms in self.types.values() for bits in forms]

    def row(self) -> str:
        cells = (f"`{self.name}`", *(self.cell(bit) for bit in (BEGINS, ENDS, LATE)))
        return f"| {' | '.join(cells)} |\n"


def dtypes() -> dict[str, int]:
    """Returns the names and numbers of the enumeration Dtype in twin/core/types.h."""
    text = (ROOT / "twin/core/types.h").read_text("utf-8")
    listed = re.search(r"enum class Dtype[^{]*{([^}]*)}", text)
    if listed is None:
        raise ValueError("twin/core/types.h: no Dtype")
    names = [each.split("=")[0].strip() for each in listed.group(1).split(",")]
    return {name: number for number, name in enumerate(names)}


def load(library: Path) -> list[Call]:
    """Returns all calls of a built twin."""
    twin = ctypes.CDLL(str(library))
    twin.CanneryLibraryCall.restype = ctypes.c_char_p
    numbers = {name: dtypes()[dtype] for name, dtype in TYPES.items()}
    calls: list[Call] = []
    while (raw := twin.CanneryLibraryCall(len(calls))) is not None:
        name = raw.decode()
        softmax = "softmax" in name.lower()
        types = {}
        for kind, number in numbers.items():
            base = WIDE if softmax and kind == "float" else 0
            types[kind] = tuple(
                twin.CanneryLibraryOrder(len(calls), number, base | form) for form in (0, *FORMS)
            )
        calls.append(Call(name, types))
    return sorted(calls, key=lambda call: call.name)


def timed(calls: list[Call]) -> str:
    """Returns the table of docs/timing.md: how the time of each call is computed. The table also
    lists the vector instructions that have no cost.
    """
    priced = set(
        re.findall(r"^    \{Opcode::(\w+),", (ROOT / COSTS).read_text("utf-8"), re.MULTILINE)
    )
    rows: dict[str, list[str]] = {}
    for call in calls:
        listed = call.timed
        how = (
            "by their steps"
            if all(listed)
            else "by their steps, some forms by a formula"
            if any(listed)
            else "by a formula"
            if call.name in priced
            else "guessed"
        )
        rows.setdefault(how, []).append(call.name)
    opcodes = (ROOT / OPCODES).read_text("utf-8")
    if unknown := re.findall(r"^TWIN_OPCODE\((\w+), \"\w+\", V,", opcodes, re.MULTILINE):
        rows.setdefault("guessed", []).extend(unknown)
    order = sorted(rows, key=lambda how: (how == "guessed", how == "by a formula", how))
    cells = (f"| {how} | {', '.join(rows[how])} |\n" for how in order)
    return "\n| timed | calls |\n|---|---|\n" + "".join(cells) + "\n"


def rendered(calls: list[Call]) -> dict[Path, str]:
    """Returns the new text of each page. A page in PAGES lists the same calls as before."""
    known = {call.name: call for call in calls}
    pages = {}
    for page in (*PAGES, TIMING):
        path = ROOT / page
        before, begin, rest = path.read_text("utf-8").partition(BEGIN)
        old, end, after = rest.partition(END)
        if not begin or not end:
            raise ValueError(f"{page}: {BEGIN.strip()!r} or {END.strip()!r} is missing")
        new = timed(calls)
        if page != TIMING:
            new = HEAD + "".join(known[name].row() for name in ROW.findall(old)) + "\n"
        pages[path] = before + begin + new + end + after
    return pages


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    parser.add_argument("library", type=Path, help="the built libcannery_twin.so")
    options = parser.parse_args(argv)
    outdated = 0
    for path, text in rendered(load(options.library)).items():
        if path.read_text("utf-8") == text:
            continue
        if options.check:
            outdated += 1
            print(f"{path.relative_to(ROOT)}: outdated; run python tools/library_calls.py LIBRARY")
        else:
            path.write_text(text, "utf-8")
    return 1 if outdated else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except ValueError as error:
        sys.exit(str(error))
