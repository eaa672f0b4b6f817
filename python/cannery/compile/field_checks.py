# SPDX-License-Identifier: Apache-2.0
"""Adds checks to a kernel's source: values that do not fit into the fields of parameter structures
are errors (T402). Line numbers do not change. twin/device/types/fields.h has the checks.

    params.blockLen = n * sizeof(float);       params.blockLen = ::twin::TwinField<...>("blockLen")
                                                   = n * sizeof(float);
    DataCopyParams params(1, n, 0, 0);         DataCopyParams params(::twin::TwinParens(), 1, n, ...
    DataCopy(x, y, {1, (uint16_t)n, 0, 0});    DataCopy(x, y, {1, ::twin::TwinCast<uint16_t>()->*n,
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from cannery.compile.tokens import CLOSERS, Token, edited, is_name, match_forward, tokenize
from cannery.opgen import literals

__all__ = ["checked_user_code", "with_field_checks"]

#: Each line has the name of a parameter structure and the names of its fields.
_STRUCTURES = Path(__file__).with_name("parameter_structures.txt")
_FUNCTIONS = Path(__file__).with_name("api_names.txt")

#: Matches a line marker of the preprocessor where a file begins or continues after an include.
_FILE_MARK = re.compile(r'^# \d+ "((?:\\.|[^"\\])*)" [12]', re.MULTILINE)
_UPDATES = frozenset("+-*/%&|^")
_SHIFTS = ("<<=", ">>=")
#: Tokens before a statement or an expression that is an assignment.
_BEFORE = frozenset((*";{}(),:?=", "else", "do", "return"))
#: Values that fit into every field; or null pointers, if the field is the kernel's own.
_CONSTANTS = frozenset(("nullptr", "NULL", "true", "false"))
_MAX_CONSTANT = 255
#: The number of values in braces whose casts are checked. They are counts and lengths; a kernel may
#: cut a stride that the instruction does not use.
_CHECKED_VALUES = 2
_NARROW = frozenset(("int8_t", "uint8_t", "int16_t", "uint16_t", "int32_t", "uint32_t"))
#: Tokens before the { of a block of statements.
_BLOCK = frozenset((*")]:;{}", "else", "do", "const", "mutable", "noexcept", "override"))
#: Tokens before the name of a structure that is not the name of a constructor.
_NO_CALL = frozenset(("<", "class", "struct", "using", "new", "operator", "~"))
#: Tokens after the ( of a declarator, such as that of a pointer to a function.
_DECLARATOR = frozenset("*&)")

_Edit = tuple[int, int, str]


def checked_user_code(preprocessed: str, own: Path) -> str:
    """Returns a preprocessed source with checks in all files outside the folder `own`."""
    marks = [(0, ""), *((mark.start(), mark[1]) for mark in _FILE_MARK.finditer(preprocessed))]
    ends = [begin for begin, _ in marks[1:]] + [len(preprocessed)]
    return "".join(
        preprocessed[begin:end]
        if name.startswith(f"{own}/")
        else with_field_checks(preprocessed[begin:end])
        for (begin, name), end in zip(marks, ends, strict=True)
    )


def with_field_checks(text: str) -> str:
    """Returns C++ code, before or after the preprocessor, with checks."""
    structures, fields = _structures()
    # A backslash continues a line in the definition of a macro.
    tokens = [token for token in tokenize(text) if token.text != "\\"]
    if not any(token.text in fields or token.text in structures for token in tokens):
        return text
    return edited(text, sorted({*_Checks(tokens).edits()}))


class _Checks:
    """The edits of a source that consists of `tokens`."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self._tokens = tokens
        self._opened: list[int] = []  #: the indices of the brackets around the current token
        self._edits: list[_Edit] = []

    def edits(self) -> list[_Edit]:
        structures, fields = _structures()
        for at, token in enumerate(self._tokens):
            if token.text in fields and self._text(at - 1) in (".", "->"):
                self._assignment(at)
            elif token.text in structures and is_name(token):
                self._construction(at)
            elif token.text == "{" and self._text(at - 1) in ("(", ",") and self._in_call():
                self._casts_of_list(at)
            self._follow(at)
        return self._edits

    def _text(self, at: int) -> str:
        inside = 0 <= at < len(self._tokens) and self._tokens[at].kind in ("sign", "name", "number")
        return self._tokens[at].text if inside else ""

    def _follow(self, at: int) -> None:
        word = self._tokens[at].text if self._tokens[at].kind == "sign" else ""
        if word in CLOSERS:
            self._opened.append(at)
        elif word in CLOSERS.values():
            # Branches of #if may open a brace twice; the innermost bracket of this kind is closed.
            for index in reversed(range(len(self._opened))):
                if CLOSERS[self._text(self._opened[index])] == word:
                    del self._opened[index:]
                    break

    def _assignment(self, at: int) -> None:
        """Checks `X.field = value`, `X->field += value`, `X.field[i] = value` and the like."""
        behind = at + 1
        if self._text(behind) == "[":
            close = match_forward(self._tokens, behind)
            behind = len(self._tokens) if close is None else close + 1
        update, equals = self._operator(behind)
        start = self._operand(at - 1)
        value = equals + 1
        if equals < 0 or start is None or self._text(value) in ("", "{"):
            return
        if start > 0 and self._text(start - 1) not in _BEFORE:
            return
        left = self._tokens[start:behind]
        if any(token.text == "{" for token in left):  # such as a lambda
            return
        owner = _joined(self._tokens[start : at - 1])
        owner = f"(*{owner})" if self._text(at - 1) == "->" else f"({owner})"
        types = f"decltype({owner}), decltype(({_joined(left)}))"
        name = literals.cpp(self._tokens[at].text)
        # The new text may evaluate the left side twice if it has no side effects.
        plain = all(token.kind != "sign" or token.text in (".", "->", "[", "]") for token in left)
        if not update:
            if not self._is_constant(value):
                repeats = f", ::twin::TwinRepeats({owner})" if self._cast(value) and plain else ""
                end = self._tokens[equals].end
                self._edits.append((end, end, f" ::twin::TwinField<{types}>({name}{repeats}) ="))
        elif plain:
            begin = self._tokens[behind].begin
            before = f"{name}, {_joined(left)}"
            self._edits.append((begin, begin, f"= ::twin::TwinUpdate<{types}>({before}) "))

    def _operator(self, at: int) -> tuple[bool, int]:
        """Returns whether an operator such as += begins at `at`, and the index of its `=`; -1 if no
        assignment begins there.
        """
        word = self._text(at)
        if word in _SHIFTS:
            return True, at
        equals = at + (word in _UPDATES)
        if self._text(equals) != "=" or self._touches(equals, "="):
            return False, -1
        if equals > at and not self._touches(at, "="):
            return False, -1
        return equals > at, equals

    def _touches(self, at: int, word: str) -> bool:
        """Returns whether `word` follows the token without a space."""
        follows = self._text(at + 1) == word
        return follows and self._tokens[at].end == self._tokens[at + 1].begin

    def _operand(self, at: int) -> int | None:
        """Returns the index of the first token of the expression before the . or -> at `at`."""
        while True:
            at -= 1
            while self._text(at) in (")", "]"):
                opening = self._match_back(at)
                if opening is None:
                    return None
                if self._text(at) == ")" and not self._is_operand(opening - 1):
                    return opening
                at = opening - 1
            if not self._is_operand(at):
                return None
            while self._text(at - 1) == "::":
                at -= 2 if self._is_operand(at - 2) else 1
            if self._text(at - 1) not in (".", "->"):
                return at
            at -= 1

    def _is_operand(self, at: int) -> bool:
        return at >= 0 and is_name(self._tokens[at]) and self._text(at) not in _BEFORE | {"if"}

    def _match_back(self, at: int) -> int | None:
        closers = {close: opening for opening, close in CLOSERS.items()}
        waiting: list[str] = []
        for index in range(at, -1, -1):
            word = self._tokens[index].text if self._tokens[index].kind == "sign" else ""
            if word in closers:
                waiting.append(closers[word])
            elif word in CLOSERS:
                if waiting.pop() != word:
                    return None
                if not waiting:
                    return index
        return None

    def _is_constant(self, at: int) -> bool:
        """Returns whether the value at `at` is one token and fits into every field."""
        if self._text(at + 1) not in (";", ",", ")"):
            return False
        word = self._text(at)
        if word in _CONSTANTS:
            return True
        digits = word.rstrip("uUlL")
        return digits.isdecimal() and int(digits) <= _MAX_CONSTANT

    def _cast(self, at: int) -> bool:
        """Keeps the value before the cast that begins at `at`; returns whether one begins there."""
        tokens = self._tokens
        words = [self._text(index) for index in range(at, at + 5)]
        if words[:2] == ["static_cast", "<"] and words[2] in _NARROW and words[3:] == [">", "("]:
            self._edits.append((tokens[at].begin, tokens[at].end, "::twin::TwinCast"))
            self._edits.append((tokens[at + 3].end, tokens[at + 3].end, "()"))
        elif words[0] == "(" and words[1] in _NARROW and words[2] == ")":
            if words[3] in ("", ";", ",", ")", "}"):
                return False
            text = f"::twin::TwinCast<{words[1]}>()->*"
            self._edits.append((tokens[at].begin, tokens[at + 2].end, text))
        elif words[0] in _NARROW and words[1] == "(":
            text = f"::twin::TwinCast<{words[0]}>()"
            self._edits.append((tokens[at].begin, tokens[at].end, text))
        else:
            return False
        return True

    def _casts_of_list(self, opening: int, most: int = _CHECKED_VALUES) -> None:
        """Keeps the values before the casts with which the first values of a list begin."""
        close = match_forward(self._tokens, opening)
        depth = passed = 0
        for at in range(opening, close or opening):
            word = self._text(at)
            depth += (word in CLOSERS) - (word in CLOSERS.values())
            if (at == opening or (depth == 1 and word == ",")) and passed < most:
                passed += 1
                self._cast(at + 1)

    def _construction(self, at: int) -> None:
        """Checks `Structure(values)`, `Structure name(values)` and casts in `Structure{values}`."""
        first = at
        while self._text(first - 1) == "::":
            first -= 2 if self._is_operand(first - 2) else 1
        behind = self._behind_template(at + 1)
        if behind is None or self._text(first - 1) in _NO_CALL:
            return
        named = behind < len(self._tokens) and is_name(self._tokens[behind])
        opening = behind + named
        if self._text(opening) == "{":
            self._casts_of_list(opening)
        if self._text(opening) != "(" or self._text(opening + 1) in _DECLARATOR:
            return
        # Elsewhere it may be the type of a function.
        if not self._in_body() or (named and not self._are_values(opening)):
            return
        end = self._tokens[opening].end
        self._edits.append((end, end, "::twin::TwinParens(), "))
        self._casts_of_list(opening, len(self._tokens))

    def _behind_template(self, at: int) -> int | None:
        """Returns the index behind the template arguments at `at`, or `at` if there are none."""
        if self._text(at) != "<":
            return at
        depth = 0
        for index in range(at, len(self._tokens)):
            token = self._tokens[index]
            if token.text == "<":
                depth += 1
            elif token.text.strip(">") == "":
                depth -= len(token.text)
                if depth <= 0:
                    return index + 1 if depth == 0 else None
            elif token.kind == "sign" and token.text not in ("::", ",", "(", ")"):
                return None
        return None

    def _in_body(self) -> bool:
        """Returns whether the current token is in the body of a function."""
        braces = [index for index in self._opened if self._text(index) == "{"]
        return bool(braces) and self._text(braces[-1] - 1) in _BLOCK

    def _are_values(self, opening: int) -> bool:
        """Returns whether the list at `opening` has values, and not the types of parameters."""
        close = match_forward(self._tokens, opening)
        if close is None or self._text(close + 1) not in (";", ","):
            return False
        inside = self._tokens[opening + 1 : close]
        return not any(is_name(one) and is_name(two) for one, two in pairwise(inside))

    def _in_call(self) -> bool:
        """Returns whether the innermost bracket opens the arguments of a function of the API."""
        if not self._opened or self._text(self._opened[-1]) != "(":
            return False
        at = self._opened[-1] - 1
        if self._text(at).strip(">") == "":
            while at > 0 and self._text(at) != "<":
                at -= 1
            at -= 1
        return self._text(at) in _functions()


def _joined(tokens: Sequence[Token]) -> str:
    text = ""
    for at, token in enumerate(tokens):
        text += " " if at > 0 and tokens[at - 1].end < token.begin else ""
        text += token.text
    return text


@functools.cache
def _structures() -> tuple[frozenset[str], frozenset[str]]:
    """Returns the names of the parameter structures, and the names of all their fields."""
    lines = [line.split() for line in _STRUCTURES.read_text("utf-8").splitlines()[1:]]
    return (
        frozenset(words[0] for words in lines),
        frozenset(field for words in lines for field in words[1:]),
    )


@functools.cache
def _functions() -> frozenset[str]:
    return frozenset(_FUNCTIONS.read_text("utf-8").split("\n", 1)[1].split())
