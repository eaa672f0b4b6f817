# SPDX-License-Identifier: Apache-2.0
"""op_host must get the same tilings and scratch sizes that the device tests use."""

from __future__ import annotations

import struct
import subprocess
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from . import norm_tilings as tilings
from .conftest import DEVICE_KERNELS
from .softmax_case import tiling_of
from .test_advanced_rows import topk_words
from .test_confusion_transpose import tiling_of as confusion_words

MOST, LEAST = 0, 1


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Returns host(name, size, second, flag, bytes, *dims). It returns the largest scratch, the
    smallest scratch, and the fields of the tiling."""
    module = find_spec("cannery._native")
    assert module is not None
    assert module.origin is not None
    twin = Path(module.origin).parent / "_twin"
    program = tmp_path_factory.mktemp("tiling") / "host"
    source = DEVICE_KERNELS / "rows_tiling_host.cpp"
    libraries = [f"-L{twin}/lib", f"-Wl,-rpath,{twin}/lib", "-lnnopbase", "-lascendcl"]
    command = ["g++", "-std=c++11", "-Wall", "-Werror", f"-I{twin}/include"]
    subprocess.run([*command, str(source), "-o", str(program), *libraries], check=True)

    def ask(name: str, *numbers: int) -> tuple[int, int, list[int]]:
        arguments = [str(program), name, *(str(int(n)) for n in numbers)]
        run = subprocess.run(arguments, capture_output=True, text=True, check=True)
        most, least, *words = run.stdout.split()
        data = bytes.fromhex("".join(words))
        data += bytes(-len(data) % 4)
        return int(most), int(least), list(struct.unpack(f"<{len(data) // 4}I", data))

    return ask


def bits(words: Sequence[int | float]) -> list[int]:
    return [
        struct.unpack("<I", struct.pack("<f", w))[0] if isinstance(w, float) else int(w)
        for w in words
    ]


def same(got: Sequence[int], want: Sequence[int | float]) -> None:
    """Checks the fields. Further words, which the host adds to fill 8 bytes, must be zero."""
    assert list(got[: len(want)]) == bits(want)
    assert not any(got[len(want) :])


@pytest.mark.parametrize("size", [4, 2])
@pytest.mark.parametrize(("m", "k", "split"), [(9, 48, 9), (20, 48, 8), (20, 80, 5), (1, 1024, 1)])
def test_softmax(host: Any, m: int, k: int, split: int, size: int) -> None:
    stat, block = ("float" if size == 4 else "half"), 32 // size
    rows = {
        ("softmax", 0): block + k + 64,
        ("flash", 0): block + k + 64,
        ("flash", 1): 4 * block + 2 * k,
        ("grad", 0): 2 * block + (3 if size == 2 else 1) * k + 64,
        ("grad", 1): (2 if size == 2 else 1) * block + (3 if size == 2 else 1) * k + 64,
        ("flash_v2", 0): 2 * block + k + 64 if size == 2 else block + 64,
    }
    for (name, flag), row in rows.items():
        most, least, words = host(name, size, size, flag, 4 * row * split, m, k)
        assert (most, least) == (4 * row * m, 4 * row)
        same(words, tiling_of(m, k, stat, split))
        same(host(name, size, size, flag, MOST, m, k)[2], tiling_of(m, k, stat))
        same(host(name, size, size, flag, LEAST, m, k)[2], tiling_of(m, k, stat, 1))


def test_softmax_in_basic_blocks(host: Any) -> None:
    same(host("softmax", 4, 0, 0, MOST, 64, 512)[2], tiling_of(64, 512, "float", 16))
    assert host("flash_v2", 2, 4, 1, MOST, 16, 64)[:2] == (4 * 16 * 136, 4 * 8 * 136)
    same(host("flash_v2", 2, 4, 1, MOST, 16, 64)[2], tiling_of(16, 64, "float"))
    same(host("flash_v2", 4, 4, 1, 4 * 72 * 9, 16, 64)[2], tiling_of(16, 64, "float", 8))


@pytest.mark.parametrize("size", [4, 2])
@pytest.mark.parametrize(("b", "s", "h", "valid", "rows"), [(2, 5, 48, 41, 3), (1, 7, 64, 64, 7)])
def test_normalizations_of_rows(
    host: Any, b: int, s: int, h: int, valid: int, rows: int, size: int
) -> None:
    for name in ("layer_norm", "deep"):
        want, scratch = tilings.bsh(b, s, h, valid, size, rows)
        most, least, words = host(name, size, 0, 0, scratch, b, s, h, valid)
        stats = 2 * ((b * s + 7) // 8 * 8)
        assert (most, least) == (4 * (3 * b * s * h + stats), 4 * (3 * h + stats))
        same(words, want)
        assert host(name, size, 0, 0, LEAST, b, s, h, valid)[2][16] > 0
    reused, scratch = tilings.bsh(b, s, h, valid, 4, rows, pieces=2)
    same(host("layer_norm", 4, 0, 1, scratch, b, s, h, valid)[2], reused)
    want, scratch = tilings.separate(b * s, valid, h, rows)
    same(host("separate", size, 0, 0, scratch, b * s, valid)[2], want)
    want, scratch = tilings.rms(b, s, h, valid, size, rows)
    most, least, words = host("rms", size, 0, 0, scratch, b, s, h, valid)
    assert least == 4 * (h * (4 // size) + 8)
    same(words, want)


@pytest.mark.parametrize("size", [4, 2])
def test_other_normalizations(host: Any, size: int) -> None:
    want, scratch = tilings.batch(8, 64, size, 32)
    same(host("batch", size, 0, 0, scratch, 8, 4, 16)[2], want)
    want, scratch = tilings.group(2, 4, 100, 2, size, 3)
    same(host("group", size, 2, 0, scratch, 2, 4, 10, 10)[2], want)
    want, scratch = tilings.group(2, 4, 15, 2, size, 4)
    small = host("group", size, 2, 0, scratch, 2, 4, 3, 5)[2]
    same(small, [*want[:29], 1])
    want, scratch = tilings.grad(2, 20, 32, 30, size, 16, reuse=False)
    most, least, words = host("norm_grad", size, 0, 0, scratch, 2, 20, 32, 30)
    same([*words[:10], *words[28:]], [*want[:10], *want[28:]])
    once, half = 16 * 32, size == 2
    places = [0, 1, 2, 3, 4, 5, *((6, 7, 8) if half else (0, 0, 0))]
    assert words[10:28] == [n for place in places for n in (place * once, once)]
    want, scratch = tilings.grad_beta(2, 5, 32, size, 4)
    most, least, words = host("grad_beta", size, 0, 0, scratch, 2, 5, 32, 32)
    assert (most, least) == (40 * 32 * (4 // size * 2), 4 * 32 * (4 // size * 2))
    same([scratch, *words[1:]], [scratch, *want[1:]])


@pytest.mark.parametrize("size", [4, 2])
def test_topk_and_transposes(host: Any, size: int) -> None:
    for own, small in ((0, 0), (1, 0), (0, 1), (1, 1)):
        inner, k = (32, 5) if small else (96, 7)
        most, least, words = host("topk", size, small, own, MOST, 3, inner, k)
        same(words, topk_words(3, inner, k, size, bool(own), bool(small), True))
        assert most == least >= words[0] * size
    dims = (2, 3, 40, 24)
    for kind in range(1, 7):
        most, least, words = host("confusion", size, kind, 0, LEAST, *dims)
        same(words, confusion_words(kind, dims, size, least))
        assert (most, least) == ((48 * 16 * size, 256 * size) if kind < 3 else (512 * size,) * 2)
    same(host("confusion", size, 7, 0, MOST, 32, 48)[2], confusion_words(7, (32, 48), size, 0))


def test_flash_v3(host: Any) -> None:
    row = (5 * 8 + 2 * 1024 + 64) * 4
    most, least, words = host("flash_v3", 2, 4, 1, MOST, 24, 1024)
    assert (most, least) == (24 * row, row)
    same(words, tiling_of(24, 1024, "float"))
    same(host("flash_v3", 2, 4, 1, 13 * row, 24, 1024)[2], tiling_of(24, 1024, "float", 8))


def test_trans_data(host: Any) -> None:
    def sizes(size: int, fractal: int, back: int, *dims: int) -> tuple[int, int, bool]:
        most, least, words = host("trans_data", size, fractal, back, MOST, *dims)
        return most, least, words[0] == 1

    shape = (2, 20, 3, 2, 5)
    c0, z = (2, 3, 2, 2, 5, 16), (3, 2, 2, 5, 1, 16, 16)
    plane, whole = 16, 3 * 32 * 16
    assert sizes(2, 0, 0, *shape, *c0) == (2 * (3 * plane + whole),) * 2 + (True,)
    assert sizes(2, 0, 1, *shape, *c0) == (2 * whole + 512,) * 2 + (True,)
    assert sizes(2, 1, 0, *shape, *z) == (2 * (20 * 3 * plane + 16 * whole),) * 2 + (True,)
    assert sizes(2, 1, 1, *shape, *z) == (4 * 16 * whole,) * 2 + (True,)
    assert sizes(2, 1, 1, 16, 16, 1, 1, 16, 1, 1, 1, 16, 1, 16, 16) == (2 * 16**3,) * 2 + (True,)
    assert sizes(4, 0, 0, *shape, *c0) == (0, 0, False)
    assert sizes(2, 0, 0, *shape, *z) == (0, 0, False)


def test_scratch_without_a_tiling(host: Any) -> None:
    def sizes(*request: Any) -> tuple[int, int]:
        most, least, _ = host(*request)
        return most, least

    assert sizes("sum", 4, 0, 0, 0, 1000) == (64, 64)
    assert sizes("sum", 2, 0, 0, 0, 1000) == (32, 32)
    assert sizes("mean", 2, 4, 0, 0, 100) == (32 + 112 * 4,) * 2
    assert sizes("xor", 2, 0, 0, 0, 129) == (3 * 320,) * 2  # the toolkit returns too little, 774
    assert sizes("xor", 2, 0, 1, 0, 128) == (2 * 256,) * 2
    # Arguments of the reductions by pattern: name, type size, first axis, isReuseSource, 0, shape.
    for name, size, first_axis, shape, want in (
        ("reduce_sum", 4, 0, (6, 64), 0),
        ("reduce_sum", 4, 0, (6, 100), 6 * 64 * 4),
        ("reduce_mean", 4, 0, (6, 128), 6 * 64 * 4),
        ("reduce_sum", 4, 0, (1, 128), 128 * 4),  # the toolkit does not halve a single row
        ("reduce_mean", 4, 1, (6, 100), 4 * 104 * 4),
        ("reduce_max", 2, 0, (6, 16), 0),
        ("reduce_max", 2, 0, (6, 100), 6 * 32),
        ("reduce_min", 4, 0, (6, 100), 6 * 256),
        ("reduce_min", 2, 1, (8, 100), 4 * 112 * 2),
        ("reduce_prod", 4, 0, (6, 100), (64 + 48) * 4 + 256),
        ("reduce_prod", 4, 0, (1, 128), (128 + 8) * 4 + 256),
        ("reduce_prod", 4, 0, (1, 8), (8 + 8) * 4 + 256),
        ("reduce_prod", 4, 1, (6, 100), 4 * 104 * 4),
        ("reduce_any", 4, 0, (6, 100), 6 * 256),
        ("reduce_all", 1, 1, (6, 100), 4 * 128),
    ):
        assert sizes(name, size, first_axis, 0, 0, *shape) == (want, want), (name, shape)
        reused = 256 if name == "reduce_prod" and not first_axis else 0
        assert sizes(name, size, first_axis, 1, 0, *shape) == (reused, reused)
    for name, reuse in (("reduce_any", 0), ("reduce_all", 1)):
        assert sizes(name, 1, 0, reuse, 0, 6, 100) == (128 * 2 + 6 * 32,) * 2
    assert sizes("select", 2, 1, 1, 0, 8, 1024, 1056) == (16384 + 512, 8192 + 512)
    assert sizes("select", 2, 2, 0, 0, 8, 1024, 1056) == (16896 + 16384, 8704 + 16384)
    assert sizes("normalize", 4, 4, 0, 0, 20, 61) == (2 * 256 + 2 * 24 * 256, 512)
    assert sizes("welford", 2, 0, 0, 0, 1, 100) == (2 * 768, 768)
    assert sizes("finalize", 4, 0, 0, 0, 96) == ((128 + 192) * 4, 1024)
