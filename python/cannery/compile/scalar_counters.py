# SPDX-License-Identifier: Apache-2.0
"""Adds counters to a preprocessed kernel: they count the operations of the scalar unit between the
calls of Ascend C. twin/core/scalar_counters.h has the counters; twin/timing has the costs.

    for (uint32_t i = 0; i < n; ++i) {    for (...) { ::twin::ScalarCounters().simpleMemory += ...;
        x = y / m + table_[i];                x = y / (::twin::CountDivision<...>(), m) + table_[i];
    }                                     }

The counts come from the source alone, so that they are equal with every compiler and every level of
optimisation. A function whose tokens are not understood is not counted, and says so when it runs.
Functions without __aicore__, which a card's compiler does not take, are not counted either.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import pairwise

from cannery.compile.scalar_operators import Edit, Operators
from cannery.compile.scalar_statements import Statements
from cannery.compile.scalar_tokens import BUILTIN, UnreadableError
from cannery.compile.tokens import CLOSERS, Token, edited, is_name, tokenize, user_parts

__all__ = ["with_scalar_counters"]

#: Words before a ( that does not begin the parameters of a function.
_NO_PARAMETERS = frozenset((
    *("__attribute__", "alignas", "decltype", "noexcept", "explicit", "throw", "__declspec"),
    "static_assert",
))  # fmt: skip
#: The attribute to which __aicore__ expands, and other marks of functions that run on a core.
_AICORE = "__attribute__ ( ( ) )"
_MARKS = frozenset(("constexpr", "__twin_global__"))
_CLASSES = frozenset(("class", "struct", "union"))
#: Declarations that begin with these words declare no data members in memory.
_NO_MEMBERS = frozenset((
    *("using", "typedef", "friend", "static_assert", "enum", "static", "constexpr", "template"),
    *_CLASSES,
))  # fmt: skip


def with_scalar_counters(preprocessed: str, own: str) -> str:
    """Returns the source with counters in the functions of all files except system headers and
    those below the folder `own`.
    """
    tokens = _tokens(preprocessed, own)
    operators = Operators(preprocessed, tokens)
    operators.constants = _constants(operators)
    found = _Declarations(operators)
    found.read(0, len(tokens), in_class=False)
    statements = Statements(operators)
    at = 0
    while at < len(found.functions):
        each = found.functions[at]
        kept = len(statements.edits)
        try:
            operators.members = found.members
            operators.locals = _locals(tokens[each.begin : each.end])
            constant = any(token.text == "constexpr" for token in tokens[each.begin : each.opening])
            statements.function(each.initialisers, each.opening, constant)
        except (UnreadableError, RecursionError):
            del statements.edits[kept:]
            place = tokens[each.opening].end
            statements.edits.append((place, place, " ::twin::TwinNotCounted(); "))
        for opening in statements.classes:
            found.read(opening + 1, operators.close(opening), in_class=True)
        statements.classes.clear()
        at += 1
    return edited(preprocessed, [*statements.edits, *_without_marks(tokens)])


def _without_marks(tokens: Sequence[Token]) -> Iterator[Edit]:
    """Yields the edits that remove __aicore__. Not all compilers take an attribute everywhere."""
    words = _AICORE.split()
    for at, token in enumerate(tokens):
        end = at + len(words)
        if token.text == words[0] and [each.text for each in tokens[at:end]] == words:
            yield token.begin, tokens[end - 1].end, ""


def _tokens(preprocessed: str, own: str) -> list[Token]:
    """Returns the tokens of the user's files, without directives."""
    tokens: list[Token] = []
    for begin, end in user_parts(preprocessed, own):
        line = -1
        for token in tokenize(preprocessed, begin, end):
            if token.begin < line:
                continue
            if token.text == "#":
                line = preprocessed.find("\n", token.begin)
                line = len(preprocessed) if line < 0 else line
                continue
            tokens.append(token)
    return tokens


def _constants(on: Operators) -> Set[str]:
    """Returns the names of the constants that the source declares, as far as the tokens show."""
    found = set()
    for at, token in enumerate(on.tokens):
        if token.text == "constexpr":
            name = on.declared(at, len(on.tokens))
            if name is not None and on.text(name + 1) in ("=", "{"):
                found.add(on.text(name))
        elif token.text == "template" and on.text(at + 1) == "<":
            end = on.behind_angles(at + 1, strict=False) or at
            found |= {
                on.text(each)
                for each in range(at + 3, end)
                if on.name_at(each) and on.text(each - 1) in BUILTIN and on.text(each - 2) in "<,"
            }
    return found


def _locals(tokens: Sequence[Token]) -> Set[str]:
    """Returns the names of variables that a function declares, as far as the tokens show; without
    references, and without the tiling data, which are in memory.
    """
    words = ("return", "else", "case", "goto", "new", "delete", "throw", "operator")
    return {
        name.text
        for before, name in pairwise(tokens)
        if is_name(name) and is_name(before) and before.text not in words
        if not before.text.startswith("Twin")
    }


@dataclass(frozen=True)
class _Function:
    """A function with a body: the indices of its first token, of the : before the initialisers of
    members, of the { and behind the }.
    """

    begin: int
    initialisers: int | None
    opening: int
    end: int


@dataclass
class _Head:
    """The part of a declaration before its { or ;. It has the indices of its first token, of the (
    before parameters, and of the : before the initialisers of members.
    """

    begin: int
    in_class: bool
    parameters: int | None = None
    initialisers: int | None = None


class _Declarations:
    """Finds the functions and the data members in a list of declarations."""

    def __init__(self, on: Operators) -> None:
        self._on = on
        self._text = on.text
        self.functions: list[_Function] = []
        self.members: set[str] = set()
        self._marked: set[str] = set()  #: names of functions that are marked as code for a core

    def read(self, at: int, end: int, in_class: bool) -> None:
        """Reads the declarations in a range of tokens: those of a class, or of a namespace."""
        while at < end:
            before = at
            try:
                at = self._declaration(at, end, in_class)
            except UnreadableError:
                at = before + 1

    def _declaration(self, at: int, end: int, in_class: bool) -> int:
        """Reads the declaration at `at`; returns the index behind it."""
        if self._text(at) in ("public", "private", "protected") and self._text(at + 1) == ":":
            return at + 2
        head = _Head(at, in_class)
        while at < end:
            word = self._text(at)
            if word == ";" or (word == "=" and self._text(at - 1) != "operator"):
                if head.parameters is not None:
                    self._runs_on_a_core(head, at)
                behind = self._behind_semicolon(at, end)
                self._note_members(head, behind - 1)
                return behind
            if word != "{":
                at = self._behind_word(at, head)
                continue
            behind, ends = self._braces(at, head)
            if ends:
                return behind
            at = behind
        return end

    def _behind_word(self, at: int, head: _Head) -> int:
        """Reads the word at `at` of a declaration before its { or ;. Returns the index behind."""
        word = self._text(at)
        if word == "operator":
            head.parameters = at = self._behind_operator(at)
            return self._on.close(at) + 1
        if word == "(" and self._text(at - 1) not in _NO_PARAMETERS and head.parameters is None:
            head.parameters = at
        if word in ("(", "["):
            return self._on.close(at) + 1
        if word == "<":
            return self._on.behind_angles(at, strict=False) or at + 1
        if word == ":" and head.parameters is not None and head.initialisers is None:
            head.initialisers = at
        return at + 1

    def _braces(self, at: int, head: _Head) -> tuple[int, bool]:
        """Reads the { } at `at`; returns the index behind, and whether the declaration ends."""
        close = self._on.close(at)
        if head.parameters is not None:
            if head.initialisers is not None and self._is_initialiser(at):
                return close + 1, False
            self._body(head, at)
            return close + 1, True
        if self._is_namespace(head.begin, at):
            self.read(at + 1, close, in_class=False)
            return close + 1, True
        if self._is_class(head.begin, at):
            self.read(at + 1, close, in_class=True)
        else:
            self._note_members(head, at)
        return close + 1, False

    def _body(self, head: _Head, opening: int) -> None:
        if self._runs_on_a_core(head, opening):
            end = self._on.close(opening) + 1
            self.functions.append(_Function(head.begin, head.initialisers, opening, end))

    def _runs_on_a_core(self, head: _Head, end: int) -> bool:
        """Returns whether a declaration, or an earlier one of the same name, marks the function as
        code for a core. Counters in other functions would make them part of the compiled kernel,
        although the compiler computes what they return.
        """
        words = [self._text(at) for at in range(head.begin, end)]
        if any(word[:4] in ("Twin", "twin", "TWIN") for word in words):
            return False
        name = self._text((head.parameters or 0) - 1)
        marked = not _MARKS.isdisjoint(words) or _AICORE in " ".join(words)
        if marked:
            self._marked.add(name)
        return marked or name in self._marked

    def _is_initialiser(self, at: int) -> bool:
        """Returns whether the { at `at` gives the value of a member, as in `: member{1}`."""
        return self._on.name_at(at - 1) or self._text(at - 1) == ">"

    def _is_namespace(self, begin: int, at: int) -> bool:
        words = [self._text(each) for each in range(begin, at)]
        return "namespace" in words or (words[:1] == ["extern"] and len(words) == 2)

    def _is_class(self, begin: int, at: int) -> bool:
        words = {self._text(each) for each in range(begin, at)}
        return not words.isdisjoint(_CLASSES) and "enum" not in words

    def _behind_operator(self, at: int) -> int:
        """Returns the index of the parameters of the operator whose name begins at `at`."""
        at += 1
        if self._text(at) == "(" and self._text(at + 1) == ")":
            at += 2
        while self._text(at) != "(":
            if self._text(at) in (";", "{", "}", ""):
                raise UnreadableError
            at += 1
        return at

    def _behind_semicolon(self, at: int, end: int) -> int:
        while at < end and self._text(at) != ";":
            at = self._on.close(at) + 1 if self._text(at) in ("(", "[", "{") else at + 1
        return at + 1

    def _note_members(self, head: _Head, end: int) -> None:
        """Notes the names of the data members that a declaration declares; it ends at `end`."""
        words = {self._text(each) for each in range(head.begin, end)}
        if not head.in_class or head.parameters is not None or not words.isdisjoint(_NO_MEMBERS):
            return
        at = head.begin
        while at < end:
            if self._text(at) == "<":
                at = self._on.behind_angles(at, strict=False) or at + 1
            elif self._text(at) == "=":
                at = self._behind_value(at, end)
            else:
                behind = self._text(at + 1)
                if self._on.name_at(at) and behind in (";", "=", ",", "[", "{", ":"):
                    self.members.add(self._text(at))
                at += 1

    def _behind_value(self, at: int, end: int) -> int:
        """Returns the index behind the value of a member that begins with the = at `at`."""
        while at < end and self._text(at) != ",":
            at = self._on.close(at) + 1 if self._text(at) in CLOSERS else at + 1
        return at
