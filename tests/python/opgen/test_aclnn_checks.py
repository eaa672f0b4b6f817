# SPDX-License-Identifier: Apache-2.0
"""Every refusal of the public SwiGluGrad function, before any runtime is involved.

The function and its generated checks are linked with fake getters and called through ctypes.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

# The project needs a compiler anyway: without one these tests fail, they do not pass as skipped.
COMPILER = os.environ.get("CXX") or shutil.which("g++") or "c++"

FLOAT, FLOAT16, INT32, BF16 = 0, 1, 3, 27  # aclDataType
NCHW, ND, FRACTAL_NZ, NCL = 0, 2, 29, 47  # aclFormat
PREFIX = "aclnnSwiGluGradGetWorkspaceSize: "

Tensor = Callable[..., ctypes.c_void_p]


@pytest.fixture(scope="module")
def library(root: Path, generated: Path, tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    out = tmp_path_factory.mktemp("checks") / "libchecks.so"
    host = root / "op_host" / "aclnn"
    sources = [
        host / "aclnn_swi_glu_grad.cpp",
        *sorted((host / "common").glob("*.cpp")),
        root / "tests" / "cpp" / "op_host" / "fake_acl.cpp",
    ]
    folders = [host, generated / "include", generated / "op_host", root / "twin" / "include"]
    command = [str(COMPILER), "-std=c++11", "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror"]
    command += [f"-I{folder}" for folder in folders] + [*map(str, sources), "-o", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    # Its own symbols first: other tests here may have opened the real libraries globally.
    loaded = ctypes.CDLL(str(out), mode=os.RTLD_LOCAL | os.RTLD_DEEPBIND)
    loaded.FakeTensor.restype = ctypes.c_void_p
    loaded.FakeSentence.restype = ctypes.c_char_p
    return loaded


@pytest.fixture
def tensor(library: ctypes.CDLL) -> Iterator[Tensor]:
    made: list[ctypes.c_void_p] = []

    def make(
        *shape: int, dtype: int = FLOAT16, layout: int = ND, strides: tuple[int, ...] = ()
    ) -> ctypes.c_void_p:
        dims = (ctypes.c_int64 * len(shape))(*shape)
        contiguous = [1] * len(shape)
        for i in range(len(shape) - 2, -1, -1):
            contiguous[i] = contiguous[i + 1] * shape[i + 1]
        steps = (ctypes.c_int64 * len(shape))(*(strides or contiguous))
        made.append(
            ctypes.c_void_p(
                library.FakeTensor(dims, steps, ctypes.c_uint64(len(shape)), dtype, layout)
            )
        )
        return made[-1]

    yield make
    for entry in made:
        library.FakeTensorFree(entry)


def call(
    library: ctypes.CDLL, y_grad: Any, x: Any, out: Any, dim: int = -1
) -> tuple[int, str, bool]:
    """(status, sentence without the function's name, whether the inner function was reached)."""
    size, executor = ctypes.c_uint64(), ctypes.c_void_p()
    before = library.FakeInnerCalls()
    status = library.aclnnSwiGluGradGetWorkspaceSize(
        y_grad, x, ctypes.c_int64(dim), out, ctypes.byref(size), ctypes.byref(executor)
    )
    sentence = library.FakeSentence().decode()
    return status, sentence.removeprefix(PREFIX), library.FakeInnerCalls() > before


@pytest.mark.parametrize("dtype", [FLOAT16, BF16, FLOAT])
def test_accepts(library: ctypes.CDLL, tensor: Tensor, dtype: int) -> None:
    x, y_grad = tensor(2, 3, 4, dtype=dtype), tensor(2, 3, 2, dtype=dtype)
    assert call(library, y_grad, x, x)[::2] == (0, True)
    assert call(library, tensor(1, 3, 4, dtype=dtype), x, x, dim=0)[::2] == (0, True)
    assert call(library, tensor(1, 3, 4, dtype=dtype), x, x, dim=-3)[::2] == (0, True)


def test_accepts_strided_inputs_and_plain_formats(library: ctypes.CDLL, tensor: Tensor) -> None:
    x = tensor(4, 6, strides=(1, 4), layout=NCHW)
    y_grad = tensor(4, 3, strides=(0, 0), layout=NCL)
    assert call(library, y_grad, x, tensor(4, 6))[::2] == (0, True)


def test_strides_of_dimensions_of_one_do_not_matter(library: ctypes.CDLL, tensor: Tensor) -> None:
    out = tensor(1, 6, strides=(77, 1))
    assert call(library, tensor(1, 3), tensor(1, 6), out)[::2] == (0, True)


@pytest.mark.parametrize(("position", "name"), [(0, "yGrad"), (1, "x"), (2, "out")])
def test_null_tensor(library: ctypes.CDLL, tensor: Tensor, position: int, name: str) -> None:
    tensors: list[ctypes.c_void_p | None] = [tensor(4, 3), tensor(4, 6), tensor(4, 6)]
    tensors[position] = None
    status, sentence, reached = call(library, *tensors)
    assert (status, reached) == (161001, False)
    assert sentence == f"{name} is a null pointer; it is required"


def test_null_results(library: ctypes.CDLL, tensor: Tensor) -> None:
    phase1, dim = library.aclnnSwiGluGradGetWorkspaceSize, ctypes.c_int64(-1)
    y_grad, x, slot = tensor(4, 3), tensor(4, 6), ctypes.c_uint64()
    assert phase1(y_grad, x, dim, x, None, ctypes.byref(slot)) == 161001
    assert b"workspaceSize is a null pointer" in library.FakeSentence()
    assert phase1(y_grad, x, dim, x, ctypes.byref(slot), None) == 161001
    assert b"executor is a null pointer" in library.FakeSentence()


NO_ELEMENT = "and so no element; empty tensors are not supported"
#: arguments of (y_grad, x, out), dim, status, sentence; a tuple is a shape, a dict adds the rest
REFUSED: dict[str, tuple[Any, Any, Any, int, int, str]] = {
    "dtype nobody takes": (
        (4, 3), {"shape": (4, 6), "dtype": INT32}, (4, 6), -1, 161002,
        "x has dtype int32; expected float16, bfloat16 or float32",
    ),
    "unknown dtype": (
        (4, 3), (4, 6), {"shape": (4, 6), "dtype": 26}, -1, 161002,
        "out has dtype number 26; expected float16, bfloat16 or float32",
    ),
    "mixed dtypes": (
        {"shape": (4, 3), "dtype": FLOAT}, (4, 6), (4, 6), -1, 161002,
        "these dtypes do not go together: yGrad float32, x float16, out float16; expected one of "
        "the rows (float16, float16, float16), (bfloat16, bfloat16, bfloat16), "
        "(float32, float32, float32)",
    ),
    "private format": (
        (4, 3), {"shape": (4, 6), "layout": FRACTAL_NZ}, (4, 6), -1, 161002,
        "x has format FRACTAL_NZ; expected ND",
    ),
    "dtype before shape": (
        (4, 3), {"shape": (), "dtype": INT32}, (4, 6), -1, 161002, "x has dtype int32; expected",
    ),
    "scalar": ((), (), (), 0, 161002, "x has shape [] with 0 dimensions; expected 1 to 8"),
    "rank 9": (
        (1,) * 9, (1,) * 8 + (2,), (1,) * 8 + (2,), -1, 161002,
        "x has shape [1, 1, 1, 1, 1, 1, 1, 1, 2] with 9 dimensions; expected 1 to 8",
    ),
    "empty": ((0, 3), (0, 6), (0, 6), -1, 161002, f"x has shape [0, 6] {NO_ELEMENT}"),
    "empty halves": ((4, 0), (4, 0), (4, 0), -1, 161002, f"x has shape [4, 0] {NO_ELEMENT}"),
    "dim beyond": (
        (4, 3), (4, 6), (4, 6), 2, 161002, "dim is 2; expected -2 to 1, since x has 2 dimensions",
    ),
    "dim before": (
        (4, 3), (4, 6), (4, 6), -3, 161002, "dim is -3; expected -2 to 1, since x has 2 dimensions",
    ),
    "smallest dim": ((4, 3), (4, 6), (4, 6), -(2**63), 161002, "dim is -9223372036854775808;"),
    "y_grad length": (
        (4, 4), (4, 6), (4, 6), -1, 161002,
        "yGrad has shape [4, 4]; expected [4, 3], the shape of x with dimension 1 halved",
    ),
    "y_grad rank": (
        (12,), (4, 6), (4, 6), -1, 161002,
        "yGrad has shape [12]; expected [4, 3], the shape of x with dimension 1 halved",
    ),
    "y_grad along another dim": (
        (4, 3), (4, 6), (4, 6), 0, 161002,
        "yGrad has shape [4, 3]; expected [2, 6], the shape of x with dimension 0 halved",
    ),
    "out shape": (
        (4, 3), (4, 6), (4, 3), -1, 161002, "out has shape [4, 3]; expected [4, 6], the shape of x",
    ),
    "out strides": (
        (4, 3), (4, 6), {"shape": (4, 6), "strides": (1, 4)}, -1, 161002,
        "out has strides [1, 4]; expected [6, 1], a contiguous tensor",
    ),
    "odd": (
        (4, 3), (4, 7), (4, 7), -1, 561002,
        "x has shape [4, 7] and so odd length 7 in dimension 1; expected an even length",
    ),
    "odd although what follows is even": ((1, 2), (3, 2), (3, 2), 0, 561002, "x has shape [3, 2]"),
    "odd, y_grad rounded up": ((4, 4), (4, 7), (4, 7), -1, 561002, "x has shape [4, 7]"),
    "odd, y_grad wrong elsewhere": ((3, 3), (4, 7), (4, 7), -1, 161002, "yGrad has shape [3, 3]"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED.keys())
def test_refuses(library: ctypes.CDLL, tensor: Tensor, case: tuple[Any, ...]) -> None:
    *arguments, dim, status, expected = case
    tensors = []
    for argument in arguments:
        options = dict(argument) if isinstance(argument, dict) else {"shape": argument}
        tensors.append(tensor(*options.pop("shape"), **options))
    got_status, sentence, reached = call(library, *tensors, dim=dim)
    assert (got_status, reached) == (status, False)
    assert sentence.startswith(expected)
