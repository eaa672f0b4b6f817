# SPDX-License-Identifier: Apache-2.0
"""Counts the operators of expressions in a kernel, by kind of scalar work. Only the tokens of the
source are known, not the types; the rules in docs/timing.md say what is counted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass

from cannery.compile.scalar_tokens import (
    BUILTIN,
    CASTS,
    KEYWORDS,
    PAIRS,
    PRODUCTS,
    QUALIFIERS,
    Reader,
    UnreadableError,
)
from cannery.compile.tokens import CLOSERS, Token

__all__ = ["Edit", "Operators", "Work"]

_UNEVALUATED = frozenset(("sizeof", "alignof", "decltype", "typeid", "noexcept", "__alignof__"))
_SIMPLE = frozenset((
    *("+", "-", "&", "|", "^", "<<", ">>", "<", ">", "<=", ">=", "==", "!=", "&&", "||", "?"),
    *("+=", "-=", "&=", "|=", "^=", "<<=", ">>=", "++", "--"),
))  # fmt: skip
_DIVISIONS = frozenset(("/", "%", "/=", "%="))
_UNARY = frozenset(("+", "-", "*", "&"))

#: Begin and end of a range in the text, and the text that replaces it.
Edit = tuple[int, int, str]


@dataclass
class Work:
    """Numbers of operations, by kind, in the order of TwinCount (twin/core/scalar_counters.h)."""

    simple: int = 0
    memory: int = 0
    multiply: int = 0
    branch: int = 0

    def add(self, other: Work) -> None:
        self.simple += other.simple
        self.memory += other.memory
        self.multiply += other.multiply
        self.branch += other.branch

    def total(self) -> int:
        return self.simple + self.memory + self.multiply + self.branch

    def any(self) -> bool:
        return self.total() != 0


class Operators(Reader):
    """Counts the operators in ranges of `tokens`, and finds the edits that count divisions."""

    def __init__(self, source: str, tokens: Sequence[Token]) -> None:
        super().__init__(source, tokens)
        self.edits: list[Edit] = []
        self.constants: Set[str] = frozenset()
        self.members: Set[str] = frozenset()  #: the names of all data members
        self.locals: Set[str] = frozenset()  #: variables of the function that are no references
        self.work = Work()  #: where operators are counted
        self.called = False  #: set to True by a call
        #: reads the { } of a lambda's body
        self.on_body: Callable[[int], None] = lambda at: None

    def scan(self, at: int, end: int, statement: bool = False) -> None:
        """Counts the operators of the tokens in a range. `statement` is True if a statement, which
        may be a declaration, begins with the range.
        """
        name = self.declared(at, end) if statement else None
        if name is not None:
            at = self.close(name) + 1 if self.text(name) == "[" else name + 1
            while self.text(at) == "[":
                at = self.close(at) + 1
            if self.text(at) in ("(", "{"):
                self.scan(at + 1, self.close(at))
                at = self.close(at) + 1
        operand = name is not None
        while at < end:
            kind = self.tokens[at].kind
            if kind == "name":
                at, operand = self._name(at)
            elif kind in ("number", "string", "raw"):
                at, operand = at + 1, True
            else:
                at, operand = self._sign(at, operand)

    def _name(self, at: int) -> tuple[int, bool]:
        """Counts the name at `at`; returns the index behind, and whether an operand ends there."""
        word, before = self.text(at), self.text(at - 1)
        if word in _UNEVALUATED:
            return (self.close(at + 1) + 1 if self.text(at + 1) == "(" else at + 2), True
        if word in KEYWORDS or word in QUALIFIERS:
            return at + 1, False
        behind = at + 1
        if self.text(behind) == "<" and self.operator_at(behind) == "<":
            angles = self.behind_angles(behind)
            if angles is not None and (
                word.endswith("_v") or self.text(angles) in ("(", "::", "{")
            ):
                behind = angles
        follows = self.text(behind)
        # The fields of a variable of the function are taken for registers.
        memory = before == "->" or (before == "." and self.text(at - 2) not in self.locals)
        if memory or (
            word in self.members and word not in self.locals and before not in (".", "::")
        ):
            self.work.memory += follows not in (".", "(", "[")
        if follows == "(" and word not in BUILTIN and word not in CASTS:
            self.called = True
        return behind, word not in CASTS

    def _sign(self, at: int, operand: bool) -> tuple[int, bool]:
        """Counts the sign at `at`; returns the same as _name. `operand` is True if an operand ends
        before the sign.
        """
        sign = self.operator_at(at)
        if sign in CLOSERS:
            return self._bracket(at, operand)
        behind = at + len(sign) if sign in PAIRS else at + 1
        work = self.work
        if sign in (".", "->", "::"):
            return behind, False
        if sign in ("++", "--"):
            work.simple += 1
            return behind, operand
        if sign in ("~", "!"):
            work.simple += 1
        elif sign in _UNARY and not operand:
            work.memory += sign == "*"
            work.simple += sign == "-" and self.tokens[behind].kind != "number"
        elif self._is_folded(at, behind, sign):
            pass
        elif sign in ("*", "*="):
            # The device compiler makes shifts and additions of a product with a constant.
            constant = self._is_constant(at - 1, at - 1) or self._is_constant(behind, behind + 1)
            work.multiply += not constant
            work.simple += constant
        elif sign in _DIVISIONS:
            work.simple += 1
            self._divide(at, behind, update=len(sign) > 1)
        elif sign in _SIMPLE:
            work.simple += 1
        return behind, False

    def _is_folded(self, at: int, behind: int, sign: str) -> bool:
        """Returns whether the compiler computes a sum or product, because both operands are plain
        constants, as in `n + 2 * kBytes` but not in `n * 2 + kBytes * m`.
        """
        if sign not in PRODUCTS and sign not in ("+", "-"):
            return False
        before, after = self.text(at - 2), self.text(behind + 1)
        tighter = before in (".", "->", "::") or before in PRODUCTS or after in (".", "(", "[")
        if sign not in PRODUCTS:
            tighter = tighter or before in ("+", "-") or after in PRODUCTS
        names = self._is_constant(at - 1, at - 1) and self._is_constant(behind, behind)
        return names and not tighter

    def _is_constant(self, at: int, bracket: int) -> bool:
        """Returns whether the token at `at` is a constant, or a bracket of sizeof is at `bracket`,
        which is the token itself for the operand on the left.
        """
        if self.tokens[at].kind == "number" or self.text(at) in self.constants:
            return True
        if bracket == at:
            return self.text(self.partner.get(at, 0) - 1) in _UNEVALUATED
        return self.text(at) in _UNEVALUATED

    def _bracket(self, at: int, operand: bool) -> tuple[int, bool]:
        sign, close = self.text(at), self.close(at)
        if sign == "[" and not operand:
            return self._lambda(at)
        if (
            sign == "(" and not operand and self.text(at + 1) == "{"
        ):  # a block that is an expression
            self.on_body(at + 1)
            return close + 1, True
        if sign == "(" and not operand and self.is_cast(at):
            return close + 1, False
        if sign == "[":
            self.work.memory += 1
        self.scan(at + 1, close)
        return close + 1, True

    def _lambda(self, at: int) -> tuple[int, bool]:
        """Reads a lambda, or an attribute such as [[maybe_unused]]."""
        close = self.close(at)
        if self.text(at + 1) == "[":
            return close + 1, False
        at = close + 1
        while self.text(at) != "{":
            if self.text(at) in (";", ",", ")", "]", "}", ""):
                raise UnreadableError
            at = self.close(at) + 1 if self.text(at) in ("(", "[") else at + 1
        self.on_body(at)
        return self.close(at) + 1, True

    def _divide(self, sign: int, at: int, update: bool) -> None:
        """Adds the edits that count a division with the sign at `sign` and the divisor at `at`.
        `update`: by /= or %=.
        """
        end = self.behind_value(at) if update else self.behind_divisor(at)
        if end is None or (end == at + 1 and self.tokens[at].kind == "number"):
            return
        divisor = self.copy(at, end)
        start = self.product_before(sign)
        dividend = divisor if start is None else self.copy(start, sign) or divisor
        if divisor:
            # Compilers do not agree whether an element of a constant object is a constant.
            plain = all(self.text(each) not in (*CLOSERS, ".", "->") for each in range(at, end))
            constant = f"(bool(__builtin_constant_p({divisor})))" if plain else "false"
            result = f"decltype(::twin::TwinQuotient({dividend}, {divisor}, 0))"
            begin, last = self.tokens[at].begin, self.tokens[end - 1].end
            before = f"(::twin::CountDivision<{constant}, {result}>(), "
            self.edits += [(begin, begin, before), (last, last, ")")]
