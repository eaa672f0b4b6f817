# SPDX-License-Identifier: Apache-2.0
"""Replaces {name} in the texts of a prototype by the value of the limit or formula of this name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from . import formulas, names

#: Keys of a prototype, at any depth, whose values are texts for readers.
_TEXT_KEYS = frozenset({"summary", "doc", "notes", "time", "shape", "when"})
_PLACEHOLDER = re.compile(r"\{(\w+)\}")


def with_values(proto: dict[str, Any]) -> dict[str, Any]:
    """Returns the prototype with every {name} in its texts replaced."""
    values = {entry["name"]: str(entry["value"]) for entry in _named(proto)}

    def replaced(key: str, value: Any) -> Any:
        if isinstance(value, dict):
            return {name: replaced(name, item) for name, item in value.items()}
        if isinstance(value, list):
            return [replaced(key, item) for item in value]
        if isinstance(value, str) and key in _TEXT_KEYS:
            return _PLACEHOLDER.sub(lambda match: values[match.group(1)], value)
        return value

    result: dict[str, Any] = replaced("", proto)
    return result


def check(proto: dict[str, Any]) -> Iterator[str]:
    """Yields faults `key: rule` for names that are not defined, or are defined twice."""
    seen: set[str] = set()
    for kind in ("limit", "formula"):
        for i, entry in enumerate(proto.get(kind, [])):
            if entry["name"] in seen:
                yield f"{kind}[{i}].name: {entry['name']} is there already"
            seen.add(entry["name"])
    for key, text in _texts("", proto):
        for name in _PLACEHOLDER.findall(text):
            if name not in seen:
                yield f"{key}: {{{name}}} is no limit and no formula"


def check_formulas(proto: dict[str, Any]) -> Iterator[str]:
    """Yields faults of formulas, which may contain only their arguments, whole numbers and
    operators that C++ has, too.
    """
    for i, entry in enumerate(proto.get("formula", [])):
        if "FloorDiv" in (names.pascal_case(entry["name"]), *entry["args"]):
            yield f"formula[{i}]: FloorDiv is the name of the function that // becomes"
        for key in ("value", "when"):
            try:
                formulas.cpp(entry[key], entry["args"], condition=key == "when")
            except ZeroDivisionError:
                yield f"formula[{i}].{key}: must not divide by 0; given: {entry[key]}"
            except ValueError:
                signs = f"{formulas.NUMBERS} {formulas.COMPARISONS * (key == 'when')}".rstrip()
                yield (
                    f"formula[{i}].{key}: may have {', '.join(entry['args'])}, whole numbers and "
                    f"{signs}; given: {entry[key]}"
                )


def _named(proto: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield from proto.get("limit", [])
    yield from proto.get("formula", [])


def _texts(key: str, value: Any) -> Iterator[tuple[str, str]]:
    """Yields key and text of everything that is written for readers."""
    if isinstance(value, dict):
        for name, item in value.items():
            yield from _texts(f"{key}.{name}" if key else name, item)
    elif isinstance(value, list):
        for i, item in enumerate(value):
            yield from _texts(f"{key}[{i}]", item)
    elif isinstance(value, str) and key.rsplit(".", 1)[-1] in _TEXT_KEYS:
        yield key, value
