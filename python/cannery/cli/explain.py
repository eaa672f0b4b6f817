# SPDX-License-Identifier: Apache-2.0
"""`cannery explain`: error codes of the twin, from the table that its build left behind."""

from __future__ import annotations

import json
from typing import Any

from rich.text import Text

from cannery import _runtime
from cannery.cli import output
from cannery.errors import CanneryError

__all__ = ["codes", "show"]

_ENDS = {
    "exception": "the launch ends with 507035 (vector core) or 507015 (cube core)",
    "timeout": "the launch ends with 507034 (vector core) or 507014 (cube core)",
    "refused": "the launch does not start: 107000",
}
_STRICT = {
    True: "strict mode only; in hardware mode the twin does what the chip does",
    "partly": "some cases in strict mode only",
    False: "in both modes",
}


def codes() -> dict[str, dict[str, Any]]:
    """Every code with its title, text, remedy, and what the chip does."""
    path = _runtime.twin_root() / "errors.json"
    try:
        found: dict[str, dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CanneryError(f"{path} cannot be read ({error}); reinstall cannery") from error
    return found


def show(code: str | None, as_json: bool) -> None:
    """Prints one code, or the titles of all."""
    known = codes()
    if code is None:
        _show_all(known, as_json)
        return
    entry = known.get(code.upper())
    if entry is None:
        near = [each for each in known if each[:2] == code.upper()[:2]]
        expected = f"one of {', '.join(near)}" if near else "a code such as T107"
        raise ValueError(f"CODE: expected {expected}, got {code!r}; `cannery explain` lists all")
    if as_json:
        output.print_json(entry)
        return
    output.print_paragraph(f"{entry['code']} {entry['title']}", style="bold")
    parts = {
        "": entry["about"],
        "Way out: ": entry["remedy"],
        "On the chip: ": entry["chip"],
        "Mode: ": f"{_STRICT[entry['strict']]}.",
        "Status: ": f"{_ENDS[entry['ends']]}.",
    }
    for head, text in parts.items():
        if text:
            output.print_paragraph(head + text, indent=2)


def _show_all(known: dict[str, dict[str, Any]], as_json: bool) -> None:
    if as_json:
        output.print_json({"codes": list(known.values())})
        return
    table = output.plain_table(headings=False)
    for code, entry in known.items():
        table.add_row(code, Text(entry["title"]))
    output.console().print(table)
