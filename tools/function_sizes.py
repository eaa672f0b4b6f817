# SPDX-License-Identifier: Apache-2.0
"""Measures functions in C++ and Python texts, and tables in TOML."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

#: Comments, literals and preprocessor lines of C++; their braces do not open or close a block.
_NOISE = re.compile(
    r"""//[^\n]* | /\*.*?\*/ | R"(?P<d>[^(\s]*)\(.*?\)(?P=d)" | "(?:\\.|[^"\\\n])*"
      | (?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+' | ^[ \t]*\#(?:\\\n|[^\n])*""",
    re.DOTALL | re.MULTILINE | re.VERBOSE,
)
_SCOPE = re.compile(r"\b(namespace|class|struct|union|enum|extern)\b[^()]*$")
_NAME = re.compile(r"([A-Za-z_~][\w~]*|operator\s*[^\s(]+|operator\s*\(\))\s*\(")

#: Access specifiers before a function; they do not count for its length.
_LABELS = re.compile(r"\s*((public|protected|private)\s*:\s*)*")
#: The header of a TOML table: [name], [[name]], [name."part"].
_TABLE = re.compile(r"""\[\[?[\w."' -]+\]\]?\s*(#.*)?$""")


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match.group())


def _lead(head: str) -> int:
    labels = _LABELS.match(head)
    return labels.end() if labels else 0


def cpp_functions(text: str) -> Iterator[tuple[str, int]]:
    """Yields the name and the number of lines of each function, from the first line of its
    signature to its closing brace.

    The text must be formatted and must compile. Lambdas and local classes count for the function
    that contains them.
    """
    code = _NOISE.sub(_blank, text)
    depth = 0  # number of braces that are open inside the current function
    statement = 0  # index after the last ; { or } outside of functions
    name, first_line = "", 0
    for match in re.finditer(r"[;{}]", code):
        char, at = match.group(), match.start()
        if depth > 0:
            depth += {"{": 1, "}": -1}.get(char, 0)
            if depth == 0:
                yield name, code.count("\n", 0, at) + 1 - first_line + 1
        elif char == "{":
            head = code[statement:at]
            found = _NAME.search(head)
            if found and not _SCOPE.search(head) and not head.rstrip().endswith("="):
                depth, name = 1, found.group(1)
                start = statement + _lead(head)
                first_line = code.count("\n", 0, start) + 1
        if depth == 0:
            statement = at + 1


def python_functions(text: str, path: str = "<text>") -> Iterator[tuple[str, int]]:
    """Yields the name and the number of lines of each function, with decorators and docstring.

    Raises SyntaxError, which names `path`.
    """
    for node in ast.walk(ast.parse(text, path)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            start = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            yield node.name, (node.end_lineno or start) - start + 1


def toml_tables(text: str) -> Iterator[tuple[str, int]]:
    """Yields the header of each TOML table, and the number of lines up to the next header."""
    lines = text.rstrip().splitlines()
    headers = [number for number, line in enumerate(lines) if _TABLE.match(line)]
    for start, end in zip(headers, [*headers[1:], len(lines)], strict=False):
        yield lines[start].strip(), end - start
