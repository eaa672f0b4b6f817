# SPDX-License-Identifier: Apache-2.0
"""Tests users' kernels from Python: arguments, permissions, and the messages of failures."""

from __future__ import annotations

import json
import struct
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cannery

ELEMS = 4 * 256  # elements for one block of add.cpp


def numbers(count: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).standard_normal(count).astype(np.float32)


@pytest.mark.smoke
@pytest.mark.parametrize("blocks", [1, 8, 40])
def test_double_buffered_add(kernels: Path, blocks: int) -> None:
    kernel = cannery.compile_kernel(kernels / "add.cpp", "add")
    x, y, z = numbers(blocks * ELEMS, 1), numbers(blocks * ELEMS, 2), numbers(blocks * ELEMS, 3)
    kernel(blocks, x, y, z)
    np.testing.assert_array_equal(z, x + y)


def test_text_path_and_string_path_are_the_same_kernel(kernels: Path) -> None:
    path = kernels / "add.cpp"
    x, y = numbers(ELEMS, 1), numbers(ELEMS, 2)
    for source in (path, str(path), path.read_text()):
        z = np.zeros(ELEMS, np.float32)
        cannery.compile_kernel(source, "add")(1, x, y, z)
        np.testing.assert_array_equal(z, x + y)


def test_in_place_and_overlapping_arrays(kernels: Path) -> None:
    kernel = cannery.compile_kernel(kernels / "add.cpp", "add")
    x = numbers(ELEMS)
    doubled = x + x
    kernel(1, x, x, x)
    np.testing.assert_array_equal(x, doubled)
    buffer = numbers(3 * ELEMS)
    a, b, c = buffer[:ELEMS], buffer[ELEMS // 2 : ELEMS // 2 + ELEMS], buffer[2 * ELEMS :]
    want = a + b
    kernel(1, a, b, c)
    np.testing.assert_array_equal(c, want)


@pytest.mark.slow
def test_defines_and_includes(kernels: Path, tmp_path: Path) -> None:
    (tmp_path / "sizes.h").write_text("#define TILE_ELEMS 64\n")
    source = '#include "sizes.h"\n' + (kernels / "add.cpp").read_text()
    for defines in ({"TILES_PER_BLOCK": 2}, ["TILES_PER_BLOCK=2"]):
        kernel = cannery.compile_kernel(source, "add", defines, include_dirs=[tmp_path])
        x, y, z = numbers(128, 1), numbers(128, 2), np.zeros(128, np.float32)
        kernel(1, x, y, z)
        np.testing.assert_array_equal(z, x + y)


def test_a_source_sees_what_a_cards_compiler_shows() -> None:
    source = """
    struct Tiling { uint64_t elems; size_t rows; half values[4]; };
    #if __CCE_AICORE__ != 220 || __NPU_ARCH__ != 2201
    #error the numbers of the chip are known before the first header
    #endif
    #include "kernel_operator.h"
    #ifdef ASCENDC_CPU_DEBUG
    #error only unit tests of kernels define this macro
    #endif
    extern "C" __global__ __aicore__ void size(GM_ADDR out) {
        AscendC::GlobalTensor<uint32_t> gm;
        gm.SetGlobalBuffer((__gm__ uint32_t*)out, 8);
        gm.SetValue(0, sizeof(Tiling));
        AscendC::DataCacheCleanAndInvalid<uint32_t, AscendC::CacheLine::SINGLE_CACHE_LINE>(gm);
    }
    """
    out = np.zeros(16, np.uint32)
    cannery.compile_kernel(source, "size")(1, out)
    assert out[0] == 24


def test_a_source_spells_the_attribute_of_cores_itself(kernels: Path) -> None:
    head = '#include "kernel_operator.h"\n'
    text = (kernels / "add.cpp").read_text()
    assert head in text
    source = text.replace(head, f"{head}#undef __aicore__\n#define __aicore__ [aicore]\n")
    x, y, z = numbers(ELEMS, 1), numbers(ELEMS, 2), np.zeros(ELEMS, np.float32)
    cannery.compile_kernel(source, "add")(1, x, y, z)
    np.testing.assert_array_equal(z, x + y)


def test_workspace_tiling_and_tiling_key(kernels: Path) -> None:
    kernel = cannery.compile_kernel(kernels / "tiled_copy.cpp", "tiled_copy")
    source, target = numbers(64), np.zeros(64, np.float32)
    kernel(1, source, target, workspace=256, tiling=struct.pack("I", 64), tiling_key=7)
    np.testing.assert_array_equal(target, source)
    # With tiling key 0, the kernel copies its unwritten workspace, which holds the poison pattern.
    with cannery.use(hazards="off"):
        kernel(1, source, target, workspace=256, tiling=struct.pack("I", 64))
    assert (target.view(np.uint32) == 0x7FE97FD3).all()  # NaN in every float type


def test_tiling_may_be_anything_with_bytes(kernels: Path) -> None:
    kernel = cannery.compile_kernel(kernels / "tiled_copy.cpp", "tiled_copy")
    for tiling in (np.array([64], np.uint32), bytearray(struct.pack("I", 64))):
        source, target = numbers(64), np.zeros(64, np.float32)
        kernel(1, source, target, workspace=256, tiling=tiling, tiling_key=7)
        np.testing.assert_array_equal(target, source)


def test_dump_shows_the_stream_of_one_launch(kernels: Path, tmp_path: Path) -> None:
    kernel = cannery.compile_kernel(kernels / "add.cpp", "add")
    x, y, z = numbers(ELEMS, 1), numbers(ELEMS, 2), np.zeros(ELEMS, np.float32)
    for _ in range(2):
        kernel(1, x, y, z, dump=tmp_path / "stream.jsonl")
        kernel(1, x, y, z, dump=tmp_path / "stream.txt")
    records = [json.loads(line) for line in (tmp_path / "stream.jsonl").read_text().splitlines()]
    text = (tmp_path / "stream.txt").read_text()
    assert sum("Add" in json.dumps(record) for record in records) >= 4
    assert 0 < text.count("Add") < 8 + sum("Add" in json.dumps(record) for record in records)
    kernel(1, x, y, z)
    assert (tmp_path / "stream.txt").read_text() == text


@pytest.mark.parametrize(
    ("bug", "status", "code"),
    [
        (1, 507035, "T101"),
        (2, 507035, "T101"),
        (3, 507035, "T106"),
        (4, 507035, "T202"),
        (5, 507034, "T301"),
        (6, 507035, "T501"),
        (7, 507034, "T507"),
        (8, 507035, "T105"),
    ],
    ids=[
        "reads-beyond",
        "writes-beyond",
        "ub-full",
        "empty-queue",
        "deadlock",
        "null",
        "endless",
        "writes-input",
    ],
)
def test_broken_kernels_end_with_their_own_error(
    kernels: Path, bug: int, status: int, code: str
) -> None:
    kernel = cannery.compile_kernel(kernels / "broken.cpp", "broken", {"BUG": bug})
    source, target = numbers(64), np.zeros(64, np.float32)
    source.flags.writeable = False
    start = time.perf_counter()
    with cannery.use(timeout_s=1), pytest.raises(cannery.KernelError) as caught:
        kernel(2, source, target)
    # 15 s is far below the time of a hang, and enough for a timeout of 1 s on a busy machine.
    assert time.perf_counter() - start < 15
    assert (caught.value.status, caught.value.code) == (status, code)
    assert caught.value.name in str(caught.value)
    # The process, the device and the stream still work after the failure.
    x, y, z = numbers(ELEMS, 1), numbers(ELEMS, 2), np.zeros(ELEMS, np.float32)
    cannery.compile_kernel(kernels / "add.cpp", "add")(1, x, y, z)
    np.testing.assert_array_equal(z, x + y)


def test_arrays_that_a_kernel_cannot_get(kernels: Path) -> None:
    kernel = cannery.compile_kernel(kernels / "add.cpp", "add")
    good = numbers(ELEMS)
    with pytest.raises(ValueError, match="argument y of kernel add: expected a C-contiguous"):
        kernel(1, good, numbers(2 * ELEMS)[::2], good)
    for wrong in (good.astype(object), good.astype(">f4"), good.tolist(), None):
        with pytest.raises(TypeError, match="argument z of kernel add"):
            kernel(1, good, good, wrong)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"block_dim": 0}, ValueError, "block_dim: expected 1 to"),
        ({"block_dim": 1.5}, TypeError, "block_dim: expected a whole number, got 1.5"),
        ({"block_dim": numbers(ELEMS)}, TypeError, r"block_dim: expected a whole number, got arr"),
        ({"workspace": -1}, ValueError, "workspace"),
        ({"tiling": "text"}, TypeError, "tiling: expected bytes, got str"),
        ({"tiling_key": 2**64}, ValueError, "tiling_key"),
        ({"dump": "stream.bin"}, ValueError, "dump"),
    ],
)
def test_launch_arguments(
    kernels: Path, arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    kernel = cannery.compile_kernel(kernels / "add.cpp", "add")
    with pytest.raises(error, match=message):
        kernel(arguments.pop("block_dim", 1), *[numbers(ELEMS)] * 3, **arguments)


def test_wrong_number_of_arrays_is_refused(kernels: Path) -> None:
    kernel = cannery.compile_kernel(kernels / "add.cpp", "add")
    with pytest.raises(cannery.KernelError, match="T602"):
        kernel(1, numbers(ELEMS), numbers(ELEMS))


def test_special_functions_are_left_out() -> None:
    """Kernels compile without C++17's special functions, because no kernel calls them."""
    source = (
        '#include "kernel_operator.h"\n'
        "#ifdef __STDCPP_MATH_SPEC_FUNCS__\n#error declared\n#endif\n"
        'extern "C" __global__ __aicore__ void lean(GM_ADDR x) {}\n'
    )
    assert cannery.compile_kernel(source, "lean").name == "lean"
