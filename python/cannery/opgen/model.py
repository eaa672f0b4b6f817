# SPDX-License-Identifier: Apache-2.0
"""The model of an operator (`op` in templates). The model computes all values for the templates."""

from __future__ import annotations

import dataclasses
import json
import typing
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from . import names

AttrValue = int | float | bool | str | list[int] | list[float] | list[bool] | None


@dataclass(frozen=True)
class Tensor:
    """An input or output. `dtypes` and `formats` have an entry per supported combination (row)."""

    kind: str  #: "input" or "output"
    name: str  #: name in the prototype, in the kernel and in GE
    c_name: str  #: name in the public aclnn signature
    inner_c_name: str  #: name in the signature that op_build makes
    c_type: str  #: type in the public signature
    inner_c_type: str
    py_name: str
    macro: str  #: name after DTYPE_ in macros of kernel sources
    param_type: str  #: "required", "optional" or "dynamic"
    dtypes: list[str]
    formats: list[str]
    auto_contiguous: bool
    value_depend: bool
    scalar: str  #: "scalar" or "list" if the C function takes scalars; otherwise empty
    strided: bool  #: for outputs: any strides are accepted and passed to tiling
    #: An input and an output have this name: the operator changes one tensor, which has one
    #: parameter in C, that of the input.
    in_place: bool
    shape: str
    doc: str

    @property
    def optional(self) -> bool:
        return self.param_type == "optional"

    @property
    def dynamic(self) -> bool:
        return self.param_type == "dynamic" and not self.scalar

    @property
    def by_value(self) -> bool:
        """Whether the C function takes an array of values or scalars, not a tensor."""
        return self.value_depend or bool(self.scalar)

    @property
    def distinct_dtypes(self) -> list[str]:
        """Each dtype once; `dtypes` may repeat a dtype for combinations with other parameters."""
        return list(dict.fromkeys(self.dtypes))

    @property
    def distinct_formats(self) -> list[str]:
        return list(dict.fromkeys(self.formats))


@dataclass(frozen=True)
class Attr:
    name: str
    c_name: str
    inner_c_name: str
    c_type: str
    inner_c_type: str
    py_name: str
    type: str  #: int, float, bool, string, list_int, list_float or list_bool
    param_type: str
    default: AttrValue  #: None if the attribute is required
    cpp_default: str  #: C++ literal; empty if the attribute is required
    inner_only: bool  #: the public function has no such parameter, because it computes the value
    doc: str

    @property
    def optional(self) -> bool:
        return self.param_type == "optional"

    @property
    def ge_type(self) -> str:
        """The type's name in OpDef and REG_OP, for example ListInt for list_int."""
        return "".join(part.capitalize() for part in self.type.split("_"))


@dataclass(frozen=True)
class Param:
    """One parameter of an aclnn signature, public or inner."""

    kind: str  #: "input", "attr" or "output"
    #: "input", "output" or "in_place" for a tensor, "input_list" and so on for a list of tensors,
    #: otherwise one of names.VALUE_KINDS
    value: str
    c_type: str
    c_name: str
    name: str
    py_name: str
    optional: bool
    declaration: str  #: C type and name
    call_argument: str  #: the expression that passes the parameter to the twin
    doc: str
    shape: str  #: the rule for the shape of a tensor; empty for attributes

    @property
    def is_tensor(self) -> bool:
        return self.c_type in names.TENSORS

    @property
    def must_not_be_null(self) -> bool:
        return self.c_type.endswith("*") and not self.optional


@dataclass(frozen=True)
class Rule:
    when: str
    status: int


@dataclass(frozen=True)
class Aclnn:
    """Names of the aclnn functions, public and inner; those of phase 1 end in GetWorkspaceSize."""

    public: str
    inner: str
    inner_header: str
    inner_guard: str


@dataclass(frozen=True)
class Entry:
    """A public C function of the operator, and its header. Besides the main function, an operator
    may have further functions, such as a version V2.
    """

    suffix: str  #: what follows the operator's name, such as V2; empty for the main function
    snake: str
    public: str  #: name of phase 2; phase 1 appends GetWorkspaceSize
    header: str
    guard: str
    doc: str
    params: list[Param]
    rules: list[Rule]


@dataclass(frozen=True)
class Position:
    """The index of a parameter among the inputs, outputs or attributes."""

    constant: str  #: name of the constant in C++
    index: int


@dataclass(frozen=True)
class Limit:
    """A number that tiling, generated checks and documentation use."""

    name: str
    constant: str  #: name of the constant in C++
    value: int
    doc: str


@dataclass(frozen=True)
class Formula:
    """A whole number that is computed from other numbers; it is 0 if `condition` is false."""

    name: str
    function: str  #: name of the function in C++
    args: list[str]
    value: str  #: the formula in documentation; // divides and rounds down
    cpp_value: str
    cpp_condition: str
    doc: str


@dataclass(frozen=True)
class Operator:
    source: str
    type: str
    snake: str
    kernel_file: str  #: name of the kernel's file in op_kernel, without .cpp
    kernel_function: str
    category: str
    summary: str
    doc: str
    notes: str  #: how the operator computes; only its page uses it
    time: str  #: what takes time in the operator; only its page uses it
    socs: list[str]
    row_socs: list[list[str]]  #: for each row, the SoCs that have it
    inputs: list[Tensor]
    attrs: list[Attr]
    outputs: list[Tensor]
    limits: list[Limit]
    formulas: list[Formula]
    rules: list[Rule]
    rows: int
    params: list[Param]  #: parameters of the public function
    #: parameters of the inner function, with the names and types that op_build gives them
    inner_params: list[Param]
    aclnn: Aclnn
    header: str
    entries: list[Entry]  #: public functions; the main one comes first
    banner: str = dataclasses.field(repr=False)

    @property
    def tensors(self) -> list[Tensor]:
        return [*self.inputs, *self.outputs]

    @property
    def arguments(self) -> list[Tensor]:
        """The tensors that a caller passes: an output that is also an input counts once."""
        return [t for t in self.tensors if t.kind == "input" or not t.in_place]

    @property
    def inner_calls(self) -> list[tuple[str, str]]:
        """For each input, attribute and output of the definition, its kind, and the expression that
        passes it to the twin.
        """
        given = {(p.kind, p.name): p.call_argument for p in self.inner_params}
        every = [("input", t.name) for t in self.inputs]
        every += [("attr", a.name) for a in self.attrs]
        every += [("output", t.name) for t in self.outputs]
        return [(kind, given.get((kind, name)) or given["input", name]) for kind, name in every]

    @property
    def binary_rows(self) -> list[int]:
        """The rows (combinations of dtypes and formats) for which a kernel is compiled. Rows with
        the same required tensors share a kernel.
        """
        required = [(t.dtypes, t.formats) for t in self.tensors if not t.optional]
        first: dict[tuple[tuple[str, str], ...], int] = {}
        for row in range(self.rows):
            first.setdefault(tuple((d[row], f[row]) for d, f in required), row)
        return list(first.values())

    @property
    def positions(self) -> list[Position]:
        kinds: dict[str, Sequence[Tensor | Attr]] = {
            "Input": self.inputs,
            "Output": self.outputs,
            "Attr": self.attrs,
        }
        return [
            Position(f"k{kind}{names.pascal_case(param.name)}", i)
            for kind, params in kinds.items()
            for i, param in enumerate(params)
        ]

    @property
    def differs_by_soc(self) -> bool:
        return any(socs != self.socs for socs in self.row_socs)

    @property
    def names_kernel(self) -> bool:
        """Whether the kernel's name differs from the operator's."""
        return {self.kernel_file, self.kernel_function} != {self.snake}

    @property
    def is_c_function(self) -> bool:
        """Whether the C library has a function with the kernel's name."""
        return self.kernel_function in names.C_FUNCTIONS

    @property
    def has_limits(self) -> bool:
        return bool(self.limits or self.formulas)

    @property
    def divides(self) -> bool:
        """Whether a formula calls FloorDiv."""
        texts = [text for each in self.formulas for text in (each.cpp_value, each.cpp_condition)]
        return any("FloorDiv(" in text for text in texts)

    @property
    def public_attrs(self) -> list[Attr]:
        return [attr for attr in self.attrs if not attr.inner_only]

    @property
    def checked_params(self) -> list[Param]:
        """The parameters that generated checks examine; other parameters have no rule."""
        return [p for p in self.params if p.is_tensor or p.must_not_be_null]

    @property
    def checked_tensors(self) -> list[Tensor]:
        """The tensors whose dtype and format generated checks compare with the supported
        combinations (rows). Inputs that are no tensors in C, and lists, are left out.
        """
        return [t for t in self.arguments if not t.by_value and not t.dynamic]

    def to_json(self) -> str:
        return json.dumps(dataclasses.asdict(self), indent=2, ensure_ascii=False) + "\n"

    @staticmethod
    def from_json(text: str) -> Operator:
        """Returns the model from a text that `to_json` returned."""
        operator: Operator = _restored(Operator, json.loads(text))
        return operator


def _restored(kind: Any, value: Any) -> Any:
    """Converts plain data to `kind`: to a class of this module, or a list of such objects."""
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        kinds = typing.get_type_hints(kind)
        return kind(**{name: _restored(kinds[name], item) for name, item in value.items()})
    if typing.get_origin(kind) is list:
        (each,) = typing.get_args(kind)
        return [_restored(each, item) for item in value]
    return value
