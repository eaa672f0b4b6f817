# SPDX-License-Identifier: Apache-2.0
"""Links a library from the public aclnn function of an operator, generated checks and fake getters.
Calls the function through ctypes, without runtime and kernel."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

# These tests need a compiler. Without one they fail; they are not skipped.
COMPILER = os.environ.get("CXX") or shutil.which("g++") or "c++"

FLOAT, FLOAT16, INT32, INT64, BF16 = 0, 1, 3, 9, 27  # values of aclDataType
NCHW, ND, FRACTAL_NZ, NCL = 0, 2, 29, 47  # values of aclFormat

Tensor = ctypes.c_void_p


class AclnnLibrary:
    """Calls phase 1 of an operator, such as "swi_glu_grad" with the C name "SwiGluGrad"."""

    def __init__(self, root: Path, generated: Path, folder: Path, op: str, type_name: str) -> None:
        out = folder / f"lib{op}_checks.so"
        host = root / "op_host" / "aclnn"
        sources = [
            host / f"aclnn_{op}.cpp",
            *host.glob(f"{op}_*.cpp"),
            *(generated / "op_host").glob(f"aclnn_{op}_*phase2.cpp"),
            *sorted((host / "common").glob("*.cpp")),
            root / "tests" / "cpp" / "op_host" / "fake_acl.cpp",
        ]
        folders = [host, generated / "include", generated / "op_host", root / "twin" / "include"]
        command = [str(COMPILER), "-std=c++11", "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror"]
        command += [f"-DINNER=aclnnInner{type_name}", *(f"-I{folder}" for folder in folders)]
        command += [*map(str, sources), "-o", str(out)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        # Other tests may have opened the real libraries globally. With RTLD_DEEPBIND, this library
        # still finds its own symbols first.
        self._loaded = ctypes.CDLL(str(out), mode=os.RTLD_LOCAL | os.RTLD_DEEPBIND)
        self._loaded.FakeTensor.restype = ctypes.c_void_p
        self._loaded.FakeSentence.restype = ctypes.c_char_p
        self._loaded.aclCreateIntArray.restype = ctypes.c_void_p
        self._name = f"aclnn{type_name}"
        self._tensors: list[Tensor] = []
        self._int_arrays: list[Tensor] = []

    @contextmanager
    def tensors(self) -> Iterator[None]:
        """At the end of the `with` block, frees what `tensor` and `int_array` made in the block."""
        try:
            yield
        finally:
            for entry in self._tensors:
                self._loaded.FakeTensorFree(entry)
            self._tensors.clear()
            for entry in self._int_arrays:
                self._loaded.aclDestroyIntArray(entry)
            self._int_arrays.clear()

    def tensor(
        self, *shape: int, dtype: int = FLOAT16, layout: int = ND, strides: tuple[int, ...] = ()
    ) -> Tensor:
        dims = (ctypes.c_int64 * len(shape))(*shape)
        contiguous = [1] * len(shape)
        for i in range(len(shape) - 2, -1, -1):
            contiguous[i] = contiguous[i + 1] * shape[i + 1]
        steps = (ctypes.c_int64 * len(shape))(*(strides or contiguous))
        rank = ctypes.c_uint64(len(shape))
        self._tensors.append(Tensor(self._loaded.FakeTensor(dims, steps, rank, dtype, layout)))
        return self._tensors[-1]

    def int_array(self, *values: int) -> Tensor:
        given = (ctypes.c_int64 * len(values))(*values)
        size = ctypes.c_uint64(len(values))
        self._int_arrays.append(Tensor(self._loaded.aclCreateIntArray(given, size)))
        return self._int_arrays[-1]

    @contextmanager
    def inner_status(self, status: int) -> Iterator[None]:
        """Makes the inner function return `status` inside the `with` block."""
        self._loaded.FakeInnerStatus(status)
        try:
            yield
        finally:
            self._loaded.FakeInnerStatus(0)

    def of(self, spec: Any) -> Tensor | None:
        """Returns a tensor; `spec` is a shape, or a dict with "shape" and keywords of `tensor`."""
        if spec is None:
            return None
        options = dict(spec) if isinstance(spec, dict) else {"shape": spec}
        return self.tensor(*options.pop("shape"), **options)

    def call(
        self,
        *arguments: Tensor | int | bytes | None,
        size: bool = True,
        executor: bool = True,
        entry: str = "",
    ) -> tuple[int, str, bool]:
        """Calls phase 1. Arguments None, and `size` or `executor` if False, become null pointers.

        `entry` is the suffix of the public function's name, such as "V2".

        Returns (status, message without the function's name, whether the inner function ran)."""
        slots = ctypes.c_uint64(), ctypes.c_void_p()
        results = [
            ctypes.byref(slot) if given else None
            for slot, given in zip(slots, (size, executor), strict=True)
        ]
        before = self._loaded.FakeInnerCalls()
        passed = [ctypes.c_int64(each) if isinstance(each, int) else each for each in arguments]
        name = f"{self._name}{entry}GetWorkspaceSize"
        status = self._loaded[name](*passed, *results)
        sentence = self._loaded.FakeSentence().decode()
        return status, sentence.removeprefix(f"{name}: "), self._loaded.FakeInnerCalls() > before
