# SPDX-License-Identifier: Apache-2.0
"""The names of dtypes and attribute types in the JSON of `msopgen gen -i`."""

from __future__ import annotations

from . import dtypes

_NUMBERS = "FLOAT16 FLOAT DOUBLE INT8 INT16 INT32 INT64 UINT8 UINT16 UINT32 UINT64"
_BITS = (8, 16, 32, 64)
#: Names that stand for several dtypes, which ge::DataType calls DT_<name>.
_COLLECTIONS = {
    "realnumbertype": _NUMBERS,
    "numbertype": f"{_NUMBERS} QINT8 QUINT8 COMPLEX64 COMPLEX128 QINT32",
    "quantizedtype": "QINT8 QUINT8 QINT16 QUINT16 QINT32",
    "BasicType": "FLOAT DOUBLE INT32 UINT8 INT16 INT8 COMPLEX64 INT64 QINT8 QUINT8 QINT32 QINT16 "
    "QUINT16 UINT16 COMPLEX128 FLOAT16 UINT32 UINT64",
    "IndexNumberType": "INT32 INT64",
}
_SINGLE = {
    **dict.fromkeys(("float", "fp32", "float32"), "FLOAT"),
    **dict.fromkeys(("half", "fp16", "float16"), "FLOAT16"),
    **dict.fromkeys(("bf16", "bfloat16"), "BF16"),
    **{f"{sign}int{bits}": f"{sign}INT{bits}".upper() for sign in ("", "u") for bits in _BITS},
    **{name: name.upper() for name in ("qint8", "qint16", "qint32", "quint8", "quint16", "int4")},
    **{f"complex{bits}": f"COMPLEX{bits}" for bits in (32, 64, 128)},
    **{name: name.upper() for name in ("double", "bool", "string", "resource")},
}
#: msopgen's names, each with the enumerators of ge::DataType that it stands for.
GE_TYPES = {
    **{name: (f"DT_{ge}",) for name, ge in _SINGLE.items()},
    **{name: tuple(f"DT_{ge}" for ge in enums.split()) for name, enums in _COLLECTIONS.items()},
}

_OURS = {dtype.ge: name for name, dtype in dtypes.DTYPES.items()}
#: msopgen's names, and cannery's, of the dtypes of a new operator. Vector cores have no instruction
#: for double.
DTYPES = {
    name: _OURS[enums[0]]
    for name, enums in GE_TYPES.items()
    if len(enums) == 1 and enums[0] in _OURS and name != "double"
}

#: Types of attributes, each with the function of OpAttrDef that sets it.
ATTR_FUNCTIONS = {
    "int": "Int",
    "float": "Float",
    "string": "String",
    "bool": "Bool",
    "list_int": "ListInt",
    "list_float": "ListFloat",
    "list_bool": "ListBool",
    "list_list_int": "ListListInt",
}
#: Types of attributes of a new operator.
ATTR_TYPES = ("int", "float", "string", "bool", "list_int")
