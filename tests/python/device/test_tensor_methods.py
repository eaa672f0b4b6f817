# SPDX-License-Identifier: Apache-2.0
"""Tests operators and methods of LocalTensor and GlobalTensor, and tensors without TPipe."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import pytest

import cannery
from cannery import CompileError, KernelError

from .conftest import Compile

ELEMS = 128
ARITHMETIC = [operator.add, operator.sub, operator.mul, operator.truediv]
COMPARISONS = [operator.lt, operator.gt, operator.eq, operator.le, operator.ge, operator.ne]


@pytest.fixture(scope="module")
def kernel(compile_device: Compile) -> Any:
    return compile_device("tensor_methods")


def operands(rng: np.random.Generator, dtype: Any) -> tuple[Any, Any]:
    a = rng.standard_normal(ELEMS) * 100
    b = np.where(rng.random(ELEMS) < 0.3, a, rng.standard_normal(ELEMS) * 100 + 0.5)
    return a.astype(dtype), b.astype(dtype)


@pytest.mark.parametrize(("base", "dtype"), [(0, np.float32), (10, np.float16)])
@pytest.mark.parametrize("op", range(4))
def test_arithmetic(kernel: Any, rng: Any, base: int, dtype: Any, op: int) -> None:
    a, b = operands(rng, dtype)
    out = np.zeros(ELEMS, dtype)
    kernel(1, a, b, out, tiling_key=base + op)
    wide = ARITHMETIC[op](a.astype(np.float32), b.astype(np.float32))
    np.testing.assert_array_equal(out, wide.astype(dtype))


@pytest.mark.parametrize(("key", "op"), [(20, "+"), (21, "-"), (22, "*"), (24, "|"), (25, "&")])
def test_integers(kernel: Any, rng: Any, key: int, op: str) -> None:
    a, b = (rng.integers(-(2**15), 2**15, ELEMS).astype(np.int16) for _ in range(2))
    out = np.zeros(ELEMS, np.int16)
    kernel(1, a, b, out, tiling_key=key)
    call = {
        "+": np.add,
        "-": np.subtract,
        "*": np.multiply,
        "|": np.bitwise_or,
        "&": np.bitwise_and,
    }
    np.testing.assert_array_equal(out, call[op](a, b))


@pytest.mark.parametrize(("base", "dtype"), [(30, np.float32), (40, np.float16)])
@pytest.mark.parametrize("op", range(6))
def test_comparisons(kernel: Any, rng: Any, base: int, dtype: Any, op: int) -> None:
    a, b = operands(rng, dtype)
    out = np.zeros(32, np.uint8)
    kernel(1, a, b, out, tiling_key=base + op)
    want = np.packbits(COMPARISONS[op](a, b), bitorder="little")
    np.testing.assert_array_equal(out[: len(want)], want)


def test_methods(kernel: Any, capfd: pytest.CaptureFixture[str]) -> None:
    out = np.zeros(16, np.int32)
    kernel(1, np.zeros(64, np.float32), out, out, tiling_key=50)
    assert out[:12].tolist() == [32, 0, 32, 1, 24, 1, 32, 64, 3, 6, 4, 64]
    assert "0000 : 32 0 32 1 24 " in capfd.readouterr().out


def test_tags_stay_with_the_buffer(kernel: Any) -> None:
    out = np.zeros(16, np.int32)
    kernel(1, out, out, out, tiling_key=51)
    assert out[:2].tolist() == [41, -1]


@pytest.mark.parametrize(
    ("key", "code"),
    [(60, "T103"), (61, "T104"), (62, "T108"), (63, "T401"), (64, "T207"), (65, "T103")],
)
def test_faults(kernel: Any, key: int, code: str) -> None:
    zeros = np.zeros(1, np.float32)
    with pytest.raises(KernelError) as caught:
        kernel(1, zeros, zeros, zeros, tiling_key=key)
    assert caught.value.code == code
    assert "tensor_methods.cpp:" in str(caught.value) or code == "T207"


def test_traits_are_refused_by_name() -> None:
    source = (
        '#include "kernel_operator.h"\n'
        'extern "C" __global__ __aicore__ void traits(GM_ADDR x) {\n'
        "    AscendC::LocalTensor<AscendC::TensorTrait<float>> tensor;\n"
        "}\n"
    )
    with pytest.raises(CompileError, match="tensor traits are not modelled"):
        cannery.compile_kernel(source, "traits")
