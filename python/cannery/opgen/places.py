# SPDX-License-Identifier: Apache-2.0
"""Finds the lines of op_host to which faults of definitions refer."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

__all__ = ["with_places"]

_FAULT = re.compile(r"(?P<op>\w+): (?:parameter )?(?P<name>\w+)\b")


def with_places(faults: Iterable[str], sources: Iterable[Path]) -> list[str]:
    """Returns the faults `operator: parameter...`, each with file and line of the parameter in the
    operator's class in front of it. A fault whose line is not found does not change.
    """
    texts = {path: path.read_bytes().decode("utf-8", "replace") for path in sources}
    return [_place(fault, texts) + fault for fault in faults]


def _place(fault: str, texts: dict[Path, str]) -> str:
    match = _FAULT.match(fault)
    if match is None:
        return ""
    declared = rf'\b(?:Input|Output|Attr)\s*\(\s*"{match["name"]}"'
    for path, text in texts.items():
        own = re.search(rf"\b(?:class|struct)\s+{match['op']}\b", text)
        found = own and re.compile(declared).search(text, own.end())
        if found:
            return f"{path}:{text.count(chr(10), 0, found.start()) + 1}: "
    return ""
