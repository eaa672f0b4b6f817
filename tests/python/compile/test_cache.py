# SPDX-License-Identifier: Apache-2.0
"""Tests that the kernel cache compiles each content only once."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import cannery

pytestmark = [
    pytest.mark.slow,
    pytest.mark.twin_only("the host's compiler and what is kept of its work"),
]

CHILD = """
import sys, time
import numpy as np
import cannery
from cannery.compile import compile_kernel
start = time.process_time()
kernel = compile_kernel(sys.argv[1], "add")
seconds = time.process_time() - start
x = np.arange(1024, dtype=np.float32)
z = np.zeros_like(x)
kernel(1, x, x, z)
assert np.array_equal(z, 2 * x)
print(seconds)
"""

Count = Callable[[], int]


def works(kernel: cannery.Kernel) -> bool:
    x = np.arange(1024, dtype=np.float32)
    z = np.zeros_like(x)
    kernel(1, x, x, z)
    return bool(np.array_equal(z, 2 * x))


def start_child(source: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", CHILD, str(source)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finish(child: subprocess.Popen[str]) -> float:
    """Returns the CPU time in seconds that the child process spent in compile_kernel."""
    output, errors = child.communicate(timeout=300)
    assert child.returncode == 0, errors
    return float(output)


def test_a_second_call_is_quick_and_compiles_nothing(
    kernels: Path, cache: Path, compilations: Count
) -> None:
    first = cannery.compile_kernel(kernels / "add.cpp", "add")
    assert compilations() == 1
    # The test measures CPU time, because on a busy machine a short call may take 0.1 s of real
    # time.
    start = time.process_time()
    second = cannery.compile_kernel(kernels / "add.cpp", "add")
    assert time.process_time() - start < 0.2
    assert compilations() == 1
    assert second is first
    assert works(second)
    assert finish(start_child(kernels / "add.cpp")) < 0.2
    assert compilations() == 1


def test_two_processes_compile_once(kernels: Path, cache: Path, compilations: Count) -> None:
    children = [start_child(kernels / "add.cpp") for _ in range(3)]
    for child in children:
        finish(child)
    assert compilations() == 1
    assert not list((cache / "kernels").glob("build-*"))


def test_a_killed_compilation_leaves_nothing_behind(
    kernels: Path, cache: Path, compilations: Count, tmp_path: Path
) -> None:
    slow = tmp_path / "slow-cxx"
    slow.write_text("#!/bin/sh\nsleep 100\n")
    slow.chmod(0o755)
    environment = {**os.environ, "CXX": str(slow)}
    command = [sys.executable, "-c", CHILD, str(kernels / "add.cpp")]
    child = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 90
    while not list(cache.glob("kernels/build-*/kernel.cpp")) and time.monotonic() < deadline:
        time.sleep(0.02)
    child.kill()
    child.wait()
    assert not list(cache.glob("kernels/*.json"))
    assert works(cannery.compile_kernel(kernels / "add.cpp", "add"))


def test_changed_header_and_changed_source(
    cache: Path, compilations: Count, tmp_path: Path, kernels: Path
) -> None:
    header, source = tmp_path / "sizes.h", tmp_path / "add.cpp"
    header.write_text("#define TILES_PER_BLOCK 4\n")
    source.write_text('#include "sizes.h"\n' + (kernels / "add.cpp").read_text())
    assert works(cannery.compile_kernel(source, "add"))
    header.write_text("#define TILES_PER_BLOCK 2\n")
    cannery.compile_kernel(source, "add")
    assert compilations() == 2
    header.write_text("#define TILES_PER_BLOCK 4\n")
    source.write_text(source.read_text() + "\n")
    cannery.compile_kernel(source, "add")
    assert compilations() == 3
    os.utime(source)
    cannery.compile_kernel(source, "add")
    assert compilations() == 3


@pytest.mark.parametrize("damage", [b"", b"not a library", None])
def test_damaged_library_is_made_anew(
    kernels: Path, cache: Path, compilations: Count, damage: bytes | None
) -> None:
    library = cannery.compile_kernel(kernels / "add.cpp", "add").library
    library.unlink()
    if damage is not None:
        library.write_bytes(damage)
    cannery.compile_kernel(kernels / "add.cpp", "add")
    assert compilations() == 2
    finish(start_child(kernels / "add.cpp"))


@pytest.mark.parametrize("manifest", ["", "{", "[]", '{"libraries": 3, "dependencies": {}}', "{}"])
def test_damaged_manifest_is_made_anew(
    kernels: Path, cache: Path, compilations: Count, manifest: str
) -> None:
    cannery.compile_kernel(kernels / "add.cpp", "add")
    (path,) = cache.glob("kernels/*.json")
    path.write_text(manifest)
    cannery.compile_kernel(kernels / "add.cpp", "add")
    assert compilations() == 2


def test_different_wishes_are_different_kernels(
    kernels: Path, cache: Path, compilations: Count
) -> None:
    path = kernels / "add.cpp"
    cannery.compile_kernel(path, "add")
    cannery.compile_kernel(path, "add", {"TILE_ELEMS": 128})
    cannery.compile_kernel(path, "add", kernel_type="MIX_AIV_1_0")
    cannery.compile_kernel(path, "add", include_dirs=[kernels])
    assert compilations() == 4


def test_cache_that_cannot_be_written(kernels: Path, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    with (
        cannery.use(cache_dir=blocked / "cache"),
        pytest.raises(cannery.CompileError, match="CANNERY_CACHE_DIR"),
    ):
        cannery.compile_kernel(kernels / "add.cpp", "add")
