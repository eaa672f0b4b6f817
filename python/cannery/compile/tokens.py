# SPDX-License-Identifier: Apache-2.0
"""Divides C++ into tokens, so that comments and literals are not taken for code."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

__all__ = [
    "CLOSERS",
    "Token",
    "code_tokens",
    "directives",
    "edited",
    "is_name",
    "match_forward",
    "partners",
    "tokenize",
    "user_files",
    "user_parts",
    "with_ub_arrays",
    "without_attributes",
    "without_ub_marks",
]

# A run of > is one token; the caller decides how many of them close templates.
_TOKEN = re.compile(
    r"""
      (?P<space> \s+ | // (?:\\\n|[^\n])* | /\*.*?\*/ | ^\#[ ]\d+[ ]"[^\n]* )
    | (?P<raw> (?:u8|[uUL])?R"(?P<delimiter>[^()\\\s"]{0,16})\(.*?\)(?P=delimiter)" )
    | (?P<string> (?:u8|[uUL])?"(?:\\.|[^"\\\n])*" | (?:u8|[uUL])?'(?:\\.|[^'\\\n])+' )
    | (?P<number> \.?\d(?:[eEpP][+-]|'?[\w.])* )
    | (?P<name> [^\W\d]\w* )
    | (?P<sign> <<<|<<=|<=|>+=?|::|->\*?|\#\#|. )
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
#: Matches a line marker of the preprocessor where a file begins or continues after an include.
_FILE_MARK = re.compile(
    r'^# \d+ "(?P<file>(?:\\.|[^"\\])*)"(?: [12])?(?P<system> 3)?[ \d]*$', re.MULTILINE
)
#: Attributes of the device compiler in single brackets, where C++ has no brackets: [host, aicore].
#: A word follows, but not behind a lambda that captures a variable of this name.
_ATTRIBUTE = re.compile(
    r"\[ *(?:host|aicore) *(?:, *(?:host|aicore) *)?\](?=\s*(?!mutable\b)[A-Za-z_])"
)
#: A string in one line, without the quotes of characters.
_STRING = re.compile(r'"(?:\\.|[^"\\\n])*"')
#: What stands before such an attribute: the begin of a declaration, or one of its words. Behind
#: other text, the brackets are an index or begin a lambda.
_BEFORE_ATTRIBUTE = re.compile(
    r"""([;{}>"\n]|\b(inline|static|constexpr|explicit|void))[ \t]*\Z|\A\Z"""
)
_LONGEST_BEFORE = 40
#: The mark to which __ubuf__ expands, and a declaration of arrays: `__ubuf__ float x[8], y[n];`
_UB_MARK = re.compile(r"\b__twin_ubuf__\b ?")
_UB_ARRAY = r"(\w+)\s*((?:\[[^][;]*\]\s*)+)"
_UB_ARRAYS = re.compile(
    rf"{_UB_MARK.pattern}\s*([\w:][\w:<>,\s]*?)\s+({_UB_ARRAY}(?:,\s*{_UB_ARRAY})*);"
)
CLOSERS = {"(": ")", "[": "]", "{": "}"}
# A comment or raw string without an end goes to the end of the text. Otherwise, a search could take
# a time that is quadratic.
_BLOCK = r"/\*(?:[^*]|\*(?!/))*(?:\*/|\Z)"
_COMMENT = rf"//(?:\\\n|[^\n])*|{_BLOCK}"
_LITERAL = r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'"
# The other comments and literals are also matched, because a line inside them may begin with #.
_DIRECTIVE = re.compile(
    rf"""
      (?P<directive> ^ (?: [ \t] | {_BLOCK} )* \#
                     (?: \\\n | {_COMMENT} | {_LITERAL} | [^\n] )* )
    | (?:u8|[uUL])?R"(?P<delimiter>[^()\\\s"]{{0,16}})\((?:.*?\)(?P=delimiter)"|.*\Z)
    | {_COMMENT} | {_LITERAL} | \d(?:'?\w)* | \w+
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)


@dataclass(frozen=True)
class Token:
    text: str
    begin: int
    kind: str  #: "name", "number", "string", "raw" (raw string), "sign" (other text)

    @property
    def end(self) -> int:
        return self.begin + len(self.text)


def tokenize(text: str, begin: int = 0, end: int | None = None) -> list[Token]:
    """Returns the tokens in a part of `text`, without spaces, comments and the preprocessor's line
    markers.
    """
    found = _TOKEN.finditer(text, begin, len(text) if end is None else end)
    return [
        Token(match[0], match.start(), str(match.lastgroup if match["raw"] is None else "raw"))
        for match in found
        if match["space"] is None
    ]


def directives(text: str) -> Iterator[str]:
    """Yields the preprocessor's directives in `text`, with the lines that continue them."""
    for match in _DIRECTIVE.finditer(text):
        if match["directive"] is not None:
            yield match["directive"]


def code_tokens(text: str) -> list[Token]:
    """Returns the tokens of `text` except those of its directives."""
    return tokenize(_DIRECTIVE.sub(_blanked, text))


def _blanked(match: re.Match[str]) -> str:
    return match[0] if match["directive"] is None else re.sub(r"[^\n]", " ", match[0])


def is_name(token: Token) -> bool:
    return token.kind == "name"


def match_forward(tokens: Sequence[Token], at: int) -> int | None:
    """Returns the index of the token that closes the bracket at `at`; None if there is none."""
    waiting: list[str] = []
    for index in range(at, len(tokens)):
        word = tokens[index].text if tokens[index].kind == "sign" else ""
        if word in CLOSERS:
            waiting.append(CLOSERS[word])
        elif waiting and word == waiting[-1]:
            waiting.pop()
            if not waiting:
                return index
        elif word in CLOSERS.values():
            return None
    return None


def edited(text: str, edits: Iterable[tuple[int, int, str]]) -> str:
    """Returns `text` after edits, each of which replaces a range of `text`. Edits that insert at
    the same place keep their order.
    """
    pieces = []
    at = 0
    for begin, end, replacement in sorted(edits, key=lambda edit: edit[:2]):
        pieces += [text[at:begin], replacement]
        at = end
    return "".join([*pieces, text[at:]])


def partners(tokens: Sequence[Token]) -> dict[int, int]:
    """Returns the index of the other bracket for each bracket of a pair."""
    found: dict[int, int] = {}
    waiting: list[int] = []
    for at, token in enumerate(tokens):
        if token.kind != "sign":
            continue
        if token.text in CLOSERS:
            waiting.append(at)
        elif token.text in CLOSERS.values() and waiting:
            opening = waiting.pop()
            if CLOSERS[tokens[opening].text] == token.text:
                found[opening], found[at] = at, opening
    return found


def without_attributes(preprocessed: str) -> str:
    """Returns a preprocessed source with __aicore__, as the twin spells it, in place of the device
    compiler's own attributes; `__forceinline__` expands to `inline`.
    """

    def replaced(match: re.Match[str]) -> str:
        line = preprocessed[preprocessed.rfind("\n", 0, match.start()) + 1 : match.start()]
        in_string = '"' in _STRING.sub("", line.replace("'\"'", ""))
        before = preprocessed[max(0, match.start() - _LONGEST_BEFORE) : match.start()]
        if in_string or not _BEFORE_ATTRIBUTE.search(before):
            return match[0]
        return " __attribute__(())"

    return _ATTRIBUTE.sub(replaced, preprocessed)


def without_ub_marks(preprocessed: str) -> str:
    """Returns a preprocessed source without the marks to which __ubuf__ expands."""
    return _UB_MARK.sub("", preprocessed)


def with_ub_arrays(preprocessed: str) -> str:
    """Returns a preprocessed source without the marks to which __ubuf__ expands, and with a place
    in UB for each array that has such a mark (see twin/device/tensor/ub_array.h).
    """

    def place(match: re.Match[str]) -> str:
        return " ".join(
            f"auto& {array[1]} = ::twin::UbArray<{match[1]} {array[2].strip()}>([] {{}});"
            for array in re.finditer(_UB_ARRAY, match[2])
        )

    return without_ub_marks(_UB_ARRAYS.sub(place, preprocessed))


def user_parts(preprocessed: str, own: str) -> list[tuple[int, int]]:
    """Returns the parts of a preprocessed source that come from the user's files: not from system
    headers, and not from files below the folder `own`. Each part has a begin and an end.
    """
    marks = list(_FILE_MARK.finditer(preprocessed))
    begins = [0, *(mark.start() for mark in marks)]
    ends = [*begins[1:], len(preprocessed)]
    users = _users(marks, own)
    taken = [True, *(mark["file"] in users for mark in marks)]
    return [part for part, take in zip(zip(begins, ends, strict=True), taken, strict=True) if take]


def user_files(preprocessed: str, own: str) -> set[str]:
    """Returns the names of the user's files in a preprocessed source: no system headers, and no
    files below the folder `own`.
    """
    names = _users(_FILE_MARK.finditer(preprocessed), own)
    return {re.sub(r"\\(.)", r"\1", name) for name in names}


def _users(marks: Iterable[re.Match[str]], own: str) -> set[str]:
    # A macro of a system header in a user's line has the mark of a system header with the name of
    # the user's file.
    return {
        mark["file"]
        for mark in marks
        if mark["system"] is None and not mark["file"].startswith((f"{own}/", "<"))
    }
