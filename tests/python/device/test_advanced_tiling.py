# SPDX-License-Identifier: Apache-2.0
"""The host's functions must return the scratch sizes that the device's checks require."""

from __future__ import annotations

import subprocess
from importlib.util import find_spec
from pathlib import Path

import pytest

from . import test_advanced_math as elementwise
from .conftest import DEVICE_KERNELS
from .test_advanced_broadcast import least as broadcast_least

Sizes = dict[tuple[str, int], tuple[int, int]]
DTYPE = {2: "half", 4: "float"}
#: Functions of two arguments, with scratch bytes per element for half and float.
OTHERS = {"GeGLU": (8, 0), "SwiGLU": (12, 0), "Fmod": (16, 4), "Axpy": (8, 0), "Xor": (2, 4)}
#: Names on the device of functions that have another name on the host.
DEVICE = {"Clamp": "ClampMax"}


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    module = find_spec("cannery._native")
    assert module is not None
    assert module.origin is not None
    twin = Path(module.origin).parent / "_twin"
    built = tmp_path_factory.mktemp("advanced_tiling") / "host"
    source = DEVICE_KERNELS / "advanced_tiling_host.cpp"
    libraries = [f"-L{twin}/lib", f"-Wl,-rpath,{twin}/lib", "-lnnopbase", "-lascendcl"]
    command = ["c++", "-std=c++11", f"-I{twin}/include", str(source), "-o", str(built), *libraries]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return built


def sizes(program: Path, elements: int) -> Sizes:
    text = subprocess.run([program, str(elements)], capture_output=True, text=True, check=True)
    rows = [line.split() for line in text.stdout.splitlines()]
    return {(name, int(size)): (int(a), int(b)) for name, size, a, b in rows}


@pytest.mark.parametrize("elements", [1, 64, 1000, 20000])
def test_elementwise(program: Path, elements: int) -> None:
    """The host's minimum scratch is the device's limit. The maximum grows with the source."""
    said = sizes(program, elements)
    for (name, size), (most, least) in said.items():
        column = 0 if size == 2 else 1
        device = DEVICE.get(name, name)
        if device in elementwise.BUFFERS or device in elementwise.LEAST:
            assert least == elementwise.least(device, DTYPE[size]), name
        if device in elementwise.BUFFERS:
            per_element = elementwise.BUFFERS[device][column]
            assert most == max(per_element * elements, least), name
        if name in OTHERS:
            per_element = OTHERS[name][column]
            assert least == per_element * 256 // size, name
            assert most == max(per_element * elements, least), name
    assert said["Log", 2] == said["Log10", 4] == said["Silu", 2] == said["Swish", 4] == (0, 0)
    assert said["SinReuse", 4] == (8 * max(elements, 64), 512)
    assert said["SinReuse", 2] == said["Sin", 2]
    assert said["GeluEach", 2] == said["Gelu", 2]
    assert said["ReGlu", 4] == (256, 256)
    assert said["ReGlu", 2] == (12 * max(elements, 128), 1536)
    assert said["Clamp", 4] == (max(elements, 64), 64)


def test_factors_give_the_maximum(program: Path) -> None:
    """The maximum scratch is factor * (bytes of the source) + extra; some kernels reserve memory by
    this formula."""
    elements = 4096
    said = sizes(program, elements)
    for (name, size), (factor, extra) in said.items():
        if not name.startswith("factor:") or name == "factor:Clamp":
            continue
        function = "PowerNumber" if name == "factor:Power" else name.removeprefix("factor:")
        assert factor * size * elements + extra == said[function, size][0], name


def test_power(program: Path) -> None:
    said = sizes(program, 64)
    assert said["Power", 2][1] == said["PowerNumber", 2][1] == 2048
    assert (said["Power", 4][1], said["PowerNumber", 4][1]) == (1280, 1536)
    assert said["PowerInt", 4] == (7 * 256, 7 * 256)


def test_rows(program: Path) -> None:
    said = sizes(program, 1000)
    assert said["BroadCast", 2][1] == broadcast_least(2, 16, 40, 1)
    assert said["BroadCast", 4][1] == broadcast_least(4, 16, 40, 1)
    assert said["BroadCast", 2][0] == 16 * 32 + 16 * 96
    assert said["BroadCastNone", 2] == said["UnPad", 4] == (0, 0)
    assert said["CumSumLast", 2] == (32 * 48 * 6, 16 * 48 * 6)
    assert said["CumSumLast", 4] == (32 * 48 * 8, 16 * 48 * 8)
    assert said["CumSumFirst", 2] == (20 * 48 * 4,) * 2
    assert said["CumSumFirst", 4] == (0, 0)
    assert said["Pad", 2] == (960 * 64, 1024)
    assert said["AscendDequant", 4] == ((20 * 48 + 48 + 72) * 4, (48 + 48 + 72) * 4)
    assert said["AscendDequantFlat", 4] == ((48 + 48 + 72) * 4,) * 2
    assert said["AscendQuant", 2] == (2016, 512)
    assert said["DropOut", 4] == (8000, 512)
    assert said["AntiQuant", 2] == said["AntiQuantNumber", 2] == (0, 0)
    assert said["AntiQuant", 4] == ((2 * 48 + 64 * 20) * 4,) * 2
    assert said["AntiQuantNumber", 4] == (20 * 48 * 4, 1024)


def test_pad_tiling(program: Path) -> None:
    """With 4096 B of scratch, PadTiling cuts 300 rows of 15 elements into parts of 64 elements."""
    said = sizes(program, 1)
    assert said["PadRows", 2] == (300, 15)
    assert said["PadCut", 2] == (16, 300 * 15 % 64)
    assert said["UnPadRows", 4] == (7, 64)
