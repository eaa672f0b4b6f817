# SPDX-License-Identifier: Apache-2.0
"""Prints tables to stdout, progress and errors to stderr, or one JSON document to stdout."""

from __future__ import annotations

import json
import math
import os
import sys
import textwrap
from collections.abc import Mapping
from typing import Any, TextIO

from rich.console import Console
from rich.table import Table
from rich.text import Text

from cannery.cli.error_fields import error_fields

__all__ = [
    "FORM",
    "console",
    "only_documents",
    "plain_table",
    "print_error",
    "print_json",
    "print_paragraph",
    "progress_console",
    "told",
]

#: Version of the JSON documents. It increases if a field is removed or gets another meaning.
FORM = 1
#: The file to which `print_json` writes after a call of `only_documents`; None before the call.
_documents: TextIO | None = None


def console() -> Console:
    """Returns a console for results. It is as wide as the terminal; in a pipe its width is COLUMNS,
    or 80.
    """
    return Console(emoji=False)  # op_host/add.cpp:100: has no emoji


def print_paragraph(text: str, indent: int = 0, style: str = "", hanging: int = 0) -> None:
    """Prints a text of any length, broken between words and without markup.

    hanging: how far the lines after the first are indented beyond `indent`.
    """
    target = console()
    lines = textwrap.wrap(
        text,
        target.width,
        initial_indent=" " * indent,
        subsequent_indent=" " * (indent + hanging),
        break_long_words=False,
        break_on_hyphens=False,
    )
    for line in lines:
        target.print(Text(line, style=style), soft_wrap=True)


def plain_table(*, headings: bool = True) -> Table:
    """Returns a table without lines around its columns, because 80 columns are too few for them."""
    return Table(box=None, pad_edge=False, show_header=headings, header_style="bold")


def progress_console() -> Console:
    return Console(stderr=True, emoji=False)


def only_documents() -> None:
    """Until the process ends, only documents go to stdout. All other texts go to stderr: what
    kernels print, and what the Python code of a project prints.
    """
    global _documents
    sys.stdout.flush()
    _documents = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)


def print_json(document: dict[str, Any]) -> None:
    """Prints a document, and adds the version of the JSON format that docs/json.md describes."""
    whole = {"version": FORM, "ok": True, **document}
    target = _documents or sys.stdout
    json.dump(_finite(whole), target, indent=2, allow_nan=False)
    target.write("\n")
    target.flush()


def _finite(value: Any) -> Any:
    """Returns the value with None for numbers that JSON does not have: NaN and infinities."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value


def print_error(error: BaseException, as_json: bool) -> None:
    if as_json:
        print_json({"ok": False, "error": error_fields(error)})
    else:
        # Markup is off because messages contain brackets of their own.
        progress_console().print(
            f"error: {error}", style="red", markup=False, highlight=False, soft_wrap=True
        )


def told(checks: Mapping[str, str]) -> str:
    """Returns settings as text, such as "hazards auto-sync, mode strict"."""
    return ", ".join(f"{name} {value}" for name, value in checks.items())
