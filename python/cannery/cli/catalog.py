# SPDX-License-Identifier: Apache-2.0
"""`cannery list`: the operators, from the model that the generator left in the package."""

from __future__ import annotations

import inspect
import json
import sys
from typing import Any

from cannery import _runtime
from cannery.cli import output
from cannery.errors import CanneryError

__all__ = ["operators", "show"]


def operators() -> list[dict[str, Any]]:
    """Models of all installed operators, by name."""
    folder = _runtime.proto_dir()
    models = [
        json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))
    ]
    if not models:
        raise CanneryError(f"no operator prototypes in {folder}; reinstall cannery")
    return models


def show(op: str | None, as_json: bool) -> None:
    """Prints one operator in full, or a few words about each."""
    models = operators()
    if op is None:
        _show_all(models, as_json)
        return
    model = next((each for each in models if op in (each["snake"], each["type"])), None)
    if model is None:
        known = ", ".join(each["snake"] for each in models)
        raise ValueError(f"OP: expected one of {known}, got {op!r}")
    if as_json:
        output.print_json({**_entry(model), "doc": model["doc"], "signature": _signature(model)})
        return
    _show_one(model)


def _show_all(models: list[dict[str, Any]], as_json: bool) -> None:
    entries = [_entry(model) for model in models]
    if as_json:
        output.print_json({"operators": entries})
        return
    for entry in entries:
        output.print_paragraph(f"{entry['op']}: {', '.join(entry['dtypes'])}", style="bold")
        output.print_paragraph(entry["summary"], indent=4)
    output.print_paragraph("`cannery list OP` shows what one of them takes and gives.")


def _show_one(model: dict[str, Any]) -> None:
    output.print_paragraph(f"{model['snake']}: {model['summary']}", style="bold")
    output.print_paragraph(f"cannery.{model['snake']}{_signature(model)}", indent=2, hanging=4)
    output.print_paragraph(f"{model['aclnn']['public']}, for {', '.join(model['socs'])}", indent=2)
    for tensor in (*model["inputs"], *model["outputs"]):
        dtypes = ", ".join(dict.fromkeys(tensor["dtypes"]))
        optional = "" if tensor["param_type"] == "required" else ", may be absent"
        head = f"{tensor['kind']} {tensor['py_name']}: {dtypes}, shape {tensor['shape']}{optional}"
        _show_item(head, tensor["doc"])
    for attr in model["attrs"]:
        if not attr["inner_only"]:
            default = "" if attr["default"] is None else f", default {attr['default']}"
            _show_item(f"attribute {attr['py_name']}: {attr['type']}{default}", attr["doc"])
    for paragraph in model["doc"].split("\n\n"):
        sys.stdout.write("\n")
        # Indented lines are formulas: they stay as they are.
        if paragraph.startswith(" "):
            sys.stdout.write(paragraph + "\n")
        else:
            output.print_paragraph(paragraph)


def _show_item(head: str, doc: str) -> None:
    output.print_paragraph(head, hanging=2)
    output.print_paragraph(doc, indent=4)


def _signature(model: dict[str, Any]) -> str:
    """As Python users write the call: names and defaults."""
    import cannery

    signature = inspect.signature(getattr(cannery, model["snake"]))
    bare = [each.replace(annotation=each.empty) for each in signature.parameters.values()]
    return str(signature.replace(parameters=bare, return_annotation=signature.empty))


def _entry(model: dict[str, Any]) -> dict[str, Any]:
    return {
        "op": model["snake"],
        "type": model["type"],
        "summary": model["summary"],
        "dtypes": list(dict.fromkeys(model["inputs"][0]["dtypes"])),
        "socs": model["socs"],
        "aclnn": model["aclnn"]["public"],
        "inputs": [tensor["py_name"] for tensor in model["inputs"]],
        "attrs": [attr["py_name"] for attr in model["attrs"] if not attr["inner_only"]],
        "outputs": [tensor["py_name"] for tensor in model["outputs"]],
    }
