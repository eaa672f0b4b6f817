# SPDX-License-Identifier: Apache-2.0
"""The naming rules of the toolkit's op_build, so that cannery's headers match those that it
generates.
"""

from __future__ import annotations

from typing import Any

TENSOR = "const aclTensor *"
INT_ARRAY = "const aclIntArray *"

#: C types that a prototype may ask for in the public signature, by the type that op_build's rules
#: give.
FLOATS = ("double", "float")
TENSORS = (TENSOR, "aclTensor *")
C_TYPE_CHOICES = {TENSOR: TENSORS, "double": FLOATS}

#: C type of an attribute in an aclnn signature. A Float is passed as double, and tiling gets a
#: float.
ATTR_C_TYPES = {
    "int": "int64_t",
    "float": "double",
    "bool": "bool",
    "string": "char *",
    "list_int": INT_ARRAY,
}

#: Kinds of values of an attribute or list, for a caller that only has the prototype.
VALUE_KINDS = {
    "int64_t": "int",
    "double": "double",
    "float": "float",
    "bool": "bool",
    "char *": "string",
    INT_ARRAY: "int_array",
}

#: Attributes whose C type has a null that means "the default"; only these say so in their name.
NULLABLE_ATTRS = frozenset({"string", "list_int"})


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
    """SwiGluGrad -> swi_glu_grad, MoeInitRoutingV2Grad -> moe_init_routing_v2_grad.

    A word starts at a capital that does not follow a capital, and at the last capital of a run.
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
    """y_grad -> yGrad; a name that is camelCase already stays as it is."""
    first, *rest = name.split("_")
    return first[:1].lower() + first[1:] + "".join(part[:1].upper() + part[1:] for part in rest)


def header_guard(op_type: str, prefix: str = "aclnn") -> str:
    """SwiGluGrad -> ACLNN_SWI_GLU_GRAD_H_, but MoeInitRoutingV2Grad -> ..._ROUTING_V2GRAD_H_.

    Unlike file names, a guard breaks only between a small letter and a capital.
    """
    out = []
    for i, char in enumerate(op_type):
        if char.isupper() and i > 0 and op_type[i - 1].islower():
            out.append("_")
        out.append(char.upper())
    return f"{prefix.upper()}_{''.join(out)}_H_"


def macro_name(name: str) -> str:
    """y_grad -> Y_GRAD, outputGrad -> OUTPUTGRAD: the part after DTYPE_ in kernel sources."""
    return name.upper()


def inner_c_type(param: dict[str, Any]) -> str:
    """Returns the C type that op_build's rules give to a tensor or attribute of a prototype."""
    if "type" in param:
        return ATTR_C_TYPES[param["type"]]
    return INT_ARRAY if param.get("value_depend", False) else TENSOR


def input_c_name(name: str, optional: bool) -> str:
    return camel_case(name) + ("Optional" if optional else "")


def attr_c_name(name: str, attr_type: str, optional: bool) -> str:
    return camel_case(name) + ("Optional" if optional and attr_type in NULLABLE_ATTRS else "")


def output_c_name(name: str, optional: bool, output_count: int) -> str:
    if output_count == 1:
        return "out"
    return camel_case(name) + "Out" + ("Optional" if optional else "")


def pascal_case(name: str) -> str:
    """max_heads -> MaxHeads, actSeqLen -> ActSeqLen, for generated C++ names."""
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def strides_attr(output: str) -> str:
    """The name of the inner attribute with the strides of an output that may be strided."""
    return f"{snake_case(output)}_strides"


def declaration(c_type: str, c_name: str) -> str:
    """('const aclTensor *', 'x') -> 'const aclTensor *x', ('int64_t', 'dim') -> 'int64_t dim'."""
    return c_type + c_name if c_type.endswith("*") else f"{c_type} {c_name}"


def value_from(c_type: str, address: str) -> str:
    """Returns the C++ expression that reads a value of `c_type` through a `const void *`. For a
    pointer type the argument is the value; for any other type it is the address of the value.
    """
    if not c_type.endswith("*"):
        return f"*static_cast<const {c_type} *>({address})"
    if c_type.startswith("const "):
        return f"static_cast<{c_type}>({address})"
    return f"const_cast<{c_type}>(static_cast<const {c_type}>({address}))"
