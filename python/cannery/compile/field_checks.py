# SPDX-License-Identifier: Apache-2.0
"""Adds checks to a preprocessed kernel: values that do not fit into the fields of parameter
structures are errors (T402). twin/device/types/fields.h and assignments.h have the checks.

    params.blockLen = n * 4;               params.blockLen = TwinField<...>("blockLen") |= n * 4;
    params.blockLen += n;                  params.blockLen = TwinUpdate<...>("blockLen", ...) += n;
    params.blockLen = (uint16_t)(n * 4);   params.blockLen = TwinField<...>("blockLen") |=
                                               TwinCast<uint16_t>()->*(n * 4);
    DataCopyParams params(1, n, 0, 0);     DataCopyParams params(TwinParens(), 1, n, 0, 0);

Nothing is added where the type of the owner or the end of the value would have to be guessed.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence, Set
from itertools import pairwise
from pathlib import Path

from cannery.compile.tokens import (
    CLOSERS,
    Token,
    code_tokens,
    edited,
    is_name,
    partners,
    user_parts,
)
from cannery.opgen import literals

__all__ = ["with_field_checks"]

#: Each line has the name of a parameter structure, <> if it is a template, and its fields.
_STRUCTURES = Path(__file__).with_name("parameter_structures.txt")
_UPDATES = frozenset("+-*/%&|^")
_SHIFTS = ("<<=", ">>=")
#: Tokens before a statement or an expression that is an assignment.
_BEFORE = frozenset((*";{}(),:?=", "else", "do", "return"))
_KEYWORDS = frozenset(("else", "do", "return", "if", "while", "for", "switch", "case", "throw"))
#: Signs in an expression that has no side effects.
_PLAIN = frozenset((".", "->", "[", "]", "::"))
#: Null pointers, for a field of the kernel's own, and values that fit into every field.
_CONSTANT = re.compile(r"nullptr|__null|true|false|0[xX]?0*[uUlL]*|[1-9]\d?[uUlL]*")
_NARROW = frozenset(f"{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32))
_TYPES = _NARROW | {
    *("auto", "bool", "char", "const", "double", "float", "half", "int", "int64_t", "long"),
    *("short", "signed", "size_t", "uint64_t", "unsigned", "void"),
}
#: The words of a type in a cast; it has at most 32 bits if one of them is in _SIZES.
_SIZES = _NARROW | {"char", "short", "int"}
_TYPE_WORDS = _SIZES | {"const", "signed", "std", "unsigned", "::"}
_ENDS = frozenset(("", ";", ",", ")", "}"))
#: Tokens before the { of a block of statements.
_BLOCK = frozenset((*")]:;{}", "else", "do", "const", "mutable", "noexcept", "override"))
#: Behind these tokens, the name of a structure does not begin the call of a constructor.
_NO_CALL = frozenset(("<", "class", "struct", "using", "new", "operator", "~", "typename", "."))
#: The most tokens of an expression; longer ones get no checks.
_MOST = 200

#: Begin and end of a range in the text, and the text that replaces it.
_Edit = tuple[int, int, str]


def with_field_checks(preprocessed: str, own: str) -> str:
    """Returns the source with checks in all files except system headers and those below the folder
    `own`.
    """
    structures, fields = _structures()
    parts: list[tuple[int, list[Token]]] = []
    for begin, end in user_parts(preprocessed, own):
        tokens = code_tokens(preprocessed[begin:end])
        if any(token.text in fields or token.text in structures for token in tokens):
            parts.append((begin, tokens))
    # The kernel may have structures of its own with the names of parameter structures.
    hidden = {
        name.text
        for _, tokens in parts
        for word, name in pairwise(tokens)
        if word.text in ("struct", "class", "using") and name.text in structures
    }
    return edited(
        preprocessed,
        [
            (begin + first, begin + last, text)
            for begin, tokens in parts
            for first, last, text in _Checks(tokens, hidden).edits()
        ],
    )


class _Checks:
    """Finds the edits that add the checks to a part of a source, which consists of `tokens`."""

    def __init__(self, tokens: Sequence[Token], hidden: Set[str]) -> None:
        self._tokens = tokens
        self._hidden = hidden
        self._opened: list[int] = []  #: the indices of the brackets around the current token
        self._edits: list[_Edit] = []
        #: the index of the other bracket, for each bracket of a pair
        self._partner = partners(tokens)

    def edits(self) -> list[_Edit]:
        structures, fields = _structures()
        for at, token in enumerate(self._tokens):
            if token.text in fields and self._text(at - 1) in (".", "->"):
                self._assignment(at)
            elif token.text in structures and token.text not in self._hidden and is_name(token):
                self._construction(at, structures[token.text])
            if token.kind == "sign" and at in self._partner:
                if token.text in CLOSERS:
                    self._opened.append(at)
                elif self._opened:
                    self._opened.pop()
        return self._edits

    def _text(self, at: int) -> str:
        inside = 0 <= at < len(self._tokens) and self._tokens[at].kind in ("sign", "name", "number")
        return self._tokens[at].text if inside else ""

    def _insert(self, at: int, text: str) -> None:
        self._edits.append((at, at, text))

    def _assignment(self, at: int) -> None:
        """Checks `X.field = value`, `X->field += value`, `X.field[i] = value` and the like."""
        behind = at + 1
        if self._text(behind) == "[":
            behind = self._partner.get(behind, len(self._tokens)) + 1
        update, equals = self._operator(behind)
        start = self._operand(at - 1) if equals >= 0 else None
        value = equals + 1
        if start is None or behind - start > _MOST or self._text(value) in ("", "{"):
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
        plain = all(token.kind != "sign" or token.text in _PLAIN for token in left)
        if not update:
            if not self._is_constant(value):
                repeats = (
                    f", ::twin::TwinRepeats({owner})" if self._replace_cast(value) and plain else ""
                )
                end = self._tokens[equals].end
                self._insert(end, f" ::twin::TwinField<{types}>({name}{repeats}) |=")
        elif plain:
            before = f"{name}, {_joined(left)}"
            self._insert(self._tokens[behind].begin, f"= ::twin::TwinUpdate<{types}>({before}) ")

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
        """Returns the index of the first token of the expression before the . or -> at `at`; None
        if the expression has another form, such as a template's function.
        """
        least = at - _MOST
        while at > least:
            at -= 1
            while self._text(at) in (")", "]"):
                opening = self._partner.get(at, -1)
                if self._text(at) == ")" and not self._is_operand(opening - 1):
                    # A group such as (*p), or the call of what stands before it.
                    group = self._text(opening - 1) in _BEFORE and opening + 1 < at
                    return opening if group else None
                at = opening - 1
            if not self._is_operand(at):
                return None
            while self._text(at - 1) == "::":
                at -= 2 if self._is_operand(at - 2) else 1
            if self._text(at - 1) not in (".", "->"):
                return at
            at -= 1
        return None

    def _is_operand(self, at: int) -> bool:
        return at >= 0 and is_name(self._tokens[at]) and self._text(at) not in _KEYWORDS

    def _is_constant(self, at: int) -> bool:
        """Returns whether the value is a constant that every field can have."""
        while self._text(at) == "(" and self._partner.get(at) == at + 2:
            at += 1
        known = _CONSTANT.fullmatch(self._text(at)) is not None
        return known and self._text(at + 1) in (";", ",", ")")

    def _replace_cast(self, at: int) -> bool:
        """Replaces the cast at `at` by a TwinCast, which remembers the value that is cast. Returns
        whether a cast begins there.
        """
        tokens = self._tokens
        word = self._text(at)
        if word == "static_cast" and self._text(at + 1) == "<":
            end = self._behind_type(at + 2)
            if end is None or [self._text(end), self._text(end + 1)] != [">", "("]:
                return False
            self._edits.append((tokens[at].begin, tokens[at].end, "::twin::TwinCast"))
            self._insert(tokens[end].end, "()")
        elif word == "(":
            end = self._behind_type(at + 1)
            if end is None or self._text(end) != ")" or self._text(end + 1) in _ENDS:
                return False
            text = f"::twin::TwinCast<{_joined(tokens[at + 1 : end])}>()->*"
            self._edits.append((tokens[at].begin, tokens[end].end, text))
        elif word in _NARROW and self._text(at + 1) == "(":
            text = f"::twin::TwinCast<{word}>()"
            self._edits.append((tokens[at].begin, tokens[at].end, text))
        else:
            return False
        return True

    def _behind_type(self, at: int) -> int | None:
        """Returns the index behind the integer type of at most 32 bits that begins at `at`; None if
        another word stands there.
        """
        end = at
        while self._text(end) in _TYPE_WORDS:
            end += 1
        return None if _SIZES.isdisjoint(self._text(index) for index in range(at, end)) else end

    def _construction(self, at: int, is_template: bool) -> None:
        """Checks `Structure(values)` and `Structure name(values), name(values)`."""
        space = self._text(at - 2) if self._text(at - 1) == "::" else "AscendC"
        first = at - (2 if self._text(at - 1) == "::" else 0)
        opening = self._behind_template(at + 1) if is_template else at + 1
        if opening is None or space != "AscendC" or self._text(first - 1) in _NO_CALL:
            return
        if not self._in_body():  # it may be the type of a function
            return
        named = opening < len(self._tokens) and is_name(self._tokens[opening])
        while self._text(opening + named) == "(":
            opening += named
            close = self._partner.get(opening)
            if close is None or not self._are_values(opening, close, named):
                return
            self._insert(self._tokens[opening].end, "::twin::TwinParens(), ")
            self._replace_casts(opening, close)
            if not named or self._text(close + 1) != ",":
                return
            opening = close + 2

    def _replace_casts(self, opening: int, close: int) -> None:
        """Replaces the casts with which values of a list begin."""
        for at in self._top_level(opening, close):
            if at == opening or self._text(at) == ",":
                self._replace_cast(at + 1)

    def _top_level(self, opening: int, close: int) -> list[int]:
        """Returns the indices of the tokens that are not in a bracket inside the list."""
        found = [opening]
        at = opening + 1
        while at < close:
            found.append(at)
            at = self._partner.get(at, at) + 1 if self._text(at) in CLOSERS else at + 1
        return found

    def _behind_template(self, at: int) -> int | None:
        """Returns the index behind the template arguments at `at`; None if there are none."""
        depth = 0
        for index in range(at, min(at + _MOST, len(self._tokens))):
            text = self._text(index)
            if text == "<":
                depth += 1
            elif text and not text.strip(">"):
                depth -= len(text)
            elif not (is_name(self._tokens[index]) or text in ("::", ",")):
                return None
            if depth <= 0:
                return index + 1 if depth == 0 and index > at else None
        return None

    def _in_body(self) -> bool:
        """Returns whether the current token is in the body of a function."""
        for index in reversed(self._opened):
            if self._text(index) == "{":
                # A lambda may name its type: -> Type {
                arrow = any(self._text(before) == "->" for before in range(index - 6, index))
                return arrow or self._text(index - 1) in _BLOCK
        return False

    def _are_values(self, opening: int, close: int, named: bool) -> bool:
        """Returns whether a list has several values, and not the parameters of a function."""
        if close - opening > _MOST or self._text(close + 1) == "(":
            return False
        if named and self._text(close + 1) not in (";", ","):
            return False
        inside = self._top_level(opening, close)[1:]
        words = [self._text(at) for at in inside]
        first = [
            at for at in inside if self._text(at - 1) in ("(", ",") and is_name(self._tokens[at])
        ]
        types = any(self._text(at) in _TYPES and self._text(at + 1) != "(" for at in first)
        declared = any(is_name(self._tokens[at + 1]) for at in first)
        return "," in words and not types and not declared and "." * 3 not in "".join(words)


def _joined(tokens: Sequence[Token]) -> str:
    text = ""
    for at, token in enumerate(tokens):
        text += " " if at > 0 and tokens[at - 1].end < token.begin else ""
        text += token.text
    return text


@functools.cache
def _structures() -> tuple[dict[str, bool], frozenset[str]]:
    """Returns the names of the parameter structures, with True for templates, and the names of all
    their fields.
    """
    lines = [line.split() for line in _STRUCTURES.read_text("utf-8").splitlines()[1:]]
    return (
        {words[0].removesuffix("<>"): words[0].endswith("<>") for words in lines},
        frozenset(field for words in lines for field in words[1:]),
    )
