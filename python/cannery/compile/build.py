# SPDX-License-Identifier: Apache-2.0
"""compile_kernel: look in the cache, else compile once, whoever else wants the same."""

from __future__ import annotations

import os
import re
import subprocess
import threading
import time
from collections.abc import Iterable
from pathlib import Path

from cannery.compile.cache import KernelCache, digest, file_digest
from cannery.compile.diagnostics import summarize
from cannery.compile.kernel import Kernel
from cannery.compile.request import Defines, KernelType, Request, Source, make_request
from cannery.compile.toolchain import Toolchain, find_toolchain
from cannery.errors import CompileError
from cannery.settings import cache_dir, current_backend

__all__ = ["compile_kernel"]

_CACHE_VERSION = "1"
_loaded: dict[Path, Kernel] = {}
_loaded_lock = threading.Lock()


def compile_kernel(
    source: Source,
    name: str,
    defines: Defines | None = None,
    include_dirs: Iterable[str | os.PathLike[str]] = (),
    kernel_type: KernelType | None = None,
) -> Kernel:
    """Compiles the Ascend C kernel `name` for the twin and returns it as a callable.

    source: the text of the kernel, or the path of a file with it.
    defines: macros, as {"TILE": 64} or ["TILE=64"].   include_dirs: folders for the source's own
    headers.
    kernel_type: overrides what the source says or implies, e.g. "MIX_AIC_1_2".

    The result is cached (cannery.use(cache_dir=...)) by the content of source and headers, flags,
    compiler and CPU; the same kernel is compiled once, also when several processes ask for it at
    the same time. A header that newly appears in front of another one on the include path goes
    unnoticed.

    Raises CompileError with the compiler's messages, or when there is no compiler or no writable
    cache; ValueError or TypeError for malformed arguments.
    """
    request = make_request(source, name, defines, include_dirs, kernel_type)
    if current_backend() != "twin":
        raise CompileError(
            "compile_kernel compiles for the twin; run with backend='twin', "
            "or build an operator for a card"
        )
    toolchain = find_toolchain()
    cache = KernelCache(cache_dir())
    key = _key(request, toolchain)
    library = cache.find(key)
    if library is None:
        with cache.lock(key):
            library = cache.find(key) or _compile(request, toolchain, cache, key)
    with _loaded_lock:
        # One Kernel per library: the runtime then loads each binary once.
        return _loaded.setdefault(library, Kernel(library, name))


def _key(request: Request, toolchain: Toolchain) -> str:
    content = request.text if request.path is None else file_digest(request.path) or ""
    unit = request.translation_unit()
    command = [*toolchain.flags, *toolchain.libraries, *request.arguments()]
    return digest([_CACHE_VERSION, content or "", unit, *command, "", *toolchain.identity])


def _compile(request: Request, toolchain: Toolchain, cache: KernelCache, key: str) -> Path:
    with cache.workspace() as folder:
        unit, library, depfile = folder / "kernel.cpp", folder / "kernel.so", folder / "kernel.d"
        unit.write_text(request.translation_unit(), encoding="utf-8", errors="surrogateescape")
        command = [
            *toolchain.command,
            *toolchain.flags,
            *request.arguments(),
            *("-MMD", "-MF", str(depfile), "-MT", "kernel"),
            *("-fPIC", "-shared", "-fdiagnostics-color=never", "-o", str(library), str(unit)),
            *toolchain.libraries,
        ]
        started_ns = time.time_ns()
        result = _run(command)
        if result.returncode != 0:
            text = summarize(result.stderr, request.label, request.name, str(unit))
            raise CompileError(f"kernel {request.name!r} does not compile:\n{text}")
        dependencies = [path for path in _dependencies(depfile.read_text()) if path != str(unit)]
        return cache.store(key, library, dependencies, started_ns)


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "LC_ALL": "C"}
    try:
        return subprocess.run(
            command, capture_output=True, text=True, errors="replace", env=environment, check=False
        )
    except OSError as error:
        raise CompileError(f"the compiler {command[0]} cannot be started ({error})") from error


def _dependencies(rule: str) -> list[str]:
    """Absolute paths of a make rule, where a backslash escapes spaces and line ends."""
    prerequisites = rule.replace("\\\n", " ").split(":", 1)[1]
    names = re.findall(r"(?:\\.|[^\s\\])+", prerequisites)
    return sorted({str(Path(re.sub(r"\\(.)", r"\1", name)).absolute()) for name in names})
