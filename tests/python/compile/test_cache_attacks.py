# SPDX-License-Identifier: Apache-2.0
"""Tests that the kernel cache resists damaged files, foreign owners, killed builds and growth."""

from __future__ import annotations

import json
import os
import pickle
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cannery
from cannery.compile.cache import KernelCache
from cannery.compile.manifest import Manifest

from ..selection import rest_release, rest_slow

pytestmark = [
    pytest.mark.slow,
    pytest.mark.twin_only("the host's compiler and what is kept of its work"),
]

Count = Callable[[], int]

PICKLED = """
import pickle, sys
import numpy as np
kernel = pickle.load(open(sys.argv[1], "rb"))
x = np.arange(1024, dtype=np.float32)
z = np.zeros_like(x)
kernel(1, x, x, z)
assert np.array_equal(z, 2 * x)
"""


def works(kernel: cannery.Kernel) -> bool:
    x = np.arange(1024, dtype=np.float32)
    z = np.zeros_like(x)
    kernel(1, x, x, z)
    return bool(np.array_equal(z, 2 * x))


def changed(field: str, value: Any) -> Callable[[dict[str, Any]], Any]:
    return lambda manifest: {**manifest, field: value}


def with_dependency(path: str, state: Any) -> Callable[[dict[str, Any]], Any]:
    return lambda manifest: {**manifest, "dependencies": {path: state}}


DIGEST = "0" * 64
STATE = [DIGEST, 1, 2, 3, 4]


@pytest.mark.parametrize(
    "damage",
    [
        changed("libraries", {"../../evil.so": DIGEST}),
        changed("libraries", {"/lib/x86_64-linux-gnu/libc.so.6": DIGEST}),
        changed("libraries", 3),
        changed("libraries", {}),
        changed("libraries", {"a\0b.so": DIGEST}),
        changed("libraries", {"é" * 32 + ".so": DIGEST}),
        changed("libraries", {"0" * 32 + ".so": None}),
        changed("libraries", {"0" * 32 + ".so": [DIGEST]}),
        changed("version", "1"),
        changed("version", True),
        changed("extra", 1),
        changed("dependencies", None),
        changed("dependencies", []),
        changed("dependencies", "abc"),
        with_dependency("/etc/hostname", 7),
        with_dependency("/etc/hostname", None),
        with_dependency("/etc/hostname", "0" * 64),
        with_dependency("/etc/hostname", ["0" * 64]),
        with_dependency("/etc/hostname", ["0" * 64, 1, 2, 3, 4.0]),
        with_dependency("/etc/hostname", ["0" * 64, 1, 2, 3, True]),
        with_dependency("/dev/zero", STATE),
        with_dependency("a\0b", STATE),
        with_dependency("/nonexistent", STATE),
        lambda manifest: [manifest],
        lambda manifest: None,
    ],
)
@pytest.mark.release
def test_a_manifest_is_validated_completely(
    kernels: Path, cache: Path, compilations: Count, damage: Callable[[dict[str, Any]], Any]
) -> None:
    cannery.compile_kernel(kernels / "add.cpp", "add")
    (path,) = cache.glob("kernels/*.json")
    path.write_text(json.dumps(damage(json.loads(path.read_text()))))
    assert works(cannery.compile_kernel(kernels / "add.cpp", "add"))
    assert compilations() == 2


@pytest.mark.parametrize(
    "content",
    rest_slow([b"\xff\xfe\0", b"[" * 100_000, b'{"a": ' * 100_000, b"1" * 10_000, b'"\\ud800"']),
)
def test_a_manifest_that_is_no_json(
    kernels: Path, cache: Path, compilations: Count, content: bytes
) -> None:
    cannery.compile_kernel(kernels / "add.cpp", "add")
    (path,) = cache.glob("kernels/*.json")
    path.write_bytes(content)
    assert works(cannery.compile_kernel(kernels / "add.cpp", "add"))
    assert compilations() == 2


@pytest.mark.parametrize("kind", rest_slow(["fifo", "zero", "huge"]))
def test_a_manifest_that_is_no_ordinary_file(
    kernels: Path, cache: Path, compilations: Count, kind: str
) -> None:
    cannery.compile_kernel(kernels / "add.cpp", "add")
    (path,) = cache.glob("kernels/*.json")
    path.unlink()
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "zero":
        path.symlink_to("/dev/zero")
    else:
        with path.open("wb") as file:
            file.truncate(1 << 40)
    assert works(cannery.compile_kernel(kernels / "add.cpp", "add"))
    assert compilations() == 2


def test_a_dependency_that_is_a_pipe_now(cache: Path, compilations: Count, tmp_path: Path) -> None:
    header, source = tmp_path / "sizes.h", tmp_path / "k.cpp"
    header.write_text("")
    kernel = 'extern "C" __global__ __aicore__ void k(GM_ADDR x) {}\n'
    source.write_text(f'#include "kernel_operator.h"\n#include "sizes.h"\n{kernel}')
    cannery.compile_kernel(source, "k")
    header.unlink()
    os.mkfifo(header)
    text = source.read_text().replace("sizes.h", "other.h")
    (tmp_path / "other.h").write_text("")
    source.write_text(text)
    cannery.compile_kernel(source, "k")
    source.write_text(text.replace("other.h", "sizes.h"))
    header.unlink()
    header.write_text("")
    cannery.compile_kernel(source, "k")
    # The sources of the first and the third call are the same, so the third compiles nothing.
    assert compilations() == 2


def test_folders_are_private(kernels: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = os.umask(0)
    try:
        cannery.compile_kernel(kernels / "add.cpp", "add")
    finally:
        os.umask(before)
    for folder in (cache, cache / "kernels"):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_folder_that_others_can_read_is_closed(kernels: Path, cache: Path) -> None:
    (cache / "kernels").mkdir(parents=True)
    (cache / "kernels").chmod(0o755)
    assert works(cannery.compile_kernel(kernels / "add.cpp", "add"))
    assert stat.S_IMODE((cache / "kernels").stat().st_mode) == 0o700


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o777, 0o1777])
@pytest.mark.parametrize("filled", [True, False])
def test_a_folder_that_others_can_write_is_refused(
    kernels: Path, cache: Path, mode: int, filled: bool
) -> None:
    (cache / "kernels").mkdir(parents=True, mode=0o700)
    if filled:
        cannery.compile_kernel(kernels / "add.cpp", "add")
    (cache / "kernels").chmod(mode)
    with pytest.raises(
        cannery.CompileError, match=r"can be written by others .* CANNERY_CACHE_DIR"
    ):
        cannery.compile_kernel(kernels / "add.cpp", "add")


def test_the_folder_behind_a_link_is_left_alone(kernels: Path, cache: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    other.chmod(0o755)
    cache.mkdir()
    (cache / "kernels").symlink_to(other)
    with pytest.raises(cannery.CompileError, match=r"is a link.* CANNERY_CACHE_DIR"):
        cannery.compile_kernel(kernels / "add.cpp", "add")
    assert stat.S_IMODE(other.stat().st_mode) == 0o755
    assert not list(other.iterdir())


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_a_folder_of_somebody_else_is_refused(kernels: Path, cache: Path) -> None:
    cannery.compile_kernel(kernels / "add.cpp", "add")
    os.chown(cache / "kernels", 12345, 12345)
    with pytest.raises(cannery.CompileError, match=r"belongs to user 12345, not to 0"):
        cannery.compile_kernel(kernels / "add.cpp", "add")


def test_the_size_is_bounded_and_the_last_used_stays(tmp_path: Path) -> None:
    cache = KernelCache(tmp_path, max_bytes=10_000)

    def store(name: str) -> None:
        key = name.encode().hex().zfill(64)
        with cache.lock(key), cache.workspace() as folder:
            library = folder / "kernel.so"
            library.write_bytes(name.encode() * 1000)
            cache.store(key, [library], [], time.time_ns())

    def found(name: str) -> bool:
        return cache.find(name.encode().hex().zfill(64)) is not None

    for each in ("aa", "bb", "cc", "dd"):
        store(each)
        time.sleep(0.01)
    assert found("aa")
    time.sleep(0.01)
    store("ee")
    assert found("aa")
    assert found("ee")
    assert not found("bb")
    assert sum(path.stat().st_size for path in (tmp_path / "kernels").iterdir()) <= 10_000
    store("f" * 20)  # an entry larger than the limit stays until the next store
    assert found("f" * 20)


def test_what_is_found_is_what_was_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One read of the manifest gives libraries, dependencies and warnings."""
    cache = KernelCache(tmp_path)
    header = tmp_path / "step.h"
    header.write_text("")
    with cache.lock("key"), cache.workspace() as folder:
        (folder / "kernel.so").write_bytes(b"code")
        started_ns = time.time_ns() + 1_000_000_000
        stored = cache.store("key", [folder / "kernel.so"], [str(header)], started_ns, ["odd"])
    reads = []
    read = Manifest.read
    monkeypatch.setattr(Manifest, "read", lambda path: reads.append(path) or read(path))
    assert cache.find("key") == stored
    assert (stored.dependencies, stored.warnings) == ((str(header),), ("odd",))
    assert len(reads) == 1


def test_both_libraries_of_a_kernel_go_together(tmp_path: Path) -> None:
    """The cache removes both libraries of a kernel, even if removing one frees enough space."""
    cache = KernelCache(tmp_path, max_bytes=10_000)
    for number in range(2):
        key = f"{number:064}"
        with cache.lock(key), cache.workspace() as folder:
            names = ("kernel.cube.so", "kernel.so")
            for age, name in zip((2, 1), names, strict=True):
                (folder / name).write_bytes(bytes([number]) * 3000)
                os.utime(folder / name, times=(time.time() - age - 10 * (1 - number),) * 2)
            cache.store(key, [folder / name for name in names[::-1]], [], time.time_ns())
    kept = sorted(path.name.partition(".")[2] for path in (tmp_path / "kernels").glob("*.so"))
    assert kept == ["cube.so", "so"]


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_leftovers_of_killed_builds_are_removed(
    kernels: Path, cache: Path, tmp_path: Path, compilations: Count, number: int
) -> None:
    slow = tmp_path / "slow-cxx"
    slow.write_text("#!/bin/sh\nexec sleep 100\n")
    slow.chmod(0o755)
    code = f"import cannery; cannery.compile_kernel({str(kernels / 'add.cpp')!r}, 'add')"
    environment = {**os.environ, "CXX": str(slow)}
    child = subprocess.Popen([sys.executable, "-c", code], env=environment, start_new_session=True)
    deadline = time.monotonic() + 90
    while not list(cache.glob("kernels/build-*/kernel.cpp")) and time.monotonic() < deadline:
        time.sleep(0.02)
    (running,) = cache.glob("kernels/build-*")
    # While the process of a build lives, other compilations do not remove the build's folder.
    cannery.compile_kernel(kernels / "add.cpp", "add", {"OTHER": 1})
    assert running.exists()
    os.killpg(child.pid, number)
    child.wait()
    assert running.exists()
    cannery.compile_kernel(kernels / "add.cpp", "add")
    assert not running.exists()
    assert {path.suffix for path in (cache / "kernels").iterdir()} == {".so", ".json"}


WAITER = """
import sys
from pathlib import Path
from cannery.compile.cache import KernelCache
print("ready", flush=True)
with KernelCache(Path(sys.argv[1])).lock("key"):
    print("mine")
"""


def test_a_forked_child_keeps_no_lock(tmp_path: Path) -> None:
    with KernelCache(tmp_path).lock("key"):
        child = os.fork()
        if child == 0:
            time.sleep(600)
            os._exit(0)
        waiter = subprocess.Popen(
            [sys.executable, "-c", WAITER, tmp_path], stdout=subprocess.PIPE, text=True
        )
        assert waiter.stdout is not None
        assert waiter.stdout.readline() == "ready\n"
        time.sleep(0.5)
    try:
        assert waiter.communicate(timeout=300)[0] == "mine\n"
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        waiter.kill()


def test_a_launched_kernel_pickles(kernels: Path, cache: Path, tmp_path: Path) -> None:
    kernel = cannery.compile_kernel(kernels / "add.cpp", "add")
    assert works(kernel)
    data = pickle.dumps(kernel)
    assert pickle.loads(data) is kernel  # noqa: S301  bytes that this test made
    file = tmp_path / "kernel.pickle"
    file.write_bytes(data)
    subprocess.run([sys.executable, "-c", PICKLED, file], check=True, timeout=300)
    for library in cache.glob("kernels/*.so"):
        library.unlink()
    done = subprocess.run(
        [sys.executable, "-c", PICKLED, file], capture_output=True, text=True, check=False
    )
    assert "no longer in the cache" in done.stderr
    assert works(kernel)


ODD = ["a b", "q\"u'ote", "back\\slash", "com,ma", "do$llar$$", "ha#sh", "co:lon", "ta\tb", "ünï"]


@pytest.mark.parametrize("odd", ["\udcff\udc80", "new\nline", *rest_release([*ODD, "-dash", "%s"])])
def test_paths_with_any_byte(kernels: Path, tmp_path: Path, odd: str, compilations: Count) -> None:
    folder, includes = tmp_path / odd, tmp_path / f"{odd} include"
    folder.mkdir()
    includes.mkdir()
    (folder / "near.h").write_text("#define TILES_PER_BLOCK 4\n")
    (includes / "far.h").write_text("#define TILE_ELEMS 256\n")
    source = folder / f"{odd}.cpp"
    text = (kernels / "add.cpp").read_text()
    source.write_text(f'#include "kernel_operator.h"\n#include "near.h"\n#include <far.h>\n{text}')
    with cannery.use(cache_dir=folder / odd):
        kernel = cannery.compile_kernel(source, "add", include_dirs=[includes])
        assert works(kernel)
        runs = compilations()
        dump = folder / f"{odd}.jsonl"
        x = np.zeros(1024, np.float32)
        kernel(1, x, x, x, dump=dump)
        assert (
            json.loads(dump.read_text(errors="surrogateescape").splitlines()[0])["launch"] == "add"
        )
        cannery.compile_kernel(source, "add", include_dirs=[includes])
        # The compiler's dependency file cannot contain a name with a line end, so the kernel's
        # headers are unknown. Every call then compiles the kernel for both kinds of core.
        assert compilations() == (2 * runs if "\n" in odd else runs)
        (includes / "far.h").write_text("#define TILE_ELEMS 128\n")
        cannery.compile_kernel(source, "add", include_dirs=[includes])
        assert compilations() == (3 * runs if "\n" in odd else runs + 1)
