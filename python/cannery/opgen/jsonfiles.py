# SPDX-License-Identifier: Apache-2.0
"""Makes the generated JSON files."""

from __future__ import annotations

import json
from typing import Any

from .dtypes import DTYPES
from .model import Attr, Operator, Tensor


def model(op: Operator) -> str:
    """Returns the operator's model as JSON, for the Python package and for users' tools."""
    return op.to_json()


def msopgen(op: Operator) -> str:
    """Returns the prototype in the JSON form that `msopgen gen -i` reads; its default values are
    strings.
    """
    entry = {
        "op": op.type,
        "language": "cpp",
        "input_desc": [_msopgen_tensor(tensor) for tensor in op.inputs],
        "output_desc": [_msopgen_tensor(tensor) for tensor in op.outputs],
        "attr": [_msopgen_attr(attr) for attr in op.attrs],
    }
    return _dump([entry])


def _msopgen_tensor(tensor: Tensor) -> dict[str, Any]:
    return {
        "name": tensor.name,
        "param_type": tensor.param_type,
        "format": tensor.formats,
        "type": [DTYPES[name].msopgen for name in tensor.dtypes],
    }


def _msopgen_attr(attr: Attr) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "name": attr.name,
        "param_type": attr.param_type,
        "type": attr.type,
    }
    if attr.optional:
        is_text = isinstance(attr.default, str)
        entry["default_value"] = attr.default if is_text else json.dumps(attr.default)
    return entry


def _dump(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
