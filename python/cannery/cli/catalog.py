# SPDX-License-Identifier: Apache-2.0
"""`cannery list`: the operators, from the model that the generator left in the package."""

from __future__ import annotations

import json
from typing import Any

from rich.table import Table

from cannery import _runtime
from cannery.cli import output
from cannery.errors import CanneryError

__all__ = ["operators", "show"]


def operators() -> list[dict[str, Any]]:
    """Models of all installed operators, by name."""
    folder = _runtime.twin_root() / "proto"
    models = [
        json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))
    ]
    if not models:
        raise CanneryError(f"no operator prototypes in {folder}; reinstall cannery")
    return models


def show(as_json: bool) -> None:
    entries = [_entry(model) for model in operators()]
    if as_json:
        output.print_json({"operators": entries})
        return
    table = Table("operator", "dtypes", "chips", "aclnn function", "what it computes")
    for entry in entries:
        cells = (", ".join(entry[key]) for key in ("dtypes", "socs"))
        table.add_row(entry["op"], *cells, entry["aclnn"], entry["summary"])
    output.console().print(table)


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
