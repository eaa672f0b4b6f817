# SPDX-License-Identifier: Apache-2.0
"""Writes docs/api-coverage.md: the names of the device API on the twin, with their tests and
descriptions.

docs/api_surface.toml lists the names that should exist; the twin's headers declare the names that
exist. Exits with 1 and prints one line for each fault: a name of the twin that api_surface.toml
does not list, a supported name without test or description, a refused name that the twin has, and
with --check an outdated page. It also writes a list of the names for cannery's messages.
"""

from __future__ import annotations

import argparse
import re
import sys
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from api_scan import Api, scan
from docs_gate import wrap

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

SURFACE, PAGE = "docs/api_surface.toml", "docs/api-coverage.md"
#: The file with the names of the API, for messages about misspelled names.
NAMES = "python/cannery/compile/api_names.txt"
DOCS = ("docs/twin-semantics.md", "docs/twin-semantics/*.md")
TESTS = ("tests/fixtures/kernels/**/*.cpp", "tests/fixtures/kernels/**/*.h", "tests/python/**/*.py")
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
#: Finds the variables of a class ({}) in a source, e.g. `LocalTensor<T> x`, `const TPipe& pipe`.
VARIABLE = r"\b{}\b\s*(?:<[^;{{}}=]*?>)?\s*[&*]?\s*(\w+)"
#: Classes that have several names in kernels: the declared name, and a pattern for all names.
CLASSES = {"TQueBind": "(?:TQueBind|TQue)"}


@dataclass(frozen=True)
class Row:
    """One row of the table on the page."""

    name: str
    family: str
    status: str
    twin: int  #: number of overloads on the twin; 0 for types, constants and macros
    release: int  #: number of overloads in CANN 8.1.RC1
    newer: bool
    test: str
    doc: str


class Corpus:
    """Files in which names of the API are searched."""

    def __init__(self, root: Path, patterns: Iterable[str]) -> None:
        self.texts: dict[str, str] = {}
        for pattern in patterns:
            for path in sorted(root.glob(pattern)):
                name = path.relative_to(root).as_posix()
                if name.startswith("tests/python") and "kernel_operator.h" not in path.read_text():
                    continue
                self.texts[name] = COMMENT.sub("", path.read_text("utf-8"))

    def ordered(self, first: tuple[str, ...]) -> list[tuple[str, str]]:
        """Returns paths and texts; files whose stem is in `first` come first."""
        return sorted(self.texts.items(), key=lambda item: Path(item[0]).stem not in first)

    def find(self, name: str, first: tuple[str, ...] = ()) -> str:
        """Returns the path of the first file that uses `name`, or "" if none does. A use of a
        member counts only on an object of its class.
        """
        owner, _, member = name.rpartition("::")
        for path, text in self.ordered(first):
            if _uses_member(text, owner, member) if owner else _word(name).search(text):
                return path
        return ""


class Pages(Corpus):
    """Pages of the documentation, where a name counts only in code spans and headings."""

    def __init__(self, root: Path) -> None:
        super().__init__(root, DOCS)
        self.texts = {
            path: "\n".join(re.findall(r"`[^`\n]+`|^#+ .*", text, re.MULTILINE))
            for path, text in _read(root, DOCS)
        }

    def find(self, name: str, first: tuple[str, ...] = ()) -> str:
        member = name.rpartition("::")[2]
        if member.startswith("operator") and not member[8:].strip(" ").isalpha():
            pattern = re.compile(r"operator\W|dst = a|bits = a")
        else:
            pattern = re.compile(rf"{_word(member).pattern}|(?<!\w){re.escape(member)}(?!\w)")
        return next((path for path, text in self.ordered(first) if pattern.search(text)), "")


def _read(root: Path, patterns: Iterable[str]) -> Iterator[tuple[str, str]]:
    for pattern in patterns:
        for path in sorted(root.glob(pattern)):
            yield path.relative_to(root).as_posix(), path.read_text("utf-8")


def _word(name: str) -> re.Pattern[str]:
    pattern = re.escape(name).replace(r"\*", r"\w+")
    return re.compile(rf"(?<!\w){pattern}(?!\w)")


def _uses_member(text: str, owner: str, member: str) -> bool:
    owners = re.findall(VARIABLE.format(CLASSES.get(owner, owner)), text)
    if member.startswith("operator"):
        symbol = re.escape(member.removeprefix("operator").strip())
        if symbol in (r"\[\]", r"\(\)"):
            opening = symbol[:2]
            return any(re.search(rf"\b{name}{opening}", text) for name in owners)
        return any(re.search(rf"\b{name}(?:\[\w+\])? {symbol} ", text) for name in owners)
    if re.search(rf"\b{owner}(?:<[^;{{}}]*?>)?(?:::|\(\)\.){member}\b", text):
        return True
    if owner == "TPipe":
        owners.append(r"GetTPipePtr\(\)")
    access = rf"(?:\[[^\]]*\])?(?:\.|->)(?:template )?{member}\b"
    return any(re.search(rf"\b{name}{access}", text) for name in set(owners))


class Surface:
    """The content of docs/api_surface.toml."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.families: dict[str, str] = {k: f["title"] for k, f in data["families"].items()}
        #: For each family: names of test kernels and pages, without suffix, to search first.
        self.tests = {k: tuple(f.get("tests", ())) for k, f in data["families"].items()}
        self.pages = {k: tuple(f.get("pages", ())) for k, f in data["families"].items()}
        self.fewer: dict[str, str] = data.get("fewer", {})
        #: Names of the twin that need no row on the page; api_surface.toml groups them by reason.
        self.extras = {name for names in data["extras"].values() for name in names}
        self.refused: dict[str, dict[str, Any]] = data["refused"]
        self.missing: dict[str, str] = data.get("missing", {})
        #: For each name: the name, its family, overloads in CANN 8.1, whether it is newer than 8.1
        self.names: list[tuple[str, str, int, bool]] = []
        for key, family in data["families"].items():
            for entry in family["api"]:
                name, _, count = entry.partition(" ")
                self.names.append((name, key, int(count or 0), False))
            self.names += [(name, key, 0, True) for name in family.get("newer", [])]

    def refused_names(self) -> set[str]:
        return {name for group in self.refused.values() for name in group["names"]}


def load(root: Path) -> Surface:
    return Surface(tomllib.loads((root / SURFACE).read_text("utf-8")))


def rows(root: Path, surface: Surface, api: Api) -> list[Row]:
    """Returns a row for each name of the surface, except the refused names."""
    tests, pages, present = Corpus(root, TESTS), Pages(root), api.names()
    found = []
    for name, family, release, newer in surface.names:
        here = (
            any(fnmatchcase(known, name) for known in present) if "*" in name else name in present
        )
        test, doc = ("", "")
        if here:
            test = tests.find(name, surface.tests[family])
            doc = pages.find(name, surface.pages[family])
        status = "supported" if here else "missing"
        found.append(Row(name, family, status, api.functions[name], release, newer, test, doc))
    return found


def find_faults(surface: Surface, api: Api, table: list[Row]) -> Iterator[str]:
    known = {name for name, *_ in surface.names} | surface.extras | surface.refused_names()
    patterns = [name for name in known if "*" in name]
    for name in sorted(api.names() - known):
        if not any(fnmatchcase(name, pattern) for pattern in patterns):
            yield f"{name}: on the twin, but not in {SURFACE}"
    for row in table:
        yield from _gaps(row, surface)
    missing = {row.name for row in table if row.status == "missing"}
    for name in surface.missing.keys() - missing:
        yield f"{name}: listed under [missing], but the twin has it"
    declared = {name for group in surface.refused.values() for name in group.get("calls", {})}
    for name in sorted((api.names() & surface.refused_names()) - declared):
        yield f"{name}: refused in {SURFACE}, but the twin has it"


def _gaps(row: Row, surface: Surface) -> Iterator[str]:
    if row.status == "missing":
        if row.name not in surface.missing:
            yield f"{row.name}: not on the twin: refuse it or say why under [missing]"
        return
    if not row.test:
        yield f"{row.name}: no kernel under tests/ uses it"
    if not row.doc:
        yield f"{row.name}: not described in docs/twin-semantics"
    if row.twin < row.release and row.name not in surface.fewer:
        yield f"{row.name}: {row.twin} overloads, 8.1 has {row.release}: say why under [fewer]"


def _link(path: str) -> str:
    return f"[{Path(path).name}]({Path('..', path).as_posix()})" if path else ""


_HEAD = ("| API | overloads | status | test | described in |", "|---|---|---|---|---|")


def _line(row: Row, surface: Surface) -> str:
    release = "+" if row.newer else str(row.release)
    overloads = f"{row.twin} / {release}" if row.twin else "+" * row.newer
    reason = f": {surface.missing[row.name]}" if row.name in surface.missing else ""
    doc = _link(row.doc).replace("../docs/", "")
    return f"| `{row.name}` | {overloads} | {row.status}{reason} | {_link(row.test)} | {doc} |"


def render(surface: Surface, table: list[Row]) -> str:
    """Returns the page's text."""
    count = sum(row.status == "supported" for row in table)
    missing = len(table) - count
    lines = [
        "# Device API coverage",
        "",
        f"Generated by `tools/api_coverage.py` from `{SURFACE}`, the headers of the twin, tests",
        "and pages; do not edit.",
        "",
        f"{count} of {len(table)} names of the device API are supported, {missing} missing,",
        f"{len(surface.refused_names())} others are refused. Overloads: on the twin / in 8.1.RC1;",
        "+ marks names of later releases.",
    ]
    for key, title in surface.families.items():
        lines += ["", f"## {title}", "", *_HEAD]
        lines += [_line(row, surface) for row in table if row.family == key]
    lines += ["", "## Fewer overloads than 8.1.RC1", ""]
    lines += [f"- `{name}`: {reason}" for name, reason in surface.fewer.items()]
    lines += ["", "## Refused", "", "None of these compiles.", ""]
    for group in surface.refused.values():
        names = ", ".join(f"`{name}`" for name in group["names"])
        lines += [f"- {group['reason']}: {names}"]
    return wrap("\n".join(lines) + "\n")


def render_names(api: Api) -> str:
    """Returns the text of the file NAMES. Leaves out operators and destructors, because kernels do
    not call them by name.
    """
    names = (name for name in api.names() if re.fullmatch(r"[A-Za-z][\w:]*", name))
    kept = " ".join(sorted(name for name in names if "operator" not in name))
    return f"# Generated by tools/api_coverage.py; do not edit.\n{textwrap.fill(kept, 118)}\n"


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[1])
    parser.add_argument("--check", action="store_true", help="compare the page, do not write it")
    options = parser.parse_args(argv)
    surface, api = load(options.root), scan(options.root)
    table = rows(options.root, surface, api)
    faults = list(find_faults(surface, api, table))
    for name, text in ((PAGE, render(surface, table)), (NAMES, render_names(api))):
        path = options.root / name
        if not options.check:
            path.write_text(text, "utf-8")
        elif not path.is_file() or path.read_text("utf-8") != text:
            faults.append(f"{name}: outdated; run tools/api_coverage.py")
    print("\n".join(faults), file=sys.stderr, end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
