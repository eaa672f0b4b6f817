# SPDX-License-Identifier: Apache-2.0
"""Reads prototypes, and reports each fault in a line `file: key: rule`."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from . import names, rules

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

SCHEMA = Path(__file__).parent / "schema.json"
#: The fault of a file whose brackets are nested deeper than Python's functions can call themselves.
TOO_DEEP = "(file): brackets are nested too deeply"
JSON_TYPES = {
    "object": "a table",
    "array": "a list",
    "string": "a string",
    "boolean": "true or false",
    "integer": "an integer",
}


class PrototypeError(Exception):
    """One or more broken prototypes; `problems` has a line `file: key: rule` for each fault."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


def load_prototypes(proto_dir: Path, op: str | None = None) -> list[tuple[str, dict[str, Any]]]:
    """Returns every valid prototype as (source name for messages, parsed table), ordered by file
    name.

    op: loads only the operator of this name, SwiGluGrad or swi_glu_grad.
    Raises PrototypeError with all faults of all files.
    """
    loaded = load_each(proto_dir, op)
    problems = [f"{each.source}: {fault}" for each in loaded for fault in each.faults]
    if problems:
        raise PrototypeError(problems)
    return [(each.source, each.proto) for each in loaded]


@dataclass(frozen=True)
class Loaded:
    """A prototype and its faults. Each fault is a line `key: rule`."""

    source: str
    proto: dict[str, Any]
    faults: list[str]
    has_form: bool  #: whether it satisfies the schema, so that its model can be made


def load_each(proto_dir: Path, op: str | None = None) -> list[Loaded]:
    """Returns the prototypes of `load_prototypes` with their faults. Raises PrototypeError if there
    are no prototypes.
    """
    paths = sorted(proto_dir.glob("*.toml"))
    if op is not None:
        paths = [path for path in paths if path.stem == names.snake_case(op)]
    if not paths:
        wanted = f"{names.snake_case(op)}.toml" if op else "*.toml"
        raise PrototypeError([f"{proto_dir}: {wanted}: no such prototype"])
    validator = Draft202012Validator(json.loads(SCHEMA.read_text("utf-8")))
    return [_load_one(f"{proto_dir.name}/{path.name}", path, validator) for path in paths]


def _load_one(source: str, path: Path, validator: Draft202012Validator) -> Loaded:
    try:
        # An operator without outputs changes its inputs.
        proto = {"output": [], **tomllib.loads(path.read_text("utf-8"))}
        faults = [fault for error in validator.iter_errors(proto) for fault in _describe(error)]
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        return Loaded(source, {}, [f"(file): must be TOML in UTF-8: {error}"], False)
    except RecursionError:
        return Loaded(source, {}, [TOO_DEEP], False)
    if faults:
        return Loaded(source, proto, sorted(faults), False)
    return Loaded(source, proto, rules.check(proto, path.stem), True)


def file_name_of(path: Path) -> str:
    """Returns the file name for a prototype. A file without a valid `type` keeps its name."""
    try:
        op_type = tomllib.loads(path.read_text("utf-8")).get("type")
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError):
        op_type = None
    known = isinstance(op_type, str) and re.fullmatch("[A-Z][A-Za-z0-9]{0,99}", op_type)
    return f"{names.snake_case(str(op_type))}.toml" if known else path.name


def _describe(error: ValidationError) -> Iterable[str]:
    """Yields the lines `key: rule` for one fault that the schema found. For an unknown or missing
    key, `key` is that key, not the table around it.
    """
    key = _key(error.absolute_path)
    value: Any = error.instance
    limit: Any = error.validator_value
    schema: Any = error.schema
    prefix = f"{key}." if key else ""
    if error.validator == "required":
        # The validator reports each missing key separately; its message starts with that key.
        missing = [name for name in limit if name not in value]
        named = [name for name in missing if error.message.startswith(repr(name))]
        yield from (f"{prefix}{name}: is required" for name in named)
    elif error.validator == "additionalProperties":
        known = sorted(schema["properties"])
        for name in sorted(set(value) - set(known)):
            yield f"{prefix}{name}: unknown key; known are {', '.join(known)}"
    else:
        rule = _rule(str(error.validator), limit, schema) or error.message
        yield f"{key}: {rule}; given: {json.dumps(value, default=str)}"


def _rule(validator: str, limit: Any, schema: Any) -> str:
    """Returns the rule as a sentence; empty for kinds of rules that the schema does not use."""
    if validator == "enum":
        return "must be one of " + ", ".join(map(str, limit))
    if validator == "type":
        return f"must be {JSON_TYPES[limit]}"
    if validator == "pattern":
        return f"must be {schema['description']}"
    counts = {
        "minItems": "least {} item",
        "minProperties": "least {} key",
        "maxLength": "most {} characters",
    }
    if validator in counts:
        return f"must have at {counts[validator].format(limit)}"
    if validator == "uniqueItems":
        return "must not repeat an item"
    return ""


def _key(path: Iterable[str | int]) -> str:
    """Returns a path as text: input[0].dtypes[1] for ('input', 0, 'dtypes', 1)."""
    key = ""
    for part in path:
        key += f"[{part}]" if isinstance(part, int) else f".{part}" if key else part
    return key
