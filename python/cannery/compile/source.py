# SPDX-License-Identifier: Apache-2.0
"""Reads the source text of a kernel, and finds the kernel's parameters in it."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from cannery.errors import CompileError

__all__ = ["Source", "SourceText", "argument_names", "parameters", "read_source"]

Source = str | os.PathLike[str]

_BYTE_ORDER_MARK = "\N{ZERO WIDTH NO-BREAK SPACE}"
# Matches comments and literals, which may contain words that look like code.
_NO_CODE = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.DOTALL)
_PARAMETER = re.compile(r"(\S.*?[\s*&])(\w+)\s*\Z", re.DOTALL)


@dataclass(frozen=True)
class SourceText:
    """A source text. Bytes that are not UTF-8 become lone surrogates, as in Python's file names."""

    text: str
    label: str  #: the name of the source in the compiler's messages
    folder: Path | None  #: the folder that is searched first for the `#include "..."` of a file


def read_source(source: Source, name: str) -> SourceText:
    """Reads a source. A path object is a file. A string is the source text if it contains a line
    end or a brace, otherwise the name of a file.
    """
    if not isinstance(source, str | os.PathLike):
        raise TypeError(f"source: expected source text or a path, got {type(source).__name__}")
    if isinstance(source, str) and ("\n" in source or "{" in source):
        return SourceText(_checked(source), f"{name}.cpp", None)
    given = os.fspath(source)
    if not isinstance(given, str):
        raise TypeError(f"source: expected a path as str, got {type(given).__name__}")
    path = Path(_checked(given)).absolute()
    try:
        text = _read(path)
    except OSError as error:
        raise CompileError(
            f"source: no file {path} ({error.strerror}); pass an existing file, or the text of the "
            "kernel"
        ) from None
    return SourceText(_checked(text), str(path), path.parent)


def _read(path: Path) -> str:
    # Reading a pipe or a device would block, or never end.
    if path.exists() and not path.is_file():
        raise OSError(0, "not a regular file")
    text = path.read_bytes().decode("utf-8", "surrogateescape")
    return text.removeprefix(_BYTE_ORDER_MARK)


def _checked(text: str) -> str:
    if "\0" in text:
        raise ValueError("source: expected no null character")
    try:
        os.fsencode(text)
    except UnicodeEncodeError as error:
        raise ValueError(f"source: expected text, got {error.object[error.start]!r}") from None
    return text


def parameters(text: str, name: str) -> tuple[tuple[str, str], ...] | None:
    """Returns type and name of each parameter of the kernel `name` in `text`; a name is empty if
    the parameter has none. Returns None if the kernel's definition is not in `text`.
    """
    code = _NO_CODE.sub(" ", text)
    for found in re.finditer(rf"\b{name}\s*\(([^()]*)\)\s*{{", code):
        declaration = re.split(r"[;{}]", code[: found.start()])[-1]
        if "__global__" in declaration:
            parts = [part.strip() for part in found[1].split(",")]
            named = [(_PARAMETER.match(part), part) for part in parts if part not in ("", "void")]
            return tuple((m[1].strip(), m[2]) if m else (part, "") for m, part in named)
    return None


def argument_names(text: str, name: str) -> tuple[str, ...]:
    """Returns the names of the kernel's parameters; empty if `text` does not define the kernel."""
    names = tuple(each for _, each in parameters(text, name) or ())
    return names if all(names) else ()
