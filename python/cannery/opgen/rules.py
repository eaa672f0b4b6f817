# SPDX-License-Identifier: Apache-2.0
"""Rules of a prototype that a JSON schema cannot state. Each fault is one line `key: rule`."""

from __future__ import annotations

import keyword
from collections.abc import Iterator
from typing import Any

from . import names, texts
from .dtypes import DTYPES

#: Parameters that every generated function has, and words that C++ reserves.
RESERVED = frozenset({"workspace", "workspace_size", "executor", "stream", "tiling"}) | {
    "alignas", "alignof", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "case", "catch",
    "char", "char16_t", "char32_t", "compl", "const", "const_cast", "constexpr", "decltype",
    "default", "delete", "do", "double", "dynamic_cast", "enum", "explicit", "export", "extern",
    "false", "float", "friend", "goto", "inline", "int", "long", "mutable", "namespace", "new",
    "noexcept", "not_eq", "nullptr", "operator", "or_eq", "private", "protected", "public",
    "register", "reinterpret_cast", "short", "signed", "sizeof", "static", "static_assert",
    "static_cast", "struct", "switch", "template", "this", "thread_local", "throw", "true",
    "typedef", "typeid", "typename", "union", "unsigned", "using", "virtual", "void", "volatile",
    "wchar_t", "xor", "xor_eq",
    *(dtype.kernel for dtype in DTYPES.values()),
}  # fmt: skip

PYTHON_TYPES = {"int": int, "float": float, "bool": bool, "string": str}
#: The dtypes of an input whose values tiling reads: the C function takes an array of one kind.
VALUE_DTYPES = (
    {"float32"},
    {"bool"},
    {"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"},
)
MAX_FLOAT32 = 3.4028234663852886e38
INT64_RANGE = range(-(2**63), 2**63)


def check(proto: dict[str, Any], file_stem: str) -> list[str]:
    """Returns all faults of a prototype that satisfies the schema."""
    return [
        *_check_file_name(proto, file_stem),
        *_check_names(proto),
        *_check_columns(proto),
        *_check_attributes(proto),
        *_check_value_depend(proto),
        *_check_strided(proto),
        *_check_aclnn(proto),
        *_check_entries(proto),
        *_check_limits(proto),
        *texts.check(proto),
        *texts.check_formulas(proto),
    ]


def _tensors(proto: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for kind in ("input", "output"):
        for i, tensor in enumerate(proto[kind]):
            yield f"{kind}[{i}]", tensor


def _parameters(proto: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for kind in ("input", "attr", "output"):
        for i, param in enumerate(proto.get(kind, [])):
            yield f"{kind}[{i}]", param


def _check_file_name(proto: dict[str, Any], file_stem: str) -> Iterator[str]:
    expected = names.snake_case(proto["type"])
    if file_stem != expected:
        yield f"type: {proto['type']} belongs in {expected}.toml, not in {file_stem}.toml"


def _check_names(proto: dict[str, Any]) -> Iterator[str]:
    seen: dict[str, str] = {}
    inputs = {entry["name"]: entry for entry in proto["input"]}
    in_place: set[str] = set()
    for key, param in _parameters(proto):
        name = param["name"]
        if key.startswith("output") and name in inputs and name not in in_place:
            in_place.add(name)
            yield from _check_in_place(key, param, inputs[name])
            continue
        python_name = names.snake_case(name)
        if python_name in RESERVED or keyword.iskeyword(python_name):
            yield f"{key}.name: {name} is reserved by C++, Python or the aclnn signature"
        # Two spellings of one name, y_grad and yGrad, would give the same parameter in C.
        if python_name in seen:
            yield f"{key}.name: {name} is already the name of {seen[python_name]}"
        seen.setdefault(python_name, key)


def _check_in_place(key: str, output: dict[str, Any], source: dict[str, Any]) -> Iterator[str]:
    """Checks an output with the name of an input: both are one tensor, which the kernel changes."""
    for word in ("dtypes", "formats", "param_type"):
        if output.get(word) != source.get(word):
            yield (
                f"{key}.{word}: must be those of the input {source['name']}, because an output "
                f"with the name of an input is the same tensor; given: {output.get(word)}"
            )
    for word in ("aclnn", "strided"):
        if output.get(word):
            yield f"{key}.{word}: the input of this name has it, because both are one tensor"
    for word in ("value_depend", "scalar"):
        if source.get(word):
            yield f"{key}.name: {source['name']} is {word}, so it is no tensor in C"


def _check_columns(proto: dict[str, Any]) -> Iterator[str]:
    """Checks that all dtype lists are equally long; the i-th entries are a combination."""
    tensors = list(_tensors(proto))
    first_key, first = tensors[0]
    rows = len(first["dtypes"])
    regular = True
    for key, tensor in tensors:
        count = len(tensor["dtypes"])
        if count != rows:
            regular = False
            yield (
                f"{key}.dtypes: must have as many columns as {first_key}.dtypes, {rows}; "
                f"given: {count}"
            )
        elif len(tensor.get("formats", tensor["dtypes"])) != count:
            regular = False
            yield (
                f"{key}.formats: must have one format per dtype column, {count}; "
                f"given: {len(tensor['formats'])}"
            )
    if len(proto.get("row_socs", [None] * rows)) != rows:
        yield f"row_socs: must have an entry per column, {rows}; given: {len(proto['row_socs'])}"
    if regular:
        yield from _check_distinct_columns(tensors, rows)


def _check_distinct_columns(tensors: list[tuple[str, dict[str, Any]]], rows: int) -> Iterator[str]:
    seen: dict[tuple[Any, ...], int] = {}
    for row in range(rows):
        column = tuple((t["dtypes"][row], t.get("formats", ["ND"] * rows)[row]) for _, t in tensors)
        if column in seen:
            yield f"{tensors[0][0]}.dtypes[{row}]: column {row} repeats column {seen[column]}"
        seen.setdefault(column, row)


def _check_attributes(proto: dict[str, Any]) -> Iterator[str]:
    for i, attr in enumerate(proto.get("attr", [])):
        key = f"attr[{i}].default"
        if attr["param_type"] == "required":
            if "default" in attr:
                yield f"{key}: a required attribute has no default"
        elif "default" not in attr:
            yield f"{key}: is required for an optional attribute"
        elif not _has_type(attr["default"], attr["type"]):
            bits = " of 32 bits" if attr["type"] == "float" else ""
            yield f"{key}: must be of type {attr['type']}{bits}; given: {attr['default']!r}"


def _has_type(value: object, attr_type: str) -> bool:
    if attr_type.startswith("list_"):
        item_type = attr_type.removeprefix("list_")
        return isinstance(value, list) and all(_has_type(item, item_type) for item in value)
    # In Python bool is an int, but true is not a number in a prototype.
    if type(value) is not PYTHON_TYPES[attr_type]:
        return False
    if isinstance(value, float):
        return abs(value) <= MAX_FLOAT32
    if isinstance(value, str):
        return is_c_text(value)
    return not isinstance(value, int) or value in INT64_RANGE


def is_c_text(text: str) -> bool:
    """Returns whether a C string can have this value: no null character, and no lone surrogates,
    which UTF-8 cannot encode.
    """
    return "\0" not in text and not any("\ud800" <= char <= "\udfff" for char in text)


def _check_value_depend(proto: dict[str, Any]) -> Iterator[str]:
    for i, tensor in enumerate(proto["input"]):
        key = f"input[{i}].value_depend"
        if not tensor.get("value_depend"):
            continue
        if not any(set(tensor["dtypes"]) <= dtypes for dtypes in VALUE_DTYPES):
            yield (
                f"{key}: the C function takes an array, so all dtypes must be float32, or all "
                f"bool, or all integers; given: {', '.join(sorted(set(tensor['dtypes'])))}"
            )
        if "scalar" in tensor or tensor["param_type"] == "dynamic":
            yield f"{key}: the input must not be {tensor.get('scalar', 'dynamic')} as well"


def _check_strided(proto: dict[str, Any]) -> Iterator[str]:
    taken = {names.snake_case(param["name"]) for _, param in _parameters(proto)}
    for i, output in enumerate(proto["output"]):
        attr = names.strides_attr(output["name"])
        if output.get("strided") and attr in taken:
            yield f"output[{i}].strided: adds the attribute {attr}, but there is one of that name"


def _check_limits(proto: dict[str, Any]) -> Iterator[str]:
    for i, limit in enumerate(proto.get("limit", [])):
        if not _has_type(limit["value"], "int"):  # for the schema, 1.0 is an integer, too
            yield f"limit[{i}].value: must be of type int; given: {limit['value']!r}"


def _check_aclnn(proto: dict[str, Any]) -> Iterator[str]:
    """Checks what a prototype changes in the public signature: types must be possible and names
    unique.
    """
    seen: dict[str, tuple[str, str]] = {}
    for key, param in _parameters(proto):
        own = param.get("aclnn", {})
        if param.get("inner_only"):
            if own:
                yield f"{key}.aclnn: an inner_only attribute is no parameter of the public function"
            continue
        c_type = names.inner_c_type(param)
        choices = names.C_TYPE_CHOICES.get(c_type, (c_type,))
        if own.get("type", c_type) not in choices:
            yield f"{key}.aclnn.type: must be one of {', '.join(choices)}; given: {own['type']}"
        c_name = own.get("name") or _inner_c_name(key, param, len(proto["output"]))
        python_name = names.snake_case(param["name"])
        if names.snake_case(c_name) in RESERVED - {python_name}:
            yield f"{key}.aclnn.name: {c_name} is reserved by C++ or the aclnn signature"
        other, other_name = seen.setdefault(c_name, (key, python_name))
        if other != key and other_name != python_name:  # otherwise _check_names has reported it
            yield f"{key}.aclnn.name: {c_name} is already the C name of {other}"


def _check_entries(proto: dict[str, Any]) -> Iterator[str]:
    """Checks the further public functions: an added parameter must follow an existing one and have
    a new name.
    """
    count = len(proto["output"])
    own = {
        param.get("aclnn", {}).get("name") or _inner_c_name(key, param, count)
        for key, param in _parameters(proto)
        if not param.get("inner_only")
    }
    seen: dict[str, str] = {}
    for i, entry in enumerate(proto.get("entry", [])):
        snake = names.snake_case(entry["suffix"])
        if snake in seen:
            yield f"entry[{i}].suffix: {entry['suffix']} is already that of {seen[snake]}"
        seen.setdefault(snake, f"entry[{i}]")
        known = set(own)
        for name in entry.get("const_tensors", []):
            if name not in own:
                yield f"entry[{i}].const_tensors: {name} is no parameter of the operator"
        for j, param in enumerate(entry["param"]):
            key = f"entry[{i}].param[{j}]"
            if param["after"] not in known:
                yield f"{key}.after: {param['after']} is no parameter; known are " + ", ".join(
                    sorted(known)
                )
            if param["name"] in known or names.snake_case(param["name"]) in RESERVED:
                yield f"{key}.name: {param['name']} is taken or reserved"
            known.add(param["name"])


def _inner_c_name(key: str, param: dict[str, Any], output_count: int) -> str:
    optional = param["param_type"] == "optional"
    if key.startswith("input"):
        return names.input_c_name(param["name"], optional)
    if key.startswith("attr"):
        return names.attr_c_name(param["name"], param["type"], optional)
    return names.output_c_name(param["name"], optional, output_count)
