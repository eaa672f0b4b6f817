# SPDX-License-Identifier: Apache-2.0
"""The runner must warn if a kernel for a smaller type gets float64, the default of NumPy."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cannery


@pytest.fixture
def compiled(kernels: Path) -> Any:
    def compile_for(element: str) -> Any:
        source = kernels / "device" / "element_type.cpp"
        kernel = cannery.compile_kernel(source, "element_type", {"ELEMENT": element})
        kernel._warned.clear()  # each kernel warns once, perhaps in another test
        return kernel

    return compile_for


def warned(kernel: Any, *arrays: Any, key: int = 0) -> list[str]:
    """Launches a kernel that copies its first array to the second, and returns the warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        kernel(1, *arrays, tiling_key=key)
    np.testing.assert_array_equal(arrays[0].view(np.uint8), arrays[1].view(np.uint8))
    assert all(warning.category is cannery.KernelWarning for warning in caught)
    assert all(warning.filename == __file__ for warning in caught)
    return [str(warning.message) for warning in caught]


def doubles() -> Any:
    return np.arange(32.0)


@pytest.mark.parametrize("key", [0, 1])
@pytest.mark.parametrize(
    ("element", "remedy"),
    [
        ("float", "np.float32"),
        ("half", "np.float16"),
        ("bfloat16_t", "ml_dtypes.bfloat16"),
        ("int32_t", "np.int32"),
        ("uint32_t", "np.uint32"),
    ],
)
def test_smaller_elements_are_named(compiled: Any, element: str, remedy: str, key: int) -> None:
    messages = warned(compiled(element), doubles(), np.zeros(32), key=key)
    assert len(messages) == 2
    assert messages[0].startswith(
        "argument from of kernel element_type is an array of float64, NumPy's default, but the "
        f"kernel takes it for GlobalTensor<{element}>"
    )
    assert f"from.astype({remedy})" in messages[0]
    assert messages[1].startswith("argument to of kernel element_type")
    assert f"np.empty(shape, {remedy})" in messages[1]


@pytest.mark.parametrize("key", [0, 1])
@pytest.mark.parametrize("element", ["int64_t", "uint64_t", "double", "uint8_t", "int8_t"])
def test_whole_doubles_and_bytes_are_moved_silently(compiled: Any, element: str, key: int) -> None:
    assert warned(compiled(element), doubles(), np.zeros(32), key=key) == []


@pytest.mark.parametrize("dtype", [np.float32, np.int32, np.int64, np.uint8])
def test_other_arrays_are_silent(compiled: Any, dtype: Any) -> None:
    given = np.arange(256 // np.dtype(dtype).itemsize).astype(dtype)
    assert warned(compiled("float"), given, np.zeros_like(given)) == []


def test_only_the_argument_that_is_wrong(compiled: Any) -> None:
    messages = warned(compiled("float"), doubles(), np.zeros(64, np.float32))
    assert [message.split()[1] for message in messages] == ["from"]


def test_once_for_each_kernel_and_argument(compiled: Any) -> None:
    kernel = compiled("float")
    assert len(warned(kernel, doubles(), np.zeros(64, np.float32))) == 1
    assert len(warned(kernel, doubles(), np.zeros(32))) == 1
    assert warned(kernel, doubles(), np.zeros(32)) == []
    assert len(warned(compiled("half"), doubles(), np.zeros(32))) == 2


def test_memory_that_is_also_given_as_another_type(compiled: Any) -> None:
    """Memory that is passed with two types gives no warning: a kernel may use either type."""
    both = doubles()
    assert warned(compiled("float"), both, both.view(np.float32)) == []
    assert warned(compiled("float"), both.view(np.float32), both) == []
    assert len(warned(compiled("float"), both, both)) == 1
