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
from cannery.compile.tokens import Token, code_tokens, directives, is_name, partners
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
#: What follows a name that is declared, and the parameters of a function that is declared.
_AFTER_DECLARATION = frozenset(",;=):{[")
_AFTER_PARAMETERS = frozenset(("{", ";", "const", "noexcept", "override", "->"))
_ITS_NAMESPACES = (["AscendC"], ["Pattern"], ["Reduce"])
_DEFINED = re.compile(r"#\s*define\s+(\w+)")


@dataclass(frozen=True)
class _Entry:
    """The levels that have a name, and the name that other levels have instead."""

    first: str
    last: str
    is_function: bool
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
    entries = [line.split(" ", 4) for line in lines]
    return {
        name: _Entry(first, last, kind == "function", "".join(other))
        for name, first, last, kind, *other in entries
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


def _uses(texts: Mapping[str, str], names: Mapping[str, _Entry]) -> Iterator[tuple[str, int, str]]:
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
        for name, begin in _used(tokens, names, own):
            first.setdefault(name, begin)
        for name, begin in first.items():
            yield label, text.count("\n", 0, begin) + 1, name


def _defined(text: str) -> Iterator[str]:
    """Yields the names of the macros that `text` defines."""
    for directive in directives(text):
        if match := _DEFINED.match(directive.lstrip()):
            yield match[1]


def _declared(tokens: Sequence[Token]) -> Iterator[str]:
    """Yields the names that the source declares. Where a name may be declared or used, as in
    `a * Fill(b);`, it counts as declared: a missing warning is better than a false one.
    """
    other = partners(tokens)
    for at, token in enumerate(tokens):
        if token.text == "enum" or (token.text == "auto" and _text(tokens, at + 1) == "["):
            yield from _listed(tokens, at, other)
        if not is_name(token):
            continue
        before, after = _text(tokens, at - 1), _text(tokens, at + 1)
        if at and is_name(tokens[at - 1]):
            parameter = before == "typename" and after in (",", ">", "=")
            alias = before == "using" and after == "="
            if before not in _BEFORE_USE or parameter or alias:
                yield token.text
        elif before[:1] in (">", "*", "&", "}"):
            if after in _AFTER_DECLARATION or (after == "(" and _is_function(tokens, at, other)):
                yield token.text
        elif (before == "," and after == ";") or (before == "[" and after == "="):
            yield token.text


def _text(tokens: Sequence[Token], at: int) -> str:
    return tokens[at].text if 0 <= at < len(tokens) else ""


def _listed(tokens: Sequence[Token], at: int, other: Mapping[int, int]) -> Iterator[str]:
    """Yields the names in the next list in brackets: enumerators, or those of `auto [a, b]`."""
    while at < len(tokens) and tokens[at].text not in ("{", "[", ";"):
        at += 1
    for index in range(at + 1, other.get(at, at)):
        if is_name(tokens[index]) and tokens[index - 1].text in ("{", "[", ","):
            yield tokens[index].text


def _is_function(tokens: Sequence[Token], at: int, other: Mapping[int, int]) -> bool:
    """Returns whether the name at `at`, which parentheses follow, may be declared here."""
    end = other.get(at + 1)
    return end is not None and _text(tokens, end + 1) in _AFTER_PARAMETERS


def _used(
    tokens: Sequence[Token], names: Mapping[str, _Entry], own: Collection[str]
) -> Iterator[tuple[str, int]]:
    """Yields the uses of these names, with their offsets; no members of objects, and no names of
    the user's own: those in `own`, and those of other namespaces.
    """
    for at, token in enumerate(tokens):
        entry = names.get(token.text)
        if entry is None or not is_name(token):
            continue
        if entry.is_function and _text(tokens, at + 1) not in ("(", "<"):
            continue
        before = _text(tokens, at - 1)
        if before == "template":
            before = _text(tokens, at - 2)
        qualified = before == "::" and _qualifiers(tokens, at)[:1] in _ITS_NAMESPACES
        if qualified or (token.text not in own and before not in (".", "->", "::")):
            yield token.text, token.begin


def _qualifiers(tokens: Sequence[Token], at: int) -> list[str]:
    """Returns the names before the :: in front of a name, the outermost first."""
    found: list[str] = []
    while at > 1 and tokens[at - 1].text == "::" and is_name(tokens[at - 2]):
        at -= 2
        found.insert(0, tokens[at].text)
    return found
