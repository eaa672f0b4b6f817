# SPDX-License-Identifier: Apache-2.0
"""Computes values for the templates of a new operator (new/). The operator copies its first input
to each output, and writes zeros to an output of another dtype.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from . import literals, names
from .dtypes import PLAIN_FORMATS
from .model import Attr, Operator, Tensor

#: C++ types of the attributes that are passed to the kernel. Other attributes stay on the host.
ATTR_TYPES = {"int": "int64_t", "float": "float", "bool": "bool"}

#: Calls that check an attribute; {0} is its name, {1} its default value as a Python literal.
_CHECKS = {
    "int": 'arguments.int64(_API, "{0}", {0})',
    "float": 'arguments.real(_API, "{0}", {0})',
    "bool": 'arguments.boolean("{0}", {0})',
    "string": 'arguments.text(_API, "{0}", {0}, {1})',
    "list_int": 'arguments.int64_list(_API, "{0}", {0})',
}
#: Names in the generated C++ and Python sources, which tensors and attributes must not have.
_TAKEN = frozenset(
    {"attrs", "context", "elems", "firstView", "op", "outShape", "pipe", "position", "reserved"}
    | {"status", "tileElems", "tiles", "tilingData"}
)
_PYTHON_TAKEN = frozenset(
    {"arguments", "checked", "fresh", "ml_dtypes", "np", "npt", "results"}
    | {"source_array", "tuple"}
)
#: Names that no operator can have: modules of its package, names that its kernel and golden use,
#: and "op", because the build generates op_proto.h for all operators together.
OP_TAKEN = _PYTHON_TAKEN | {"cases", "errno", "golden", "main", "op", "ops", "std", "twin"}
#: Largest numbers of pointers of a kernel, and of buffers of a TPipe.
_MAX_POINTERS = 64
_MAX_BUFFERS = 64


@dataclass(frozen=True)
class TensorNames:
    """The names of one tensor in the generated sources."""

    output: bool
    copies: bool  #: whether it is an output with the dtypes of the first input
    by_first: dict[str, str]  #: dtype of the tensor for each dtype of the first input
    pascal: str
    given: str  #: name of the tensor's template parameter
    type: str
    gm: str
    queue: str
    local: str
    has: str
    dtypes_name: str

    @property
    def by_first_python(self) -> str:
        return literals.python(self.by_first)


class Skeleton:
    """The values with which the templates make `op` an operator that copies its first input."""

    attr_types = ATTR_TYPES

    def __init__(self, op: Operator, package: str) -> None:
        self.op = op
        self.package = package
        self.first = op.inputs[0]
        self.has_bool = any("bool" in tensor.dtypes for tensor in op.tensors)
        self.cpp = {tensor.name: self._names(tensor) for tensor in op.tensors}
        self.source = self.cpp[self.first.name]
        self.numbers = [attr for attr in op.public_attrs if attr.type in ATTR_TYPES]
        self.fills = not all(self.cpp[output.name].copies for output in op.outputs)
        self.is_copy = len(op.inputs) == len(op.outputs) == 1 and not op.attrs and not self.fills
        halves = sum(attr.type != "int" for attr in self.numbers)
        self.needs_padding = halves % 2 == 0  # tileElems is another field of 4 bytes

    def _names(self, tensor: Tensor) -> TensorNames:
        pascal = names.pascal_case(tensor.name)
        name = pascal[0].lower() + pascal[1:]
        by_first = dict(zip(self.first.dtypes, tensor.dtypes, strict=True))
        return TensorNames(
            output=tensor.kind == "output",
            copies=tensor.kind == "output" and tensor.dtypes == self.first.dtypes,
            by_first=by_first,
            pascal=pascal,
            given=f"Given{pascal}" if self.has_bool else f"T{pascal}",
            type=f"T{pascal}",
            gm=f"{name}Gm_",
            queue=f"{name}Queue_",
            local=f"{name}Local",
            has=f"has{pascal}_",
            dtypes_name=f"_{tensor.py_name.upper()}_DTYPES",
        )

    @property
    def attr_pascal(self) -> dict[str, str]:
        return {attr.name: names.pascal_case(attr.name) for attr in self.numbers}

    @property
    def returns(self) -> str:
        count = len(self.op.outputs)
        return "Array" if count == 1 else f"tuple[{', '.join(['Array'] * count)}]"

    @property
    def signature(self) -> str:
        """The parameters of the golden's Python function."""
        return self._signature("Array", by_type=True)

    @property
    def call_signature(self) -> str:
        """The parameters of the Python call, which checks its arguments."""
        return self._signature("Array | None", by_type=False)

    def _signature(self, array: str, *, by_type: bool) -> str:
        """Returns the parameters: first the required ones, then the optional ones, in order."""
        required, optional = [], []
        for tensor in self.op.inputs:
            kind = "Any" if tensor.value_depend else array
            if tensor.optional:
                optional.append(
                    f"{tensor.py_name}: {kind}{'' if '|' in kind else ' | None'} = None"
                )
            else:
                required.append(f"{tensor.py_name}: {kind}")
        types = {"int": "int", "float": "float", "bool": "bool", "string": "str"}
        for attr in self.op.public_attrs:
            kind = types.get(attr.type, "Any") if by_type else "Any"
            if attr.optional:
                optional.append(f"{attr.py_name}: {kind} = {_python_default(attr)}")
            else:
                required.append(f"{attr.py_name}: {kind}")
        return ", ".join([*required, *optional])

    @property
    def values(self) -> list[str]:
        """The checked inputs and attributes, in the order of the C parameters."""
        values = []
        for tensor in self.op.inputs:
            if tensor is self.first:
                values.append("source_array")
            elif tensor.value_depend:
                values.append(_CHECKS["list_int"].format(tensor.py_name))
            else:
                values.append(f'arguments.input_array("{tensor.py_name}", {tensor.py_name})')
        for attr in self.op.public_attrs:
            default = _python_default(attr) if attr.optional else '""'
            values.append(_CHECKS[attr.type].format(attr.py_name, default))
        return values

    @property
    def attr_cases(self) -> list[dict[str, object]]:
        """Attributes for the tests: first their defaults, then other numbers, so that a kernel
        which ignores an attribute fails.
        """
        some = {"int": 1, "float": 0.5, "bool": True, "string": "a", "list_int": [1]}
        attrs = self.op.public_attrs
        first = {attr.py_name: some[attr.type] for attr in attrs if not attr.optional}
        other: dict[str, object] = {}
        for attr in attrs:
            value = attr.default if attr.optional else some[attr.type]
            if attr.type == "float":
                other[attr.py_name] = 2.0 if value == 0.5 else 0.5
            elif attr.type == "bool":
                other[attr.py_name] = not value
        return [first, first | other] if other else [first]

    @property
    def uses_api(self) -> bool:
        return any("_API" in value for value in self.values)

    @property
    def imports(self) -> str:
        lines = ["from cannery.ops import arguments", "from cannery.ops.arguments import Array"]
        if self.package == "cannery":
            lines.append("from cannery.vendor_folder import operator")
        else:
            lines.append(f"from {self.package}._operators import operator")
        return "\n".join(lines)


def faults(op: Operator) -> list[str]:
    """Returns why a valid prototype can have no skeleton, as lines `key: rule`."""
    return [*_name_faults(op), *_tensor_faults(op), *_count_faults(op)]


def _name_faults(op: Operator) -> Iterator[str]:
    params: dict[str, Sequence[Tensor | Attr]] = {
        "input": op.inputs,
        "attr": op.attrs,
        "output": op.outputs,
    }
    for kind, named in params.items():
        for i, param in enumerate(named):
            if param.py_name in _PYTHON_TAKEN or param.c_name in _TAKEN:
                yield f"{kind}[{i}].name: {param.name} is a name of the skeleton's own"
            if isinstance(param, Attr) and param.inner_only:
                yield f"{kind}[{i}].inner_only: the skeleton cannot know its value"


def _tensor_faults(op: Operator) -> Iterator[str]:
    first = op.inputs[0]
    if first.optional or first.value_depend:
        yield f"input[0]: {first.name} is copied to the outputs, so it must be required"
    for tensor in op.tensors:
        key = f"{tensor.kind} {tensor.name}"
        if "int4" in tensor.dtypes:
            yield f"{key}: int4: two of them share a byte, so no element can be copied alone"
        for name in sorted(set(tensor.formats) - PLAIN_FORMATS.keys()):
            yield f"{key}: {name}: orders memory in blocks, and no NumPy array does"
        if tensor.kind == "output" and tensor.in_place:
            yield f"{key}: is an input, too; the skeleton writes outputs that are new arrays"
        if tensor.strided:
            yield f"{key}: strided: the skeleton writes contiguous outputs"
    for output in op.outputs:
        made: dict[str, str] = {}
        for dtype, result in zip(first.dtypes, output.dtypes, strict=True):
            if made.setdefault(dtype, result) != result:
                yield (
                    f"output {output.name}: its dtype must depend on {first.name} alone, but for "
                    f"{dtype} it is {made[dtype]} or {result}"
                )
                return  # one change of the types of the first input mends all outputs


def _count_faults(op: Operator) -> Iterator[str]:
    """Yields faults if there are more tensors than a kernel or its TPipe can have."""
    most = _MAX_POINTERS - 2  # two pointers are for workspace and tiling
    if len(op.tensors) > most:
        yield (
            f"input: a kernel takes at most {most} inputs and outputs; given: {len(op.tensors)}; "
            "put tensors together"
        )
    most = _MAX_BUFFERS // 2 - 1
    if len(op.outputs) > most:
        yield (
            f"output: the skeleton double-buffers an input and at most {most} outputs, for a TPipe "
            f"has {_MAX_BUFFERS} buffers; given: {len(op.outputs)}"
        )


def _python_default(attr: Attr) -> str:
    default = attr.default
    return literals.python(tuple(default) if isinstance(default, list) else default)
