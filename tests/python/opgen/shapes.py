# SPDX-License-Identifier: Apache-2.0
"""Parses generated files. Each function returns what is left of a file without the values in it, so
that a value which leaves its literal or comment changes the result or is a syntax error."""

from __future__ import annotations

import ast
import re
from html.parser import HTMLParser
from typing import Any

#: Maps the third character of a C++11 trigraph to the character that the trigraph means.
_TRIGRAPHS = dict(zip("=/'()!<>-", "#\\^[]|{}~", strict=True))
_CPP = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<text>"(?:[^"\\\n]|\\.)*")|(?P<letter>'(?:[^'\\\n]|\\.)+')
    |(?P<number>\d(?:[eE][+-]|[\w.])*)|(?P<word>\w+)|(?P<space>\s+)|(?P<other>[^"'])""",
    re.VERBOSE | re.DOTALL,
)


def cpp(text: str) -> list[str]:
    """Returns the tokens of C++11; one word stands for each literal."""
    text = re.sub(r"\?\?([=/'()!<>-])", lambda found: _TRIGRAPHS[found[1]], text)
    text = re.sub(r"\\[ \t\v\f]*\n", "", text)
    tokens, place = [], 0
    while place < len(text):
        found = _CPP.match(text, place)
        assert found is not None, f"no token: {text[place : place + 80]!r}"
        if found.lastgroup not in ("comment", "space"):
            tokens.append(found.lastgroup if found["text"] or found["number"] else found[0])
        place = found.end()
    text = " ".join(map(str, tokens))
    # A minus sign, and the sum that stands for the smallest int64, belong to a number.
    text = re.sub(r"\( - number - number \)|- number|true|false", "number", text)
    return re.sub(r"\{ (number( , number)* )?\}", "{numbers}", text).split()


def python(text: str) -> str:
    """Returns the syntax tree; the constant "value" stands for each literal."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        for name, value in ast.iter_fields(node):
            if isinstance(value, ast.expr) and _is_value(value):
                setattr(node, name, ast.Constant("value"))
            elif isinstance(value, list):
                value[:] = [
                    ast.Constant("value")
                    if isinstance(each, ast.expr) and _is_value(each)
                    else each
                    for each in value
                ]
    return ast.dump(tree)


def _is_value(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except ValueError:
        return False
    return True


def markdown(text: str) -> list[tuple[str, int]]:
    """Returns for each line its kind, "row" or "line", and the number of unescaped | in a row."""
    kinds = []
    for line in text.split("\n"):
        row = line.startswith("|")
        cells = len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) if row else 0
        shown = re.sub(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)", "", line)
        assert not row or not re.search(r"(?<!\\)<[A-Za-z/!?]", shown), line
        kinds.append(("row" if row else "line", cells))
    return kinds


class _Elements(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[Any] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, sorted(name for name, _ in attrs)))

    def handle_endtag(self, tag: str) -> None:
        self.found.append(f"/{tag}")

    def handle_comment(self, data: str) -> None:
        self.found.append("comment")


def html(text: str) -> list[Any]:
    """Returns the elements with the names of their attributes."""
    elements = _Elements()
    elements.feed(text)
    elements.close()
    return elements.found
