# SPDX-License-Identifier: Apache-2.0
"""Makes the model of a validated prototype."""

from __future__ import annotations

import json
from typing import Any

from opgen import names
from opgen.model import Aclnn, Attr, AttrValue, Operator, Param, Rule, Tensor


def build(source: str, proto: dict[str, Any]) -> Operator:
    """The model of a validated prototype. `source` is the name that goes into generated files."""
    op_type = proto["type"]
    snake = names.snake_case(op_type)
    inputs = [_input(entry) for entry in proto["input"]]
    attrs = [_attr(entry) for entry in proto.get("attr", [])]
    outputs = [_output(entry, len(proto["output"])) for entry in proto["output"]]
    return Operator(
        source=source,
        type=op_type,
        snake=snake,
        category=proto["category"],
        summary=proto["summary"],
        doc=proto["doc"].strip(),
        socs=list(proto["socs"]),
        inputs=inputs,
        attrs=attrs,
        outputs=outputs,
        rules=[Rule(rule["when"], rule["status"]) for rule in proto.get("rule", [])],
        rows=len(inputs[0].dtypes),
        params=[
            *map(_tensor_param, inputs),
            *map(_attr_param, attrs),
            *map(_tensor_param, outputs),
        ],
        aclnn=Aclnn(
            public=f"aclnn{op_type}",
            inner=f"aclnnInner{op_type}",
            inner_header=f"aclnnInner_{snake}.h",
            inner_guard=names.header_guard(op_type, "aclnnInner"),
        ),
        header=f"aclnn_{snake}.h",
        guard=names.header_guard(op_type),
        banner=f"generated from {source}; do not edit",
    )


def _tensor(kind: str, entry: dict[str, Any], c_name: str) -> Tensor:
    dtypes = list(entry["dtypes"])
    return Tensor(
        kind=kind,
        name=entry["name"],
        c_name=c_name,
        py_name=names.snake_case(entry["name"]),
        macro=names.macro_name(entry["name"]),
        param_type=entry["param_type"],
        dtypes=dtypes,
        formats=list(entry.get("formats", ["ND"] * len(dtypes))),
        auto_contiguous=entry.get("auto_contiguous", False),
        value_depend=entry.get("value_depend", False),
        shape=entry["shape"],
        doc=entry["doc"],
    )


def _input(entry: dict[str, Any]) -> Tensor:
    optional = entry["param_type"] == "optional"
    return _tensor("input", entry, names.input_c_name(entry["name"], optional))


def _output(entry: dict[str, Any], count: int) -> Tensor:
    optional = entry["param_type"] == "optional"
    return _tensor("output", entry, names.output_c_name(entry["name"], optional, count))


def _attr(entry: dict[str, Any]) -> Attr:
    optional = entry["param_type"] == "optional"
    default = entry.get("default")
    return Attr(
        name=entry["name"],
        c_name=names.attr_c_name(entry["name"], entry["type"], optional),
        py_name=names.snake_case(entry["name"]),
        type=entry["type"],
        param_type=entry["param_type"],
        default=default,
        cpp_default=cpp_literal(default),
        doc=entry["doc"],
    )


def cpp_literal(value: AttrValue) -> str:
    """-1 -> -1, 1.0 -> 1.0f, "TND" -> "TND" quoted, [0, 1] -> {0, 1}; None -> nothing."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value!r}f"
    if isinstance(value, list):
        return "{" + ", ".join(map(str, value)) + "}"
    return json.dumps(value)  # true, false, integers and quoted strings are spelled as in C++


def _tensor_param(tensor: Tensor) -> Param:
    c_type = names.INT_ARRAY if tensor.value_depend else names.TENSOR
    return _param(tensor.kind, tensor, c_type, tensor.c_name)


def _attr_param(attr: Attr) -> Param:
    c_type = names.ATTR_C_TYPES[attr.type]
    # op_build narrows Float attributes before tiling sees them, and so do we.
    argument = f"static_cast<float>({attr.c_name})" if attr.type == "float" else attr.c_name
    return _param("attr", attr, c_type, argument)


def _param(kind: str, source: Tensor | Attr, c_type: str, argument: str) -> Param:
    return Param(
        kind=kind,
        c_type=c_type,
        c_name=source.c_name,
        name=source.name,
        py_name=source.py_name,
        optional=source.optional,
        declaration=names.declaration(c_type, source.c_name),
        call_argument=argument,
        doc=source.doc,
        shape=source.shape if isinstance(source, Tensor) else "",
    )
