# SPDX-License-Identifier: Apache-2.0
"""A card's compiler must accept the kernel of every operator, for all dtypes of its prototype.

The build of the operators does not make this check. `compile_kernel(portable=True)` makes it."""

from __future__ import annotations

from typing import Any

import pytest

import cannery
from cannery.opgen.build import build
from cannery.opgen.dtypes import c_dtype, ge_dtype
from cannery.opgen.loader import load_prototypes
from cannery.opgen.model import Operator

from ..conftest import REPOSITORY

pytestmark = pytest.mark.twin_only("a card has its own compiler, which says what it does not take")

OPERATORS = [build(source, proto) for source, proto in load_prototypes(REPOSITORY / "op_proto")]
KERNELS = REPOSITORY / "op_kernel"


def defines_of(op: Operator, row: int) -> dict[str, str]:
    """Returns the macros with which the toolkit compiles a kernel for one row of dtypes."""
    defines = {}
    for tensor in op.tensors:
        defines[f"DTYPE_{tensor.macro}"] = c_dtype(tensor.dtypes[row])
        defines[f"ORIG_DTYPE_{tensor.macro}"] = ge_dtype(tensor.dtypes[row])
    return defines


def rows() -> list[Any]:
    """Returns each operator with each different set of macros; the prototypes repeat some."""
    found: dict[str, Any] = {}
    for op in OPERATORS:
        for row in range(len(op.tensors[0].dtypes)):
            defines = defines_of(op, row)
            name = "-".join([op.snake, *dict.fromkeys(t.dtypes[row] for t in op.tensors)])
            found.setdefault(f"{op.snake} {defines}", pytest.param(op, defines, id=name))
    return list(found.values())


@pytest.mark.slow
@pytest.mark.parametrize(("op", "defines"), rows())
def test_a_card_accepts_the_kernel(op: Operator, defines: dict[str, str]) -> None:
    source = KERNELS / f"{op.kernel_file}.cpp"
    header = f'#include "{op.snake}_tiling.h"\n' * (KERNELS / f"{op.snake}_tiling.h").exists()
    text = f'#include "kernel_operator.h"\n{header}#include "{source.name}"\n'
    cannery.compile_kernel(text, op.kernel_function, defines, [KERNELS], portable=True)
