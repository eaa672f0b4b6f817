# SPDX-License-Identifier: Apache-2.0
"""Tests system variables, assertions, dumps, tensor lists, and access to parts of tiling data."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cannery
from cannery import KernelError

from .conftest import Compile

NOTHING = np.zeros(8, np.int64)


@pytest.fixture(scope="module")
def kernel(compile_device: Compile) -> Any:
    return compile_device("sys_ext")


def run(kernel: Any, key: int, x: np.ndarray[Any, Any] = NOTHING, tiling: bytes = b"\0") -> Any:
    out = np.zeros(64, np.int64)
    kernel(1, x, out, tiling=tiling, tiling_key=key)
    return out


def test_system_variables(kernel: Any) -> None:
    assert run(kernel, 0)[:10].tolist() == [1, 0x220, 1, 1, 1, 32, 1, 0, 1, 0]


def test_tiling_in_place_and_in_parts(kernel: Any) -> None:
    tiling = np.array([5, 0, 3, 4, 2**40, 7], np.int64)
    tiling[1] = 3 | 4 << 32
    data = np.array([5, 3 | 4 << 32, 2**40, 7], np.int64).tobytes()
    for key in (1, 2):
        assert run(kernel, key, tiling=data)[:6].tolist() == [5, 3, 4, 2**40, 7, 5]


def test_tiling_shorter_than_the_struct(kernel: Any) -> None:
    with pytest.raises(KernelError, match="T101 GM out of bounds: GET_TILING_DATA_PTR"):
        run(kernel, 1, tiling=b"\0" * 24)


def tensor_list(shapes: list[list[int]], pointers: list[int], counted: bool = True) -> Any:
    """Returns the memory of a dynamic input (a list of tensors) with shapes."""
    words = []
    for i, shape in enumerate(shapes):
        high = len(shapes) if counted and i == 0 else i
        words += [len(shape) | high << 32, *shape]
    return np.array([8 * (1 + len(words)), *words, *pointers], np.int64)


@pytest.mark.parametrize("counted", [True, False])
def test_tensor_lists(kernel: Any, counted: bool) -> None:
    shapes = [[2, 3], [4, 1], [1, 5]]
    out = run(kernel, 3, tensor_list(shapes, [4096, 8192, 16384], counted))
    want = [3]
    for i, shape in enumerate(shapes):
        want += [i, *shape, 4 * shape[0] * shape[1], 1]
    assert out[: len(want)].tolist() == want


def test_tensor_lists_of_an_operators_call(kernel: Any) -> None:
    """The runtime writes 1 instead of the number of tensors; GetSize returns 1 on a card, too."""
    words = tensor_list([[2, 3], [4, 1]], [4096, 8192])
    words[[1, 4]] = 2 | 1 << 32
    out = run(kernel, 3, words)
    assert out[:6].tolist() == [1, 0, 2, 3, 24, 1]
    run(kernel, 20, words)  # GetDataPtr(1)
    words = tensor_list([[2, 3], [4]], [4096, 8192])
    words[[1, 4]] = [2 | 1 << 32, 1 | 1 << 32]
    run(kernel, 20, words)
    with pytest.raises(KernelError, match="T443 no shape: GetDesc on a list whose tensors differ"):
        run(kernel, 3, words)


def test_tensor_list_without_shapes(kernel: Any) -> None:
    words = np.array([24, 2 << 32, 0xFFFFFFFF, 4096, 8192], np.int64)
    with pytest.raises(KernelError, match="no shape: GetDesc needs TensorDesc::SetShapeAddr"):
        run(kernel, 21, words)
    with pytest.raises(KernelError, match="no such tensor: index 2 of a list of 2 tensors"):
        run(kernel, 20, words)


@pytest.mark.parametrize(
    ("key", "sentence"),
    [
        (20, "no such tensor: index 1 of a list of 1 tensors"),
        (21, "no shape: GetDesc needs"),
        (22, r"no such dimension: TensorDesc::GetShape\(7\) of a tensor of 2"),
        (23, "a length of 40, expected 1"),
    ],
)
def test_misused_tensor_lists(kernel: Any, key: int, sentence: str) -> None:
    with pytest.raises(KernelError, match=sentence) as caught:
        run(kernel, key, tensor_list([[2, 3]], [4096]))
    assert caught.value.code == "T443"


def test_what_is_no_tensor_list(kernel: Any) -> None:
    broken = tensor_list([[2, 3]], [4096])
    broken[0] += 8
    with pytest.raises(KernelError, match=r"no tensor list: .* data pointers at byte 40"):
        run(kernel, 3, broken)
    with pytest.raises(KernelError, match="GM out of bounds"):
        run(kernel, 3, np.zeros(1, np.int64))


def expected_dump(values: list[str], dtype: str) -> list[str]:
    v = values
    return [
        f"desc=7, TYPE={dtype}, UB, 4: [{v[0]}, {v[1]}, {v[2]}, {v[3]}]",
        f"desc=8, TYPE={dtype}, GM, 5: [[{v[0]}, {v[1]}, {v[2]}],[{v[3]}, {v[4]}, -]]",
        f"desc=9, TYPE={dtype}, GM, 2: [{v[0]}, {v[1]}]",
        f"desc=10, TYPE={dtype}, UB, 6: [[{v[0]}, {v[1]}, {v[2]}],[{v[3]}, {v[4]}, {v[5]}]]",
        f"desc=11, TYPE={dtype}, GM, 2: [{v[3]}, {v[4]}]",
        f"desc=12, TYPE={dtype}, UB, 1: [{v[0]}]",
    ]


@pytest.mark.parametrize(
    ("key", "dtype", "name"),
    [(4, np.float32, "float"), (5, np.float16, "half"), (6, np.uint8, "uint8_t")],
)
def test_dumps(
    kernel: Any, capfd: pytest.CaptureFixture[str], key: int, dtype: Any, name: str
) -> None:
    values = np.array([1, 2.5, 3, 4, 5, 6, 7, 8]).astype(dtype)
    run(kernel, key, values)
    texts = [f"{v:f}" if key != 6 else str(v) for v in values]
    dumps = capfd.readouterr().out.split("DumpTensor: ")[1:]
    lines = []
    for dump in dumps:
        head, body = dump.split("\n", 1)
        fields = dict(field.split("=") for field in head.split(", "))
        lines.append(
            f"desc={fields['desc']}, TYPE={fields['data_type']}, {fields['position']}, "
            f"{fields['dump_size']}: {body.replace(chr(10), '')}"
        )
    assert lines == expected_dump(texts, name)


@pytest.mark.parametrize(
    ("key", "code", "sentence"),
    [
        (10, "T441", r"the kernel called Trap\(\)"),
        (11, "T442", "assertion failed: rows == 4"),
        (12, "T442", "rows == 4, rows are 3, half 1.500000"),
        (13, "T442", r"assertion failed: \(rows < 3\)"),
        (14, "T402", r"ICachePreLoad\(8\), expected 0 to 7"),
        (15, "T444", "ShapeInfo of 9 and 9 dimensions, expected at most 8"),
    ],
)
def test_faults(kernel: Any, key: int, code: str, sentence: str) -> None:
    with pytest.raises(KernelError, match=sentence) as caught:
        run(kernel, key)
    assert caught.value.code == code
    assert "sys_ext.cpp:" in str(caught.value)


def test_logs(kernel: Any, capfd: pytest.CaptureFixture[str]) -> None:
    run(kernel, 9)
    (line,) = [line for line in capfd.readouterr().out.splitlines() if "rows are" in line]
    assert line.startswith("[INFO][Block_0][AIV_0][")
    assert line.endswith("[Faults] rows are 3")


MACRO_FORM = """
#include "register/tilingdata_base.h"
namespace optiling {
BEGIN_TILING_DATA_DEF(InnerPart)
TILING_DATA_FIELD_DEF(uint8_t, flag);
TILING_DATA_FIELD_DEF(float, scale);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(InnerPartOp, InnerPart)
BEGIN_TILING_DATA_DEF(MacroFormTilingData)
TILING_DATA_FIELD_DEF(uint16_t, rows);
TILING_DATA_FIELD_DEF_ARR(int32_t, 3, steps);
TILING_DATA_FIELD_DEF_STRUCT(InnerPart, inner);
TILING_DATA_FIELD_DEF(uint8_t, last);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(MacroForm, MacroFormTilingData)
}
#include "kernel_operator.h"
using namespace AscendC;
__aicore__ inline int64_t Rows(const MacroFormTilingData* tiling) { return tiling->rows; }
extern "C" __global__ __aicore__ void macro_form(GM_ADDR out, GM_ADDR tiling) {
    GET_TILING_DATA(data, tiling);
    GlobalTensor<int64_t> outGm;
    outGm.SetGlobalBuffer((__gm__ int64_t*)out);
    const int64_t values[6] = {Rows(&data), data.steps[2], data.inner.flag,
                               (int64_t)data.inner.scale, data.last, sizeof(data)};
    for (int32_t i = 0; i < 6; ++i) {
        outGm.SetValue(i, values[i]);
    }
    DataCacheCleanAndInvalid<int64_t, CacheLine::ENTIRE_DATA_CACHE, DcciDst::CACHELINE_OUT>(outGm);
}
"""


def test_macro_form_tiling_header() -> None:
    layout = np.dtype(
        {
            "names": ["rows", "steps", "flag", "scale", "last"],
            "formats": [np.uint16, (np.int32, 3), np.uint8, np.float32, np.uint8],
            "offsets": [0, 4, 16, 20, 24],
            "itemsize": 32,
        }
    )
    tiling = np.zeros((), layout)
    tiling[()] = (7, (1, 2, 3), 4, 5.0, 6)
    out = np.zeros(8, np.int64)
    cannery.compile_kernel(MACRO_FORM, "macro_form")(1, out, tiling=tiling)
    assert out[:6].tolist() == [7, 3, 4, 5, 6, 32]


def test_other_header_names() -> None:
    """Headers that public kernels include besides kernel_operator.h must exist and compile."""
    headers = [
        "kernel_tiling/kernel_tiling.h",
        "basic_api/kernel_basic_intf.h",
        "kernel_operator_list_tensor_intf.h",
        "kernel_utils.h",
        "kernel_log.h",
    ]
    includes = "".join(f'#include "{header}"\n' for header in headers)
    kernel = 'extern "C" __global__ __aicore__ void headers(GM_ADDR x) { AscendC::TPipe pipe; }\n'
    cannery.compile_kernel(includes + kernel, "headers")(1, NOTHING)
