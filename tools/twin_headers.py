# SPDX-License-Identifier: Apache-2.0
"""Writes the headers that twin/headers.toml describes.

In the toolkit, the content of one header of the twin may be in several files, and a header may have
several names. The table has a line for each of these files and names.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import user_macros

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

TABLE = "twin/headers.toml"
#: The folders in which headers are searched, in this order.
ROOTS = ("twin/include", "twin")

FRAME = """\
// SPDX-License-Identifier: Apache-2.0
// Generated from {table}; changes here are lost.
#pragma once

// {why}
#include "{of}"
"""
#: The text of a header that includes a header of the twin, and removes the macros of kernels while
#: that header is read.
INNER_FRAME = FRAME.replace(
    '#include "{of}"',
    f'#include "{user_macros.CHECKED}"\n#include "{{of}}"\n#include "{user_macros.PUT_BACK}"',
)
#: The headers that remove and restore macros are read several times, so they have no include guard.
MACROS_FRAME = """\
// SPDX-License-Identifier: Apache-2.0
// Generated from {table}; changes here are lost.
{text}"""


class TableError(Exception):
    """A name in the table exists twice, or stands for a header that does not exist."""


def expand(pattern: str) -> list[str]:
    """Returns the paths of a pattern: `a/b.h` and `a/c.h` for `a/{b,c}.h`."""
    head, brace, rest = pattern.partition("{")
    if not brace:
        return [pattern]
    words, _, tail = rest.partition("}")
    return [head + word + end for word in words.split(",") for end in expand(tail)]


def load(root: Path) -> dict[str, Any]:
    return tomllib.loads((root / TABLE).read_text("utf-8"))


def aliases(table: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yields the name of each header to write, the header that it must include, and the reason."""
    sections = {"parts": "Part of {} here.", "other_names": "Another name of {}."}
    short = [
        {"of": of, "why": why.format(Path(of).name), "names": names}
        for section, why in sections.items()
        for of, names in table.get(section, {}).items()
    ]
    for row in [*short, *table["alias"]]:
        for name in (name for pattern in row["names"] for name in expand(pattern)):
            of = row["of"]
            if isinstance(of, dict):
                of = name.replace(of["replace"], of["by"])
            yield name, of, row["why"]


def generate(root: Path) -> dict[str, str]:
    """Returns the name and the text of every header in the table.

    Raises TableError if a header exists already, or includes a header that does not exist.
    """
    table = load(root)
    headers: dict[str, str] = {}
    for name, of, why in aliases(table):
        if name in headers or any((root / folder / name).is_file() for folder in ROOTS):
            raise TableError(f"{TABLE}: {name} exists already")
        frame = INNER_FRAME if of.startswith("device/") else FRAME
        headers[name] = frame.format(table=TABLE, why=why, of=of)
    for name, of, _ in aliases(table):
        if of not in headers and not any((root / folder / of).is_file() for folder in ROOTS):
            raise TableError(f"{TABLE}: {name} stands for {of}, which does not exist")
    if "user_macros" in table:
        for name, text in user_macros.headers(root, table["user_macros"]).items():
            headers[name] = MACROS_FRAME.format(table=TABLE, text=text)
    return headers


def write(root: Path, out: Path) -> None:
    """Writes the headers to `out`, and deletes generated headers that are no longer in the table.

    Does not write unchanged files, because a new time stamp would make the build recompile files.
    """
    headers = generate(root)
    mark = f"// Generated from {TABLE}"
    for path in [*out.rglob("*.h")]:
        stale = path.relative_to(out).as_posix() not in headers
        if stale and mark in path.read_text("utf-8"):
            path.unlink()
    for name, text in headers.items():
        path = out / name
        if not path.is_file() or path.read_text("utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[1])
    parser.add_argument("--out", type=Path, required=True, help="folder that is to hold them")
    options = parser.parse_args(argv)
    try:
        write(options.root, options.out)
    except TableError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
