# SPDX-License-Identifier: Apache-2.0
"""The prototype of a new operator, which copies its first input until its author changes it."""

from __future__ import annotations

from typing import Any


def copy_rules(first: str) -> list[dict[str, Any]]:
    """Returns the conditions under which a call returns an error, for the operator's page."""
    return [
        {"when": "a required tensor is a null pointer", "status": 161001},
        {"when": "the dtypes are none of the supported combinations", "status": 161002},
        {"when": "a tensor has a private format such as FRACTAL_NZ", "status": 161002},
        {"when": f"{first} has no dimension, more than 8, or no element", "status": 161002},
        {
            "when": f"an output's shape is not {first}.shape, or an output is not contiguous",
            "status": 161002,
        },
    ]


def copy_prototype(op_type: str, socs: list[str]) -> dict[str, Any]:
    """Returns the prototype of a new operator, which copies its only input."""
    dtypes = ["float16", "bfloat16", "float32"]
    tensor = {"param_type": "required", "dtypes": dtypes}
    return {
        "type": op_type,
        "category": "elementwise",
        "socs": socs,
        "summary": "Copies its input.",
        "doc": "    y = x\n\nEvery bit of x arrives.\n",
        "input": [
            {
                "name": "x",
                **tensor,
                "auto_contiguous": True,
                "shape": "1 to 8 dimensions, none of them 0",
                "doc": "What is copied.",
            }
        ],
        "attr": [],
        "output": [{"name": "y", **tensor, "shape": "x.shape, contiguous", "doc": "The copy."}],
        "rule": copy_rules("x"),
    }
