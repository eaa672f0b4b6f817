# SPDX-License-Identifier: Apache-2.0
"""Tests kernels with parameters by value, and cannery.load, which returns a source's kernels."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cannery
from cannery.errors import CompileError

SOURCE = """
#include <cstdio>
#include "acl/acl.h"
#include "kernel_operator.h"
#include "tiling/tiling_api.h"
struct Step { int8_t sign; double factor; };
__aicore__ inline void Note(__gm__ double* out, int slot, double value) {
    AscendC::GlobalTensor<double> to;
    to.SetGlobalBuffer(out, 64);
    to.SetValue(slot, value);
    AscendC::DataCacheCleanAndInvalid<double, AscendC::CacheLine::ENTIRE_DATA_CACHE,
        AscendC::DcciDst::CACHELINE_OUT>(to);
}
extern "C" __global__ __aicore__ void numbers(bool flag, __gm__ double* out, int8_t small,
        uint64_t large, float single, Step step, half tiny, GM_ADDR other) {
    Note(out, 0, flag);
    Note(out, 1, small);
    Note(out, 2, large == 0xffffffffffffffff ? 1 : 0);
    Note(out, 3, single);
    Note(out, 4, step.sign * step.factor);
    Note(out, 5, (float)tiny);
    Note(out, 6, other[0]);
}
namespace deep {
template <typename T, int slot>
__global__ __vector__ void one(__gm__ double* out, T value) { Note(out, slot, value); }
}
int main() {
    platform_ascendc::PlatformAscendCManager::GetInstance();
    numbers<<<1, 0, nullptr>>>(true, nullptr, 1, 2, 3, Step{}, half(1), nullptr);
}
"""
Values = dict[str, Any]


class Step(ctypes.Structure):
    _fields_ = [("sign", ctypes.c_int8), ("factor", ctypes.c_double)]


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> Any:
    source = tmp_path_factory.mktemp("values") / "some.asc"
    source.write_text(SOURCE)
    return cannery.load(source)


def arguments(**changed: Any) -> list[Any]:
    values: Values = {
        "flag": True,
        "out": np.zeros(64),
        "small": -128,
        "large": 2**64 - 1,
        "single": 1.25,
        "step": Step(-1, 2.5),
        "tiny": np.float16(0.5),
        "other": np.full(64, 7, np.uint8),
    }
    return list({**values, **changed}.values())


@pytest.mark.slow
@pytest.mark.parametrize(
    "step",
    [
        Step(-1, 2.5),
        bytes(Step(-1, 2.5)),
        np.array((-1, 2.5), np.dtype([("sign", "i1"), ("factor", "f8")], align=True)),
    ],
    ids=["ctypes", "bytes", "structured"],
)
def test_values_of_every_sort(module: Any, step: Any) -> None:
    given = arguments(step=step)
    module.numbers(1, *given)
    assert given[1][:7].tolist() == [1, -128, 1, 1.25, -2.5, 0.5, 7]


@pytest.mark.release
def test_templates_are_asked_for_by_their_arguments(module: Any) -> None:
    assert module.kernels == ("numbers", "deep::one")
    out = np.zeros(64)
    module["deep::one<int, 3>"](1, out, -5)
    module["deep::one<float, 4>"](1, out, 2.5)
    assert out[3:5].tolist() == [-5, 2.5]


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"out": 3}, TypeError, "argument out of kernel numbers"),
        ({"small": 128}, ValueError, "small.*an int of 8 bits, -128 to 127, got 128"),
        ({"small": 1.0}, TypeError, "small.*expected an int of 8 bits, got float 1.0"),
        ({"large": -1}, ValueError, "large.*an unsigned int of 64 bits"),
        ({"single": "x"}, TypeError, "single.*expected a float of 32 bits, got str 'x'"),
        ({"single": 1e300}, ValueError, "single"),
        ({"single": np.zeros(3)}, TypeError, r"single.*an array of shape \(3,\)"),
        ({"step": b"123"}, ValueError, "step.*expected 16 bytes, got 3"),
        ({"step": 5}, TypeError, "step.*expected 16 bytes"),
        ({"flag": 2}, ValueError, "flag.*a bool"),
    ],
)
def test_refuses_by_name(module: Any, changed: Values, error: type, message: str) -> None:
    with pytest.raises(error, match=message):
        module.numbers(1, *arguments(**changed))


def test_too_few_are_counted(module: Any) -> None:
    with pytest.raises(cannery.KernelError, match="T602 wrong number of arguments"):
        module.numbers(1, *arguments()[:-1])


def test_a_value_that_would_pass_for_padding_is_missed(tmp_path: Path) -> None:
    (tmp_path / "two.asc").write_text(
        '#include "kernel_operator.h"\n'
        "__global__ __vector__ void two(__gm__ float* x, float scale, uint32_t count) {}\n"
    )
    two = cannery.load(tmp_path / "two.asc").two
    x = np.zeros(8, np.float32)
    for given in ((x, 0.5), (x, 0.5, 1, x)):
        with pytest.raises(
            cannery.KernelError, match=rf"T602 .*\(x, scale, count\), got {len(given)}"
        ):
            two(1, *given)
    two(1, x, 0.5, 1)


def test_one_value_too_many_is_counted_before_the_types(module: Any, tmp_path: Path) -> None:
    (tmp_path / "four.cpp").write_text(
        '#include "kernel_operator.h"\nextern "C" __global__ __aicore__ void '
        "four(GM_ADDR x, GM_ADDR workspace, int32_t rows, GM_ADDR tiling) {}\n"
    )
    four = cannery.load(tmp_path / "four.cpp").four
    x = np.zeros(8, np.float32)
    expected = r"T602 .*takes 4 arguments \(x, workspace, rows, tiling\), got 5"
    with pytest.raises(cannery.KernelError, match=expected):
        four(1, x, x, 10, 100, 5)
    with pytest.raises(
        TypeError,
        match=r"argument workspace .*: expected a NumPy array, got int; the workspace of a launch "
        r"is the last parameter: .*pass an array for it",
    ):
        four(1, x, 10, 10, workspace=1024)


def test_names_that_are_not_there(module: Any, tmp_path: Path) -> None:
    with pytest.raises(AttributeError, match="no kernel 'nothing'; it has numbers, deep::one"):
        _ = module.nothing
    with pytest.raises(KeyError, match=r"deep::one<\.\.\.>"):
        _ = module["deep::two<int>"]
    assert "numbers" in dir(module)
    (tmp_path / "none.cpp").write_text("int main() {}\n")
    with pytest.raises(CompileError, match="no kernel in this file"):
        cannery.load(tmp_path / "none.cpp")
    with pytest.raises(CompileError, match="no file"):
        cannery.load(tmp_path / "missing.cpp")


MADE = """
#define MADE(name, add) \\
    extern "C" __global__ __aicore__ void name(__gm__ int32_t* y, int32_t x) { \\
        y[0] = x + add; \\
    }
"""


def test_kernels_that_a_macro_makes(tmp_path: Path) -> None:
    """The macro may be in a header; kernels that a header defines are no kernels of the source."""
    (tmp_path / "made.h").write_text('#include "kernel_operator.h"' + MADE + "MADE(other, 9)\n")
    source = tmp_path / "made.cpp"
    source.write_text('#include "made.h"\nMADE(one, 1)\nnamespace deep {\nMADE(two, kTwo)\n}\n')
    module = cannery.load(source, ["kTwo=2"])
    assert module.kernels == ("one", "deep::two")
    y = np.zeros(8, np.int32)
    module["one"](1, y, 5)
    assert y[0] == 6
    source.write_text('#include "kernel_operator.h"' + MADE + "MADE(three, 3)\n")
    assert cannery.load(source).kernels == ("three",)
