# SPDX-License-Identifier: Apache-2.0
"""Finds in a kernel's sources what its compiled code does not show about functions and classes:
keywords, and qualifiers that expand to nothing.
"""

from __future__ import annotations

import bisect
import functools
import itertools
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from cannery.compile.code import Function, Place
from cannery.compile.conditionals import without_dead_groups
from cannery.compile.manifest import read_regular
from cannery.compile.tokens import Token, code_tokens, directives, is_name, match_forward, tokenize

__all__ = ["Sources"]

#: Words that mark a function that may run on a core.
_DEVICE = ("aicore", "__global__", "constexpr", "consteval", "__simd_callee__", "__device__")
_DEFINE = re.compile(r"[ \t]*#\s*define\s+(\w+)(?:\([^)\n]*\))?((?:\\\n|[^\n])*)")
#: Words that may stand before a constructor, which has no type.
_NO_TYPE = ("explicit", "inline", "public", "private", "protected")
_VIRTUAL = ("virtual", "override")
_MAX_BYTES = 8 << 20


@dataclass(frozen=True)
class _Text:
    """The tokens of a file without its directives."""

    tokens: list[Token]
    line_ends: list[int]
    macros: dict[str, list[str]]  #: for each macro, the bodies of all its definitions

    @classmethod
    def of(cls, text: str) -> _Text:
        macros: dict[str, list[str]] = {}
        for directive in directives(text):
            if found := _DEFINE.match(directive):
                macros.setdefault(found[1], []).append(found[2])
        ends = [match.start() for match in re.finditer("\n", text)]
        return cls(code_tokens(text), ends, macros)

    def line(self, token: Token) -> int:
        return bisect.bisect_left(self.line_ends, token.begin) + 1

    def named(self, name: str) -> Iterator[int]:
        """Returns an iterator of the indices of the tokens with this text."""
        return (at for at, token in enumerate(self.tokens) if token.text == name)

    def on_line(self, line: int, words: Iterable[str]) -> Iterator[int]:
        """For one line, yields the indices of the tokens whose text is in `words`."""
        begin = self.line_ends[line - 2] if line >= 2 and line - 2 < len(self.line_ends) else 0
        at = bisect.bisect_left(self.tokens, begin, key=lambda token: token.begin)
        while at < len(self.tokens) and self.line(self.tokens[at]) <= line:
            if self.line(self.tokens[at]) == line and self.tokens[at].text in words:
                yield at
            at += 1


class Sources:
    """The files that a compilation read, by the names that the compiler used for them."""

    def __init__(self, own: dict[str, str], live: dict[str, dict[int, str]]) -> None:
        """own: texts of sources that are not the content of a file.   live: for each file, the
        lines that the preprocessor keeps. For a file that is not in `live`, it keeps all lines.
        """
        self._own, self._live = own, live
        self._texts: dict[str, _Text | None] = {}

    def marked(self, function: Function) -> bool | None:
        """Returns whether a declaration marks the function as device code, as __aicore__ does; None
        if no declaration is found, for example of a function in a macro.
        """
        places = {place for place in (function.declared, function.defined) if place is not None}
        answers = [self._marked(function.name, place) for place in places]
        if True in answers or None in answers or not answers:
            return True if True in answers else None
        # A declaration without a body, which compiled code does not show, may mark the function.
        return self._declared_apart(_base_name(function.name))

    def body(self, function: Function) -> list[tuple[Token, Place]]:
        """Returns the tokens of a function's definition, from its name on; empty if not found."""
        place = function.defined
        text = self._text(place.file) if place is not None else None
        if place is None or text is None:
            return []
        for name in text.on_line(place.line, [_base_name(function.name)]):
            end = _end_of_body(text.tokens, name)
            if end is not None:
                tokens = text.tokens[name : end + 1]
                return [(token, Place(place.file, text.line(token))) for token in tokens]
        return []

    def survives(self, word: str, first: Place, last: Place) -> bool:
        """Returns whether the word is in the preprocessor's output from line `first` to `last`: a
        macro may have removed the word. Returns True if the output is not known.
        """
        live = self._live.get(first.file)
        if live is None:
            return True
        whole = re.compile(rf"\b{re.escape(word)}\b")
        return any(whole.search(live.get(at, "")) for at in range(first.line, last.line + 1))

    def virtual_classes(self, names: Iterable[str]) -> Iterator[tuple[str, Place]]:
        """Yields the classes with a virtual function or base, and the place of the word `virtual`.
        The search begins with `names` and continues with every class that a found class mentions.
        """
        classes: dict[str, list[tuple[_Text, str, int, int]]] = {}
        for name, text, file, head, end in self._all_classes():
            classes.setdefault(name, []).append((text, file, head, end))
        aliases: dict[str, set[str]] = {}
        for known in filter(None, self._texts.values()):
            for name, mentioned in _aliases(known.tokens):
                aliases.setdefault(name, set()).update(mentioned)
        waiting, seen = list(names), set[str]()
        while waiting:
            name = waiting.pop()
            if name in seen:
                continue
            seen.add(name)
            waiting += aliases.get(name, set()) - seen
            places: list[Place | None] = []
            for text, file, head, end in classes.get(name, ()):
                tokens = text.tokens[head:end]
                waiting += {token.text for token in tokens if is_name(token)} - seen
                words = (token for token in tokens if token.text in _VIRTUAL)
                places.append(next((Place(file, text.line(word)) for word in words), None))
            # If classes in several namespaces have the same name, the name is reported only if all
            # of them are virtual.
            if places and places[0] is not None and None not in places:
                yield name, places[0]

    def _all_classes(self) -> Iterator[tuple[str, _Text, str, int, int]]:
        for file, text in self._texts.items():
            if text is not None:
                for name, head, end in _classes(text.tokens):
                    yield name, text, file, head, end

    def _marked(self, name: str, place: Place) -> bool | None:
        text = self._text(place.file)
        base = _base_name(name)
        if text is None or not base:
            return None
        for at in text.on_line(place.line, [base]):
            # Without parentheses, the name is an argument of a macro that declares the function, or
            # the name of a class whose constructor the compiler has made.
            if not _has_parameters(text.tokens, at):
                continue
            head = text.tokens[_begin_of_head(text.tokens, at) : at]
            if any(self._is_device(text, token.text) for token in head):
                return True
            # In published kernels, even constructors without __aicore__ run on the device.
            typed = [token for token in head if is_name(token) and token.text not in _NO_TYPE]
            defaulted = [token.text for token in _behind(text.tokens, at)] == ["=", "default"]
            return None if defaulted or not typed else False
        return None

    def _declared_apart(self, name: str) -> bool:
        """Returns whether a declaration without a body marks the function as device code."""
        for text in filter(None, self._texts.values()):
            for at in text.named(name):
                if [token.text for token in _behind(text.tokens, at)][:1] in ([";"], ["const"]):
                    head = text.tokens[_begin_of_head(text.tokens, at) : at]
                    if any(self._is_device(text, token.text) for token in head):
                        return True
        return False

    def _is_device(self, text: _Text, word: str, depth: int = 4) -> bool:
        if any(each in word for each in _DEVICE):
            return True
        bodies = text.macros.get(word) or self._macro(word)
        if depth == 0:
            return bool(bodies)
        names = (name for body in bodies for name in re.findall(r"[^\W\d]\w*", body))
        return any(self._is_device(text, name, depth - 1) for name in names if name != word)

    def _macro(self, word: str) -> list[str]:
        texts = filter(None, self._texts.values())
        return [body for text in texts for body in text.macros.get(word, ())]

    def macro_words(self, name: str) -> list[str]:
        """Returns the words to which a macro expands; macros in its body are expanded, too. Returns
        no words for a macro with several definitions, because the right one is unknown.
        """
        words, waiting, seen = list[str](), [name], set[str]()
        while waiting:
            bodies = self._macro(waiting.pop())
            if len(bodies) == 1:
                tokens = tokenize(bodies[0])
                words += [*(token.text for token in tokens), ";"]
                names = {token.text for token in tokens if is_name(token)} - seen
                seen |= names
                waiting += names
        return words

    def read(self, files: Iterable[str]) -> None:
        """Reads files, so that their macros and classes are known."""
        for file in files:
            self._text(file)

    def _text(self, file: str) -> _Text | None:
        if file not in self._texts:
            text = self._own.get(file)
            if text is None:
                content = read_regular(file, _MAX_BYTES)
                text = None if content is None else content.decode("utf-8", "replace")
            if text is not None and file in self._live:
                text = without_dead_groups(text, self._live[file])
            self._texts[file] = None if text is None else _tokens_of(text)
        return self._texts[file]


@functools.lru_cache(maxsize=64)
def _tokens_of(text: str) -> _Text:
    return _Text.of(text)


def _base_name(name: str) -> str:
    """Returns the name without template arguments; empty for operators and lambdas."""
    base = name.partition("<")[0].lstrip("~")
    return base if base.isidentifier() and not base.startswith("operator") else ""


def _begin_of_head(tokens: list[Token], at: int) -> int:
    """Returns the index where the words before the name of a declaration begin."""
    while at > 0 and tokens[at - 1].text not in (";", "{", "}"):
        at -= 1
    return at


def _has_parameters(tokens: list[Token], at: int) -> bool:
    """Returns whether parentheses follow the name at `at` and its template arguments."""
    depth = 0
    for token in tokens[at + 1 :]:
        if depth == 0 and token.text != "<":
            return token.text == "("
        depth += token.text.count("<") - token.text.count(">")
        if token.text in (";", "{"):
            return False
    return False


def _behind(tokens: list[Token], at: int) -> list[Token]:
    """Returns the two tokens after a function's parameters."""
    for index in range(at + 1, min(at + 4, len(tokens))):
        if tokens[index].text == "(":
            end = match_forward(tokens, index)
            return [] if end is None else tokens[end + 1 : end + 3]
    return []


def _end_of_body(tokens: list[Token], at: int) -> int | None:
    """Returns the index of the closing brace of the function whose name is at `at`; None if no
    body follows.
    """
    depth = 0
    for index in range(at + 1, len(tokens)):
        word = tokens[index].text
        depth += (word in ("(", "[")) - (word in (")", "]"))
        if depth < 0 or (depth == 0 and word == ";"):
            return None
        if depth == 0 and word == "{":
            return match_forward(tokens, index)
    return None


def _aliases(tokens: list[Token]) -> Iterator[tuple[str, set[str]]]:
    """Yields the name of every `using NAME = ...;`, and the names after the equals sign."""
    for at, token in enumerate(tokens[:-3]):
        if token.text == "using" and tokens[at + 2].text == "=":
            rest = itertools.takewhile(lambda each: each.text != ";", tokens[at + 3 :])
            yield tokens[at + 1].text, {each.text for each in rest if is_name(each)}


def _classes(tokens: list[Token]) -> Iterator[tuple[str, int, int]]:
    """Yields the name of every class, and the indices of its first token and its closing brace."""
    for at, token in enumerate(tokens[:-1]):
        if token.text not in ("class", "struct"):
            continue
        for index in range(at + 1, len(tokens)):
            if tokens[index].text in (";", "(", ")", "=", ">"):
                break
            if tokens[index].text == "{":
                closing = match_forward(tokens, index)
                if closing is not None:
                    yield tokens[at + 1].text, at, closing
                break
