# SPDX-License-Identifier: Apache-2.0
"""Finds the places in the body of a function where statements count the scalar work. Each
straight-line block of statements gets one such statement.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from cannery.compile.scalar_operators import Edit, Operators, Work
from cannery.compile.scalar_tokens import UnreadableError

__all__ = ["Statements"]

#: Statements after which a new block begins.
_CONTROL = frozenset((
    *("{", "if", "for", "while", "do", "switch", "return", "break", "continue", "goto"),
))  # fmt: skip
#: Statements without work at run time.
_NO_WORK = frozenset((
    *("using", "typedef", "static_assert", "constexpr", "asm", "__asm__", "template", "friend"),
    "namespace",
))  # fmt: skip
_CLASSES = frozenset(("class", "struct", "union", "enum"))
_ATTRIBUTES = frozenset(("__attribute__", "alignas"))


#: A block after a call is counted on its own if it has at least this number of operations.
#: Otherwise the statement before the call counts it, too.
_FEWEST = 4


@dataclass
class _Block:
    """A straight-line block. The statement that counts its work goes to `place` in the text; None
    as long as the block has no work.
    """

    place: int | None = None
    work: Work = field(default_factory=Work)


class Statements:
    """Reads the bodies of functions. `edits` has what the source gets, `classes` the indices of the
    { before the members of local classes.
    """

    def __init__(self, on: Operators) -> None:
        self._on = on
        on.on_body = self._lambda
        self._text = on.text
        self._may_be_constant = False  #: the compiler may evaluate the function itself
        self._blocks = [_Block()]
        self.classes: list[int] = []

    @property
    def edits(self) -> list[Edit]:
        return self._on.edits

    def function(self, head: int | None, opening: int, may_be_constant: bool) -> None:
        """Reads a function. `head` is the index of the : before the initialisers of members.
        `may_be_constant`: the compiler may evaluate the function itself.
        """
        self._may_be_constant = may_be_constant
        self._on.work = work = Work(simple=1)
        if head is not None:
            self._on.scan(head + 1, opening)
        self._nested(opening, work)

    def _lambda(self, opening: int) -> None:
        outer, self._may_be_constant = self._may_be_constant, True
        self._nested(opening, Work(simple=1))
        self._may_be_constant = outer

    def _place(self, at: int) -> int:
        """Returns the place in the text before the statement at `at`. A directive, such as #pragma
        unroll, must stay directly before the statement.
        """
        tokens = self._on.tokens
        between = self._on.source[tokens[at - 1].end : tokens[at].begin]
        return tokens[at - 1].end if "#" in between else tokens[at].begin

    def _nested(self, opening: int, work: Work) -> None:
        """Reads the block in { } at `opening`, which begins with `work`."""
        outer, counted, called = self._blocks, self._on.work, self._on.called
        self._blocks = [_Block(self._on.tokens[opening].end, work)]
        self._sequence(opening + 1, self._on.close(opening))
        self._finish()
        self._blocks, self._on.work, self._on.called = outer, counted, called

    def _finish(self) -> None:
        """Ends the current blocks, which run one after another, and begins a new one."""
        blocks = [block for block in self._blocks if block.place is not None and block.work.any()]
        kept = blocks[:1]
        for block in blocks[1:]:
            if block.work.total() < _FEWEST:
                kept[-1].work.add(block.work)
            else:
                kept.append(block)
        for block in kept:
            self.edits.append((block.place or 0, block.place or 0, self._counting(block.work)))
        self._blocks = [_Block()]

    def _sequence(self, at: int, end: int) -> None:
        while at < end:
            behind = self._behind_label(at)
            if behind is not None:
                self._finish()
                at = behind
                continue
            control = self._text(at) in _CONTROL
            at = self._statement(at)
            if control:
                self._finish()
            elif self._on.called:
                self._blocks.append(_Block())

    def _behind_label(self, at: int) -> int | None:
        """Returns the index behind the label at `at`; None if there is none."""
        if self._text(at) == "case":
            conditions = 0  # each ? has a : of its own
            while self._text(at) != ":" or conditions:
                if self._text(at) in (";", "{", "}", ""):
                    raise UnreadableError
                conditions += (self._text(at) == "?") - (self._text(at) == ":")
                at = self._on.close(at) + 1 if self._text(at) == "(" else at + 1
            return at + 1
        label = self._on.name_at(at) and self._text(at + 1) == ":"
        return at + 2 if label else None

    def _scan(self, at: int, end: int, work: Work, statement: bool = False) -> None:
        """Adds the operators in a range to `work`. What a macro of the twin contains is no work of
        the kernel.
        """
        self._on.called = False
        if not self._has_twin(at, end):
            self._on.work = work
            self._on.scan(at, end, statement)

    def _has_twin(self, at: int, end: int) -> bool:
        return any(
            token.kind == "name" and token.text[:4] in ("Twin", "twin", "TWIN")
            for token in self._on.tokens[at:end]
        )

    def _here(self, at: int) -> Work:
        """Returns the work of the current block, to which the statement at `at` adds some."""
        block = self._blocks[-1]
        if block.place is None:
            block.place = self._place(at)
        return block.work

    def _statement(self, at: int) -> int:
        """Reads the statement at `at`; returns the index behind it."""
        word = self._text(self._behind_attributes(at))
        if word != self._text(at) and word in (*_CONTROL, *_ATTRIBUTES):
            raise UnreadableError  # the attribute must stay directly before the statement
        if word == "{":
            close = self._on.close(at)
            self._sequence(at + 1, close)
            return close + 1
        if word == "if":
            return self._if(at)
        if word in ("for", "while", "switch"):
            return self._loop(at)
        if word == "do":
            return self._do(at)
        if word in ("try", "catch", "else"):  # a kernel has no exceptions
            raise UnreadableError
        return self._simple(at)

    def _behind_attributes(self, at: int) -> int:
        """Returns the index behind attributes such as [[likely]] that begin at `at`."""
        if self._text(at) == "[" and self._text(at + 1) == "[":
            return self._behind_attributes(self._on.close(at) + 1)
        if self._text(at) in _ATTRIBUTES and self._text(at + 1) == "(":
            return self._behind_attributes(self._on.close(at + 1) + 1)
        return at

    def _simple(self, at: int) -> int:
        """Reads a statement that ends with a ;."""
        self._on.called = False
        end = at
        local: int | None = None
        first = next(
            (each for each in range(at, at + 4) if self._text(each) not in ("const", "static")), at
        )
        while self._text(end) != ";":
            if self._text(end) in ("", "}", ")", "]"):
                raise UnreadableError
            if self._text(end) == "{" and local is None and self._text(first) in _CLASSES:
                if self._text(first) != "enum":
                    self.classes.append(end)
                local = end
            end = self._on.close(end) + 1 if self._text(end) in ("(", "[", "{") else end + 1
        if local is not None:
            return end + 1
        if self._text(first) in _NO_WORK:
            return end + 1
        block, work = self._blocks[-1], Work()
        self._scan(at, end, work, statement=True)
        if work.any():
            self._here(at)
            block.work.add(work)
        return end + 1

    def _arm(self, at: int, work: Work) -> int:
        """Reads the statement at `at`, which a condition or loop controls, and which begins with
        `work`. Adds { } if the statement has none. Returns the index behind the statement.
        """
        if self._text(at) == "{":
            self._nested(at, work)
            return self._on.close(at) + 1
        if self._behind_label(at) is not None:
            raise UnreadableError
        block = _Block(self._place(at), work)
        outer, self._blocks = self._blocks, [block]
        behind = self._statement(at)
        self._blocks = outer
        if block.work.any() and block.place is not None:
            end = self._on.tokens[behind - 1].end
            self.edits.append((block.place, block.place, " {" + self._counting(block.work)))
            self.edits.append((end, end, "}"))
        return behind

    def _if(self, at: int) -> int:
        constant = self._text(at + 1) == "constexpr"
        opening = at + 1 + constant
        close = self._on.close(opening)
        if not constant and not self._has_twin(opening, close):
            work = self._here(at)
            self._scan(opening + 1, close, work, statement=True)
            work.branch += 1
        behind = self._arm(close + 1, Work())
        if self._text(behind) == "else":
            behind = self._arm(behind + 1, Work())
        return behind

    def _loop(self, at: int) -> int:
        """Reads a for, while or switch."""
        word, opening = self._text(at), at + 1
        if self._text(opening) != "(":
            raise UnreadableError
        close = self._on.close(opening)
        if word == "switch":
            work = self._here(at)
            self._scan(opening + 1, close, work, statement=True)
            work.branch += 1
            return self._switch(close + 1)
        each = Work(branch=1)
        if word == "while":
            self._scan(opening + 1, close, each, statement=True)
            return self._arm(close + 1, each)
        parts = self._parts(opening + 1, close)
        if len(parts) == 3:
            first, condition, step = parts
            self._scan(*first, self._here(at), statement=True)
            self._scan(*condition, each)
            self._scan(*step, each)
        else:  # for (declaration : range)
            each = Work(simple=1, memory=1, branch=1)
            name = self._on.declared(opening + 1, close)
            if name is None:
                raise UnreadableError
            self._scan(name + 1, close, self._here(at))
        return self._arm(close + 1, each)

    def _switch(self, at: int) -> int:
        if self._text(at) != "{":
            raise UnreadableError
        outer, self._blocks = self._blocks, [_Block()]
        self._sequence(at + 1, self._on.close(at))
        self._finish()
        self._blocks = outer
        return self._on.close(at) + 1

    def _parts(self, at: int, end: int) -> list[tuple[int, int]]:
        """Returns the ranges between the ; of a for."""
        parts, begin = [], at
        while at < end:
            if self._text(at) == ";":
                parts.append((begin, at))
                begin = at + 1
            at = self._on.close(at) + 1 if self._text(at) in ("(", "[", "{") else at + 1
        return [*parts, (begin, end)]

    def _do(self, at: int) -> int:
        body = loop = at + 1
        if self._text(body) in _CONTROL and self._text(body) != "{":
            raise UnreadableError
        while self._text(loop) not in ("while", ""):
            loop = self._on.close(loop) + 1 if self._text(loop) in ("(", "[", "{") else loop + 1
        if self._text(loop) != "while":
            raise UnreadableError
        close = self._on.close(loop + 1)
        once = close == loop + 3 and self._text(loop + 2) in ("0", "false")  # the do of a macro
        each = Work(branch=int(not once))
        self._scan(loop + 2, close, each)
        self._arm(body, each)
        return close + 2

    def _counting(self, work: Work) -> str:
        """Returns a statement that counts the work. A call would be slower to compile."""
        if self._may_be_constant:
            counts = (work.simple, work.memory, work.multiply, work.branch)
            return f" ::twin::TwinCount({', '.join(map(str, counts))}); "
        words = (
            ("simpleMemory", work.memory << 32 | work.simple),
            ("branchMultiply", work.multiply << 32 | work.branch),
        )
        added = (f"::twin::ScalarCounters().{name} += {count}U; " for name, count in words if count)
        return f" {''.join(added)}"
