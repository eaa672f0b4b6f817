# SPDX-License-Identifier: Apache-2.0
"""Finds the names in a source that a chosen level of the toolkit does not have (`api` of
`cannery.use`). docs/api-coverage.md lists the levels of all names.
"""

from __future__ import annotations

import contextlib
import functools
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from cannery.compile.conditionals import live_lines, without_dead_groups
from cannery.compile.tokens import Token, code_tokens, directives, is_name, match_forward
from cannery.settings import API_LEVELS, api_level

__all__ = ["TABLE", "missing_names", "read_texts"]

TABLE = Path(__file__).with_name("api_levels.txt")
#: Words before a name that is used. Any other word before a name declares the name.
_BEFORE_USE = frozenset(
    [
        "case",
        "co_return",
        "const",
        "constexpr",
        "delete",
        "do",
        "else",
        "extern",
        "goto",
        "if",
        "in",
        "inline",
        "new",
        "not",
        "or",
        "and",
        "return",
        "sizeof",
        "static",
        "switch",
        "template",
        "throw",
        "typename",
        "using",
        "volatile",
        "while",
        "__aicore__",
    ]
)
_DEFINED = re.compile(r"#\s*define\s+(\w+)")


@dataclass(frozen=True)
class _Entry:
    """The levels that have a name, and the name that other levels have instead."""

    first: str
    last: str
    other: str

    def has(self, level: str) -> bool:
        first, at, last = map(API_LEVELS.index, (self.first, level, self.last))
        return first <= at <= last

    def text(self, name: str, level: str) -> str:
        other = f"; instead: {self.other}" if self.other else ""
        if API_LEVELS.index(level) < API_LEVELS.index(self.first):
            return f"{name}: CANN {level} does not have this name, CANN {self.first} has it{other}"
        return f"{name}: CANN {level} does not have this name any more{other}"


@functools.cache
def _table() -> dict[str, _Entry]:
    """Returns the names that not all levels have, without members of classes: a class that all
    levels have could be a base of the user's own class with such a member.
    """
    lines = TABLE.read_text("utf-8").split("\n")[1:-1]
    entries = [line.split(" ", 3) for line in lines]
    return {
        name: _Entry(first, last, "".join(other))
        for name, first, last, *other in entries
        if "::" not in name
    }


def missing_names(
    texts: Mapping[str, str], preprocess: Callable[[], str] | None = None
) -> list[str]:
    """Returns a warning for each name in these sources that the chosen level does not have, with
    the first line of each file that has the name. Names that the sources declare themselves are
    theirs. If no level is chosen, there are no warnings.

    texts: the sources by their names.   preprocess: returns the preprocessor's output. It is called
    only if there are warnings, to leave out those for parts that the preprocessor removes. Without
    it, all parts count.
    """
    level = api_level()
    if level is None:
        return []
    lacking = {name: entry for name, entry in _table().items() if not entry.has(level)}
    found = list(_uses(texts, lacking))
    if found and preprocess is not None:
        live = live_lines(preprocess())
        texts = {
            label: without_dead_groups(text, live.get(str(Path(label).absolute()), ()))
            for label, text in texts.items()
        }
        found = list(_uses(texts, lacking))
    return [
        f"{label}:{line}: warning: {lacking[name].text(name, level)}" for label, line, name in found
    ]


def read_texts(paths: Iterable[str]) -> dict[str, str]:
    """Returns the texts of the files that can be read, by their paths."""
    found = {}
    for path in sorted(paths):
        with contextlib.suppress(OSError):
            found[path] = Path(path).read_bytes().decode("utf-8", "replace")
    return found


def _uses(texts: Mapping[str, str], names: Collection[str]) -> Iterator[tuple[str, int, str]]:
    """Yields source, line and name of the first use of each name in each source."""
    sources = {
        label: (text, code_tokens(text))
        for label, text in texts.items()
        if any(name in text for name in names)
    }
    own = {
        name for text, tokens in sources.values() for name in (*_declared(tokens), *_defined(text))
    }
    for label, (text, tokens) in sources.items():
        first: dict[str, int] = {}
        for name, begin in _used(tokens, set(names) - own):
            first.setdefault(name, begin)
        for name, begin in first.items():
            yield label, text.count("\n", 0, begin) + 1, name


def _defined(text: str) -> Iterator[str]:
    """Yields the names of the macros that `text` defines."""
    for directive in directives(text):
        if match := _DEFINED.match(directive.lstrip()):
            yield match[1]


def _declared(tokens: Sequence[Token]) -> Iterator[str]:
    """Yields the names that follow another word, as in `void Fill(` and `class Fill`, and those of
    functions that follow a type in brackets or with a sign, as in `vector<int>& Fill(...) {`.
    """
    for at, token in enumerate(tokens):
        if not is_name(token) or at == 0:
            continue
        before = tokens[at - 1]
        if is_name(before):
            if before.text not in _BEFORE_USE:
                yield token.text
        elif before.text in (">", "*", "&") and _opens_body(tokens, at + 1):
            yield token.text


def _opens_body(tokens: Sequence[Token], at: int) -> bool:
    if at >= len(tokens) or tokens[at].text != "(":
        return False
    end = match_forward(tokens, at)
    return end is not None and end + 1 < len(tokens) and tokens[end + 1].text == "{"


def _used(tokens: Sequence[Token], names: Collection[str]) -> Iterator[tuple[str, int]]:
    """Yields the uses of these names, with their offsets; no members of objects, and no names of
    the user's own namespaces.
    """
    for at, token in enumerate(tokens):
        if token.text not in names or not is_name(token):
            continue
        before = tokens[at - 1].text if at else ""
        if before in (".", "->"):
            continue
        if before == "::" and at > 1 and is_name(tokens[at - 2]):
            qualifiers = _qualifiers(tokens, at)
            if qualifiers[0] not in ("AscendC", "Pattern", "Reduce"):
                continue
        yield token.text, token.begin


def _qualifiers(tokens: Sequence[Token], at: int) -> list[str]:
    """Returns the names before the :: in front of a name, the outermost first."""
    found: list[str] = []
    while at > 1 and tokens[at - 1].text == "::" and is_name(tokens[at - 2]):
        at -= 2
        found.insert(0, tokens[at].text)
    return found
