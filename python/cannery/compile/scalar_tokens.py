# SPDX-License-Identifier: Apache-2.0
"""Reads parts of C++ out of tokens: names, types, casts and operands. The types of names are not
known, so the form of the code decides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cannery.compile.tokens import CLOSERS, Token, is_name, partners

__all__ = [
    "BUILTIN",
    "CASTS",
    "KEYWORDS",
    "PAIRS",
    "PRODUCTS",
    "QUALIFIERS",
    "Reader",
    "UnreadableError",
]

#: Names of types of the language and of the toolkit.
BUILTIN = frozenset((
    *("auto", "bool", "char", "double", "float", "half", "int", "long", "short", "signed"),
    *("size_t", "unsigned", "void", "bfloat16_t"),
    *(f"{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64)),
))  # fmt: skip
QUALIFIERS = frozenset((
    *("const", "constexpr", "inline", "mutable", "static", "thread_local", "typename", "volatile"),
    "register",
))  # fmt: skip
CASTS = frozenset(("static_cast", "reinterpret_cast", "const_cast", "dynamic_cast"))
#: Keywords after which an operand begins.
KEYWORDS = frozenset(("return", "case", "else", "do", "new", "delete", "throw", "operator"))
PAIRS = frozenset((
    *("&&", "||", "==", "!=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "++", "--", "<<"),
    "<=",
))  # fmt: skip
#: Keywords with which an operand begins that is not the name of a value.
_NO_VALUES = frozenset((
    *("sizeof", "alignof", "typename", "template", "noexcept", "decltype", "typeid"),
)) | CASTS  # fmt: skip
PRODUCTS = frozenset(("*", "/", "%"))
#: Signs that no list of template arguments in a function contains.
_NO_ARGUMENTS = frozenset((";", "{", "}", ")", "]", "=", "?", "|", "!", ""))


class UnreadableError(Exception):
    """The tokens of a function have a form that is not understood."""


class Reader:
    """Reads the `tokens` of `source`. Indices are those of tokens."""

    def __init__(self, source: str, tokens: Sequence[Token]) -> None:
        self.source = source
        self.tokens = tokens
        self.partner: Mapping[int, int] = partners(tokens)

    def text(self, at: int) -> str:
        return self.tokens[at].text if 0 <= at < len(self.tokens) else ""

    def name_at(self, at: int) -> bool:
        return 0 <= at < len(self.tokens) and is_name(self.tokens[at])

    def close(self, at: int) -> int:
        """Returns the index of the bracket that closes the bracket at `at`."""
        if at not in self.partner:
            raise UnreadableError
        return self.partner[at]

    def operator_at(self, at: int) -> str:
        """Returns the sign at `at`, together with the next one if both are one operator."""
        sign, behind = self.text(at), self.text(at + 1)
        if sign + behind in PAIRS and self.tokens[at].end == self.tokens[at + 1].begin:
            return sign + behind
        return sign

    def behind_angles(self, at: int, strict: bool = True) -> int | None:
        """Returns the index behind the template arguments that begin with the < at `at`; None if
        the < is an operator.
        """
        depth = 0
        while at < len(self.tokens):
            text = self.text(at)
            if text == "<":
                depth += 1
            elif text[:1] == ">" and not text.strip(">"):
                depth -= len(text)
                if depth <= 0:
                    return at + 1 if depth == 0 else None
            elif text in ("(", "[") and self.tokens[at].kind == "sign":
                at = self.close(at)
            elif text in (_NO_ARGUMENTS if strict else (";", "{", "}")) or (
                strict and self.operator_at(at) == "&&"
            ):
                return None
            at += 1
        return None

    def behind_name(self, at: int) -> int | None:
        """Returns the index behind a name such as a::b<T>::c; None if none begins at `at`."""
        at += self.text(at) == "::"
        while self.name_at(at):
            at += 1
            if self.text(at) == "<":
                at = self.behind_angles(at) or at
            if self.text(at) != "::":
                return at
            at += 1
        return None

    def declared(self, at: int, end: int) -> int | None:
        """Returns the index of the name that a declaration at `at` declares; None if no declaration
        begins there.
        """
        builtin = False
        while self.text(at) in BUILTIN or self.text(at) in QUALIFIERS:
            builtin = builtin or self.text(at) in BUILTIN
            at += 1
        if not builtin:
            behind = self.behind_name(at)
            if behind is None or self.text(at) in KEYWORDS:
                return None
            at = behind
        while self.text(at) in ("*", "&", "const") and at < end:
            at += 1
        if self.text(at) == "[" and builtin:  # auto [a, b]
            return at
        fits = self.name_at(at) and self.text(at + 1) in ("=", ";", "(", "{", ",", "[", ":", ")")
        return at if fits and at < end else None

    def is_cast(self, at: int) -> bool:
        """Returns whether the ( at `at` begins a cast such as (T), (const T*) or (ns::T<N>)."""
        close, word = self.close(at), at + 1
        builtin = False
        while self.text(word) in BUILTIN or self.text(word) in QUALIFIERS:
            builtin = True
            word += 1
        if not builtin:
            word = self.behind_name(word) or at
        marked = word
        while self.text(word) in ("*", "&", "const"):
            word += 1
        if word != close or word == at + 1:
            return False
        follows = self.tokens[close + 1] if close + 1 < len(self.tokens) else None
        if builtin or marked != word or self.text(marked - 1).endswith("_t"):
            return True
        return follows is not None and (follows.kind in ("name", "number") or follows.text == "(")

    def copy(self, at: int, end: int) -> str:
        """Returns the text of an operand in one line; empty if the operand cannot
        be copied: it has a lambda or a directive in it.
        """
        text = self.source[self.tokens[at].begin : self.tokens[end - 1].end]
        return "" if "{" in text or "#" in text else text.replace("\n", " ")

    def product_before(self, at: int) -> int | None:
        """Returns the index of the first token of the product that ends before `at`."""
        start = self.operand_before(at)
        while start is not None and self.text(start - 1) in PRODUCTS:
            before = start - 2
            if self.ends_operand(before):
                start = self.operand_before(start - 1)
            else:
                return start - 1  # a pointer that is dereferenced
        return start

    def ends_operand(self, at: int) -> bool:
        """Returns whether the token at `at` ends an operand of a product."""
        if self.text(at) == ")":
            return not self.is_cast(self.close(at))
        name = self.name_at(at) and self.text(at) not in KEYWORDS
        return name or self.text(at) == "]" or (at >= 0 and self.tokens[at].kind == "number")

    def operand_before(self, at: int) -> int | None:
        """Returns the index of the first token of the operand that ends before `at`; None if the
        operand has an unknown form.
        """
        at -= 1
        while self.text(at) in (")", "]"):
            at = self.close(at)
            before = self.text(at - 1)
            if before[:1] == ">" and not before.strip(">"):
                at = self.angle_before(at)
            elif before not in (")", "]") and (before in KEYWORDS or not self.name_at(at - 1)):
                break
            at -= 1
        if not self.name_at(at) and self.tokens[at].kind != "number" and self.text(at) != "(":
            return None
        while self.text(at - 1) == "::":
            at -= 1
            if self.text(at - 1)[:1] == ">":
                at = self.angle_before(at)
            at -= self.name_at(at - 1)
        at -= self.text(at - 1) == "template"
        if self.text(at - 1) in (".", "->"):
            return self.operand_before(at - 1)
        if self.text(at - 1) == ")" and self.is_cast(self.close(at - 1)):
            return self.close(at - 1)
        return at

    def angle_before(self, at: int) -> int:
        """Returns the index of the < of the template arguments that end before `at`."""
        depth = 0
        while at > 0:
            at -= 1
            text = self.text(at)
            depth += len(text) if text[:1] == ">" and not text.strip(">") else -(text == "<")
            if depth <= 0:
                return at
        raise UnreadableError

    def behind_value(self, at: int) -> int | None:
        """Returns the index behind the value that begins at `at` and that an operator assigns; None
        if the value has an unknown form.
        """
        if self.text(at) == "{":
            return None
        while self.text(at) not in (";", ",", ")", "]", "}", ""):
            if self.text(at) == "<":  # template arguments may contain a comma
                return None
            at = self.close(at) + 1 if self.text(at) in CLOSERS else at + 1
        return at

    def behind_divisor(self, at: int) -> int | None:
        """Returns the index behind the divisor that begins at `at`; None if the divisor has a form
        that could be read in two ways, such as `(a) - b` if `a` may be a type.
        """
        while self.text(at) in ("+", "-", "~", "!", "*"):
            at += 1
        if self.text(at) == "(":
            end = self._behind_bracket(at)
        elif at < len(self.tokens) and self.tokens[at].kind == "number":
            return at + 1
        elif self.text(at) in CASTS:
            end = self.behind_angles(at + 1)
            end = end if end is not None and self.text(end) == "(" else None
        else:
            end = self._behind_plain_name(at)
        while end is not None and self.text(end) not in ("<", "{"):
            if self.text(end) in ("(", "["):
                end = self.close(end) + 1
            elif self.text(end) in (".", "->"):
                end = self._behind_plain_name(end + 1)
            elif self.operator_at(end) in ("++", "--"):
                end += 2
            else:
                return end
        return None

    def _behind_bracket(self, at: int) -> int | None:
        """Returns the same for a divisor that begins with the ( at `at`."""
        close = self.close(at)
        inside = [self.text(each) for each in range(at + 1, close)]
        if inside and all(word in BUILTIN or word in QUALIFIERS for word in inside):
            return self.behind_divisor(close + 1)  # a cast
        if self.text(close + 1) in ("(", "+", "-", "*", "&", "~", "!", "{"):
            plain = all(
                self.name_at(each) or self.text(each) in ("::", "*", "&", "<", ">", ",")
                for each in range(at + 1, close)
            )
            return None if plain else close + 1
        follows = self.tokens[close + 1] if close + 1 < len(self.tokens) else None
        cast = follows is not None and follows.kind in ("name", "number")
        return None if cast else close + 1

    def _behind_plain_name(self, at: int) -> int | None:
        """Returns the index behind a name without template arguments, such as a::b."""
        at += self.text(at) == "::"
        while self.name_at(at) and self.text(at) not in KEYWORDS | _NO_VALUES:
            at += 1
            if self.text(at) != "::":
                return at
            at += 1
        return None
