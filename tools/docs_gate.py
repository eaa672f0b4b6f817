# SPDX-License-Identifier: Apache-2.0
"""Fails if a page has a line of prose longer than 120 characters, has a link to a file that does
not exist, or cannot be reached by links from docs/README.md. With --fix it wraps paragraphs with
long lines.
"""

from __future__ import annotations

import argparse
import re
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from repo import list_files

LIMIT = 120
HOME = "docs/README.md"
#: Pages that need no link, because the web site of the repository shows them anyway.
SHOWN_ANYWAY = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md")
FENCE = re.compile(r"^ *(```|~~~)")
ITEM = re.compile(r"^ *([-*+]|\d+\.) +")
#: Lines that are not wrapped: tables, headings, HTML comments and indented code.
NO_PROSE = re.compile(r"^( *\||#|<!--|    )")
#: Replaces a space at which no line may break.
BOUND = "\0"
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)|!\[[^\]]*\]\(([^)\s]+)\)")


def paragraphs(lines: list[str]) -> Iterator[tuple[int, int]]:
    """Yields the lines [begin, end) of each paragraph and of each list item."""
    begin, fenced = None, False
    for i, line in enumerate([*lines, ""]):
        fence = FENCE.match(line) is not None
        inside = begin is not None
        # Lines that begin with four spaces are code, unless they continue a list item.
        code = NO_PROSE.match(line) is not None and not (inside and line.startswith("    "))
        ends = fence or fenced or code or not line.strip() or ITEM.match(line) is not None
        if begin is not None and ends:
            yield begin, i
            begin = None
        if fence:
            fenced = not fenced
        elif begin is None and line.strip() and not fenced and not code:
            begin = i


def long_lines(text: str) -> Iterator[int]:
    lines = text.splitlines()
    for begin, end in paragraphs(lines):
        yield from (i for i in range(begin, end) if len(lines[i]) > LIMIT)


def bind(words: str) -> str:
    """Replaces the spaces inside code, and before words that would begin a list item, by BOUND."""
    spans = re.sub(r"`[^`]{,100}`", lambda match: match.group().replace(" ", BOUND), words)
    return re.sub(r" (?=([-*+#|]|\d+\.) )", BOUND, spans)


def wrap(text: str) -> str:
    """Wraps the paragraphs that have a long line; returns the whole text."""
    lines = text.splitlines()
    out: list[str] = []
    done = 0
    for begin, end in paragraphs(lines):
        out += lines[done:begin]
        part = lines[begin:end]
        if any(len(line) > LIMIT for line in part):
            mark = ITEM.match(part[0])
            first = mark.group() if mark else re.match(" *", part[0]).group()  # type: ignore[union-attr]
            words = " ".join([part[0][len(first) :], *(line.strip() for line in part[1:])])
            part = textwrap.wrap(
                bind(words),
                LIMIT,
                initial_indent=first,
                subsequent_indent=" " * len(first),
                break_long_words=False,
                break_on_hyphens=False,
            )
            part = [line.replace(BOUND, " ") for line in part]
        out += part
        done = end
    return "\n".join([*out, *lines[done:]]) + "\n"


def links(path: str, text: str) -> set[str]:
    """Returns the files of the checkout to which a page links."""
    found = set()
    code = re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.DOTALL)
    for match in LINK.finditer(code):
        target = (match.group(1) or match.group(2)).split("#")[0]
        if target and "://" not in target:
            parts: list[str] = []
            for part in (PurePosixPath(path).parent / target).parts:
                if part == ".." and parts:
                    parts.pop()
                elif part != ".":
                    parts.append(part)
            found.add("/".join(parts))
    return found


def find_faults(root: Path) -> Iterator[str]:
    pages = {
        name: (root / name).read_text("utf-8") for name in list_files(root) if name.endswith(".md")
    }
    targets = {name: links(name, text) for name, text in pages.items()}
    for name, text in pages.items():
        for i in long_lines(text):
            yield f"{name}:{i + 1}: more than {LIMIT} characters; run tools/docs_gate.py --fix"
        for target in sorted(targets[name]):
            if not (root / target).exists():
                yield f"{name}: links to {target}, which does not exist"
    reached, waiting = set(), [HOME]
    while waiting:
        name = waiting.pop()
        if name in pages and name not in reached:
            reached.add(name)
            waiting += targets[name]
            # A link to a folder leads to its README.md.
            waiting += [f"{target}/README.md" for target in targets[name]]
    for name in sorted(set(pages) - reached - set(SHOWN_ANYWAY)):
        yield f"{name}: no link leads to it from {HOME}"


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[1])
    parser.add_argument("--fix", action="store_true")
    arguments = parser.parse_args(argv)
    root = arguments.root
    if arguments.fix:
        for name in list_files(root):
            if name.endswith(".md"):
                text = (root / name).read_text("utf-8")
                if any(True for _ in long_lines(text)):
                    (root / name).write_text(wrap(text), "utf-8")
    faults = list(find_faults(root))
    print("\n".join(faults), file=sys.stderr, end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
