# SPDX-License-Identifier: Apache-2.0
"""Finds the parts of a source that the preprocessor removes, by comparing source and output."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path

__all__ = ["live_lines", "without_dead_groups"]

_MARKER = re.compile(r'#(?:line)? (\d+) "((?:\\.|[^"\\])*)"')
_CONDITIONAL = re.compile(r"[ \t]*#[ \t]*(if|ifdef|ifndef|elif|elifdef|elifndef|else|endif)\b")
_ESCAPE = re.compile(r"\\([0-7]{3}|.)")


def live_lines(preprocessed: str) -> dict[str, dict[int, str]]:
    """Returns the lines in the preprocessor's output: a dict from line number to text for each
    absolute file name.
    """
    found: dict[str, dict[int, str]] = {}
    lines, number = dict[int, str](), 0
    for text in preprocessed.split("\n"):
        marker = _MARKER.match(text)
        if marker is not None:
            name = _ESCAPE.sub(_unescaped, marker[2])
            lines, number = found.setdefault(str(Path(name).absolute()), {}), int(marker[1])
        else:
            if text.strip():
                lines[number] = lines.get(number, "") + text
            number += 1
    return found


def without_dead_groups(text: str, live: Collection[int]) -> str:
    """Returns `text` with blanks instead of each group of an #if ... #endif that has no line in
    `live`. Directives, offsets and line numbers do not change. If an #endif is missing or
    surplus, the whole text is returned unchanged.
    """
    lines = text.split("\n")
    dead: list[tuple[int, int]] = []
    opened: list[int] = []
    for index, line in enumerate(lines):
        directive = _CONDITIONAL.match(line)
        if directive is None:
            continue
        if not directive[1].startswith("if"):
            if not opened:
                return text
            begin = opened.pop()
            if not any(line in live for line in range(begin + 2, index + 1)):
                dead.append((begin + 1, index))
        if directive[1] != "endif":
            opened.append(index)
    if opened:
        return text
    for begin, end in dead:
        continued = False
        for index in range(begin, end):
            own = continued or lines[index].lstrip().startswith("#")
            continued = own and lines[index].rstrip().endswith("\\")
            lines[index] = lines[index] if own else " " * len(lines[index])
    return "\n".join(lines)


def _unescaped(escape: re.Match[str]) -> str:
    return chr(int(escape[1], 8)) if len(escape[1]) == 3 else escape[1]
