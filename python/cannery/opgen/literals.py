# SPDX-License-Identifier: Apache-2.0
"""Writes values into generated files. The values come from JSON, from TOML, or from a user's names
and paths, so they can contain anything. For each language, a function returns a literal with the
given value. Other functions return text for a comment or docstring, which the text cannot end.

Jinja's autoescape writes values into HTML, and json.dumps writes JSON.
"""

from __future__ import annotations

import json
import math
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

__all__ = [
    "FILTERS",
    "cmake",
    "cpp",
    "cpp_comment",
    "cpp_include",
    "markdown_cell",
    "markdown_code",
    "python",
    "python_docstring",
    "shell",
    "toml",
    "toml_lines",
]

_MIN_INT64 = -(2**63)
_CPP_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t"}
#: Control characters, and other characters that end a line in one of the languages.
_CONTROL = re.compile("[\0-\x1f\x7f-\x9f\u2028\u2029]")
#: The text for | in a table cell, after an even and after an odd number of backslashes.
_BAR = ("\\|", "|")
#: Matches a code span of Markdown, or the < of an HTML element or of an address such as <a@b>.
_MARKDOWN = re.compile(r"(?P<code>(?<!`)(`+)(?!`).*?(?<!`)\2(?!`))|<(?=[A-Za-z/!?])")


def python(value: Any) -> str:
    """Returns a Python literal for text, numbers, None, and for lists, tuples and dicts of them."""
    if isinstance(value, str):
        return f'"{"".join(map(_python_character, value))}"'
    if isinstance(value, dict):
        return "{" + ", ".join(f"{python(key)}: {python(value[key])}" for key in value) + "}"
    if isinstance(value, list):
        return f"[{', '.join(map(python, value))}]"
    if isinstance(value, tuple):
        return f"({', '.join(map(python, value))}{',' if len(value) == 1 else ''})"
    _check_number(value)
    return repr(value)


def _python_character(character: str) -> str:
    if character in '"\\':
        return f"\\{character}"
    return character if character.isprintable() else character.encode("unicode_escape").decode()


def python_docstring(text: str) -> str:
    """Returns text for a docstring that begins and ends with three double quotes."""
    # One or two double quotes need no escape, except at the end of the text.
    escaped = "".join(c if c in {"\n", '"'} else _python_character(c) for c in text)
    return re.sub(r'"{3,}|"+\Z', lambda quotes: quotes[0].replace('"', '\\"'), escaped)


def cpp(value: Any) -> str:
    """Returns a C++ literal for text, numbers and lists: 1.0f for 1.0, {0, 1} for [0, 1]."""
    if isinstance(value, str):
        return f'"{_cpp_characters(value)}"'
    if isinstance(value, list):
        return "{" + ", ".join(map(cpp, value)) + "}"
    if isinstance(value, bool):
        return "true" if value else "false"
    _check_number(value)
    if value == _MIN_INT64:  # in C++, the digits without the minus sign exceed int64
        return f"({_MIN_INT64 + 1} - 1)"
    return f"{value!r}f" if isinstance(value, float) else repr(value)


def _cpp_characters(text: str) -> str:
    escaped = "".join(
        _CPP_ESCAPES.get(c) or (f"\\{ord(c):03o}" if ord(c) < 0x20 or c == "\x7f" else c)
        for c in text
    )
    # C++11 has trigraphs: it reads ??/ as a backslash.
    return re.sub(r"(?<=\?)\?", r"\\?", escaped)


def cpp_comment(text: str) -> str:
    """Returns text for one line of a C++ comment, behind // or between /* and */."""
    line = _CONTROL.sub(" ", text).replace("*/", "* /").replace("/*", "/ *")
    # A backslash at the end of a line, or the trigraph for it, continues the comment.
    return f"{line} ." if line.rstrip().endswith(("\\", "??/")) else line


def cpp_include(path: Path) -> str:
    """Returns the #include line for a file; raises ValueError if #include cannot spell the path."""
    if re.search(r'["\r\n]|\\\Z', str(path)):
        raise ValueError(f"{path}: no #include can spell this name; rename the file or its folder")
    return f'#include "{path}"\n'


def cmake(text: str) -> str:
    """Returns an argument of a CMake command, in brackets that the text does not contain."""
    equals = "="
    while f"]{equals}]" in f"{text}]":
        equals += "="
    ignored = "\n" if text.startswith("\n") else ""  # CMake ignores the first line end
    return f"[{equals}[{ignored}{text}]{equals}]"


def shell(text: str) -> str:
    """Returns a word of a POSIX shell."""
    return shlex.quote(text)


def toml(value: Any) -> str:
    """Returns a TOML value: the same as in JSON, except that the character DEL is escaped."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False).replace("\x7f", "\\u007f")


def toml_lines(text: str) -> str:
    """Returns a TOML string of several lines."""
    return '"""\n' + "\n".join(toml(line)[1:-1] for line in text.split("\n")) + '"""'


def markdown_cell(text: str) -> str:
    """Returns one line of Markdown for a table. The text may have emphasis and code, but neither
    HTML nor a character that ends the cell.
    """
    line = _CONTROL.sub(" ", text)
    return _in_cell(_MARKDOWN.sub(lambda found: found["code"] or f"\\{found[0]}", line))


def markdown_code(text: str) -> str:
    """Returns a code span for a table, which shows the text as it is."""
    line = _CONTROL.sub(" ", text)
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", line)), default=0))
    space = " " if line.startswith("`") or line.endswith("`") else ""
    return _in_cell(f"{fence}{space}{line}{space}{fence}")


def _in_cell(line: str) -> str:
    """Returns the line with an odd number of backslashes before each |; so no | ends the cell."""
    return re.sub(r"(\\*)\|", lambda found: f"{found[1]}{_BAR[len(found[1]) % 2]}", line)


def _check_number(value: Any) -> None:
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{value!r}: no literal has this value")


#: The functions as filters of the templates.
FILTERS: dict[str, Callable[..., str]] = {
    "python": python,
    "python_docstring": python_docstring,
    "cpp": cpp,
    "cpp_comment": cpp_comment,
    "markdown_cell": markdown_cell,
    "markdown_code": markdown_code,
    "toml": toml,
    "toml_lines": toml_lines,
}
