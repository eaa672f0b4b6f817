# SPDX-License-Identifier: Apache-2.0
"""`cannery list`: prints the operators, which it reads from the models in the packages."""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import cannery
from cannery import _runtime, packages
from cannery.cli import output
from cannery.errors import CanneryError

__all__ = ["operators", "show"]


def operators() -> list[dict[str, Any]]:
    """Returns the models of the operators that come with cannery, sorted by name."""
    folder = _runtime.proto_dir()
    models = [
        json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))
    ]
    if not models:
        raise CanneryError(f"no operator prototypes in {folder}; reinstall cannery")
    return models


@dataclass(frozen=True)
class _Entry:
    """One operator, and its package; the package is None for cannery's own operators."""

    model: dict[str, Any]
    package: packages.Package | None

    @property
    def call(self) -> str:
        """The call as Python users write it, with names and defaults."""
        name = self.model["snake"]
        if self.package is None:
            return f"cannery.{name}{_signature(getattr(cannery, name))}"
        if self.package.has_python:
            module = self.package.module()
            return f"{self.package.name}.{name}{_signature(getattr(module, name))}"
        from cannery.project import signature

        return f"cannery.project.load(...).{name}{signature(self.model)}"

    def fields(self) -> dict[str, Any]:
        model = self.model
        return {
            "op": model["snake"],
            "type": model["type"],
            "package": self.package.name if self.package else "cannery",
            "summary": model["summary"],
            "dtypes": list(dict.fromkeys(model["inputs"][0]["dtypes"])),
            "socs": model["socs"],
            "aclnn": model["aclnn"]["public"],
            "inputs": [tensor["py_name"] for tensor in model["inputs"]],
            "attrs": [attr["py_name"] for attr in model["attrs"] if not attr["inner_only"]],
            "outputs": [tensor["py_name"] for tensor in model["outputs"]],
        }


def _entries() -> list[_Entry]:
    """Returns the operators of the project around the current folder, of cannery, and of installed
    packages. If several have the same name, only the first counts, as in `cannery run`.
    """
    local = packages.here()
    found = [*_of_package(local), *(_Entry(model, None) for model in operators())]
    found += [entry for package in packages.installed() for entry in _of_package(package)]
    return list({entry.model["snake"]: entry for entry in reversed(found)}.values())[::-1]


def _of_package(package: packages.Package | None) -> list[_Entry]:
    models = package.models if package else ()
    return [_Entry(json.loads(model.to_json()), package) for model in models]


def show(op: str | None, as_json: bool) -> None:
    """Prints everything about one operator, or a summary of each."""
    entries = _entries()
    if op is None:
        _show_all(entries, as_json)
        return
    entry = next(
        (each for each in entries if op in (each.model["snake"], each.model["type"])), None
    )
    if entry is None:
        raise packages.unknown(op, (each.model["snake"] for each in entries))
    if as_json:
        signature = entry.call[entry.call.rindex(entry.model["snake"] + "(") :]
        signature = signature.removeprefix(entry.model["snake"])
        document = {**entry.fields(), "doc": entry.model["doc"], "signature": signature}
        output.print_json(document)
        return
    _show_one(entry)


def _show_all(entries: list[_Entry], as_json: bool) -> None:
    listed = [entry.fields() for entry in entries]
    if as_json:
        output.print_json({"operators": listed})
        return
    for entry in listed:
        origin = "" if entry["package"] == "cannery" else f" ({entry['package']})"
        output.print_paragraph(f"{entry['op']}{origin}: {', '.join(entry['dtypes'])}", style="bold")
        output.print_paragraph(entry["summary"], indent=4)
    output.print_paragraph("`cannery list OP` shows what one of them takes and gives.")


def _show_one(entry: _Entry) -> None:
    model = entry.model
    output.print_paragraph(f"{model['snake']}: {model['summary']}", style="bold")
    output.print_paragraph(entry.call, indent=2, hanging=4)
    output.print_paragraph(f"{model['aclnn']['public']}, for {', '.join(model['socs'])}", indent=2)
    for tensor in (*model["inputs"], *model["outputs"]):
        dtypes = ", ".join(dict.fromkeys(tensor["dtypes"]))
        kind = {"optional": ", may be absent", "dynamic": ", a list of arrays"}
        optional = kind.get(tensor["param_type"], "")
        head = f"{tensor['kind']} {tensor['py_name']}: {dtypes}, shape {tensor['shape']}{optional}"
        _show_item(head, tensor["doc"])
    for attr in model["attrs"]:
        if not attr["inner_only"]:
            default = "" if attr["default"] is None else f", default {attr['default']}"
            _show_item(f"attribute {attr['py_name']}: {attr['type']}{default}", attr["doc"])
    for paragraph in model["doc"].split("\n\n"):
        sys.stdout.write("\n")
        # Indented lines are formulas, which keep their line breaks.
        if paragraph.startswith(" "):
            sys.stdout.write(paragraph + "\n")
        else:
            output.print_paragraph(paragraph)


def _show_item(head: str, doc: str) -> None:
    output.print_paragraph(head, hanging=2)
    output.print_paragraph(doc, indent=4)


def _signature(call: Callable[..., Any]) -> str:
    signature = inspect.signature(call)
    bare = [each.replace(annotation=each.empty) for each in signature.parameters.values()]
    return str(signature.replace(parameters=bare, return_annotation=signature.empty))
