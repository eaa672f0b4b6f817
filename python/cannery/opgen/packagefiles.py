# SPDX-License-Identifier: Apache-2.0
"""Makes the files that describe a package's operators, for each SoC, in the toolkit's format."""

from __future__ import annotations

import json
from typing import Any

from .dtypes import DTYPES, FORMATS
from .model import Attr, Operator, Tensor

_ATTR_TYPES = {
    "string": "str",
    "list_int": "listInt",
    "list_float": "listFloat",
    "list_bool": "listBool",
}
#: The twin's kernels are the same for every SoC, so all files name one folder.
_KERNELS = "twin"
#: The values that op_build writes for AddConfig(soc) without a configuration.
_FLAGS = {
    "dynamicCompileStatic": "true",
    "dynamicFormat": "true",
    "dynamicRankSupport": "true",
    "dynamicShapeSupport": "true",
    "needCheckSupport": "false",
    "precision_reduce": "true",
}


def ops_info(ops: list[Operator], soc: str) -> str:
    """Returns aic-<soc>-ops-info.json: the operators of a package and their parameters."""
    return _dump({op.type: _ops_info(op, soc) for op in ops if soc in op.socs})


def _rows_of(op: Operator, soc: str) -> list[int]:
    return [row for row, socs in enumerate(op.row_socs) if soc in socs]


def _ops_info(op: Operator, soc: str) -> dict[str, Any]:
    info: dict[str, Any] = {}
    for kind, tensors in (("input", op.inputs), ("output", op.outputs)):
        for i, tensor in enumerate(tensors):
            info[f"{kind}{i}"] = _tensor(tensor, _rows_of(op, soc))
    if op.attrs:
        info["attr"] = {"list": ",".join(attr.name for attr in op.attrs)}
    for attr in op.attrs:
        info[f"attr_{attr.name}"] = _attr(attr)
    info |= {flag: {"flag": value} for flag, value in _FLAGS.items()}
    info["coreType"] = {"value": "AiCore"}
    info["prebuildPattern"] = {"value": "Opaque"}
    info["opFile"] = {"value": op.kernel_file}
    info["opInterface"] = {"value": op.kernel_function}
    return info


def _tensor(tensor: Tensor, rows: list[int]) -> dict[str, str]:
    formats = ",".join(tensor.formats[row] for row in rows)
    entry = {
        "name": tensor.name,
        "dtype": ",".join(tensor.dtypes[row] for row in rows),
        "format": formats,
        "unknownshape_format": formats,
        "paramType": tensor.param_type,
        "shape": "all",
    }
    if tensor.value_depend:
        entry["valueDepend"] = tensor.param_type
    return entry


def _attr(attr: Attr) -> dict[str, str]:
    entry = {
        "type": _ATTR_TYPES.get(attr.type, attr.type),
        "value": "all",
        "paramType": attr.param_type,
    }
    if attr.optional:
        is_text = isinstance(attr.default, str)
        entry["defaultValue"] = str(attr.default) if is_text else json.dumps(attr.default)
    return entry


def binary_info(ops: list[Operator], soc: str) -> str:
    """Returns binary_info_config.json: the kernel for each combination of dtypes and formats."""
    return _dump({op.type: _binary_info(op, soc) for op in ops if soc in op.socs})


def _binary_info(op: Operator, soc: str) -> dict[str, Any]:
    keys = {_key(op, row) for row in _rows_of(op, soc)}
    return {
        "dynamicRankSupport": True,
        "simplifiedKeyMode": 0,
        "optionalInputMode": "gen_placeholder",
        "params": {
            "inputs": [_param(tensor) for tensor in op.inputs],
            "outputs": [_param(tensor) for tensor in op.outputs],
            "attrs": [{"name": attr.name, "dtype": attr.type} for attr in op.attrs],
        },
        "binaryList": [
            {
                "simplifiedKey": [_key(op, row)],
                "binPath": f"{_KERNELS}/{op.snake}/{op.snake}_{row}.so",
            }
            for row in op.binary_rows
            if _key(op, row) in keys
        ],
    }


def _param(tensor: Tensor) -> dict[str, str]:
    return {"name": tensor.name, "paramType": tensor.param_type}


def _key(op: Operator, row: int) -> str:
    """Returns the key by which the runtime finds the kernel for a call: d=0 (not deterministic),
    p=1 (high performance), then the numbers of dtypes and formats.
    """
    pairs = (
        f"{DTYPES[tensor.dtypes[row]].number},{FORMATS[tensor.formats[row]]}"
        for tensor in op.tensors
        if not tensor.optional
    )
    return "/".join((op.type, "d=0,p=1", *pairs))


def _dump(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
