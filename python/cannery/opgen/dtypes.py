# SPDX-License-Identifier: Apache-2.0
"""The names of dtypes and formats in C++, in the toolkit's interfaces, and in prototypes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Dtype:
    """One element type with all its names."""

    ge: str  #: ge::DataType enumerator, also the kernel's ORIG_DTYPE_ value
    acl: str  #: aclDataType enumerator
    kernel: str  #: C++ type in a kernel
    msopgen: str  #: spelling in the JSON that `msopgen gen -i` reads
    number: int  #: numeric value of both enumerators


DTYPES: dict[str, Dtype] = {
    "float16": Dtype("DT_FLOAT16", "ACL_FLOAT16", "half", "float16", 1),
    "bfloat16": Dtype("DT_BF16", "ACL_BF16", "bfloat16_t", "bfloat16", 27),
    "float32": Dtype("DT_FLOAT", "ACL_FLOAT", "float", "float32", 0),
    "int4": Dtype("DT_INT4", "ACL_INT4", "int4b_t", "int4", 29),
    "int8": Dtype("DT_INT8", "ACL_INT8", "int8_t", "int8", 2),
    "int16": Dtype("DT_INT16", "ACL_INT16", "int16_t", "int16", 6),
    "int32": Dtype("DT_INT32", "ACL_INT32", "int32_t", "int32", 3),
    "int64": Dtype("DT_INT64", "ACL_INT64", "int64_t", "int64", 9),
    "uint8": Dtype("DT_UINT8", "ACL_UINT8", "uint8_t", "uint8", 4),
    "uint16": Dtype("DT_UINT16", "ACL_UINT16", "uint16_t", "uint16", 7),
    "uint32": Dtype("DT_UINT32", "ACL_UINT32", "uint32_t", "uint32", 8),
    "uint64": Dtype("DT_UINT64", "ACL_UINT64", "uint64_t", "uint64", 10),
    "bool": Dtype("DT_BOOL", "ACL_BOOL", "bool", "bool", 12),
    "float64": Dtype("DT_DOUBLE", "ACL_DOUBLE", "double", "double", 11),
}

#: Formats that only name the axes. All of them store elements in the same order.
PLAIN_FORMATS: dict[str, int] = {
    "ND": 2,
    "NCHW": 0,
    "NHWC": 1,
    "HWCN": 16,
    "NDHWC": 27,
    "NCDHW": 30,
    "NC": 35,
    "NCL": 47,
}
#: The formats of the weights of matrix multiplication and of convolution, which order elements in
#: blocks.
BLOCK_FORMATS = {"FRACTAL_NZ": 29, "NC1HWC0": 3, "FRACTAL_Z": 4, "NDC1HWC0": 32, "FRACTAL_Z_3D": 33}
#: All formats, with the values of their enumerators.
FORMATS: dict[str, int] = {**PLAIN_FORMATS, **BLOCK_FORMATS}


def ge_dtype(name: str) -> str:
    return DTYPES[name].ge


def acl_dtype(name: str) -> str:
    return DTYPES[name].acl


def c_dtype(name: str) -> str:
    return DTYPES[name].kernel


def ge_format(name: str) -> str:
    return f"FORMAT_{name}"


def acl_format(name: str) -> str:
    return "ACL_FRACTAL_Z_3D" if name == "FRACTAL_Z_3D" else f"ACL_FORMAT_{name}"
