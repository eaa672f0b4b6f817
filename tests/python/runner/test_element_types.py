# SPDX-License-Identifier: Apache-2.0
"""The runner must warn if a kernel uses an array as another type than the array's dtype."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ml_dtypes import bfloat16

import cannery

from ..selection import rest_slow


@pytest.fixture
def compiled(kernels: Path) -> Any:
    def compile_for(element: str, compute: str = "") -> Any:
        source = kernels / "device" / "element_type.cpp"
        defines = {"ELEMENT": element} | ({"COMPUTE": compute} if compute else {})
        kernel = cannery.compile_kernel(source, "element_type", defines)
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
    rest_slow(
        [
            ("float", "np.float32"),
            ("bfloat16_t", "ml_dtypes.bfloat16"),
            ("half", "np.float16"),
            ("int32_t", "np.int32"),
            ("uint32_t", "np.uint32"),
        ],
        2,
    ),
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


@pytest.mark.parametrize(
    ("element", "key"),
    [
        *((element, 0) for element in ("int64_t", "uint64_t")),
        *((element, key) for element in ("double", "uint8_t", "int8_t") for key in (0, 1)),
    ],
)
def test_whole_doubles_and_bytes_are_moved_silently(compiled: Any, element: str, key: int) -> None:
    assert warned(compiled(element), doubles(), np.zeros(32), key=key) == []


def filled(dtype: Any) -> Any:
    """Returns an array of 256 B."""
    return np.arange(256 // np.dtype(dtype).itemsize).astype(dtype)


# The kernel's type has another width than the dtype, so the kernel cannot mean these elements.
OTHER_WIDTHS = [
    ("float", np.float16),
    ("float", bfloat16),
    ("float", np.int64),
    ("float", np.int16),
    ("float", np.int8),
    ("half", np.float32),
    ("half", np.int32),
    ("bfloat16_t", np.float32),
    ("int32_t", np.int64),
    ("uint32_t", np.uint64),
    ("int32_t", np.int16),
    ("int32_t", np.bool_),
    ("int64_t", np.int32),
]


@pytest.mark.parametrize(("element", "dtype"), OTHER_WIDTHS)
def test_another_width_is_named(compiled: Any, element: str, dtype: Any) -> None:
    messages = warned(compiled(element), filled(dtype), filled(dtype))
    assert [message.split()[1] for message in messages] == ["from", "to"]
    for message in messages:
        first, remedy = message.splitlines()
        assert f"is an array of {np.dtype(dtype)}, but" in first
        assert first.endswith(f"the kernel takes it for GlobalTensor<{element}>")
        assert ".astype(" in remedy
        assert ".view(" in remedy


ADDS = "Adds(local, local, ELEMENT(0), kCount)"
# The kernel's type has the same width as the dtype, or 8 or 16 bits. With key 0 the kernel only
# moves elements; with key 2 it also computes with them.
OTHER_KINDS = [
    ("float", np.int32, ADDS),
    ("float", np.uint32, ADDS),
    ("int32_t", np.float32, ADDS),
    ("half", bfloat16, ADDS),
    ("half", np.int16, ADDS),
    ("int16_t", np.float16, ADDS),
    ("int16_t", np.int32, ADDS),
    (
        "bfloat16_t",
        np.float16,
        "Cast(result.ReinterpretCast<float>(), local, RoundMode::CAST_NONE, kCount)",
    ),
    (
        "int8_t",
        np.float32,
        "Cast(result.ReinterpretCast<half>(), local, RoundMode::CAST_NONE, kCount)",
    ),
]


@pytest.mark.parametrize(("element", "dtype", "compute"), rest_slow(OTHER_KINDS, 2))
def test_another_kind_is_named_if_the_kernel_computes_with_it(
    compiled: Any, element: str, dtype: Any, compute: str
) -> None:
    kernel = compiled(element, compute)
    assert warned(kernel, filled(dtype), filled(dtype)) == []
    given = np.zeros_like(filled(dtype))
    messages = warned(kernel, given, filled(dtype), key=2)
    assert [message.split()[1] for message in messages] == ["from", "to"]
    assert f"is an array of {np.dtype(dtype)}, but" in messages[0]
    assert f"takes it for GlobalTensor<{element}>" in messages[0]


@pytest.mark.parametrize(("element", "dtype"), [("int32_t", np.float32), ("int64_t", np.float64)])
def test_another_kind_is_named_if_the_scalar_unit_reads_it(
    compiled: Any, element: str, dtype: Any
) -> None:
    """With key 1 the scalar unit reads elements from the first array in GM: one warning. With key 3
    it reads an element in UB, which may come from either array: two warnings."""
    assert len(warned(compiled(element), filled(dtype), filled(dtype), key=1)) == 1
    assert len(warned(compiled(element), filled(dtype), filled(dtype), key=3)) == 2


@pytest.mark.parametrize(
    ("element", "dtype", "compute"),
    [
        ("float", np.float32, ADDS),
        ("half", np.float16, ADDS),
        ("int32_t", np.int32, ADDS),
        ("int32_t", np.uint32, ADDS),
        ("float", np.uint8, ADDS),
        ("int64_t", np.uint64, ""),
        ("bool", np.uint8, ""),
        ("uint8_t", np.bool_, ""),
        ("bfloat16_t", np.uint16, OTHER_KINDS[-2][2]),
        ("int8_t", np.int8, OTHER_KINDS[-1][2]),
    ],
)
def test_what_fits_is_silent(compiled: Any, element: str, dtype: Any, compute: str) -> None:
    kernel = compiled(element, compute)
    assert warned(kernel, np.zeros_like(filled(dtype)), filled(dtype), key=2) == []


def test_a_workspace_is_silent(kernels: Path) -> None:
    """A workspace may have any dtype. The twin knows a workspace by the parameter's name."""
    source = (kernels / "device" / "element_type.cpp").read_text()
    source = source.replace("GM_ADDR to)", "GM_ADDR workspace)").replace(")to)", ")workspace)")
    kernel = cannery.compile_kernel(source, "element_type", {"ELEMENT": "float"})
    messages = warned(kernel, filled(np.int64), filled(np.int64))
    assert [message.split()[1] for message in messages] == ["from"]


def test_only_the_argument_that_is_wrong(compiled: Any) -> None:
    messages = warned(compiled("float"), doubles(), np.zeros(64, np.float32))
    assert [message.split()[1] for message in messages] == ["from"]


def test_once_for_each_kernel_and_argument(compiled: Any) -> None:
    kernel = compiled("float")
    assert len(warned(kernel, doubles(), np.zeros(64, np.float32))) == 1
    assert len(warned(kernel, doubles(), np.zeros(32))) == 1
    assert warned(kernel, doubles(), np.zeros(32)) == []
    assert len(warned(compiled("half"), doubles(), np.zeros(32))) == 2


def test_once_for_each_dtype(compiled: Any) -> None:
    kernel = compiled("float")
    right = np.zeros(64, np.float32)
    for dtype in (np.int16, np.float16, np.int64):
        (message,) = warned(kernel, filled(dtype), right)
        assert f"is an array of {np.dtype(dtype)}," in message
        assert warned(kernel, filled(dtype), right) == []


RIGHT = {"half": np.float16, "float": np.float32, "int64_t": np.int64}


@pytest.mark.parametrize("element", sorted(RIGHT))
@pytest.mark.parametrize(("dtype", "part"), [("complex64", "float32"), ("complex128", "float64")])
def test_complex_numbers(compiled: Any, element: str, dtype: str, part: str) -> None:
    kernel = compiled(element)
    right = filled(dtype).view(RIGHT[element])
    (message,) = warned(kernel, filled(dtype), right)
    assert message.startswith(
        f"argument from of kernel element_type is an array of {dtype}, but no element type of a "
        "kernel is complex"
    )
    assert f"from.view(np.{part})" in message
    assert warned(kernel, filled(dtype), right) == []


def test_memory_that_is_also_given_as_another_type(compiled: Any) -> None:
    """Memory that is passed with two types gives no warning: a kernel may use either type."""
    both = doubles()
    assert warned(compiled("float"), both, both.view(np.float32)) == []
    assert warned(compiled("float"), both.view(np.float32), both) == []
    assert len(warned(compiled("float"), both, both)) == 1


def refusal(kernel: Any, *arrays: Any, key: int = 0) -> Any:
    with pytest.raises(cannery.KernelError) as caught:
        kernel(1, *arrays, tiling_key=key)
    return caught.value


@pytest.mark.parametrize(
    ("key", "elements", "access"),
    [
        (0, 64, "DataCopy reads 256 B at byte 0 of argument from"),
        (1, 64, "GlobalTensor::GetValue reads 4 B at byte 128 of argument from"),
        # The GlobalTensor starts behind the array.
        (4, 128, "DataCopy reads 256 B at byte 256 of argument from"),
    ],
)
def test_a_too_short_array_of_smaller_elements_is_a_wrong_dtype(
    compiled: Any, key: int, elements: int, access: str
) -> None:
    kernel = compiled("float")
    error = refusal(kernel, np.zeros(elements, np.float16), np.zeros(64, np.float32), key=key)
    assert error.code == "T110"
    text = str(error)
    assert text.startswith(
        f"T110 wrong dtype: {access} as float, but argument from is an array of float16:"
    )
    assert f"{elements} elements have {2 * elements} B, as float32 they have {4 * elements}" in text
    assert "try: give argument from as an array of float32" in text
    kernel(1, np.zeros(elements, np.float32), np.zeros(64, np.float32), tiling_key=key)


def test_a_too_short_output_of_smaller_elements(compiled: Any) -> None:
    error = refusal(compiled("float"), np.zeros(64, np.float32), np.zeros(64, bfloat16))
    assert error.code == "T110"
    assert "DataCopy writes 256 B" in str(error)
    assert "argument to is an array of bfloat16" in str(error)


@pytest.mark.parametrize(
    ("given", "key", "code"),
    [
        (np.zeros(63, np.float32), 0, "T101"),  # of the right dtype
        (np.zeros(62, np.float16), 0, "T101"),  # too few elements of any dtype
        (np.zeros(31, np.float64), 0, "T101"),  # the elements are larger, not smaller
        (np.zeros(64, np.float32), 4, "T102"),
        (np.zeros(127, np.float16), 4, "T102"),
        (np.zeros(128, np.uint8), 0, "T101"),  # plain bytes
    ],
)
def test_other_short_arrays_keep_their_error(
    compiled: Any, given: Any, key: int, code: str
) -> None:
    assert refusal(compiled("float"), given, np.zeros(64, np.float32), key=key).code == code
