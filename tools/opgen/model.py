# SPDX-License-Identifier: Apache-2.0
"""The model that templates see as `op`. Everything a template prints is computed here."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from typing import Any

from opgen import names

AttrValue = int | float | bool | str | list[int] | None


@dataclass(frozen=True)
class Tensor:
    """An input or output. `dtypes` and `formats` have one entry per row of the operator."""

    kind: str  #: "input" or "output"
    name: str  #: as the prototype, the kernel and GE spell it
    c_name: str  #: as the aclnn signature spells it
    py_name: str
    macro: str  #: the part after DTYPE_ in kernel sources
    param_type: str  #: "required" or "optional"
    dtypes: list[str]
    formats: list[str]
    auto_contiguous: bool
    value_depend: bool
    shape: str
    doc: str

    @property
    def optional(self) -> bool:
        return self.param_type == "optional"

    @property
    def distinct_dtypes(self) -> list[str]:
        """Without the repeats that combinations with other parameters need."""
        return list(dict.fromkeys(self.dtypes))

    @property
    def distinct_formats(self) -> list[str]:
        return list(dict.fromkeys(self.formats))


@dataclass(frozen=True)
class Attr:
    name: str
    c_name: str
    py_name: str
    type: str  #: int, float, bool, string or list_int
    param_type: str
    default: AttrValue  #: None where the attribute is required
    cpp_default: str  #: C++ literal, empty where the attribute is required
    doc: str

    @property
    def optional(self) -> bool:
        return self.param_type == "optional"

    @property
    def ge_type(self) -> str:
        """list_int -> ListInt: the OpDef method and the REG_OP type."""
        return "".join(part.capitalize() for part in self.type.split("_"))


@dataclass(frozen=True)
class Param:
    """One parameter of the aclnn signature."""

    kind: str  #: "input", "attr" or "output"
    c_type: str
    c_name: str
    name: str
    py_name: str
    optional: bool
    declaration: str  #: C type and name
    call_argument: str  #: the expression that hands the parameter to the twin
    doc: str
    shape: str  #: the rule for its shape; empty for attributes

    @property
    def is_tensor(self) -> bool:
        return self.c_type == names.TENSOR

    @property
    def must_not_be_null(self) -> bool:
        return self.c_type.endswith("*") and not self.optional


@dataclass(frozen=True)
class Aclnn:
    """Names of the functions of both aclnn storeys; phase 1 appends GetWorkspaceSize."""

    public: str
    inner: str
    inner_header: str
    inner_guard: str


@dataclass(frozen=True)
class Rule:
    when: str
    status: int


@dataclass(frozen=True)
class Operator:
    source: str
    type: str
    snake: str
    category: str
    summary: str
    doc: str
    socs: list[str]
    inputs: list[Tensor]
    attrs: list[Attr]
    outputs: list[Tensor]
    rules: list[Rule]
    rows: int
    params: list[Param]
    aclnn: Aclnn
    header: str
    guard: str
    banner: str = dataclasses.field(repr=False)

    @property
    def tensors(self) -> list[Tensor]:
        return [*self.inputs, *self.outputs]

    @property
    def checked_params(self) -> list[Param]:
        """What the generated checks look at; other parameters have no rule that types can state."""
        return [p for p in self.params if p.is_tensor or p.must_not_be_null]

    @property
    def checked_tensors(self) -> list[Tensor]:
        """Tensors whose dtype and format select a row; a value-depend input is no tensor in C."""
        return [t for t in self.tensors if not t.value_depend]

    def to_json(self) -> str:
        return json.dumps(dataclasses.asdict(self), indent=2, ensure_ascii=False) + "\n"


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
