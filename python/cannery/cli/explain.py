# SPDX-License-Identifier: Apache-2.0
"""`cannery explain`: explains the error codes of the twin, which it reads from a generated table,
and the status numbers of the C functions.
"""

from __future__ import annotations

from typing import Any

from rich.text import Text

from cannery._status_names import STATUS_NAMES
from cannery.cli import output
from cannery.cli.codes import codes

__all__ = ["show"]

_ENDS = {
    "exception": "the launch ends with 507035 (vector core) or 507015 (cube core)",
    "timeout": "the launch ends with 507034 (vector core) or 507014 (cube core)",
    "refused": "the launch does not start: 107000",
}
_STRICT = {
    True: "strict mode and pedantic mode; in hardware mode the twin does what the chip does",
    "partly": "some cases in strict mode only",
    "pedantic": 'pedantic mode only, cannery.use(mode="pedantic")',
    False: "in both modes",
}

#: Explanations of status numbers, by their first three digits. Numbers with other digits come from
#: functions of acl.
_FAMILIES = {
    161: "cannery.AclnnError. An operator refused an argument in its first phase, before anything "
    "ran. The message names the argument, what was given and what was expected.",
    361: "cannery.AclnnError. The runtime failed below an operator: a stream, memory, the device. "
    "The message names the function that failed.",
    561: "cannery.AclnnError. An operator's own parts failed: its shape inference, its tiling, its "
    "package or its kernel file. The message names the part, and the file where it is one.",
    107: "cannery.AclError. A function of the runtime, or a launch, was given something that it "
    "refuses: a handle, an address, a size, a number of blocks.",
    207: "cannery.AclError. The device cannot give what was asked for, above all memory.",
    507: "cannery.KernelError. A kernel failed while it ran. On the twin the message begins with a "
    "code such as T103, which `cannery explain T103` explains, and names the kernel's line; a card "
    "tells the status alone: run the same on the twin.",
}
_OTHER_FAMILY = (
    "cannery.AclError. A function of acl refused its arguments or failed; the message names it."
)


def show(code: str | None, as_json: bool) -> None:
    """Prints the explanation of one code, or the titles of all codes."""
    known = codes()
    if code is None:
        _show_all(known, as_json)
        return
    for status, name in STATUS_NAMES.items():
        if code.upper() in (str(status), name):
            _show_status(status, name, as_json)
            return
    entry = known.get(code.upper())
    if entry is None:
        near = [each for each in known if each[:2] == code.upper()[:2]]
        expected = f"one of {', '.join(near)}" if near else "T107 or a status such as 161002"
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


def _show_status(status: int, name: str, as_json: bool) -> None:
    about = _FAMILIES.get(status // 1000, _OTHER_FAMILY)
    if as_json:
        output.print_json({"status": status, "name": name, "about": about})
        return
    output.print_paragraph(f"{status} {name}", style="bold")
    output.print_paragraph(about, indent=2)


def _show_all(known: dict[str, dict[str, Any]], as_json: bool) -> None:
    if as_json:
        output.print_json({"codes": list(known.values())})
        return
    table = output.plain_table(headings=False)
    for code, entry in known.items():
        table.add_row(code, Text(entry["title"]))
    output.console().print(table)
