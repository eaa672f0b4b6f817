# SPDX-License-Identifier: Apache-2.0
"""Makes the model of an operator from its validated prototype."""

from __future__ import annotations

import dataclasses
from typing import Any

from . import formulas, literals, names, texts
from .model import (
    Aclnn,
    Attr,
    Entry,
    Formula,
    Limit,
    Operator,
    Param,
    Rule,
    Tensor,
)


def build(source: str, proto: dict[str, Any]) -> Operator:
    """Returns the model. `source` is the file name that appears in generated files."""
    proto = texts.with_values(proto)
    op_type = proto["type"]
    snake = names.snake_case(op_type)
    shared = {each["name"] for each in proto["input"]} & {each["name"] for each in proto["output"]}
    # Without an output, the operator can only change what its inputs point to.
    changed = "in_place" if not proto["output"] else "input"
    inputs = [_input(entry, entry["name"] in shared) for entry in proto["input"]]
    attrs = [_attr(entry) for entry in [*proto.get("attr", []), *strides_attrs(proto)]]
    outputs = [
        _output(entry, len(proto["output"]), entry["name"] in shared) for entry in proto["output"]
    ]
    new_outputs = [output for output in outputs if not output.in_place]
    params = [
        *(_public_param(tensor, changed) for tensor in inputs),
        *(_public_param(attr) for attr in attrs if not attr.inner_only),
        *map(_public_param, new_outputs),
    ]
    rules = [_rule(entry) for entry in proto.get("rule", [])]
    own = {"suffix": "", "doc": proto["doc"].strip()}
    return Operator(
        source=source,
        type=op_type,
        snake=snake,
        kernel_file=proto.get("kernel", {}).get("file", snake),
        kernel_function=proto.get("kernel", {}).get("function", snake),
        category=proto["category"],
        summary=proto["summary"],
        doc=proto["doc"].strip(),
        notes=proto.get("notes", "").strip(),
        time=proto.get("time", "").strip(),
        socs=list(proto["socs"]),
        row_socs=proto.get("row_socs", [proto["socs"]] * len(inputs[0].dtypes)),
        inputs=inputs,
        attrs=attrs,
        outputs=outputs,
        limits=[_limit(entry) for entry in proto.get("limit", [])],
        formulas=[_formula(entry) for entry in proto.get("formula", [])],
        rules=rules,
        rows=len(inputs[0].dtypes),
        params=params,
        inner_params=[
            *map(_inner_param, inputs),
            *map(_inner_param, attrs),
            *map(_inner_param, new_outputs),
        ],
        aclnn=Aclnn(
            public=f"aclnn{op_type}",
            inner=f"aclnnInner{op_type}",
            inner_header=f"aclnnInner_{snake}.h",
            inner_guard=names.header_guard(op_type, "aclnnInner"),
        ),
        header=f"aclnn_{snake}.h",
        entries=[_entry(op_type, entry, params, rules) for entry in [own, *proto.get("entry", [])]],
        banner=f"generated from {source}; do not edit",
    )


def strides_attrs(proto: dict[str, Any]) -> list[dict[str, Any]]:
    """Returns the attributes that pass the strides of outputs to tiling, for outputs that may be
    strided.
    """
    return [
        {
            "name": names.strides_attr(output["name"]),
            "type": "list_int",
            "param_type": "optional",
            # No tensor has the strides [0], so this value can mean "contiguous". The default cannot
            # be empty, because op_build has no rule for an empty list.
            "default": [0],
            "inner_only": True,
            "doc": f"Strides of {output['name']} in elements; [0] if it is contiguous.",
        }
        for output in proto["output"]
        if output.get("strided", False)
    ]


def _rule(entry: dict[str, Any]) -> Rule:
    return Rule(entry["when"], entry["status"])


def _entry(op_type: str, entry: dict[str, Any], params: list[Param], rules: list[Rule]) -> Entry:
    """Returns a public function with the operator's parameters and, between them, the parameters
    that the entry adds.
    """
    name = op_type + entry["suffix"]
    snake = names.snake_case(name)
    constant = entry.get("const_tensors", ())
    own = [_constant(param) if param.c_name in constant else param for param in params]
    for added in entry.get("param", []):
        at = [param.c_name for param in own].index(added["after"])
        own.insert(at + 1, _added_param(added))
    return Entry(
        suffix=entry["suffix"],
        snake=snake,
        public=f"aclnn{name}",
        header=f"aclnn_{snake}.h",
        guard=names.header_guard(name),
        doc=entry["doc"].strip(),
        params=own,
        rules=[*map(_rule, entry.get("rule", [])), *rules],
    )


def _constant(param: Param) -> Param:
    declaration = names.declaration(names.TENSOR, param.c_name)
    return dataclasses.replace(param, c_type=names.TENSOR, declaration=declaration)


def _added_param(entry: dict[str, Any]) -> Param:
    c_type = entry["type"]
    return Param(
        kind="input" if c_type in names.TENSORS else "attr",
        value=names.value_kind(c_type, "input"),
        c_type=c_type,
        c_name=entry["name"],
        name=names.snake_case(entry["name"]),
        py_name=names.snake_case(entry["name"]),
        optional=True,
        declaration=names.declaration(c_type, entry["name"]),
        call_argument=entry["name"],
        doc=entry["doc"],
        shape="",
    )


def _tensor(kind: str, entry: dict[str, Any], inner_c_name: str, in_place: bool) -> Tensor:
    dtypes = list(entry["dtypes"])
    inner_c_type = names.inner_c_type(entry)
    if in_place:
        inner_c_type = inner_c_type.removeprefix("const ")
    own = entry.get("aclnn", {})
    return Tensor(
        kind=kind,
        name=entry["name"],
        c_name=own.get("name", inner_c_name),
        inner_c_name=inner_c_name,
        c_type=own.get("type", inner_c_type),
        inner_c_type=inner_c_type,
        py_name=names.snake_case(entry["name"]),
        macro=names.macro_name(entry["name"]),
        param_type=entry["param_type"],
        dtypes=dtypes,
        formats=list(entry.get("formats", ["ND"] * len(dtypes))),
        auto_contiguous=entry.get("auto_contiguous", False),
        value_depend=entry.get("value_depend", False),
        scalar=entry.get("scalar", ""),
        strided=entry.get("strided", False),
        in_place=in_place,
        shape=entry["shape"],
        doc=entry["doc"],
    )


def _input(entry: dict[str, Any], in_place: bool) -> Tensor:
    optional = entry["param_type"] == "optional"
    c_name = names.input_c_name(entry["name"], optional, in_place)
    return _tensor("input", entry, c_name, in_place)


def _output(entry: dict[str, Any], count: int, in_place: bool) -> Tensor:
    optional = entry["param_type"] == "optional"
    c_name = names.output_c_name(entry["name"], optional, count)
    return _tensor("output", entry, c_name, in_place)


def _attr(entry: dict[str, Any]) -> Attr:
    optional = entry["param_type"] == "optional"
    default = entry.get("default")
    inner_c_name = names.attr_c_name(entry["name"], entry["type"], optional)
    inner_c_type = names.inner_c_type(entry)
    own = entry.get("aclnn", {})
    return Attr(
        name=entry["name"],
        c_name=own.get("name", inner_c_name),
        inner_c_name=inner_c_name,
        c_type=own.get("type", inner_c_type),
        inner_c_type=inner_c_type,
        py_name=names.snake_case(entry["name"]),
        type=entry["type"],
        param_type=entry["param_type"],
        default=default,
        cpp_default="" if default is None else literals.cpp(default),
        inner_only=entry.get("inner_only", False),
        doc=entry["doc"],
    )


def _limit(entry: dict[str, Any]) -> Limit:
    return Limit(
        name=entry["name"],
        constant="k" + names.pascal_case(entry["name"]),
        value=entry["value"],
        doc=entry["doc"],
    )


def _formula(entry: dict[str, Any]) -> Formula:
    return Formula(
        name=entry["name"],
        function=names.pascal_case(entry["name"]),
        args=list(entry["args"]),
        value=entry["value"],
        cpp_value=formulas.cpp(entry["value"], entry["args"], condition=False),
        cpp_condition=formulas.cpp(entry["when"], entry["args"], condition=True),
        doc=entry["doc"],
    )


def _public_param(source: Tensor | Attr, kind: str = "") -> Param:
    return _param(source, source.c_type, source.c_name, kind)


def _inner_param(source: Tensor | Attr) -> Param:
    return _param(source, source.inner_c_type, source.inner_c_name)


def _param(source: Tensor | Attr, c_type: str, c_name: str, tensor: str = "") -> Param:
    """Returns a parameter.   tensor: the kind of its value, if this is a tensor."""
    kind = source.kind if isinstance(source, Tensor) else "attr"
    if isinstance(source, Tensor) and source.in_place:
        tensor = "in_place"
    # As in op_build, a Float attribute is converted to float before it is passed to tiling.
    narrowed = f"static_cast<float>({c_name})" if source.c_type in names.FLOATS else c_name
    return Param(
        kind=kind,
        value=names.value_kind(c_type, tensor or kind),
        c_type=c_type,
        c_name=c_name,
        name=source.name,
        py_name=source.py_name,
        optional=source.optional,
        declaration=names.declaration(c_type, c_name),
        call_argument=narrowed,
        doc=source.doc,
        shape=source.shape if isinstance(source, Tensor) else "",
    )
