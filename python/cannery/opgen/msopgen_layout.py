# SPDX-License-Identifier: Apache-2.0
"""Makes a project with the files that the toolkit's `msopgen gen` writes, so that programs can
overwrite these files and build the project. It reads JSON as tolerantly as msopgen: what only the
twin lacks is an error of `cannery build`, not of this module.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import export, literals, scaffold
from .loader import TOO_DEEP, PrototypeError
from .msopgen import FIELDS, MAX_NAME, entries_of, in_columns, only, parse_default
from .msopgen_types import ATTR_FUNCTIONS, GE_TYPES
from .names import snake_case

VENDOR = "customize"
_KINDS = ("required", "optional", "dynamic")
_CPP_NAME = re.compile(r"[A-Za-z]\w*", re.ASCII)
#: Types whose elements are no whole number of bytes.
_NO_BYTES = {"DT_INT4", "DT_STRING", "DT_RESOURCE"}


@dataclass
class Param:
    """An input or output of an operator."""

    name: str
    kind: str
    types: list[str]
    formats: list[str]


@dataclass
class Attr:
    """An attribute of an operator; `default` is a C++ literal, or empty for a required one."""

    name: str
    function: str
    default: str


@dataclass
class Definition:
    """An operator as msopgen's JSON defines it."""

    type: str
    inputs: list[Param] = field(default_factory=list)
    outputs: list[Param] = field(default_factory=list)
    attrs: list[Attr] = field(default_factory=list)

    @property
    def snake(self) -> str:
        return snake_case(self.type)

    @property
    def arguments(self) -> list[str]:
        """The parameters of the kernel for tensors; an output may have the name of an input."""
        inputs = [tensor.name for tensor in self.inputs]
        outputs = [tensor.name for tensor in self.outputs]
        return [*inputs, *(f"{name}_ref" if name in inputs else name for name in outputs)]

    @property
    def copies(self) -> bool:
        """Whether the kernel can copy the first input to the first output."""
        if not self.inputs or not self.outputs:
            return False
        first, to = self.inputs[0], self.outputs[0]
        return (
            first.kind == to.kind == "required"
            and first.types == to.types
            and not _NO_BYTES.intersection(first.types)
        )


def make(
    source: Path, socs: Sequence[str], op: str | None, framework: str, target: Path, add: bool
) -> tuple[list[str], list[str]]:
    """Makes the project in `target`, or adds operators to the one there. Returns the files that it
    wrote, and sentences about what it ignored.

    op: makes only this operator of the file; None: all of them.
    Raises PrototypeError, ValueError or ScaffoldError before it has written anything.
    """
    ops, ignored = read(source)
    ops = [each for each in ops if op in (None, each.type)]
    if not ops:
        raise ValueError(f"-op: {source} has no operator {op!r}")
    files: dict[str, str] = {}
    for each in ops:
        files |= dict(scaffold.rendered("msopgen", each.snake, "", op=each, socs=socs))
        if framework in ("tf", "tensorflow"):
            files |= dict(scaffold.rendered("msopgen_tf", each.snake, "", op=each))
    if not add:
        files |= export.toolkit_files(VENDOR, socs, twin=True)
        files |= dict(scaffold.rendered("msopgen_project", "", ""))
        return scaffold.write_new(target, files), ignored
    if not (target / "op_host").is_dir():
        raise scaffold.ScaffoldError(f"{target}: is no project to add to: it has no op_host")
    plugin = "framework/tf_plugin/CMakeLists.txt"  # one for all operators
    if (target / plugin).exists():
        files.pop(plugin, None)
    taken = next((path for path in sorted(files) if (target / path).exists()), None)
    if taken is not None:
        raise scaffold.ScaffoldError(f"{target}: there is already {taken}; choose another name")
    scaffold.write_all(target, files)
    return sorted(files), ignored


def read(source: Path) -> tuple[list[Definition], list[str]]:
    """Returns the operators in a file of JSON, and sentences about what msopgen ignores in it."""
    reader = _Reader()
    try:
        entries = entries_of(source)
        ops = [reader.operator(f"[{i}]", entry) for i, entry in enumerate(entries)]
    except RecursionError:
        raise PrototypeError([f"{source}: {TOO_DEEP}"]) from None
    if not entries:
        reader.faults.append("(file): must have an operator")
    for name in {op.type for op in ops if [each.type for each in ops].count(op.type) > 1}:
        reader.faults.append(f"op: {name} is there twice")
    if reader.faults:
        raise PrototypeError([f"{source}: {fault}" for fault in reader.faults])
    return ops, [f"{source}: {sentence}" for sentence in reader.ignored]


class _Reader:
    """Reads operators; collects all faults, and what it ignores as msopgen does."""

    def __init__(self) -> None:
        self.faults: list[str] = []
        self.ignored: list[str] = []

    def operator(self, key: str, entry: Any) -> Definition:
        if not isinstance(entry, dict):
            self._fault(key, "must be an object", entry)
            return Definition("")
        op = Definition(self._name(f"{key}.op", entry.get("op")))
        key = op.type or key
        self._ignore_unknown(key, entry, "operator")
        op.inputs = self._tensors(f"{key}.input_desc", entry.get("input_desc"))
        op.outputs = self._tensors(f"{key}.output_desc", entry.get("output_desc"))
        counts = {tensor.name: len(tensor.types) for tensor in (*op.inputs, *op.outputs)}
        if len(set(counts.values())) > 1:
            listed = ", ".join(f"{name} {count}" for name, count in counts.items())
            self.faults.append(
                f"{key}: all tensors must have the same number of types; given: {listed}"
            )
        attrs = [
            self._attr(f"{key}.attr[{i}]", attr)
            for i, attr in enumerate(self._list(f"{key}.attr", entry.get("attr")))
        ]
        op.attrs = [attr for attr in attrs if attr is not None]
        return op

    def _tensors(self, key: str, entries: Any) -> list[Param]:
        tensors = [
            self._tensor(f"{key}[{i}]", entry) for i, entry in enumerate(self._list(key, entries))
        ]
        # If a name is there twice, msopgen uses the last one.
        return list({tensor.name: tensor for tensor in tensors if tensor is not None}.values())

    def _tensor(self, key: str, entry: Any) -> Param | None:
        if not isinstance(entry, dict):
            self._fault(key, "must be an object", entry)
            return None
        self._ignore_unknown(key, entry, "tensor")
        words = self._words(f"{key}.type", entry.get("type"))
        formats = self._words(f"{key}.format", entry.get("format", "ND"))
        words, formats = in_columns(words, formats)
        if len(words) != len(formats):
            rule = f"must be one, or as many as types, {len(words)}"
            self._fault(f"{key}.format", rule, entry.get("format"))
        for word in words:
            if word not in GE_TYPES:
                self._fault(f"{key}.type", "must be one of " + ", ".join(GE_TYPES), word)
        for name in formats:
            if not re.fullmatch(r"[A-Z][A-Za-z0-9_]*", name):
                self._fault(f"{key}.format", "must be the name of a format, such as ND", name)
        pairs = [
            (ge, name)
            for word, name in zip(words, formats, strict=False)
            for ge in GE_TYPES.get(word, ())
        ]
        kind = self._kind(key, entry, _KINDS)
        name = self._name(f"{key}.name", entry.get("name"))
        return Param(name, kind, [ge for ge, _ in pairs], [form for _, form in pairs])

    def _attr(self, key: str, entry: Any) -> Attr | None:
        if not isinstance(entry, dict):
            self._fault(key, "must be an object", entry)
            return None
        self._ignore_unknown(key, entry, "attribute")
        given = only(entry.get("type"))
        kind = given.strip() if isinstance(given, str) else ""
        if kind not in ATTR_FUNCTIONS:
            self._fault(f"{key}.type", "must be one of " + ", ".join(ATTR_FUNCTIONS), given)
            return None
        name = self._name(f"{key}.name", entry.get("name"))
        default = ""
        if self._kind(key, entry, _KINDS[:2]) == "optional":
            try:
                default = literals.cpp(parse_default(kind, entry.get("default_value")))
            except ValueError:
                rule = f"must be of type {kind}, as JSON or as text"
                self._fault(f"{key}.default_value", rule, entry.get("default_value"))
        return Attr(name, ATTR_FUNCTIONS[kind], default)

    def _list(self, key: str, entries: Any) -> list[Any]:
        if entries is not None and not isinstance(entries, list):
            self._fault(key, "must be a list", entries)
        return entries if isinstance(entries, list) else []

    def _words(self, key: str, value: Any) -> list[str]:
        words = value if isinstance(value, list) else [value]
        if not words or not all(isinstance(word, str) for word in words):
            self._fault(key, "must be a name, or a list of names", value)
            return []
        return [word.strip() for word in words]

    def _kind(self, key: str, entry: dict[str, Any], known: Sequence[str]) -> str:
        given = entry.get("param_type", "required")
        if given in known:
            return str(given)
        self.ignored.append(f"{key}.param_type: is none of {', '.join(known)}, so it is required")
        return "required"

    def _name(self, key: str, name: Any) -> str:
        name = name.strip() if isinstance(name, str) else name
        if isinstance(name, str) and _CPP_NAME.fullmatch(name) and len(name) <= MAX_NAME:
            return name
        self._fault(key, f"must be a C++ name of at most {MAX_NAME} characters", name)
        return ""

    def _ignore_unknown(self, key: str, entry: dict[str, Any], kind: str) -> None:
        self.ignored += [
            f"{key}.{name}: ignored; known are {', '.join(FIELDS[kind])}"
            for name in entry
            if name not in FIELDS[kind]
        ]

    def _fault(self, key: str, rule: str, value: Any) -> None:
        given = "nothing" if value is None else str(value)[:100]
        self.faults.append(f"{key}: {rule}; given: {given}")
