# SPDX-License-Identifier: Apache-2.0
"""The naming rules of the toolkit's op_build, so that cannery's headers match those that op_build
generates.
"""

from __future__ import annotations

from typing import Any

TENSOR = "const aclTensor *"
CHANGED_TENSOR = "aclTensor *"  #: an input that is also an output
TENSOR_LIST = "const aclTensorList *"
CHANGED_TENSOR_LIST = "aclTensorList *"
INT_ARRAY = "const aclIntArray *"
FLOAT_ARRAY = "const aclFloatArray *"
BOOL_ARRAY = "const aclBoolArray *"
SCALAR = "const aclScalar *"
SCALAR_LIST = "const aclScalarList *"

#: C types that a prototype may choose for the public signature: for a float, and for a tensor. In
#: C_TYPE_CHOICES, the key is the type that op_build would use.
FLOATS = ("double", "float")
TENSORS = (TENSOR, CHANGED_TENSOR)
TENSOR_LISTS = (TENSOR_LIST, CHANGED_TENSOR_LIST)
C_TYPE_CHOICES = {TENSOR: TENSORS, "double": FLOATS}

#: C types of attributes in aclnn signatures. A Float is passed as double, but tiling receives a
#: float.
ATTR_C_TYPES = {
    "int": "int64_t",
    "float": "double",
    "bool": "bool",
    "string": "char *",
    "list_int": INT_ARRAY,
    "list_float": FLOAT_ARRAY,
    "list_bool": BOOL_ARRAY,
}

#: The model's names for kinds of values, by C type, for callers that do not know the C types.
VALUE_KINDS = {
    "int64_t": "int",
    "double": "double",
    "float": "float",
    "bool": "bool",
    "char *": "string",
    INT_ARRAY: "int_array",
    FLOAT_ARRAY: "float_array",
    BOOL_ARRAY: "bool_array",
    SCALAR: "scalar",
    SCALAR_LIST: "scalar_list",
}

#: Types of attributes for which null in C means the default: only their C names get "Optional".
NULLABLE_ATTRS = frozenset({"string", "list_int", "list_float", "list_bool"})


#: Functions that every kernel source declares; an operator with such a name gets another name in
#: C++.
C_FUNCTIONS = frozenset({
    "abort", "abs", "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "atof", "cbrt",
    "ceil", "clock", "copysign", "cos", "cosh", "div", "drem", "erf", "erfc", "exit", "exp", "exp2",
    "expm1", "fabs", "fdim", "finite", "floor", "fma", "fmax", "fmin", "fmod", "free", "frexp",
    "gamma", "hypot", "ilogb", "index", "isinf", "isnan", "j0", "j1", "jn", "labs", "ldexp", "ldiv",
    "lgamma", "log", "log10", "log1p", "log2", "logb", "lrint", "lround", "max", "min", "modf",
    "nan", "nextafter", "pow", "raise", "rand", "random", "remainder", "remove", "remquo", "rename",
    "rint", "round", "scalb", "scalbn", "select", "significand", "sin", "sinh", "sqrt", "system",
    "tan", "tanh", "tgamma", "time", "trunc", "y0", "y1", "yn",
})  # fmt: skip


def snake_case(name: str) -> str:
    """Returns swi_glu_grad for SwiGluGrad, moe_init_routing_v2_grad for MoeInitRoutingV2Grad.

    A word starts at a capital that follows no capital, and at the last of several capitals.
    """
    out = []
    for i, char in enumerate(name):
        if char.isupper() and i > 0 and name[i - 1] != "_":
            follows_capital = name[i - 1].isupper()
            before_lower = i + 1 < len(name) and name[i + 1].islower()
            if not follows_capital or before_lower:
                out.append("_")
        out.append(char.lower())
    return "".join(out)


def camel_case(name: str) -> str:
    """Returns yGrad for y_grad; a name in camelCase does not change."""
    first, *rest = name.split("_")
    return first[:1].lower() + first[1:] + "".join(part[:1].upper() + part[1:] for part in rest)


def header_guard(op_type: str, prefix: str = "aclnn") -> str:
    """Returns ACLNN_SWI_GLU_GRAD_H_ for SwiGluGrad, ..._ROUTING_V2GRAD_H_ for ...RoutingV2Grad.

    Unlike a file name, a guard has an underscore only between a small letter and a capital.
    """
    out = []
    for i, char in enumerate(op_type):
        if char.isupper() and i > 0 and op_type[i - 1].islower():
            out.append("_")
        out.append(char.upper())
    return f"{prefix.upper()}_{''.join(out)}_H_"


def macro_name(name: str) -> str:
    """Returns the name of a tensor in macros such as DTYPE_Y_GRAD: Y_GRAD for y_grad."""
    return name.upper()


def inner_c_type(param: dict[str, Any]) -> str:
    """Returns the C type that op_build's rules give to a tensor or attribute of a prototype."""
    if "type" in param:
        return ATTR_C_TYPES[param["type"]]
    if "scalar" in param:
        return SCALAR_LIST if param["scalar"] == "list" else SCALAR
    if param.get("value_depend", False):
        arrays = {"float32": FLOAT_ARRAY, "bool": BOOL_ARRAY}
        return arrays.get(param["dtypes"][0], INT_ARRAY)
    return TENSOR_LIST if param["param_type"] == "dynamic" else TENSOR


def input_c_name(name: str, optional: bool, in_place: bool = False) -> str:
    return camel_case(name) + ("Optional" if optional else "") + ("Ref" if in_place else "")


def attr_c_name(name: str, attr_type: str, optional: bool) -> str:
    return camel_case(name) + ("Optional" if optional and attr_type in NULLABLE_ATTRS else "")


def output_c_name(name: str, optional: bool, output_count: int) -> str:
    if output_count == 1:
        return "out"
    return camel_case(name) + "Out" + ("Optional" if optional else "")


def pascal_case(name: str) -> str:
    """Returns MaxHeads for max_heads, ActSeqLen for actSeqLen, for generated C++ names."""
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def strides_attr(output: str) -> str:
    """Returns the name of the inner attribute for the strides of an output."""
    return f"{snake_case(output)}_strides"


def declaration(c_type: str, c_name: str) -> str:
    """Returns a C declaration: 'const aclTensor *x', 'int64_t dim'."""
    return c_type + c_name if c_type.endswith("*") else f"{c_type} {c_name}"


def value_kind(c_type: str, tensor: str) -> str:
    """Returns the model's name for the kind of a value of `c_type`.

    tensor: the kind of a tensor: "input", "output" or "in_place".
    """
    if c_type in TENSOR_LISTS:
        return f"{tensor}_list"
    return tensor if c_type in TENSORS else VALUE_KINDS[c_type]


def value_from(c_type: str, address: str) -> str:
    """Returns the C++ expression that reads a value of `c_type` through a `const void *`. For a
    pointer type, the `const void *` is the value; for any other type, the address of the value.
    """
    if not c_type.endswith("*"):
        return f"*static_cast<const {c_type} *>({address})"
    if c_type.startswith("const "):
        return f"static_cast<{c_type}>({address})"
    return f"const_cast<{c_type}>(static_cast<const {c_type}>({address}))"
