# SPDX-License-Identifier: Apache-2.0
"""The host packs template arguments into tiling keys; the keys must choose the right instances."""

from __future__ import annotations

import subprocess
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cannery
from cannery import CompileError, KernelError

from ..selection import rest_slow
from .conftest import DEVICE_KERNELS, Compile

FLOAT, FLOAT16, INT32 = 0, 1, 3
ND, NZ = 2, 29
FACTORS = [0, 1, 2, 3, 4, 5, 10, 12, 13, 9, 8]
COMBINATIONS = [
    *product((FLOAT, FLOAT16), (2, 10, 8), (0, 1), (3,), (ND,)),
    *product((INT32,), (3, 4, 5), (0,), (0, 3), (ND, NZ)),
]
BIAS = np.array([77], np.int32).tobytes()


def model_key(values: tuple[int, ...]) -> int:
    """Returns the tiling key: `dtype` is in the lowest bits; `factor` is its index in FACTORS."""
    dtype, factor, negate, layout, layout_format = values
    return dtype | FACTORS.index(factor) << 8 | negate << 16 | layout << 17 | layout_format << 25


@pytest.fixture(scope="module")
def kernel(compile_device: Compile) -> Any:
    return compile_device("template_scale")


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Returns a function host(values...), which returns the lines that the tiling program prints
    for combinations of five values."""
    module = find_spec("cannery._native")
    assert module is not None
    assert module.origin is not None
    twin = Path(module.origin).parent / "_twin"
    program = tmp_path_factory.mktemp("tiling") / "host"
    source = DEVICE_KERNELS / "template_scale_host.cpp"
    libraries = [f"-L{twin}/lib", f"-Wl,-rpath,{twin}/lib", "-lnnopbase", "-lascendcl"]
    command = ["g++", "-std=c++11", "-Wall", "-Wno-unused-variable", f"-I{twin}/include"]
    subprocess.run([*command, str(source), "-o", str(program), *libraries], check=True)

    def keys(*combinations: tuple[int, ...]) -> list[str]:
        arguments = [str(value) for values in combinations for value in values]
        run = subprocess.run([str(program), *arguments], capture_output=True, text=True, check=True)
        return run.stdout.splitlines()

    return keys


def test_host_packs_keys(host: Any) -> None:
    assert [int(line) for line in host(*COMBINATIONS)] == [model_key(c) for c in COMBINATIONS]


def test_host_refuses_what_no_selection_has(host: Any) -> None:
    for line in host((FLOAT, 3, 0, 3, ND), (FLOAT, 7, 0, 3, ND), (INT32, 3, 1, 0, ND)):
        key, sentence = line.split(" ", 1)
        assert int(key) == 2**64 - 1
        assert "no ASCENDC_TPL_ARGS_SEL has D_T_X=" in sentence


def test_every_instance_is_reached(kernel: Any) -> None:
    for values in COMBINATIONS:
        dtype, factor, negate, layout, layout_format = values
        out = np.zeros(8, np.int32)
        kernel(1, out, tiling=BIAS, tiling_key=model_key(values))
        size = 2 if dtype == FLOAT16 else 4
        half = int(dtype == FLOAT16)
        assert out.tolist() == [size, half, factor, negate, layout, layout_format, 77, 1]


def test_kernel_type_follows_the_selection(
    kernel: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stats = tmp_path / "stats"
    monkeypatch.setenv("CANNERY_STATS", str(stats))
    for values in (COMBINATIONS[0], COMBINATIONS[-1]):
        kernel(1, np.zeros(8, np.int32), tiling=BIAS, tiling_key=model_key(values))
    first, last = stats.read_text().splitlines()
    assert '"KERNEL_TYPE_AIV_ONLY"' in first
    assert '"KERNEL_TYPE_MIX_AIV_1_0"' in last


@pytest.mark.parametrize("key", [1, 2**64 - 1, model_key((FLOAT, 3, 0, 3, ND))])
def test_unknown_key(kernel: Any, key: int) -> None:
    with pytest.raises(KernelError, match="no such template instance") as caught:
        kernel(1, np.zeros(8, np.int32), tiling=BIAS, tiling_key=key)
    assert caught.value.code == "T440"


DECLARATION = """
#include "tiling/template_argument.h"
ASCENDC_TPL_ARGS_DECL(Broken, ASCENDC_TPL_UINT_DECL(A, {bits}, ASCENDC_TPL_UI_LIST, 4, 5, 6));
ASCENDC_TPL_SEL(ASCENDC_TPL_ARGS_SEL({selected}));
#include "kernel_operator.h"
template <{parameters}>
__global__ __aicore__ void broken(GM_ADDR x) {{}}
"""
GOOD = "ASCENDC_TPL_UINT_SEL(A, ASCENDC_TPL_UI_LIST, 4, 6)"


@pytest.mark.parametrize(
    ("bits", "selected", "parameters", "sentence"),
    rest_slow(
        [
            (1, GOOD, "int A", "a value does not fit its bits"),
            (8, "ASCENDC_TPL_UINT_SEL(A, ASCENDC_TPL_UI_LIST, 9)", "int A", "does not have"),
            (
                8,
                "ASCENDC_TPL_UINT_SEL(B, ASCENDC_TPL_UI_LIST, 4)",
                "int A",
                "leaves out a parameter",
            ),
            (8, GOOD, "int A, int B", "does not take the arguments that ASCENDC_TPL_ARGS_DECL"),
            (8, GOOD, "typename A", "does not take the arguments that ASCENDC_TPL_ARGS_DECL"),
        ]
    ),
)
def test_wrong_declarations_do_not_compile(
    bits: int, selected: str, parameters: str, sentence: str
) -> None:
    source = DECLARATION.format(bits=bits, selected=selected, parameters=parameters)
    with pytest.raises(CompileError, match=sentence):
        cannery.compile_kernel(source, "broken")


def test_template_without_declarations_does_not_compile() -> None:
    source = (
        '#include "kernel_operator.h"\n'
        "template <int A> __global__ __aicore__ void bare(GM_ADDR x) {}\n"
    )
    with pytest.raises(CompileError, match="needs ASCENDC_TPL_ARGS_DECL"):
        cannery.compile_kernel(source, "bare")


#: Every data type of A2 and A3 for template tiling: its name, its number, and its type in a kernel.
DATA_TYPES = {
    "C_DT_FLOAT": (0, "float"),
    "C_DT_FLOAT16": (1, "half"),
    "C_DT_INT8": (2, "int8_t"),
    "C_DT_INT32": (3, "int32_t"),
    "C_DT_UINT8": (4, "uint8_t"),
    "C_DT_INT16": (6, "int16_t"),
    "C_DT_UINT16": (7, "uint16_t"),
    "C_DT_UINT32": (8, "uint32_t"),
    "C_DT_INT64": (9, "int64_t"),
    "C_DT_UINT64": (10, "uint64_t"),
    "C_DT_DOUBLE": (11, "double"),
    "C_DT_BOOL": (12, "bool"),
    "C_DT_BF16": (27, "bfloat16_t"),
    "C_DT_INT4": (29, "AscendC::int4b_t"),
}
TYPED = """
#include "kernel_operator.h"
#include "ascendc/host_api/tiling/template_argument.h"
ASCENDC_TPL_ARGS_DECL(Typed, ASCENDC_TPL_DATATYPE_DECL(D_T, NAMES));
ASCENDC_TPL_SEL(ASCENDC_TPL_ARGS_SEL(ASCENDC_TPL_DATATYPE_SEL(D_T, NAMES)));
template <typename T>
constexpr int32_t kNumber = -1;
SPECIAL
template <typename D_T>
__global__ __aicore__ void typed(GM_ADDR out) {
    AscendC::GlobalTensor<int32_t> to;
    to.SetGlobalBuffer((__gm__ int32_t*)out);
    to.SetValue(0, kNumber<D_T>);
    AscendC::DataCacheCleanAndInvalid<int32_t, AscendC::CacheLine::SINGLE_CACHE_LINE>(to);
}
"""


def test_every_data_type_chooses_its_instance() -> None:
    special = [
        f"template <>\nconstexpr int32_t kNumber<{name}> = {number};"
        for number, name in DATA_TYPES.values()
    ]
    source = TYPED.replace("NAMES", ", ".join(DATA_TYPES)).replace("SPECIAL", "\n".join(special))
    kernel = cannery.compile_kernel(source, "typed")
    for number, _ in DATA_TYPES.values():
        out = np.zeros(16, np.int32)
        kernel(1, out, tiling_key=number)
        assert out[0] == number
