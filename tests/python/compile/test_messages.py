# SPDX-License-Identifier: Apache-2.0
"""Tests that a failing kernel's message names its arguments, its line and a remedy that fits."""

from __future__ import annotations

import pickle
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cannery
from cannery.compile.source import argument_names
from cannery.errors import from_status

BODY = """
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void broken(GM_ADDR first, GM_ADDR second) {{
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> queue;
    GlobalTensor<float> gm;
    gm.SetGlobalBuffer((__gm__ float*)first);
    {statements}
}}
"""


def failure(statements: str, **options: Any) -> cannery.KernelError:
    kernel = cannery.compile_kernel(BODY.format(statements=statements), "broken")
    with cannery.use(**options), pytest.raises(cannery.KernelError) as caught:
        kernel(1, np.zeros(64, np.float32), np.zeros(64, np.float32))
    return caught.value


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("__global__ __aicore__ void k(GM_ADDR x, GM_ADDR y) {", ("x", "y")),
        ('extern "C" {\n__global__ void k(__gm__ uint8_t* x,\n  __gm__ uint8_t *y)\n{', ("x", "y")),
        ("void k(int a); // k(GM_ADDR b) {\n__global__ void k(GM_ADDR c) {", ("c",)),
        ('const char* s = "__global__ k(GM_ADDR d) {";\nvoid k(GM_ADDR e) {', ()),
        ("__global__ void other(GM_ADDR x) {} void k(GM_ADDR y) {", ()),
        ("template <int n> __global__ __aicore__ void k(GM_ADDR /* in */ x) {", ("x",)),
        ("__global__ void k(GM_ADDR, GM_ADDR y) {", ()),
        ("__global__ void k(__gm__ uint8_t*) {", ()),
        ("__global__ void k() {", ()),
        ("__global__ void k(void) {", ()),
        ("__global__ void k(ARGUMENTS) {", ()),
        ("__global__ void kk(GM_ADDR x) {", ()),
        ("", ()),
    ],
)
def test_argument_names(text: str, names: tuple[str, ...]) -> None:
    assert argument_names(text, "k") == names


def test_missing_arguments_are_t602(kernels: Path) -> None:
    kernel = cannery.compile_kernel(kernels / "add.cpp", "add")
    x = np.zeros(1024, np.float32)
    for given in (0, 1, 2, 4):
        with pytest.raises(cannery.KernelError) as caught:
            kernel(1, *[x] * given)
        assert (caught.value.code, caught.value.status) == ("T602", 107000)
        assert f"kernel add takes 3 arguments (x, y, z), got {given}" in str(caught.value)
    with pytest.raises(cannery.KernelError, match=r"takes 3 arguments \(x, y, z\), got 4"):
        kernel(1, x, x, x, workspace=64)


def test_the_place_of_an_error(kernels: Path) -> None:
    kernel = cannery.compile_kernel(kernels / "broken.cpp", "broken", {"BUG": 1})
    with pytest.raises(cannery.KernelError) as caught:
        kernel(1, np.zeros(64, np.float32), np.zeros(64, np.float32))
    error = pickle.loads(pickle.dumps(caught.value))  # noqa: S301  bytes that this test made
    assert error.file == str(kernels / "broken.cpp")
    lines = Path(error.file).read_text().splitlines()
    assert "DataCopy(local, from, kElems)" in lines[error.line - 1]
    assert error.core == "0 AIV"
    assert "argument in, which has 256 B" in str(error)


def test_an_error_of_a_card_has_no_place() -> None:
    error = from_status(507035, "k", "EZ9999: Inner Error! T103 at x:3 f   core 1")
    assert isinstance(error, cannery.KernelError)
    assert (error.code, error.file, error.line, error.core) == (None, None, None, None)


def test_odd_file_names_are_places_too() -> None:
    error = from_status(507035, "k", "T103 x\n  at /a b:3 c.cpp:17 Run   core 12 AIC, block 3 of 8")
    assert isinstance(error, cannery.KernelError)
    assert (error.file, error.line, error.core) == ("/a b:3 c.cpp", 17, "12 AIC")


def test_arrays_are_called_as_in_the_source(kernels: Path, tmp_path: Path) -> None:
    kernel = cannery.compile_kernel(kernels / "add.cpp", "add")
    x = np.zeros(2048, np.float32)
    with pytest.raises(ValueError, match="argument y of kernel add: expected a C-contiguous"):
        kernel(1, x, x[::2], x)
    with pytest.raises(TypeError, match="argument z of kernel add"):
        kernel(1, x, x, None)  # type: ignore[arg-type]
    kernel(1, x, x + 1, np.zeros_like(x), dump=tmp_path / "stream.txt")
    assert "read argument y+0x0 1024 B" in (tmp_path / "stream.txt").read_text()


COPY = "pipe.InitBuffer(queue, 1, 256); LocalTensor<float> t = queue.AllocTensor<float>();"


@pytest.mark.parametrize(
    "statements",
    [
        f"{COPY} uint32_t row = 0; DataCopy(t, gm[row - 8], 64);",
        f"{COPY} uint32_t row = 0; gm.SetGlobalBuffer((__gm__ float*)first + (row - 8));"
        " DataCopy(t, gm, 64);",
    ],
)
def test_an_address_far_outside_suspects_a_wrapped_offset(statements: str) -> None:
    error = failure(statements)
    assert error.code in ("T101", "T102")
    assert "an offset that wrapped" in str(error)


def test_an_address_just_outside_suspects_the_last_tile() -> None:
    assert "clip the last tile" in str(failure(f"{COPY} DataCopy(t, gm[8], 64);"))


def test_a_left_over_flag_of_a_queue_says_deque() -> None:
    error = failure(f"{COPY} DataCopy(t, gm, 64); queue.EnQue(t);")
    assert error.code == "T306"
    assert "try: a DeQue" in str(error)
    error = failure("SetFlag<HardEvent::MTE2_V>(0);")
    assert error.code == "T306"
    assert "try: a WaitFlag" in str(error)


@pytest.mark.parametrize(("count", "kept"), [("258", 2), ("-1", 255), ("256", 0)])
def test_a_cut_number_of_buffers_shows_what_it_was(count: str, kept: int) -> None:
    error = failure(f"int32_t count = {count}; pipe.InitBuffer(queue, count, 32);")
    assert error.code == "T402"
    assert f"{count} is passed for a parameter of 8 bits" in str(error)
    assert f"takes it for {kept}" in str(error)


def test_a_cut_length_shows_what_it_was() -> None:
    error = failure("int32_t tile = -64; pipe.InitBuffer(queue, 2, tile);")
    assert error.code == "T106"
    assert "InitBuffer of 2 VECIN buffers of -64 B" in str(error)


def test_warnings_in_the_kernels_own_lines_are_shown(cache: Path) -> None:
    source = BODY.format(statements="uint8_t cut = 300; (void)cut;")
    with pytest.warns(cannery.KernelWarning) as caught:
        cannery.compile_kernel(source, "broken")
    (warning,) = caught
    assert "broken.cpp:10:" in str(warning.message)
    assert "300" in str(warning.message)
    assert warning.filename == __file__
    # The kernel is in the cache now. Its warning appears again.
    with pytest.warns(cannery.KernelWarning) as again:
        cannery.compile_kernel(source, "broken")
    assert [str(each.message) for each in again] == [str(warning.message)]
    assert again[0].filename == __file__


def test_a_text_is_not_quoted_from_a_file_of_its_name(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken.cpp").write_text("another file\n" * 20)
    monkeypatch.chdir(tmp_path)
    source = BODY.format(statements="uint8_t cut = 300; (void)cut;")
    with pytest.warns(cannery.KernelWarning) as caught:
        cannery.compile_kernel(source, "broken")
    assert "another file" not in "".join(str(each.message) for each in caught)
    with pytest.raises(cannery.CompileError) as failed:
        cannery.compile_kernel(source.replace("(void)cut", "nothing"), "broken")
    assert "another file" not in str(failed.value)


@pytest.mark.slow
def test_no_other_warnings_are_shown(kernels: Path, cache: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cannery.compile_kernel(kernels / "add.cpp", "add")
        cannery.compile_kernel("#pragma once\n" + BODY.format(statements=""), "broken")


LOCAL_TYPES = """
#include "kernel_operator.h"
#include "shape.h"
namespace {
struct Size { uint32_t rows; };
template <typename T> struct Tile { T element; };
}
struct Work : Shape { Size size; Tile<float> tile; };
extern "C" __global__ __aicore__ void typed(GM_ADDR out) {
    const auto rows = [](const Work& work) { return work.size.rows; };
    Tile<decltype(rows)> tile = {rows};
    tile.element(Work());
    uint64_t bits = 0;
    half number;
    bfloat16_t numbers[4];
    __builtin_memcpy(&number, &bits, sizeof(half));
    __builtin_memset(numbers, 0, sizeof(numbers));
    float value = 1.0F;
    bits = *reinterpret_cast<uint32_t*>(&value);
}
"""


def test_good_kernels_have_no_warnings(tmp_path: Path) -> None:
    """Correct kernels compile without warnings. GCC would warn about an unnamed type in an included
    class, bytes that are copied to a class with private members such as half, and bits that are
    read as another type."""
    (tmp_path / "shape.h").write_text(
        "namespace { struct Shape { int n; }; }\nstruct Shapes { Shape first; };\n"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cannery.compile_kernel(LOCAL_TYPES, "typed", include_dirs=[tmp_path])
